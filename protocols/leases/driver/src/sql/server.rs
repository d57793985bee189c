//! The address of a database server and the account: [`Server`], parsed from a URL.
//!
//! The URL may contain a password. It is removed at once and appears in no output, including error messages. Unknown
//! parts of a URL are refused: a mistyped parameter must not be ignored.

use brunt_net::secret::Secret;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use url::{Host, Url};

/// The kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `mysql://` or `mariadb://`.
    Mysql,
    /// `postgres://` or `postgresql://`.
    Postgres,
}

/// A database server, and the account.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    /// The endpoint of the server.
    pub endpoint: ServerEndpoint,
    /// The account; without one, the usual one of the server.
    pub user: Option<String>,
    /// Its password.
    pub password: Option<Secret>,
    /// The database, if one was named.
    pub database: Option<String>,
    /// Whether the connection is secured, and how the server is verified.
    pub tls: Tls,
    /// Whether the password may be sent in clear over a connection that others could read.
    pub clear_password: bool,
}

/// The endpoint of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerEndpoint {
    /// A Unix socket.
    Socket(PathBuf),
    /// TCP.
    Tcp {
        /// A name or an address.
        host: String,
        /// The port.
        port: u16,
    },
}

impl ServerEndpoint {
    /// Whether what is sent there stays on this machine.
    pub(crate) fn is_socket(&self) -> bool {
        matches!(self, Self::Socket(_))
    }
}

/// Whether a connection is secured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tls {
    /// It is not secured.
    #[default]
    Off,
    /// By TLS without verification: protected from eavesdroppers, but not from a server in the middle.
    Unverified,
    /// By TLS, with verification of the server's certificate: against the authorities in this file, otherwise those
    /// that the machine trusts.
    Verified(Option<PathBuf>),
}

/// Why a URL names no server. It reads after "failed to". It does not contain the URL, which may contain a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerUrlError {
    /// It is no URL.
    #[error("read the URL of the database: {0}")]
    Url(#[from] url::ParseError),
    /// It is one of another kind of server.
    #[error("use '{scheme}://': this is the place of {}://", known.join(":// or "))]
    Scheme {
        /// Its scheme.
        scheme: String,
        /// Those of the kind.
        known: &'static [&'static str],
    },
    /// It has a fragment, which means nothing.
    #[error("use what follows '#' in the URL; write %23 for a '#' in a password")]
    Fragment,
    /// A part of it is no text.
    #[error("read the URL: it is not UTF-8")]
    Encoding,
    /// TLS on a connection within this machine.
    #[error(
        "use TLS over a socket, which does not leave this machine: name a host, or leave ssl-mode out"
    )]
    TlsOverSocket,
    /// A parameter that is not a port.
    #[error("use port={0}: it is no port")]
    Port(String),
    /// A parameter that does not exist here.
    #[error("use '{name}' in the URL: the supported parameters are {supported}")]
    Parameter {
        /// Its name.
        name: String,
        /// Those that exist.
        supported: &'static str,
    },
    /// Authorities, but no verification.
    #[error("use '{authorities}': it needs {verification}")]
    Authorities {
        /// The parameter that names them.
        authorities: &'static str,
        /// The parameter that verifies.
        verification: &'static str,
    },
    /// A socket that is no path.
    #[error("use the socket of the URL: its path must begin with '/'")]
    Socket,
    /// A kind of security that does not exist here.
    #[error(
        "use {parameter}={value}: the supported values are {supported}, which checks the certificate"
    )]
    Security {
        /// The parameter.
        parameter: &'static str,
        /// Its value.
        value: String,
        /// The values that exist.
        supported: &'static str,
    },
    /// The name of a database that would need quotes.
    #[error("use a database called '{0}': its name must be of letters, digits, '_', '-' and '$'")]
    Database(String),
}

