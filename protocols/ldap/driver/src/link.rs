//! The bytes of one connection: message ids, outgoing requests, incoming answers.
//!
//! One connection is shared by the sessions of one core that were opened on it, so there is no lock and no task in
//! between: the session that waits reads for all. It is the *driver*: the session whose waker is registered with the
//! stream. When the driver has its answer, or is dropped, another session becomes the driver. A session that is the
//! only one on its connection writes and reads with one system call each.
//!
//! An exchange that is dropped half-way leaves a connection that still works: what was encoded is written in full
//! before anything else, the server is told to abandon a read, and an answer that arrives nevertheless is recognised by
//! its old id. An update is not abandoned: the server may have made it, and an answer that is late counts as one.
//!
//! It must not depend on what an operation means, who binds, or how a connection is made.

use super::broken::{self, malformed, no_frame, notice};
use super::failure::Failure;
use super::lockout;
use super::slot::{Keep, Reply, Slot};
use super::tally::Tally;
use brunt_exchange::Class;
use brunt_ldap_wire::control::{self, value};
use brunt_ldap_wire::response::{self, Scan};
use brunt_ldap_wire::{op, request};
use brunt_net::stream::Stream;
use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Buffers that grew beyond this size for one message are released.
const ROOM_KEPT: usize = 4096;

pub(super) struct Link {
    state: RefCell<State>,
    /// A measured exchange was answered over the present connection.
    pub(super) used: Cell<bool>,
    /// The server closed a connection that should be kept, and it is not open again yet.
    pub(super) lapsed: Cell<bool>,
}

struct State {
    stream: Option<Stream>,
    slots: Vec<Slot>,
    last_id: i32,
    /// All ids have been used once, so an old id can no longer be distinguished from a wrong one.
    wrapped: bool,
    driver: Option<usize>,
    driver_waker: Option<Waker>,
    unsent: Vec<u8>,
    written: usize,
    /// TLS may buffer what was written to it; then it must be flushed.
    unflushed: bool,
    /// The beginning of a message that is not complete yet.
    unread: Vec<u8>,
    /// The server has sent something over the present connection.
    answered: bool,
    tally: Arc<Tally>,
}

/// An exchange in flight. If it is dropped before its answer, it releases the slot and the driver's role.
pub(super) struct InFlight<'a> {
    link: &'a Link,
    slot: usize,
}

impl Link {
    /// A link that is down, for this number of sessions.
    pub(super) fn new(sessions: usize, tally: Arc<Tally>) -> Self {
        let mut slots = Vec::with_capacity(sessions);
        slots.resize_with(sessions, Slot::new);
        Self {
            state: RefCell::new(State {
                stream: None,
                slots,
                last_id: 0,
                wrapped: false,
                driver: None,
                driver_waker: None,
                unsent: Vec::new(),
                written: 0,
                unflushed: false,
                unread: Vec::new(),
                answered: false,
                tally,
            }),
            used: Cell::new(false),
            lapsed: Cell::new(false),
        }
    }

    /// Whether there is a connection, as far as is known.
    pub(super) fn is_up(&self) -> bool {
        self.state.borrow().stream.is_some()
    }

    /// Resets the state and uses `stream` as the connection.
    pub(super) fn attach(&self, stream: Stream) {
        let mut state = self.state.borrow_mut();
        debug_assert!(state.stream.is_none(), "a connection replaces one that is still up");
        state.stream = Some(stream);
        self.used.set(false);
        state.last_id = 0;
        state.wrapped = false;
        state.answered = false;
        state.forget_bytes();
    }

    /// Removes the stream, for a TLS handshake on it or to close it. All exchanges in flight fail.
    ///
    /// The flag says whether there are unread bytes: after StartTLS they would be clear text that passes for encrypted
    /// data.
    pub(super) fn detach(&self) -> Option<(Stream, bool)> {
        let mut state = self.state.borrow_mut();
        let stream = state.stream.take()?;
        let unread = !state.unread.is_empty();
        state.forget_bytes();
        state.fail_waiting(&Failure::new(
            Class::Closed,
            0,
            "the connection was closed by another operation's failure",
        ));
        Some((stream, unread))
    }

