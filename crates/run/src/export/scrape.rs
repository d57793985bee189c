//! [`Endpoint`]: serves the figures of a run at `/metrics`, to be scraped.
//!
//! A quiet thread serves them. It receives a pointer to each new snapshot and formats the text only on request, so a
//! run never waits for a reader. Connections are few and short: slow readers are disconnected.

use std::cell::Cell;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use brunt_engine::{Stop, Urgency};
use brunt_exchange::{Clock as _, Monotonic};
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{Semaphore, oneshot};

use super::ExportError;
use super::exposition::{Format, exposition};
use super::snapshot::Snapshot;
use crate::console::{self, Console};
use crate::quiet_thread;

/// The most connections at once.
const CONNECTIONS_MAX: usize = 16;
/// How long a connection may last.
const CONNECTION_LASTING: Duration = Duration::from_secs(10);
/// How long a reader may take to send its request.
const REQUEST_MAX: Duration = Duration::from_secs(2);
/// The scrape period that is assumed after a single scrape.
const PERIOD_USUAL: Duration = Duration::from_secs(15);
/// The longest time to wait for a reader that has scraped before.
const LAST_SCRAPE_MAX: Duration = Duration::from_secs(60);
/// How late a scrape may be.
const GRACE: Duration = Duration::from_secs(2);
/// How often a waiting loop checks.
const TICK: Duration = Duration::from_millis(20);

/// What the thread and the run share.
#[derive(Default)]
struct Shared {
    snapshot: Mutex<Arc<Snapshot>>,
    /// When the last scrape arrived, and the longest time between two: in milliseconds, 0 for neither.
    last_ms: AtomicU64,
    period_ms: AtomicU64,
    /// Whether a reader has received the figures of the finished run.
    finished: AtomicBool,
}

/// The figures of a run, served over HTTP.
pub(super) struct Endpoint {
    shared: Arc<Shared>,
    address: SocketAddr,
    /// Dropping this ends the thread.
    _open: oneshot::Sender<()>,
}

impl Endpoint {
    /// Serves figures at this address, beside this number of workers.
    pub(super) fn open(address: SocketAddr, workers: usize) -> Result<Self, ExportError> {
        let failed = |source: io::Error| ExportError::Serve { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let shared = Arc::new(Shared::default());
        let (open, closed) = oneshot::channel();
        let served = Arc::clone(&shared);
        let serve = move || serve(listener, served, closed);
        quiet_thread::spawn("prometheus", workers, serve).map_err(failed)?;
        Ok(Self { shared, address, _open: open })
    }

    /// Its address.
    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves this snapshot from now on.
    pub(super) fn show(&self, snapshot: Arc<Snapshot>) {
        *self.shared.snapshot.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
    }

    /// Waits until the figures of the finished run have been scraped, if any reader has scraped before, for a limited
    /// time.
    pub(super) fn linger(&self, stop: &Stop, console: &Console) {
        if self.shared.last_ms.load(Ordering::Relaxed) == 0 {
            return;
        }
        let period = match self.shared.period_ms.load(Ordering::Relaxed) {
            0 => PERIOD_USUAL,
            known => Duration::from_millis(known).min(LAST_SCRAPE_MAX),
        };
        let (limit, mut waited) = (period + GRACE, Duration::ZERO);
        let is_over =
            || self.shared.finished.load(Ordering::Relaxed) || stop.urgency() != Urgency::Run;
        while !is_over() && waited < limit {
            if waited == GRACE {
                let seconds = limit.saturating_sub(waited).as_secs();
                console.message(&format!(
                    "metrics: waiting up to {seconds} s for the last scrape; ^C ends it"
                ));
            }
            console::pause(TICK);
            waited += TICK;
        }
    }
}

impl Shared {
    /// The figures; also notes that they were requested.
    fn scraped(&self, clock: Monotonic) -> Arc<Snapshot> {
        let snapshot = Arc::clone(&self.snapshot.lock().unwrap_or_else(PoisonError::into_inner));
        let now = clock.now().since_origin().as_millis().try_into().unwrap_or(u64::MAX).max(1);
        let last = self.last_ms.swap(now, Ordering::Relaxed);
        if last > 0 {
            self.period_ms.fetch_max(now.saturating_sub(last).max(1), Ordering::Relaxed);
        }
        snapshot
    }
}

/// Serves until the run is dropped.
fn serve(listener: TcpListener, shared: Arc<Shared>, closed: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    tokio::task::LocalSet::new().block_on(&runtime, async move {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        tokio::select! {
            () = accept(&listener, &shared) => {}
            _ = closed => {}
        }
    });
}

async fn accept(listener: &tokio::net::TcpListener, shared: &Arc<Shared>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let clock = Monotonic::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // No descriptors left: existing connections must end first.
            tokio::time::timeout(TICK, std::future::pending::<()>()).await.unwrap_or_default();
            continue;
        };
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
        let shared = Arc::clone(shared);
        tokio::task::spawn_local(async move {
            converse(stream, &shared, clock).await;
            drop(place);
        });
    }
}

/// Answers one request.
async fn converse(stream: tokio::net::TcpStream, shared: &Shared, clock: Monotonic) {
    let is_last = Cell::new(false);
    let answer = service_fn(|request| {
        let answer = answer(&request, shared, clock, &is_last);
        async move { Ok::<_, Infallible>(answer) }
    });
    let mut server = http1::Builder::new();
    server.keep_alive(false).timer(TokioTimer::new()).header_read_timeout(REQUEST_MAX);
    let connection = server.serve_connection(TokioIo::new(stream), answer);
    let conversation = tokio::time::timeout(CONNECTION_LASTING, connection).await;
    if is_last.get() && matches!(conversation, Ok(Ok(()))) {
        shared.finished.store(true, Ordering::Relaxed);
    }
}

fn answer(
    request: &Request<Incoming>,
    shared: &Shared,
    clock: Monotonic,
    is_last: &Cell<bool>,
) -> Response<Full<Bytes>> {
    const PLAIN: &str = "text/plain; charset=utf-8";
    let of = |status, kind: &'static str, text: String| {
        let mut response = Response::new(Full::new(Bytes::from(text)));
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
        response
    };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return of(StatusCode::METHOD_NOT_ALLOWED, PLAIN, "only GET and HEAD\n".to_owned());
    }
    if request.uri().path() != "/metrics" {
        let status =
            if request.uri().path() == "/" { StatusCode::OK } else { StatusCode::NOT_FOUND };
        return of(status, PLAIN, "brunt: the figures of this run are at /metrics\n".to_owned());
    }
    let accept = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let format = Format::accepted(accept.unwrap_or_default());
    let snapshot = shared.scraped(clock);
    let text = exposition(&snapshot, format);
    is_last.set(snapshot.finished);
    of(StatusCode::OK, format.content_type(), text)
}