impl Server {
    /// Parses a URL.
    pub fn parse(kind: Kind, text: &str) -> Result<Self, ServerUrlError> {
        let completed = with_host(text);
        let url = Url::parse(completed.as_deref().unwrap_or(text))?;
        if !kind.schemes().contains(&url.scheme()) {
            let (scheme, known) = (url.scheme().to_owned(), kind.schemes());
            return Err(ServerUrlError::Scheme { scheme, known });
        }
        if url.fragment().is_some() {
            return Err(ServerUrlError::Fragment);
        }
        let plain = |part: &str| {
            let text = percent_decode_str(part).decode_utf8();
            text.map(Cow::into_owned).map_err(|_| ServerUrlError::Encoding)
        };
        let user = Some(plain(url.username())?).filter(|user| !user.is_empty());
        let password = url
            .password()
            .map(|password| Secret::new(percent_decode_str(password).collect::<Vec<_>>()));
        let database =
            Some(plain(url.path().trim_start_matches('/'))?).filter(|name| !name.is_empty());
        if let Some(name) = &database {
            usable(name)?;
        }
        let parameters = Parameters::read(kind, &url)?;
        let host = url.host_str().filter(|host| !host.is_empty() && completed.is_none());
        let endpoint = parameters.endpoint(kind, host, url.port())?;
        if parameters.security != Security::Off && kind == Kind::Mysql && endpoint.is_socket() {
            return Err(ServerUrlError::TlsOverSocket);
        }
        let clear_password = parameters.clear_password;
        Ok(Self { endpoint, user, password, database, tls: parameters.tls(), clear_password })
    }
}

impl Kind {
    fn schemes(self) -> &'static [&'static str] {
        match self {
            Self::Mysql => &["mysql", "mariadb"],
            Self::Postgres => &["postgres", "postgresql"],
        }
    }

    fn port(self) -> u16 {
        match self {
            Self::Mysql => 3306,
            Self::Postgres => 5432,
        }
    }

    /// The parameters of a URL.
    fn parameters(self) -> &'static str {
        match self {
            Self::Mysql => "socket, ssl-mode, ssl-ca",
            Self::Postgres => "host, port, sslmode, sslrootcert and require_auth=password",
        }
    }

    /// Where distributions put the socket.
    fn socket(self) -> &'static str {
        match self {
            Self::Mysql => "/run/mysqld/mysqld.sock",
            Self::Postgres => "/run/postgresql",
        }
    }
}

/// A URL that names an account and no host, as libpq's do where a parameter names a socket, with a host added: the
/// standard of URLs requires one there.
fn with_host(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let is_missing = !authority.is_empty() && (host.is_empty() || host.starts_with(':'));
    let account = &authority[..authority.len() - host.len()];
    is_missing.then(|| format!("{scheme}://{account}localhost{host}{path}"))
}

/// What a URL says about TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Security {
    #[default]
    Off,
    Unverified,
    Verified,
}

/// The parameters after the question mark.
#[derive(Default)]
struct Parameters {
    /// A socket, or for PostgreSQL the directory of one, or a host.
    host: Option<String>,
    port: Option<u16>,
    security: Security,
    clear_password: bool,
    authorities: Option<PathBuf>,
}

impl Parameters {
    fn read(kind: Kind, url: &Url) -> Result<Self, ServerUrlError> {
        let mut parameters = Self::default();
        for (name, value) in url.query_pairs() {
            match (kind, &*name) {
                (Kind::Mysql, "socket") | (Kind::Postgres, "host") => {
                    parameters.host = Some(value.into_owned());
                }
                (Kind::Postgres, "port") => {
                    let port = value.parse();
                    let port = port.map_err(|_| ServerUrlError::Port(value.into_owned()));
                    parameters.port = Some(port?);
                }
                (Kind::Postgres, "sslmode") => parameters.security = sslmode(&value)?,
                (Kind::Postgres, "sslrootcert") | (Kind::Mysql, "ssl-ca") => {
                    parameters.authorities = Some((&*value).into());
                }
                (Kind::Postgres, "require_auth") if value == "password" => {
                    parameters.clear_password = true;
                }
                (Kind::Mysql, "ssl-mode") => parameters.security = ssl_mode(&value)?,
                (kind, _) => {
                    let (name, supported) = (name.into_owned(), kind.parameters());
                    return Err(ServerUrlError::Parameter { name, supported });
                }
            }
        }
        if parameters.authorities.is_some() && parameters.security != Security::Verified {
            let (authorities, verification) = match kind {
                Kind::Mysql => ("ssl-ca", "ssl-mode=VERIFY_IDENTITY"),
                Kind::Postgres => ("sslrootcert", "sslmode=verify-full"),
            };
            return Err(ServerUrlError::Authorities { authorities, verification });
        }
        Ok(parameters)
    }

