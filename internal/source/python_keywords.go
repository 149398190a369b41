package source

import (
	"strconv"
	"strings"

	"kcompare/internal/config"
)

// keyword is a keyword argument of kafka-python or aiokafka whose canonical setting has
// another name than the words with dots, or another unit.
type keyword struct {
	name    string // "" where no setting means the same
	convert func(string) string
}

// keywords are those arguments. The others are Java's names with underscores.
var keywords = map[string]keyword{
	"api_version":                   {},
	"max_block_ms":                  {},
	"max_poll_records":              {}, // librdkafka has no batches of records to bound
	"consumer_timeout_ms":           {},
	"metrics_num_samples":           {},
	"key_serializer":                {},
	"value_serializer":              {},
	"key_deserializer":              {},
	"value_deserializer":            {},
	"partitioner":                   {}, // a function, where librdkafka takes a name
	"partition_assignment_strategy": {},
	"request_timeout_ms":            {name: "socket.timeout.ms"},                  // what the client waits; request.timeout.ms is what the broker waits
	"metadata_max_age_ms":           {name: "topic.metadata.refresh.interval.ms"}, // as Java's
	"fetch_max_wait_ms":             {name: "fetch.wait.max.ms"},
	"max_request_size":              {name: "message.max.bytes"},
	"max_batch_size":                {name: "batch.size"},
	"buffer_memory":                 {name: "queue.buffering.max.kbytes", convert: kilobytes},
	"rebalance_timeout_ms":          {name: "max.poll.interval.ms"},
	"receive_buffer_bytes":          {name: "socket.receive.buffer.bytes"},
	"send_buffer_bytes":             {name: "socket.send.buffer.bytes"},
	"ssl_cafile":                    {name: "ssl.ca.location"},
	"ssl_certfile":                  {name: "ssl.certificate.location"},
	"ssl_keyfile":                   {name: "ssl.key.location"},
	"ssl_password":                  {name: "ssl.key.password"},
	"ssl_crlfile":                   {name: "ssl.crl.location"},
	"ssl_ciphers":                   {name: "ssl.cipher.suites"},
	"ssl_check_hostname":            {name: "ssl.endpoint.identification.algorithm", convert: checkHostname},
	"sasl_plain_username":           {name: "sasl.username"},
	"sasl_plain_password":           {name: "sasl.password"},
	"sasl_kerberos_service_name":    {name: "sasl.kerberos.service.name"},
}

// Keyword is the canonical setting of a keyword argument of kafka-python or aiokafka, and
// the value in that setting's spelling. Both are empty where there is none. Package
// convert asks it about the defaults of those clients.
func Keyword(client, key string, v Value) (name, value string) { return keywordSetting(client, key, v) }

// keywordSetting is the canonical setting of a keyword argument, and its value in that
// setting's spelling; empty for a value that nobody can know.
func keywordSetting(client, key string, v Value) (name, value string) {
	k, special := keywords[key]
	if !special {
		k.name = strings.ReplaceAll(key, "_", ".")
	}
	if client == "kafka-python" && key == "rebalance_timeout_ms" {
		return "", "" // aiokafka alone has it
	}
	s, known := config.Lookup(k.name)
	if !known || s.Type == config.Refused {
		return "", ""
	}
	return s.Name, canonicalText(s, v, k.convert)
}

func canonicalText(s config.Setting, v Value, convert func(string) string) string {
	switch {
	case v.Kind == Null && s.Name == "compression.type":
		return "none"
	case v.Kind == Computed, v.Kind == Code, v.Kind == Null:
		return ""
	case s.Name == "acks" && v.Text == "-1":
		return "all"
	case convert != nil:
		return convert(v.Text)
	}
	return v.Text
}

func kilobytes(bytes string) string {
	n, err := strconv.ParseInt(bytes, 10, 64)
	if err != nil {
		return bytes
	}
	return strconv.FormatInt(n/1024, 10)
}

func checkHostname(check string) string {
	if on, _ := config.Bool(check); on {
		return "https"
	}
	return "none"
}
