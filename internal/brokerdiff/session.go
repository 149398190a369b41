package brokerdiff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kcompare/internal/batch"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
)

// patience bounds one situation; those that wait until an id expires take 10 s.
const patience = 30 * time.Second

// pause is how long a session waits before it asks the same again.
const pause = 5 * time.Millisecond

// session is one situation being played. The first error stays: after it every
// method does nothing, and what was told counts for nothing, so that a situation
// reads as what it asks.
type session struct {
	ctx    context.Context // of this one situation, which is over when play returns
	conn   *conn
	reader *broker.Reader
	name   string // what topics, groups and ids begin with
	topics int
	told   []string
	err    error
}

// tell puts an answer on the page.
func (s *session) tell(what, answer string) {
	s.told = append(s.told, what+": "+answer)
}

// fail ends the situation.
func (s *session) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// must ends the situation unless a step that prepares a question went well.
func (s *session) must(step string, code int16) {
	if err := kerr.ErrorForCode(code); err != nil {
		s.fail(fmt.Errorf("%s: %w", step, err))
	}
}

// topic is a topic of one partition. The log is told without the name.
type topic struct {
	name string
	id   [16]byte
}

func (s *session) newTopic() topic { return s.newTopicWith(nil) }

// newTopicWith waits for the leader: Kafka names it in its metadata a moment before
// it takes requests.
func (s *session) newTopicWith(config map[string]string) topic {
	if s.err != nil {
		return topic{}
	}
	s.topics++
	t := topic{name: fmt.Sprintf("%s-%d", s.name, s.topics)}
	ids, err := s.reader.CreateTopics(s.ctx, []broker.Topic{{Name: t.name, Partitions: 1, Config: config}})
	if err != nil {
		s.fail(err)
	}
	t.id = ids[t.name]
	s.until("the leader leads", func() bool { n, _ := s.endOffset(t, readUncommitted); return n == 0 })
	return t
}

// ask is the answer to a request, an empty one after an error.
func ask[R kmsg.Response](s *session, version int16, req kmsg.Request) R {
	resp := req.ResponseKind()
	if s.err == nil {
		req.SetVersion(version)
		answer, err := s.conn.ask(req)
		if err == nil {
			return answer.(R)
		}
		s.fail(err)
	}
	return resp.(R)
}

// only is the one element of an answer, the zero value after an error. An answer
// that has another number of them must not pass for one without an error.
func only[T any](s *session, what string, all []T) T {
	if s.err == nil && len(all) != 1 {
		s.fail(fmt.Errorf("the answer has %d %s: expected one", len(all), what))
	}
	if s.err != nil {
		var none T
		return none
	}
	return all[0]
}

// until asks again for as long as the answer is "not now": which attempt succeeds is a
// matter of time, and time is not told.
func (s *session) until(what string, ready func() bool) {
	for s.err == nil && !ready() {
		select {
		case <-s.ctx.Done():
			s.fail(fmt.Errorf("waited %v until %s", patience, what))
		case <-time.After(pause):
		}
	}
}

// notNow says whether a code is cured by asking again, and is nothing but a sign that
// something else has not ended yet.
func notNow(code int16) bool {
	return slices.Contains([]int16{
		kerr.ConcurrentTransactions.Code, kerr.CoordinatorLoadInProgress.Code,
		kerr.CoordinatorNotAvailable.Code, kerr.NotCoordinator.Code,
	}, code)
}

// log is what stands in a topic when no transaction is open: the keys of data
// records and the markers, in order.
func (s *session) log(t topic) string {
	var all []string
	for _, b := range s.logged(t) {
		all = append(all, contents(b)...)
	}
	return list(all)
}

// logged waits until the last stable offset has reached the end offset.
func (s *session) logged(t topic) []evidence.Batch {
	if s.err != nil {
		return nil
	}
	log, err := s.reader.ReadLog(s.ctx, []string{t.name}, nil)
	if err != nil {
		s.fail(err)
		return nil
	}
	return log.Partitions[0].Batches
}

// lastEpoch is that of the last batch, a marker for one.
func (s *session) lastEpoch(t topic) int16 {
	batches := s.logged(t)
	if len(batches) == 0 {
		return -1
	}
	return batches[len(batches)-1].ProducerEpoch
}

// batches is what a Fetch brought.
func (s *session) batches(raw []byte) string {
	var all []string
	_, err := batch.NewParser().Parse(raw, func(b evidence.Batch) error {
		all = append(all, contents(b)...)
		return nil
	})
	if err != nil {
		s.fail(err)
	}
	return list(all)
}

func contents(b evidence.Batch) []string {
	if b.Control != "" {
		return []string{strings.ToUpper(b.Control)}
	}
	var keys []string
	for _, r := range b.Records {
		keys = append(keys, r.Key)
	}
	return keys
}

func list(all []string) string {
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, " ")
}

// code is "ok" or "PRODUCER_FENCED (90)".
func code(n int16) string {
	err := kerr.ErrorForCode(n)
	var named *kerr.Error
	if errors.As(err, &named) {
		return fmt.Sprintf("%s (%d)", named.Message, n)
	}
	return "ok"
}
