import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Writes one order to three topics in a transaction, takes a second order back, and reads the
 * topics as readers of both isolation levels see them.
 *
 * <p>{@code java -cp 'lib/*' docs/workbook/examples/java/Transaction.java 127.0.0.1:9092}
 */
public final class Transaction {
  private static final List<String> TOPICS = List.of("orders", "payments", "notifications");
  private static final Duration LIMIT = Duration.ofSeconds(30); // of each step that waits

  /** How a business goes, and no fault. */
  private static final class PaymentDeclined extends Exception {
    private static final long serialVersionUID = 1;

    PaymentDeclined() {
      super("the payment was declined");
    }
  }

  public static void main(String[] args) throws Exception {
    String servers = servers(args);
    // kcompare:region config
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            servers,
            // the same after a restart: a new instance fences the old one
            "transactional.id",
            "workbook-transaction",
            // then the broker aborts; readers wait as long for a producer that died
            "transaction.timeout.ms",
            30000,
            // the default; transactions need it
            "acks",
            "all");
    Producer<String, String> producer =
        new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    // kcompare:end
    try {
      // fences older instances, and ends what they left open
      settle(producer::initTransactions);
      for (String order : List.of("order-1", "order-2")) {
        transact(producer, order);
      }
    } finally {
      producer.close(LIMIT);
    }
    for (String level : List.of("read_committed", "read_uncommitted")) {
      System.out.println(level);
      read(servers, level);
    }
  }

  // kcompare:region transaction
  /** Writes an order to all topics, or to none as far as readers of committed records can see. */
  private static void transact(Producer<String, String> producer, String order) throws Exception {
    producer.beginTransaction();
    try {
      write(producer, order);
      pay(order);
    } catch (PaymentDeclined reason) {
      abort(producer, order, reason);
      return;
    } catch (ExecutionException | KafkaException reason) {
      abort(producer, order, reason);
      throw reason;
    }
    commit(producer, order);
  }

  // kcompare:end

  /** What the order depends on beside Kafka. */
  private static void pay(String order) throws PaymentDeclined {
    if (order.equals("order-2")) {
      throw new PaymentDeclined();
    }
  }

  // kcompare:region produce
  /**
   * Sends a record to each topic and waits for every answer. Commit would throw for a record that
   * failed; here it is known which one.
   */
  private static void write(Producer<String, String> producer, String order)
      throws ExecutionException, InterruptedException {
    List<Future<RecordMetadata>> answers = new ArrayList<>();
    for (String topic : TOPICS) {
      answers.add(producer.send(new ProducerRecord<>(topic, order, order)));
    }
    producer.flush(); // at most delivery.timeout.ms
    for (Future<RecordMetadata> answer : answers) {
      answer.get();
    }
  }

  // kcompare:end

  // kcompare:region commit
  /** Aborts where the commit failed, which a fenced producer refuses. */
  private static void commit(Producer<String, String> producer, String order) {
    try {
      settle(producer::commitTransaction);
    } catch (KafkaException reason) {
      abort(producer, order, reason);
      throw reason;
    }
    System.out.println(order + ": committed");
  }

  /**
   * After a timeout (max.block.ms) nobody knows how a step ended. The same step again goes on with
   * it; another one is refused.
   */
  private static void settle(Runnable step) {
    Instant deadline = Instant.now().plus(LIMIT);
    while (true) {
      try {
        step.run();
        return;
      } catch (TimeoutException reason) {
        if (Instant.now().isAfter(deadline)) {
          throw reason;
        }
      }
    }
  }

  // kcompare:end

  // kcompare:region abort
  /** Drops what was not sent yet, as well. */
  private static void abort(Producer<String, String> producer, String order, Exception reason) {
    settle(producer::abortTransaction);
    System.out.println(order + ": aborted, " + reason.getMessage());
  }

  // kcompare:end

  // kcompare:region read
  /** Prints what the topics hold, up to their ends. */
  private static void read(String servers, String level) {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers", servers,
            "isolation.level", level); // the default is read_uncommitted
    List<TopicPartition> partitions =
        TOPICS.stream().map(topic -> new TopicPartition(topic, 0)).toList();
    Map<String, List<String>> found = new TreeMap<>();
    try (KafkaConsumer<String, String> reader =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      reader.assign(partitions);
      reader.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = reader.endOffsets(partitions, LIMIT);
      Instant deadline = Instant.now().plus(LIMIT);
      // The position steps over markers and aborted records, which poll does not return.
      while (partitions.stream().anyMatch(p -> reader.position(p, LIMIT) < ends.get(p))) {
        if (Instant.now().isAfter(deadline)) {
          throw new TimeoutException("the ends " + ends + " were not reached within " + LIMIT);
        }
        for (ConsumerRecord<String, String> r : reader.poll(Duration.ofSeconds(1))) {
          found
              .computeIfAbsent(r.topic(), topic -> new ArrayList<>())
              .add(r.value() + " at offset " + r.offset());
        }
      }
    }
    TOPICS.forEach(t -> System.out.println("  " + t + ": " + String.join(", ", found.get(t))));
  }

  // kcompare:end

  /** The first argument, or what the environment says. */
  private static String servers(String[] args) {
    String said = System.getenv().getOrDefault("BOOTSTRAP_SERVERS", "127.0.0.1:9092");
    return args.length > 0 ? args[0] : said;
  }
}
