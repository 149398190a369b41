import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.DuplicateSequenceException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.IllegalGenerationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.security.plain.PlainLoginModule;
import org.apache.kafka.common.security.scram.ScramLoginModule;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Plays Apache Kafka's own Java client for kcompare: clients/PROTOCOL.md on stdin and stdout, for
 * kafka-clients from 3.9 on and Java from 17 on. It needs no build: {@code java -cp "lib/*"
 * Client.java}.
 *
 * <p>Each handle has a thread that does what its lines say, in their order. {@code flush} and
 * {@code close} pass that thread by, because it may be waiting in the library.
 */
public final class Client {
  private final Output out = new Output();
  private final Map<String, Handle> handles = new ConcurrentHashMap<>();
  private final Map<Long, ConsumerGroupMetadata> memberships = new ConcurrentHashMap<>();
  private final ExecutorService waiting = Executors.newCachedThreadPool(Client::daemon);

  public static void main(String[] args) throws IOException {
    new Client().serve();
    Runtime.getRuntime().halt(0); // kcompare is gone, and nothing need come to its end
  }

  private void serve() throws IOException {
    forwardLog();
    var in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      take(new Request(new Json(line).object()));
    }
  }

  private void take(Request request) {
    switch (request.verb()) {
      case "hello" -> out.answer(request, Client::hello);
      case "check" -> out.answer(request, () -> check(request));
      case "new-producer", "new-transactional-producer" -> open(request, new Producer(request));
      case "new-consumer" -> open(request, new Consumer(request));
      case "shutdown" -> {
        out.answer(request, Client::members);
        Runtime.getRuntime().halt(0);
      }
      default -> {
        Handle handle = handles.get(request.handle());
        if (handle == null) {
          out.answer(request, () -> refuse("there is no handle " + request.handle()));
        } else {
          handle.take(request);
        }
      }
    }
  }

  private static Map<String, Object> hello() throws IOException {
    var who = members("protocol", 1, "library", "kafka-clients", "version", version());
    who.put("language", "Java " + System.getProperty("java.version"));
    who.put(
        "abilities",
        List.of(
            "idempotence",
            "transactions",
            "groups",
            "rebalances",
            "plain-close",
            "bulk",
            "paced",
            "bulk-transactions",
            "again"));
    return who;
  }

  /** Reads what the library itself reads (AppInfoParser, which later releases keep internal). */
  private static String version() throws IOException {
    String name = "/kafka/kafka-version.properties";
    var properties = new Properties();
    try (InputStream in = KafkaProducer.class.getResourceAsStream(name)) {
      properties.load(in);
    }
    return properties.getProperty("version");
  }

  private static Map<String, Object> check(Request request) {
    var settings = new Settings(request, request.text("role"));
    settings.validate();
    return members("differences", new ArrayList<Object>(settings.differences));
  }

  private void open(Request request, Handle handle) {
    handles.put(handle.name, handle);
    handle.inTurn(
        request,
        () -> {
          try {
            handle.open(new Settings(request, request.verb().substring("new-".length())));
            return members();
          } catch (RuntimeException e) {
            handles.remove(handle.name);
            throw e;
          }
        });
  }

  private static Map<String, Object> refuse(String why) {
    throw new IllegalStateException(why);
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  }

  /** Sends kcompare what the library logs as a warning or worse. */
  private void forwardLog() {
    LogManager.getLogManager().reset();
    Logger root = Logger.getLogger("");
    root.setLevel(Level.WARNING);
    root.addHandler(
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            String thrown = line.getThrown() == null ? "" : ": " + line.getThrown();
            out.write(members("log", line.getLevel() + " " + line.getMessage() + thrown));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        });
  }

  /** One client of the library. */
  private abstract class Handle {
    final String name;
    final ExecutorService turns = Executors.newSingleThreadExecutor(Client::daemon);

    Handle(Request request) {
      name = request.handle();
    }

    abstract void open(Settings settings);

    /** Takes a line, on the thread that reads them, and does not wait. */
    abstract void take(Request request);

    void inTurn(Request request, Work work) {
      turns.execute(() -> out.answer(request, work));
    }
  }

  // Producers.

  private final class Producer extends Handle {
    private final ExecutorService flusher = Executors.newSingleThreadExecutor(Client::daemon);
    private final Pending pending = new Pending();
    private volatile KafkaProducer<byte[], byte[]> library;
    private volatile boolean closing;
    private boolean transactional;
    private boolean onePerBatch;
    private long next; // number of the next record

    Producer(Request request) {
      super(request);
    }

    @Override
    void open(Settings settings) {
      transactional = settings.role.equals("transactional-producer");
      onePerBatch = settings.onePerBatch;
      library = settings.construct(KafkaProducer<byte[], byte[]>::new);
    }

    @Override
    void take(Request request) {
      switch (request.verb()) {
        case "produce" -> produce(request);
        case "produce-many" -> produceMany(request);
        case "flush" -> flush(request);
        case "close" -> close(request);
        default -> inTurn(request, () -> transact(request));
      }
    }

    private void produce(Request request) {
      var report = new Report(this, request.number("record"), (int) request.number("partition"));
      next = report.record + 1;
      pending.add(1);
      turns.execute(() -> send(request.toRecord(onePerBatch), report));
    }

    /** Hands a record over, which waits for metadata and for room in the library's buffer. */
    private void send(ProducerRecord<byte[], byte[]> record, Report report) {
      report.sender = Thread.currentThread();
      try {
        library.send(record, report);
      } catch (RuntimeException e) {
        report.onCompletion(null, e);
      }
    }

    private void produceMany(Request request) {
      var bulk = new Bulk(this, request, next);
      next += bulk.count;
      inTurn(request, () -> ask(bulk::produce, Reasons::ofCall));
    }

    /**
     * The library's flush knows no time limit, so it waits on a thread of its own: once the records
     * before it are handed over, and for as long as it likes.
     */
    private void flush(Request request) {
      long until = request.deadline();
      turns.execute(() -> flusher.submit(library::flush));
      waiting.execute(() -> out.answer(request, () -> members("pending", pending.await(until))));
    }

    /** These wait for max.block.ms, and take no other time limit. */
    private Map<String, Object> transact(Request request) {
      return switch (request.verb()) {
        case "init" -> call(library::initTransactions, Reasons::ofLastCall);
        case "begin" -> call(library::beginTransaction, Reasons::ofCall);
        case "send-offsets" -> call(() -> sendOffsets(request), Reasons::ofCall);
        case "commit" -> end("committed", library::commitTransaction, Reasons::ofCall);
        case "abort" -> end("aborted", library::abortTransaction, Reasons::ofLastCall);
        case "process-many" -> ask(() -> processMany(request), Reasons::ofCall);
        default -> refuse("a producer has no " + request.verb());
      };
    }

    private Map<String, Object> processMany(Request request) {
      return handles.get(request.text("consumer")) instanceof Consumer source
          ? new Processing(this, source, request).run()
          : refuse("there is no consumer " + request.text("consumer"));
    }

    private void sendOffsets(Request request) {
      library.sendOffsetsToTransaction(
          request.offsets("offsets"), membership(request.object("group")));
    }

    /** After a timeout the end is still under way, and the library wants the same call again. */
    private Map<String, Object> end(
        String outcome, Runnable call, Function<Exception, String> reason) {
      try {
        call(call, e -> e instanceof TimeoutException ? "unknown-outcome" : reason.apply(e));
        return members("outcome", outcome);
      } catch (Failure e) {
        return members("outcome", "unknown", "error", e.members);
      }
    }

    private void close(Request request) {
      handles.remove(name);
      closing = true;
      if (request.flag("plainly")) {
        inTurn(request, () -> call(() -> library.close(), Reasons::ofCall));
        endThreads();
      } else {
        waiting.execute(() -> out.answer(request, this::giveUp));
      }
    }

    /** Fails what is pending, and ends calls that wait, those on the handle's thread included. */
    private Map<String, Object> giveUp() throws InterruptedException {
      if (library != null) {
        call(() -> library.close(Duration.ZERO), Reasons::ofCall);
      }
      endThreads();
      turns.awaitTermination(1, TimeUnit.SECONDS); // what waits there is refused before the answer
      return members();
    }

    /** A process may play another trial, and keep none of this one's threads. */
    private void endThreads() {
      turns.execute(flusher::shutdown); // the turns before it may flush
      turns.shutdown();
    }
  }

  /** Reports one record, once. */
  private final class Report implements Callback {
    private final Producer producer;
    private final long record;
    private final int partition;
    private final AtomicBoolean reported = new AtomicBoolean();
    private volatile Thread sender;

    Report(Producer producer, long record, int partition) {
      this.producer = producer;
      this.record = record;
      this.partition = partition;
    }

    /** Comes from the library's thread, or from the sender's if the library refuses the record. */
    @Override
    public void onCompletion(RecordMetadata told, Exception e) {
      if (!reported.compareAndSet(false, true)) {
        return; // KafkaProducer.doSend may throw when it has buffered, and the buffer fails later
      }
      if (e == null) {
        out.write(new Run(record, told.partition(), offset(told)).toReport(producer));
      } else {
        boolean refused = Thread.currentThread() == sender;
        var failure = new Failure(Reasons.ofRecord(e, refused, producer.transactional), e);
        out.write(failedReport(producer, record, partition, failure));
      }
      producer.pending.add(-1);
    }
  }

  private static Map<String, Object> failedReport(
      Producer producer, long record, int partition, Failure failure) {
    var report = members("handle", producer.name, "record", record, "outcome", "failed");
    report.putAll(members("partition", partition < 0 ? null : partition, "error", failure.members));
    return report;
  }

  private static long offset(RecordMetadata told) {
    return told.hasOffset() ? told.offset() : -1;
  }

  /** Numbers that follow each other, and where they went if they went there one by one, too. */
  private static final class Run {
    private static final long WORTH = 100; // what is shorter forgets its place rather than end

    final long first;
    long count = 1;
    private int partition; // -1: to several
    private long offset; // -1: not told

    Run(long first, int partition, long offset) {
      this.first = first;
      this.partition = partition;
      this.offset = offset;
    }

    boolean extend(long number, int to, long at) {
      if (number != first + count) {
        return false;
      }
      if (to != partition || at != (offset < 0 ? -1 : offset + count)) {
        if (count >= WORTH && partition >= 0) {
          return false;
        }
        partition = -1;
        offset = -1;
      }
      count++;
      return true;
    }

    Map<String, Object> toReport(Producer producer) {
      var report = members("handle", producer.name, "record", first, "outcome", "acked");
      report.putAll(members("count", count == 1 ? null : count));
      report.putAll(members("partition", partition < 0 ? null : partition));
      report.putAll(members("offset", offset < 0 ? null : offset));
      return report;
    }
  }

  /** The records of produce-many. What is said of them is told in runs. */
  private final class Bulk {
    private static final int TOGETHER = 1000; // records whose reports are kept in one place
    private static final long TELL_MILLIS = 50;

    final long count;
    private final Producer producer;
    private final long first;
    private final String topic;
    private final Integer partition;
    private final long keys;
    private final byte[] dots;
    private final double rate;
    private final long transaction; // records of each; 0: there are none
    private final int[] latencies; // microseconds of records that have a rate, or of transactions
    private final Queue<Reports> reports =
        new ArrayDeque<>(); // that were not told, the oldest first
    private Thread thread; // hands records over
    private Reports open; // of the last record that was handed over
    private long began;
    private long toldAt;
    private long ended;

    Bulk(Producer producer, Request request, long first) {
      this.producer = producer;
      this.first = first;
      topic = request.text("topic");
      partition = request.number("partition") < 0 ? null : (int) request.number("partition");
      count = request.number("count");
      keys = request.number("keys");
      dots = ".".repeat((int) request.number("value_bytes")).getBytes(UTF_8);
      rate = request.real("rate");
      transaction = request.number("transaction");
      latencies = new int[timed()];
      Arrays.fill(latencies, LATENCY_UNKNOWN);
    }

    private int timed() {
      if (transaction > 0) {
        return (int) ((count + transaction - 1) / transaction);
      }
      return rate > 0 ? (int) count : 0;
    }

    Map<String, Object> produce() throws InterruptedException {
      thread = Thread.currentThread();
      long allocated = allocatedSoFar();
      began = System.nanoTime();
      toldAt = began;
      if (transaction > 0) {
        inTransactions();
      } else {
        handOver(0, count);
        producer.flusher.submit(producer.library::flush);
      }
      awaitReports();
      return measured((ended - began) / 1000, latencies, allocated);
    }

    private void inTransactions() {
      for (long n = 0; n < count; n += transaction) {
        long start = System.nanoTime();
        producer.library.beginTransaction();
        handOver(n, Math.min(n + transaction, count));
        producer.library.commitTransaction();
        ended = System.nanoTime();
        latencies[(int) (n / transaction)] = micros(ended - start);
      }
    }

    private void handOver(long from, long end) {
      for (long n = from; n < end; n = Math.min(open.end(), end)) {
        if (open == null || n == open.end()) {
          open = new Reports(n, (int) Math.min(together(), count - n));
          reports.add(open);
          tellInTime();
        }
        handOver(n, Math.min(open.end(), end), open);
      }
    }

    /** The loop that benchmarks measure. */
    private void handOver(long from, long end, Reports reports) {
      KafkaProducer<byte[], byte[]> library = producer.library;
      boolean paced = rate > 0;
      for (long n = from; n < end; n++) {
        if (paced) {
          awaitTurn(n);
        }
        int i = (int) (n - reports.from);
        try {
          library.send(record(n), new OneOf(reports, i));
        } catch (RuntimeException e) {
          reports.refused(i, e);
        }
      }
    }

    /** Few where records come slowly, because all of them wait to be told until the last one is. */
    private long together() {
      double inTime = rate * TELL_MILLIS / 1e3;
      return rate == 0 ? TOGETHER : Math.max(1, Math.min(TOGETHER, (long) inTime));
    }

    /** Returns at once where the record should have been handed over before. */
    private void awaitTurn(long n) {
      long early = due(n) - System.nanoTime();
      while (early > 0 && !producer.closing) {
        LockSupport.parkNanos(early);
        early = due(n) - System.nanoTime();
      }
    }

    private long due(long n) {
      return began + Math.round(n * 1e9 / rate);
    }

    private ProducerRecord<byte[], byte[]> record(long n) {
      byte[] key = keys == 0 ? null : ("key-" + n % keys).getBytes(UTF_8);
      byte[] digits = Long.toString(n).getBytes(UTF_8);
      byte[] value = digits;
      if (digits.length < dots.length) {
        value = dots.clone();
        System.arraycopy(digits, 0, value, 0, digits.length);
      }
      return new ProducerRecord<>(topic, partition, key, value);
    }

    /** The time ends with the last commit, or with the last report. */
    private void awaitReports() throws InterruptedException {
      tell();
      while (!reports.isEmpty()) {
        synchronized (this) {
          if (!reports.peek().areComplete()) {
            wait(TELL_MILLIS);
          }
        }
        if (transaction == 0) {
          ended = System.nanoTime();
        }
        tell();
      }
      if (ended == 0) {
        ended = System.nanoTime();
      }
    }

    private void tellInTime() {
      if (System.nanoTime() - toldAt > TimeUnit.MILLISECONDS.toNanos(TELL_MILLIS)) {
        tell();
      }
    }

    private void tell() {
      var runs = new ArrayList<Run>();
      while (!reports.isEmpty() && reports.peek().areComplete()) {
        reports.remove().addTo(runs);
      }
      runs.forEach(run -> out.write(run.toReport(producer)));
      toldAt = System.nanoTime();
    }

    /** The callback of one record. */
    private static final class OneOf implements Callback {
      private final Reports reports;
      private final int i;

      OneOf(Reports reports, int i) {
        this.reports = reports;
        this.i = i;
      }

      @Override
      public void onCompletion(RecordMetadata told, Exception e) {
        reports.note(i, told, e);
      }
    }

    /**
     * What was said of records next to each other. The library's thread counts what it says without
     * a lock, the other thread what was refused.
     */
    private final class Reports {
      private static final int NOTHING = -1;
      private static final int FAILED = -2; // told by itself

      private final long from;
      private final int[] to; // partitions
      private final long[] at; // offsets
      private final boolean timed = rate > 0 && transaction == 0;
      private final AtomicInteger noted = new AtomicInteger(); // by the library's thread alone
      private int refused; // by the thread that hands over

      Reports(long from, int size) {
        this.from = from;
        to = new int[size];
        at = new long[size];
        Arrays.fill(to, NOTHING);
      }

      long end() {
        return from + to.length;
      }

      boolean areComplete() {
        return noted.getAcquire() + refused >= to.length;
      }

      void note(int i, RecordMetadata told, Exception e) {
        if (Thread.currentThread() == thread) {
          refused(i, e); // some errors come at once, and are not thrown
          return;
        }
        if (e != null) {
          failed(i, e, false);
        } else {
          to[i] = told.partition();
          at[i] = offset(told);
          if (timed) {
            int n = (int) from + i;
            latencies[n] = micros(System.nanoTime() - due(n));
          }
        }
        int all = noted.getPlain() + 1;
        noted.setRelease(all);
        if (all == to.length) {
          wake();
        }
      }

      void refused(int i, Exception e) {
        if (failed(i, e, true)) {
          refused++;
        }
      }

      /** Like Report, it may be told twice: false is the second time. */
      private synchronized boolean failed(int i, Exception e, boolean refused) {
        if (to[i] == FAILED) {
          return false;
        }
        to[i] = FAILED;
        var failure = new Failure(Reasons.ofRecord(e, refused, producer.transactional), e);
        out.write(
            failedReport(producer, first + from + i, partition == null ? -1 : partition, failure));
        return true;
      }

      private void addTo(List<Run> runs) {
        for (int i = 0; i < to.length; i++) {
          long number = first + from + i;
          Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
          if (to[i] != FAILED && (last == null || !last.extend(number, to[i], at[i]))) {
            runs.add(new Run(number, to[i], at[i]));
          }
        }
      }
    }

    private synchronized void wake() {
      notifyAll();
    }
  }

  private static final int LATENCY_UNKNOWN = -1; // as an unsigned number the greatest

  private static int micros(long nanos) {
    return (int) Math.min(Math.round(nanos / 1e3), 0xFFFFFFFEL);
  }

  /** What answers to bulk verbs have of time and memory. */
  private static Map<String, Object> measured(long micros, int[] latencies, long allocatedBefore) {
    long allocated = allocatedSoFar() - allocatedBefore;
    return members(
        "elapsed_us",
        micros,
        "latencies_us",
        littleEndian(latencies),
        "allocated",
        allocatedBefore > 0 ? members("bytes", allocated) : null);
  }

  /** Bytes that threads have allocated which are still alive; 0 where the runtime does not tell. */
  private static long allocatedSoFar() {
    if (ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
        && threads.isThreadAllocatedMemorySupported()
        && threads.isThreadAllocatedMemoryEnabled()) {
      long[] bytes = threads.getThreadAllocatedBytes(threads.getAllThreadIds());
      return Arrays.stream(bytes).filter(b -> b > 0).sum();
    }
    return 0;
  }

  private static String littleEndian(int[] numbers) {
    var bytes = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(numbers);
    return base64(bytes.array());
  }

  /** What process-many reads, writes and commits. */
  private final class Processing {
    private static final long POLL_MILLIS = 100; // how long a transaction waits for more

    private final Producer producer;
    private final Consumer source;
    private final String topic;
    private final long wanted;
    private final long size;
    private final long deadline;
    private final List<Integer> latencies = new ArrayList<>();
    private long count;

    Processing(Producer producer, Consumer source, Request request) {
      this.producer = producer;
      this.source = source;
      topic = request.text("topic");
      wanted = request.number("count");
      size = request.number("transaction");
      deadline = request.deadline();
    }

    Map<String, Object> run() {
      long allocated = allocatedSoFar();
      long began = 0;
      long ended = 0;
      while (count < wanted) {
        ConsumerRecords<byte[], byte[]> records = awaitSome();
        long start = System.nanoTime();
        began = began == 0 ? start : began;
        transact(records);
        ended = System.nanoTime();
        latencies.add(micros(ended - start));
      }
      int[] times = latencies.stream().mapToInt(Integer::intValue).toArray();
      var answer = measured((ended - began) / 1000, times, allocated);
      answer.put("count", count);
      return answer;
    }

    private ConsumerRecords<byte[], byte[]> awaitSome() {
      while (!producer.closing && System.nanoTime() < deadline) {
        ConsumerRecords<byte[], byte[]> records = poll();
        if (!records.isEmpty()) {
          return records;
        }
      }
      throw new TimeoutException(count + " of " + wanted + " records came before the time was up");
    }

    private ConsumerRecords<byte[], byte[]> poll() {
      long soon = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS);
      return source.pollUntil(Math.min(soon, deadline));
    }

    private void transact(ConsumerRecords<byte[], byte[]> first) {
      producer.library.beginTransaction();
      var next = new HashMap<TopicPartition, OffsetAndMetadata>();
      long written = 0;
      for (var records = first; !records.isEmpty(); ) {
        write(records, next);
        written += records.count();
        count += records.count();
        records = written < size && count < wanted ? poll() : ConsumerRecords.empty();
      }
      producer.library.sendOffsetsToTransaction(next, source.library.groupMetadata());
      producer.library.commitTransaction(); // fails where a record did
    }

    private void write(
        ConsumerRecords<byte[], byte[]> records, Map<TopicPartition, OffsetAndMetadata> next) {
      for (TopicPartition partition : records.partitions()) {
        long last = -1;
        for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
          producer.library.send(new ProducerRecord<>(topic, record.key(), record.value()));
          last = record.offset();
        }
        next.put(partition, new OffsetAndMetadata(last + 1));
      }
    }
  }

  /** Counts the records that were taken from stdin and are not reported. */
  private static final class Pending {
    private long count;

    synchronized void add(long records) {
      count += records;
      notifyAll();
    }

    /** Waits until there are none, or for that moment of nanoTime, and says how many there are. */
    synchronized long await(long until) throws InterruptedException {
      long left = until - System.nanoTime();
      while (count > 0 && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        left = until - System.nanoTime();
      }
      return count;
    }
  }

  // Consumers.

  private final class Consumer extends Handle implements ConsumerRebalanceListener {
    private final Set<TopicPartition> begun = new HashSet<>(); // something was returned, or sought
    private final List<Object> rebalances = new ArrayList<>();
    private volatile KafkaConsumer<byte[], byte[]> library;
    private volatile boolean closing;
    private long returned; // records in all

    Consumer(Request request) {
      super(request);
    }

    @Override
    void open(Settings settings) {
      library = settings.construct(KafkaConsumer<byte[], byte[]>::new);
    }

    @Override
    void take(Request request) {
      if (request.verb().equals("close")) {
        handles.remove(name);
        closing = true;
        if (library != null) {
          library.wakeup(); // ends a poll; the one call that another thread may make
        }
      }
      inTurn(request, () -> ask(() -> play(request), Reasons::ofConsumer));
    }

    private Map<String, Object> play(Request request) {
      return switch (request.verb()) {
        case "subscribe" -> did(() -> library.subscribe(request.<String>list("topics"), this));
        case "assign" -> did(() -> assign(request.positions("from")));
        case "seek" -> did(() -> seek(Position.of(request.list("to"))));
        case "poll" -> poll(request);
        case "consume-many" -> consumeMany(request);
        case "positions" -> members("positions", positions());
        case "commit-offsets" ->
            did(() -> library.commitSync(request.offsets("offsets"), request.timeout()));
        case "committed" -> members("positions", committed(request));
        case "group-metadata" -> groupMetadata();
        case "close" -> close(request);
        default -> refuse("a consumer has no " + request.verb());
      };
    }

    /** Also keeps the library from asking for committed offsets: all partitions have a position. */
    private void assign(List<Position> from) {
      begun.clear();
      library.assign(from.stream().map(Position::partition).toList());
      from.forEach(this::seek);
      begun.clear(); // nobody sought
    }

    private void seek(Position to) {
      begun.remove(to.partition);
      if (to.offset == -2) {
        library.seekToBeginning(List.of(to.partition));
      } else if (to.offset == -1) {
        library.seekToEnd(List.of(to.partition));
      } else {
        library.seek(to.partition, to.offset);
        begun.add(to.partition);
      }
    }

    private Map<String, Object> poll(Request request) {
      var records = new ArrayList<Object>();
      pollUntil(request.deadline()).forEach(record -> records.add(json(record)));
      return members("records", records, "rebalances", takeRebalances());
    }

    /** Polls again where a poll came back early without records, as it does behind a marker. */
    private ConsumerRecords<byte[], byte[]> pollUntil(long until) {
      while (!closing) {
        long left = Math.max(0, until - System.nanoTime());
        ConsumerRecords<byte[], byte[]> records;
        try {
          records = library.poll(Duration.ofNanos(left));
        } catch (WakeupException e) {
          break;
        }
        returned += records.count();
        begun.addAll(records.partitions());
        if (left == 0 || !records.isEmpty()) {
          return records;
        }
      }
      return ConsumerRecords.empty();
    }

    private static Map<String, Object> json(ConsumerRecord<byte[], byte[]> record) {
      var headers = new ArrayList<Object>();
      for (Header header : record.headers()) {
        headers.add(Arrays.asList(header.key(), base64(header.value())));
      }
      return members(
          "topic", record.topic(),
          "partition", record.partition(),
          "offset", record.offset(),
          "key", base64(record.key()),
          "value", base64(record.value()),
          "headers", headers);
    }

    private Map<String, Object> consumeMany(Request request) {
      long allocated = allocatedSoFar();
      long wanted = request.number("count");
      long until = request.deadline();
      var runs = new LinkedHashMap<Run, TopicPartition>();
      var last = new HashMap<TopicPartition, Run>();
      long before = returned;
      long bytes = 0;
      long began = 0;
      long ended = 0;
      while (returned - before < wanted && !closing && System.nanoTime() < until) {
        ConsumerRecords<byte[], byte[]> records = pollUntil(until);
        ended = System.nanoTime();
        began = began == 0 ? ended : began;
        for (TopicPartition partition : records.partitions()) {
          Run run = last.get(partition);
          for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
            bytes += size(record.key()) + size(record.value());
            if (run == null || !run.extend(record.offset(), 0, -1)) {
              run = new Run(record.offset(), 0, -1);
              runs.put(run, partition);
            }
          }
          last.put(partition, run);
        }
      }
      var told = new ArrayList<Object>();
      runs.forEach((run, p) -> told.add(List.of(p.topic(), p.partition(), run.first, run.count)));
      var answer = measured((ended - began) / 1000, new int[0], allocated);
      answer.putAll(members("count", returned - before, "bytes", bytes, "runs", told));
      return answer;
    }

    private List<Object> positions() {
      begun.retainAll(library.assignment());
      return sorted(begun, library::position);
    }

    private List<Object> committed(Request request) {
      var stored = library.committed(request.partitions("partitions"), request.timeout());
      stored.values().removeIf(Objects::isNull);
      return sorted(stored.keySet(), partition -> stored.get(partition).offset());
    }

    /** A transaction needs the library's own object, so the answer says which one it is of. */
    private Map<String, Object> groupMetadata() {
      ConsumerGroupMetadata group = library.groupMetadata();
      long number = memberships.size();
      memberships.put(number, group);
      return members(
          "group", group.groupId(),
          "generation", group.generationId(),
          "member", group.memberId(),
          "instance", group.groupInstanceId().orElse(""),
          "consumer", name,
          "membership", number);
    }

    @SuppressWarnings("deprecation") // what replaces it in 4.1 is not in 3.9
    private Map<String, Object> close(Request request) {
      library.close(request.timeout());
      turns.shutdown();
      return members("rebalances", takeRebalances());
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      changed("assigned", partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      changed("revoked", partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      changed("lost", partitions);
    }

    private void changed(String change, Collection<TopicPartition> partitions) {
      begun.removeAll(partitions);
      if (!partitions.isEmpty()) {
        rebalances.add(
            members(
                "change", change,
                "partitions",
                    partitions.stream()
                        .sorted(BY_NAME)
                        .map(p -> List.of(p.topic(), p.partition()))
                        .toList(),
                "after", returned));
      }
    }

    private List<Object> takeRebalances() {
      var taken = List.copyOf(rebalances);
      rebalances.clear();
      return taken;
    }
  }

  /** Finds what groupMetadata told. A group that is only named is one without members. */
  @SuppressWarnings({"deprecation", "removal"}) // no other way leads to such a group
  private ConsumerGroupMetadata membership(Request group) {
    return group.has("membership")
        ? memberships.get(group.number("membership"))
        : new ConsumerGroupMetadata(group.text("group"));
  }

  // What the library throws.

  /** Does a piece of work, and turns what the library throws into what kcompare is told. */
  private static Map<String, Object> ask(Work work, Function<Exception, String> reason) {
    try {
      return work.run();
    } catch (Failure e) {
      throw e;
    } catch (Exception e) {
      throw new Failure(reason.apply(e), e);
    }
  }

  private static Map<String, Object> call(Runnable call, Function<Exception, String> reason) {
    return ask(() -> did(call), reason);
  }

  private static Map<String, Object> did(Runnable call) {
    call.run();
    return members();
  }

  /** Work that is answered. */
  private interface Work {
    Map<String, Object> run() throws Exception;
  }

  /** An error as kcompare is told of it. */
  private static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    final transient Map<String, Object> members;

    Failure(String reason, Exception e) {
      this(members("class", reason, "code", Reasons.code(e), "text", Reasons.text(e)));
    }

    Failure(Map<String, Object> members) {
      this.members = members;
    }
  }

  /**
   * The class of an error: what a program can do. KafkaProducer's documentation says which
   * exceptions end a producer, TransactionManager.java which ones end a transaction only.
   */
  private static final class Reasons {
    private static final List<Class<? extends Exception>> FENCED =
        List.of(ProducerFencedException.class, FencedInstanceIdException.class);

    private static final List<Class<? extends Exception>> FATAL =
        List.of(
            InvalidPidMappingException.class,
            TransactionalIdAuthorizationException.class,
            ClusterAuthorizationException.class,
            UnsupportedVersionException.class,
            AuthenticationException.class);

    /** They leave open whether the record was written: by an attempt that was not answered. */
    private static final List<Class<? extends Exception>> UNKNOWN =
        List.of(
            TimeoutException.class, // delivery.timeout.ms is over, or the broker's own time
            NetworkException.class,
            DisconnectException.class,
            NotEnoughReplicasAfterAppendException.class,
            OutOfOrderSequenceException.class,
            DuplicateSequenceException.class,
            UnknownServerException.class);

    private static final List<Class<? extends Exception>> ABORTABLE =
        List.of(
            InvalidProducerEpochException.class, // an abort gets a new epoch, or says who fenced
            InvalidTxnStateException.class,
            TransactionAbortableException.class,
            TransactionAbortedException.class);

    private static final List<Class<? extends Exception>> AGAIN =
        List.of(
            RetriableException.class,
            CommitFailedException.class, // the member has to poll first
            RebalanceInProgressException.class,
            IllegalGenerationException.class,
            UnknownMemberIdException.class);

    private static boolean is(Throwable e, List<Class<? extends Exception>> classes) {
      return classes.stream().anyMatch(c -> c.isInstance(e));
    }

    /** In an error state the library throws a plain KafkaException, whose cause is the error. */
    private static Throwable error(Exception e) {
      return e.getClass() == KafkaException.class && e.getCause() != null ? e.getCause() : e;
    }

    static String code(Exception e) {
      return error(e).getClass().getSimpleName();
    }

    static String text(Exception e) {
      return error(e) == e
          ? String.valueOf(e.getMessage())
          : e.getMessage() + ": " + error(e).getMessage();
    }

    static String ofConsumer(Exception e) {
      return is(e, FENCED) ? "fenced" : is(e, AGAIN) ? "retriable" : "application";
    }

    /** Of a call after which a transaction can be aborted. */
    static String ofCall(Exception e) {
      Throwable error = error(e);
      if (is(error, FENCED)) {
        return "fenced";
      }
      if (is(error, FATAL) || e instanceof InvalidTxnStateException) {
        return "fatal";
      }
      if (e instanceof IllegalStateException || e instanceof IllegalArgumentException) {
        return "application";
      }
      return e instanceof RetriableException ? "retriable" : "abortable";
    }

    /** Of init and abort, behind which there is nothing to abort. */
    static String ofLastCall(Exception e) {
      String reason = ofCall(e);
      return reason.equals("abortable") ? "fatal" : reason;
    }

    /** Of a record that the library refused at once, or took and then failed. */
    static String ofRecord(Exception e, boolean refused, boolean transactional) {
      Throwable error = error(e);
      if (is(error, FENCED)) {
        return "fenced";
      }
      if (transactional && error instanceof InvalidPidMappingException) {
        return "fatal";
      }
      if (transactional && (is(error, ABORTABLE) || refused && error != e)) {
        return "abortable";
      }
      boolean told = error instanceof ApiException && !is(error, UNKNOWN);
      if (!refused && (!told && !(error instanceof UnknownProducerIdException))) {
        return "unknown-outcome"; // "closed forcefully" among them, which is no ApiException
      }
      boolean again =
          error instanceof RetriableException
              || error instanceof UnknownProducerIdException
              || error instanceof InvalidProducerEpochException;
      return again ? "retriable" : "application";
    }
  }

  // Settings.

  /** Translates canonical settings into Java's. */
  private static final class Settings {
    /** Names that only differ. */
    private static final Map<String, String> RENAMED =
        Map.of(
            "fetch.wait.max.ms", "fetch.max.wait.ms",
            "topic.metadata.refresh.interval.ms", "metadata.max.age.ms");

    /** What the library cannot be told, since it always does so. */
    private static final Map<String, String> ALWAYS =
        Map.ofEntries(
            Map.entry("api.version.request", "true"),
            Map.entry("broker.address.family", "any"),
            Map.entry("enable.auto.offset.store", "true"),
            Map.entry("enable.partition.eof", "false"),
            Map.entry("enable.ssl.certificate.verification", "true"),
            Map.entry("partitioner", "murmur2_random"),
            Map.entry("queue.buffering.backpressure.threshold", "1"),
            Map.entry("queuing.strategy", "fifo"),
            Map.entry("socket.keepalive.enable", "true"),
            Map.entry("socket.max.fails", "1"),
            Map.entry("socket.nagle.disable", "true"),
            Map.entry("statistics.interval.ms", "0"),
            Map.entry("topic.metadata.refresh.sparse", "true"));

    private static final Map<String, String> ASSIGNORS =
        Map.of(
            "range", RangeAssignor.class.getName(),
            "roundrobin", RoundRobinAssignor.class.getName(),
            "sticky", StickyAssignor.class.getName(),
            "cooperative-sticky", CooperativeStickyAssignor.class.getName());

    private static final Map<String, String> OFFSET_RESETS =
        Map.of(
            "smallest", "earliest",
            "beginning", "earliest",
            "largest", "latest",
            "end", "latest",
            "error", "none");

    final String role;
    final boolean onePerBatch;
    final Set<String> differences = new TreeSet<>();
    private final boolean producer;
    private final Map<String, String> given = new TreeMap<>();
    private final Map<String, Object> config = new TreeMap<>();
    private final Map<String, String> origin = new HashMap<>(); // given names by those in config

    Settings(Request request, String role) {
      this.role = role;
      producer = !role.equals("consumer");
      onePerBatch = request.flag("one_record_per_batch");
      request.object("settings").members.forEach((key, value) -> given.put(key, (String) value));
      given.values().removeIf(String::isEmpty); // for librdkafka that is not set
      given.forEach(this::translate);
      requestTimeout();
      login();
      complete(request.flag("bare"));
    }

    /** What no setting says; see one_record_per_batch and bare in the protocol. */
    private void complete(boolean bare) {
      if (producer) {
        config.put("key.serializer", ByteArraySerializer.class);
        config.put("value.serializer", ByteArraySerializer.class);
      } else {
        config.put("key.deserializer", ByteArrayDeserializer.class);
        config.put("value.deserializer", ByteArrayDeserializer.class);
        if (!bare) {
          config.putIfAbsent("enable.auto.commit", "false");
        }
      }
      if (onePerBatch) {
        if (given.containsKey("batch.size")) {
          throw wrong("one record a batch is asked for: leave batch.size out", "batch.size");
        }
        config.put("batch.size", "1");
      }
    }

    private void translate(String key, String value) {
      if (ALWAYS.containsKey(key)) {
        always(key, value);
        return;
      }
      switch (key) {
        case "acks" -> put(key, value.equals("-1") ? "all" : oneOf(key, value, "all", "0", "1"));
        case "allow.auto.create.topics" -> autoCreate(key, value);
        case "auto.offset.reset" -> put(key, OFFSET_RESETS.getOrDefault(value, value));
        case "batch.num.messages" -> put("batch.size", key, oneOf(key, value, "1"));
        case "compression.level" -> put("compression." + codec() + ".level", key, value);
        case "connections.max.idle.ms" -> put(key, value.equals("0") ? "-1" : value);
        case "delivery.timeout.ms" -> put(key, value.equals("0") ? "2147483647" : value);
        case "fetch.error.backoff.ms" -> differs(key, "kafka-clients waits retry.backoff.ms");
        case "linger.ms" -> wholeMillis(key, value);
        case "message.max.bytes" -> {
          put("max.request.size", key, value);
          differs(key, "kafka-clients holds whole requests to it, too (max.request.size)");
        }
        case "metadata.max.age.ms" -> // which is Java's name for the refresh interval
            throw unsupported(key, "kafka-clients does not forget topics that it refreshes");
        case "partition.assignment.strategy" -> put(key, assignors(key, value));
        case "queue.buffering.max.kbytes" ->
            put("buffer.memory", key, String.valueOf(Long.parseLong(value) * 1024));
        case "queue.buffering.max.messages" ->
            differs(key, "kafka-clients limits its buffer by bytes alone");
        case "request.timeout.ms", "socket.timeout.ms" -> {} // requestTimeout
        case "sasl.mechanism" ->
            put(key, oneOf(key, value, "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"));
        case "sasl.username", "sasl.password" -> {} // login
        case "security.protocol" -> put(key, value.toUpperCase(Locale.ROOT));
        case "socket.connection.setup.timeout.ms" -> {
          put(key, value);
          put("socket.connection.setup.timeout.max.ms", key, value);
        }
        case "socket.receive.buffer.bytes", "socket.send.buffer.bytes" ->
            put(key.substring("socket.".length()), key, value.equals("0") ? "-1" : value);
        case "ssl.ca.location" -> pem("truststore.certificates", key, contents(key, value));
        case "ssl.ca.pem" -> pem("truststore.certificates", key, value);
        case "ssl.certificate.location" ->
            pem("keystore.certificate.chain", key, contents(key, value));
        case "ssl.certificate.pem" -> pem("keystore.certificate.chain", key, value);
        case "ssl.key.location" -> pem("keystore.key", key, contents(key, value));
        case "ssl.key.pem" -> pem("keystore.key", key, value);
        case "ssl.keystore.location" -> {
          put(key, value);
          put("ssl.keystore.type", key, "PKCS12");
        }
        case "ssl.cipher.suites" -> throw unsupported(key, "OpenSSL's names are not Java's");
        case "ssl.endpoint.identification.algorithm" -> put(key, value.equals("none") ? "" : value);
        case "topic.metadata.refresh.fast.interval.ms" -> {
          if (!value.equals(given.get("retry.backoff.ms"))) {
            differs(key, "kafka-clients asks again for a leader after retry.backoff.ms");
          }
        }
        default -> byName(key, value);
      }
    }

    /** Many settings have the same name in both libraries. */
    private void byName(String key, String value) {
      String name = RENAMED.getOrDefault(key, key);
      boolean ofProducers = ProducerConfig.configNames().contains(name);
      boolean ofConsumers = ConsumerConfig.configNames().contains(name);
      if (producer ? ofProducers : ofConsumers) {
        put(name, key, value);
      } else if (!ofProducers && !ofConsumers) { // else it is for the other role
        throw unsupported(key, "kafka-clients has nothing like it");
      }
    }

    private void put(String key, String value) {
      put(key, key, value);
    }

    private void put(String name, String key, String value) {
      config.put(name, value);
      origin.put(name, key);
    }

    private void differs(String key, String how) {
      differences.add(key + ": " + how);
    }

    private void always(String key, String value) {
      if (!value.equals(ALWAYS.get(key))) {
        throw unsupported(key, "kafka-clients always does as with " + ALWAYS.get(key));
      }
      if (key.equals("partitioner")) {
        differs(key, "records without a key take turns by batch, not one by one (KIP-794)");
      }
    }

    private static String oneOf(String key, String value, String... known) {
      if (!List.of(known).contains(value)) {
        throw unsupported(key, "this program has " + String.join(", ", known));
      }
      return value;
    }

    private void autoCreate(String key, String value) {
      if (!producer) {
        put(key, value);
      } else if (!value.equals("true")) {
        differs(key, "a producer of kafka-clients always lets the broker create a topic");
      }
    }

    private String codec() {
      return oneOf(
          "compression.level",
          given.getOrDefault("compression.type", "none"),
          "gzip",
          "lz4",
          "zstd");
    }

    private void wholeMillis(String key, String value) {
      double exact = Double.parseDouble(value);
      put(key, String.valueOf((long) Math.ceil(exact)));
      if (exact != Math.ceil(exact)) {
        differs(key, "rounded up to whole milliseconds");
      }
    }

    private static String assignors(String key, String value) {
      var classes = new ArrayList<String>();
      for (String name : value.split(",")) {
        classes.add(
            ASSIGNORS.get(oneOf(key, name.trim(), ASSIGNORS.keySet().toArray(String[]::new))));
      }
      return String.join(",", classes);
    }

    /**
     * Java has one setting for its own wait and for that of brokers, and refuses more than
     * delivery.timeout.ms leaves beside linger.ms (KafkaProducer.configureDeliveryTimeout).
     */
    private void requestTimeout() {
      String key =
          Stream.of("socket.timeout.ms", "request.timeout.ms", "delivery.timeout.ms")
              .filter(given::containsKey)
              .findFirst()
              .orElse("");
      boolean asked = key.startsWith("socket") || key.startsWith("request");
      long wanted = asked ? Long.parseLong(given.get(key)) : inForce("request.timeout.ms");
      long timeout = wanted;
      if (producer && given.containsKey("delivery.timeout.ms")) {
        long rest = inForce("delivery.timeout.ms") - inForce("linger.ms");
        timeout = Math.max(1, Math.min(wanted, rest));
      }
      if (asked || timeout < wanted) {
        put("request.timeout.ms", key, String.valueOf(timeout));
      }
      if (timeout < wanted) {
        differs(key, "request.timeout.ms must fit in beside linger.ms, and is " + timeout);
      }
      String broker = given.getOrDefault("request.timeout.ms", "" + timeout);
      if (producer && Long.parseLong(broker) != timeout) {
        differs("request.timeout.ms", "brokers are told the client's own wait, " + timeout);
      }
    }

    /** What the library will use, if it is a number. */
    private long inForce(String name) {
      Object byDefault = ProducerConfig.configDef().defaultValues().get(name);
      return Long.parseLong(config.getOrDefault(name, byDefault).toString());
    }

    private void login() {
      String user = given.get("sasl.username");
      String password = given.get("sasl.password");
      if (user == null || password == null) {
        return;
      }
      boolean plain = given.getOrDefault("sasl.mechanism", "").equals("PLAIN");
      Class<?> module = plain ? PlainLoginModule.class : ScramLoginModule.class;
      String options = " required username=" + quoted(user) + " password=" + quoted(password) + ";";
      put("sasl.jaas.config", "sasl.password", module.getName() + options);
    }

    private static String quoted(String text) {
      return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private void pem(String part, String key, String text) {
      put("ssl." + part, key, text);
      put("ssl." + part.substring(0, part.indexOf('.')) + ".type", key, "PEM");
    }

    private static String contents(String key, String file) {
      try {
        return Files.readString(Path.of(file));
      } catch (IOException e) {
        throw wrong("expected a file that can be read: " + e, key);
      }
    }

    private static Failure unsupported(String key, String why) {
      return new Failure(members("class", "unsupported", "key", key, "text", why));
    }

    private static Failure wrong(String why, String... keys) {
      return new Failure(members("class", "config", "keys", List.of(keys), "text", why));
    }

    /** Asks the library, without a client. Which brokers there will be does not matter yet. */
    void validate() {
      config.putIfAbsent("bootstrap.servers", "localhost:9092");
      construct(config -> producer ? new ProducerConfig(config) : new ConsumerConfig(config));
    }

    /** Makes a client, or only its configuration; neither waits for a broker. */
    <T> T construct(Function<Map<String, Object>, T> constructor) {
      try {
        return constructor.apply(config);
      } catch (KafkaException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
          if (cause instanceof ConfigException) {
            throw wrong(cause.getMessage(), keysIn(cause.getMessage()));
          }
        }
        throw new Failure("application", e);
      }
    }

    /** The given settings that the library's message speaks of. */
    private String[] keysIn(String message) {
      return Arrays.stream(message.split("[^a-z.]+"))
          .map(word -> origin.get(word.replaceAll("\\.$", "")))
          .filter(Objects::nonNull)
          .distinct()
          .toArray(String[]::new);
    }
  }

  // Lines.

  private static final Comparator<TopicPartition> BY_NAME =
      Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

  /** Pairs of a name and a value; a member that is null is left out. */
  private static Map<String, Object> members(Object... pairs) {
    var members = new LinkedHashMap<String, Object>();
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i + 1] != null) {
        members.put((String) pairs[i], pairs[i + 1]);
      }
    }
    return members;
  }

  private static List<Object> sorted(
      Collection<TopicPartition> partitions, Function<TopicPartition, Long> offset) {
    var positions = new ArrayList<Object>();
    partitions.stream()
        .sorted(BY_NAME)
        .forEach(p -> positions.add(List.of(p.topic(), p.partition(), offset.apply(p))));
    return positions;
  }

  private static int size(byte[] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  private static String base64(byte[] bytes) {
    return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
  }

  private static byte[] bytes(Object base64) {
    return base64 == null ? null : Base64.getDecoder().decode((String) base64);
  }

  /** A position in a partition: the next offset to read. */
  private record Position(TopicPartition partition, long offset) {
    static Position of(List<Object> parts) {
      var partition = new TopicPartition((String) parts.get(0), ((Number) parts.get(1)).intValue());
      return new Position(partition, parts.size() < 3 ? -1 : ((Number) parts.get(2)).longValue());
    }
  }

  /** A line from kcompare. */
  private record Request(Map<String, Object> members) {
    private static final int PAD = 16;

    boolean has(String name) {
      return members.get(name) != null;
    }

    String text(String name) {
      return (String) members.get(name);
    }

    String verb() {
      return text("verb");
    }

    String handle() {
      return text("handle");
    }

    long number(String name) {
      return has(name) ? ((Number) members.get(name)).longValue() : 0;
    }

    double real(String name) {
      return has(name) ? ((Number) members.get(name)).doubleValue() : 0;
    }

    boolean flag(String name) {
      return Boolean.TRUE.equals(members.get(name));
    }

    @SuppressWarnings("unchecked")
    Request object(String name) {
      return new Request(has(name) ? (Map<String, Object>) members.get(name) : Map.of());
    }

    @SuppressWarnings("unchecked")
    <T> List<T> list(String name) {
      return has(name) ? (List<T>) members.get(name) : List.of();
    }

    List<Position> positions(String name) {
      return this.<List<Object>>list(name).stream().map(Position::of).toList();
    }

    Set<TopicPartition> partitions(String name) {
      return positions(name).stream().map(Position::partition).collect(Collectors.toSet());
    }

    Map<TopicPartition, OffsetAndMetadata> offsets(String name) {
      return positions(name).stream()
          .collect(Collectors.toMap(Position::partition, p -> new OffsetAndMetadata(p.offset)));
    }

    Duration timeout() {
      return Duration.ofMillis(number("timeout_ms"));
    }

    /** When the time is up, as System.nanoTime says it. */
    long deadline() {
      return System.nanoTime() + timeout().toNanos();
    }

    /**
     * With batch.size=1 a batch has room for its first record, which the library estimates up to 17
     * bytes too large (DefaultRecord.MAX_RECORD_OVERHEAD). A record that fits in there is padded.
     */
    ProducerRecord<byte[], byte[]> toRecord(boolean onePerBatch) {
      Integer partition = number("partition") < 0 ? null : (int) number("partition");
      var record =
          new ProducerRecord<>(
              text("topic"), partition, bytes(members.get("key")), bytes(members.get("value")));
      for (List<Object> header : this.<List<Object>>list("headers")) {
        record.headers().add((String) header.get(0), bytes(header.get(1)));
      }
      if (onePerBatch && size(record.key()) + size(record.value()) < PAD) {
        record.headers().add("kc-pad", new byte[PAD]);
      }
      return record;
    }
  }

  /** Lines to kcompare, from any thread. */
  private static final class Output {
    private final OutputStream out =
        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out));

    synchronized void write(Map<String, Object> line) {
      try {
        out.write((Json.write(line) + "\n").getBytes(UTF_8));
        out.flush();
      } catch (IOException e) {
        Runtime.getRuntime().halt(1); // nobody reads
      }
    }

    void answer(Request request, Work work) {
      var answer = members("id", request.number("id"));
      try {
        answer.putAll(ask(work, e -> "application"));
      } catch (Failure e) {
        answer.put("error", e.members);
      }
      write(answer);
    }
  }

  /** Reads and writes JSON; the JDK does not. */
  private static final class Json {
    private final String text;
    private int at;

    Json(String text) {
      this.text = text;
    }

    Map<String, Object> object() {
      var object = new LinkedHashMap<String, Object>();
      expect('{');
      while (!ends('}')) {
        String name = string();
        expect(':');
        object.put(name, value());
      }
      return object;
    }

    private List<Object> array() {
      var array = new ArrayList<Object>();
      expect('[');
      while (!ends(']')) {
        array.add(value());
      }
      return array;
    }

    private Object value() {
      return switch (next()) {
        case '{' -> object();
        case '[' -> array();
        case '"' -> string();
        default -> word();
      };
    }

    /** The next character that is no blank, which stays. */
    private char next() {
      while (Character.isWhitespace(text.charAt(at))) {
        at++;
      }
      return text.charAt(at);
    }

    private void expect(char wanted) {
      if (next() != wanted) {
        throw new IllegalArgumentException("JSON at " + at + ": expected " + wanted);
      }
      at++;
    }

    /** Takes a comma, or the bracket and says so. */
    private boolean ends(char bracket) {
      if (next() == ',') {
        at++;
      }
      boolean ends = next() == bracket;
      at += ends ? 1 : 0;
      return ends;
    }

    private Object word() {
      int start = at;
      while ("+-.0123456789abcdefghijklmnopqrstuvwxyzE".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
      String word = text.substring(start, at);
      return switch (word) {
        case "null" -> null;
        case "true" -> true;
        case "false" -> false;
        default -> word.matches("-?[0-9]+") ? (Object) Long.valueOf(word) : Double.valueOf(word);
      };
    }

    private String string() {
      expect('"');
      int end = at;
      while (text.charAt(end) != '"' && text.charAt(end) != '\\') {
        end++;
      }
      var string = new StringBuilder(text.substring(at, end));
      for (at = end; text.charAt(at) != '"'; at++) {
        string.append(text.charAt(at) == '\\' ? escaped() : text.charAt(at));
      }
      at++;
      return string.toString();
    }

    private char escaped() {
      char c = text.charAt(++at);
      switch (c) {
        case 'b':
          return '\b';
        case 'f':
          return '\f';
        case 'n':
          return '\n';
        case 'r':
          return '\r';
        case 't':
          return '\t';
        case 'u':
          at += 4;
          return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
        default:
          return c;
      }
    }

    static String write(Object value) {
      var json = new StringBuilder();
      write(value, json);
      return json.toString();
    }

    private static void write(Object value, StringBuilder json) {
      if (value instanceof Map<?, ?> object) {
        String before = "{";
        for (Map.Entry<?, ?> member : object.entrySet()) {
          json.append(before);
          write(member.getKey(), json);
          json.append(':');
          write(member.getValue(), json);
          before = ",";
        }
        json.append(object.isEmpty() ? "{}" : "}");
      } else if (value instanceof Collection<?> array) {
        String before = "[";
        for (Object element : array) {
          json.append(before);
          write(element, json);
          before = ",";
        }
        json.append(array.isEmpty() ? "[]" : "]");
      } else if (value instanceof String string) {
        quote(string, json);
      } else {
        json.append(value);
      }
    }

    private static void quote(String string, StringBuilder json) {
      json.append('"');
      for (char c : string.toCharArray()) {
        if (c == '"' || c == '\\') {
          json.append('\\').append(c);
        } else if (c < ' ') {
          json.append(String.format("\\u%04x", (int) c));
        } else {
          json.append(c);
        }
      }
      json.append('"');
    }
  }
}
