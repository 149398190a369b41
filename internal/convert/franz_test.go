package convert

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
	"kcompare/franz"
	"kcompare/internal/config"
	"kcompare/internal/convert/converttest"
	"kcompare/internal/source"
)

// blockOf is a block as a frontend would find it, sorted by key.
func blockOf(client string, role source.Role, line int, settings map[string]string) source.Block {
	b := source.Block{Client: client, Role: role, At: source.Pos{Line: line, Column: 1}}
	for i, key := range slices.Sorted(maps.Keys(settings)) {
		at := source.Pos{Line: line + i, Column: 1}
		b.Entries = append(b.Entries, source.Entry{Key: key, KeyAt: at,
			Value: source.Value{Kind: source.Text, Text: settings[key], Source: settings[key], At: at}})
	}
	return b
}

// sample is settings whose options in Go are held to the driver's.
type sample struct {
	role     source.Role
	settings map[string]string
}

// values are some that the setting takes: both ends, the default, and what is between.
func values(s config.Setting) []string {
	var all []string
	switch s.Type {
	case config.Boolean:
		return []string{"true", "false"}
	case config.Enum:
		return s.Words
	case config.Flags:
		return append(slices.Clone(s.Words), strings.Join(s.Words[:2], ","))
	case config.Integer, config.Float:
		for _, n := range []float64{s.Min, s.Min + 1, 777, 30000, 100000, s.Max} {
			if n >= s.Min && n <= s.Max {
				all = append(all, whole(n))
			}
		}
		if p, has := config.Newest("librdkafka").Of(s); has && said(p.Default) {
			all = append(all, p.Default)
		}
		return append(all, s.Words...)
	}
	return []string{"a b\"c\\d", "shop"}
}

// company is what a setting needs beside it to have an effect, or to be accepted.
func company(key string, role source.Role) map[string]string {
	with := map[string]string{"bootstrap.servers": "127.0.0.1:1,127.0.0.1:2"}
	if role == source.Consumer {
		with["group.id"] = "desk"
	}
	switch key {
	case "transaction.timeout.ms":
		with["transactional.id"] = "till"
	case "max.in.flight.requests.per.connection":
		with["enable.idempotence"] = "true"
	case "compression.level":
		with["compression.type"] = "gzip"
	case "group.remote.assignor":
		with["group.protocol"] = "consumer"
	case "auto.commit.interval.ms", "enable.auto.offset.store":
		with["enable.auto.commit"] = "true"
	}
	return with
}

// instead has settings of which one has no effect beside the other.
var instead = map[string]string{
	"metadata.max.age.ms": "topic.metadata.refresh.interval.ms", "message.max.bytes": "batch.size",
	"reconnect.backoff.ms": "retry.backoff.ms", "reconnect.backoff.max.ms": "retry.backoff.max.ms",
}

// samples has every key that kgo can express at several values, as many of them together
// as librdkafka takes: each goes into the first sample that has room for it.
func samples() []sample {
	all := []sample{
		{source.Producer, map[string]string{}},
		{source.Producer, map[string]string{"enable.idempotence": "true"}},
		{source.Producer, map[string]string{"transactional.id": "till"}},
		{source.Producer, map[string]string{"acks": "1"}},
		{source.Consumer, map[string]string{}},
		{source.Consumer, map[string]string{"group.id": "desk"}},
		{source.Consumer, map[string]string{"group.id": "desk", "enable.auto.commit": "true", "enable.auto.offset.store": "false"}},
		{source.Consumer, map[string]string{"group.id": "desk", "group.protocol": "consumer"}},
	}
	for _, key := range slices.Sorted(maps.Keys(goRules)) {
		s, _ := config.Lookup(key)
		if strings.HasPrefix(key, "ssl.") || strings.HasPrefix(key, "sasl.") || key == "security.protocol" {
			continue // samplesSecured has them
		}
		for _, value := range values(s) {
			if s.For(config.Producer) {
				all = put(all, source.Producer, key, value)
			}
			if s.For(config.Consumer) {
				all = put(all, source.Consumer, key, value)
			}
		}
	}
	return all
}

func put(all []sample, role source.Role, key, value string) []sample {
	for _, s := range all {
		if s.role == role && s.room(key, value) {
			s.settings[key] = value
			return all
		}
	}
	fresh := sample{role, company(key, role)}
	if fresh.settings[key] = value; fresh.accepted() {
		all = append(all, fresh)
	}
	return all
}

