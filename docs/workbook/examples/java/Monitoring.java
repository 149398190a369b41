import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends a hundred orders and prints what the library told of them, and by which name.
 *
 * <p>{@code java -cp 'lib/*' docs/workbook/examples/java/Monitoring.java 127.0.0.1:9092}
 */
public final class Monitoring {
  private static final int ORDERS = 100;

  public static void main(String[] args) {
    // kcompare:region config
    // Metrics are always there: in this process, and through JMX unless metric.reporters is "".
    Map<String, Object> config =
        Map.of("bootstrap.servers", servers(args), "client.id", "workbook-monitoring");
    Producer<String, String> producer =
        new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    // kcompare:end
    Outcomes outcomes = new Outcomes();
    try {
      for (int n = 0; n < ORDERS; n++) {
        producer.send(
            new ProducerRecord<>("orders", "order-" + n), (at, error) -> outcomes.note(error));
      }
      producer.flush(); // at most delivery.timeout.ms
      print(producer, outcomes);
    } finally {
      producer.close(Duration.ofSeconds(30));
    }
  }

  // kcompare:region outcome
  /**
   * What callbacks tell. No metric counts acknowledged records, nor those that wait: of these
   * buffer-available-bytes knows the size.
   */
  private static final class Outcomes {
    private int all;
    private int acknowledged;

    synchronized void note(Exception error) {
      all++;
      if (error == null) {
        acknowledged++;
      }
    }

    synchronized int acknowledged() {
      return acknowledged;
    }

    synchronized int waiting() {
      return ORDERS - all;
    }
  }

  /** A metric of the whole producer; others are by node and by topic. */
  private static Optional<Metric> find(Producer<?, ?> producer, String name) {
    return producer.metrics().values().stream()
        .filter(m -> m.metricName().group().equals("producer-metrics"))
        .filter(m -> m.metricName().name().equals(name))
        .findFirst()
        .map(m -> (Metric) m);
  }

  private static double metric(Producer<?, ?> producer, String name) {
    return (Double) find(producer, name).orElseThrow().metricValue();
  }

  // kcompare:end

  // kcompare:region print
  private static void print(Producer<?, ?> producer, Outcomes outcomes) {
    System.out.println(line("sent", metric(producer, "record-send-total"), "record-send-total"));
    System.out.println(line("acknowledged", outcomes.acknowledged(), "callbacks"));
    System.out.println(
        line("failed", metric(producer, "record-error-total"), "record-error-total"));
    System.out.println(line("waiting", outcomes.waiting(), "callbacks"));
    System.out.println(
        line("sent again", metric(producer, "record-retry-total"), "record-retry-total"));
    System.out.println(
        "time of a request is told: "
            + find(producer, "request-latency-avg").isPresent()
            + " (request-latency-avg)");
  }

  private static String line(String what, double value, String name) {
    return "%s: %.0f (%s)".formatted(what, value, name);
  }

  // kcompare:end

  /** The first argument, or what the environment says. */
  private static String servers(String[] args) {
    String said = System.getenv().getOrDefault("BOOTSTRAP_SERVERS", "127.0.0.1:9092");
    return args.length > 0 ? args[0] : said;
  }
}
