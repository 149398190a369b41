import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.errors.*;
import org.apache.kafka.common.serialization.*;

class Shared {
    static Map<String, Object> common() {
        Map<String, Object> m = new HashMap<>();
        m.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, System.getenv("BROKERS"));
        String password = System.getenv("PASSWORD");
        if (password != null) {
            m.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SASL_SSL");
            m.put("sasl.mechanism", "SCRAM-SHA-512");
        }
        return m;
    }

    KafkaProducer<byte[], byte[]> producer(boolean safe) {
        Map<String, Object> m = common();
        m.put(ProducerConfig.ACKS_CONFIG, safe ? "all" : "1");
        m.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, safe);
        m.putAll(Map.of(ProducerConfig.COMPRESSION_TYPE_CONFIG, "zstd"));
        return new KafkaProducer<>(m, new ByteArraySerializer(), new ByteArraySerializer());
    }
}
