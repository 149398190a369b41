package source

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/scripttest"
)

// needJava fails, or leaves the test out where nobody claims that a JDK is there.
func needJava(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("java"); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("needs java: install a JDK 17")
	}
	t.Skip("needs java, which is not installed")
}

const javaHead = `package p;
import java.util.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.common.errors.*;
`

// javaBlocks are settings in Java, and what is found: a line a block, a line an entry.
var javaBlocks = []struct{ name, text, want string }{
	{"properties", javaHead + `class A {
	static final int TIMEOUT = 60_000;
	static final String BROKERS = "a:1" + ",b:2";
	void f(String id) {
		Properties p = new Properties();
		p.put("bootstrap.servers", BROKERS);
		p.put(ProducerConfig.ACKS_CONFIG, "all");
		p.setProperty(ProducerConfig.LINGER_MS_CONFIG, String.valueOf(5));
		p.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, 2 * TIMEOUT);
		p.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, Boolean.TRUE);
		p.put(ProducerConfig.CLIENT_ID_CONFIG, id);
		p.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "t-" + UUID.randomUUID());
		p.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class.getName());
		new KafkaProducer<>(p);
	}
}`, `
11:18 java producer KafkaProducer
12:9 bootstrap.servers = text a:1,b:2
13:9 acks = text all
14:17 linger.ms = text 5
15:9 transaction.timeout.ms = number 120000
16:9 enable.idempotence = truth true
17:9 client.id = computed
18:9 transactional.id = computed, changes by UUID.randomUUID
19:9 key.serializer = code`},
	{"maps, and constants that are imported", `import static org.apache.kafka.clients.consumer.ConsumerConfig.GROUP_ID_CONFIG;
import java.time.Duration;
import org.apache.kafka.clients.consumer.*;
class A {
	Map<String, Object> m = new HashMap<>(Map.of(GROUP_ID_CONFIG, "ж", "ё", 1));
	void f() {
		m.put("max.poll.interval.ms", (int) Duration.ofMinutes(5).toMillis());
		try (var c = new KafkaConsumer<String, String>(m)) { c.poll(Duration.ZERO); }
	}
}`, `
5:26 java consumer KafkaConsumer
5:47 group.id = text ж
5:69 ё = number 1
7:9 max.poll.interval.ms = number 300000`},
	{"a branch, a method and braces", javaHead + `class A {
	Properties common() { return new Properties() {{ put("client.id", "c"); put("acks", "1"); }}; }
	void harden(Properties p) { p.put("retries", 5); }
	void f(boolean safe) {
		Properties p = common();
		harden(p);
		if (safe) { p.put("acks", "all"); }
		p.put("linger.ms", 1);
		p.put("linger.ms", 2);
		p.remove("client.id");
		AdminClient.create(p);
	}
}`, `
8:31 java admin AdminClient
8:78 acks = computed
9:36 retries = number 5
15:9 linger.ms = number 2`},
	{"what no client gets", javaHead + `class A {
	Map<String, Object> config() { return Map.of(ConsumerConfig.GROUP_ID_CONFIG, "g"); }
	Map<String, Object> other() { return Map.of("group.id", "g"); }
}`, `
8:40 java
8:47 group.id = text g`},
	{"what Kafka Streams has for itself is not the clients'", `import org.apache.kafka.streams.*;
class A { void f() {
	Properties p = new Properties();
	p.put(StreamsConfig.APPLICATION_ID_CONFIG, "a");
	p.put("application.server", "a:1");
	p.put("acks", "all");
	new KafkaStreams(null, p);
} }`, `
3:17 java KafkaStreams
6:8 acks = text all`},
	{"another KafkaProducer", `import com.example.KafkaProducer;
class A { Object p = new KafkaProducer(Map.of("acks", "9")); }`, ""},
	{"statements", `import org.apache.kafka.clients.producer.KafkaProducer;

Properties p = new Properties();
p.put("acks", "all");
...
KafkaProducer<String, String> producer = new KafkaProducer<>(p);`, `
3:16 java producer KafkaProducer
4:7 acks = text all`},
	{"a method", `void f() {
	new KafkaProducer<>(Map.of("acks", "all"));
}`, `
2:22 java producer KafkaProducer
2:29 acks = text all`},
}

