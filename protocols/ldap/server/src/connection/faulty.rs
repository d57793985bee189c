//! Applies the faults of a script: replies of the [`Dialogue`] are changed, delayed or withheld.

use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use brunt_embedded::tcp::stream::Stream;
use brunt_ldap_wire::message::{Message, Request};
use brunt_ldap_wire::reply::{self, Answer};
use brunt_ldap_wire::request::{CANCEL, START_TLS, WHO_AM_I};
use brunt_ldap_wire::{code, op};

use super::dialogue::Dialogue;
use crate::dispatch::{self, kind, response_to};
use crate::operation;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::script::{Facts, Faults, Occasion, Rules};
use crate::session::Next;
use crate::stats::{Operation, add};
use crate::worker::Worker;

/// Applies the script to a new connection or a handshake. `None` if that ended the connection.
pub(super) async fn disturb(
    worker: &Rc<Worker>,
    rules: &Rules,
    occasion: Occasion,
    connection: u64,
    mut stream: Stream,
) -> io::Result<Option<Stream>> {
    let mut sleep = worker.timer.sleep();
    while let Some(end) = rules.stalled_until(worker.clock.now()) {
        sleep.until(end).await;
    }
    let now = worker.clock.now();
    let facts = Facts { occasion, connection, dn: b"", filter: &String::new };
    let faults = rules.faults(&facts, now);
    if faults.delay > Duration::ZERO {
        sleep.until(now + faults.delay).await;
    }
    if faults.reset {
        stream.reset_on_drop();
        return Ok(None);
    }
    let mut bytes = Vec::new();
    before(&faults, 0, &mut bytes);
    if let Some((code, text)) = &faults.disconnect {
        reply::notice_of_disconnection(&mut bytes, &Answer::because(*code, text));
    }
    bytes.extend(faults.instead.iter().flatten());
    write_all(worker, &mut stream, &bytes).await?;
    if faults.close || faults.disconnect.is_some() {
        poll_fn(|cx| stream.poll_shutdown(cx)).await?;
        return Ok(None);
    }
    if faults.drop {
        let mut ignored = [0; 1024];
        while poll_fn(|cx| stream.poll_read(cx, &mut ignored)).await? > 0 {}
        return Ok(None);
    }
    Ok(Some(stream))
}

async fn write_all(worker: &Worker, stream: &mut Stream, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let count = poll_fn(|cx| stream.poll_write(cx, rest)).await?;
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        add(&worker.counters.bytes_written, count as u64);
        rest = &rest[count..];
    }
    poll_fn(|cx| stream.poll_flush(cx)).await
}

impl Dialogue {
    /// Executes a request and answers it as the script says.
    pub(super) fn answer_by(&mut self, rules: &Rules, message: &Message<'_>) {
        let kind = kind(&message.request);
        self.worker.counters.request(kind);
        let faults = match occasion(&message.request) {
            Some((occasion, dn)) => {
                let filter = || filter_text(&message.request);
                let facts = Facts { occasion, connection: self.number, dn, filter: &filter };
                rules.faults(&facts, self.worker.clock.now())
            }
            None => Faults::default(),
        };
        let message_id = faults.message_id.unwrap_or(message.message_id);
        let mut bytes = Vec::new();
        before(&faults, message_id, &mut bytes);
        self.session.policy = faults.policy;
        let (code, next) = match (&faults.result, response_to(&message.request)) {
            (Some((code, text)), Some(response)) => {
                let refusal = Refusal::new(*code, text.clone());
                operation::refuse(&mut bytes, message_id, response, &refusal);
                (Some(*code), Next::Continue)
            }
            _ => dispatch::answer(&mut self.session, message, message_id, &mut bytes),
        };
        if faults.result.is_none() {
            add(&self.worker.counters.entries_returned, self.session.entries);
        }
        let next = match next {
            Next::Abandon(target) => {
                self.held.withdraw(|reply| reply.message_id == target);
                return;
            }
            Next::Cancel(target) => {
                return self.cancel(target, message_id, code.unwrap_or_default(), bytes);
            }
            next => next,
        };
        let reply = Reply {
            bytes,
            message_id: message.message_id,
            operation: kind,
            code,
            next,
            trickle: faults.trickle,
        };
        self.deliver(faults, reply);
    }

    /// Appends the replies that are due to `out`.
    pub(super) fn release(&mut self, now: Duration) {
        while self.next == Next::Continue
            && let Some(reply) = self.held.pop(now)
        {
            self.emit(&reply);
        }
    }

