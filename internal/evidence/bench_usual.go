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
