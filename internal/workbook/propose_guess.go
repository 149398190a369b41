package workbook

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"kcompare/internal/evidence"
)

// propose guesses what something of the author's is.
func (f *finder) propose(m handmade) {
	switch {
	case metricsHead.MatchString(m.body) && m.language != "go" && m.language != "python" && m.language != "java":
		f.results(m)
	case m.language == "mermaid" && strings.Contains(m.body, "sequenceDiagram"):
		pairs := f.story(m, "")
		f.add(m, "a sequence diagram", "see that scenario and variant are the ones it shows", "sequence", append(pairs, "clients", f.client(m))...)
	case m.language == "table":
		f.table(m)
	case languageOfFence[m.language] != "":
		f.listing(m)
	case slices.Contains([]string{"text", "plaintext", "console", "shell", "sh", "bash", ""}, m.language) && command.MatchString(m.body):
		f.printed(m)
	}
}

// metricsHead is the head of a table of figures: in a program's output, in markdown, in
// either language.
var metricsHead = regexp.MustCompile(`(?im)^[>|\s]*(?:metric|метрика)[|\s]+(?:value|значение)[|\s]*$`)

// words of metrics as programs and authors write them, the longest first where one is in
// another.
var metricWords = []struct {
	word   string
	metric string
}{
	{"duplicat", string(evidence.Duplicates)}, {"дубл", string(evidence.Duplicates)},
	{"intended", string(evidence.Intended)}, {"хотели", string(evidence.Intended)},
	{"failed", string(evidence.FailedRecords)}, {"ошиб", string(evidence.FailedRecords)},
	{"sent", string(evidence.Acked)}, {"acked", string(evidence.Acked)}, {"подтвержд", string(evidence.Acked)},
	{"delta", string(evidence.LogDelta)}, {"in the log", string(evidence.LogRecords)}, {"log_records", string(evidence.LogRecords)}, {"в логе", string(evidence.LogRecords)},
	{"dropped", string(evidence.ResponsesDropped)}, {"answers lost", string(evidence.ResponsesDropped)},
	{"lost", string(evidence.LostRecords)}, {"потеря", string(evidence.LostRecords)},
	{"committed", string(evidence.Committed)}, {"aborted", string(evidence.AbortedEnds)}, {"visible", string(evidence.Visible)},
	{"elapsed", "elapsed"}, {"verdict", "verdict"},
}

// results is a table of figures of one run.
func (f *finder) results(m handmade) {
	_, below, _ := strings.Cut(m.body, metricsHead.FindString(m.body))
	var rows []string
	for line := range strings.Lines(below) {
		label := strings.ToLower(line)
		for _, w := range metricWords {
			if strings.Contains(label, w.word) {
				rows = append(rows, w.metric)
				break
			}
		}
	}
	pairs := append(f.story(m, "sequential"), "clients", f.client(m), "rows", strings.Join(once(rows), ","))
	f.add(m, "a table METRIC and VALUE", "see that scenario and variant are the ones it is about", "results", pairs...)
}

// around is a thing and the text before it, which says what it is about.
func (f *finder) around(m handmade) string {
	return strings.ToLower(string(f.source[max(0, m.from-600):m.from]) + m.body)
}

var (
	idempotence = regexp.MustCompile(`idempoten(?:ce|t)["']?\s*[=:]\s*["']?(true|false)`)
	rate        = regexp.MustCompile(`drop-rate[= ]+(0\.\d+)`)
	messages    = regexp.MustCompile(`(?:messages[= ]+|intended[ |]+)(\d+)`)
	command     = regexp.MustCompile(`(?m)^\s*(?:\$ |>>> |go run |make |python3? |java |mvn )`)
)

// stories says by which words a text is about a scenario, and which of its variants is
// proposed, the first that fits.
var stories = []struct{ word, scenario, variant string }{
	{"zombie", "zombie", "producer=transactional,sends=sequential"}, {"зомби", "zombie", "producer=transactional,sends=sequential"},
	{"read-process-write", "read-process-write", "after-abort=seek,sends=sequential"}, {"sendoffsetstotransaction", "read-process-write", "after-abort=seek,sends=sequential"},
	{"send_offsets_to_transaction", "read-process-write", "after-abort=seek,sends=sequential"},
	{"transactional", "transactional", "end=commit,sends=sequential"}, {"транзакц", "transactional", "end=commit,sends=sequential"},
	{"acks=0", "at-most-once", "acks=0"},
	{"idempoten", "idempotent", "enable.idempotence=true,sends=sequential"}, {"идемпотент", "idempotent", "enable.idempotence=true,sends=sequential"},
}

