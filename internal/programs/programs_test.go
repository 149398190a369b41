package programs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kcompare/clients"
	"kcompare/clients/install"
	"kcompare/internal/clienttest"
	"kcompare/internal/programs"
	"kcompare/internal/pythontest"
	"kcompare/internal/workbook"
)

func player(t *testing.T, root string) programs.Player {
	t.Helper()
	cache := install.Cache{Dir: filepath.Join(pythontest.Repository(t), ".clients"), Env: os.Environ(), Files: clients.Files()}
	return programs.Player{Cache: cache, Root: root, Limit: time.Minute, Side: 4}
}

// scripts is a course of Python programs, each of a few lines.
func scripts(t *testing.T, files map[string]string) (root string, list []workbook.Program) {
	t.Helper()
	root = t.TempDir()
	for _, name := range []string{"speaks.py", "fails.py", "hangs.py"} {
		text, ok := files[name]
		if !ok {
			continue
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		list = append(list, workbook.Program{Name: strings.TrimSuffix(name, ".py"), Client: "python", File: name, Topics: []string{"orders:2"}})
	}
	return root, list
}

// TestPlay: what a program printed on stdout is kept, whatever becomes of the others, of
// which an error says how each ended.
func TestPlay(t *testing.T) {
	t.Parallel()
	clienttest.Program(t, "python")
	root, list := scripts(t, map[string]string{
		"speaks.py": "import os, sys\n" +
			"from confluent_kafka.admin import AdminClient\n" +
			"print(len(AdminClient({'bootstrap.servers': sys.argv[1]}).list_topics(timeout=5).topics['orders'].partitions))\n" +
			"print(sys.argv[1] == os.environ['BOOTSTRAP_SERVERS'], os.environ['TZ'], os.environ.get('SECRET'), os.listdir(os.environ['HOME']))\n" +
			"print('not kept', file=sys.stderr)\n",
		"fails.py": "print('before')\nraise SystemExit('no money')\n",
	})
	p := player(t, root)
	p.Cache.Env = append(p.Cache.Env, "SECRET=1")
	got := map[string][]string{}
	err := p.Play(t.Context(), list, func(of workbook.Program, lines []string) error {
		got[of.Name] = lines
		return nil
	})
	if diff := cmp.Diff(map[string][]string{"speaks": {"2", "True UTC None []"}}, got); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
	want := "program fails: exit status 1\n    before\n    no money"
	if err == nil || err.Error() != want {
		t.Errorf("error:\n%v\nexpected:\n%s", err, want)
	}
}

// TestHangs: a program that does not end is ended, with what it has started.
func TestHangs(t *testing.T) {
	t.Parallel()
	clienttest.Program(t, "python")
	root, list := scripts(t, map[string]string{"hangs.py": "import subprocess\nsubprocess.run(['sleep', '600'])\n"})
	p := player(t, root)
	p.Limit = time.Second
	err := p.Play(t.Context(), list, func(workbook.Program, []string) error { return nil })
	if want := "program hangs: it did not end within 1s"; err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
}

// TestCompilers: what does not compile is an error with what the compiler said.
func TestCompilers(t *testing.T) {
	t.Parallel()
	clienttest.Program(t, "java")
	for name, tt := range map[string]struct {
		file, text string
		program    workbook.Program
		want       string
	}{
		"go":   {"shop/main.go", "package main\n\nfunc main() { sell() }\n", workbook.Program{Client: "franz", File: "shop"}, "undefined: sell"},
		"java": {"Shop.java", "final class Shop { Price p; }\n", workbook.Program{Client: "java", File: "Shop.java"}, "class Price"},
		"no program of a file": {"shop.mjs", "", workbook.Program{Client: "kafkajs", File: "shop.mjs"},
			"programs of client kafkajs: programs of a file are started for Python and Java: kafkajs is JavaScript"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, tt.file)
			err := os.MkdirAll(filepath.Dir(path), 0o755)
			if err == nil {
				err = os.WriteFile(path, []byte(tt.text), 0o644)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(root, "go.mod"), []byte("module shop\n"), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			err = player(t, root).Play(t.Context(), []workbook.Program{tt.program}, func(workbook.Program, []string) error { return nil })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, expected one with %q", err, tt.want)
			}
		})
	}
}
