import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Writes transactions until it is told to end, and ends without leaving one open: readers of
 * committed records would wait for its timeout.
 *
 * <p>{@code java -cp 'lib/*' docs/workbook/examples/java/Shutdown.java 127.0.0.1:9092}
 */
public final class Shutdown {
  private static final CountDownLatch STOPPING = new CountDownLatch(1);
  private static final AtomicInteger LEFT = new AtomicInteger(); // records without an outcome

  // kcompare:region shutdown
  /**
   * The hook only ends the loop, and waits for the main thread: the JVM is gone as soon as all
   * hooks have returned. A producer is no place for two threads in the middle of a transaction.
   */
  public static void main(String[] args) throws InterruptedException {
    Thread main = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(main)));
    Producer<String, String> producer = newProducer(servers(args));
    try {
      producer.initTransactions();
      for (int n = 1; STOPPING.getCount() > 0; n++) {
        transact(producer, n);
      }
    } finally {
      finish(producer);
    }
  }

  private static void stop(Thread main) {
    STOPPING.countDown();
    try {
      main.join(15_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // kcompare:end

  // kcompare:region config
  private static Producer<String, String> newProducer(String servers) {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            servers,
            "transactional.id",
            "workbook-shutdown",
            // less than whoever sends SIGTERM waits before SIGKILL
            "transaction.timeout.ms",
            20000,
            "max.block.ms",
            10000); // of a commit
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  // kcompare:end

  // kcompare:region transaction
  /** One transaction, which ends before anybody looks at the signal again. */
  private static void transact(Producer<String, String> producer, int n)
      throws InterruptedException {
    producer.beginTransaction();
    try {
      LEFT.incrementAndGet();
      producer.send(
          new ProducerRecord<>("orders", "order-" + n), (at, error) -> LEFT.decrementAndGet());
      if (n == 3) {
        terminate();
      }
      producer.commitTransaction(); // flushes; a record that failed makes it fail
    } catch (KafkaException e) {
      producer.abortTransaction();
      throw e;
    }
    System.out.println("transaction " + n + ": committed");
  }

  // kcompare:end

  // kcompare:region finish
  /** Waits for records that are on their way, but not for ever: those that are left fail. */
  private static void finish(Producer<String, String> producer) {
    producer.close(Duration.ofSeconds(10));
    System.out.println("flushed: " + LEFT.get() + " records are left");
  }

  // kcompare:end

  /**
   * What an operator does: in the middle of a transaction. System.exit runs the same hooks as
   * SIGTERM, after which the exit code would be 143.
   */
  private static void terminate() throws InterruptedException {
    new Thread(() -> System.exit(0)).start();
    STOPPING.await();
    System.out.println("SIGTERM in transaction 3");
  }

  /** The first argument, or what the environment says. */
  private static String servers(String[] args) {
    String said = System.getenv().getOrDefault("BOOTSTRAP_SERVERS", "127.0.0.1:9092");
    return args.length > 0 ? args[0] : said;
  }
}
