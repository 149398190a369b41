package convert

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// What each setting becomes in Go code with kgo. The driver in folder franz has the same
// as options; a test builds clients of both and compares them.

// goRule is what one setting becomes.
type goRule struct {
	code  coder
	group bool                 // kgo takes it from members of a group only
	note  func(b block) string // what is not quite the same at this value; of what is approximate the catalogue says it
}

// coder writes the options of one setting as Go expressions. Its error is the reason why
// the value cannot be expressed. Settings that make one option together each make the
// same one.
type coder func(v value, b block) ([]string, error)

// goRules has every setting that kgo can express, and those whose only value that it can
// is what it does anyway.
var goRules = map[string]goRule{
	// connections
	"bootstrap.servers":                  {code: seeds},
	"client.id":                          {code: text("ClientID")},
	"socket.timeout.ms":                  {code: overhead, note: told("kgo waits request.timeout.ms (of a fetch: fetch.wait.max.ms) and at least 100 ms more")},
	"socket.connection.setup.timeout.ms": {code: millis("DialTimeout", 0, forever)},
	"connections.max.idle.ms":            {code: connIdle, note: idleNote},
	"socket.keepalive.enable":            {code: only("true", "Go always keeps connections alive; kgo.Dialer takes another dialer")},
	"socket.nagle.disable":               {code: only("true", "Go always does so; kgo.Dialer takes another dialer")},
	"broker.address.family":              {code: only("any", "kgo.Dialer takes a dialer for tcp4 or tcp6")},
	"client.dns.lookup":                  {code: only("use_all_dns_ips", "kgo has no such choice; kgo.Dialer takes another dialer")},
	"socket.send.buffer.bytes":           {code: only("0", "kgo.Dialer takes a dialer that sets it")},
	"socket.receive.buffer.bytes":        {code: only("0", "kgo.Dialer takes a dialer that sets it")},
	"receive.message.max.bytes":          {code: number("BrokerMaxReadBytes", 1024, 1<<30)},
	"api.version.request":                {code: only("true", "kgo always asks; kgo.MaxVersions is for brokers that cannot answer")},
	"enable.metrics.push":                {code: when("false", "DisableClientMetrics")},
	"client.rack":                        {code: text("Rack")},

	// security
	"security.protocol": {code: secured}, "ssl.ca.location": {code: secured}, "ssl.ca.pem": {code: secured},
	"ssl.certificate.location": {code: secured}, "ssl.certificate.pem": {code: secured}, "ssl.key.location": {code: secured},
	"ssl.key.pem": {code: secured}, "enable.ssl.certificate.verification": {code: secured},
	"ssl.endpoint.identification.algorithm": {code: secured},
	"sasl.mechanism":                        {code: login}, "sasl.username": {code: login}, "sasl.password": {code: login},
	"ssl.key.password":      {code: never("Go decrypts no keys: decrypt it (openssl pkcs8 -in KEY -out PLAIN) and protect the file")},
	"ssl.keystore.location": {code: never("Go reads no PKCS #12: openssl pkcs12 -in STORE -nodes -out FILE, and tls.LoadX509KeyPair(FILE, FILE)")},
	"ssl.keystore.password": {code: never("it is for a store, which Go does not read")},

	// metadata and retries
	"metadata.recovery.strategy":              {code: only("rebootstrap", "kgo always goes back to the seed brokers")},
	"topic.metadata.refresh.interval.ms":      {code: millis("MetadataMaxAge", 10, hour)},
	"metadata.max.age.ms":                     {code: maxAge},
	"topic.metadata.refresh.fast.interval.ms": {code: minAge},
	"topic.metadata.propagation.max.ms":       {code: unknownTopics},
	"allow.auto.create.topics":                {code: when("true", "AllowAutoTopicCreation")},
	"retry.backoff.ms":                        {code: backoff, note: told("kgo counts consecutive failures of a broker, so that an answer with an error is retried after the first backoff")},
	"retry.backoff.max.ms":                    {code: backoff},
	"reconnect.backoff.ms":                    {code: backoff},
	"reconnect.backoff.max.ms":                {code: backoff},

	// producers
	"acks":                                  {code: acks},
	"enable.idempotence":                    {code: when("false", "DisableIdempotentWrite")},
	"max.in.flight.requests.per.connection": {code: inFlight},
	"retries":                               {code: number("RecordRetries", 0, math.MaxInt32)},
	"delivery.timeout.ms":                   {code: deliveryTimeout, note: deliveryNote},
	"request.timeout.ms":                    {code: millis("ProduceRequestTimeout", 100, forever)},
	"linger.ms":                             {code: millis("ProducerLinger", 0, 60000)},
	"batch.size":                            {code: batchBytes},
	"message.max.bytes":                     {code: batchBytes},
	"compression.type":                      {code: compression},
	"compression.level":                     {code: compression},
	"queue.buffering.max.messages":          {code: number("MaxBufferedRecords", 1, math.MaxInt32)},
	"queue.buffering.max.kbytes":            {code: bufferedBytes},
	"partitioner":                           {code: partitioner, note: partitionerNote},
	"transactional.id":                      {code: nonEmpty("TransactionalID")},
	"transaction.timeout.ms":                {code: millis("TransactionTimeout", 0, forever)},

	// consumers
	"group.id":                      {code: text("ConsumerGroup"), group: true},
	"group.instance.id":             {code: nonEmpty("InstanceID"), group: true},
	"group.protocol":                {code: when("consumer", "ServerSideBalancer"), group: true},
	"group.protocol.type":           {code: text("GroupProtocol"), group: true},
	"group.remote.assignor":         {code: remoteAssignor, group: true},
	"partition.assignment.strategy": {code: balancers, group: true},
	"session.timeout.ms":            {code: millis("SessionTimeout", 100, forever), group: true},
	"heartbeat.interval.ms":         {code: millis("HeartbeatInterval", 0, forever), group: true},
	"max.poll.interval.ms":          {code: millis("RebalanceTimeout", 100, forever), group: true},
	"enable.auto.commit":            {code: autoCommit, group: true},
	"auto.commit.interval.ms":       {code: commitInterval, group: true},
	"enable.auto.offset.store":      {code: storedOffsets, group: true},
	"auto.offset.reset":             {code: resetOptions},
	"isolation.level":               {code: isolation},
	"check.crcs":                    {code: when("false", "DisableFetchCRCValidation")},
	"fetch.wait.max.ms":             {code: millis("FetchMaxWait", 10, forever)},
	"fetch.min.bytes":               {code: number("FetchMinBytes", 0, math.MaxInt32)},
	"fetch.max.bytes":               {code: number("FetchMaxBytes", 0, math.MaxInt32)},
	"max.partition.fetch.bytes":     {code: number("FetchMaxPartitionBytes", 0, math.MaxInt32)},
}