// javaFacts are as goFacts.
var javaFacts = []struct{ name, program, wrong, right, want string }{
	{"a constant that is not there", javaHead + `class A {
	String s = ProducerConfig.$;
}`, "RETRYS_CONFIG", "RETRIES_CONFIG", "8 no-such-member RETRYS_CONFIG"},
	{"a number for a string", javaHead + `class A {
	Object p = new KafkaProducer<>(Map.of("acks", $));
}`, "1", `"1"`, "8 wrong-type acks"},
	{"a long for an int", javaHead + `class A {
	static final long TIMEOUT = 30_000L;
	Object p = new KafkaProducer<>(Map.of("request.timeout.ms", $, "linger.ms", 5L));
}`, "TIMEOUT", "(int) TIMEOUT", "9 wrong-type request.timeout.ms"},
	{"a number for a boolean", javaHead + `class A {
	Object p = new KafkaConsumer<>(Map.of("enable.auto.commit", $));
}`, "0", `"false"`, "8 wrong-type enable.auto.commit"},
	{"the offset of a record", javaHead + `class A { void f(KafkaConsumer<String, String> c, ConsumerRecords<String, String> all) {
	for (var r : all)
		c.commitSync(Map.of(new TopicPartition("t", 0), new OffsetAndMetadata(r.offset()$)));
} }`, "", " + 1", "9 offset-not-next commitSync"},
	{"the offset of the last record", javaHead + `class A { void f(KafkaProducer<String, String> p, List<ConsumerRecord<String, String>> list) {
	long last = list.get(list.size() - 1).offset();
	Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
	offsets.put(tp, new OffsetAndMetadata(last$));
	p.sendOffsetsToTransaction(offsets, null);
} }`, "", " + 1", "10 offset-not-next OffsetAndMetadata"},
	{"an abort after being fenced", javaHead + `class A { void f(KafkaProducer<String, String> p) {
	try { p.commitTransaction(); } catch (ProducerFencedException | OutOfOrderSequenceException e) { $; }
} }`, "p.abortTransaction()", "p.close()", "8 abort-after-fatal abortTransaction"},
	{"an abort after any error", javaHead + `class A { void f(KafkaProducer<String, String> p) {
	try { p.commitTransaction(); } catch ($ e) { p.abortTransaction(); }
} }`, "ProducerFencedException", "KafkaException", "8 abort-after-fatal abortTransaction"},
	{"a transaction before the id is registered", javaHead + `class A { void f(Properties s) {
	KafkaProducer<String, String> p = new KafkaProducer<>(s);
	$
	p.beginTransaction();
	p.commitTransaction();
} }`, "", "p.initTransactions();", "10 no-init-transactions beginTransaction"},
	{"sent and left", javaHead + `class A { void f(Properties s) {
	KafkaProducer<String, String> p = new KafkaProducer<>(s);
	p.send(new ProducerRecord<>("t", "v"))$;
} }`, "", "; p.close()", "9 missing-flush send"},
	{"a producer that is given on may be closed there", javaHead + `class A { void f(Properties s) {
	KafkaProducer<String, String> p = new KafkaProducer<>(s);
	p.send(new ProducerRecord<>("t", "v"));
	$
} }`, "", "finish(p);", "9 missing-flush send"},
}

