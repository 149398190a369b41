import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Reads orders, adds the tax, and writes the results: outputs and offsets of the inputs in one
 * transaction, so that each order has its effect once. What is no order goes to dead-letters in the
 * same transaction; where a service that it needs does not answer it aborts, and reads the same
 * orders again.
 *
 * <p>{@code java -cp 'lib/*' docs/workbook/examples/java/OrderProcessor.java 127.0.0.1:9092}
 */
public final class OrderProcessor {
  private static final String INPUT = "incoming-orders";
  private static final String OUTPUT = "processed-orders";
  private static final String DEAD_LETTERS = "dead-letters";
  private static final Duration LIMIT = Duration.ofSeconds(30); // of each step that waits

  /** A service does not answer now, and may later. */
  private static final class NoAnswer extends Exception {
    private static final long serialVersionUID = 1;

    NoAnswer(String message) {
      super(message);
    }
  }

  private final Producer<String, String> producer;
  private final Consumer<String, String> consumer;
  private boolean asked; // whether the tax service was asked about order-4

  private OrderProcessor(Producer<String, String> producer, Consumer<String, String> consumer) {
    this.producer = producer;
    this.consumer = consumer;
  }

  public static void main(String[] args) throws Exception {
    String servers = servers(args);
    int orders = writeInput(servers);
    // kcompare:region config
    Map<String, Object> producing =
        Map.of(
            "bootstrap.servers",
            servers,
            // one for each instance that runs at the same time
            "transactional.id",
            "workbook-order-processor");
    Map<String, Object> consuming =
        Map.of(
            "bootstrap.servers", servers,
            "group.id", "workbook-order-processor",
            "enable.auto.commit", false, // the transaction has the offsets
            // not the default: inputs may come from transactions, too
            "isolation.level", "read_committed",
            "auto.offset.reset", "earliest"); // a new group begins at the start
    // kcompare:end
    Producer<String, String> producer =
        new KafkaProducer<>(producing, new StringSerializer(), new StringSerializer());
    try (Consumer<String, String> consumer =
        new KafkaConsumer<>(consuming, new StringDeserializer(), new StringDeserializer())) {
      // fences older instances, and ends what they left open
      settle(producer::initTransactions);
      consumer.subscribe(List.of(INPUT));
      new OrderProcessor(producer, consumer).run(orders);
      show(servers);
      showOffsets(consumer);
    } finally {
      producer.close(LIMIT);
    }
  }

  /** Ends when so many are done; a real one, when it is told to. */
  private void run(int orders) throws Exception {
    Instant deadline = Instant.now().plus(LIMIT);
    for (int handled = 0; handled < orders; ) {
      if (Instant.now().isAfter(deadline)) {
        throw new TimeoutException(handled + " of " + orders + " orders are done after " + LIMIT);
      }
      ConsumerRecords<String, String> inputs = consumer.poll(Duration.ofSeconds(1));
      if (!inputs.isEmpty() && handle(inputs)) {
        handled += inputs.count();
      }
    }
  }

  // kcompare:region transaction
  /**
   * One transaction: the results of some inputs and the offsets of those inputs. It is true if it
   * was committed. An exception means that this instance has to end: one that was fenced is refused
   * its abort, too.
   */
  private boolean handle(ConsumerRecords<String, String> inputs) throws InterruptedException {
    producer.beginTransaction();
    try {
      write(inputs);
      sendOffsets(inputs);
      commit();
      return true;
    } catch (NoAnswer | ExecutionException | KafkaException reason) {
      abort(inputs, reason);
      return false;
    }
  }

  /** Sends the output of each input, and waits for every answer. */
  private void write(ConsumerRecords<String, String> inputs)
      throws NoAnswer, ExecutionException, InterruptedException {
    List<Future<RecordMetadata>> answers = new ArrayList<>();
    for (ConsumerRecord<String, String> input : inputs) {
      answers.add(producer.send(process(input)));
    }
    producer.flush(); // at most delivery.timeout.ms
    for (Future<RecordMetadata> answer : answers) {
      answer.get();
    }
  }

  // kcompare:end

  // kcompare:region process
  private static final Pattern ORDER = Pattern.compile("\\{\"amount\":(-?[0-9]{1,15})\\}");

  /**
   * Makes the output of an input. Only what may pass is an exception: with what will never be an
   * order the program would turn round for ever.
   */
  private ProducerRecord<String, String> process(ConsumerRecord<String, String> input)
      throws NoAnswer {
    Matcher order = ORDER.matcher(input.value()); // kafka-clients brings no JSON parser
    if (!order.matches()) {
      return deadLetter(input, "no order");
    }
    long amount = Long.parseLong(order.group(1)); // in cents: money is no float
    if (amount <= 0) {
      return deadLetter(input, "the amount is not positive");
    }
    long tax = tax(input.key(), amount);
    String value = "{\"amount\":%d,\"tax\":%d,\"total\":%d}".formatted(amount, tax, amount + tax);
    return new ProducerRecord<>(OUTPUT, input.key(), value);
  }

