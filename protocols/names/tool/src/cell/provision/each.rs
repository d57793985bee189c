//! One user after the other without a process for each: over one connection, or by rewriting the files each time.

use super::super::accounts;
use super::super::ask::Provisioned;
use super::super::connection::{Connection, Login};
use super::super::sandbox_error::SandboxError;
use super::super::sandbox_paths::SandboxPaths;
use super::super::spec::{Users, id};
use super::act::Operation;
use super::timing::one_by_one;

/// Over one connection to a directory.
pub(super) fn connected(
    act: Operation,
    users: &Users,
    login: &Login,
) -> Result<Provisioned, SandboxError> {
    let mut connection = Connection::open(login)?;
    Ok(one_by_one(users, |user| {
        let done = match act {
            Operation::Insert => connection.add(id(user)),
            Operation::Delete => connection.remove(id(user)),
        };
        done.map_err(|fault| fault.to_string())
    }))
}

/// Both files are rewritten for each user.
pub(super) fn rewritten(act: Operation, users: &Users, place: &SandboxPaths) -> Provisioned {
    one_by_one(users, |user| {
        let one = user..user + 1;
        let done = match act {
            Operation::Insert => accounts::add(&place.etc, &one),
            Operation::Delete => accounts::remove(&place.etc, &one),
        };
        done.map_err(|error| error.to_string())
    })
}