    /// Encodes a request, to be sent by the next poll. `expected` is the tag of the response that ends the exchange. If
    /// the connection is down, the first poll reports it.
    pub(super) fn start(
        &self,
        slot: usize,
        expected: u8,
        keep: Keep,
        wants_text: bool,
        encode: impl FnOnce(i32, &mut Vec<u8>),
    ) -> InFlight<'_> {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        let id = state.next_id();
        if let Some(place) = state.slots.get_mut(slot) {
            place.start(id, expected, keep, wants_text);
        }
        if state.stream.is_some() {
            encode(id, &mut state.unsent);
        } else if let Some(place) = state.slots.get_mut(slot) {
            place.end(Reply::Broken(Failure::new(Class::Closed, 0, "the connection is down")));
        }
        InFlight { link: self, slot }
    }

    /// Sends a message that has no answer.
    pub(super) fn notify(&self, encode: impl FnOnce(i32, &mut Vec<u8>)) {
        let state = &mut *self.state.borrow_mut();
        if state.stream.is_some() {
            let id = state.next_id();
            encode(id, &mut state.unsent);
        }
    }

    /// Writes pending bytes, as far as the stream takes them without waiting.
    pub(super) fn poll_flush(&self, cx: &mut Context<'_>) -> Poll<()> {
        let state = &mut *self.state.borrow_mut();
        match state.flush(cx) {
            Poll::Ready(Ok(())) => Poll::Ready(()),
            Poll::Ready(Err(error)) => {
                state.break_off(&Failure::system(Class::Closed, &error).ended());
                Poll::Ready(())
            }
            Poll::Pending => Poll::Pending,
        }
    }

    /// Handles what happened while no exchange was in flight: late answers, a notice of disconnection, the end of the
    /// connection.
    pub(super) fn poll_idle(&self, cx: &mut Context<'_>, input: &mut [u8]) {
        let state = &mut *self.state.borrow_mut();
        if state.driver.is_none() && !state.stream.as_ref().is_some_and(Stream::is_quiet) {
            while state.stream.is_some() {
                match state.read(cx, input) {
                    Poll::Pending => return,
                    Poll::Ready(None) => {}
                    // With nothing in flight, the end of the connection has failed no exchange.
                    Poll::Ready(Some(class)) => self.lapsed.set(class == Class::Closed),
                }
            }
        }
    }

    /// Passes the slot of an ended exchange to `look`.
    pub(super) fn with_slot<T>(&self, slot: usize, look: impl FnOnce(&mut Slot) -> T) -> Option<T> {
        self.state.borrow_mut().slots.get_mut(slot).map(look)
    }
}

impl InFlight<'_> {
    /// Writes, reads for all sessions if no other does, and yields the answer once it has arrived.
    pub(super) fn poll_reply(&mut self, cx: &mut Context<'_>, input: &mut [u8]) -> Poll<Reply> {
        let state = &mut *self.link.state.borrow_mut();
        let shared = state.slots.len() > 1;
        let Some(place) = state.slots.get_mut(self.slot) else { return Poll::Pending };
        if std::mem::take(&mut place.fresh) && shared && place.reply.is_none() {
            // The sessions that were woken together are polled next; their requests join this write.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        loop {
            let Some(place) = state.slots.get_mut(self.slot) else { return Poll::Pending };
            if let Some(reply) = place.reply.take() {
                state.release(self.slot);
                return Poll::Ready(reply);
            }
            if state.has_unsent() && !state.write_for(self.slot, cx) {
                continue;
            }
            if state.driver.is_some_and(|driver| driver != self.slot) {
                state.wait(self.slot, cx);
                return Poll::Pending;
            }
            state.drive(self.slot, shared.then_some(cx));
            match state.read(cx, input) {
                Poll::Pending => return Poll::Pending,
                // The end may arrive together with the last answer, and then no exchange has failed either.
                Poll::Ready(Some(Class::Closed)) if !state.has_broken() => {
                    self.link.lapsed.set(true);
                }
                Poll::Ready(_) => {}
            }
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let state = &mut *self.link.state.borrow_mut();
        let abandoned = state.slots.get(self.slot).filter(|slot| slot.is_waiting_for_read());
        let abandoned = abandoned.map(|slot| slot.id).filter(|_| state.stream.is_some());
        state.release(self.slot);
        if let Some(id) = abandoned {
            state.abandon(self.slot, id);
        }
    }
}

