import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.errors.*;
import org.apache.kafka.common.serialization.*;

class SyncProducer {
    void send(Map<String, Object> config, List<String> values) throws Exception {
        KafkaProducer<String, String> producer = new KafkaProducer<>(config);
        try {
            for (String v : values) {
                producer.send(new ProducerRecord<>("orders", v)).get();
            }
        } finally {
            producer.close(Duration.ofSeconds(10));
        }
    }
}
