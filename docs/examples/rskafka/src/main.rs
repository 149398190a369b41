//! A client program for kcompare (clients/PROTOCOL.md) on rskafka, in Rust.
//!
//! One task for each handle; a producer has one more for each partition, which sends one record
//! after the other: rskafka itself neither batches nor queues here.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::{engine::general_purpose::STANDARD, Engine};
use rskafka::client::error::{Error, ProtocolError};
use rskafka::client::partition::{Compression, OffsetAt, PartitionClient, UnknownTopicHandling};
use rskafka::client::{Client, ClientBuilder};
use rskafka::record::Record;
use rskafka::BackoffConfig;
use serde_json::{json, Map, Value};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver, UnboundedSender};
use tokio::sync::OnceCell;

type Settings = Map<String, Value>;
type Lines = UnboundedSender<Value>;

fn say(line: Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush()); // who cannot hear us is gone
}

fn answer(request: &Value, result: Result<Value, Value>) {
    let mut line = match result {
        Ok(members) => members,
        Err(error) => json!({ "error": error }),
    };
    line["id"] = request["id"].clone();
    say(line);
}

fn encode(bytes: Option<&[u8]>) -> Value {
    bytes.map_or(Value::Null, |b| json!(STANDARD.encode(b)))
}

fn decode(text: &Value) -> Option<Vec<u8>> {
    text.as_str()
        .map(|t| STANDARD.decode(t).unwrap_or_default())
}

/// What a record's error says. Whatever the broker did not refuse may have been written.
fn failure(e: &Error) -> Value {
    let (code, class) = match e {
        Error::ServerError { protocol_error, .. } => (
            format!("{protocol_error:?}"),
            match protocol_error {
                ProtocolError::MessageTooLarge => "application",
                ProtocolError::UnknownTopicOrPartition => "retriable",
                _ => "unknown-outcome",
            },
        ),
        _ => ("ClientError".into(), "unknown-outcome"),
    };
    json!({ "class": class, "code": code, "text": e.to_string() })
}

/// Says what is only approximate, or which setting the library cannot express.
fn check(settings: &Settings, options: &Value) -> Result<Vec<String>, Value> {
    let unsupported =
        |key: &str, text: &str| Err(json!({ "class": "unsupported", "key": key, "text": text }));
    let mut differences = vec![];
    for (key, value) in settings {
        let value = value.as_str().unwrap_or_default();
        match (key.as_str(), value) {
            ("bootstrap.servers" | "client.id", _) => {}
            (
                "retry.backoff.ms"
                | "retry.backoff.max.ms"
                | "delivery.timeout.ms"
                | "fetch.wait.max.ms",
                _,
            ) => {}
            ("acks", "all" | "-1") | ("enable.idempotence" | "enable.auto.commit", "false") => {}
            ("compression.type", "none") | ("isolation.level", "read_committed") => {}
            ("acks", _) => return unsupported(key, "it always asks for acks=all"),
            ("isolation.level", _) => {
                return unsupported(key, "it always fetches as read_committed")
            }
            (
                "enable.idempotence" | "partitioner" | "compression.type" | "enable.auto.commit",
                _,
            ) => {
                return unsupported(key, "it has no such thing");
            }
            _ if key.starts_with("ssl.")
                || key.starts_with("sasl.")
                || key == "security.protocol" =>
            {
                return unsupported(key, "this program was built without it");
            }
            _ => differences.push(format!("{key}: the library has no such setting")),
        }
    }
    if options["bare"] == true {
        return unsupported(
            "bare",
            "the library sends nothing without a program's own queue",
        );
    }
    Ok(differences)
}

/// A connection that is made when somebody needs it.
struct Connection {
    builder: std::sync::Mutex<Option<ClientBuilder>>,
    client: OnceCell<Client>,
    wait_ms: i32,
}

impl Connection {
    fn new(settings: &Settings) -> Arc<Self> {
        let text = |key: &str, or: &str| {
            settings
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or(or)
                .to_string()
        };
        let millis =
            |key: &str, or: &str| Duration::from_millis(text(key, or).parse().unwrap_or_default());
        let builder = ClientBuilder::new(
            text("bootstrap.servers", "")
                .split(',')
                .map(String::from)
                .collect(),
        )
        .client_id(text("client.id", "rskafka"))
        .backoff_config(BackoffConfig {
            init_backoff: millis("retry.backoff.ms", "100"),
            max_backoff: millis("retry.backoff.max.ms", "1000"),
            deadline: Some(millis("delivery.timeout.ms", "120000")),
            ..Default::default()
        });
        let wait_ms = text("fetch.wait.max.ms", "500").parse().unwrap_or(500);
        Arc::new(Connection {
            builder: std::sync::Mutex::new(Some(builder)),
            client: OnceCell::new(),
            wait_ms,
        })
    }

    async fn client(&self) -> Result<&Client, Error> {
        self.client
            .get_or_try_init(|| async {
                let builder = self.builder.lock().unwrap().take();
                builder.expect("it is built once").build().await
            })
            .await
    }

