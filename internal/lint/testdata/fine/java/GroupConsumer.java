import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.errors.*;
import org.apache.kafka.common.serialization.*;

class GroupConsumer {
    private static final int SESSION = (int) Duration.ofSeconds(45).toMillis();

    static Properties config(String brokers) {
        Properties p = new Properties();
        p.setProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        p.setProperty(ConsumerConfig.GROUP_ID_CONFIG, "shop");
        p.setProperty(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        p.setProperty(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class.getName());
        p.setProperty(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class.getName());
        p.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION);
        p.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, SESSION / 15);
        p.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
            List.of(CooperativeStickyAssignor.class, RangeAssignor.class));
        return p;
    }

    void run() {
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config(System.getenv("BROKERS")))) {
            consumer.subscribe(List.of("orders"));
            consumer.poll(Duration.ofSeconds(1)).forEach(r -> System.out.println(r.offset()));
        }
    }
}
