package audit_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kcompare/internal/audit"
	"kcompare/internal/evidence"
)

// FuzzAudit doctors an honest world in any way that three bytes a step can say.
func FuzzAudit(f *testing.F) {
	f.Add([]byte{})
	for op := range byte(doctorings) {
		f.Add([]byte{op, 1, 2})
		f.Add([]byte{op, 250, 131, op, 3, 7, op + 1, 9, 200})
	}
	f.Fuzz(func(t *testing.T, steps []byte) {
		w := doctorable()
		for ; len(steps) >= 3; steps = steps[3:] {
			w.doctor(steps[0], steps[1], steps[2])
		}
		checkSane(t, &w.Observed)
	})
}

// The same by chance in every run of the tests, a hundred steps deep.
func TestDoctored(t *testing.T) {
	const seed = 7
	chance := rand.New(rand.NewPCG(seed, seed))
	for range 500 {
		w := doctorable()
		for range chance.IntN(100) {
			w.doctor(byte(chance.IntN(doctorings)), byte(chance.Uint32()), byte(chance.Uint32()))
		}
		checkSane(t, &w.Observed)
		if t.Failed() {
			return
		}
	}
}

// doctorable is a world with all that can be doctored.
func doctorable() *world {
	w := honest(20)
	w.process()
	w.Uncommitted = []evidence.Read{}
	w.readAll()
	return w
}

// checkSane is what holds for every world: the audit comes to an end, to the
// same one each time, its counts agree with its anomalies and with each other,
// and it names nothing that the order of the contract does not know.
func checkSane(t *testing.T, o *evidence.Observed) {
	t.Helper()
	got := audit.Audit(o)
	if diff := cmp.Diff(got, audit.Audit(o)); diff != "" {
		t.Fatalf("a second audit differs (-first +second):\n%s", diff)
	}
	c := got.Counts
	if c[evidence.LogRecords] != c[evidence.Unique]+c[evidence.Duplicates] {
		t.Errorf("%d records in the log, %d unique and %d duplicates", c[evidence.LogRecords], c[evidence.Unique], c[evidence.Duplicates])
	}
	if total := c[evidence.Acked] + c[evidence.FailedRecords] + c[evidence.UnknownRecords]; total < int64(len(o.Sends)) {
		t.Errorf("%d outcomes of %d sends", total, len(o.Sends))
	}
	if c[evidence.Visible] != visible(o.Log) {
		t.Errorf("%d records visible, as package evidence reads the log %d", c[evidence.Visible], visible(o.Log))
	}
	for _, m := range evidence.Metrics() {
		kind, isSum := m.Anomaly()
		if isSum && sum(got.Anomalies, kind) != c[m] {
			t.Errorf("%s is %d, its anomalies add up to %d", m, c[m], sum(got.Anomalies, kind))
		}
	}
	for _, a := range got.Anomalies {
		if a.Count <= 0 || a.First == "" || a.Cause == "" {
			t.Errorf("anomaly says nothing: %+v", a)
		}
	}
}

// visible counts what a read_committed reader gets of the trial's own records.
func visible(log evidence.Log) (n int64) {
	for _, p := range log.Partitions {
		for i, fate := range p.Fates() {
			if fate == evidence.FateVisible && p.Batches[i].LastOffset >= p.Before {
				n += int64(len(p.Batches[i].Records))
			}
		}
	}
	return n
}

func sum(anomalies []evidence.Anomaly, kind evidence.AnomalyKind) (n int64) {
	for _, a := range anomalies {
		if a.Kind == kind {
			n += a.Count
		}
	}
	return n
}

const doctorings = 30

