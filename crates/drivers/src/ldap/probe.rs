//! Testing a plan before it runs: one extra connection is opened, bound and closed again.

use super::connection::Connection;
use super::plan::Plan;
use super::worker::Worker;
use brunt_exchange::{Class, Monotonic, Watch};
use brunt_wire::ldap::code;
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
    text: Box<str>,
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.class {
            // A server that refuses a bind was reached.
            Class::Login | Class::Result if self.text.starts_with("bind ") => {
                f.write_str(&self.text)
            }
            Class::Login | Class::Result => write!(f, "bind: {}", self.text),
            _ => write!(f, "reach the server: {}", self.text),
        }
    }
}

impl std::error::Error for ProbeError {}

/// Opens a connection, binds if the plan has an identity for connections, and closes it.
pub async fn probe(plan: &Arc<Plan>) -> Result<(), ProbeError> {
    let worker = Rc::new(Worker::new(plan));
    let connection = Connection::new(&worker, 0, 1);
    let clock = Monotonic::new();
    let opened = connection.open(0, &mut Watch::new(&clock, None)).await;
    connection.leave().await;
    opened.map_err(|failure| ProbeError {
        class: failure.class,
        code: match failure.class {
            Class::Login | Class::Result | Class::Locked => failure.code,
            Class::Tls if (1..=code::OTHER).contains(&failure.code) => failure.code,
            Class::Closed => code::SERVER_DOWN,
            Class::Protocol => code::DECODING_ERROR,
            Class::Check | Class::Exceeded | Class::Unexamined => code::LOCAL_ERROR,
            Class::Connect
            | Class::Tls
            | Class::Ports
            | Class::Descriptors
            | Class::Fenced
            | Class::Unsent => code::CONNECT_ERROR,
        },
        text: failure.text,
    })
}