func (s sample) room(key, value string) bool {
	for other := range s.settings {
		if other == key || instead[other] == key || instead[key] == other {
			return false
		}
	}
	for needed, with := range company(key, s.role) {
		if have, is := s.settings[needed]; needed != "bootstrap.servers" && (!is || have != with) {
			return false
		}
	}
	with := sample{s.role, maps.Clone(s.settings)}
	with.settings[key] = value
	return with.accepted()
}

// accepted leaves out what the source's library would refuse, or kgo: it takes several
// options not together, and only its validation knows.
func (s sample) accepted() bool {
	b, wrong := read(blockOf("librdkafka", s.role, 1, s.settings), s.role)
	if wrong != nil {
		return false
	}
	b.fill(Franz)
	settings := expressed(translate(b))
	opts, err := franz.Options(driversRole(s.role, settings), drivers.Settings{Config: settings, Bare: true})
	return err == nil && kgo.ValidateOpts(opts...) == nil
}

// expressed is every setting of the block that kgo can be given, with its value.
func expressed(g goBlock) map[string]string {
	settings := map[string]string{}
	for _, key := range g.keys() {
		if _, _, why := g.option(key); why == "" {
			settings[key] = g.text(key)
			if v := g.given[key]; v.env != "" {
				settings[key] = "value of " + v.env
			}
		}
	}
	return settings
}

func driversRole(role source.Role, settings map[string]string) drivers.Role {
	switch {
	case role == source.Consumer:
		return drivers.RoleConsumer
	case settings["transactional.id"] != "":
		return drivers.RoleTransactionalProducer
	}
	return drivers.RoleProducer
}

// TestOptionsAreTheDriver's compiles what is generated for every setting at several
// values, builds a client of it and one of the driver's, and compares all their options.
func TestOptionsAreTheDrivers(t *testing.T) {
	var blocks []source.Block
	for _, s := range append(samples(), samplesSecured(t)...) {
		if s.accepted() {
			blocks = append(blocks, blockOf("librdkafka", s.role, 100*len(blocks)+1, s.settings))
		}
	}
	file := source.File{Path: "samples", Blocks: blocks}
	result, err := Convert(file, Options{To: Franz})
	if err != nil {
		t.Fatal(err)
	}
	var glue strings.Builder
	for _, from := range blocks {
		b, err := read(from, source.AnyRole)
		if err != nil {
			t.Fatal(err)
		}
		b.fill(Franz)
		b.name = fmt.Sprint(b.role, b.line)
		writeGlue(&glue, b)
	}
	out := compare(t, string(result.Text), glue.String())
	if out != "" {
		t.Errorf("generated options and the driver's differ:\n%s", out)
	}
}

// writeGlue is the call that compares one function.
func writeGlue(text *strings.Builder, b block) {
	g := translate(b)
	settings := expressed(g)
	call := b.name + "Options()"
	if g.tlsFunction("f") == "" {
		call += ", nil"
	}
	fmt.Fprintf(text, "\tcheck(%d, %#v)(%s)\n", driversRole(b.role, settings), settings, call)
}

const glueHead = `package main

import (
	"fmt"
	"os"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
	"kcompare/internal/convert/converttest"
)

func main() {
	check := func(role drivers.Role, settings map[string]string) func([]kgo.Opt, error) {
		return func(opts []kgo.Opt, err error) {
			if err != nil {
				fmt.Fprintln(os.Stderr, settings, err)
				return
			}
			for _, d := range converttest.Compare(opts, role, settings) {
				fmt.Fprintln(os.Stderr, settings, d)
			}
		}
	}
`

// compare compiles both texts as one package of this module, which is on no disk, and
// returns what it says.
func compare(t *testing.T, generated, glue string) string {
	t.Helper()
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for name, text := range map[string]string{"options.go": strings.Replace(generated, "package clients", "package main", 1), "main.go": glueHead + glue + "}\n"} {
		on := filepath.Join(dir, name)
		if err := os.WriteFile(on, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(here, "testdata", "generated", name)] = on
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "-overlay="+filepath.Join(dir, "overlay.json"), "./testdata/generated")
	for name := range map[string]bool{"SASL_PASSWORD": true, "SSL_KEY_PEM": true} {
		cmd.Env = append(cmd.Environ(), name+"=value of "+name)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go run: %v\n%.3000s", err, out)
	}
	return string(out)
}

