//! One process per user, as in the article's script.

use std::io;
use std::process::{Command, ExitStatus};

use super::super::connection::{Login, account_dn, group_dn, ldif};
use super::super::daemons::tool_log;
use super::super::request::Provisioned;
use super::super::sandbox_error::SandboxError;
use super::super::sandbox_paths::SandboxPaths;
use super::super::spec::{Users, id, name};
use super::super::tools;
use super::act::Operation;
use super::timing::{complaint, one_by_one};

/// `useradd` and `userdel`. Home directories and mailboxes are left out, as in the article.
pub(super) fn files(
    act: Operation,
    users: &Users,
    own_group: bool,
    place: &SandboxPaths,
) -> Result<Provisioned, SandboxError> {
    let program = |name: &str| place.program(name);
    let (useradd, userdel) = (program("useradd")?, program("userdel")?);
    let groupadd = program("groupadd")?;
    // Without isolation the files are below a directory of ours.
    let prefix = place.etc.parent().filter(|_| !place.resolves()).map(ToOwned::to_owned);
    let (log, path) = tool_log(place)?;
    let run = |program: &std::path::Path, words: &[&str]| {
        let mut command = tools::command(program);
        if let Some(prefix) = &prefix {
            command.arg("--prefix").arg(prefix);
        }
        command.args(words);
        finish(&mut command, &[], &log, &path)
    };
    Ok(one_by_one(users, |user| {
        let (id, name) = (id(user).to_string(), name(id(user)));
        match (act, own_group) {
            (Operation::Insert, true) => run(&useradd, &["-M", "-U", "-u", &id, &name]),
            (Operation::Insert, false) => run(&groupadd, &["-g", &id, &name])
                .and_then(|()| run(&useradd, &["-M", "-N", "-u", &id, "-g", &id, &name])),
            // `userdel` also removes the user's own group, if the group has the user's name (USERGROUPS_ENAB).
            (Operation::Delete, _) => run(&userdel, &[&name]),
        }
    }))
}

/// `ldapadd` and `ldapdelete`.
pub(super) fn directory(
    act: Operation,
    users: &Users,
    login: &Login,
    place: &SandboxPaths,
) -> Result<Provisioned, SandboxError> {
    let program = place.program(match act {
        Operation::Insert => "ldapadd",
        Operation::Delete => "ldapdelete",
    })?;
    let (log, path) = tool_log(place)?;
    let url = place.url();
    Ok(one_by_one(users, |user| {
        let id = id(user);
        let mut command = tools::command(&program);
        command.args(["-x", "-H", &url, "-D", login.dn, "-w", login.password]);
        let input = match act {
            Operation::Insert => ldif(id),
            Operation::Delete => {
                command.args([account_dn(id), group_dn(id)]);
                String::new()
            }
        };
        finish(&mut command, input.as_bytes(), &log, &path)
    }))
}

/// Why a tool did not do its work.
#[derive(Debug, thiserror::Error)]
enum ToolError {
    #[error(transparent)]
    Run(#[from] io::Error),
    #[error("{status}: {output}")]
    Status { status: ExitStatus, output: String },
}

fn finish(
    command: &mut Command,
    input: &[u8],
    log: &std::fs::File,
    path: &std::path::Path,
) -> Result<(), ToolError> {
    match tools::brief(command, input, log) {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(ToolError::Status { status, output: complaint(path) }),
        Err(error) => Err(error.into()),
    }
}
