import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Writes ten orders under each of three guarantees, and says what the library told of each
 * delivery.
 *
 * <p>{@code java -cp 'lib/*' docs/workbook/examples/java/Guarantees.java 127.0.0.1:9092}
 */
public final class Guarantees {
  private static final int ORDERS = 10;

  // kcompare:region config
  /** Asks for no answer, and so there is nothing after which it could send again. */
  private static final Map<String, Object> AT_MOST_ONCE =
      Map.of("acks", "0", "retries", 0, "enable.idempotence", false);

  /**
   * Sends again what was not answered. What the broker wrote and whose answer was lost stands in
   * the log twice then.
   */
  private static final Map<String, Object> AT_LEAST_ONCE =
      Map.of("acks", "all", "enable.idempotence", false);

  /** The default since 3.0: the broker knows a record that comes again. */
  private static final Map<String, Object> IDEMPOTENT =
      Map.of("acks", "all", "enable.idempotence", true);

  // kcompare:end

  public static void main(String[] args) {
    String servers = servers(args);
    System.out.println("at most once: " + produce(servers, "at-most-once", AT_MOST_ONCE));
    System.out.println("at least once: " + produce(servers, "at-least-once", AT_LEAST_ONCE));
    System.out.println("idempotent: " + produce(servers, "idempotent", IDEMPOTENT));
  }

  // kcompare:region produce
  /** Sends all orders and waits for what becomes of them. */
  private static Outcomes produce(String servers, String topic, Map<String, Object> guarantee) {
    Map<String, Object> config = new HashMap<>(guarantee);
    config.put("bootstrap.servers", servers);
    config.put("request.timeout.ms", 10000);
    config.put("delivery.timeout.ms", 20000); // every record has an outcome by then
    Outcomes said = new Outcomes();
    Producer<String, String> producer =
        new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    try {
      for (int n = 0; n < ORDERS; n++) {
        producer.send(new ProducerRecord<>(topic, "order-" + n), said::note);
      }
      producer.flush();
    } finally {
      producer.close(Duration.ofSeconds(30));
    }
    return said;
  }

  // kcompare:end

  // kcompare:region outcome
  /** Counts what the library told. Callbacks come one at a time, in a thread of the library's. */
  private static final class Outcomes {
    private int sent;
    private int acknowledged;
    private int failed;
    private int unknown;
    private Exception first;

    synchronized void note(RecordMetadata at, Exception error) {
      if (error == null && !at.hasOffset()) {
        sent++; // nobody answered: only that it was sent is known
      } else if (error == null) {
        acknowledged++;
      } else if (error instanceof TimeoutException) {
        unknown++; // it may stand in the log
      } else {
        failed++;
        first = first == null ? error : first;
      }
    }

    @Override
    public synchronized String toString() {
      String text =
          "%d only sent, %d acknowledged, %d failed, %d unknown"
              .formatted(sent, acknowledged, failed, unknown);
      return first == null ? text : text + ", the first with " + first;
    }
  }

  // kcompare:end

  /** The first argument, or what the environment says. */
  private static String servers(String[] args) {
    String said = System.getenv().getOrDefault("BOOTSTRAP_SERVERS", "127.0.0.1:9092");
    return args.length > 0 ? args[0] : said;
  }
}
