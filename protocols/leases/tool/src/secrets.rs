//! [`Secrets`]: the password of a database, from a file, the environment or the user at the terminal, and the account.

use std::io;
use std::path::{Path, PathBuf};

use brunt_net::secret::Secret;
use brunt_run::options::surroundings::Surroundings;

use super::store::Store;
use crate::options::leases::LeaseStorageArgs;

/// The variable that may contain the password.
pub(crate) const VARIABLE: &str = "BRUNT_LEASES_PASSWORD";

/// The variable that names the user, whose account is used if none is named.
const USER: &str = "USER";

/// Why there is no password.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretError {
    #[error("{0}: none of the stores is a database with a password: leave it out")]
    NotNeeded(&'static str),
    #[error("--ask-password: standard input is not a terminal; use --password-file FILE")]
    NoTerminal,
    #[error("--ask-password: failed to read the password: {0}")]
    Prompt(#[source] io::Error),
    #[error("{option} {}: it cannot be read: {source}", path.display())]
    Unreadable { option: &'static str, path: PathBuf, source: io::Error },
    #[error("{option} {}: its first line, which is the password, is empty", path.display())]
    Empty { option: &'static str, path: PathBuf },
}

/// The password of any database that is used, and the account if a database is named without one.
pub(crate) struct Secrets {
    password: Option<Secret>,
    user: Option<String>,
}

impl Secrets {
    /// Finds the password, if there is a database that may need one.
    pub(crate) fn find(
        stores: &[Store],
        args: &LeaseStorageArgs,
        surroundings: &dyn Surroundings,
    ) -> Result<Self, SecretError> {
        if !stores.iter().any(Store::is_server) {
            let wanted = [
                ("--password-file", args.password_file.is_some()),
                ("--ask-password", args.ask_password),
            ];
            return match wanted.into_iter().find(|(_, given)| *given) {
                Some((name, _)) => Err(SecretError::NotNeeded(name)),
                None => Ok(Self { password: None, user: None }),
            };
        }
        let user = surroundings.ambient(USER);
        password(args, surroundings).map(|password| Self { password, user })
    }

    /// The password of a store.
    pub(crate) fn of(&self, store: &Store) -> Option<&Secret> {
        self.password.as_ref().filter(|_| store.is_server())
    }

    /// The account of a store that is named without one.
    pub(crate) fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }
}

fn password(
    args: &LeaseStorageArgs,
    surroundings: &dyn Surroundings,
) -> Result<Option<Secret>, SecretError> {
    if let Some(path) = &args.password_file {
        return file(path, "--password-file", surroundings).map(Some);
    }
    if args.ask_password {
        if !surroundings.interactive() {
            return Err(SecretError::NoTerminal);
        }
        let typed = surroundings.prompt("Password of the database: ");
        return typed.map(Some).map_err(SecretError::Prompt);
    }
    Ok(surroundings.variable(VARIABLE).map(Secret::from))
}

/// The password in the first line of a file.
pub(crate) fn file(
    path: &Path,
    option: &'static str,
    surroundings: &dyn Surroundings,
) -> Result<Secret, SecretError> {
    let bytes = surroundings.read(path).map_err(|source| SecretError::Unreadable {
        option,
        path: path.to_owned(),
        source,
    })?;
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        return Err(SecretError::Empty { option, path: path.to_owned() });
    }
    Ok(Secret::new(line))
}
