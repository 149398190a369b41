package config

// Version is one version of a library whose settings are known from the library itself:
// a file of versions/, LIBRARY-VERSION.tsv, dumped by it and held to it by a test.
type Version struct {
	Library string // "librdkafka", "franz-go", "kafka-clients", "kafka-python", "aiokafka", "kafka-broker", "kafka-topic"
	Name    string // "2.11.1"
}

// Property is one setting as one version of a library has it, by the library's own name:
// librdkafka's key, kgo's option ("ProducerLinger"), Java's key, a keyword argument.
type Property struct {
	Name    string
	AliasOf string // the name that the library itself prefers; "" for that one
	Applies string // "P" producers, "C" consumers, "A" admin clients, "*" all, or several of P, C, A
	Type    Type
	Range   string // as in Setting; "-" for any
	Min     float64
	Max     float64
	Words   []string
	Default string // "-" where there is none

	// Application says that its value is code of the application: a callback, a class, an
	// object. No file of settings can have it.
	Application bool
}