    async fn partition(&self, topic: &str, partition: i32) -> Result<PartitionClient, Error> {
        self.client()
            .await?
            .partition_client(topic, partition, UnknownTopicHandling::Error)
            .await
    }

    async fn partitions(&self, topic: &str) -> Result<i32, Error> {
        let topics = self.client().await?.list_topics().await?;
        Ok(topics
            .iter()
            .find(|t| t.name == topic)
            .map_or(0, |t| t.partitions.len() as i32))
    }
}

/// What the tasks of a producer share.
struct Producer {
    handle: String,
    connection: Arc<Connection>,
    pending: AtomicI64,
}

impl Producer {
    fn report(&self, r: &Value, partition: i32, result: Result<i64, Error>) {
        let mut line = json!({ "handle": self.handle, "record": r["record"] });
        if partition >= 0 {
            line["partition"] = json!(partition);
        }
        match result {
            Ok(offset) => (line["outcome"], line["offset"]) = (json!("acked"), json!(offset)),
            Err(e) => (line["outcome"], line["error"]) = (json!("failed"), failure(&e)),
        }
        say(line);
        self.pending.fetch_sub(1, Ordering::SeqCst);
    }

    /// Sends what a partition gets, one record after the other.
    async fn send(
        self: Arc<Self>,
        topic: String,
        partition: i32,
        mut records: UnboundedReceiver<Value>,
    ) {
        while let Some(r) = records.recv().await {
            let sent = async {
                let client = self.connection.partition(&topic, partition).await?;
                Ok(client
                    .produce(vec![record(&r)], Compression::NoCompression)
                    .await?[0])
            };
            let result = sent.await;
            self.report(&r, partition, result);
        }
    }

    /// Gives records to partitions: those that name none take turns.
    async fn route(self: Arc<Self>, mut records: UnboundedReceiver<Value>, tasks: Tasks) {
        let (mut queues, mut counts, mut turn) = (HashMap::new(), HashMap::new(), 0);
        while let Some(r) = records.recv().await {
            let topic = r["topic"].as_str().unwrap_or_default().to_string();
            let mut partition = r["partition"].as_i64().unwrap_or(-1) as i32;
            if partition < 0 {
                if !counts.contains_key(&topic) {
                    match self.connection.partitions(&topic).await {
                        Ok(0) => {}
                        Ok(count) => _ = counts.insert(topic.clone(), count),
                        Err(e) => {
                            self.report(&r, -1, Err(e));
                            continue;
                        }
                    }
                }
                partition = turn % counts.get(&topic).unwrap_or(&1);
                turn += 1;
            }
            let queue: &Lines = queues.entry((topic.clone(), partition)).or_insert_with(|| {
                let (queue, records) = unbounded_channel();
                tasks.spawn(self.clone().send(topic, partition, records));
                queue
            });
            let _ = queue.send(r); // its task lives as long as this one
        }
    }
}

fn record(r: &Value) -> Record {
    let headers = r["headers"].as_array().into_iter().flatten();
    Record {
        key: decode(&r["key"]),
        value: decode(&r["value"]),
        headers: headers
            .map(|h| {
                (
                    h[0].as_str().unwrap_or_default().to_string(),
                    decode(&h[1]).unwrap_or_default(),
                )
            })
            .collect::<BTreeMap<_, _>>(),
        timestamp: chrono::Utc::now(),
    }
}

/// Tasks that end together.
#[derive(Clone, Default)]
struct Tasks(Arc<std::sync::Mutex<Vec<tokio::task::AbortHandle>>>);

impl Tasks {
    fn spawn(&self, task: impl std::future::Future<Output = ()> + Send + 'static) {
        self.0
            .lock()
            .unwrap()
            .push(tokio::spawn(task).abort_handle());
    }

    fn abort(&self) {
        self.0.lock().unwrap().drain(..).for_each(|t| t.abort());
    }
}

