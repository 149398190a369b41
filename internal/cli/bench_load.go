package cli

import (
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"kcompare/internal/evidence"
)

// The keys of --compare that are no settings of a client, but of the load. They are spelt
// like the flags, but as settings are.
const (
	keyTransaction = "transaction.size"
	keyRecordBytes = "record.size"
	keyPartitions  = "partitions"
	keyRate        = "rate"
)

func loadKeys() []string { return []string{keyTransaction, keyRecordBytes, keyPartitions, keyRate} }

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
	switch {
	case l.Rounds < 1 || l.Rounds > 1000:
		return usagef("--rounds=%d: expected 1 to 1000", l.Rounds)
	case l.WarmUp < 0 || l.WarmUp > 100:
		return usagef("--warmup=%d: expected 0 to 100", l.WarmUp)
	case l.Records < 1 || l.Records > 100_000_000:
		return usagef("--records=%d: expected 1 to 100000000", l.Records)
	case l.Keys < 0 || l.Keys > 100_000_000:
		return usagef("--keys=%d: expected 0 to 100000000", l.Keys)
	case l.RecordBytes < 1 || l.RecordBytes > mostRecordBytes:
		return usagef("--record-size=%d: expected 1 to %d", l.RecordBytes, mostRecordBytes)
	case l.Partitions < 1 || l.Partitions > mostPartitions:
		return usagef("--partitions=%d: expected 1 to %d", l.Partitions, mostPartitions)
	case !(l.Rate > 0 && l.Rate <= mostRate): // NaN too
		return usagef("--rate=%v: expected more than 0, and %v at most", l.Rate, mostRate)
	case l.Transaction < 1 || l.Transaction > mostTransaction:
		return usagef("--transaction=%d: expected 1 to %d", l.Transaction, mostTransaction)
	}
	return nil
}

const (
	mostRecordBytes = 1_000_000 // more than that no broker takes unless it is told to
	mostPartitions  = 1000
	mostRate        = 10_000_000
	mostTransaction = 1_000_000
)

// loadWith is the load of a contestant whose value of a load's key is that. The error is the
// user's.
func (o *benchOptions) loadWith(key, value string) (*evidence.BenchLoad, error) {
	l := o.load
	wrong := func(expected string) (*evidence.BenchLoad, error) {
		return nil, usagef("--compare %s=%s: expected %s", key, value, expected)
	}
	if key == keyRate {
		rate, err := strconv.ParseFloat(value, 64)
		if err != nil || !(rate > 0 && rate <= mostRate) {
			return wrong("records a second, such as 5000")
		}
		l.Rate = rate
		return &l, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	most := map[string]int64{keyTransaction: mostTransaction, keyRecordBytes: mostRecordBytes, keyPartitions: mostPartitions}[key]
	if err != nil || n < 1 || n > most {
		return wrong("1 to " + strconv.FormatInt(most, 10))
	}
	switch key {
	case keyTransaction:
		l.Transaction = n
	case keyRecordBytes:
		l.RecordBytes = int(n)
	case keyPartitions:
		l.Partitions = int32(n)
	}
	return &l, nil
}

// checkLoadKey refuses to compare what the work does not have, or what a flag has set.
func (o *benchOptions) checkLoadKey(key string) error {
	flag := map[string]string{keyTransaction: "transaction", keyRecordBytes: "record-size", keyPartitions: "partitions", keyRate: "rate"}[key]
	switch {
	case key == keyRate && !o.work.Paced():
		return usagef("--compare %s: only latency has one", key)
	case key == keyTransaction && !o.work.Transacted():
		return usagef("--compare %s: only transactions and rpw have them", key)
	case o.given(flag):
		return usagef("--compare %s and --%s: give one of them", key, flag)
	}
	return nil
}

func isLoadKey(key string) bool { return slices.Contains(loadKeys(), key) }
