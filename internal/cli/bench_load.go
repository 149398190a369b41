package cli

import (
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"kcompare/internal/evidence"
)

// loadFlags have the defaults of produce; setLoad puts those of another work in their place.
func (o *benchOptions) loadFlags(f *pflag.FlagSet) {
	l, usual := &o.load, evidence.UsualLoad(evidence.BenchProduce)
	f.IntVar(&l.Rounds, "rounds", usual.Rounds, "rounds that count, of each client")
	f.IntVar(&l.WarmUp, "warmup", usual.WarmUp, "rounds before them, which do not count")
	f.Int64Var(&l.Records, "records", usual.Records, "records of a round (10000 by default of latency, 20000 of transactions and rpw)")
	f.IntVar(&l.RecordBytes, "record-size", usual.RecordBytes, "bytes of a value")
	f.Int64Var(&l.Keys, "keys", usual.Keys, "different keys of records; 0: they have none")
	f.Int32Var(&l.Partitions, "partitions", usual.Partitions, "of each topic")
	f.Float64Var(&l.Rate, "rate", evidence.UsualLoad(evidence.BenchLatency).Rate, "records a second, of latency")
	f.Int64Var(&l.Transaction, "transaction", evidence.UsualLoad(evidence.BenchRPW).Transaction, "records of a transaction, of transactions and rpw")
}

// setLoad checks the load, and takes out of it what the work does not have.
func (o *benchOptions) setLoad() error {
	if !o.given("records") {
		o.load.Records = evidence.UsualLoad(o.work).Records
	}
	if err := checkLoad(o.load); err != nil {
		return err
	}
	if !o.work.Paced() {
		if o.given("rate") {
			return usagef("--rate: only latency has one")
		}
		o.load.Rate = 0
	}
	if !o.work.Transacted() {
		if o.given("transaction") {
			return usagef("--transaction: only transactions and rpw have them")
		}
		o.load.Transaction = 0
	}
	return nil
}

// checkLoad looks at the flags one by one. What a work does not have keeps its default, which
// is right.
func checkLoad(l evidence.BenchLoad) error {
	for _, part := range []struct {
		flag               string
		value, least, most int64
	}{
		{"rounds", int64(l.Rounds), 1, evidence.MostRounds},
		{"warmup", int64(l.WarmUp), 0, evidence.MostWarmUp},
		{"records", l.Records, 1, evidence.MostRecords},
		{"keys", l.Keys, 0, evidence.MostKeys},
		{"record-size", int64(l.RecordBytes), 1, evidence.MostRecordBytes},
		{"partitions", int64(l.Partitions), 1, evidence.MostPartitions},
		{"transaction", l.Transaction, 1, evidence.MostTransaction},
	} {
		if part.value < part.least || part.value > part.most {
			return usagef("--%s=%d: expected %d to %d", part.flag, part.value, part.least, part.most)
		}
	}
	if !evidence.ValidRate(l.Rate) {
		return usagef("--rate=%v: expected more than 0, and %d at most", l.Rate, evidence.MostRate)
	}
	return nil
}

// loadWith is the load of a contestant whose value of a load's key is that. The error is the
// user's.
func (o *benchOptions) loadWith(key, value string) (*evidence.BenchLoad, error) {
	l := o.load
	wrong := func(expected string) (*evidence.BenchLoad, error) {
		return nil, usagef("--compare %s=%s: expected %s", key, value, expected)
	}
	if key == evidence.LoadRate {
		rate, err := strconv.ParseFloat(value, 64)
		if err != nil || !evidence.ValidRate(rate) {
			return wrong("records a second, such as 5000")
		}
		l.Rate = rate
		return &l, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	most := map[string]int64{
		evidence.LoadTransaction: evidence.MostTransaction, evidence.LoadRecordBytes: evidence.MostRecordBytes,
		evidence.LoadPartitions: evidence.MostPartitions,
	}[key]
	if err != nil || n < 1 || n > most {
		return wrong("1 to " + strconv.FormatInt(most, 10))
	}
	switch key {
	case evidence.LoadTransaction:
		l.Transaction = n
	case evidence.LoadRecordBytes:
		l.RecordBytes = int(n)
	case evidence.LoadPartitions:
		l.Partitions = int32(n)
	}
	return &l, nil
}

// checkLoadKey refuses to compare what the work does not have, or what a flag has set.
func (o *benchOptions) checkLoadKey(key string) error {
	flag := map[string]string{
		evidence.LoadTransaction: "transaction", evidence.LoadRecordBytes: "record-size",
		evidence.LoadPartitions: "partitions", evidence.LoadRate: "rate",
	}[key]
	switch {
	case key == evidence.LoadRate && !o.work.Paced():
		return usagef("--compare %s: only latency has one", key)
	case key == evidence.LoadTransaction && !o.work.Transacted():
		return usagef("--compare %s: only transactions and rpw have them", key)
	case o.given(flag):
		return usagef("--compare %s and --%s: give one of them", key, flag)
	}
	return nil
}

func isLoadKey(key string) bool { return slices.Contains(evidence.LoadKeys(), key) }
