package sarama

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/IBM/sarama"

	"kcompare/internal/config"
)

// rule says what one setting becomes in sarama.Config.
type rule struct {
	apply apply
	note  func(value string, g given) string // what is only approximate; nil or empty when nothing is
}

// apply sets what the setting becomes. Its error is the reason why the value cannot be
// expressed, or a *drivers.ConfigError. Settings that make one field together each make
// it from all of them: the last one equals the first.
type apply func(c *sarama.Config, value string, g given, role config.Role) error

// rules has every setting that sarama can express.
var rules = map[string]rule{
	// connections
	"bootstrap.servers":                  {apply: none}, // translate reads them
	"client.id":                          {apply: text(func(c *sarama.Config) *string { return &c.ClientID })},
	"client.rack":                        {apply: text(func(c *sarama.Config) *string { return &c.RackID })},
	"socket.timeout.ms":                  {apply: socketTimeout, note: always("sarama waits as long for an answer (Net.ReadTimeout) as for room to send (Net.WriteTimeout)")},
	"socket.connection.setup.timeout.ms": {apply: millis(func(c *sarama.Config) *time.Duration { return &c.Net.DialTimeout }, time.Millisecond)},
	"connections.max.idle.ms":            {apply: none, note: always("sarama closes no connection for being idle")},
	"socket.keepalive.enable":            {apply: keepalive},
	"socket.nagle.disable":               {apply: only("true")},
	"broker.address.family":              {apply: only("any")},
	"client.dns.lookup":                  {apply: canonicalNames},
	"socket.send.buffer.bytes":           {apply: only("0")},
	"socket.receive.buffer.bytes":        {apply: only("0")},
	"receive.message.max.bytes":          {apply: none, note: always("sarama has one limit for the whole program (MaxResponseSize), which stays at 100 MiB")},
	"api.version.request":                {apply: when(func(c *sarama.Config, on bool) { c.ApiVersionsRequest = on })},
	"api.version.request.timeout.ms":     {apply: none, note: always("sarama waits as long as for any other request")},
	"broker.version.fallback":            {apply: none, note: always("not used, sarama has Config.Version")},
	"enable.metrics.push":                {apply: none, note: unless("false", "sarama pushes none")},
	"debug":                              {apply: none, note: always("sarama has one log for the whole program, which is off")},
	"log_level":                          {apply: none},

	// security
	"security.protocol":                                 {apply: secured},
	"ssl.ca.location":                                   {apply: withSecurity},
	"ssl.ca.pem":                                        {apply: withSecurity},
	"ssl.certificate.location":                          {apply: withSecurity},
	"ssl.certificate.pem":                               {apply: withSecurity},
	"ssl.key.location":                                  {apply: withSecurity},
	"ssl.key.pem":                                       {apply: withSecurity},
	"enable.ssl.certificate.verification":               {apply: withSecurity},
	"ssl.endpoint.identification.algorithm":             {apply: withSecurity},
	"sasl.mechanism":                                    {apply: withSecurity},
	"sasl.username":                                     {apply: withSecurity},
	"sasl.password":                                     {apply: withSecurity},
	"ssl.key.password":                                  {apply: withSecurity},
	"ssl.keystore.location":                             {apply: withSecurity},
	"ssl.keystore.password":                             {apply: withSecurity},
	"enable.sasl.oauthbearer.unsecure.jwt":              {apply: withSecurity},
	"sasl.oauthbearer.config":                           {apply: withSecurity},
	"sasl.oauthbearer.method":                           {apply: withSecurity},
	"sasl.oauthbearer.grant.type":                       {apply: withSecurity},
	"sasl.oauthbearer.scope":                            {apply: withSecurity},
	"sasl.oauthbearer.extensions":                       {apply: withSecurity},
	"sasl.oauthbearer.token.endpoint.url":               {apply: withSecurity},
	"sasl.oauthbearer.client.credentials.client.id":     {apply: withSecurity},
	"sasl.oauthbearer.client.credentials.client.secret": {apply: withSecurity},
	"ssl.cipher.suites":                                 {apply: never("OpenSSL's names of ciphers mean nothing to Go")},
	"ssl.curves.list":                                   {apply: never("OpenSSL's names of curves mean nothing to Go")},
	"sasl.kerberos.service.name":                        {apply: never(noKerberos)},
	"sasl.kerberos.principal":                           {apply: never(noKerberos)},
	"sasl.kerberos.keytab":                              {apply: never(noKerberos)},

	// metadata and retries
	"topic.metadata.refresh.interval.ms":      {apply: refresh},
	"metadata.max.age.ms":                     {apply: refresh, note: always("sarama refreshes at this age, librdkafka drops what is that old")},
	"topic.metadata.refresh.fast.interval.ms": {apply: none, note: always("sarama asks at every retry, after the retry backoff")},
	"topic.metadata.propagation.max.ms":       {apply: none, note: always("sarama counts failed look-ups and has no time limit for an unknown topic")},
	"topic.metadata.refresh.sparse":           {apply: when(func(c *sarama.Config, on bool) { c.Metadata.Full = !on })},
	"allow.auto.create.topics":                {apply: when(func(c *sarama.Config, on bool) { c.Metadata.AllowAutoTopicCreation = on })},
	"retry.backoff.ms":                        {apply: backoff, note: always("sarama counts its attempts at metadata, transaction requests and joins; the counts are raised so that it is as patient as with its own backoff (0.75 s, 5 s, 8 s)")},
	"retry.backoff.max.ms":                    {apply: backoff},
	"reconnect.backoff.ms":                    {apply: backoff, note: always("sarama has no backoff for connections, it waits the retry backoff")},
	"reconnect.backoff.max.ms":                {apply: backoff, note: always("sarama has no backoff for connections, it waits the retry backoff")},

	// producers
	"acks":                                  {apply: acks},
	"enable.idempotence":                    {apply: idempotence},
	"max.in.flight.requests.per.connection": {apply: inFlight, note: inFlightNote},
	"retries":                               {apply: retries, note: retriesNote},
	"delivery.timeout.ms":                   {apply: none, note: always("sarama has none, it gives a record up after retries")},
	"request.timeout.ms":                    {apply: millis(func(c *sarama.Config) *time.Duration { return &c.Producer.Timeout }, time.Millisecond)},
	"linger.ms":                             {apply: millis(func(c *sarama.Config) *time.Duration { return &c.Producer.Flush.Frequency }, 0)},
	"batch.size":                            {apply: batchBytes, note: always("sarama flushes when it has as many bytes for one broker, and ends a batch at message.max.bytes")},
	"batch.num.messages":                    {apply: number(func(c *sarama.Config) *int { return &c.Producer.Flush.MaxMessages }, 1), note: always("sarama counts the records of a request, not of a batch")},
	"message.max.bytes":                     {apply: largest, note: always("sarama measures the record before it is compressed")},
	"compression.type":                      {apply: compression},
	"compression.level":                     {apply: compression, note: always("another encoder, the same level gives other sizes")},
	"queue.buffering.max.messages":          {apply: none, note: always(channels)},
	"queue.buffering.max.kbytes":            {apply: none, note: always(channels)},
	"partitioner":                           {apply: knownPartitioner, note: partitionerNote},
	"sticky.partitioning.linger.ms":         {apply: none, note: always("sarama chooses a partition for each record without a key")},
	"transactional.id":                      {apply: text(func(c *sarama.Config) *string { return &c.Producer.Transaction.ID })},
	"transaction.timeout.ms":                {apply: millis(func(c *sarama.Config) *time.Duration { return &c.Producer.Transaction.Timeout }, 0)},

	// consumers
	"group.id":                      {apply: none}, // newConsumer reads it
	"group.instance.id":             {apply: text(func(c *sarama.Config) *string { return &c.Consumer.Group.InstanceId })},
	"group.protocol":                {apply: only("classic")},
	"group.protocol.type":           {apply: only("consumer")},
	"partition.assignment.strategy": {apply: strategies},
	"session.timeout.ms":            {apply: millis(func(c *sarama.Config) *time.Duration { return &c.Consumer.Group.Session.Timeout }, 3*time.Millisecond)},
	"heartbeat.interval.ms":         {apply: millis(func(c *sarama.Config) *time.Duration { return &c.Consumer.Group.Heartbeat.Interval }, time.Millisecond)},
	"max.poll.interval.ms":          {apply: millis(func(c *sarama.Config) *time.Duration { return &c.Consumer.Group.Rebalance.Timeout }, 2*time.Millisecond), note: always("sarama tells the coordinator, but never leaves the group because nobody polls")},
	"enable.auto.commit":            {apply: autoCommit},
	"auto.commit.interval.ms":       {apply: commitInterval},
	"enable.auto.offset.store":      {apply: none}, // newConsumer reads it
	"auto.offset.reset":             {apply: offsetReset},
	"isolation.level":               {apply: isolation},
	"check.crcs":                    {apply: only("true")},
	"fetch.wait.max.ms":             {apply: millis(func(c *sarama.Config) *time.Duration { return &c.Consumer.MaxWaitTime }, time.Millisecond)},
	"fetch.min.bytes":               {apply: number(func(c *sarama.Config) *int32 { return &c.Consumer.Fetch.Min }, 1)},
	"fetch.max.bytes":               {apply: number(func(c *sarama.Config) *int32 { return &c.Consumer.Fetch.MaxBytes }, 1)},
	"max.partition.fetch.bytes":     {apply: number(func(c *sarama.Config) *int32 { return &c.Consumer.Fetch.Default }, 1), note: always("sarama begins with it, and asks for more when a batch does not fit")},
	"fetch.error.backoff.ms":        {apply: none, note: always("sarama waits the retry backoff")},
	"queued.max.messages.kbytes":    {apply: none, note: always("sarama holds one answer of each broker, and 256 records of each partition")},
}

