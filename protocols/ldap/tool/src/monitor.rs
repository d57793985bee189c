//! A directory's own figures: the entries below `cn=monitor`, read over a connection like those of the run.
//!
//! Servers have no common scheme, so the entries of known servers are requested, and every number in them is kept under
//! the server's own name for it. An entry that a server does not have is not requested again.

use std::io;
use std::sync::Arc;

use brunt_exchange::{Monotonic, Watch};
use brunt_feed::{Text, Values};
use brunt_ldap_driver::{
    self as ldap, LdapOperation, LdapPool, LdapStep, Plan, PlanError, Setup, Task, UserConnection,
};
use brunt_ldap_wire::code;
use brunt_ldap_wire::filter::FilterError;
use brunt_ldap_wire::request::Scope;
use brunt_run::monitor::{Opener, Reading, Source, WITHIN};

use super::preflight;

/// The monitor entries of OpenLDAP, and the one of OpenDJ, DS and 389 Directory Server.
const ENTRIES: [(&str, &str); 8] = [
    ("", "cn=monitor"),
    ("operations", "cn=Operations,cn=Monitor"),
    ("connections", "cn=Current,cn=Connections,cn=Monitor"),
    ("entries returned", "cn=Entries,cn=Statistics,cn=Monitor"),
    ("bytes sent", "cn=Bytes,cn=Statistics,cn=Monitor"),
    ("threads active", "cn=Active,cn=Threads,cn=Monitor"),
    ("threads pending", "cn=Pending,cn=Threads,cn=Monitor"),
    ("waiters to write", "cn=Write,cn=Waiters,cn=Monitor"),
];

/// Why the figures cannot be read.
#[derive(Debug, thiserror::Error)]
enum MonitorError {
    #[error("start: {0}")]
    Start(#[source] io::Error),
    #[error(transparent)]
    Step(#[from] FilterError),
    #[error("reach the server")]
    Unreachable,
    #[error("get an answer from cn=monitor")]
    NoAnswer,
    #[error("get an answer from cn=monitor within {WITHIN:?}")]
    Late,
    #[error("read cn=monitor: {0}; may this identity read it?")]
    NoNumbers(&'static str),
}

/// Opens a connection like those of this setup, and reads through it.
pub(crate) fn source(setup: Setup) -> Result<Opener, PlanError> {
    let setup = Setup {
        task: Task::Given,
        mode: ldap::Mode::Bound,
        requests_per_connection: 1,
        reconnect_every: 0,
        sessions: 1,
        ..setup
    };
    let plan = Arc::new(Plan::compile(setup)?);
    Ok(Box::new(move || Ok(Box::new(Directory::new(&plan)?))))
}

/// A directory whose figures are read.
struct Directory {
    runtime: tokio::runtime::Runtime,
    connection: UserConnection,
    steps: Vec<(&'static str, LdapStep)>,
    clock: Monotonic,
}

impl Directory {
    fn new(plan: &Arc<Plan>) -> Result<Self, MonitorError> {
        let runtime = preflight::runtime().map_err(MonitorError::Start)?;
        let step = |(name, base): (&'static str, &str)| {
            let search = LdapOperation::Search {
                base: Text::literal(base),
                scope: Scope::Base,
                filter: Text::literal("(objectClass=*)"),
                // Both kinds of attributes: those of OpenLDAP are operational.
                attributes: vec!["*".to_owned(), "+".to_owned()],
                size_limit: 1,
            };
            Ok((name, LdapStep::new(&search)?))
        };
        let steps = ENTRIES.into_iter().map(step).collect::<Result<_, MonitorError>>()?;
        let connection = runtime.block_on(async { UserConnection::new(&LdapPool::new(plan), 0) });
        Ok(Self { runtime, connection, steps, clock: Monotonic::new() })
    }
}

impl Source for Directory {
    fn read(&mut self) -> Reading {
        let Self { runtime, connection, steps, clock } = self;
        let mut values = Vec::new();
        let search = async {
            let mut text = None;
            for at in (0..steps.len()).rev() {
                let (name, step) = &steps[at];
                let mut watch = Watch::new(clock, None);
                connection.ready(&mut watch).await.map_err(|_| MonitorError::Unreachable)?;
                let done = connection.run(step, &Values::default(), None, &mut watch).await;
                match done {
                    Ok(Ok(result)) if result.code == code::SUCCESS => {
                        values.extend(numbers(name, connection.found()));
                    }
                    Ok(Ok(result)) => {
                        text = Some(code::name(result.code));
                        steps.swap_remove(at);
                    }
                    _ => return Err(MonitorError::NoAnswer),
                }
            }
            Ok(text)
        };
        let refused = runtime.block_on(async { tokio::time::timeout(WITHIN, search).await });
        let refused = refused.map_err(|_| MonitorError::Late)??;
        if values.is_empty() {
            let why = refused.unwrap_or("it has no numbers");
            return Err(MonitorError::NoNumbers(why).into());
        }
        Ok(values)
    }
}

/// The numbers of an entry, each under the name of the entry and that of its attribute.
fn numbers<'a>(
    entry: &'a str,
    found: &'a [(String, Vec<u8>)],
) -> impl Iterator<Item = (String, f64)> + use<'a> {
    found.iter().filter_map(move |(attribute, value)| {
        let number = str::from_utf8(value).ok()?.trim().parse().ok()?;
        let name = match attribute.as_str() {
            "monitorCounter" | "monitoredInfo" => entry.to_owned(),
            "monitorOpInitiated" => format!("{entry} initiated"),
            "monitorOpCompleted" => format!("{entry} completed"),
            attribute if entry.is_empty() => attribute.to_owned(),
            attribute => format!("{entry} {attribute}"),
        };
        Some((name, number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monitor_numbers_are_named_by_their_entries() {
        let found = [("dn", "cn=Operations"), ("monitorOpCompleted", "12"), ("cn", "Operations")];
        let found = found.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()));
        let all: Vec<_> = numbers("operations", &found).collect();
        assert_eq!(all, [("operations completed".to_owned(), 12.0)]);
        let found = [("currentConnections".to_owned(), b"3".to_vec())];
        let all: Vec<_> = numbers("", &found).collect();
        assert_eq!(all, [("currentConnections".to_owned(), 3.0)]);
    }
}
