//! [`Wire`]: the bytes of a connection below hyper: counted, kept as they arrived, and distorted as a script says.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use brunt_embedded::counter::add;
use brunt_embedded::tcp::stream::Stream;
use brunt_embedded::timer::Sleep;
use http::request::Parts;

use super::distortion::Distortion;
use super::heads::Heads;
use super::script::Action;
use super::worker::Worker;

/// How long and how much is read from a client after the connection was closed for writing, so that what it still sends
/// does not cause a reset that discards the answer (RFC 9112 section 9.6).
const LINGER: Duration = Duration::from_millis(500);
const LINGER_BYTES: usize = 1 << 20;

/// The bytes of a connection.
pub(super) struct Wire {
    worker: Rc<Worker>,
    inner: RefCell<Inner>,
}

struct Inner {
    stream: Stream,
    heads: Heads,
    /// The answer that a fault applies to.
    distortion: Option<Distortion>,
    /// Until when and how much is still read after the end.
    linger: Option<(Sleep, Duration, usize)>,
}

impl Wire {
    pub(super) fn new(worker: Rc<Worker>, stream: Stream) -> Self {
        let heads =
            Heads::new(stream.protocol() == Some(b"h2"), worker.realm.config.head_bytes_max);
        let inner = Inner { stream, heads, distortion: None, linger: None };
        Self { worker, inner: RefCell::new(inner) }
    }

    /// The request line and fields of the next request as they arrived, where these are shown.
    pub(super) fn head(&self, parts: &Parts) -> Option<Vec<u8>> {
        let shown = self.worker.realm.log.is_some() || parts.uri.path() == "/headers";
        self.inner.borrow_mut().heads.take(parts, shown)
    }

    /// The body of the current request was read.
    pub(super) fn body_ended(&self) {
        self.inner.borrow_mut().heads.body_ended();
    }

    /// Applies a fault to the bytes of the next answer.
    pub(super) fn distort(&self, action: Action, random: u64) {
        self.inner.borrow_mut().distortion = Some(Distortion::new(action, random));
    }

    /// Makes the end of the connection a reset.
    pub(super) fn reset_on_drop(&self) {
        self.inner.borrow().stream.reset_on_drop();
    }

    /// Discards everything the client sends, until it ends the connection.
    pub(super) async fn ignore(&self) {
        poll_fn(|cx| {
            let mut input = self.worker.input.borrow_mut();
            let mut inner = self.inner.borrow_mut();
            while let Ok(count) = ready!(inner.stream.poll_read(cx, &mut input)) {
                if count == 0 {
                    break;
                }
            }
            Poll::Ready(())
        })
        .await;
    }
}

/// The same for hyper.
pub(super) struct Io(pub(super) Rc<Wire>);

impl hyper::rt::Read for Io {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut into: hyper::rt::ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let Wire { worker, inner } = &*self.0;
        let (mut inner, mut input) = (inner.borrow_mut(), worker.input.borrow_mut());
        let room = into.remaining().min(input.len());
        let count = ready!(inner.stream.poll_read(cx, &mut input[..room]))?;
        into.put_slice(&input[..count]);
        if inner.heads.feed(&input[..count]) {
            add(&worker.counters.bytes_read, count as u64);
        }
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Write for Io {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Wire { worker, inner } = &*self.0;
        let inner = &mut *inner.borrow_mut();
        if let Some(distortion) = &mut inner.distortion {
            distortion.collect(bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        let count = ready!(inner.stream.poll_write(cx, bytes))?;
        if inner.heads.are_kept() {
            add(&worker.counters.bytes_written, count as u64);
        }
        Poll::Ready(Ok(count))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Wire { worker, inner } = &*self.0;
        let inner = &mut *inner.borrow_mut();
        // hyper writes the head and the body of an answer that is in memory before it flushes them.
        if let Some(distortion) = inner.distortion.as_mut().filter(|it| it.has_answer()) {
            ready!(distortion.poll_write(worker, &mut inner.stream, cx))?;
            inner.distortion = None;
        }
        inner.stream.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Wire { worker, inner } = &*self.0;
        let inner = &mut *inner.borrow_mut();
        if inner.linger.is_none() {
            ready!(inner.stream.poll_shutdown(cx))?;
        }
        let (sleep, end, left) = inner.linger.get_or_insert_with(|| {
            (worker.timer.sleep(), worker.clock.now() + LINGER, LINGER_BYTES)
        });
        let mut input = worker.input.borrow_mut();
        loop {
            match inner.stream.poll_read(cx, &mut input) {
                Poll::Ready(Ok(count)) if count > 0 && *left > count => *left -= count,
                Poll::Ready(_) => return Poll::Ready(Ok(())),
                Poll::Pending => return sleep.poll_until(*end, cx).map(Ok),
            }
        }
    }
}
