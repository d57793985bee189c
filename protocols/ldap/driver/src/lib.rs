//! Sessions that speak LDAP version 3 (RFC 4511), as the rate tools use them.
//!
//! A [`Setup`] describes the requested load, a [`Plan`] is the compiled setup, [`open`] makes the sessions of one core
//! and [`probe()`] tests a plan before the run. A session owns a slot on a connection that it may share. A request is a
//! compiled skeleton that is filled in place; an answer is scanned only for what is counted.
//!
//! In order of depth: `session` carries out operations, `connection` opens, binds and closes, `login` binds, `link`
//! moves bytes. None of them depends on a schedule or a histogram.

mod broken;
mod buffers;
mod channel;
mod churn;
mod connection;
mod entries;
mod error;
mod failure;
mod first_binds;
mod ldap_step;
mod link;
mod live;
mod lockout;
mod login;
mod lost;
pub mod naming;
mod plan;
mod probe;
mod purge;
mod rename;
mod request;
mod route;
pub mod sasl;
mod session;
mod setup;
mod slot;
pub mod tally;
mod trace;
mod user_connection;
mod worker;

pub use entries::{Entry, EntrySource};
pub use error::PlanError;
pub use failure::Failed;
pub use ldap_step::{LdapOperation, LdapStep};
pub use live::{DeleteMode, Threshold};
pub use plan::{PARTS, Plan};
pub use probe::{ProbeError, probe};
pub use purge::{Purge, purge};
pub use route::{Route, Security, Servers};
pub use session::Session;
pub use setup::{
    AddSetup, BindControls, Change, CompareSetup, DeleteSetup, Identity, Mode, ModifySetup,
    OperationControls, RenameSetup, SearchSetup, Setup, Task,
};
pub use tally::{Counts, Tally};
pub use user_connection::{LdapPool, OperationResult, UserConnection};

use connection::Connection;
use std::rc::Rc;
use std::sync::Arc;
use worker::Worker;

/// The sessions of one core, on these connections of the run (counted from 0). They share a core's buffers, so they
/// stay on the thread that calls this. A connection is opened only when a session is made ready.
pub fn open(plan: &Arc<Plan>, connections: impl IntoIterator<Item = u32>) -> Vec<Session> {
    let worker = Rc::new(Worker::new(plan));
    let mut sessions = Vec::new();
    for number in connections {
        let connection = Rc::new(Connection::new(&worker, number, plan.per_connection));
        sessions.extend((0..plan.per_connection).map(|slot| {
            let session = Session::new(Rc::clone(&connection), slot as usize);
            // It goes to the same server.
            let second = || Rc::new(Connection::new(&worker, number, 1));
            if plan.binds_apart() { session.binding_over(second()) } else { session }
        }));
    }
    sessions
}
