//go:build cgo

package librdkafka

import (
	"errors"
	"testing"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/google/go-cmp/cmp"

	"kcompare/drivers"
)

func TestProducerConfig(t *testing.T) {
	got, err := producerConfig(drivers.RoleProducer, drivers.Settings{
		Config: map[string]string{
			"metadata.broker.list": "127.0.0.1:9092", // an alias
			"enable.idempotence":   "true",
			"delivery.timeout.ms":  "60000",
		},
		OneRecordPerBatch: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	delete(got, "go.logs.channel")
	want := kafka.ConfigMap{
		"bootstrap.servers":         "127.0.0.1:9092",
		"enable.idempotence":        "true",
		"delivery.timeout.ms":       "60000",
		"batch.num.messages":        "1",
		"go.delivery.report.fields": "none",
		"go.events.channel.size":    1000,
		"go.produce.channel.size":   0,
		"go.logs.channel.enable":    true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestConsumerConfig(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config map[string]string
		want   kafka.ConfigMap
	}{
		{"silent", nil,
			kafka.ConfigMap{"enable.auto.commit": "false", "group.id": placeholderGroup}},
		{"told", map[string]string{"enable.auto.commit": "true", "group.id": "g", "isolation.level": "read_uncommitted"},
			kafka.ConfigMap{"enable.auto.commit": "true", "group.id": "g", "isolation.level": "read_uncommitted"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := consumerConfig(drivers.Settings{Config: tt.config}, nil)
			if err != nil {
				t.Fatal(err)
			}
			delete(got, "go.logs.channel")
			tt.want["go.logs.channel.enable"] = true
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestBareConsumerConfig: in a group of its own settings a bare consumer commits as
// librdkafka does by default; in the placeholder it never does.
func TestBareConsumerConfig(t *testing.T) {
	for group, want := range map[string]kafka.ConfigMap{
		"":  {"enable.auto.commit": "false", "group.id": placeholderGroup},
		"g": {"group.id": "g"},
	} {
		s := drivers.Settings{Config: map[string]string{}, Bare: true}
		if group != "" {
			s.Config["group.id"] = group
		}
		got, err := consumerConfig(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		delete(got, "go.logs.channel")
		want["go.logs.channel.enable"] = true
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("group %q (-want +got):\n%s", group, diff)
		}
	}
}

func TestDifferencesRefuses(t *testing.T) {
	for _, tt := range []struct {
		name     string
		role     drivers.Role
		settings drivers.Settings
		keys     []string // of the ConfigError
	}{
		{"unknown key", drivers.RoleProducer,
			drivers.Settings{Config: map[string]string{"lingerms": "5"}}, []string{"lingerms"}},
		{"contradiction", drivers.RoleProducer,
			drivers.Settings{Config: map[string]string{"acks": "0", "enable.idempotence": "true"}}, []string{"acks", "enable.idempotence"}},
		{"no transactional.id", drivers.RoleTransactionalProducer,
			drivers.Settings{}, []string{"transactional.id"}},
		{"transactional.id of a plain producer", drivers.RoleProducer,
			drivers.Settings{Config: map[string]string{"transactional.id": "t"}}, []string{"transactional.id"}},
		{"commits for no group", drivers.RoleConsumer,
			drivers.Settings{Config: map[string]string{"enable.auto.commit": "true"}}, []string{"enable.auto.commit", "group.id"}},
		{"two batch sizes", drivers.RoleProducer,
			drivers.Settings{Config: map[string]string{"batch.num.messages": "100"}, OneRecordPerBatch: true}, []string{"batch.num.messages"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := driver{}.Differences(tt.role, tt.settings)
			var bad *drivers.ConfigError
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want a *drivers.ConfigError", err)
			}
			if diff := cmp.Diff(tt.keys, bad.Keys); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDifferencesUnsupported(t *testing.T) {
	tests := map[string]drivers.UnsupportedError{
		"delivery.report.only.error": {Value: "true", Reason: "confluent-kafka-go refuses it"},
		"max.poll.records":           {Value: "10", Reason: "librdkafka 2.11.1 does not know it"},
	}
	for key, want := range tests {
		want.Client, want.Key = "librdkafka", key
		_, err := driver{}.Differences(drivers.RoleProducer, drivers.Settings{Config: map[string]string{key: want.Value}})
		var got *drivers.UnsupportedError
		if !errors.As(err, &got) {
			t.Fatalf("%s: got %v, want %v", key, err, &want)
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", key, diff)
		}
	}
}

// The library refuses what the catalogue cannot know, here a file that is not
// there. That is an *Error, not a *ConfigError.
func TestLibraryRefuses(t *testing.T) {
	settings := drivers.Settings{Config: map[string]string{"security.protocol": "ssl", "ssl.ca.location": t.TempDir() + "/none.pem"}}
	_, err := newDriver(t).NewProducer(settings)
	var got *drivers.Error
	if !errors.As(err, &got) {
		t.Fatalf("got %v, want a *drivers.Error", err)
	}
	type facts struct {
		Call, Code string
		Class      drivers.Class
	}
	if diff := cmp.Diff(facts{"new client", "_INVALID_ARG", drivers.Application}, facts{got.Call, got.Code, got.Class}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
