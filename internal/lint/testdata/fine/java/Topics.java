import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.errors.*;
import org.apache.kafka.common.serialization.*;

class Topics {
    void create() throws Exception {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:9092",
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000))) {
            admin.createTopics(List.of(new NewTopic("orders", 6, (short) 3)
                .configs(Map.of("min.insync.replicas", "2", "retention.ms", "604800000")))).all().get();
        }
    }
}
