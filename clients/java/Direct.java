import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.BitSet;
import java.util.Map;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The loop of produce-many, written on kafka-clients alone: what Client.java is measured against.
 * Each line of stdin is a number of records; it is answered by a line with the number of those that
 * failed, when all are reported. "numbered" knows which those are, "counted" only how many.
 */
public final class Direct {
  private static final String TOPIC = "kcompare-overhead";
  private static final byte[] DOTS = ".".repeat(100).getBytes(UTF_8);

  private Direct() {}

  public static void main(String[] args) throws IOException {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers", args[0],
            "key.serializer", ByteArraySerializer.class,
            "value.serializer", ByteArraySerializer.class,
            "acks", "all",
            "enable.idempotence", "true",
            "linger.ms", "5",
            "batch.size", "131072",
            "compression.type", "none",
            "max.in.flight.requests.per.connection", "5");
    var in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (var producer = new KafkaProducer<byte[], byte[]>(config)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int count = Integer.parseInt(line);
        System.out.println(
            args[1].equals("numbered") ? numbered(producer, count) : counted(producer, count));
      }
    }
  }

  private static int numbered(KafkaProducer<byte[], byte[]> producer, int count) {
    var acked = new BitSet(count); // by the library's thread alone
    for (int n = 0; n < count; n++) {
      int number = n;
      producer.send(
          record(n),
          (told, e) -> {
            if (e == null) {
              acked.set(number);
            }
          });
    }
    producer.flush();
    return count - acked.cardinality();
  }

  private static int counted(KafkaProducer<byte[], byte[]> producer, int count) {
    var acked = new int[1]; // by the library's thread alone
    Callback report =
        (told, e) -> {
          if (e == null) {
            acked[0]++;
          }
        };
    for (int n = 0; n < count; n++) {
      producer.send(record(n), report);
    }
    producer.flush();
    return count - acked[0];
  }

  private static ProducerRecord<byte[], byte[]> record(long n) {
    byte[] digits = Long.toString(n).getBytes(UTF_8);
    byte[] value = DOTS.clone();
    System.arraycopy(digits, 0, value, 0, digits.length);
    return new ProducerRecord<>(TOPIC, null, null, value);
  }
}
