package convert

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// Settings come back as they were from every format: a property, over settings that a
// generator makes of the catalogue. A seed repeats them.

// roads are the ways there and back, each with the settings that come back as they were.
var roads = []struct {
	to       Target
	language source.Language
	seeds    int
	exact    func(s config.Setting, value string) bool
}{
	{Librdkafka, source.Properties, 120, func(config.Setting, string) bool { return true }},
	{Java, source.Properties, 120, exactInJava},
}

func TestRoundTrips(t *testing.T) {
	for _, road := range roads {
		for seed := range road.seeds {
			role := []source.Role{source.Producer, source.Consumer}[seed%2]
			settings := anySettings(rand.New(rand.NewPCG(uint64(seed), 7)), role, road.exact)
			got, text := thereAndBack(t, road.to, road.language, role, settings)
			if diff := cmp.Diff(settings, got); diff != "" {
				t.Fatalf("%s, seed %d: %s\n%s", road.to, seed, diff, text)
			}
		}
	}
}

// TestRoundTripsSeeLosses: a road that loses a setting must be found out.
func TestRoundTripsSeeLosses(t *testing.T) {
	settings := map[string]string{"linger.ms": "0.5", "batch.size": "2000"}
	got, _ := thereAndBack(t, Java, source.Properties, source.Producer, settings)
	if diff := cmp.Diff(map[string]string{"batch.size": "2000"}, got); diff != "" {
		t.Error(diff)
	}
}

// thereAndBack is what is left of settings of librdkafka.
func thereAndBack(t *testing.T, to Target, language source.Language, role source.Role, settings map[string]string) (map[string]string, string) {
	t.Helper()
	from := source.File{Path: "settings", Blocks: []source.Block{blockOf("librdkafka", role, 1, settings)}}
	result, err := Convert(from, Options{To: to})
	if err != nil {
		t.Fatalf("%v: %v", settings, err)
	}
	file, err := source.ReadText(t.Context(), language, "settings", result.Text)
	if err != nil || len(file.Blocks) != 1 {
		t.Fatalf("read again: %v, %d blocks\n%s", err, len(file.Blocks), result.Text)
	}
	back, wrong := read(file.Blocks[0], role)
	if wrong != nil {
		t.Fatalf("read again: %v\n%s", wrong, result.Text)
	}
	return sameValues(settings, back), string(result.Text)
}

// sameValues is what came back of the settings; a value that means the same is the same.
func sameValues(settings map[string]string, back block) map[string]string {
	got := map[string]string{}
	for key, value := range back.given {
		if _, given := settings[key]; !given {
			continue // a default that was made explicit
		}
		s, _ := config.Lookup(key)
		if got[key] = value.text; plain(s, value.text) == plain(s, settings[key]) {
			got[key] = settings[key]
		}
	}
	return got
}

// anySettings is a random choice that librdkafka would take.
func anySettings(r *rand.Rand, role source.Role, exact func(config.Setting, string) bool) map[string]string {
	all := config.Settings()
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	chosen := map[string]string{"bootstrap.servers": "localhost:9092", "client.id": "shop"}
	for _, s := range all[:1+r.IntN(60)] {
		value := anyValue(r, s)
		if s.Secret() || s.Type == config.Refused || s.Applies != "*" && !s.For(block{role: role}.configRole()) || !exact(s, value) {
			continue
		}
		with := maps.Clone(chosen)
		with[s.Name] = value
		if config.Check(with, block{role: role}.configRole()) == nil && mixedAssignors(with["partition.assignment.strategy"]) == "" {
			chosen = with
		}
	}
	return chosen
}

func anyValue(r *rand.Rand, s config.Setting) string {
	switch s.Type {
	case config.Boolean:
		return []string{"true", "false"}[r.IntN(2)]
	case config.Enum:
		return s.Words[r.IntN(len(s.Words))]
	case config.Flags:
		words := slices.Clone(s.Words)
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return strings.Join(words[:1+r.IntN(len(words))], ",")
	case config.Integer:
		return fmt.Sprint(int64(s.Min) + r.Int64N(int64(s.Max)-int64(s.Min)+1))
	case config.Float:
		return fmt.Sprintf("%.3f", s.Min+r.Float64()*(s.Max-s.Min))
	}
	return anyText(r)
}

// anyText has what formats escape: blanks at the ends, quotes, signs of comments.
func anyText(r *rand.Rand) string {
	letters := []rune("ab1 .,:=#!\\\"'%é漢/\t-")
	text := make([]rune, 1+r.IntN(12))
	for i := range text {
		text[i] = letters[r.IntN(len(letters))]
	}
	return string(text)
}

// exactInJava leaves out what Java has no exact counterpart of.
func exactInJava(s config.Setting, value string) bool {
	switch s.Name {
	case "request.timeout.ms", "socket.timeout.ms", // one key in Java, and lowered below delivery.timeout.ms
		"partitioner",                                                           // Java's own has no name
		"compression.level",                                                     // a key for each codec
		"ssl.certificate.location", "ssl.key.location", "ssl.keystore.location", // one store in Java
		"sasl.username", "sasl.mechanism", // go together
		"allow.auto.create.topics",                        // not for producers
		"linger.ms",                                       // whole in Java
		"enable.ssl.certificate.verification",             // always on in Java
		"socket.send.buffer.bytes", "metadata.max.age.ms": // -1, and another setting in Java
		return false
	case "acks":
		return value == "0" || value == "1" || value == "-1" || value == "all"
	case "queue.buffering.max.kbytes":
		return true
	}
	b := block{client: "librdkafka", role: source.Producer, given: given{s.Name: {text: value, key: s.Name}}}
	if s.Applies == "C" {
		b.role = source.Consumer
	}
	made, why := b.javaPairs(s)
	return why == "" && len(made) > 0
}
