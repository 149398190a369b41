package convert

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/config"
	"kcompare/internal/source"
)

// Roads through code: many settings go in one file, so that Python starts once.

// blocksOf is settings by seed.
func blocksOf(seeds int, exact func(config.Setting, string) bool) (settings []map[string]string, blocks []source.Block) {
	for seed := range seeds {
		role := []source.Role{source.Producer, source.Consumer}[seed%2]
		all := anySettings(rand.New(rand.NewPCG(uint64(seed), 11)), role, exact)
		if role == source.Consumer {
			all["group.id"] = "desk"
		}
		settings = append(settings, all)
		blocks = append(blocks, blockOf("librdkafka", role, 1000*seed+1, all))
	}
	return settings, blocks
}

// wayBack reads the text again, with what uses its settings, and compares block by block.
func wayBack(t *testing.T, language source.Language, text string, settings []map[string]string, blocks []source.Block) {
	t.Helper()
	file, err := source.ReadText(t.Context(), language, "settings", []byte(text))
	if err != nil || file.Unread != "" || len(file.Blocks) != len(settings) {
		t.Fatalf("read again: %v %s, %d blocks of %d\n%.3000s", err, file.Unread, len(file.Blocks), len(settings), text)
	}
	for i := range settings {
		back, wrong := read(file.Blocks[i], blocks[i].Role)
		if wrong != nil {
			t.Fatalf("seed %d: %v", i, wrong)
		}
		if diff := cmp.Diff(settings[i], sameValues(settings[i], back)); diff != "" {
			t.Fatalf("%s, seed %d: %s", language, i, diff)
		}
	}
}

func TestRoundTripThroughPython(t *testing.T) {
	settings, blocks := blocksOf(60, func(config.Setting, string) bool { return true })
	result, err := Convert(source.File{Path: "settings", Blocks: blocks}, Options{To: Python})
	if err != nil {
		t.Fatal(err)
	}
	text := "from confluent_kafka import Consumer, Producer\n" + string(result.Text)
	for _, b := range blocks {
		class := strings.ToUpper(string(b.Role)[:1]) + string(b.Role)[1:]
		text += fmt.Sprintf("%s(%s%d)\n", class, strings.ToUpper(string(b.Role)), b.At.Line)
	}
	wayBack(t, source.Python, text, settings, blocks)
}

// TestRoundTripThroughFranz: settings that have an option of their own, at values at
// which it is written.
func TestRoundTripThroughFranz(t *testing.T) {
	settings, blocks := blocksOf(60, exactInFranz)
	result, err := Convert(source.File{Path: "settings", Blocks: blocks}, Options{To: Franz})
	if err != nil {
		t.Fatal(err)
	}
	text := string(result.Text) + "\nfunc all() {\n"
	for _, b := range blocks {
		text += fmt.Sprintf("kgo.NewClient(%s%dOptions()...)\n", b.Role, b.At.Line)
	}
	wayBack(t, source.Go, text+"}\n", settings, blocks)
}

func exactInFranz(s config.Setting, value string) bool {
	b := block{client: "librdkafka", role: source.Producer, given: given{s.Name: {text: value, key: s.Name}, "group.id": {text: "desk"}}}
	if s.Applies == "C" {
		b.role = source.Consumer
	}
	g := goBlock{block: b}
	code, _, why := g.option(s.Name)
	lossy := slices.Contains([]string{
		"socket.timeout.ms", "request.timeout.ms", // one is what the other leaves
		"batch.size", "message.max.bytes", "max.in.flight.requests.per.connection", "metadata.max.age.ms", // the smaller one, and what is nearest
		"retry.backoff.ms", "retry.backoff.max.ms", "reconnect.backoff.ms", "reconnect.backoff.max.ms", // a function
		"partitioner", "compression.level", "group.remote.assignor", "enable.auto.commit", "enable.auto.offset.store", "auto.commit.interval.ms",
		"topic.metadata.propagation.max.ms", "topic.metadata.refresh.fast.interval.ms", "acks", "enable.idempotence", "delivery.timeout.ms",
	}, s.Name)
	return why == "" && len(code) > 0 && !lossy && !strings.HasPrefix(s.Name, "ssl.") && !strings.HasPrefix(s.Name, "sasl.") && s.Name != "security.protocol" && s.Name != "bootstrap.servers" && // blanks in a list are dropped
		(s.Name != "connections.max.idle.ms" || within15Minutes(b))
}
