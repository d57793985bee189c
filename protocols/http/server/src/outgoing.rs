//! [`Outgoing`]: the body of an answer, as hyper sends it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use brunt_embedded::script::period::Period;
use brunt_embedded::timer::Sleep;
use hyper::body::{Body, Bytes, Frame, SizeHint};

use super::reply::{FILLING, Filler, Reply};
use super::script::{Action, Faults};
use super::worker::Worker;

/// The body of an answer.
#[derive(Default)]
pub(super) struct Outgoing {
    whole: Bytes,
    /// How many bytes of filler follow.
    filling: u64,
    /// The most that is sent at once; no limit if it is 0.
    piece: usize,
    /// The time before each piece.
    pace: Option<(Duration, Duration, Sleep)>,
    /// Whether it ends with a reset.
    cut_off: bool,
    /// Whether the length is not announced.
    unannounced: bool,
}

impl Outgoing {
    /// The body of an answer without faults.
    pub(super) fn new(reply: &Reply) -> Self {
        match reply.filler {
            Some(filler) => Self::filler(filler),
            None => Self { whole: Bytes::copy_from_slice(&reply.body), ..Self::default() },
        }
    }

    /// A body of meaningless bytes.
    pub(super) fn filler(filler: Filler) -> Self {
        Self { filling: filler.bytes, unannounced: filler.chunked, ..Self::default() }
    }

    /// The length of the body, if it is announced.
    pub(super) fn length(&self) -> Option<u64> {
        (!self.unannounced).then_some(self.whole.len() as u64 + self.filling)
    }

    /// The same body in pieces of this length, without an announced length.
    pub(super) fn in_pieces(self, bytes: usize) -> Self {
        Self { piece: bytes, unannounced: true, ..self }
    }

    /// The body of an answer in a stream of HTTP/2 after the faults of a script; `None` if there must be no answer.
    pub(super) fn in_stream(worker: &Worker, reply: &Reply, faults: Faults) -> Option<Self> {
        let body = Self::new(reply);
        Some(match faults.done {
            None => body,
            Some((Action::Body(filler), _)) => Self::filler(filler),
            Some((Action::Half, _)) => {
                let half = body.whole.len() / 2;
                body.cut(half)
            }
            Some((Action::Truncate(bytes), _)) => body.cut(bytes),
            Some((Action::Chunked(bytes), _)) => body.in_pieces(bytes),
            Some((Action::Drip(Period(each)), _)) => {
                let at = worker.clock.now() + each;
                Self { piece: 1, pace: Some((each, at, worker.timer.sleep())), ..body }
            }
            Some(_) => return None,
        })
    }

    fn cut(mut self, bytes: usize) -> Self {
        self.whole.truncate(bytes);
        Self { filling: 0, cut_off: true, unannounced: true, ..self }
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let body = &mut *self;
        if body.whole.is_empty() && body.filling > 0 {
            let more = (FILLING.len() as u64).min(body.filling);
            body.whole = Bytes::from_static(&FILLING).split_to(more as usize);
            body.filling -= more;
        }
        if body.whole.is_empty() {
            return Poll::Ready(body.cut_off.then(|| Err(io::ErrorKind::ConnectionAborted.into())));
        }
        if let Some((each, at, sleep)) = &mut body.pace {
            if sleep.poll_until(*at, cx).is_pending() {
                return Poll::Pending;
            }
            *at += *each;
        }
        let piece = if body.piece == 0 { body.whole.len() } else { body.piece };
        let piece = body.whole.split_to(piece.min(body.whole.len()));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.whole.is_empty() && self.filling == 0 && !self.unannounced
    }

    fn size_hint(&self) -> SizeHint {
        self.length().map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
