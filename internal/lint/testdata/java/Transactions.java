package shop;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.*;

class Transactions {
    void random() {
        String id = "payments-" + UUID.randomUUID();
        KafkaProducer<String, String> producer = new KafkaProducer<>(Map.of(
            "bootstrap.servers", "localhost:9092",
            "transactional.id", id));
        producer.beginTransaction();
        producer.send(new ProducerRecord<>("out", "v"));
        producer.commitTransaction();
    }

    void process(KafkaConsumer<String, String> consumer, KafkaProducer<String, String> producer) {
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        for (ConsumerRecord<String, String> r : consumer.poll(java.time.Duration.ofSeconds(1))) {
            next.put(new TopicPartition(r.topic(), r.partition()), new OffsetAndMetadata(r.offset()));
        }
        try {
            producer.sendOffsetsToTransaction(next, consumer.groupMetadata());
            producer.commitTransaction();
        } catch (ProducerFencedException e) {
            producer.abortTransaction();
        }
    }

    void lost(Map<String, Object> config) {
        KafkaProducer<String, String> producer = new KafkaProducer<>(config);
        producer.send(new ProducerRecord<>("out", "v"));
    }
}
