//! [`Exchange`]: one request and its answer over a shared connection.

use super::connection::Connection;
use super::streams::Phase;
use crate::FIRST_BYTE;
use crate::failure::{Failure, FailureStage};
use crate::request_spec::RequestSpec;
use crate::response::Response;
use brunt_exchange::{Moment, Watch};
use std::rc::Rc;
use std::task::{Context, Poll, ready};

/// One exchange being carried out. If it is dropped, only its own stream ends.
pub(super) struct Exchange<'a> {
    connection: Rc<Connection>,
    spec: &'a RequestSpec<'a>,
    response: &'a mut Response,
    /// When the request was sent.
    sent: Moment,
    /// When the head of the answer arrived.
    first: Option<Moment>,
    /// Its stream, once it has begun.
    slot: Option<usize>,
    /// Its place among those that wait to begin.
    ticket: Option<u64>,
    /// The part of the body that was not sent yet.
    body: &'a [u8],
}

impl<'a> Exchange<'a> {
    /// An exchange that was not begun yet.
    pub(super) fn new(
        connection: Rc<Connection>,
        spec: &'a RequestSpec<'a>,
        response: &'a mut Response,
        sent: Moment,
    ) -> Self {
        let body = spec.request.body().bytes().unwrap_or_default();
        Self { connection, spec, response, sent, first: None, slot: None, ticket: None, body }
    }

    /// Polls until the answer is complete, and returns when its last byte arrived.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        watch: &mut Watch<'_>,
    ) -> Poll<Result<Moment, Failure>> {
        let slot = match self.slot {
            Some(slot) => slot,
            None => ready!(self.begin(context))?,
        };
        let state = &mut *self.connection.state();
        if !self.body.is_empty() {
            state.send_body(slot, &mut self.body);
        }
        let Some((_, stream)) = state.streams.in_slot(slot) else { return gone() };
        if self.first.is_none() && stream.answer.status != 0 {
            let now = watch.now();
            crate::report(watch, FIRST_BYTE, now - self.sent);
            stream.answer.first = Some(now);
        }
        // An answer that arrived in one piece was read at the moment of its first byte.
        let alone = self.first.is_none();
        self.first = stream.answer.first;
        if stream.is_pending() {
            stream.wakes(context.waker());
            return Poll::Pending;
        }
        self.slot = None;
        let Some(stream) = state.remove(slot, self.body.is_empty()) else { return gone() };
        *self.response = stream.answer;
        if let Phase::Failed(failure) = stream.phase {
            return Poll::Ready(Err(failure));
        }
        let at = self.first.filter(|_| alone).unwrap_or_else(|| watch.now());
        Poll::Ready(Ok(at))
    }

    fn begin(&mut self, context: &mut Context<'_>) -> Poll<Result<usize, Failure>> {
        let state = &mut *self.connection.state();
        let begun = state.begin(self.spec, self.response, &mut self.ticket, context.waker())?;
        self.slot = begun;
        begun.map_or(Poll::Pending, |slot| Poll::Ready(Ok(slot)))
    }
}

/// Only the exchange itself removes its stream.
fn gone() -> Poll<Result<Moment, Failure>> {
    debug_assert!(false, "a stream was removed before its end");
    Poll::Ready(Err(Failure::Closed(FailureStage::Waiting)))
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            self.connection.state().remove(slot, self.body.is_empty());
        } else if let Some(ticket) = self.ticket.take() {
            self.connection.state().give_up(ticket);
        }
    }
}
