package lint

import (
	"fmt"
	"strconv"
	"strings"

	"kcompare/internal/source"
)

// javaChecks are the rules of Java's client alone, as kafka-clients 4.4.0 has them
// (ProducerConfig.postProcessAndValidateIdempotenceConfigs, KafkaProducer.configureDeliveryTimeout,
// AbstractCoordinator). 3.9.1 was tried too.
func javaChecks() []check {
	return []check{
		{Rule{"idempotence-off", Warning, "a setting that silently turns off the idempotence that is on by default in Java"}, idempotenceOff},
		{Rule{"java-conflict", Error, "settings that contradict each other; Java's client refuses to start"}, javaConflict},
	}
}

// breakers are settings that do not go together with idempotence: what they are, and
// whether Java keeps quiet about it. (More than five requests in flight turned it off
// silently before 4.0, and is refused since.)
func breakers(b *block) map[string]bool {
	silent := map[string]bool{}
	if v, ok := b.value("acks"); ok && v != "all" && v != "-1" {
		silent["acks"] = true
	}
	if v, ok := b.value("retries"); ok && v == "0" {
		silent["retries"] = true
	}
	if n, ok := b.number("max.in.flight.requests.per.connection"); ok && n > 5 {
		silent["max.in.flight.requests.per.connection"] = false
	}
	return silent
}

func (b *block) number(name string) (float64, bool) {
	v, ok := b.value(name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(v, 64)
	return n, err == nil
}

func idempotenceOff(b *block) []Finding {
	_, explicit := b.get("enable.idempotence")
	if !b.of("java") || explicit || b.transactional() || b.Role == source.Consumer {
		return nil
	}
	var all []Finding
	for name, silent := range breakers(b) {
		i, _ := b.get(name)
		if !silent {
			all = append(all, finding(i, Error, fmt.Sprintf("%s: kafka-clients 4 refuses more than 5 with idempotence, which is on by default; before 4.0 it silently turned idempotence off", show(i)),
				"use at most 5, or set enable.idempotence=false"))
			continue
		}
		all = append(all, finding(i, Warning, fmt.Sprintf("%s silently turns idempotence off, which is on by default in Java", show(i)),
			"take it out, or say so with enable.idempotence=false"))
	}
	return all
}

func javaConflict(b *block) []Finding {
	if !b.of("java") {
		return nil
	}
	var all []Finding
	if b.isTrue("enable.idempotence") || b.transactional() {
		for name := range breakers(b) {
			i, _ := b.get(name)
			all = append(all, finding(i, Error, show(i)+" and "+b.needsIdempotence()+": idempotence needs acks=all, retries above 0 and at most 5 requests in flight", "take "+i.Key+" out"))
		}
	}
	if i, ok := b.get("enable.idempotence"); ok && b.isFalse("enable.idempotence") && b.transactional() {
		all = append(all, finding(i, Error, show(i)+" and transactional.id: transactions need idempotence", "take it out"))
	}
	return append(append(all, deliveryTimeout(b)...), groupProtocol(b)...)
}

func (b *block) needsIdempotence() string {
	if b.transactional() {
		return "transactional.id"
	}
	return "enable.idempotence=true"
}

// deliveryTimeout: Java raises a default that is too low, and refuses one that was given.
// The default of linger.ms is 5 since 4.0 and was 0 before; only sums that fail with both
// are spoken of.
func deliveryTimeout(b *block) []Finding {
	i, given := b.get("delivery.timeout.ms")
	timeout, known := b.number("delivery.timeout.ms")
	if !given || !known || b.Role == source.Consumer {
		return nil
	}
	linger, request := 0.0, 30000.0
	for name, value := range map[string]*float64{"linger.ms": &linger, "request.timeout.ms": &request} {
		i, set := b.get(name)
		n, ok := b.number(name)
		switch {
		case ok:
			*value = n
		case set && (i.Value.Kind == source.Computed || i.Value.Kind == source.Code):
			return nil
		}
	}
	if timeout >= linger+request {
		return nil
	}
	return []Finding{finding(i, Error,
		fmt.Sprintf("%s is less than linger.ms (%v) + request.timeout.ms (%v): Java's client refuses to start", show(i), linger, request),
		fmt.Sprintf("use at least %v", linger+request))}
}

// groupProtocol: kafka-clients 4 refuses what the broker decides with KIP-848.
func groupProtocol(b *block) []Finding {
	if v, _ := b.value("group.protocol"); !strings.EqualFold(v, "consumer") {
		return nil
	}
	var all []Finding
	for _, name := range []string{"session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy"} {
		if i, given := b.get(name); given {
			all = append(all, finding(i, Error, i.Key+" cannot be set with group.protocol=consumer: the broker decides it", "take it out"))
		}
	}
	return all
}
