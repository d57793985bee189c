//! [`Site`]: a web server of the test's own, which answers as a function says and keeps what it was asked.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream,
};

use crate::machine::own;
use crate::wire::Wire;

/// A request that a site got.
#[derive(Clone, Debug)]
pub(crate) struct Requested {
    /// Its method and its target.
    pub(crate) line: String,
    head: String,
    pub(crate) body: String,
}

/// An answer that takes time. An empty one is never sent.
pub(crate) type Answer = Pin<Box<dyn Future<Output = String>>>;

/// A web server for HTTP/1.1.
pub(crate) struct Site {
    /// What URLs begin with.
    pub(crate) url: String,
    log: Arc<Log>,
}

#[derive(Default)]
struct Log {
    requested: Mutex<Vec<Requested>>,
    connections: AtomicU64,
}

impl Requested {
    /// What was asked for.
    pub(crate) fn target(&self) -> &str {
        self.line.split(' ').nth(1).unwrap_or_default()
    }

    /// The value of a field.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Reads the next request of a connection.
    async fn read(from: &mut BufReader<impl AsyncRead + Unpin>) -> Option<Self> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if from.read_line(&mut head).await.ok()? == 0 {
                return None;
            }
        }
        let line = head.split(" HTTP").take(1).collect();
        let requested = Self { line, head, body: String::new() };
        let length = requested.field("content-length").and_then(|length| length.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        from.read_exact(&mut body).await.ok()?;
        Some(Self { body: String::from_utf8_lossy(&body).into_owned(), ..requested })
    }
}

impl Site {
    /// A site that answers at once, depending on the request and how many there were of its target, this one included.
    pub(crate) fn answering(
        answer: impl Fn(&Requested, u64) -> String + Send + Sync + 'static,
    ) -> Self {
        Self::start(move |requested, seen| {
            let answer = answer(&requested, seen);
            Box::pin(async move { answer })
        })
    }

    /// The same whose answers take time.
    pub(crate) fn start(answer: impl Fn(Requested, u64) -> Answer + Send + Sync + 'static) -> Self {
        let (log, answer) = (Arc::<Log>::default(), Arc::new(answer));
        let shared = Arc::clone(&log);
        let serve = move |connection| {
            let (log, answer) = (Arc::clone(&shared), Arc::clone(&answer));
            async move { log.serve(connection, &*answer).await }
        };
        let url = own(|machine| {
            let distant = Wire::whole(machine.time()).leading_to(serve);
            format!("http://{}", machine.serve_locally(distant))
        });
        Self { url, log }
    }

    /// A plan with this load, these lines after the base of URLs, and these steps.
    pub(crate) fn plan(&self, load: &str, lines: &str, steps: &str) -> String {
        format!(
            "[run]\n{load}\n[http]\nbase = \"{}\"\n{lines}\n[[scenario]]\nname = \"visit\"\n{steps}",
            self.url
        )
    }

    /// The requests whose method and target begin so.
    pub(crate) fn requested(&self, start: &str) -> Vec<Requested> {
        let requested = self.log.requested.lock().expect("no panic");
        requested.iter().filter(|one| one.line.starts_with(start)).cloned().collect()
    }

    /// How many requests there were whose target begins so.
    pub(crate) fn count(&self, start: &str) -> u64 {
        let requested = self.log.requested.lock().expect("no panic");
        requested.iter().filter(|one| one.target().starts_with(start)).count() as u64
    }

    /// How many connections were opened.
    pub(crate) fn connections(&self) -> u64 {
        self.log.connections.load(Ordering::Relaxed)
    }
}

impl Log {
    /// Serves a connection to its end.
    async fn serve(&self, connection: DuplexStream, answer: &impl Fn(Requested, u64) -> Answer) {
        self.connections.fetch_add(1, Ordering::Relaxed);
        let (from, mut to) = tokio::io::split(connection);
        let mut from = BufReader::new(from);
        while let Some(requested) = Requested::read(&mut from).await {
            let seen = self.note(&requested);
            let answer = answer(requested, seen).await;
            if to.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    }

    /// Keeps a request; how many there were of its target.
    fn note(&self, requested: &Requested) -> u64 {
        let mut all = self.requested.lock().expect("no panic");
        all.push(requested.clone());
        all.iter().filter(|one| one.target() == requested.target()).count() as u64
    }
}

/// An answer in JSON.
pub(crate) fn json(status: u16, fields: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\n{fields}Content-Length: {length}\r\n\r\n{body}"
    )
}
