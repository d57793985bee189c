//! [`Secrets`]: the password of a database, from a file, the environment or the user at the terminal, and the account.

use brunt_net::secret::Secret;
use brunt_run::options::surroundings::Surroundings;

use super::store::Store;
use crate::options::leases::LeasePlaceArgs;

/// The variable that may contain the password.
pub(crate) const VARIABLE: &str = "BRUNT_LEASES_PASSWORD";

/// The variable that names the user, whose account is used if none is named.
const USER: &str = "USER";

/// The password of any database that is used, and the account if a database is named without one.
pub(crate) struct Secrets {
    password: Option<Secret>,
    user: Option<String>,
}

impl Secrets {
    /// Finds the password, if there is a database that may need one.
    pub(crate) fn find(
        stores: &[Store],
        args: &LeasePlaceArgs,
        surroundings: &dyn Surroundings,
    ) -> Result<Self, String> {
        if !stores.iter().any(Store::is_server) {
            let wanted = [
                ("--password-file", args.password_file.is_some()),
                ("--ask-password", args.ask_password),
            ];
            return match wanted.into_iter().find(|(_, given)| *given) {
                Some((name, _)) => Err(format!(
                    "{name}: none of the stores is a database with a password: leave it out"
                )),
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
    args: &LeasePlaceArgs,
    surroundings: &dyn Surroundings,
) -> Result<Option<Secret>, String> {
    if let Some(path) = &args.password_file {
        return file(path, "--password-file", surroundings).map(Some);
    }
    if args.ask_password {
        if !surroundings.interactive() {
            return Err(
                "--ask-password: standard input is not a terminal; use --password-file FILE"
                    .to_owned(),
            );
        }
        let typed = surroundings.ask("Password of the database: ");
        return typed
            .map(Some)
            .map_err(|error| format!("--ask-password: failed to read the password: {error}"));
    }
    Ok(surroundings.variable(VARIABLE).map(Secret::from))
}

/// The password in the first line of a file.
pub(crate) fn file(
    path: &std::path::Path,
    option: &str,
    surroundings: &dyn Surroundings,
) -> Result<Secret, String> {
    let bytes = surroundings
        .read(path)
        .map_err(|error| format!("{option} {}: it cannot be read: {error}", path.display()))?;
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        return Err(format!(
            "{option} {}: its first line, which is the password, is empty",
            path.display()
        ));
    }
    Ok(Secret::new(line))
}
