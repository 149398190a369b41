package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"kcompare/internal/source"
)

// BenchmarkLint1000 is a project of 1,000 files: "mixed" has 400 in Python, 200 in Go, 400
// of data and prose, "with Java" 100 of Java for as many of Python; every second file has
// nothing to do with Kafka. The others are of one language, and all of them about Kafka.
func BenchmarkLint1000(b *testing.B) {
	mixed := mixed(b)
	for name, samples := range map[string][]sample{
		"mixed":      mixed,
		"with Java":  append([]sample{read(b, "java/Transactions.java"), {"Other.java", []byte("class Other { int f() { return 1; } }\n")}}, mixed[2:]...),
		"Python":     {read(b, "cases/a01_timeouts.py"), read(b, "cases/a09_fine.py"), read(b, "fine/python/outbox.py"), read(b, "fine/python/from_env.py")},
		"Go":         {read(b, "cases/b08_session.go"), read(b, "fine/go/kgo_env.go"), read(b, "fine/go/confluent_env.go")},
		"properties": {read(b, "fine/producer.properties"), read(b, "fine/quarkus.properties"), read(b, "cases/a06_blanks.properties")},
	} {
		b.Run(name, func(b *testing.B) { benchmark(b, samples) })
	}
}

func benchmark(b *testing.B, samples []sample) {
	folder := b.TempDir()
	for i := range 1000 {
		s := samples[i%len(samples)]
		if err := os.MkdirAll(filepath.Join(folder, fmt.Sprint(i)), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i), s.name), s.text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for range b.N {
		files, err := source.Read(b.Context(), source.Options{}, folder)
		if err != nil || len(files) != 1000 {
			b.Fatal(len(files), err)
		}
		b.ReportMetric(float64(len(Lint(files))), "findings")
	}
}

type sample struct {
	name string
	text []byte
}

func read(b *testing.B, name string) sample {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		b.Fatal(err)
	}
	return sample{filepath.Base(name), text}
}

// mixed are twenty files.
func mixed(b *testing.B) []sample {
	names := []string{
		"cases/a01_timeouts.py", "cases/a05_java_keys.py", "cases/a09_fine.py", "cases/d06_offset.py",
		"cases/a02_alias.go", "cases/b08_session.go",
		"fine/application.yaml", "fine/producer.properties", "fine/settings.json", "fine/page.md",
	}
	var all []sample
	for _, name := range names {
		all = append(all, read(b, name), sample{"other" + filepath.Ext(name), other(filepath.Ext(name))})
	}
	return all
}

// other is a file that has nothing to do with Kafka.
func other(ext string) []byte {
	text := map[string]string{".py": "import os\n\ndef f(x):\n    return os.path.join(x, 'y')\n", ".go": "package main\n\nfunc f(x int) int { return x + 1 }\n",
		".yaml": "a: {b: [1, 2, 3]}\n", ".json": `{"a": {"b": [1, 2, 3]}}`, ".properties": "a.b=1\n", ".md": "# Page\n\nSome `code`.\n"}[ext]
	return []byte(text)
}