    /// The endpoint, from the host and the port before the path and from parameters, which take precedence as in libpq
    /// and libmysqlclient.
    fn endpoint(
        &self,
        kind: Kind,
        host: Option<&str>,
        port: Option<u16>,
    ) -> Result<ServerEndpoint, ServerUrlError> {
        let port = self.port.or(port).unwrap_or(kind.port());
        let socket = |path: &str| match kind {
            Kind::Mysql => ServerEndpoint::Socket(path.into()),
            // PostgreSQL names its socket after the port.
            Kind::Postgres => {
                ServerEndpoint::Socket(Path::new(path).join(format!(".s.PGSQL.{port}")))
            }
        };
        let decoded = host.map(|host| percent_decode_str(host).decode_utf8_lossy());
        let host = match (kind, &self.host) {
            (Kind::Mysql, Some(path)) if !path.starts_with('/') => {
                return Err(ServerUrlError::Socket);
            }
            (_, given) => given.as_deref().or(decoded.as_deref()),
        };
        Ok(match host.filter(|host| !host.is_empty()) {
            None => socket(kind.socket()),
            Some(path) if path.starts_with('/') => socket(path),
            Some(host) => {
                let host = match Host::parse(host) {
                    Ok(Host::Ipv6(address)) => address.to_string(),
                    _ => host.to_owned(),
                };
                ServerEndpoint::Tcp { host, port }
            }
        })
    }

    fn tls(self) -> Tls {
        match self.security {
            Security::Off => Tls::Off,
            Security::Unverified => Tls::Unverified,
            Security::Verified => Tls::Verified(self.authorities),
        }
    }
}

fn sslmode(value: &str) -> Result<Security, ServerUrlError> {
    match value {
        "disable" => Ok(Security::Off),
        "require" => Ok(Security::Unverified),
        "verify-full" => Ok(Security::Verified),
        _ => Err(ServerUrlError::Security {
            parameter: "sslmode",
            value: value.to_owned(),
            supported: "disable, require, and verify-full",
        }),
    }
}

fn ssl_mode(value: &str) -> Result<Security, ServerUrlError> {
    match value.to_ascii_uppercase().as_str() {
        "DISABLED" => Ok(Security::Off),
        "REQUIRED" => Ok(Security::Unverified),
        "VERIFY_IDENTITY" => Ok(Security::Verified),
        _ => Err(ServerUrlError::Security {
            parameter: "ssl-mode",
            value: value.to_owned(),
            supported: "DISABLED, REQUIRED, and VERIFY_IDENTITY",
        }),
    }
}

/// Whether a database name needs no quoting, which also prevents SQL in names.
fn usable(name: &str) -> Result<(), ServerUrlError> {
    let fine = |character: char| character.is_ascii_alphanumeric() || "_$-".contains(character);
    if name.len() <= 63 && name.chars().all(fine) {
        Ok(())
    } else {
        Err(ServerUrlError::Database(name.to_owned()))
    }
}

/// A name for the backend's own database, which shows its origin if it is left behind.
pub(crate) fn own_name() -> String {
    let mut octets = [0; 4];
    // Without random numbers two simultaneous runs would use the same database, and the second would be refused.
    let _ = getrandom::fill(&mut octets);
    format!("brunt_leases_{:08x}", u32::from_be_bytes(octets))
}

