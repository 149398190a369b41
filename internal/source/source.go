// Package source finds Kafka configuration in files, whatever they are written in, and
// what the code around it does. It judges nothing: package lint does.
//
// Each language is read by a parser that knows it (Python by its own ast, Java by the
// compiler's tree, Go by go/parser), never by patterns over lines.
package source

// Language is what a file, or a fenced block of one, is written in.
type Language string

// The languages.
const (
	Python     Language = "python"
	Go         Language = "go"
	Java       Language = "java"
	Properties Language = "properties"
	YAML       Language = "yaml"
	JSON       Language = "json"
	Markdown   Language = "markdown" // its blocks are of the other languages
)

// Pos is a place in a file; both count from 1, columns in characters.
type Pos struct{ Line, Column int }

// File is what one file says. A file without anything about Kafka has no more than
// its path and language.
type File struct {
	Path     string // as it was given
	Language Language
	Blocks   []Block
	Facts    []Fact
	Words    []Word   // inline code of prose; markdown only
	Ignores  []Ignore // comments that ask lint to be silent

	// Unread is why the file, or a part of it, could not be looked at: no python3, no JDK,
	// a syntax error with its place. "" where all of it was.
	Unread string

	// Mistakes are where a text of Go, Python or Java is no text of its language: the
	// first place of each text. Unread tells of them too.
	Mistakes []Mistake `json:",omitempty"`

	// Unchecked is Unread of a page without what Mistakes tell of: listings in it that this
	// machine cannot read.
	Unchecked string `json:",omitempty"`
}

// Mistake is a syntax error.
type Mistake struct {
	Language Language
	At       Pos
	Message  string // what the parser says, "expected ';', found foo"
}

// Block is settings that go to one client: a dict given to Producer(...), a ConfigMap,
// the options of kgo.NewClient, a Properties object, a whole .properties file. Merged
// dicts and constants are followed, so an entry may stand far from the block, and in
// several blocks.
type Block struct {
	// Client is whose settings they are, by the names of docs/contract.md: "python",
	// "librdkafka" (confluent-kafka-go), "franz", "java", "kafka-python", "aiokafka". Also
	// "broker" (server.properties), "topic" (settings at a topic's creation) and "connect"
	// (a worker or connector of Kafka Connect). "" where nothing says so.
	Client string

	// Version is the exact version of what Client is built on, as far as files beside it
	// say: that of librdkafka for python and librdkafka. "" where nothing says so.
	Version string

	Role    Role
	Class   string // what takes them, as written there: "Producer", "AIOKafkaConsumer", "NewGroupTransactSession"; "" where nothing does
	At      Pos    // where the block begins
	Entries []Entry

	// Open says that there may be more entries, which nobody can read from the text:
	// {**given, ...}, a variable that a caller fills.
	Open bool
}

// Role is what kind of client a block is for.
type Role string

// The roles. AnyRole is a block that is not given to anything, and whose keys do not tell.
const (
	AnyRole  Role = ""
	Producer Role = "producer"
	Consumer Role = "consumer"
	Admin    Role = "admin"
)

// Entry is one setting as it was written.
type Entry struct {
	// Path is the file that the entry stands in, where that is another one than the
	// block's: a constant that is imported. "" where it is the same. All places of the
	// entry are in it.
	Path string

	Key   string // as written: "linger.ms", "linger_ms", "ProducerLinger", ProducerConfig.LINGER_MS_CONFIG's value
	KeyAt Pos
	Value Value

	// Canonical is the name of package config with the value in its spelling and unit,
	// where Key is of a language that has names of its own (kgo options, keyword
	// arguments). Both are empty where Key is a key as libraries know them, or has no
	// canonical counterpart.
	Canonical      string
	CanonicalValue string

	// Maybe says that the entry, or another value of it, is set under a condition, which
	// may be one about the kind of client.
	Maybe bool
}

// Kind is what a value is.
type Kind string

// The kinds. Computed is an expression whose value no reader can know; Code is
// application code: a function, a callback, an object.
const (
	Text     Kind = "text"
	Number   Kind = "number"
	Truth    Kind = "truth"
	Null     Kind = "null"
	Computed Kind = "computed"
	Code     Kind = "code"
)

// Value is the value of a setting. Text is what the library gets: "true" for Python's
// True, blanks at the end and all for .properties; empty where Kind is Computed or Code.
type Value struct {
	Kind   Kind
	Text   string
	Source string // as written
	At     Pos

	// Changing are the calls within a Computed value that give another result at each
	// start of the program: "uuid.uuid4", "os.getpid". Their places are At.
	Changing []string
}

// Fact is something that code around settings does, or a form of writing, which matters
// to a guarantee. Rule is the name under which package lint judges it ("offset-not-next",
// "no-such-member"); About is the setting or name that it is about, and Args what its
// message needs beside that.
type Fact struct {
	Rule  string
	At    Pos
	About string
	Args  map[string]string
}

// Word is inline code in prose.
type Word struct {
	Text string
	At   Pos
}

// Ignore is a comment `kcompare:ignore RULE reason`. It speaks for its own line, or for
// the next one with anything on it where it stands alone.
type Ignore struct {
	Rule   string
	Reason string // "" is a finding of its own: an ignore says why
	At     Pos
	Line   int // the line it speaks for
}