// harmless has the one value at which a setting without an equivalent asks for
// what sarama does anyway.
var harmless = map[string]string{
	"enable.gapless.guarantee":                      "false",
	"enable.partition.eof":                          "false",
	"group.remote.assignor":                         "",
	"metadata.recovery.strategy":                    "rebootstrap",
	"queue.buffering.backpressure.threshold":        "1",
	"queuing.strategy":                              "fifo",
	"sasl.oauthbearer.metadata.authentication.type": "none",
	"socket.max.fails":                              "1",
	"statistics.interval.ms":                        "0",
}

const (
	noKerberos = "Kerberos is not built in"
	channels   = "sarama has no such limit; a program waits when sarama's channels, of 256 records each, are full"
)

func none(*sarama.Config, string, given, config.Role) error { return nil }

func never(reason string) apply {
	return func(*sarama.Config, string, given, config.Role) error { return errors.New(reason) }
}

// only accepts the one value that is what sarama does anyway.
func only(fixed string) apply {
	return func(_ *sarama.Config, value string, _ given, _ config.Role) error {
		if !equal(value, fixed) {
			return fmt.Errorf("sarama always does as with %s", fixed)
		}
		return nil
	}
}

// when sets a switch.
func when(set func(*sarama.Config, bool)) apply {
	return func(c *sarama.Config, value string, _ given, _ config.Role) error {
		set(c, equal(value, "true"))
		return nil
	}
}

