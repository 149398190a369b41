import java.util.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.errors.*;
public class RoleSettings {
    enum Role { PRODUCER, CONSUMER }
    static Properties props(Role role) {
        Properties p = new Properties();
        p.putAll(System.getenv());
        p.put("bootstrap.servers", System.getenv().getOrDefault("BOOTSTRAP", "localhost:9092"));
        p.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, "org.apache.kafka.common.serialization.StringSerializer");
        p.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, "org.apache.kafka.common.serialization.StringDeserializer");
        p.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        p.put("value.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        switch (role) {
            case PRODUCER: p.put("transactional.id", "a"); p.put("acks", "all"); break;
            case CONSUMER: p.put("group.id", "g"); p.put("enable.auto.commit", "false"); break;
        }
        return p;
    }
    public static void main(String[] a) {
        try (var producer = new KafkaProducer<String, String>(props(Role.PRODUCER)); var consumer = new KafkaConsumer<String, String>(props(Role.CONSUMER))) {
            producer.initTransactions();
            consumer.subscribe(List.of("in"));
            while (true) {
                ConsumerRecords<String, String> records = consumer.poll(java.time.Duration.ofMillis(100));
                producer.beginTransaction();
                Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
                try {
                    for (ConsumerRecord<String, String> r : records) {
                        producer.send(new ProducerRecord<>("out", r.key(), r.value()));
                        offsets.put(new TopicPartition(r.topic(), r.partition()), new OffsetAndMetadata(r.offset() + 1));
                    }
                    producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
                    producer.commitTransaction();
                } catch (ProducerFencedException | OutOfOrderSequenceException | AuthorizationException e) {
                    throw e;
                } catch (KafkaException e) {
                    producer.abortTransaction();
                    consumer.committed(consumer.assignment()).forEach((tp, o) -> { if (o != null) consumer.seek(tp, o); else consumer.seekToBeginning(List.of(tp)); });
                }
            }
        }
    }
}
