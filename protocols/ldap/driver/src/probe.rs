//! Testing a plan before it runs: one extra connection is opened, bound and closed again.

use super::connection::Connection;
use super::failure::Failure;
use super::plan::Plan;
use super::worker::Worker;
use brunt_exchange::{Class, Clock, Watch};
use brunt_ldap_wire::code;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// Why a plan does not work.
#[derive(Debug)]
pub struct ProbeError {
    /// The kind of the failure.
    pub class: Class,
    /// The result code for the exit status: the server's own, or 81 for a server that went away, 91
    /// for one that cannot be reached, 84 for one that does not speak LDAP.
    pub code: u32,
    failure: Failure,
    /// What may help.
    advice: &'static str,
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, failure, advice, .. } = self;
        match class {
            // A server that refuses a bind was reached.
            Class::Login | Class::Result if failure.identity.is_some() => {
                write!(f, "{failure}{advice}")
            }
            Class::Login | Class::Result => write!(f, "bind: {failure}{advice}"),
            _ => write!(f, "reach the server: {failure}{advice}"),
        }
    }
}

impl std::error::Error for ProbeError {}

/// Opens a connection, binds if the plan has an identity for connections, and closes it. Of several servers one is
/// enough: the others may come back during the run. The error is that of the first, unless another refuses the bind.
pub async fn probe(plan: &Arc<Plan>, clock: &dyn Clock) -> Result<(), ProbeError> {
    let worker = Rc::new(Worker::new(plan));
    let mut first: Option<Failure> = None;
    for number in 0..plan.route.servers.count() {
        let connection = Connection::new(&worker, u32::try_from(number).unwrap_or(u32::MAX), 1);
        let opened = connection.open(0, &mut Watch::new(clock, None)).await;
        connection.leave(clock).await;
        match opened {
            Ok(()) => return Ok(()),
            // A server that answers has decided: the others would refuse the same bind.
            Err(failure) if failure.class == Class::Login => {
                first = Some(failure);
                break;
            }
            Err(failure) => {
                first.get_or_insert(failure);
            }
        }
    }
    first.map_or(Ok(()), |failure| Err(error_of(failure, plan)))
}

fn error_of(failure: Failure, plan: &Plan) -> ProbeError {
    let advice = if failure.silent { plan.route.advice_if_silent() } else { "" };
    ProbeError {
        class: failure.class,
        code: match failure.class {
            Class::Login | Class::Result | Class::Locked => failure.code,
            Class::Tls if (1..=code::OTHER).contains(&failure.code) => failure.code,
            Class::Closed => code::SERVER_DOWN,
            Class::Protocol => code::DECODING_ERROR,
            Class::Check | Class::Exceeded | Class::Unexamined | Class::Pending => {
                code::LOCAL_ERROR
            }
            Class::Connect
            | Class::Tls
            | Class::Ports
            | Class::Descriptors
            | Class::Fenced
            | Class::Unsent => code::CONNECT_ERROR,
        },
        failure,
        advice,
    }
}
