package faultdiff

import (
	"maps"
	"time"
)

// Settings of the clients in the stories, beside those that every trial has.

// late is well after an impatient client has given up. librdkafka looks for requests
// that timed out once a second (rdkafka_broker.c), and so may wait for two.
const late = 3 * time.Second

// standstill is shorter than the session of a node of Kafka (broker.session.timeout.ms),
// after which others would lead.
const standstill = 2 * time.Second

// idempotent are those of a producer that is to write each record once.
func idempotent() map[string]string {
	return map[string]string{"acks": "all", "enable.idempotence": "true"}
}

// impatient are those of one that gives a request up after a second.
func impatient() map[string]string {
	return with(idempotent(), map[string]string{"request.timeout.ms": "500", "socket.timeout.ms": "1000"})
}

// transactional are those of one that writes in transactions.
func transactional() map[string]string {
	return with(idempotent(), map[string]string{"transactional.id": "kcompare-faults"})
}

// inGroup are those of a consumer that gives a Fetch up after little more than a
// second: librdkafka wants that to be a second more than fetch.wait.max.ms.
func inGroup() map[string]string {
	return map[string]string{"group.id": "kcompare-faults", "socket.timeout.ms": "1200"}
}

func with(set, more map[string]string) map[string]string {
	maps.Copy(set, more)
	return set
}
