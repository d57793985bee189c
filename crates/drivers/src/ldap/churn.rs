//! Adding entries and deleting them again: what addrate measures, and the purge that cleans up.

use super::connection::Connection;
use super::entries::{Entry, EntrySource};
use super::failure::Failure;
use super::live::{Live, Turn};
use super::plan::{Operation, Plan};
use super::session::Carrying;
use super::slot::{Keep, Reply};
use super::worker::Worker;
use brunt_exchange::{Class, Monotonic, Outcome, Watch};
use brunt_wire::ldap::control::{self, Control};
use brunt_wire::ldap::{Skeleton, code, op, request};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The compiled operation.
#[derive(Debug)]
pub(super) struct Churn {
    entries: Arc<dyn EntrySource>,
    live: Live,
    /// Encoded, as the requests around them are made on the fly.
    controls: Vec<u8>,
}

impl Churn {
    pub(super) fn new(entries: Arc<dyn EntrySource>, live: Live, controls: &[Control]) -> Self {
        let mut encoded = Vec::new();
        if let Some(node) = control::node(controls) {
            Skeleton::fragment(&node).encode(0, &(), &mut encoded);
        }
        Self { entries, live, controls: encoded }
    }

    pub(super) fn live_entries(&self) -> u64 {
        self.live.size()
    }

    fn encode_add(&self, number: u64, entry: &mut Entry, id: i32, out: &mut Vec<u8>) {
        entry.clear();
        self.entries.fill(number, entry);
        request::encode_add(out, id, entry.dn(), entry.attributes(), &self.controls);
    }

    fn encode_delete(&self, number: u64, dn: &mut Vec<u8>, id: i32, out: &mut Vec<u8>) {
        dn.clear();
        self.entries.dn(number, dn);
        request::encode_delete(out, id, dn, &self.controls);
    }

    fn dn(&self, number: u64) -> String {
        let mut dn = Vec::new();
        self.entries.dn(number, &mut dn);
        String::from_utf8_lossy(&dn).into_owned()
    }
}

/// An entry whose fate is open. Dropped without word from the server, it is left to the purge.
struct Open<'a> {
    live: &'a Live,
    number: u64,
}

impl Open<'_> {
    fn settle(self) {
        std::mem::forget(self);
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.live.uncertain(self.number);
    }
}

impl Carrying<'_> {
    pub(super) async fn add_or_delete(&self, churn: &Churn, watch: &mut Watch<'_>) -> Outcome {
        match churn.live.next(watch.now(), self.draw()) {
            Turn::Add(number) => self.add(churn, number, watch).await,
            Turn::Delete(number) => self.delete(churn, number, watch).await,
        }
    }

    async fn add(&self, churn: &Churn, number: u64, watch: &mut Watch<'_>) -> Outcome {
        if !churn.entries.has(number) {
            watch.explain(format_args!(
                "the template makes no entry {number}, counted from 0: let it make more"
            ));
            return Outcome::Failed(Class::Check, 0);
        }
        let open = Open { live: &churn.live, number };
        let scratch = &self.channel.worker.scratch;
        let encode = |id: i32, out: &mut Vec<u8>| {
            churn.encode_add(number, &mut scratch.borrow_mut().entry, id, out);
        };
        let reply =
            result(self.channel.exchange(op::ADD_RESPONSE, Keep::Nothing, watch, encode).await);
        if let Ok(code) = reply {
            open.settle();
            match code {
                code::SUCCESS => churn.live.added(number, watch.now()),
                code::ENTRY_ALREADY_EXISTS => churn.live.collided(),
                _ => {}
            }
        }
        self.outcome(reply, || churn.dn(number), watch)
    }

    async fn delete(&self, churn: &Churn, number: u64, watch: &mut Watch<'_>) -> Outcome {
        watch.operation(1);
        let open = Open { live: &churn.live, number };
        let scratch = &self.channel.worker.scratch;
        let encode = |id: i32, out: &mut Vec<u8>| {
            churn.encode_delete(number, &mut scratch.borrow_mut().text, id, out);
        };
        let reply =
            result(self.channel.exchange(op::DELETE_RESPONSE, Keep::Nothing, watch, encode).await);
        if matches!(reply, Ok(code::SUCCESS | code::NO_SUCH_OBJECT)) {
            open.settle();
        }
        self.outcome(reply, || churn.dn(number), watch)
    }
}

