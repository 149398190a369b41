package franz

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/drivers"
	"kcompare/internal/config"
)

// TestEveryRuleReachesItsOption: for each setting with a rule some value changes an option
// that the catalogue names for it, as kgo itself tells of it. TestOptions has which value.
func TestEveryRuleReachesItsOption(t *testing.T) {
	for _, s := range config.Settings() {
		if _, has := rules[s.Name]; !has || strings.Contains(s.Name, "sasl") || strings.Contains(s.Name, "ssl") {
			continue // internal/security has what becomes of TLS and SASL
		}
		reason, none := reachNothing[s.Name]
		if changed := changes(t, s); changed == none {
			t.Errorf("%s changes one of %v: %v (%s)", s.Name, s.KgoNames(), changed, reason)
		}
	}
}

// reachNothing are rules that only accept what kgo does anyway, tell of a difference, or
// make a function, which other tests call.
var reachNothing = map[string]string{
	"api.version.request": "only true", "broker.address.family": "only any", "client.dns.lookup": "only use_all_dns_ips",
	"metadata.recovery.strategy": "only rebootstrap", "socket.keepalive.enable": "only a note", "socket.nagle.disable": "only true",
	"socket.receive.buffer.bytes": "only 0", "socket.send.buffer.bytes": "only 0", "api.version.request.timeout.ms": "only a note",
	"broker.version.fallback": "only a note", "debug": "only a note", "log_level": "only a note", "enable.gapless.guarantee": "only a note",
	"sticky.partitioning.linger.ms": "only a note", "fetch.error.backoff.ms": "only a note", "queued.max.messages.kbytes": "only a note",
	"enable.auto.offset.store": "only with enable.auto.commit", "topic.blacklist": "never", "client.software.name": "never", "client.software.version": "never",
	"compression.level": "only with compression.type",
	"retry.backoff.ms":  "TestRetryBackoff", "retry.backoff.max.ms": "TestRetryBackoff", "reconnect.backoff.ms": "TestRetryBackoff",
	"reconnect.backoff.max.ms": "TestRetryBackoff", "group.remote.assignor": "TestGroupBalancers", "partitioner": "partitioner_test.go", "partition.assignment.strategy": "TestGroupBalancers",
}

// changes tries values until an option that the catalogue names differs from that of a
// client without the setting.
func changes(t *testing.T, s config.Setting) bool {
	t.Helper()
	role, base := drivers.RoleProducer, map[string]string{"enable.idempotence": "false"}
	switch {
	case s.Applies == "C":
		role, base = drivers.RoleConsumer, map[string]string{"group.id": "g", "auto.offset.reset": "latest"}
	case strings.HasPrefix(s.Name, "transact"):
		role, base = drivers.RoleTransactionalProducer, map[string]string{"transactional.id": "t"}
	}
	without := shown(t, s, role, base, "")
	for _, value := range values(s) {
		if with := shown(t, s, role, base, value); with != "" && with != without {
			return true
		}
	}
	return false
}

// shown is what kgo has for the options of a setting; "" where the value is refused.
func shown(t *testing.T, s config.Setting, role drivers.Role, base map[string]string, value string) string {
	t.Helper()
	all := map[string]string{}
	for k, v := range base {
		all[k] = v
	}
	if value != "" {
		all[s.Name] = value
	}
	tr, err := translate(role, drivers.Settings{Config: all})
	if err != nil {
		return ""
	}
	opts := tr.opts
	if role == drivers.RoleConsumer {
		opts = append(opts, tr.group...)
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return ""
	}
	defer cl.Close()
	text := "kgo:"
	for _, name := range s.KgoNames() {
		if v := cl.OptValue(name); plain(v) {
			text += fmt.Sprintf(" %s=%v", name, v)
		}
	}
	return text
}

// plain leaves out functions and what is printed by its address.
func plain(v any) bool {
	if v == nil {
		return true
	}
	kind := reflect.TypeOf(v)
	if kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	switch kind.Kind() {
	case reflect.Func, reflect.Pointer, reflect.Interface:
		return false
	}
	return !strings.Contains(fmt.Sprintf("%v", v), "0x")
}

func values(s config.Setting) []string {
	switch s.Type {
	case config.Integer, config.Float:
		return append([]string{"1", "100", "7777", "20000", "200000000", strconv.FormatFloat(s.Max, 'f', -1, 64)}, s.Words...)
	case config.Boolean, config.Enum, config.Flags:
		return s.Words
	}
	return []string{"kcompare"}
}
