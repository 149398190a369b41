package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shown is what a file says, a line for each thing: compared whole.
func shown(f File) string {
	var b strings.Builder
	for _, block := range f.Blocks {
		fmt.Fprintf(&b, "%s %s at %s\n", orDash(block.Client), orDash(string(block.Role)), place(block.At))
		for _, e := range block.Entries {
			fmt.Fprintf(&b, "  %s %s %s %q at %s\n", place(e.KeyAt), e.Key, e.Value.Kind, e.Value.Text, place(e.Value.At))
		}
	}
	for _, w := range f.Words {
		fmt.Fprintf(&b, "word %s %s\n", place(w.At), w.Text)
	}
	for _, i := range f.Ignores {
		fmt.Fprintf(&b, "ignore %s %q %q for line %d\n", place(i.At), i.Rule, i.Reason, i.Line)
	}
	if f.Unread != "" {
		fmt.Fprintf(&b, "unread: %s\n", f.Unread)
	}
	return b.String()
}

func place(p Pos) string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func TestData(t *testing.T) {
	for _, c := range []struct {
		name     string
		language Language
		text     string
		want     string
	}{
		{"properties: the ways to write them", Properties, "bootstrap.servers=a:1,\\\n   b:2\n  acks : all \nclient.id my id\\\n\nretry\\.backoff\\u002Ems = \\t5\\x\n! no\n#no\nretries\nlinger.ms==5",
			"- producer at 1:1\n" +
				"  1:1 bootstrap.servers text \"a:1,b:2\" at 1:19\n" +
				"  3:3 acks text \"all \" at 3:10\n" +
				"  4:1 client.id text \"my id\" at 4:11\n" +
				"  6:1 retry.backoff.ms text \"\\t5x\" at 6:26\n" +
				"  9:1 retries text \"\" at 9:8\n" +
				"  10:1 linger.ms text \"=5\" at 10:11\n"},
		{"properties: ends of lines", Properties, "acks=1\r\n\r\nbatch.size=2\rlinger.ms=3\n",
			"- producer at 1:1\n  1:1 acks text \"1\" at 1:6\n  3:1 batch.size text \"2\" at 3:12\n  4:1 linger.ms text \"3\" at 4:11\n"},
		{"properties: a character of two units", Properties, "bootstrap.servers=\\uD83D\\uDE00é\n", "- - at 1:1\n  1:1 bootstrap.servers text \"😀é\" at 1:19\n"},
		{"properties: places to fill in", Properties, "bootstrap.servers=${SERVERS}\ngroup.id=<your group>\n",
			"- consumer at 1:1\n  1:1 bootstrap.servers computed \"\" at 1:19\n  2:1 group.id computed \"\" at 2:10\n"},
		{"properties: ignores", Properties, "# kcompare:ignore conflict since we\n# test it\n\nacks=1\n#kcompare:ignored a b\n! kcompare:ignore conflict\n",
			"- producer at 4:1\n  4:1 acks text \"1\" at 4:6\nignore 1:1 \"conflict\" \"since we\" for line 4\nignore 6:1 \"conflict\" \"\" for line 6\n"},
		{"properties: nothing of Kafka", Properties, "retries=3\ndebug=everything\nclient.id=x\n", ""},
		{"properties: whose", Properties, "# a librdkafka consumer\nbootstrap.servers=a\n", "librdkafka consumer at 2:1\n  2:1 bootstrap.servers text \"a\" at 2:19\n"},
		{"properties: clients of a worker", Properties, "key.converter=x\nconfig.storage.topic=y\nproducer.acks=all\n",
			"connect - at 1:1\n  1:1 key.converter text \"x\" at 1:15\n  2:1 config.storage.topic text \"y\" at 2:22\njava producer at 3:1\n  3:1 acks text \"all\" at 3:15\n"},
		{"properties: Spring", Properties, "spring.kafka.producer.batch-size=16KB\nspring.kafka.producer.acks=all\nspring.kafka.consumer.fetch-max-wait=2s\nspring.kafka.consumer.properties[max.poll.records]=5\nspring.kafka.template.default-topic=x\n",
			"java producer at 1:1\n  1:1 batch.size number \"16384\" at 1:34\n  2:1 acks text \"all\" at 2:28\njava consumer at 3:1\n  3:1 fetch.max.wait.ms number \"2000\" at 3:38\n  4:1 max.poll.records text \"5\" at 4:52\n"},
		{"yaml: maps, dots and merges", YAML, "base: &b {bootstrap.servers: [a, b]}\nproducer:\n  <<: *b\n  transactional:\n    id: x\n  acks: -1 # kcompare:ignore conflict why\n  retries: null\n",
			"- - at 1:11\n  1:11 bootstrap.servers text \"a,b\" at 1:30\n" +
				"- producer at 1:11\n  1:11 bootstrap.servers text \"a,b\" at 1:30\n  5:5 transactional.id text \"x\" at 5:9\n  6:3 acks number \"-1\" at 6:9\n  7:3 retries null \"\" at 7:12\n" +
				"ignore 6:12 \"conflict\" \"why\" for line 6\n"},
		{"yaml: documents and a list", YAML, "bootstrap.servers: a\n---\nclients:\n  - bootstrap.servers: b\n    enable.idempotence: true\n",
			"- - at 1:1\n  1:1 bootstrap.servers text \"a\" at 1:20\n- producer at 4:5\n  4:5 bootstrap.servers text \"b\" at 4:24\n  5:5 enable.idempotence truth \"true\" at 5:25\n"},
		{"yaml: variables of a broker", YAML, "env:\n  - {name: KAFKA_NODE_ID, value: '1'}\n  - {name: KAFKA_LOG_DIRS, valueFrom: {x: y}}\n  - {name: KAFKA_HEAP_OPTS, value: x}\n",
			"broker - at 2:3\n  2:12 node.id text \"1\" at 2:34\n"},
		{"yaml: broken", YAML, "kafka:\n  a: [1\n", "unread: line 2: sequence end token ']' not found\n"},
		{"yaml: an anchor within itself", YAML, "kafka: &a\n  b: *a\n", ""},
		{"json", JSON, "{\n \"k\": {\"bootstrap.servers\": \"ä\", \"acks\" : 1,\n  \"linger.ms\":0.5, \"retries\": null}\n}",
			"- producer at 2:8\n  2:8 bootstrap.servers text \"ä\" at 2:29\n  2:34 acks number \"1\" at 2:43\n  3:3 linger.ms number \"0.5\" at 3:15\n  3:20 retries null \"\" at 3:31\n"},
		{"json: broken", JSON, "{\"acks\": 1,\n \"x\" 2}", "unread: line 2: invalid character '2' after object key\n"},
		{"json: two documents", JSON, "{\"acks\": 1} {}", "unread: line 1: expected one document\n"},
		{"markdown", Markdown, "`kafka` and `a.b` <!-- kcompare:ignore misspelt-key why -->\n\n- x\n  ```yaml\n  bootstrap.servers: a\n  acks: 1\n  ```\n\n      acks: 2\n\n> ~~~json\n> {\"acks\": 3}\n> ~~~\n\n```sh\nacks=4\n```\n",
			"- producer at 5:3\n  5:3 bootstrap.servers text \"a\" at 5:22\n  6:3 acks number \"1\" at 6:9\n- producer at 12:4\n  12:4 acks number \"3\" at 12:12\n" +
				"word 1:2 kafka\nword 1:14 a.b\nignore 1:19 \"misspelt-key\" \"why\" for line 1\n"},
		{"markdown: broken blocks", Markdown, "```json\n{\"acks\": }\n```\n\n```yaml\nacks: [\n```\n", "unread: line 2: invalid character '}' looking for beginning of value; line 6: sequence end token ']' not found\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := ReadText(t.Context(), c.language, "text", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, shown(f)); diff != "" {
				t.Errorf("(-expected +found)\n%s", diff)
			}
		})
	}
}

// TestCodeIgnores knows a comment from what only looks like one.
func TestCodeIgnores(t *testing.T) {
	text := "package x // kafka\n\nvar a = \"// kcompare:ignore r in a string\"\n/* kcompare:ignore one why */\n\n// a comment between\nvar b = 'x' // kcompare:ignore two\n" +
		"var c = `\n// kcompare:ignore r in a raw string\n` /* kcompare:ignore three it is here */ + \"\\\"// kcompare:ignore r\"\n"
	f := File{Ignores: codeIgnores(input{text: []byte(text), firstLine: 10})}
	want := "ignore 14:1 \"one\" \"why\" for line 17\nignore 17:13 \"two\" \"\" for line 17\nignore 20:3 \"three\" \"it is here\" for line 20\n"
	if diff := cmp.Diff(want, shown(f)); diff != "" {
		t.Errorf("(-expected +found)\n%s", diff)
	}
}