async fn produce(handle: String, settings: Settings, mut lines: UnboundedReceiver<Value>) {
    let producer = Arc::new(Producer {
        handle,
        connection: Connection::new(&settings),
        pending: AtomicI64::new(0),
    });
    let (tasks, (route, records)) = (Tasks::default(), unbounded_channel());
    tasks.spawn(producer.clone().route(records, tasks.clone()));
    while let Some(r) = lines.recv().await {
        match r["verb"].as_str().unwrap_or_default() {
            "produce" => {
                producer.pending.fetch_add(1, Ordering::SeqCst);
                let _ = route.send(r); // it lives until close
            }
            "flush" => {
                let until =
                    Instant::now() + Duration::from_millis(r["timeout_ms"].as_u64().unwrap_or(0));
                while producer.pending.load(Ordering::SeqCst) > 0 && Instant::now() < until {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                answer(
                    &r,
                    Ok(json!({ "pending": producer.pending.load(Ordering::SeqCst) })),
                );
            }
            "close" => {
                tasks.abort();
                answer(&r, Ok(json!({})));
            }
            verb => panic!("no such verb of a producer: {verb}"),
        }
    }
}

#[derive(Default)]
struct Cursor {
    next: i64,
    told: bool, // something was returned, or it was sought
}

async fn consume(settings: Settings, mut lines: UnboundedReceiver<Value>) {
    let connection = Connection::new(&settings);
    let mut cursors: BTreeMap<(String, i32), Cursor> = BTreeMap::new();
    while let Some(r) = lines.recv().await {
        let place = |at: &Value| {
            (
                at[0].as_str().unwrap_or_default().to_string(),
                at[1].as_i64().unwrap_or(0) as i32,
            )
        };
        let result = match r["verb"].as_str().unwrap_or_default() {
            "assign" => {
                let from = r["from"].as_array().into_iter().flatten();
                cursors = from
                    .map(|at| {
                        (
                            place(at),
                            Cursor {
                                next: at[2].as_i64().unwrap_or(0),
                                told: false,
                            },
                        )
                    })
                    .collect();
                Ok(json!({}))
            }
            "seek" => {
                cursors.insert(
                    place(&r["to"]),
                    Cursor {
                        next: r["to"][2].as_i64().unwrap_or(0),
                        told: true,
                    },
                );
                Ok(json!({}))
            }
            "positions" => {
                let told = cursors.iter().filter(|(_, c)| c.told);
                Ok(
                    json!({ "positions": told.map(|((t, p), c)| json!([t, p, c.next])).collect::<Vec<_>>() }),
                )
            }
            "poll" => {
                let limit = Duration::from_millis(r["timeout_ms"].as_u64().unwrap_or(0));
                match tokio::time::timeout(limit, poll(&connection, &mut cursors)).await {
                    Ok(Ok(records)) => Ok(json!({ "records": records })),
                    Ok(Err(e)) => Err(
                        json!({ "class": "retriable", "code": failure(&e)["code"], "text": e.to_string() }),
                    ),
                    Err(_) => Ok(json!({ "records": [] })),
                }
            }
            "close" => Ok(json!({})),
            verb => panic!("no such verb of a consumer: {verb}"),
        };
        answer(&r, result);
    }
}

/// Fetches from one partition after the other until there is something.
async fn poll(
    connection: &Connection,
    cursors: &mut BTreeMap<(String, i32), Cursor>,
) -> Result<Vec<Value>, Error> {
    loop {
        for ((topic, partition), cursor) in cursors.iter_mut() {
            let client = connection.partition(topic, *partition).await?;
            if cursor.next < 0 {
                let at = if cursor.next == -2 {
                    OffsetAt::Earliest
                } else {
                    OffsetAt::Latest
                };
                cursor.next = client.get_offset(at).await?;
            }
            let (records, _) = client
                .fetch_records(cursor.next, 1..10_000_000, connection.wait_ms)
                .await?;
            if let Some(last) = records.last() {
                (cursor.next, cursor.told) = (last.offset + 1, true);
                let fetched = records.iter().map(|r| {
                    let headers = r.record.headers.iter().map(|(k, v)| json!([k, encode(Some(v))]));
                    json!({
                        "topic": topic, "partition": partition, "offset": r.offset, "key": encode(r.record.key.as_deref()),
                        "value": encode(r.record.value.as_deref()), "headers": headers.collect::<Vec<_>>(),
                    })
                });
                return Ok(fetched.collect());
            }
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut handles: HashMap<String, Lines> = HashMap::new();
    let mut input = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = input.next_line().await {
        let r: Value = serde_json::from_str(&line).expect("a line of JSON");
        let settings = r["settings"].as_object().cloned().unwrap_or_default();
        match r["verb"].as_str().unwrap_or_default() {
            "hello" => answer(
                &r,
                Ok(
                    json!({ "protocol": 1, "language": "Rust", "library": "rskafka", "version": VERSION, "abilities": [] }),
                ),
            ),
            "check" => answer(
                &r,
                check(&settings, &r).map(|d| json!({ "differences": d })),
            ),
            "shutdown" => {
                answer(&r, Ok(json!({})));
                break;
            }
            "new-producer" | "new-consumer" => {
                let (handle, (lines, received)) = (
                    r["handle"].as_str().unwrap_or_default().to_string(),
                    unbounded_channel(),
                );
                let made = check(&settings, &r).map(|_| json!({}));
                if made.is_ok() {
                    match r["verb"] == "new-producer" {
                        true => tokio::spawn(produce(handle.clone(), settings, received)),
                        false => tokio::spawn(consume(settings, received)),
                    };
                    handles.insert(handle, lines);
                }
                answer(&r, made);
            }
            _ => handles[r["handle"].as_str().unwrap_or_default()]
                .send(r)
                .expect("its task lives"),
        }
    }
    std::process::exit(0); // whatever tasks still do
}

const VERSION: &str = env!("RSKAFKA_VERSION");
