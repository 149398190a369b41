package source

// pythonQuestion is a text on its way to the helper.
type pythonQuestion struct {
	Path      string            `json:"path"`
	Text      string            `json:"text"`
	FirstLine int               `json:"firstLine"`
	Unfenced  bool              `json:"unfenced"`
	Versions  map[string]string `json:"versions"` // of what each client is built on
	Package   string            `json:"package"`  // version of confluent-kafka itself
}

// pythonAnswer is what the helper found in one text.
type pythonAnswer struct {
	Blocks  []pythonBlock  `json:"blocks"`
	Facts   []pythonFact   `json:"facts"`
	Ignores []pythonIgnore `json:"ignores"`
	Unread  string         `json:"unread"`
	Mistake *pythonMistake `json:"mistake"` // absent where it is Python
}

type pythonMistake struct {
	At      pythonPos `json:"at"`
	Message string    `json:"message"`
}

type pythonPos [2]int

func (p pythonPos) pos() Pos { return Pos{Line: p[0], Column: p[1]} }

type pythonBlock struct {
	Client  string        `json:"client"`
	Version string        `json:"version"`
	Role    Role          `json:"role"`
	Class   string        `json:"class"`
	At      pythonPos     `json:"at"`
	Open    bool          `json:"open"`
	Entries []pythonEntry `json:"entries"`
}

type pythonEntry struct {
	Path     string    `json:"path"`
	Key      string    `json:"key"`
	KeyAt    pythonPos `json:"keyAt"`
	Kind     Kind      `json:"kind"`
	Text     string    `json:"text"`
	Source   string    `json:"source"`
	At       pythonPos `json:"at"`
	Changing []string  `json:"changing"`
	Maybe    bool      `json:"maybe"`
}

type pythonFact struct {
	Rule  string            `json:"rule"`
	At    pythonPos         `json:"at"`
	About string            `json:"about"`
	Args  map[string]string `json:"args"`
}

type pythonIgnore struct {
	Comment string    `json:"comment"`
	At      pythonPos `json:"at"`
	Line    int       `json:"line"` // that it speaks for
}

func (a pythonAnswer) fill(f *File) {
	f.Unread = a.Unread
	if a.Mistake != nil {
		f.Mistakes = append(f.Mistakes, Mistake{Python, a.Mistake.At.pos(), a.Mistake.Message})
	}
	for _, b := range a.Blocks {
		f.Blocks = append(f.Blocks, b.block())
	}
	for _, x := range a.Facts {
		f.Facts = append(f.Facts, Fact{Rule: x.Rule, At: x.At.pos(), About: x.About, Args: x.Args})
	}
	for _, i := range a.Ignores {
		if ignore, ok := parseIgnore(i.Comment, i.At.pos()); ok {
			ignore.Line = i.Line
			f.Ignores = append(f.Ignores, ignore)
		}
	}
}

func (b pythonBlock) block() Block {
	made := Block{Client: b.Client, Version: b.Version, Role: b.Role, Class: b.Class, At: b.At.pos(), Open: b.Open}
	for _, e := range b.Entries {
		made.Entries = append(made.Entries, e.entry(b.Client))
	}
	return made
}

func (e pythonEntry) entry(client string) Entry {
	made := Entry{
		Path: e.Path, Key: e.Key, KeyAt: e.KeyAt.pos(), Maybe: e.Maybe,
		Value: Value{Kind: e.Kind, Text: e.Text, Source: e.Source, At: e.At.pos(), Changing: e.Changing},
	}
	if client == "kafka-python" || client == "aiokafka" {
		made.Canonical, made.CanonicalValue = keywordSetting(client, e.Key, made.Value)
	}
	return made
}
