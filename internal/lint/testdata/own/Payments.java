import java.util.Properties;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

class Payments {
    KafkaProducer<String, String> producer() {
        Properties p = new Properties();
        p.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "kafka:9092");
        p.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class.getName());
        p.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class.getName());
        p.put(ProducerConfig.ACKS_CONFIG, "1");
        p.put("linger.ms", "0.5");
        p.put("message.timeout.ms", "30000");
        p.put("min.insync.replicas", "2");
        return new KafkaProducer<>(p);
    }

    KafkaProducer<String, String> random() {
        Properties p = new Properties();
        p.put("bootstrap.servers", "kafka:9092");
        p.put("transactional.id", "payments-" + UUID.randomUUID());
        p.put("delivery.timeout.ms", 20000); // kcompare:ignore java-conflict the test wants it refused
        p.put("transaction.timeout.ms", 1000000);
        return new KafkaProducer<>(p, new StringSerializer(), new StringSerializer());
    }

    KafkaConsumer<String, String> consumer() {
        Properties p = new Properties();
        p.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "kafka:9092");
        p.put(ConsumerConfig.GROUP_ID_CONFIG, "payments");
        p.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "beginning");
        p.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, "45000");
        p.put("acks", "all");
        return new KafkaConsumer<>(p, new StringDeserializer(), new StringDeserializer());
    }
}