impl State {
    /// The next id: 1 to 2^31-1, then 1 again (RFC 4511 section 4.1.1.1); ids that are still in flight are skipped.
    fn next_id(&mut self) -> i32 {
        loop {
            (self.last_id, self.wrapped) = match self.last_id.checked_add(1) {
                Some(next) => (next, self.wrapped),
                None => (1, true),
            };
            let candidate = self.last_id;
            if !self.slots.iter().any(|slot| slot.id == candidate) {
                return candidate;
            }
        }
    }

    fn has_unsent(&self) -> bool {
        self.unflushed || self.written < self.unsent.len()
    }

    /// Sends an abandon request for a request whose answer is not needed any more.
    #[cold]
    fn abandon(&mut self, slot: usize, id: i32) {
        let own = self.next_id();
        request::encode_abandon(&mut self.unsent, own, id);
        // What the stream does not take now is sent before the next request.
        self.write_for(slot, &mut Context::from_waker(Waker::noop()));
    }

    /// Writes on behalf of all sessions. False if the connection broke during the write.
    #[inline]
    fn write_for(&mut self, slot: usize, cx: &mut Context<'_>) -> bool {
        match self.flush(cx) {
            Poll::Ready(Ok(())) => true,
            Poll::Ready(Err(error)) => {
                self.break_off(&Failure::system(Class::Closed, &error).ended());
                false
            }
            Poll::Pending => {
                // The stream now has this session's waker, but the driver must continue writing.
                if let Some(waker) = self
                    .driver_waker
                    .as_ref()
                    .filter(|_| self.driver.is_some_and(|driver| driver != slot))
                {
                    waker.wake_by_ref();
                }
                true
            }
        }
    }

    fn flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(stream) = &mut self.stream else { return Poll::Ready(Ok(())) };
        let mut stream = Pin::new(stream);
        while let Some(rest) = self.unsent.get(self.written..).filter(|rest| !rest.is_empty()) {
            match stream.as_mut().poll_write(cx, rest) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => {
                    self.written += count;
                    self.unflushed = true;
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return Poll::Pending,
            }
        }
        self.written = 0;
        self.unsent.clear();
        if self.unsent.capacity() > ROOM_KEPT {
            self.unsent = Vec::new();
        }
        if self.unflushed {
            match stream.poll_flush(cx) {
                Poll::Ready(Ok(())) => self.unflushed = false,
                other => return other,
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads once and distributes what arrived. Returns the class of the end if the connection ended.
    fn read(&mut self, cx: &mut Context<'_>, input: &mut [u8]) -> Poll<Option<Class>> {
        let Some(stream) = &mut self.stream else { return Poll::Ready(None) };
        let mut buffer = ReadBuf::new(input);
        let taken = match Pin::new(stream).poll_read(cx, &mut buffer) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Err(error)) => Err(broken::closed(Some(&error), self.is_mute())),
            Poll::Ready(Ok(())) if buffer.filled().is_empty() => {
                Err(broken::closed(None, self.is_mute()))
            }
            Poll::Ready(Ok(())) => {
                self.answered = true;
                self.take(buffer.filled())
            }
        };
        Poll::Ready(taken.err().map(|failure| {
            let class = failure.class;
            self.break_off(&failure);
            class
        }))
    }

    /// Whether a request in the clear has been answered by nothing so far, which is how many a port for LDAPS ends a
    /// connection that does not begin with TLS.
    fn is_mute(&self) -> bool {
        let clear = self
            .stream
            .as_ref()
            .is_some_and(|stream| stream.tcp().is_some() && !stream.is_secured());
        clear && !self.answered && self.slots.iter().any(Slot::is_waiting)
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.unread.is_empty() {
            let used = self.hand_out(bytes)?;
            self.unread.extend_from_slice(bytes.get(used..).unwrap_or_default());
            return Ok(());
        }
        let mut unread = std::mem::take(&mut self.unread);
        unread.extend_from_slice(bytes);
        let used = self.hand_out(&unread)?;
        unread.drain(..used);
        if unread.is_empty() && unread.capacity() > ROOM_KEPT {
            unread = Vec::new();
        }
        self.unread = unread;
        Ok(())
    }