fn result(reply: Reply) -> Result<u32, Failure> {
    match reply {
        Reply::Result(code) => Ok(code),
        Reply::Broken(failure) => Err(failure),
    }
}

/// How far a purge has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Purge {
    /// Entries to delete.
    pub total: u64,
    /// Entries deleted.
    pub deleted: u64,
    /// Entries that were not there: adds nobody was certain of.
    pub missing: u64,
    /// Entries the server would not delete.
    pub failed: u64,
    /// Entries left alone, as they may be somebody else's.
    pub left_alone: u64,
    /// Why the first that failed did.
    pub first_failure: Option<String>,
}

/// Deletes what the run has added and not deleted, over that many connections at once, and tells
/// `progress` after each. Nothing is left to do for a plan that adds nothing.
pub async fn purge(
    plan: &Arc<Plan>,
    connections: u32,
    progress: impl FnMut(&Purge) + 'static,
) -> Purge {
    let Operation::AddAndDelete(churn) = &plan.operation else { return Purge::default() };
    let (numbers, left_alone) = churn.live.take();
    let state = Purge { total: numbers.len() as u64, left_alone, ..Purge::default() };
    let shared = Rc::new(RefCell::new((numbers, state, progress)));
    let worker = Rc::new(Worker::new(plan));
    let local = tokio::task::LocalSet::new();
    for number in 0..connections.max(1) {
        let connection = Connection::new(&worker, number, 1);
        let shared = Rc::clone(&shared);
        local.spawn_local(async move {
            loop {
                let Some(number) = shared.borrow_mut().0.pop() else { break };
                let deleted = delete_one(&connection, number).await;
                let (_, state, progress) = &mut *shared.borrow_mut();
                match deleted {
                    Ok(code::SUCCESS) => state.deleted += 1,
                    Ok(code::NO_SUCH_OBJECT) => state.missing += 1,
                    Ok(refused) => {
                        state.fail(format!("result {refused} ({})", code::name(refused)));
                    }
                    Err(failure) => state.fail(format!("{}: {}", failure.class, failure.text)),
                }
                progress(state);
            }
            connection.leave().await;
        });
    }
    local.await;
    shared.borrow().1.clone()
}

impl Purge {
    fn fail(&mut self, why: String) {
        self.failed += 1;
        self.first_failure.get_or_insert(why);
    }
}

/// Deletes one entry, on a second connection if the first breaks.
async fn delete_one(connection: &Connection, number: u64) -> Result<u32, Failure> {
    let plan = &connection.worker.plan;
    let Operation::AddAndDelete(churn) = &plan.operation else { return Ok(code::NO_SUCH_OBJECT) };
    let clock = Monotonic::new();
    let mut last = Ok(code::NO_SUCH_OBJECT);
    for _ in 0..2 {
        if let Err(failure) = connection.open(0, &mut Watch::new(&clock, None)).await {
            last = Err(failure);
            continue;
        }
        let channel = connection.channel(0);
        let encode = |id: i32, out: &mut Vec<u8>| {
            churn.encode_delete(number, &mut connection.worker.scratch.borrow_mut().text, id, out);
        };
        let ask = async { result(channel.ask(op::DELETE_RESPONSE, Keep::Nothing, encode).await) };
        last = plan.route.within("the deletion of an entry", ask).await;
        if last.is_ok() {
            break;
        }
    }
    last
}