// TestJava reads all programs with one helper, as lint does.
func TestJava(t *testing.T) {
	needJava(t)
	var inputs []input
	var wants []string
	for _, c := range javaBlocks {
		inputs = append(inputs, input{path: "/page.md", text: []byte(c.text)})
		wants = append(wants, c.name+"\n"+strings.TrimSpace(c.want))
	}
	for _, c := range javaFacts {
		for _, part := range []string{c.wrong, c.right} {
			inputs = append(inputs, input{path: "/A.java", text: []byte(strings.ReplaceAll(c.program, "$", part))})
		}
		wants = append(wants, c.name+"\n"+c.want, c.name+"\n")
	}
	for _, c := range javaUnread {
		inputs = append(inputs, c.in)
		wants = append(wants, "unread\n"+c.want)
	}
	for i, f := range readJava(t.Context(), inputs) {
		name, want, _ := strings.Cut(wants[i], "\n")
		got := goFound(f) + f.Unread
		if i < len(javaBlocks) {
			got = goWritten(f) + f.Unread
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s\nin\n%s", name, diff, inputs[i].text)
		}
	}
}

// javaUnread are texts that do not parse, among others that do: what is wrong is said with
// its place.
var javaUnread = []struct {
	in   input
	want string
}{
	{input{path: "/A.java", text: []byte("import org.apache.kafka.x;\nclass A { void f( }")}, "line 2, column 19: not Java: illegal start of type"},
	{input{path: "/B.java", text: []byte("class B {")}, ""}, // nothing of Kafka in it
	{input{path: "/page.md", text: []byte("class Kafka {\n\tint i = ;\n}"), firstLine: 20}, "line 22, column 10: not Java: illegal start of expression"},
}

// TestJavaWithoutJDK: no java, a java without a compiler, and one that breaks down are told
// apart, and nothing passes as read.
func TestJavaWithoutJDK(t *testing.T) {
	for said, want := range map[string]string{
		"": "needs a JDK 11 or newer to be read: java is not installed",
		"java.lang.module.FindException: Module jdk.compiler not found":       "needs a JDK 11 or newer to be read: the java that is installed has no compiler in it",
		"Error: Could not find or load main class .tmp.JavaReader.java":       "needs a JDK 11 or newer to be read: the java that is installed has no compiler in it",
		"java.lang.OutOfMemoryError: Java heap space\n\tat JavaReader.main()": "not read: the Java reader failed: exit status 1: java.lang.OutOfMemoryError: Java heap space",
	} {
		dir := t.TempDir()
		t.Setenv("PATH", dir)
		if said != "" {
			script := fmt.Sprintf("#!/bin/sh\n/bin/cat >/dev/null\nprintf '%%s' '%s' >&2\nexit 1\n", said)
			scripttest.Write(t, dir, "java", script)
		}
		f := readJava(t.Context(), []input{{path: "/A.java", text: []byte("// kafka")}})[0]
		if f.Unread != want {
			t.Errorf("java says %q: unread is %q, want %q", said, f.Unread, want)
		}
	}
}

// TestJavaVersion is that of kafka-clients in the build file beside or above.
func TestJavaVersion(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"a dependency": {"pom.xml", `<project><dependencies><dependency><artifactId>kafka-clients</artifactId><version>3.9.1</version></dependency></dependencies></project>`, "3.9.1"},
		"a property": {"pom.xml", `<project><properties><k>4.0.0</k></properties><dependencyManagement><dependencies><dependency>
			<artifactId>kafka-clients</artifactId><version>${k}</version></dependency></dependencies></dependencyManagement></project>`, "4.0.0"},
		"a property of a parent": {"pom.xml", `<project><dependencies><dependency><artifactId>kafka-clients</artifactId><version>${k}</version></dependency></dependencies></project>`, ""},
		"gradle":                 {"build.gradle.kts", `implementation("org.apache.kafka:kafka-clients:4.1.0")`, "4.1.0"},
		"a variable":             {"build.gradle", `implementation "org.apache.kafka:kafka-clients:$v"`, ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := javaVersion(dir); got != c.want {
			t.Errorf("%s: version is %q, want %q", name, got, c.want)
		}
	}
}
