package franz

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kcompare/internal/config"
)

// rule says what one setting becomes in kgo.
type rule struct {
	options translator
	group   bool                               // kgo takes it from members of a group only
	note    func(value string, g given) string // what is only approximate; nil or empty when nothing is
}

// translator makes the options of one setting. Its error is the reason why the
// value cannot be expressed, or a *drivers.ConfigError. Settings that make one
// option together each make it from all of them: the last one equals the first.
type translator func(value string, g given, role config.Role) ([]kgo.Opt, error)

// rules has every setting that franz-go can express.
var rules = map[string]rule{
	// connections
	"bootstrap.servers":                  {options: list(kgo.SeedBrokers)},
	"client.id":                          {options: text(kgo.ClientID)},
	"socket.timeout.ms":                  {options: socketTimeout, note: socketTimeoutNote},
	"socket.connection.setup.timeout.ms": {options: millis(kgo.DialTimeout, 0, forever)},
	"connections.max.idle.ms":            {options: idle, note: idleNote},
	"socket.keepalive.enable":            {options: none, note: unless("true", "franz-go always keeps connections alive")},
	"socket.nagle.disable":               {options: only("true")},
	"broker.address.family":              {options: only("any")},
	"client.dns.lookup":                  {options: only("use_all_dns_ips")},
	"socket.send.buffer.bytes":           {options: only("0")},
	"socket.receive.buffer.bytes":        {options: only("0")},
	"receive.message.max.bytes":          {options: number(kgo.BrokerMaxReadBytes, 1024, 1<<30)},
	"api.version.request":                {options: only("true")},
	"api.version.request.timeout.ms":     {options: none, note: always("franz-go waits as long as for any other request")},
	"broker.version.fallback":            {options: none, note: always("not used, franz-go always asks the broker")},
	"enable.metrics.push":                {options: when("false", kgo.DisableClientMetrics)},
	"client.rack":                        {options: text(kgo.Rack)},
	"debug":                              {options: none, note: always("franz-go has one log level and no contexts")},
	"log_level":                          {options: none},

	// security
	"security.protocol":                                 {options: secured},
	"ssl.ca.location":                                   {options: withSecurity},
	"ssl.ca.pem":                                        {options: withSecurity},
	"ssl.certificate.location":                          {options: withSecurity},
	"ssl.certificate.pem":                               {options: withSecurity},
	"ssl.key.location":                                  {options: withSecurity},
	"ssl.key.pem":                                       {options: withSecurity},
	"enable.ssl.certificate.verification":               {options: withSecurity},
	"ssl.endpoint.identification.algorithm":             {options: withSecurity},
	"sasl.mechanism":                                    {options: withSecurity},
	"sasl.username":                                     {options: withSecurity},
	"sasl.password":                                     {options: withSecurity},
	"ssl.key.password":                                  {options: withSecurity},
	"ssl.keystore.location":                             {options: withSecurity},
	"ssl.keystore.password":                             {options: withSecurity},
	"enable.sasl.oauthbearer.unsecure.jwt":              {options: withSecurity},
	"sasl.oauthbearer.config":                           {options: withSecurity},
	"sasl.oauthbearer.method":                           {options: withSecurity},
	"sasl.oauthbearer.grant.type":                       {options: withSecurity},
	"sasl.oauthbearer.scope":                            {options: withSecurity},
	"sasl.oauthbearer.extensions":                       {options: withSecurity},
	"sasl.oauthbearer.token.endpoint.url":               {options: withSecurity},
	"sasl.oauthbearer.client.credentials.client.id":     {options: withSecurity},
	"sasl.oauthbearer.client.credentials.client.secret": {options: withSecurity},

	// metadata and retries
	"metadata.recovery.strategy":              {options: only("rebootstrap")},
	"topic.metadata.refresh.interval.ms":      {options: millis(kgo.MetadataMaxAge, 10*time.Millisecond, time.Hour)},
	"metadata.max.age.ms":                     {options: maxAge, note: always("franz-go refreshes at this age, librdkafka drops what is that old")},
	"topic.metadata.refresh.fast.interval.ms": {options: minAge, note: always("franz-go asks at most once per interval, and then waits for the answer before it retries")},
	"topic.metadata.propagation.max.ms":       {options: unknownTopics, note: always("franz-go counts failed look-ups and has no time limit of its own for an unknown topic")},
	"allow.auto.create.topics":                {options: when("true", kgo.AllowAutoTopicCreation)},
	"retry.backoff.ms":                        {options: backoff, note: always("franz-go counts consecutive failures of a broker, so an answer with an error is retried after the first backoff")},
	"retry.backoff.max.ms":                    {options: backoff},
	"reconnect.backoff.ms":                    {options: backoff, note: always("franz-go has no backoff for connections, it waits the retry backoff")},
	"reconnect.backoff.max.ms":                {options: backoff, note: always("franz-go has no backoff for connections, it waits the retry backoff")},

	// producers
	"acks":                                  {options: acks},
	"enable.idempotence":                    {options: when("false", kgo.DisableIdempotentWrite)},
	"enable.gapless.guarantee":              {options: none, note: always("franz-go always fails what waits behind a failed record, and does not become fatal")},
	"max.in.flight.requests.per.connection": {options: inFlight},
	"retries":                               {options: number(kgo.RecordRetries, 0, math.MaxInt32), note: retriesNote},
	"delivery.timeout.ms":                   {options: deliveryTimeout, note: deliveryTimeoutNote},
	"request.timeout.ms":                    {options: millis(kgo.ProduceRequestTimeout, 100*time.Millisecond, forever)},
	"linger.ms":                             {options: millis(kgo.ProducerLinger, 0, time.Minute)},
	"batch.size":                            {options: batchBytes, note: always("franz-go refuses a record that does not fit, librdkafka sends it alone")},
	"message.max.bytes":                     {options: batchBytes, note: always("franz-go measures the whole batch, librdkafka the record")},
	"compression.type":                      {options: compression},
	"compression.level":                     {options: compression, note: always("another encoder, the same level gives other sizes")},
	"queue.buffering.max.messages":          {options: number(kgo.MaxBufferedRecords, 1, math.MaxInt32)},
	"queue.buffering.max.kbytes":            {options: bufferedBytes},
	"partitioner":                           {options: knownPartitioner, note: partitionerNote},
	"sticky.partitioning.linger.ms":         {options: none, note: always("franz-go changes the partition of records without a key by batch, not by time")},
	"transactional.id":                      {options: nonEmpty(kgo.TransactionalID)},
	"transaction.timeout.ms":                {options: millis(kgo.TransactionTimeout, 0, forever)},

	// consumers
	"group.id":                      {options: text(kgo.ConsumerGroup), group: true},
	"group.instance.id":             {options: nonEmpty(kgo.InstanceID), group: true},
	"group.protocol":                {options: serverSide, group: true},
	"group.protocol.type":           {options: text(kgo.GroupProtocol), group: true},
	"group.remote.assignor":         {options: remoteAssignor, group: true, note: always("franz-go always names an assignor")},
	"partition.assignment.strategy": {options: balancers, group: true},
	"session.timeout.ms":            {options: millis(kgo.SessionTimeout, 100*time.Millisecond, forever), group: true},
	"heartbeat.interval.ms":         {options: millis(kgo.HeartbeatInterval, 0, forever), group: true},
	"max.poll.interval.ms":          {options: millis(kgo.RebalanceTimeout, 100*time.Millisecond, forever), group: true, note: always("franz-go tells the coordinator, but never leaves the group because nobody polls")},
	"enable.auto.commit":            {options: autoCommit, group: true, note: unless("false", "with GreedyAutoCommit, the nearest")},
	"auto.commit.interval.ms":       {options: commitInterval, group: true},
	"enable.auto.offset.store":      {options: none}, // enable.auto.commit looks at it
	"auto.offset.reset":             {options: offsetReset},
	"isolation.level":               {options: isolation},
	"check.crcs":                    {options: when("false", kgo.DisableFetchCRCValidation)},
	"fetch.wait.max.ms":             {options: millis(kgo.FetchMaxWait, 10*time.Millisecond, forever)},
	"fetch.min.bytes":               {options: number(kgo.FetchMinBytes, 0, math.MaxInt32)},
	"fetch.max.bytes":               {options: number(kgo.FetchMaxBytes, 0, math.MaxInt32)},
	"max.partition.fetch.bytes":     {options: number(kgo.FetchMaxPartitionBytes, 0, math.MaxInt32)},
	"fetch.error.backoff.ms":        {options: none, note: always("franz-go waits the retry backoff")},
	"queued.max.messages.kbytes":    {options: none, note: always("franz-go holds one answer of each broker")},

	// approximate, and not worth imitating
	"ssl.cipher.suites":          {options: never("OpenSSL's names of ciphers mean nothing to Go")},
	"ssl.curves.list":            {options: never("OpenSSL's names of curves mean nothing to Go")},
	"sasl.kerberos.service.name": {options: never(noKerberos)},
	"sasl.kerberos.principal":    {options: never(noKerberos)},
	"sasl.kerberos.keytab":       {options: never(noKerberos)},
	"topic.blacklist":            {options: never("franz-go excludes topics of regex subscriptions only")},
	"client.software.name":       {options: never("it says which library speaks, which is what is compared")},
	"client.software.version":    {options: never("it says which library speaks, which is what is compared")},
}

