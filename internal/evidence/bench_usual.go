package evidence

// UsualLoad is the load of a bench of that work where nobody says otherwise: what `kcompare
// bench` and a block of a page have. With two clients such a bench takes about a minute.
func UsualLoad(w BenchWork) BenchLoad {
	l := BenchLoad{Rounds: 10, WarmUp: 2, Records: 500_000, RecordBytes: 100, Partitions: 6}
	switch w {
	case BenchLatency:
		l.Records, l.Rate = 10_000, 5000
	case BenchTransactions, BenchRPW:
		l.Records, l.Transaction = 20_000, 100
	}
	return l
}

// Paced says whether records of the work are due at a rate.
func (w BenchWork) Paced() bool { return w == BenchLatency }

// Transacted says whether the work is done in transactions.
func (w BenchWork) Transacted() bool { return w == BenchTransactions || w == BenchRPW }

// Bounds of a BenchLoad: what `kcompare bench` and a block of a page take. The least is 1 for
// all but WarmUp and Keys, where it is 0, and Rate, which is anything above 0.
const (
	MostRounds      = 1000
	MostWarmUp      = 100
	MostRecords     = 100_000_000
	MostRecordBytes = 1_000_000 // more than that no broker takes unless it is told to
	MostKeys        = 100_000_000
	MostPartitions  = 1000
	MostRate        = 10_000_000
	MostTransaction = 1_000_000
)

// Parts of a load that may be compared as settings of a client are: keys of --compare, spelt
// as settings and not as flags.
const (
	LoadTransaction = "transaction.size"
	LoadRecordBytes = "record.size"
	LoadPartitions  = "partitions"
	LoadRate        = "rate"
)

// LoadKeys are all of them.
func LoadKeys() []string {
	return []string{LoadTransaction, LoadRecordBytes, LoadPartitions, LoadRate}
}

// ValidRate says whether records may be due so often. NaN may not.
func ValidRate(rate float64) bool { return rate > 0 && rate <= MostRate }