const (
	forever = math.MaxInt32 // ms, where kgo has no limit
	hour    = 60 * 60 * 1000
)

// told is a note on every value.
func told(text string) func(block) string { return func(block) string { return text } }

func never(reason string) coder {
	return func(value, block) ([]string, error) { return nil, errors.New(reason) }
}

// only accepts the one value that is what kgo does anyway.
func only(fixed, reason string) coder {
	return func(v value, _ block) ([]string, error) {
		if !strings.EqualFold(v.text, fixed) {
			return nil, errors.New(reason)
		}
		return nil, nil
	}
}

// when writes an option that has no argument, at one value.
func when(on, option string) coder {
	return func(v value, _ block) ([]string, error) {
		if !strings.EqualFold(v.text, on) {
			return nil, nil
		}
		return option0(option), nil
	}
}

func option0(name string) []string { return []string{"kgo." + name + "()"} }

func option1(name, argument string) []string { return []string{"kgo." + name + "(" + argument + ")"} }

// quoted is a text in Go, or the look-up of what stands for it.
func (v value) quoted() string {
	if v.env != "" {
		return "os.Getenv(" + strconv.Quote(v.env) + ")"
	}
	return strconv.Quote(v.text)
}

func text(option string) coder {
	return func(v value, _ block) ([]string, error) { return option1(option, v.quoted()), nil }
}

// nonEmpty reads an empty value as "not set", as librdkafka does.
func nonEmpty(option string) coder {
	return func(v value, _ block) ([]string, error) {
		if v.text == "" && v.env == "" {
			return nil, nil
		}
		return option1(option, v.quoted()), nil
	}
}

func seeds(v value, _ block) ([]string, error) {
	if v.env != "" {
		return option1("SeedBrokers", "strings.Split("+v.quoted()+`, ",")...`), nil
	}
	var all []string
	for _, word := range words(v.text) {
		all = append(all, strconv.Quote(word))
	}
	return option1("SeedBrokers", strings.Join(all, ", ")), nil
}

// number writes an integer that kgo limits to low..high.
func number(option string, low, high float64) coder {
	return func(v value, _ block) ([]string, error) {
		n, err := within(v.text, low, high, "")
		if err != nil {
			return nil, err
		}
		return option1(option, whole(n)), nil
	}
}

// millis writes a duration that kgo limits to low..high milliseconds.
func millis(option string, low, high float64) coder {
	return func(v value, _ block) ([]string, error) {
		n, err := within(v.text, low, high, " ms")
		if err != nil {
			return nil, err
		}
		return option1(option, duration(n)), nil
	}
}

func within(text string, low, high float64, unit string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0, errors.New("expected a number")
	case n < low:
		return 0, fmt.Errorf("kgo takes %s%s or more", whole(low), unit)
	case n > high:
		return 0, fmt.Errorf("kgo takes %s%s or less", whole(high), unit)
	}
	return n, nil
}

// duration is so many milliseconds in Go, in the largest unit that divides them.
func duration(ms float64) string {
	ns := int64(ms * 1e6)
	for _, unit := range []struct {
		ns   int64
		name string
	}{{3600e9, "time.Hour"}, {60e9, "time.Minute"}, {1e9, "time.Second"}, {1e6, "time.Millisecond"}, {1e3, "time.Microsecond"}} {
		switch {
		case ns == 0:
			return "0"
		case ns == unit.ns:
			return unit.name
		case ns%unit.ns == 0:
			return fmt.Sprintf("%d*%s", ns/unit.ns, unit.name)
		}
	}
	return fmt.Sprintf("%d*time.Nanosecond", ns)
}
