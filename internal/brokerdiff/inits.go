package brokerdiff

import "github.com/twmb/franz-go/pkg/kmsg"

// inits is InitProducerId. Kafka: TransactionCoordinator.scala,
// handleInitProducerId; kfake: txns.go, doInitProducerID.
func inits() []Situation {
	return []Situation{
		{ID: "init-empty-id", Asks: "InitProducerId with an empty transactional.id", play: initEmptyID},
		{ID: "init-timeout", Asks: "... with a transaction.timeout.ms above the broker's limit of 15 minutes", play: func(s *session) { s.initWithin(900_001) }},
		{ID: "init-timeout-zero", Asks: "... of 0", play: func(s *session) { s.initWithin(0) }},
		{ID: "init-again", Asks: "a new instance with the same transactional.id, no transaction is open", play: initAgain},
		{ID: "init-over-open", Asks: "... while a transaction of the old instance is open", play: initOverOpen},
		{ID: "init-own-epoch", Asks: "InitProducerId v4 with the producer's own id and epoch (KIP-360)", play: func(s *session) { s.initFrom(false, 0) }},
		{ID: "init-own-epoch-open", Asks: "... while its transaction is open", play: func(s *session) { s.initFrom(true, 0) }},
		{ID: "init-old-epoch", Asks: "... with an epoch that a newer instance has made outdated", play: initOldEpoch},
		{ID: "init-epoch-ahead", Asks: "... with an epoch that nobody handed out yet", play: func(s *session) { s.initFrom(false, 5) }},
		{ID: "init-other-id", Asks: "... with a producer id that belongs to nobody", play: initOtherID},
		{ID: "init-idempotent", Asks: "two InitProducerId without a transactional.id", play: initIdempotent},
	}
}

func initEmptyID(s *session) {
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionalID, req.TransactionTimeoutMillis = kmsg.StringPtr(""), longTimeout
	if resp := ask[*kmsg.InitProducerIDResponse](s, initOld, req); resp != nil {
		s.tell("InitProducerId", code(resp.ErrorCode))
	}
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
