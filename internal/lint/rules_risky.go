package lint

import (
	"fmt"
	"slices"
	"strings"

	"kcompare/internal/source"
)

// riskyChecks are the rules about what is legal, and often not meant.
func riskyChecks() []check {
	return []check{
		{Rule{"acks-below-all", Info, "acks=0 or acks=1: an acknowledged record can be lost, and with 0 nobody knows"}, acksBelowAll},
		{Rule{"retries-without-idempotence", Warning, "retries with enable.idempotence=false and several requests in flight: duplicates, and another order"}, retriesWithoutIdempotence},
		{Rule{"heartbeat-interval", Error, "a heartbeat.interval.ms above a third of session.timeout.ms (a warning), or not below it, which Java refuses"}, heartbeatInterval},
		{Rule{"unused-security", Warning, "sasl.* or ssl.* settings that security.protocol leaves unused"}, unusedSecurity},
	}
}

func acksBelowAll(b *block) []Finding {
	i, given := b.get("acks")
	v, known := b.value("acks")
	if !given || !known || b.Role == source.Consumer || b.of("broker", "topic", "connect") {
		return nil
	}
	switch v {
	case "0":
		message := "acks=0: the broker does not answer, a record can be lost and nobody knows"
		if n, retries := b.number("retries"); retries && n > 0 {
			message += "; retries have no effect"
		}
		return []Finding{finding(i, Info, message, "")}
	case "1":
		return []Finding{finding(i, Info, "acks=1: a record can be lost although it was acknowledged, when the leader fails before others have it", "")}
	}
	return nil
}

// retriesWithoutIdempotence needs it in writing: librdkafka's defaults are the same
// combination, and a finding in every plain producer would be none.
func retriesWithoutIdempotence(b *block) []Finding {
	i, _ := b.get("enable.idempotence")
	if !b.isFalse("enable.idempotence") || b.Role == source.Consumer || b.of("franz") {
		return nil
	}
	retries, saysRetries := b.number("retries")
	inFlight, saysInFlight := b.number("max.in.flight.requests.per.connection")
	if !saysRetries && !saysInFlight || saysRetries && retries == 0 || saysInFlight && inFlight <= 1 {
		return nil
	}
	return []Finding{finding(i, Warning, i.Key+"=false with retries and several requests in flight: a retry can write a record twice, and behind later ones",
		"set enable.idempotence=true, or max.in.flight.requests.per.connection=1 for the order alone")}
}

func heartbeatInterval(b *block) []Finding {
	i, given := b.get("heartbeat.interval.ms")
	heartbeat, known := b.number("heartbeat.interval.ms")
	if !given || !known || b.Role == source.Producer || b.of("broker") {
		return nil
	}
	session, shown := 45000.0, "session.timeout.ms=45000 (the default)"
	if s, set := b.get("session.timeout.ms"); set {
		n, ok := b.number("session.timeout.ms")
		if !ok {
			return nil
		}
		session, shown = n, show(s)
	} else if b.Open || b.of("", "kafka-python", "aiokafka") {
		return nil // kafka-python's and aiokafka's default is 10000, and others may come
	}
	switch {
	case heartbeat >= session && b.of("java", "franz", "kafka-python"):
		return []Finding{finding(i, Error, fmt.Sprintf("%s must be below %s: the client refuses to start", show(i), shown), "use at most a third of it")}
	case heartbeat*3 > session:
		return []Finding{finding(i, Warning, fmt.Sprintf("%s is more than a third of %s: a lost heartbeat or two end the session", show(i), shown), "use at most a third of it")}
	}
	return nil
}

// unusedSecurity needs security.protocol in writing: without it the rest may come from
// elsewhere.
func unusedSecurity(b *block) []Finding {
	protocol, known := b.value("security.protocol")
	if !known || b.of("broker") {
		return nil
	}
	protocol = strings.ToUpper(protocol)
	var all []Finding
	for _, i := range b.items {
		name := i.Key
		if i.name != "" {
			name = i.name
		}
		sasl := slices.Contains([]string{"sasl.username", "sasl.password", "sasl.mechanism", "sasl.jaas.config"}, name)
		tls := slices.Contains([]string{"ssl.ca.location", "ssl.certificate.location", "ssl.truststore.location", "ssl.keystore.location"}, name)
		if sasl && (protocol == "PLAINTEXT" || protocol == "SSL") || tls && (protocol == "PLAINTEXT" || protocol == "SASL_PLAINTEXT") {
			all = append(all, finding(i, Warning, fmt.Sprintf("%s is not used with security.protocol=%s", i.Key, protocol), "use "+stronger(protocol, sasl)+", or take it out"))
		}
	}
	return all
}

func stronger(protocol string, sasl bool) string {
	switch {
	case sasl && protocol == "PLAINTEXT":
		return "SASL_PLAINTEXT or SASL_SSL"
	case sasl, protocol == "SASL_PLAINTEXT":
		return "SASL_SSL"
	}
	return "SSL"
}
