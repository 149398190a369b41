import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.errors.*;
import org.apache.kafka.common.serialization.*;

class ManualCommits {
    void run(KafkaConsumer<String, String> consumer) {
        while (true) {
            ConsumerRecords<String, String> records = consumer.poll(Duration.ofSeconds(1));
            for (TopicPartition partition : records.partitions()) {
                List<ConsumerRecord<String, String>> part = records.records(partition);
                long last = part.get(part.size() - 1).offset();
                consumer.commitSync(Collections.singletonMap(partition, new OffsetAndMetadata(last + 1)));
            }
            consumer.commitAsync(Map.of(new TopicPartition("t", 0), new OffsetAndMetadata(consumer.position(new TopicPartition("t", 0)))), null);
        }
    }
}