    fn deliver(&mut self, faults: Faults, mut reply: Reply) {
        if faults.drop {
            // The effect of the reply on the connection is dropped as well.
            if !faults.close && !faults.reset {
                return;
            }
            reply.bytes.clear();
            reply.code = None;
        }
        if faults.duplicate {
            reply.bytes.extend_from_within(..);
        }
        if let Some(bytes) = faults.instead {
            reply.bytes = bytes;
            reply.code = None;
        }
        if let Some((code, text)) = &faults.disconnect {
            reply.bytes.clear();
            reply::notice_of_disconnection(&mut reply.bytes, &Answer::because(*code, text));
            reply.code = None;
        }
        if let Some(bytes) = faults.truncate {
            reply.bytes.truncate(bytes);
            reply.code = None;
        }
        if faults.close || faults.truncate.is_some() || faults.disconnect.is_some() {
            reply.next = Next::Close;
        }
        if faults.reset {
            reply.bytes.clear();
            reply.code = None;
            reply.next = Next::Reset;
        }
        if faults.delay > Duration::ZERO {
            self.held.push(self.worker.clock.now() + faults.delay, reply);
        } else if faults.reorder {
            self.held.push_behind(reply);
        } else {
            self.emit(&reply);
        }
    }

    fn emit(&mut self, reply: &Reply) {
        self.out.extend_from_slice(&reply.bytes);
        if let Some(code) = reply.code {
            self.worker.counters.answer(reply.operation, code);
        }
        if let Some(each) = reply.trickle {
            self.trickle = Some((each, self.worker.clock.now() + each));
        }
        self.next = reply.next;
        if reply.bytes.is_empty() {
            return;
        }
        for behind in self.held.take_behind() {
            if self.next == Next::Continue {
                self.emit(&behind);
            }
        }
    }

    /// Cancels a request whose reply is held back (RFC 3909). `refusal` says that there is none.
    fn cancel(&mut self, target: i32, message_id: i32, code: u32, refusal: Vec<u8>) {
        let withdrawn = self.held.withdraw(|reply| reply.message_id == target);
        let found = withdrawn.is_some();
        let mut bytes = refusal;
        if let Some(reply) = withdrawn {
            bytes.clear();
            let tag = response_tag(reply.operation);
            operation::refuse(&mut bytes, reply.message_id, tag, &Refusal::new(code::CANCELED, ""));
            self.worker.counters.answer(reply.operation, code::CANCELED);
            reply::extended(&mut bytes, message_id, &Answer::code(code::SUCCESS), None, None, &[]);
        }
        let code = Some(if found { code::SUCCESS } else { code });
        let operation = Operation::Extended;
        self.emit(&Reply {
            bytes,
            message_id,
            operation,
            code,
            next: Next::Continue,
            trickle: None,
        });
    }
}

/// Writes the messages that precede the answer.
fn before(faults: &Faults, message_id: i32, out: &mut Vec<u8>) {
    if let Some(oid) = &faults.unsolicited {
        reply::extended(out, 0, &Answer::code(code::SUCCESS), Some(oid), None, &[]);
    }
    if let Some(oid) = &faults.intermediate {
        reply::intermediate(out, message_id, Some(oid), None, &[]);
    }
    if let Some(url) = &faults.reference {
        reply::reference(out, message_id, &[url.as_bytes()], &[]);
    }
}

const fn response_tag(operation: Operation) -> u8 {
    match operation {
        Operation::Bind => op::BIND_RESPONSE,
        Operation::Modify => op::MODIFY_RESPONSE,
        Operation::Add => op::ADD_RESPONSE,
        Operation::Delete => op::DELETE_RESPONSE,
        Operation::ModifyDn => op::MODIFY_DN_RESPONSE,
        Operation::Compare => op::COMPARE_RESPONSE,
        Operation::Extended => op::EXTENDED_RESPONSE,
        // The others are not answered, so they are never held back.
        Operation::Search | Operation::Unbind | Operation::Abandon => op::SEARCH_DONE,
    }
}

/// The kind of a request for scripts, and its name. `None` for requests that are not answered.
fn occasion<'a>(request: &Request<'a>) -> Option<(Occasion, &'a [u8])> {
    Some(match request {
        Request::Bind { name, .. } => (Occasion::Bind, name),
        Request::Search(search) => (Occasion::Search, search.base),
        Request::Modify { dn, .. } => (Occasion::Modify, dn),
        Request::Add { dn, .. } => (Occasion::Add, dn),
        Request::Delete { dn } => (Occasion::Delete, dn),
        Request::ModifyDn { dn, .. } => (Occasion::ModifyDn, dn),
        Request::Compare { dn, .. } => (Occasion::Compare, dn),
        Request::Extended { name, .. } if *name == START_TLS.as_bytes() => {
            (Occasion::StartTls, b"")
        }
        Request::Extended { name, .. } if *name == WHO_AM_I.as_bytes() => (Occasion::WhoAmI, b""),
        Request::Extended { name, .. } if *name == CANCEL.as_bytes() => (Occasion::Cancel, b""),
        Request::Extended { .. } => (Occasion::Extended, b""),
        Request::Unbind | Request::Abandon { .. } => return None,
    })
}

fn filter_text(request: &Request<'_>) -> String {
    match request {
        Request::Search(search) => search.filter.to_string(),
        _ => String::new(),
    }
}
