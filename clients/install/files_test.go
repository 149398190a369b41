package install

import (
	"slices"
	"strings"
	"testing"

	"kcompare/clients"
)

// TestLocks: each shipped client has its pinned version in its lock file.
func TestLocks(t *testing.T) {
	t.Parallel()
	for _, s := range Catalogue() {
		n, err := Parse(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := n.environment.asked(Cache{Files: clients.Files()}, n)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if !strings.Contains(string(asked), s.Version) {
			t.Errorf("the lock file of %s does not have %s:\n%s", s.Name, s.Version, asked)
		}
		if strings.Contains(string(asked), `"resolved"`) {
			t.Errorf("the lock file of %s has addresses", s.Name)
		}
	}
}

// TestShare: a client gets its own packages with their hashes, and none of another's.
func TestShare(t *testing.T) {
	t.Parallel()
	lock := []byte("# a lock\na==1 \\\n    --hash=sha256:a\nb==2 \\\n    --hash=sha256:b1 \\\n    --hash=sha256:b2\nc==3 \\\n    --hash=sha256:c\n")
	for _, c := range []struct {
		packages  python
		want, err string
	}{
		{packages: python{"b"}, want: "b==2 \\\n    --hash=sha256:b1 \\\n    --hash=sha256:b2\n"},
		{packages: python{"a", "c"}, want: "a==1 \\\n    --hash=sha256:a\nc==3 \\\n    --hash=sha256:c\n"},
		{packages: python{"b", "d"}, err: "the lock file has 1 of b, d"},
	} {
		got, err := c.packages.share(lock)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if string(got) != c.want || said != c.err {
			t.Errorf("%v: %q, %q, expected %q, %q", c.packages, got, said, c.want, c.err)
		}
	}
}

func TestNodes(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][]bool{ // any, new
		"v16.20.0\n": {false, false},
		"v18.0.0\n":  {true, false},
		"v20.20.2\n": {true, false},
		"v22.21.1\n": {true, false},
		"v22.22.0\n": {true, true},
		"v23.11.0\n": {true, false},
		"v24.5.0\n":  {true, false},
		"v24.6.0\n":  {true, true},
		"v26.0.0\n":  {true, true},
		"20.0.0":     {false, false},
	} {
		got := []bool{anyNode.take(said), newNode.take(said)}
		if !slices.Equal(got, want) {
			t.Errorf("%s: taken %v, expected %v", said, got, want)
		}
	}
}

// TestJars: a jar that is another one, that nobody asked for, or that is missing.
func TestJars(t *testing.T) {
	t.Parallel()
	lock := []byte("aa  a.jar\nbb  b.jar\n")
	for _, c := range []struct {
		jars []pkg
		want string
	}{
		{[]pkg{{Name: "a.jar", Hash: "aa"}, {Name: "b.jar", Hash: "bb"}}, ""},
		{[]pkg{{Name: "a.jar", Hash: "aa"}, {Name: "b.jar", Hash: "00"}}, "b.jar has the hash 00, the lock file has bb"},
		{[]pkg{{Name: "a.jar", Hash: "aa"}, {Name: "c.jar", Hash: "cc"}}, "mvn brought c.jar, which the lock file does not have"},
		{[]pkg{{Name: "a.jar", Hash: "aa"}}, "mvn did not bring b.jar"},
	} {
		got := ""
		if err := compareJars(lock, c.jars); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: %q, expected %q", c.jars, got, c.want)
		}
	}
}