// TestCompareFindsDifferences: a comparison that finds nothing would prove nothing.
func TestCompareFindsDifferences(t *testing.T) {
	same := func(int) time.Duration { return time.Second }
	opts := []kgo.Opt{kgo.ProducerLinger(7e6), kgo.RetryBackoffFn(same)}
	got := converttest.Compare(opts, drivers.RoleProducer, map[string]string{"linger.ms": "5", "retry.backoff.ms": "1000", "retry.backoff.max.ms": "1000"})
	want := []string{"ProducerLinger: generated 7ms, the driver has 5ms"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRefusals: what the driver cannot express is a comment here, and the other way
// round.
func TestRefusals(t *testing.T) {
	for _, s := range config.Settings() {
		for _, role := range []source.Role{source.Producer, source.Consumer} {
			_, known := goRules[s.Name]
			if !known && goHarmless[s.Name] == "" || !s.For(block{role: role}.configRole()) || role == source.Consumer && slices.Contains(producersAlone, s.Name) {
				continue
			}
			for _, value := range append(values(s), borders(s)...) {
				settings := company(s.Name, role)
				settings[s.Name] = value
				if refusedHere(s.Name, role, settings) != refusedByDriver(role, settings) && !ownRefusals[s.Name] && config.Check(settings, block{role: role}.configRole()) == nil {
					t.Errorf("%s %v: the driver and this package do not agree whether kgo has it", role, settings)
				}
			}
		}
	}
}

// ownRefusals are settings that a generated program has otherwise than the driver: it
// notes what it does not do, or does in code of its own.
var ownRefusals = map[string]bool{
	"socket.keepalive.enable": true, "ssl.key.password": true, "ssl.keystore.location": true, "ssl.keystore.password": true,
}

// borders are where kgo's ranges end, and the values beside them.
func borders(s config.Setting) []string {
	var all []string
	for _, n := range []float64{10, 100, 512, 1000, 1024, 60000, 900000, 3600000, 1 << 30} {
		for _, n := range []float64{n - 1, n, n + 1} {
			if (s.Type == config.Integer || s.Type == config.Float) && n >= s.Min && n <= s.Max {
				all = append(all, whole(n))
			}
		}
	}
	return all
}

func refusedHere(key string, role source.Role, settings map[string]string) bool {
	b, err := read(blockOf("librdkafka", role, 1, settings), role)
	if err != nil {
		return true
	}
	g := translate(b)
	return slices.ContainsFunc(g.lost, func(l Lost) bool { return l.Key == key && !strings.Contains(l.Reason, "no effect") })
}

func refusedByDriver(role source.Role, settings map[string]string) bool {
	_, err := franz.Options(driversRole(role, settings), drivers.Settings{Config: settings, Bare: true})
	return err != nil
}

// TestDefaultsOfFranz holds what this package says of kgo's defaults to kgo: a client of
// nothing else, and one of those settings. What differs has no canonical value: the jitter
// of the backoff, a second codec, more retries than 31 bits hold, and an offset that is
// one minute back.
func TestDefaultsOfFranz(t *testing.T) {
	tests := []struct {
		role source.Role
		with map[string]string
		opts []kgo.Opt
		want []string
	}{
		{source.Producer, nil, nil, []string{"RetryBackoffFn", "ProducerBatchCompression", "RecordRetries"}},
		{source.Producer, map[string]string{"transactional.id": "till"}, []kgo.Opt{kgo.TransactionalID("till")},
			[]string{"RetryBackoffFn", "ProducerBatchCompression", "RecordRetries"}},
		{source.Producer, map[string]string{"enable.idempotence": "false"}, []kgo.Opt{kgo.DisableIdempotentWrite()},
			[]string{"RetryBackoffFn", "ProducerBatchCompression", "RecordRetries"}},
		{source.Consumer, map[string]string{"group.id": "desk"}, []kgo.Opt{kgo.ConsumerGroup("desk")},
			[]string{"RetryBackoffFn", "ConsumeResetOffset"}},
	}
	for _, test := range tests {
		b := block{client: "franz", role: test.role, given: given{}}
		for key, text := range test.with {
			b.given[key] = value{text: text}
		}
		settings := b.franzDefaults()
		delete(settings, "enable.auto.commit") // as kgo does it, which no setting of librdkafka is
		maps.Copy(settings, test.with)
		var got []string
		for _, d := range converttest.Compare(test.opts, driversRole(test.role, settings), settings) {
			name, _, _ := strings.Cut(d, ":")
			got = append(got, name)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %v: %s", test.role, test.with, diff)
		}
	}
}
