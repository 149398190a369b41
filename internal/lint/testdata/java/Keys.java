package shop;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.StringSerializer;

class Keys {
    private static final int MINUTE = 60_000;

    KafkaProducer<String, String> producer() {
        Properties props = new Properties();
        props.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:9092");
        props.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class.getName());
        props.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class.getName());
        props.put(ProducerConfig.ACKS_CONFIG, 1);
        props.put(ProducerConfig.RETRY_CONFIG, 5);
        props.put("linger.ms", 0.5);
        props.put("batch.siez", 16384);
        props.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 3 * MINUTE);
        props.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, MINUTE);
        return new KafkaProducer<>(props);
    }

    KafkaConsumer<String, String> consumer() {
        Map<String, Object> props = new HashMap<>();
        props.put(ConsumerConfig.GROUP_ID_CONFIG, "shop");
        props.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, Duration.ofMinutes(10).toMillis());
        props.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "smallest");
        return new KafkaConsumer<>(props);
    }
}
