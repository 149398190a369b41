package verify

import (
	"fmt"
	"strings"

	"kcompare/internal/config"
)

// unproven is why there is no experiment for a key. The catalogue knows where a setting
// shows; what would have to be there for it to show here is said of few.
func unproven(key string, role config.Role) string {
	s, known := config.Lookup(key)
	switch {
	case !known:
		return "no setting of that name"
	case !s.For(role):
		return "not a setting of this kind of client"
	case s.Type == config.Refused:
		return "librdkafka knows it only to refuse it"
	case missing[s.Name] != "":
		return missing[s.Name]
	case !shows(s):
		return nowhereSeen(s)
	}
	return fmt.Sprintf("it shows as: %s; no experiment brings that about", s.Wire)
}

// missing is what it would take to see a setting that does show on the wire.
var missing = map[string]string{
	"check.crcs":                               "needs a broken batch, and the broker of this run keeps none",
	"api.version.request":                      "shows with false alone, which is for brokers before 0.10",
	"broker.version.fallback":                  "shows with brokers before 0.10 alone",
	"coordinator.query.interval.ms":            "shows in requests that come every ten minutes, and in librdkafka alone",
	"fetch.error.backoff.ms":                   "needs a broker that refuses one partition of a Fetch",
	"fetch.queue.backoff.ms":                   "shows in when librdkafka fetches again whose own queue was full, which no other library has",
	"queued.min.messages":                      "shows in how much librdkafka fetches that nobody polls, and kgo has no such number",
	"queued.max.messages.kbytes":               "shows in how much librdkafka fetches that nobody polls, and kgo has no such number",
	"topic.metadata.refresh.sparse":            "shows with false alone, which kgo has not",
	"sasl.kerberos.service.name":               "needs Kerberos, which neither library has here",
	"sasl.oauthbearer.method":                  "shows in requests to a token endpoint, none of which is a Kafka broker",
	"topic.blacklist":                          "shows where a topic of that name is left out of a subscription by pattern, and drivers subscribe by name",
	"metadata.recovery.strategy":               "needs a cluster all of whose brokers have new addresses",
	"metadata.recovery.rebootstrap.trigger.ms": "needs a cluster all of whose brokers have new addresses",
	"socket.keepalive.enable":                  "shows in packets that the operating systems exchange below TCP's stream, after minutes",
}

// shows says whether the catalogue knows a place on the wire.
func shows(s config.Setting) bool {
	return s.Wire != "" && s.Wire != "no" && !strings.HasPrefix(s.Wire, "no ")
}

// nowhereSeen says what else the catalogue knows of a setting that shows nowhere.
func nowhereSeen(s config.Setting) string {
	if why, ok := strings.CutPrefix(s.Wire, "no ("); ok {
		return "it does not show in Kafka's protocol: " + strings.TrimSuffix(why, ")")
	}
	switch s.Relation {
	case config.NotApplicable:
		return "it does not show in Kafka's protocol: it is deprecated, for logs, or for programs in C"
	case config.NoEquivalent:
		return "it does not show in Kafka's protocol, and kgo has nothing like it"
	}
	return "it does not show in Kafka's protocol: it is about what the library does inside the program, or before it connects"
}
