package convert

// Code that some options need beside them. Each is written once into a file that uses it.

// goPartitioners is the partitioner of librdkafka by its name. An empty key is none to
// it, or a missing one is empty, where kgo's own know neither (rdkafka_msg.c,
// rd_kafka_msg_partitioner_*).
var goPartitioners = map[string]string{
	"consistent_random": "keyed{kgo.StickyKeyPartitioner(kgo.SaramaHasher(crc32.ChecksumIEEE)), emptyIsNone}",
	"consistent":        "keyed{kgo.StickyKeyPartitioner(kgo.SaramaHasher(crc32.ChecksumIEEE)), noneIsEmpty}",
	"murmur2_random":    "kgo.StickyKeyPartitioner(nil)",
	"murmur2":           "keyed{kgo.StickyKeyPartitioner(nil), noneIsEmpty}",
	"fnv1a_random":      "kgo.StickyKeyPartitioner(kgo.SaramaCompatHasher(fnv1a))",
	"fnv1a":             "keyed{kgo.StickyKeyPartitioner(kgo.SaramaCompatHasher(fnv1a)), noneIsEmpty}",
	"random":            "kgo.StickyPartitioner()",
}

// snippet is a declaration and the name whose use asks for it.
type snippet struct{ name, code string }

// snippets stand in the order in which they are written; what uses another one is
// before it.
var snippets = []snippet{
	{"keyed", `
// keyed gives a partitioner of kgo the key that librdkafka's would see.
type keyed struct {
	kgo.Partitioner
	seen func(*kgo.Record) *kgo.Record
}

func (k keyed) ForTopic(topic string) kgo.TopicPartitioner {
	return keyedTopic{k.Partitioner.ForTopic(topic), k.seen}
}

type keyedTopic struct {
	kgo.TopicPartitioner
	seen func(*kgo.Record) *kgo.Record
}

func (k keyedTopic) RequiresConsistency(r *kgo.Record) bool {
	return k.TopicPartitioner.RequiresConsistency(k.seen(r))
}

func (k keyedTopic) Partition(r *kgo.Record, n int) int {
	return k.TopicPartitioner.Partition(k.seen(r), n)
}

func (k keyedTopic) OnNewBatch() {
	if sticky, ok := k.TopicPartitioner.(kgo.TopicPartitionerOnNewBatch); ok {
		sticky.OnNewBatch()
	}
}
`},
	{"emptyIsNone", `
// emptyIsNone: a record with an empty key goes anywhere, as one without a key does.
func emptyIsNone(r *kgo.Record) *kgo.Record {
	if len(r.Key) > 0 {
		return r
	}
	return &kgo.Record{}
}
`},
	{"noneIsEmpty", `
// noneIsEmpty: records without a key go where those with an empty one go.
func noneIsEmpty(r *kgo.Record) *kgo.Record {
	if len(r.Key) > 0 {
		return r
	}
	return &kgo.Record{Key: []byte{}}
}
`},
	{"fnv1a", `
func fnv1a(key []byte) uint32 {
	h := fnv.New32a()
	h.Write(key)
	return h.Sum32()
}
`},
	{"doubling", `
// doubling is a backoff that doubles from the first to the greatest.
func doubling(first, most time.Duration) func(int) time.Duration {
	return func(fails int) time.Duration {
		d := first
		for ; fails > 1 && d < most; fails-- {
			d *= 2
		}
		return min(d, most)
	}
}
`},
	{"verifyChain", `
// verifyChain checks a server's certificate without its name.
func verifyChain(roots *x509.CertPool) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		between := x509.NewCertPool()
		for _, c := range s.PeerCertificates[1:] {
			between.AddCert(c)
		}
		_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
		return err
	}
}
`},
}
