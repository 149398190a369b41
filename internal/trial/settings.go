package trial

import (
	"errors"
	"fmt"
	"maps"
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

// Consuming are the canonical settings of the consumers in a variant's story, nil
// where there are none.
func Consuming(v scenario.Variant) map[string]string {
	if v.Consuming == nil {
		return nil
	}
	set := consumerSettings()
	maps.Copy(set, v.Consuming)
	return set
}

// reading are those of the consumer with which the client reads the topics at the
// end.
func reading(v scenario.Variant) map[string]string {
	set := consumerSettings()
	maps.Copy(set, v.Reading)
	return set
}

// isTransactional says whether settings make a producer that writes in
// transactions.
func isTransactional(set map[string]string) bool { return set["transactional.id"] != "" }

// Settings are the canonical settings that a trial of this variant sets on its
// producers: those of every trial, then the variant's, then the user's own. The
// error is a *drivers.ConfigError.
func Settings(v scenario.Variant, p scenario.Parameters, overrides map[string]string) (map[string]string, error) {
	own, err := config.Canonical(overrides)
	if err != nil {
		return nil, configError(err)
	}
	set := producerSettings(p)
	if isTransactional(v.Settings) {
		if err := ofTransactions(p, set); err != nil {
			return nil, err
		}
	}
	maps.Copy(set, v.Defaults)
	maps.Copy(set, v.Settings)
	for key, value := range own {
		if fixed, ok := v.Settings[key]; ok && fixed != value {
			return nil, &drivers.ConfigError{Keys: []string{key}, Reason: fmt.Sprintf(
				"variant %s is about %s=%s, it cannot run with %s", v.Name, key, fixed, value)}
		}
		set[key] = value
	}
	if err := config.Check(set, config.Producer); err != nil {
		return nil, configError(err)
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
