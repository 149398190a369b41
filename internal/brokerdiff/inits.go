package brokerdiff

import (
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// noExpiry is why no scenario of the core meets these differences.
const noExpiry = "An id expires after a week."

// inits is InitProducerId. Kafka: TransactionCoordinator.scala,
// handleInitProducerId; kfake: txns.go, doInitProducerID.
func inits() []Situation {
	return []Situation{
		{
			ID: "init-empty-id", Asks: "InitProducerId with an empty transactional.id",
			play: initEmptyID,
		},
		{
			ID: "init-timeout", Asks: "InitProducerId with a transaction.timeout.ms above the limit of 15 minutes",
			play: func(s *session) { s.initWithin(900_001) },
		},
		{
			ID: "init-timeout-zero", Asks: "InitProducerId with a transaction.timeout.ms of 0",
			play: func(s *session) { s.initWithin(0) },
		},
		{
			ID: "init-again", Asks: "a new instance with the same transactional.id begins, no transaction is open",
			play: initAgain,
		},
		{
			ID: "init-over-open", Asks: "a new instance with the same transactional.id begins while a transaction of the old one is open",
			Means: "A new instance asks once here and several times on Kafka, after a pause of its own each time. How many epochs pass differs.",
			play:  initOverOpen,
		},
		{
			ID: "init-own-epoch", Asks: "InitProducerId v4 with the own id and epoch (KIP-360)",
			play: func(s *session) { s.initFrom(false, 0) },
		},
		{
			ID: "init-own-epoch-open", Asks: "InitProducerId v4 with the own id and epoch while the own transaction is open",
			play: func(s *session) { s.initFrom(true, 0) },
		},
		{
			ID: "init-old-epoch", Asks: "InitProducerId v4 with an epoch that two newer instances have outdated",
			Means: "**An old instance comes back to life here and locks the new one out.** Kafka fences it.",
			Aside: "No old instance of the core asks for an epoch again.",
			play:  initOldEpoch,
		},
		{
			ID: "init-epoch-ahead", Asks: "InitProducerId v4 with an epoch that nobody handed out yet",
			play: func(s *session) { s.initFrom(false, 5) },
		},
		{
			ID: "init-other-id", Asks: "InitProducerId v4 with a producer id that belongs to nobody",
			Means: "The code of a broken client differs.",
			Aside: "No library does that.",
			play:  initOtherID,
		},
		{
			ID: "init-idempotent", Asks: "two InitProducerId without a transactional.id",
			play: initIdempotent,
		},
		{
			ID: "expired-write", Asks: "a transactional.id was not used for transactional.id.expiration.ms; Produce v13",
			Means: "franz-go and Java are told of another error, and to Java it is one that an abort cures.",
			Aside: noExpiry,
			play: func(s *session) {
				p := s.expired()
				s.tell("Produce", s.produce(produceNew, s.newTopic(), p, 0, "a").String())
			},
		},
		{
			ID: "expired-init", Asks: "a transactional.id was not used for transactional.id.expiration.ms; InitProducerId v4 with the old id and epoch",
			Means: "librdkafka recovers on Kafka. Here it asks again and again until its abort times out.",
			Aside: noExpiry,
			play: func(s *session) {
				p := s.expired()
				next, n := s.initUntil(initOld, p, longTimeout)
				s.tell("InitProducerId", initTold(p, next, n))
			},
		},
		{
			ID: "expired-commit", Asks: "a transactional.id was not used for transactional.id.expiration.ms; EndTxn v5 commit",
			play: func(s *session) {
				_, n := s.end(endNew, s.expired(), commit)
				s.tell("EndTxn", code(n))
			},
		},
	}
}

func initEmptyID(s *session) {
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionalID, req.TransactionTimeoutMillis = kmsg.StringPtr(""), longTimeout
	s.tell("InitProducerId", code(ask[*kmsg.InitProducerIDResponse](s, initOld, req).ErrorCode))
}

func (s *session) initWithin(timeout int32) {
	_, n := s.initUntil(initNew, s.unknown(), timeout)
	s.tell("InitProducerId", code(n))
}

func initAgain(s *session) {
	old := s.transactional()
	s.tell("InitProducerId", epochs(old, s.transactional()))
}

func initOverOpen(s *session) {
	t, old := s.newTopic(), s.transactional()
	s.write(produceNew, t, old, 0, "a")
	heir, n := s.initOnce(initNew, s.unknown(), longTimeout)
	s.tell("the first InitProducerId", code(n))
	if notNow(n) {
		heir = s.transactional()
	}
	s.tell("in the end", epochs(old, heir))
	s.tell("log", s.log(t))
}

// initFrom asks for the next epoch of a producer, as one so many epochs ahead.
func (s *session) initFrom(open bool, ahead int16) {
	t, p := s.newTopic(), s.transactional()
	if open {
		s.write(produceNew, t, p, 0, "a")
	}
	next, n := s.initUntil(initOld, p.at(ahead), longTimeout)
	s.tell("InitProducerId", initTold(p, next, n))
	s.tell("log", s.log(t))
}

// initTold is the answer with what was handed out, if anything was.
func initTold(p, next producer, n int16) string {
	if n != 0 {
		return code(n)
	}
	return "ok, " + epochs(p, next)
}

// initOldEpoch lets more than one epoch pass: the one before the current epoch may
// be a repetition of an InitProducerId whose answer was lost.
func initOldEpoch(s *session) {
	old := s.transactional()
	s.transactional()
	newest := s.transactional()
	next, n := s.initUntil(initOld, old, longTimeout)
	s.tell("InitProducerId of the old instance", initTold(newest, next, n))
	_, n = s.end(endOld, newest, abort)
	s.tell("EndTxn v1 abort of the newest", code(n))
}

func initOtherID(s *session) {
	p := s.transactional()
	stranger := p
	stranger.id += 1_000_000
	next, n := s.initUntil(initOld, stranger, longTimeout)
	s.tell("InitProducerId", initTold(p, next, n))
}

func initIdempotent(s *session) {
	s.tell("the second", epochs(s.idempotent(), s.idempotent()))
}

// expired is a producer whose transactional.id the coordinator has forgotten; see
// Settings.
func (s *session) expired() producer {
	p := s.transactional()
	forgotten := code(kerr.TransactionalIDNotFound.Code)
	s.until("the id expires", func() bool { return s.state(p) == forgotten })
	return p
}
