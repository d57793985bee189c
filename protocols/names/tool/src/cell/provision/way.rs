//! Maps each way to its function.

use brunt_exchange::{Clock as _, Monotonic};

use super::super::accounts;
use super::super::ask::{Provisioned, Way};
use super::super::sandbox_error::SandboxError;
use super::super::sandbox_paths::SandboxPaths;
use super::super::spec::{Server, Users};
use super::super::vitals;
use super::act::{Halt, Operation, Store};
use super::{batch, each, process};

/// Adds or removes users.
pub(crate) fn carry_out(
    act: Operation,
    way: Way,
    users: &Users,
    store: &Store,
    place: &SandboxPaths,
    halt: &mut dyn Halt,
) -> Result<Provisioned, SandboxError> {
    let before = vitals::own_cpu_s();
    let mut done = match (way, store) {
        (Way::Process { own_group }, Store::Files) => process::files(act, users, own_group, place),
        (Way::Process { .. }, Store::Directory { login, .. }) => {
            process::directory(act, users, login, place)
        }
        (Way::Connection, Store::Files) => Ok(each::rewritten(act, users, place)),
        (Way::Connection, Store::Directory { login, .. }) => each::connected(act, users, login),
        (Way::Batch, Store::Files) if act == Operation::Insert => batch::newusers(users, place),
        (Way::Batch, Store::Directory { login, .. }) => batch::ldif(act, users, login, place),
        (Way::Batch | Way::Bulk, Store::Files) => at_once(act, users, place),
        (Way::Bulk, Store::Directory { login, server }) => match (act, server) {
            (Operation::Insert, Server::Slapd) => batch::behind(users, place, halt),
            _ => each::connected(act, users, login),
        },
    }?;
    done.users = users.end.saturating_sub(users.start);
    // Operations that were timed separately from the work around them have their own processor time.
    done.cpu_s = if done.cpu_s > 0.0 { done.cpu_s } else { vitals::own_cpu_s() - before };
    Ok(done)
}

/// Writes each file once.
fn at_once(
    act: Operation,
    users: &Users,
    place: &SandboxPaths,
) -> Result<Provisioned, SandboxError> {
    let clock = Monotonic::new();
    let done = match act {
        Operation::Insert => accounts::add(&place.etc, users),
        Operation::Delete => accounts::remove(&place.etc, users),
    };
    done.map_err(SandboxError::file("rewrite accounts in", &place.etc))?;
    let seconds = clock.now().since_origin().as_secs_f64();
    Ok(Provisioned { seconds, ..Provisioned::default() })
}
