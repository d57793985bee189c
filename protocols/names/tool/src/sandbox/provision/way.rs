//! Maps each way to its function.

use brunt_exchange::{Clock as _, Monotonic};

use super::super::accounts;
use super::super::connection::{Connection, Login};
use super::super::request::{Provisioned, Way};
use super::super::sandbox_error::SandboxError;
use super::super::sandbox_paths::SandboxPaths;
use super::super::spec::{Server, Users, id};
use super::super::vitals;
use super::act::{Halt, Operation, Store};
use super::timing::one_by_one;
use super::{batch, process};

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
        (Way::Connection, Store::Files) => Ok(rewritten(act, users, place)),
        (Way::Connection, Store::Directory { login, .. }) => connected(act, users, login),
        (Way::Batch, Store::Files) if act == Operation::Insert => batch::newusers(users, place),
        (Way::Batch, Store::Directory { login, .. }) => batch::ldif(act, users, login, place),
        (Way::Batch | Way::Bulk, Store::Files) => at_once(act, users, place),
        (Way::Bulk, Store::Directory { login, server }) => match (act, server) {
            (Operation::Insert, Server::Slapd) => batch::behind(users, place, halt),
            _ => connected(act, users, login),
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

/// One user after the other, over one connection to a directory.
fn connected(act: Operation, users: &Users, login: &Login) -> Result<Provisioned, SandboxError> {
    let mut connection = Connection::open(login)?;
    Ok(one_by_one(users, |user| {
        let done = match act {
            Operation::Insert => connection.add(id(user)),
            Operation::Delete => connection.remove(id(user)),
        };
        done.map_err(|fault| fault.to_string())
    }))
}

/// One user after the other; both files are rewritten for each.
fn rewritten(act: Operation, users: &Users, place: &SandboxPaths) -> Provisioned {
    one_by_one(users, |user| {
        let one = user..user + 1;
        let done = match act {
            Operation::Insert => accounts::add(&place.etc, &one),
            Operation::Delete => accounts::remove(&place.etc, &one),
        };
        done.map_err(|error| error.to_string())
    })
}