  /** The input as it came, and why it is there. */
  private static ProducerRecord<String, String> deadLetter(
      ConsumerRecord<String, String> input, String reason) {
    var letter = new ProducerRecord<>(DEAD_LETTERS, input.key(), input.value());
    letter.headers().add("reason", reason.getBytes(UTF_8));
    return letter;
  }

  // kcompare:end

  // kcompare:region offsets
  /**
   * Puts the offsets into the transaction: of each partition that of the last input, and one, which
   * is where whoever comes next begins. The metadata of the group fence members that a rebalance
   * has left behind.
   */
  private void sendOffsets(ConsumerRecords<String, String> inputs) {
    Map<TopicPartition, OffsetAndMetadata> next = inputs.nextOffsets(); // since 4.0
    settle(() -> producer.sendOffsetsToTransaction(next, consumer.groupMetadata()));
  }

  // kcompare:end

  // kcompare:region commit
  private void commit() {
    settle(producer::commitTransaction);
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
  /**
   * Also goes back to the first input of each partition: the consumer stands behind the last one,
   * and would skip them all.
   */
  private void abort(ConsumerRecords<String, String> inputs, Exception reason) {
    try {
      settle(producer::abortTransaction);
    } catch (KafkaException failure) {
      failure.addSuppressed(reason);
      throw failure;
    }
    System.out.println("aborted, " + reason.getMessage());
    for (TopicPartition partition : inputs.partitions()) {
      // what another member has now begins at the committed offset
      if (consumer.assignment().contains(partition)) {
        consumer.seek(partition, inputs.records(partition).get(0).offset());
      }
    }
  }

  // kcompare:end

  /** The tax service, which does not answer when it is asked about order-4 for the first time. */
  private long tax(String order, long amount) throws NoAnswer {
    if (order.equals("order-4") && !asked) {
      asked = true;
      throw new NoAnswer(order + ": the tax service does not answer");
    }
    return (amount + 5) / 10; // 10 %, rounded
  }

  /** Says how many orders it wrote, to both partitions. */
  private static int writeInput(String servers) throws ExecutionException, InterruptedException {
    List<String> amounts = List.of("1000", "2500", "-500", "4000", "995", "\"ten\"");
    List<Future<RecordMetadata>> answers = new ArrayList<>();
    Map<String, Object> config = Map.of("bootstrap.servers", servers);
    try (Producer<String, String> producer =
        new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < amounts.size(); i++) {
        String value = "{\"amount\":%s}".formatted(amounts.get(i));
        answers.add(producer.send(new ProducerRecord<>(INPUT, i % 2, "order-" + (i + 1), value)));
      }
      for (Future<RecordMetadata> answer : answers) {
        answer.get();
      }
    }
    return amounts.size();
  }

  // kcompare:region read
  /** Prints what readers of committed records get, in the order of the keys. */
  private static void show(String servers) {
    Map<String, Object> config =
        Map.of("bootstrap.servers", servers, "isolation.level", "read_committed");
    List<TopicPartition> partitions =
        List.of(new TopicPartition(OUTPUT, 0), new TopicPartition(DEAD_LETTERS, 0));
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
          found.computeIfAbsent(r.topic(), topic -> new ArrayList<>()).add(line(r));
        }
      }
    }
    for (TopicPartition partition : partitions) {
      System.out.println(partition.topic());
      found.get(partition.topic()).stream().sorted().forEach(System.out::println);
    }
  }

  private static String line(ConsumerRecord<String, String> r) {
    StringBuilder line = new StringBuilder("  %s: %s".formatted(r.key(), r.value()));
    for (Header header : r.headers()) {
      line.append(" (").append(new String(header.value(), UTF_8)).append(")");
    }
    return line.toString();
  }

  // kcompare:end

  private static void showOffsets(Consumer<String, String> consumer) {
    System.out.println("committed offsets of " + INPUT);
    Map<Integer, Long> offsets = new TreeMap<>();
    consumer
        .committed(consumer.assignment(), LIMIT)
        .forEach((partition, at) -> offsets.put(partition.partition(), at.offset()));
    offsets.forEach((partition, at) -> System.out.println("  partition " + partition + ": " + at));
  }

  /** The first argument, or what the environment says. */
  private static String servers(String[] args) {
    String said = System.getenv().getOrDefault("BOOTSTRAP_SERVERS", "127.0.0.1:9092");
    return args.length > 0 ? args[0] : said;
  }
}