impl fmt::Display for ServerEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(path) => write!(f, "{}", path.display()),
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { endpoint, user, database, .. } = self;
        write!(f, "{endpoint}, user {user:?}, database {database:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mysql(text: &str) -> Server {
        Server::parse(Kind::Mysql, text).unwrap()
    }

    fn postgres(text: &str) -> Server {
        Server::parse(Kind::Postgres, text).unwrap()
    }

    #[test]
    fn database_url_gives_endpoint_and_account() {
        let server = mysql("mysql://kea:s%23cr%40t@db.example:3307/leases");
        assert_eq!(server.endpoint, ServerEndpoint::Tcp { host: "db.example".into(), port: 3307 });
        assert_eq!(server.user.as_deref(), Some("kea"));
        assert_eq!(server.password.unwrap().expose(), b"s#cr@t");
        assert_eq!(server.database.as_deref(), Some("leases"));
        let server = mysql("mariadb://root@localhost/?socket=/tmp/a%20b.sock");
        assert_eq!(server.endpoint, ServerEndpoint::Socket("/tmp/a b.sock".into()));
        assert_eq!(server.database, None);
        let server = postgres("postgres://kea@[::1]/");
        assert_eq!(server.endpoint, ServerEndpoint::Tcp { host: "::1".into(), port: 5432 });
        assert_eq!(server.endpoint.to_string(), "[::1]:5432");
        let server = postgres("postgresql://kea@x:5433/a?host=/run/pg");
        assert_eq!(server.endpoint, ServerEndpoint::Socket("/run/pg/.s.PGSQL.5433".into()));
    }

    #[test]
    fn database_url_names_sockets_like_libpq() {
        for text in [
            "postgres://kea@/kea?host=/run/pg&port=5433",
            "postgres://kea@:5433/kea?host=/run/pg",
            "postgres://kea@%2Frun%2Fpg:5433/kea",
            "postgresql:///kea?host=/run/pg&port=5433",
            "postgres://:5433/kea?host=/run/pg",
        ] {
            let server = postgres(text);
            let socket = ServerEndpoint::Socket("/run/pg/.s.PGSQL.5433".into());
            assert_eq!(
                (server.endpoint, server.database.as_deref()),
                (socket, Some("kea")),
                "{text}"
            );
            assert_eq!(server.user.is_some(), text.contains('@'), "{text}");
        }
        let server = postgres("postgres://kea:s@/kea?host=db.example");
        assert_eq!(server.endpoint, ServerEndpoint::Tcp { host: "db.example".into(), port: 5432 });
        assert_eq!(server.password.unwrap().expose(), b"s");
        let server = mysql("mysql://kea@/kea?socket=/tmp/a.sock");
        assert_eq!(server.endpoint, ServerEndpoint::Socket("/tmp/a.sock".into()));
    }

    #[test]
    fn database_url_without_a_host_is_the_default_socket() {
        assert_eq!(
            mysql("mysql:///kea").endpoint,
            ServerEndpoint::Socket("/run/mysqld/mysqld.sock".into())
        );
        let endpoint = ServerEndpoint::Socket("/run/postgresql/.s.PGSQL.5432".into());
        assert_eq!(postgres("postgres:///kea").endpoint, endpoint);
    }

    #[test]
    fn database_url_must_allow_clear_text_passwords() {
        assert!(!postgres("postgres://h/").clear_password);
        assert!(postgres("postgres://h/?require_auth=password").clear_password);
    }

    #[test]
    fn database_url_tls_is_verified_or_off() {
        assert_eq!(postgres("postgres://h/").tls, Tls::Off);
        assert_eq!(postgres("postgres://h/?sslmode=require").tls, Tls::Unverified);
        let text = "postgres://h/?sslmode=verify-full&sslrootcert=/ca.pem";
        assert_eq!(postgres(text).tls, Tls::Verified(Some("/ca.pem".into())));
        let text = "mysql://h/?ssl-mode=verify_identity&ssl-ca=/ca.pem";
        assert_eq!(mysql(text).tls, Tls::Verified(Some("/ca.pem".into())));
        assert_eq!(mysql("mysql://h/?ssl-mode=DISABLED").tls, Tls::Off);
        assert_eq!(mysql("mysql://h/?ssl-mode=required").tls, Tls::Unverified);
        for text in [
            "ssl-mode=PREFERRED",
            "ssl-ca=/ca.pem",
            "ssl-mode=REQUIRED&ssl-ca=/ca.pem",
            "ssl-mode=REQUIRED&socket=/s",
            "ssl-mode=VERIFY_IDENTITY&socket=/s",
        ] {
            Server::parse(Kind::Mysql, &format!("mysql://h/?{text}")).unwrap_err().to_string();
        }
    }

    #[test]
    fn database_url_errors_hide_the_password() {
        for text in [
            "mysql://u:hunter2@h/db?sokcet=/x",
            "mysql://u:hunter2@h/db?socket=x",
            "mysql://u:hunter2@h/d`b",
            "postgres://u:hunter2@h/db",
            "mysql://u:hunter2@h:99999/db",
            "mysql://u:hunter2@h/db#x",
            "hunter2",
        ] {
            let error = Server::parse(Kind::Mysql, text).unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
        for text in [
            "postgres://h/?sslmode=prefer",
            "postgres://h/?sslmode=require&sslrootcert=/x",
            "postgres://h/?sslrootcert=/x",
            "postgres://h/?port=many",
            "postgres://h/?a=b",
            "postgres://h/?require_auth=md5",
        ] {
            Server::parse(Kind::Postgres, text).unwrap_err().to_string();
        }
    }

    #[test]
    fn database_debug_output_hides_the_password() {
        let server = mysql("mysql://u:hunter2@h/db");
        assert!(!format!("{server:?} {server:#?}").contains("hunter2"));
    }

    #[test]
    fn database_name_is_unique_per_run() {
        let (one, other) = (own_name(), own_name());
        assert_ne!(one, other);
        assert!(one.starts_with("brunt_leases_") && one.len() == 21, "{one}");
    }
}
