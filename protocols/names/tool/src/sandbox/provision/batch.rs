//! All users by one process of the system's own tools.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::Duration;

use super::super::accounts;
use super::super::connection::{Login, account_dn, group_dn, ldif as entries};
use super::super::request::Provisioned;
use super::super::sandbox_error::SandboxError;
use super::super::sandbox_paths::SandboxPaths;
use super::super::spec::{Users, id};
use super::super::tools;
use super::super::vitals;
use super::act::{Halt, Operation};

/// How long a batch may take. The controller's own limit may be shorter.
const LIMIT: Duration = Duration::from_secs(4 * 3600);

/// `newusers`.
pub(super) fn newusers(users: &Users, place: &SandboxPaths) -> Result<Provisioned, SandboxError> {
    if !place.resolves() {
        return Err(SandboxError::Unfit(
            "run newusers without root or a user namespace: it writes to /etc".to_owned(),
        ));
    }
    let input: String = users.clone().map(|user| accounts::newuser(id(user))).collect();
    let file = place.root.join("newusers");
    fs::write(&file, input).map_err(SandboxError::file("write", &file))?;
    let mut command = tools::command(&place.program("newusers")?);
    command.arg(&file);
    timed(command)
}

/// `ldapadd -f` and `ldapdelete -f`.
pub(super) fn ldif(
    act: Operation,
    users: &Users,
    login: &Login,
    place: &SandboxPaths,
) -> Result<Provisioned, SandboxError> {
    let program = place.program(match act {
        Operation::Insert => "ldapadd",
        Operation::Delete => "ldapdelete",
    })?;
    let input: String = users
        .clone()
        .map(|user| match act {
            Operation::Insert => entries(id(user)),
            Operation::Delete => format!("{}\n{}\n", account_dn(id(user)), group_dn(id(user))),
        })
        .collect();
    let file = place.root.join("batch");
    fs::write(&file, input).map_err(SandboxError::file("write", &file))?;
    let mut command = tools::command(&program);
    command.args(["-x", "-H", &place.url(), "-D", login.dn, "-w", login.password, "-f"]);
    command.arg(&file);
    timed(command)
}

/// `slapadd -q`, while slapd is stopped.
pub(super) fn behind(
    users: &Users,
    place: &SandboxPaths,
    halt: &mut dyn Halt,
) -> Result<Provisioned, SandboxError> {
    let input: String = users.clone().map(|user| entries(id(user))).collect();
    let file = place.root.join("slapadd.ldif");
    fs::write(&file, input).map_err(SandboxError::file("write", &file))?;
    let mut done = Provisioned::default();
    halt.while_stopped(&mut |place| {
        let mut command = slapadd(place)?;
        command.arg("-l").arg(&file);
        done = timed(command)?;
        Ok(())
    })?;
    Ok(done)
}

/// slapadd, which is slapd under another name.
pub(crate) fn slapadd(place: &SandboxPaths) -> Result<Command, SandboxError> {
    let mut command = tools::command(&place.program("slapd")?);
    command.arg0("slapadd").arg("-q").arg("-f").arg(place.root.join("slapd.conf"));
    command.args(["-b", super::super::spec::SUFFIX]);
    Ok(command)
}

fn timed(command: Command) -> Result<Provisioned, SandboxError> {
    let before = vitals::own_cpu_s();
    let ran = tools::demand(command, &[], LIMIT)?;
    let cpu_s = vitals::own_cpu_s() - before;
    Ok(Provisioned { seconds: ran.seconds, cpu_s, ..Provisioned::default() })
}