// story is the attributes that say which trial something is of.
func (f *finder) story(m handmade, sends string) []string {
	about := f.around(m)
	pairs := []string{"scenario", "idempotent", "variants", "enable.idempotence=true,sends=sequential"}
	if found := idempotence.FindAllStringSubmatch(about, -1); found != nil {
		pairs[3] = "enable.idempotence=" + found[len(found)-1][1] + ",sends=sequential"
	} else {
		for _, s := range stories {
			if strings.Contains(about, s.word) {
				pairs[1], pairs[3] = s.scenario, s.variant
				break
			}
		}
	}
	if sends == "" {
		return pairs
	}
	if found := rate.FindAllStringSubmatch(about, -1); found != nil && found[len(found)-1][1] != "0.35" {
		pairs = append(pairs, "drop-rate", found[len(found)-1][1])
	}
	if found := messages.FindAllStringSubmatch(about, -1); found != nil && found[len(found)-1][1] != "200" {
		pairs = append(pairs, "messages", found[len(found)-1][1])
	}
	return pairs
}

// client is the one that a page is about, by what its listings import.
func (f *finder) client(m handmade) string {
	before := string(f.source[:m.from]) + m.body
	best, client := -1, ""
	for word, name := range map[string]string{"kgo": "franz", "franz": "franz", "confluent_kafka": "python", "confluent-kafka-go": "librdkafka", "KafkaProducer<": "java", "org.apache.kafka.clients": "java"} {
		if at := strings.LastIndex(before, word); at > best {
			best, client = at, name
		}
	}
	if client == "" && len(f.manifest.Clients) > 0 {
		return f.manifest.Clients[0]
	}
	return client
}

// table is one of markdown that may be about settings or about clients.
func (f *finder) table(m handmade) {
	lines := strings.Split(strings.TrimSpace(m.body), "\n")
	if len(lines) < 3 {
		return
	}
	var keys []string
	for _, line := range lines[2:] {
		if key := strings.Trim(cell(line, 0), "` "); settingName.MatchString(key) {
			keys = append(keys, key)
		}
	}
	var clients []string
	for word, name := range map[string]string{"franz": "franz", "librdkafka": "librdkafka", "python": "python", "java": "java", "sarama": "sarama"} {
		if strings.Contains(strings.ToLower(lines[0]), word) {
			clients = append(clients, name)
		}
	}
	slices.Sort(clients)
	switch {
	case len(keys)*2 >= len(lines)-2:
		f.add(m, "a table of settings", "see that it is about defaults", "defaults", "keys", strings.Join(keys, ","), "clients", strings.Join(clients, ","))
	case len(clients) > 1:
		f.add(m, "a table that compares clients", "see that scenario and variants are the ones it is about", "compare", append(f.story(m, "sequential")[:2], "clients", strings.Join(clients, ","))...)
	}
}

var settingName = regexp.MustCompile(`^(acks|retries|[a-z]+(\.[a-z]+)+)$`)

func cell(line string, n int) string {
	cells := strings.Split(strings.Trim(strings.TrimLeft(strings.TrimSpace(line), "> "), "|"), "|")
	return strings.TrimSpace(cells[min(n, len(cells)-1)])
}

// languageOfFence are the fences of programs, and how their sources end.
var languageOfFence = map[string]string{"go": ".go", "golang": ".go", "python": ".py", "py": ".py", "java": ".java"}

// listing is a piece of a program. Where the course has the program, the block shows it
// from there.
func (f *finder) listing(m handmade) {
	what := fmt.Sprintf("a listing in %s", strings.TrimPrefix(languageOfFence[m.language], "."))
	for _, file := range slices.Sorted(maps.Keys(f.sources)) {
		if !strings.HasSuffix(file, languageOfFence[m.language]) {
			continue
		}
		if first, last, ok := within(f.sources[file], m.body); ok {
			region := fmt.Sprintf("step-%d", f.line(m.from))
			f.add(m, what, fmt.Sprintf("put the comments kcompare:region %s and kcompare:end around lines %d to %d of %s", region, first, last, file), "code", "files", file, "region", region)
			return
		}
	}
	f.tell(m, what, "no source of the course has these lines: put them into a program that runs, and a block of kind code shows them from there")
}

// within finds the lines of a listing in a source, whatever their indent; first and last
// count from 1.
func within(source, listing string) (first, last int, ok bool) {
	bare := func(text string) []string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for i, line := range lines {
			lines[i] = strings.TrimSpace(line)
		}
		return lines
	}
	want := bare(listing)
	lines := strings.Split(source, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	for i := 0; i+len(want) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(want)], want) {
			return i + 1, i + len(want), true
		}
	}
	return 0, 0, false
}

// printed is what a command printed.
func (f *finder) printed(m handmade) {
	programs := distinct(f.manifest.Programs, func(p Program) string { return p.Name })
	if len(programs) == 1 {
		f.add(m, "what a program printed", "see that it is this program", "output", "program", programs[0])
		return
	}
	todo := "list the program in kcompare.yaml, and a block of kind output shows what it prints"
	if len(programs) > 1 {
		todo = "a block of kind output shows what one of these prints: " + strings.Join(programs, ", ")
	}
	f.tell(m, "what a program printed", todo)
}
