from aiokafka import AIOKafkaConsumer
from kafka import KafkaProducer, KafkaAdminClient
from kafka.admin import NewTopic

conf = {"bootstrap_servers": ["a:1", "b:2"], "security_protocol": "SSL", "ssl_check_hostname": False}
producer = KafkaProducer(acks=-1, buffer_memory=64 * 1024 * 1024, compression_type=None, max_request_size=2_000_000,
                         request_timeout_ms=30000, ssl_cafile="/ca.pem", key_serializer=str.encode, api_version=(2, 6), **conf)
consumer = AIOKafkaConsumer("t", bootstrap_servers="a:1", group_id="g", rebalance_timeout_ms=9000, fetch_max_wait_ms=5)
admin = KafkaAdminClient(**conf)
NewTopic("t", 1, 1, topic_configs={"cleanup.policy": "compact"})
