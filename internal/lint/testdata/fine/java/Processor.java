import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.errors.*;
import org.apache.kafka.common.serialization.*;

class Processor {
    private final KafkaConsumer<String, String> consumer;
    private final KafkaProducer<String, String> producer;

    Processor(Properties in, Properties out) {
        in.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        in.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        in.put(ConsumerConfig.GROUP_ID_CONFIG, "etl");
        consumer = new KafkaConsumer<>(in);
        producer = new KafkaProducer<>(out);
        producer.initTransactions();
    }

    void step() {
        ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(100));
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        producer.beginTransaction();
        for (ConsumerRecord<String, String> r : records) {
            producer.send(new ProducerRecord<>("out", r.key(), r.value()));
            next.put(new TopicPartition(r.topic(), r.partition()), new OffsetAndMetadata(r.offset() + 1));
        }
        producer.sendOffsetsToTransaction(next, consumer.groupMetadata());
        producer.commitTransaction();
    }
}