// harmless has the one value at which a setting without an equivalent asks for
// what franz-go does anyway.
var harmless = map[string]string{
	"enable.partition.eof":                          "false",
	"queue.buffering.backpressure.threshold":        "1",
	"queuing.strategy":                              "fifo",
	"sasl.oauthbearer.metadata.authentication.type": "none",
	"socket.max.fails":                              "1",
	"statistics.interval.ms":                        "0",
	"topic.metadata.refresh.sparse":                 "true",
}

const (
	noKerberos = "franz-go speaks Kerberos through another module, which is not built in"
	forever    = math.MaxInt32 * time.Millisecond
)

func none(string, given, config.Role) ([]kgo.Opt, error) { return nil, nil }

func never(reason string) translator {
	return func(string, given, config.Role) ([]kgo.Opt, error) { return nil, errors.New(reason) }
}

// only accepts the one value that is what franz-go does anyway.
func only(fixed string) translator {
	return func(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
		if !equal(value, fixed) {
			return nil, fmt.Errorf("franz-go always does as with %s", fixed)
		}
		return nil, nil
	}
}

// when sets an option that has no argument, at one value.
func when[O kgo.Opt](on string, opt func() O) translator {
	return func(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
		if !equal(value, on) {
			return nil, nil
		}
		return []kgo.Opt{opt()}, nil
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

func text[O kgo.Opt](opt func(string) O) translator {
	return func(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
		return []kgo.Opt{opt(value)}, nil
	}
}

// nonEmpty reads an empty value as "not set", as librdkafka does.
func nonEmpty[O kgo.Opt](opt func(string) O) translator {
	return func(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
		if value == "" {
			return nil, nil
		}
		return []kgo.Opt{opt(value)}, nil
	}
}

func list[O kgo.Opt](opt func(...string) O) translator {
	return func(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
		return []kgo.Opt{opt(words(value)...)}, nil
	}
}

func words(value string) []string {
	var all []string
	for word := range strings.SplitSeq(value, ",") {
		all = append(all, strings.TrimSpace(word))
	}
	return all
}

// number sets an integer that kgo limits to low..high.
func number[N int | int32, O kgo.Opt](opt func(N) O, low, high float64) translator {
	return func(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
		n, err := within(value, low, high, "")
		if err != nil {
			return nil, err
		}
		return []kgo.Opt{opt(N(n))}, nil
	}
}

// millis sets a duration that kgo limits to low..high.
func millis[O kgo.Opt](opt func(time.Duration) O, low, high time.Duration) translator {
	return func(value string, _ given, _ config.Role) ([]kgo.Opt, error) {
		ms := float64(time.Millisecond)
		n, err := within(value, float64(low)/ms, float64(high)/ms, " ms")
		if err != nil {
			return nil, err
		}
		return []kgo.Opt{opt(time.Duration(n * ms))}, nil
	}
}

func within(value string, low, high float64, unit string) (float64, error) {
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("expected a number")
	case n < low:
		return 0, fmt.Errorf("franz-go takes %v%s or more", low, unit)
	case n > high:
		return 0, fmt.Errorf("franz-go takes %v%s or less", high, unit)
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
