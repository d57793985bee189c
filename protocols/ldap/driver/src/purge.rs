//! The purge after a run of addrate: deletes what was added and not deleted, over separate connections.

use super::connection::Connection;
use super::failure::Failure;
use super::plan::{Operation, Plan};
use super::slot::Keep;
use super::worker::Worker;
use brunt_exchange::{Clock, Watch};
use brunt_ldap_wire::{code, op};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// How far a purge has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Purge {
    /// Entries to delete.
    pub total: u64,
    /// Entries deleted.
    pub deleted: u64,
    /// Entries that did not exist: adds whose result was unknown.
    pub missing: u64,
    /// Entries that the server refused to delete.
    pub failed: u64,
    /// Entries that were not touched, as they may belong to another client.
    pub left_alone: u64,
    /// Why the first failed entry could not be deleted.
    pub first_failure: Option<String>,
}

/// Deletes the entries that the run has added and not deleted, over this many connections at once, and calls `progress`
/// after each. A plan that adds no entries needs no purge.
pub async fn purge(
    plan: &Arc<Plan>,
    connections: u32,
    clock: &(impl Clock + Clone + 'static),
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
        let (shared, clock) = (Rc::clone(&shared), clock.clone());
        local.spawn_local(async move {
            loop {
                let Some(number) = shared.borrow_mut().0.pop() else { break };
                let deleted = delete_one(&connection, number, &clock).await;
                let (_, state, progress) = &mut *shared.borrow_mut();
                match deleted {
                    Ok(code::SUCCESS) => state.deleted += 1,
                    Ok(code::NO_SUCH_OBJECT) => state.missing += 1,
                    Ok(refused) => {
                        state.fail(format!("result {refused} ({})", code::name(refused)));
                    }
                    Err(failure) => state.fail(format!("{}: {failure}", failure.class)),
                }
                progress(state);
            }
            connection.leave(&clock).await;
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
async fn delete_one(
    connection: &Connection,
    number: u64,
    clock: &dyn Clock,
) -> Result<u32, Failure> {
    let plan = &connection.worker.plan;
    let Operation::AddAndDelete(churn) = &plan.operation else { return Ok(code::NO_SUCH_OBJECT) };
    let mut last = Ok(code::NO_SUCH_OBJECT);
    for _ in 0..2 {
        if let Err(failure) = connection.open(0, &mut Watch::new(clock, None)).await {
            last = Err(failure);
            continue;
        }
        let channel = connection.channel(0);
        let encode = |id: i32, out: &mut Vec<u8>| {
            churn.encode_delete(
                number,
                &mut connection.worker.buffers.scratch.borrow_mut().text,
                id,
                out,
            );
        };
        let request =
            async { channel.request(op::DELETE_RESPONSE, Keep::Nothing, encode).await.code() };
        last = plan.route.within("the deletion of an entry", clock, request).await;
        if last.is_ok() {
            break;
        }
    }
    last
}
