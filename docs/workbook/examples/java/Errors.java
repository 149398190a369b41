import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Meets an error of each class, and does what the class allows: the same again, abort and go on, or
 * end.
 *
 * <p>{@code java -cp 'lib/*' docs/workbook/examples/java/Errors.java 127.0.0.1:9092}
 */
public final class Errors {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  public static void main(String[] args) throws Exception {
    noBroker();
    Producer<String, String> old = newProducer(servers(args), 30_000);
    try {
      old.initTransactions();
      tooLarge(old);
      fenced(old, servers(args));
    } finally {
      old.close(LIMIT);
    }
  }

  // kcompare:region config
  private static Producer<String, String> newProducer(String servers, int blockMillis) {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers", servers,
            "transactional.id", "workbook-errors",
            "max.block.ms", blockMillis); // of each call of a transaction
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  // kcompare:end

  // kcompare:region errors
  /** What may be done about an error of a transaction: it is in the type. */
  private static String classify(Throwable error) {
    if (error instanceof ProducerFencedException // a newer instance has the id
        || error instanceof InvalidTxnStateException
        || error instanceof AuthorizationException
        || error instanceof UnsupportedVersionException) {
      return "fatal";
    }
    return error instanceof RetriableException
        ? "retriable"
        : "abort"; // what was written is of no use, the producer is
  }

  // kcompare:end

  // kcompare:region outcome
  /** Does what the class of an error allows. A fatal one leaves nothing but close. */
  private static void react(Producer<String, String> producer, String what, Throwable error) {
    String kind = classify(error);
    System.out.println(what + ": " + kind + " (" + error.getClass().getSimpleName() + ")");
    if (kind.equals("abort")) {
      producer.abortTransaction();
    }
    // retriable: the same again, later
  }

  // kcompare:end

  /** Nobody listens, and a limit ends the wait. */
  private static void noBroker() {
    Producer<String, String> producer = newProducer("127.0.0.1:1", 1000);
    try {
      producer.initTransactions();
    } catch (KafkaException error) {
      react(producer, "no broker", error);
    } finally {
      producer.close(Duration.ZERO);
    }
  }

  /** One record is refused, and the transaction with it. */
  private static void tooLarge(Producer<String, String> producer) throws InterruptedException {
    producer.beginTransaction();
    try {
      producer.send(new ProducerRecord<>("orders", "0".repeat(2_000_000))).get();
    } catch (ExecutionException error) {
      react(producer, "too large", error.getCause());
    }
  }

  /** A second instance begins while the first one has a transaction open. */
  private static void fenced(Producer<String, String> old, String servers) throws Exception {
    old.beginTransaction();
    old.send(new ProducerRecord<>("orders", "order-1, old instance")).get();
    Producer<String, String> next = newProducer(servers, 30_000);
    try {
      next.initTransactions(); // fences the old one, whose transaction is aborted
      next.beginTransaction();
      next.send(new ProducerRecord<>("orders", "order-1, new instance")).get();
      next.commitTransaction();
      System.out.println("new instance: committed");
      try {
        old.commitTransaction();
      } catch (KafkaException error) {
        react(old, "fenced", error);
      }
    } finally {
      next.close(LIMIT);
    }
  }

  /** The first argument, or what the environment says. */
  private static String servers(String[] args) {
    String said = System.getenv().getOrDefault("BOOTSTRAP_SERVERS", "127.0.0.1:9092");
    return args.length > 0 ? args[0] : said;
  }
}