    /// Distributes every complete message, and returns how many bytes they occupied.
    fn hand_out(&mut self, bytes: &[u8]) -> Result<usize, Failure> {
        let mut used = 0;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            let length = response::frame(rest).map_err(|error| no_frame(rest, error))?;
            let Some(message) = length.and_then(|length| rest.get(..length)) else { break };
            self.message(message)?;
            used += message.len();
        }
        Ok(used)
    }

    fn message(&mut self, message: &[u8]) -> Result<(), Failure> {
        let scan = response::scan(message).map_err(malformed)?;
        if scan.message_id == 0 {
            return Err(notice(&scan));
        }
        let id = scan.message_id;
        let Some(slot) = self.slots.iter_mut().find(|slot| slot.id == id && slot.reply.is_none())
        else {
            let issued = self.wrapped || id <= self.last_id;
            Tally::one(if issued { &self.tally.late } else { &self.tally.orphans });
            return Ok(());
        };
        slot.begun = true;
        match (scan.op, scan.code) {
            (op::SEARCH_ENTRY, _) if slot.expected == op::SEARCH_DONE => {
                slot.entries += 1;
                keep_of_entry(slot, &scan)
            }
            (op::SEARCH_REFERENCE, _) if slot.expected == op::SEARCH_DONE => {
                Tally::one(&self.tally.references);
                Ok(())
            }
            (op::INTERMEDIATE_RESPONSE, _) => {
                Tally::one(&self.tally.intermediates);
                Ok(())
            }
            (tag, Some(code)) if tag == slot.expected => end_with(slot, code, &scan, &self.tally),
            (tag, _) => Err(Failure::protocol(format!(
                "the answer to message {id} is of operation {tag:#04x}, where {:#04x} was expected",
                slot.expected
            ))),
        }
    }

    fn break_off(&mut self, failure: &Failure) {
        if self.stream.take().is_some() {
            Tally::one(&self.tally.lost);
        }
        self.mark_begun();
        self.forget_bytes();
        self.fail_waiting(failure);
    }

    /// Whether the end of the connection has failed an exchange.
    fn has_broken(&self) -> bool {
        self.slots.iter().any(|slot| matches!(slot.reply, Some(Reply::Broken(_))))
    }

    /// Marks the exchange to which an incomplete message belongs; marks all of them as long as its id has not arrived.
    fn mark_begun(&mut self) {
        if self.unread.is_empty() {
            return;
        }
        let id = begun_id(&self.unread);
        for slot in &mut self.slots {
            slot.begun |= id.is_none_or(|id| slot.id == id);
        }
    }

    fn fail_waiting(&mut self, failure: &Failure) {
        for slot in self.slots.iter_mut().filter(|slot| slot.is_waiting()) {
            let unanswered = failure.unanswered && !slot.begun;
            slot.end(Reply::Broken(Failure { unanswered, ..failure.clone() }));
        }
    }

    fn forget_bytes(&mut self) {
        self.unsent = Vec::new();
        self.unread = Vec::new();
        self.written = 0;
        self.unflushed = false;
    }

    /// Frees a slot, and wakes another session as the driver if the slot belonged to the driver.
    fn release(&mut self, slot: usize) {
        if let Some(place) = self.slots.get_mut(slot) {
            place.id = 0;
            place.waker = None;
        }
        if self.driver == Some(slot) {
            self.driver = None;
            if let Some(next) = self.slots.iter().position(Slot::is_waiting) {
                self.wake(next);
            }
        }
    }

    /// Gives the driver's role to `slot`. Its waker is stored separately, so that its own answer, which it reads
    /// itself, does not wake it again. A session that is the only one on its connection needs no such waker.
    fn drive(&mut self, slot: usize, shared: Option<&Context<'_>>) {
        self.driver = Some(slot);
        let Some(cx) = shared else { return };
        match &mut self.driver_waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        if let Some(place) = self.slots.get_mut(slot) {
            place.waker = None;
        }
    }

    fn wait(&mut self, slot: usize, cx: &Context<'_>) {
        let Some(place) = self.slots.get_mut(slot) else { return };
        match &mut place.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
    }

    fn wake(&self, slot: usize) {
        if let Some(waker) = self.slots.get(slot).and_then(|slot| slot.waker.as_ref()) {
            waker.wake_by_ref();
        }
    }
}