// doctor changes one thing, somewhere; many of the worlds that come of it are
// impossible.
func (w *world) doctor(op, where, how byte) {
	s := &w.Sends[int(where)%len(w.Sends)]
	e := &w.Trace.Exchanges[int(where)%len(w.Trace.Exchanges)]
	r := &w.Reads[int(where)%len(w.Reads)]
	p := &w.Log.Partitions[int(how)%len(w.Log.Partitions)]
	switch op % doctorings {
	case 0:
		s.Offset += int64(how) - 128
	case 1:
		s.Partition = int32(how) - 1
	case 2:
		s.Outcome = []evidence.Outcome{evidence.OutcomeAcked, evidence.OutcomeFailed, evidence.OutcomeUnknown}[how%3]
	case 3:
		s.Send.Ordinal, s.ID.N = int(how)-3, int(how)%5
	case 4:
		s.Send.Instance = int(how) - 128
	case 5:
		w.Sends = append(w.Sends, *s)
	case 6:
		e.Forwarded, e.Answered, e.Delivered = how&1 > 0, how&2 > 0, how&4 > 0
	case 7:
		e.Batches = append(e.Batches, evidence.TraceBatch{Topic: payments, Partition: int32(how%4) - 1, ProducerID: int64(how) - 5, Records: int32(how) - 9})
	case 8:
		*e = evidence.Exchange{API: "Produce", Batches: e.Batches}
	case 9:
		r.Offset += int64(how) - 128
	case 10:
		w.Reads = append(w.Reads, *r)
	case 11:
		r.Topic, r.Partition = refunds, int32(how)
	case 12:
		p.After += int64(how) - 128
	case 13:
		p.Before += int64(how) - 128
	case 14, 15, 16, 17, 18, 19:
		doctorBatch(p, op%doctorings, where, how)
	default:
		w.doctorStory(s, op%doctorings, where, how)
	}
}

func (w *world) doctorStory(s *evidence.Send, op, where, how byte) {
	t := &w.Transactions[int(where)%len(w.Transactions)]
	in := &w.Processing.Inputs[int(where)%len(w.Processing.Inputs)]
	switch op {
	case 20:
		s.Transaction, s.Fenced = int(how)%8, how%2 == 0
	case 21:
		t.N, t.Fenced = int(how)%8, how%2 == 0
	case 22:
		t.Outcome = []evidence.TransactionOutcome{evidence.TransactionCommitted, evidence.TransactionAborted, evidence.TransactionUnknown}[how%3]
	case 23:
		in.ID.N, in.Valid = int(how)%8, how%2 == 0
	case 24:
		w.Processing.Outputs = append(w.Processing.Outputs, []string{payments, processed, "nowhere"}[how%3])
	case 25:
		w.Uncommitted = append(w.Uncommitted, w.Uncommitted[int(where)%len(w.Uncommitted)])
	case 26:
		w.Uncommitted = slices.Delete(w.Uncommitted, 0, int(how)%2)
	case 27:
		w.Transactions = append(w.Transactions, *t)
	case 28:
		t.Asked = []evidence.End{"", evidence.AskedCommit, evidence.AskedAbort}[how%3]
	case 29:
		w.Standing = append(w.Standing, evidence.Standing{Topic: []string{processed, events}[how%2], Stable: int64(where) % 16, End: int64(how) % 16})
	}
}

func doctorBatch(p *evidence.PartitionLog, op, where, how byte) {
	b := &p.Batches[int(where)%len(p.Batches)]
	switch op {
	case 14:
		b.BaseOffset += int64(how) - 128
	case 15:
		b.LastOffset += int64(how) - 128
	case 16:
		b.Control = []string{"", evidence.Commit, evidence.Abort, "other"}[how%4]
	case 17:
		b.ProducerID, b.BaseSequence, b.Transactional = int64(how)-128, int32(how)-128, how%2 == 0
	case 18:
		p.Batches = append(p.Batches, *b)
	case 19:
		b.Records = append(b.Records, evidence.LogRecord{
			Offset: int64(how), Foreign: how%2 == 0, Send: evidence.SendID{Instance: firstInstance, Ordinal: int(where)},
		})
	}
}