// equal compares words without their case, and booleans by their meaning.
func equal(a, b string) bool {
	x, okX := config.Bool(a)
	y, okY := config.Bool(b)
	if okX && okY {
		return x == y
	}
	return strings.EqualFold(a, b)
}

func text(field func(*sarama.Config) *string) apply {
	return func(c *sarama.Config, value string, _ given, _ config.Role) error {
		*field(c) = value
		return nil
	}
}

func words(value string) []string {
	if value == "" {
		return nil
	}
	var all []string
	for word := range strings.SplitSeq(value, ",") {
		all = append(all, strings.TrimSpace(word))
	}
	return all
}

// number sets an integer of which sarama takes low or more.
func number[N int | int32](field func(*sarama.Config) *N, low float64) apply {
	return func(c *sarama.Config, value string, _ given, _ config.Role) error {
		n, err := atLeast(value, low, "")
		if err != nil {
			return err
		}
		*field(c) = N(min(n, math.MaxInt32))
		return nil
	}
}

// millis sets a duration of which sarama takes low or more.
func millis(field func(*sarama.Config) *time.Duration, low time.Duration) apply {
	return func(c *sarama.Config, value string, _ given, _ config.Role) error {
		const ms = float64(time.Millisecond)
		n, err := atLeast(value, float64(low)/ms, " ms")
		if err != nil {
			return err
		}
		*field(c) = time.Duration(n * ms)
		return nil
	}
}

func atLeast(value string, low float64, unit string) (float64, error) {
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil:
		return 0, errors.New("expected a number")
	case n < low:
		return 0, fmt.Errorf("sarama takes %v%s or more", low, unit)
	}
	return n, nil
}

func always(text string) func(string, given) string {
	return func(string, given) string { return text }
}

func unless(fixed, text string) func(string, given) string {
	return func(value string, _ given) string {
		if equal(value, fixed) {
			return ""
		}
		return text
	}
}
