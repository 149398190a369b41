import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Map;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The loop of produce-many, written on kafka-clients alone: what Client.java is measured against.
 * Each line of stdin is a number of records; it is answered by a line with the number of those that
 * failed, when all are reported.
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
        System.out.println(play(producer, Long.parseLong(line)));
      }
    }
  }

  private static long play(KafkaProducer<byte[], byte[]> producer, long count) {
    var acked = new long[1]; // by the library's thread alone
    Callback report =
        (told, e) -> {
          if (e == null) {
            acked[0]++;
          }
        };
    for (long n = 0; n < count; n++) {
      byte[] digits = Long.toString(n).getBytes(UTF_8);
      byte[] value = DOTS.clone();
      System.arraycopy(digits, 0, value, 0, digits.length);
      producer.send(new ProducerRecord<>(TOPIC, null, null, value), report);
    }
    producer.flush();
    return count - acked[0];
  }
}
