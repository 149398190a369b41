"""What the reader knows by name: clients, and calls with a meaning of their own."""

# Classes that take settings: whose they are, for which role, and how they are given.
CLIENTS = {}


def _client(client, role, form, *paths):
    for path in paths:
        CLIENTS[path] = (client, role, form)


_client("python", "producer", "dict",
        "confluent_kafka.Producer", "confluent_kafka.cimpl.Producer",
        "confluent_kafka.SerializingProducer", "confluent_kafka.serializing_producer.SerializingProducer",
        "confluent_kafka.avro.AvroProducer", "confluent_kafka.aio.AIOProducer",
        "confluent_kafka.aio.AsyncSerializingProducer", "confluent_kafka.experimental.aio.AIOProducer")
_client("python", "consumer", "dict",
        "confluent_kafka.Consumer", "confluent_kafka.cimpl.Consumer",
        "confluent_kafka.DeserializingConsumer", "confluent_kafka.deserializing_consumer.DeserializingConsumer",
        "confluent_kafka.avro.AvroConsumer", "confluent_kafka.aio.AIOConsumer",
        "confluent_kafka.aio.AsyncDeserializingConsumer", "confluent_kafka.experimental.aio.AIOConsumer",
        "confluent_kafka.ShareConsumer", "confluent_kafka.DeserializingShareConsumer")
_client("python", "admin", "dict", "confluent_kafka.admin.AdminClient")
_client("kafka-python", "producer", "keywords", "kafka.KafkaProducer", "kafka.producer.KafkaProducer",
        "kafka.producer.kafka.KafkaProducer")
_client("kafka-python", "consumer", "keywords", "kafka.KafkaConsumer", "kafka.consumer.KafkaConsumer",
        "kafka.consumer.group.KafkaConsumer")
_client("kafka-python", "admin", "keywords", "kafka.KafkaAdminClient", "kafka.admin.KafkaAdminClient",
        "kafka.admin.client.KafkaAdminClient")
_client("aiokafka", "producer", "keywords", "aiokafka.AIOKafkaProducer", "aiokafka.producer.AIOKafkaProducer")
_client("aiokafka", "consumer", "keywords", "aiokafka.AIOKafkaConsumer", "aiokafka.consumer.AIOKafkaConsumer")
_client("aiokafka", "admin", "keywords", "aiokafka.admin.AIOKafkaAdminClient")

# What a name that nothing binds stands for in a listing.
ASSUMED = {path.rsplit(".", 1)[-1]: path for path in reversed(list(CLIENTS))}

# Keyword arguments of those classes that are no settings.
NO_SETTINGS = {"logger", "loop", "max_workers", "executor", "batch_size", "buffer_timeout", "default_key_schema",
               "default_value_schema", "schema_registry", "reader_key_schema", "reader_value_schema"}

# Settings of topics and brokers: which argument holds them.
RESOURCES = {
    "confluent_kafka.admin.NewTopic": ("topic", "config", None),
    "confluent_kafka.cimpl.NewTopic": ("topic", "config", None),
    "kafka.admin.NewTopic": ("topic", "topic_configs", None),
    "kafka.admin.new_topic.NewTopic": ("topic", "topic_configs", None),
    "aiokafka.admin.NewTopic": ("topic", "topic_configs", None),
    "confluent_kafka.admin.ConfigResource": ("", "set_config", 2),
    "kafka.admin.ConfigResource": ("", "configs", 2),
    "aiokafka.admin.config_resource.ConfigResource": ("", "configs", 2),
}

# The plain name of other classes, for what their objects can do.
CLASSES = {
    "confluent_kafka.TopicPartition": "TopicPartition",
    "confluent_kafka.KafkaError": "KafkaError",
    "confluent_kafka.error.KafkaError": "KafkaError",
    "confluent_kafka.cimpl.KafkaError": "KafkaError",
    "confluent_kafka.KafkaException": "KafkaException",
    "confluent_kafka.error.KafkaException": "KafkaException",
    "confluent_kafka.cimpl.KafkaException": "KafkaException",
    "confluent_kafka.Message": "Message",
    "kafka.OffsetAndMetadata": "OffsetAndMetadata",
    "kafka.structs.OffsetAndMetadata": "OffsetAndMetadata",
    "aiokafka.OffsetAndMetadata": "OffsetAndMetadata",
    "aiokafka.structs.OffsetAndMetadata": "OffsetAndMetadata",
}

KAFKA_ERROR = {path for path, name in CLASSES.items() if name == "KafkaError"}
KAFKA_EXCEPTION = {path for path, name in CLASSES.items() if name == "KafkaException"}

# Packages, by the client whose they are.
PACKAGES = {"confluent_kafka": "python", "kafka": "kafka-python", "aiokafka": "aiokafka", "pyflink": "java"}

# Calls that give another result at each start of the program.
CHANGING = {
    "uuid.uuid1", "uuid.uuid4", "uuid.uuid6", "uuid.uuid7", "os.getpid", "os.getppid", "os.urandom",
    "time.time", "time.time_ns", "time.monotonic", "time.monotonic_ns", "time.perf_counter", "time.strftime",
    "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.now",
    "threading.get_ident", "threading.get_native_id",
}
CHANGING_MODULES = ("random.", "secrets.", "numpy.random.")

# Names from these packages are functions and classes, not values of settings.
OBJECTS = {"builtins", "json", "kafka", "aiokafka", "confluent_kafka", "functools", "logging", "msgpack", "pickle"}

# Keys that show that a dict is not for a client, though it has some of a client's keys.
FOREIGN = ("connector.class", "tasks.max", "key.converter", "value.converter", "config.storage.topic",
           "offset.storage.topic", "application.id", "ksql.service.id", "process.roles", "plugin.path")


def changing(path):
    """Whether a call of that path gives another result at each start."""
    return path in CHANGING or path.startswith(CHANGING_MODULES)
