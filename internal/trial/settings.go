package trial

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"kcompare/drivers"
	"kcompare/internal/config"
	"kcompare/internal/scenario"
)

// clientID is the client.id of every contestant: part of what is set alike.
const clientID = "kcompare"

// fastRetries keep a run short. Libraries wait between attempts from 20 ms to
// 5 s by default, which says nothing about promises; so all wait the same.
func fastRetries() map[string]string {
	return map[string]string{
		"retry.backoff.ms":                        "10",
		"retry.backoff.max.ms":                    "20",
		"reconnect.backoff.ms":                    "10",
		"reconnect.backoff.max.ms":                "20",
		"topic.metadata.refresh.fast.interval.ms": "20",
	}
}

// producerSettings sets every setting whose default differs between libraries,
// so that nothing differs by silence. A test holds it against the catalogue.
func producerSettings(p scenario.Parameters) map[string]string {
	set := map[string]string{
		"acks":                                  "all",
		"allow.auto.create.topics":              "false",
		"client.id":                             clientID,
		"compression.type":                      "none",
		"delivery.timeout.ms":                   strconv.FormatInt(p.DeliveryTimeout.Milliseconds(), 10),
		"linger.ms":                             "0",
		"max.in.flight.requests.per.connection": "5",
		"partitioner":                           "murmur2_random",
		"queue.buffering.max.kbytes":            "1048576",
		"queue.buffering.max.messages":          "100000",
		"request.timeout.ms":                    "30000",
		"retries":                               strconv.Itoa(p.Retries),
		"socket.timeout.ms":                     "60000",
	}
	maps.Copy(set, fastRetries())
	return set
}

// consumerSettings does the same for consumers: those of a story, and the one
// with which each client reads the topics at the end of a trial.
func consumerSettings() map[string]string {
	set := map[string]string{
		"allow.auto.create.topics": "false",
		"auto.offset.reset":        "earliest",
		"check.crcs":               "true",
		"client.id":                clientID,
		"enable.auto.commit":       "false",
		"fetch.wait.max.ms":        "100",
		"isolation.level":          "read_committed",
		"socket.timeout.ms":        "60000",
	}
	maps.Copy(set, fastRetries())
	return set
}

// longestTransaction is what brokers grant by default
// (transaction.max.timeout.ms).
const longestTransaction = 15 * time.Minute

// ofTransactions adds what differs by default where there are transactions.
// librdkafka wants every record to be given up before its transaction is.
func ofTransactions(p scenario.Parameters, set map[string]string) error {
	if p.DeliveryTimeout > longestTransaction {
		return &drivers.ConfigError{Keys: []string{"delivery.timeout.ms", "transaction.timeout.ms"}, Reason: fmt.Sprintf(
			"a transaction must not time out before its records, and a broker grants it %v at most, got a delivery timeout of %v",
			longestTransaction, p.DeliveryTimeout)}
	}
	set["transaction.timeout.ms"] = strconv.FormatInt(max(time.Minute, p.DeliveryTimeout).Milliseconds(), 10)
	return nil
}

// consuming are the canonical settings of the consumers in a variant's story, nil
// where there are none.
func consuming(v scenario.Variant, own map[string]string) map[string]string {
	if v.Consuming == nil {
		return nil
	}
	set := map[string]string{}
	if !v.Bare {
		set = consumerSettings()
		if v.Consuming["group.id"] != "" { // whose default differs, too
			set["partition.assignment.strategy"] = "range"
		}
	}
	maps.Copy(set, v.Consuming)
	maps.Copy(set, ofRole(own, config.Consumer))
	return set
}

// reading are those of the consumer with which the client reads the topics at the
// end.
func reading(v scenario.Variant, own map[string]string) map[string]string {
	set := consumerSettings()
	maps.Copy(set, v.Reading)
	maps.Copy(set, ofRole(own, config.Consumer))
	return set
}

// ofRole are those of the user's settings that a client in that role has.
func ofRole(own map[string]string, role config.Role) map[string]string {
	set := map[string]string{}
	for key, value := range own {
		if s, known := config.Lookup(key); known && s.For(role) {
			set[key] = value
		}
	}
	return set
}

// unwanted says which of the user's settings take the point out of the variant;
// empty if none does.
func unwanted(v scenario.Variant, producing, consuming map[string]string) string {
	for _, key := range slices.Sorted(maps.Keys(v.Wants)) {
		if producing[key] != v.Wants[key] {
			return fmt.Sprintf("it is about %s=%s, and the user set %s", key, v.Wants[key], producing[key])
		}
	}
	left := slices.Clone(v.Unset)
	if v.Bare {
		left = append(beyond(producing, v.Settings), beyond(consuming, v.Consuming)...)
	}
	for _, key := range left {
		if value := cmp.Or(producing[key], consuming[key]); value != "" {
			return fmt.Sprintf("it is about the library's own default, and the user set %s=%s", key, value)
		}
	}
	return ""
}

// beyond lists the keys that a variant does not have itself.
func beyond(set, own map[string]string) []string {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if _, is := own[key]; !is {
			keys = append(keys, key)
		}
	}
	return keys
}

// isTransactional says whether settings make a producer that writes in
// transactions.
func isTransactional(set map[string]string) bool { return set["transactional.id"] != "" }

// settings are the canonical settings of all clients of a trial: those of every
// trial, then the variant's, then the user's own.
type settings struct {
	producing map[string]string
	consuming map[string]string // of the consumers in the story; nil where there are none
	reading   map[string]string // of the client's own reading at the end
}

// settingsOf puts them together. The error is a *drivers.ConfigError.
func settingsOf(v scenario.Variant, p scenario.Parameters, overrides map[string]string) (settings, error) {
	own, err := config.Canonical(overrides)
	if err != nil {
		return settings{}, configError(err)
	}
	all := settings{consuming: consuming(v, own), reading: reading(v, own)}
	if all.producing, err = producing(v, p, own); err != nil {
		return settings{}, err
	}
	if err := cmp.Or(
		config.Check(all.producing, config.Producer),
		config.Check(all.consuming, config.Consumer),
		config.Check(all.reading, config.Consumer),
	); err != nil {
		return settings{}, configError(err)
	}
	return all, nil
}

// producing are those of the producers.
func producing(v scenario.Variant, p scenario.Parameters, own map[string]string) (map[string]string, error) {
	set, err := common(v, p)
	if err != nil {
		return nil, err
	}
	maps.Copy(set, v.Wants)
	maps.Copy(set, v.Settings)
	for key, value := range ofRole(own, config.Producer) {
		if fixed, ok := v.Settings[key]; ok && fixed != value {
			return nil, &drivers.ConfigError{Keys: []string{key}, Reason: fmt.Sprintf(
				"variant %s is about %s=%s, it cannot run with %s", v.Name, key, fixed, value)}
		}
		set[key] = value
	}
	return set, nil
}

// common is what every trial sets, and nothing for bare clients.
func common(v scenario.Variant, p scenario.Parameters) (map[string]string, error) {
	if v.Bare {
		return map[string]string{}, nil
	}
	set := producerSettings(p)
	for _, key := range v.Unset {
		delete(set, key)
	}
	if isTransactional(v.Settings) {
		return set, ofTransactions(p, set)
	}
	return set, nil
}

func configError(err error) error {
	var e *config.Error
	if errors.As(err, &e) {
		return &drivers.ConfigError{Keys: e.Keys, Reason: e.Reason}
	}
	return err
}
