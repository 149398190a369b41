import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends a hundred orders, so that each stands in the log once, and counts what became of them.
 *
 * <p>{@code java -cp 'lib/*' docs/workbook/examples/java/IdempotentProducer.java 127.0.0.1:9092}
 */
public final class IdempotentProducer {
  private static final int ORDERS = 100;

  public static void main(String[] args) throws Exception {
    OrderProducer producer = new OrderProducer(servers(args));
    try (producer) {
      for (int n = 0; n < ORDERS; n++) {
        producer.send("customer-" + n % 7, "order-" + n);
      }
    }
    System.out.println(ORDERS + " orders: " + producer);
    if (producer.first != null) {
      throw producer.first;
    }
  }

  /** Sends orders and counts their outcomes, which are all there after close. */
  private static final class OrderProducer implements AutoCloseable {
    private final Producer<String, String> producer;
    private int acknowledged;
    private int failed;
    private int unknown;
    private Exception first;

    // kcompare:region config
    OrderProducer(String servers) {
      Map<String, Object> config =
          Map.of(
              "bootstrap.servers",
              servers,
              "enable.idempotence",
              true, // the default since 3.0
              "acks",
              "all", // the default; idempotence needs it
              // Retries are not limited: idempotence makes them harmless. A record that is not
              // answered in this time gets an error.
              "delivery.timeout.ms",
              30000,
              "request.timeout.ms",
              10000); // has to be shorter
      producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    }

    // kcompare:end

    // kcompare:region produce
    /**
     * Returns at once, unless the buffer is full: then it waits for max.block.ms. The same key is
     * the same partition, so that the orders of a customer stay in order.
     */
    void send(String customer, String order) {
      producer.send(new ProducerRecord<>("orders", customer, order), this::delivered);
    }

    // kcompare:end

    // kcompare:region outcome
    /** Is called once for each record, in a thread of the library's. */
    private synchronized void delivered(RecordMetadata at, Exception error) {
      if (error == null) {
        acknowledged++;
        return;
      }
      if (error instanceof TimeoutException) {
        unknown++; // it may stand in the log: to send it again as a new record could double it
      } else {
        failed++;
      }
      first = first == null ? error : first;
    }

    // kcompare:end

    // kcompare:region shutdown
    /** Waits for the outcomes of all orders; without that they are lost with the program. */
    @Override
    public void close() {
      producer.close(Duration.ofMinutes(1)); // what is left then fails, and is counted
    }

    // kcompare:end

    @Override
    public synchronized String toString() {
      return "%d acknowledged, %d failed, %d unknown".formatted(acknowledged, failed, unknown);
    }
  }

  /** The first argument, or what the environment says. */
  private static String servers(String[] args) {
    String said = System.getenv().getOrDefault("BOOTSTRAP_SERVERS", "127.0.0.1:9092");
    return args.length > 0 ? args[0] : said;
  }
}
