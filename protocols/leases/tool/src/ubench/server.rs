//! Where the original programs found MySQL: what its own client library derives from a host name and two variables.

use std::path::PathBuf;

use brunt_leases_driver::sql::{Server, ServerEndpoint, Tls};
use brunt_net::secret::Secret;
use brunt_run::options::surroundings::Surroundings;

use crate::options::ubench::UbenchArgs;
use crate::secrets::{self, SecretError};

/// The paths of the socket in distributions.
const SOCKETS: [&str; 3] =
    ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock"];
/// The password of the original programs.
const PASSWORD: &str = "secret";

/// Why the server is not known.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServerError {
    #[error("MYSQL_TCP_PORT is {0}, but must be a port from 1 to 65535")]
    Port(String),
    #[error(transparent)]
    Password(#[from] SecretError),
}

/// The server named by -m, -u, -p and -f.
pub(super) fn server(
    args: &UbenchArgs,
    surroundings: &dyn Surroundings,
) -> Result<Server, ServerError> {
    Ok(Server {
        endpoint: endpoint(&args.host, surroundings, |path| std::path::Path::new(path).exists())?,
        user: Some(args.user.clone()),
        password: Some(password(args, surroundings)?),
        database: Some(args.name.clone()),
        tls: Tls::Off,
        clear_password: false,
    })
}

fn endpoint(
    host: &str,
    surroundings: &dyn Surroundings,
    there: impl Fn(&str) -> bool,
) -> Result<ServerEndpoint, ServerError> {
    if host.starts_with('/') {
        return Ok(ServerEndpoint::Socket(host.into()));
    }
    if host == "localhost" {
        let named = surroundings.variable("MYSQL_UNIX_PORT").map(PathBuf::from);
        let usual = || SOCKETS.into_iter().find(|path| there(path)).map(PathBuf::from);
        if let Some(path) = named.or_else(usual) {
            return Ok(ServerEndpoint::Socket(path));
        }
    }
    let port = match surroundings.variable("MYSQL_TCP_PORT") {
        None => 3306,
        Some(text) => text.parse().map_err(|_| ServerError::Port(text))?,
    };
    Ok(ServerEndpoint::Tcp { host: host.to_owned(), port })
}

fn password(args: &UbenchArgs, surroundings: &dyn Surroundings) -> Result<Secret, SecretError> {
    if let Some(given) = &args.password {
        return Ok(given.clone());
    }
    if let Some(path) = &args.password_file {
        return secrets::file(path, "--password-file", surroundings);
    }
    let variable = surroundings.variable(secrets::VARIABLE);
    Ok(variable.map_or_else(|| Secret::from(PASSWORD), Secret::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::path::Path;

    /// Surroundings with these variables and no files.
    struct With(&'static [(&'static str, &'static str)]);

    impl Surroundings for With {
        fn variable(&self, name: &str) -> Option<String> {
            self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        }
        fn files(&self) -> brunt_run::Files {
            brunt_run::Files::default()
        }

        fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
            Err(io::ErrorKind::NotFound.into())
        }
        fn interactive(&self) -> bool {
            false
        }
        fn prompt(&self, _: &str) -> io::Result<Secret> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    #[test]
    fn localhost_is_a_socket_if_one_exists() {
        let (none, all) = (|_: &str| false, |_: &str| true);
        let tcp = |host: &str, port| ServerEndpoint::Tcp { host: host.to_owned(), port };
        assert_eq!(endpoint("localhost", &With(&[]), none).unwrap(), tcp("localhost", 3306));
        assert_eq!(
            endpoint("localhost", &With(&[]), all).unwrap(),
            ServerEndpoint::Socket(SOCKETS[0].into())
        );
        assert_eq!(
            endpoint("db", &With(&[("MYSQL_TCP_PORT", "3307")]), all).unwrap(),
            tcp("db", 3307)
        );
        assert_eq!(endpoint("/s", &With(&[]), none).unwrap(), ServerEndpoint::Socket("/s".into()));
        let named = With(&[("MYSQL_UNIX_PORT", "/t/s")]);
        assert_eq!(
            endpoint("localhost", &named, all).unwrap(),
            ServerEndpoint::Socket("/t/s".into())
        );
        assert!(endpoint("db", &With(&[("MYSQL_TCP_PORT", "x")]), none).is_err());
    }
}