fn keep_of_entry(slot: &mut Slot, scan: &Scan<'_>) -> Result<(), Failure> {
    match slot.keep {
        Keep::FirstDn if slot.entries == 1 => {
            slot.kept.extend_from_slice(scan.entry().map_err(malformed)?.dn());
        }
        Keep::EveryDn => {
            slot.keep(scan.entry().map_err(malformed)?.dn());
        }
        Keep::FirstEntry if slot.entries == 1 => keep_entry(slot, scan)?,
        Keep::FirstValue if slot.entries == 1 => {
            if let Some(attribute) = scan.entry().map_err(malformed)?.attributes().next() {
                let value =
                    attribute.map_err(malformed)?.values.next().transpose().map_err(malformed)?;
                slot.kept.extend_from_slice(value.unwrap_or_default());
            }
        }
        _ => {}
    }
    Ok(())
}

/// Keeps as much of an entry as fits; it is cut off only between a value and the next name.
fn keep_entry(slot: &mut Slot, scan: &Scan<'_>) -> Result<(), Failure> {
    let entry = scan.entry().map_err(malformed)?;
    let mut fits = slot.keep(b"dn") && slot.keep(entry.dn());
    for attribute in entry.attributes() {
        let attribute = attribute.map_err(malformed)?;
        for value in attribute.values {
            let value = value.map_err(malformed)?;
            fits = fits && slot.keep(attribute.name) && slot.keep(value);
        }
    }
    Ok(())
}

/// Ends the exchange. Only the code is decoded unless more was requested.
fn end_with(slot: &mut Slot, code: u32, scan: &Scan<'_>, tally: &Tally) -> Result<(), Failure> {
    if slot.wants_text && code != 0 {
        let result = scan.result().map_err(malformed)?;
        slot.text = Some(String::from_utf8_lossy(result.diagnostic).into());
    }
    match slot.keep {
        Keep::Credentials => {
            let result = scan.result().map_err(malformed)?;
            slot.kept.extend_from_slice(result.server_credentials.unwrap_or_default());
        }
        Keep::Cookie => {
            let page = scan.controls().and_then(|controls| controls.find(control::PAGED_RESULTS));
            if let Some(bytes) = page.map_err(malformed)?.and_then(|page| page.value) {
                slot.kept.extend_from_slice(value::Page::decode(bytes).map_err(malformed)?.cookie);
            }
        }
        _ => {}
    }
    if scan.op == op::BIND_RESPONSE {
        let policy = policy_of(scan, tally)?;
        if code != 0 {
            let diagnostic = scan.result().map_err(malformed)?.diagnostic;
            slot.locked = lockout::is_locked(code, diagnostic, policy);
        }
    }
    slot.end(Reply::Result(code));
    Ok(())
}

/// The password policy error that accompanies the result; none unless the bind requested it.
fn policy_of(scan: &Scan<'_>, tally: &Tally) -> Result<Option<value::PolicyError>, Failure> {
    let policy = scan
        .controls()
        .and_then(|controls| controls.find(control::PASSWORD_POLICY))
        .map_err(malformed)?;
    let Some(bytes) = policy.and_then(|policy| policy.value) else { return Ok(None) };
    let policy = value::PasswordPolicy::decode(bytes).map_err(malformed)?;
    if policy.warning.is_some() {
        Tally::one(&tally.policy_warnings);
    }
    if policy.error.is_some() {
        Tally::one(&tally.policy_errors);
    }
    Ok(policy.error)
}

/// The id of an incomplete message, if the id has arrived.
fn begun_id(bytes: &[u8]) -> Option<i32> {
    let (_, rest) = bytes.split_first()?;
    let (length, rest) = rest.split_first()?;
    let more = if *length < 0x80 { 0 } else { usize::from(length & 0x7f) };
    let (_, rest) = rest.get(more..)?.split_first()?;
    let (length, rest) = rest.split_first()?;
    let id = rest.get(..usize::from(*length))?;
    Some(id.iter().fold(0, |id, byte| id << 8 | i32::from(*byte)))
}
