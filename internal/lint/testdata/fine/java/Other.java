import com.example.pulsar.ProducerConfig;

/** Another library, which has names like Kafka's. */
class Other {
    Object config = new ProducerConfig().set(ProducerConfig.ACK_TIMEOUT, 1);
}
