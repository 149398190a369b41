//go:build cgo

package config

import (
	"strings"
	"testing"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

// TestLibrdkafkaOfGo tries every setting on the librdkafka that is built in.
func TestLibrdkafkaOfGo(t *testing.T) {
	_, built := kafka.LibraryVersion()
	v, there := Find("librdkafka", built)
	if !there {
		t.Fatalf("librdkafka %s has no table: see versions/README.md", built)
	}
	for _, tr := range tries(v) {
		if reason, not := notCreated[tr.name]; not && tr.good {
			t.Logf("%s=%s is not tried: %s", tr.name, tr.value, reason)
			continue
		}
		if wrong := tr.wrongAnswer(v, refusal(tr.name, tr.value)); wrong != "" {
			t.Error(wrong)
		}
	}
}

// notCreated are settings with which no client should be made.
var notCreated = map[string]string{
	"test.mock.num.brokers": "it starts that many brokers",
	"builtin.features":      "the wheel that the table is of has Kerberos, the library of the binding has not",
}

// refusal is what is against the value of a setting, "" where there is nothing: clients
// that are not made for another reason do not count.
func refusal(name, value string) string {
	conf := kafka.ConfigMap{"log.queue": "true"} // which nobody reads: debug would fill stderr
	conf[name] = value
	admin, err := kafka.NewAdminClient(&conf)
	if err == nil {
		admin.Close()
		return ""
	}
	for _, words := range []string{"No such configuration property", "outside allowed range", "Invalid value", "Expected ", "not supported", "dlopen"} {
		if strings.Contains(err.Error(), words) {
			return err.Error()
		}
	}
	return ""
}
