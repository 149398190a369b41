package lint

import (
	"fmt"

	"kcompare/internal/source"
)

// pythonFacts judges the facts of Python, which source.PythonRules lists.
func pythonFacts() map[string]factRule {
	return map[string]factRule{
		"offset-not-next": {Error,
			about("%s gets the offset of a record that is done: the group starts with this record again, and it is processed twice"),
			always("offset + 1: what is committed is the next offset to read")},
		"except-kafka-error": {Error,
			always("catches nothing: the library raises KafkaException, whose args[0] is the KafkaError"),
			always("except KafkaException as e, then e.args[0].code(), .fatal(), .retriable(), .txn_requires_abort()")},
		"raise-kafka-error": {Error,
			always("KafkaError is no exception: raised it flies past except KafkaException, except Exception and even except BaseException"),
			always("raise KafkaException(msg.error())")},
		"no-such-member":          {Error, noMember, nearMember},
		"member-of-some-versions": {Info, someVersions, needsVersion},
		"transaction-without-id": {Error,
			about("%s fails: the settings of this producer have no transactional.id"),
			withoutID},
		"missing-flush": {Warning,
			about("nothing flushes this producer after %s: what still waits in its buffer when the program ends is lost"),
			always("flush() before the end")},
		"delivery-report-unread": {Info,
			about("nobody reads what became of the record: %s has no callback, and its errors are not raised"),
			always("on_delivery=..., and poll() or flush() to have it called")},
		"builtin-hash": {Warning,
			always("hash() of text and bytes is another number in each process (PYTHONHASHSEED): a key changes its partition at each start"),
			always("leave the partition to the library's partitioner, or use zlib.crc32")},
		"client-before-fork": {Warning,
			about("this %s is made before a fork and used in the child, where its threads do not live on: nothing is sent or fetched there"),
			always("make it in the child process, or start processes with spawn")},
		"undefined-name":     {Error, undefined, bindName},
		"name-not-imported":  {Warning, about("%s is not imported in this listing, which has imports of its own from confluent_kafka; an earlier one has it"), about("import %s here too")},
		"abort-without-seek": {Warning, always("after the abort the consumer goes on behind the aborted input, which nobody reads again before a restart"), always("seek each partition back to committed() after the abort, or end the program")},
		"transaction-in-signal-handler": {Warning,
			about("%s in a signal handler ends the transaction under the code that was interrupted, which goes on as if it were open"),
			always("set a flag in the handler, and end the transaction where it was begun")},
		"fatal-not-checked": {Info,
			always("an error that is fatal (fenced) lets no abort through: abort_transaction raises again, in the handler"),
			always("ask e.args[0].txn_requires_abort() before the abort, and end the producer where e.args[0].fatal()")},
	}
}

// about is a text with one place for what the fact is about.
func about(text string) func(source.Fact) string {
	return func(f source.Fact) string { return fmt.Sprintf(text, f.About) }
}

func noMember(f source.Fact) string {
	in := f.Args["package"] + " " + f.Args["versions"]
	if f.Args["has"] != "" {
		in = fmt.Sprintf("%s %s, which is asked for here; %s has it", f.Args["package"], f.Args["version"], f.Args["has"])
	}
	return fmt.Sprintf("%s has no %s (%s)", f.Args["class"], f.About, in)
}

// meant is what is to be written instead of names that are made up by a pattern, or that
// another client has.
var meant = map[string]string{
	"KafkaError._INVALID_TRANSACTION": "INVALID_TXN_STATE, or _STATE for a call that does not fit the state of the client",
	"KafkaError._TRANSACTION_TIMEOUT": "_TIMED_OUT for a call that took too long; a transaction that the broker ended comes as _FENCED or INVALID_PRODUCER_EPOCH (INVALID_TRANSACTION_TIMEOUT is a transaction.timeout.ms above the broker's limit)",
	"Producer.metrics":                "statistics.interval.ms with stats_cb in the settings",
	"Consumer.metrics":                "statistics.interval.ms with stats_cb in the settings",
	"Producer.send":                   "produce",
	"KafkaException.code":             "args[0].code()",
	"KafkaException.fatal":            "args[0].fatal()",
	"KafkaException.retriable":        "args[0].retriable()",
	"confluent_kafka.KafkaProducer":   "Producer (KafkaProducer is kafka-python's)",
	"confluent_kafka.KafkaConsumer":   "Consumer (KafkaConsumer is kafka-python's)",
	"confluent_kafka.AdminClient":     "from confluent_kafka.admin import AdminClient",
	"confluent_kafka.NewTopic":        "from confluent_kafka.admin import NewTopic",
}

func nearMember(f source.Fact) string {
	if text, known := meant[f.Args["class"]+"."+f.About]; known {
		return text
	}
	return f.Args["nearest"]
}

func someVersions(f source.Fact) string {
	return fmt.Sprintf("of %s %s only %s has %s.%s", f.Args["package"], f.Args["versions"], f.Args["has"], f.Args["class"], f.About)
}

func needsVersion(f source.Fact) string {
	return fmt.Sprintf("%s==%s in the requirements", f.Args["package"], f.Args["has"])
}

func withoutID(f source.Fact) string {
	if f.Args["client"] == "python" {
		return `"transactional.id" in its settings`
	}
	return "transactional_id=..."
}

func undefined(f source.Fact) string {
	if f.Args["function"] == "" {
		return f.About + " is not defined here: NameError when this line runs"
	}
	return fmt.Sprintf("%s is not defined here, it is a name within %s: NameError when this line runs", f.About, f.Args["function"])
}

func bindName(f source.Fact) string {
	if f.Args["function"] == "" {
		return "from confluent_kafka import " + f.About
	}
	if f.Args["attribute"] != "" {
		return "self." + f.About
	}
	return fmt.Sprintf("keep it in %s: self.%s = %s", f.Args["function"], f.About, f.About)
}
