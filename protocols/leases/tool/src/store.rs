//! [`Store`]: a store as a command line names it, and the [`Backend`] that is made from it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use brunt_leases_driver::memfile::{Format, MemfileBackend, MemfileSetup};
use brunt_leases_driver::mysql::{MysqlBackend, MysqlOptions};
use brunt_leases_driver::postgres::{PostgresBackend, PostgresOptions};
use brunt_leases_driver::redb::{RedbBackend, RedbSetup};
use brunt_leases_driver::sql::{self, Engine, Server, ServerUrlError};
use brunt_leases_driver::sqlite::{Journal, SqliteBackend, SqliteSetup};
use brunt_leases_driver::{Backend, BackendError, Durability, Family, Guarded, Schema, Statements};
use brunt_net::Network;
use brunt_net::secret::Secret;

/// A store refused or failed.
#[derive(Debug, thiserror::Error)]
#[error("failed to {0}")]
pub(crate) struct StoreError(#[from] BackendError);

/// Why a word names no store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreNameError {
    #[error("'{word}' is not a lease store: use {}, mysql:// or postgres://{}", files().join(", "), hint(name))]
    Unknown { word: String, name: String },
    #[error(
        "{word}: the file after the colon is missing; write {name}:FILE, or {name} for a temporary file"
    )]
    NoFile { word: String, name: &'static str },
    #[error("{0}:// is not a lease store: use mysql:// or postgres://")]
    Scheme(String),
    #[error("{scheme}://: failed to {source}")]
    Url { scheme: String, source: ServerUrlError },
}

/// A store that was named.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Store {
    /// Its kind.
    pub kind: Kind,
    /// Its location.
    pub place: Location,
}

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Memfile,
    Redb,
    Mysql,
    Postgres,
}

/// The location of a store.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Location {
    /// In a directory that is created for it.
    Temporary,
    /// In this file.
    File(PathBuf),
    /// On this server.
    Server(Box<Server>),
}

/// How a store is used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreOptions<'a> {
    /// How a server is reached.
    pub network: &'a Network,
    pub schema: Schema,
    pub family: Family,
    pub durability: Durability,
    pub statements: Statements,
    pub may_destroy: bool,
    pub password: Option<&'a Secret>,
    /// The account on a server that is named without one.
    pub user: Option<&'a str>,
    /// How long an operation may take.
    pub timeout: Duration,
    /// MySQL's setting for flushing its log if changes need not be durable when they are answered.
    pub flush: Option<u8>,
}

impl Kind {
    /// The kinds that are files on this machine.
    const FILES: [Self; 3] = [Self::Sqlite, Self::Memfile, Self::Redb];

    /// Its name on a command line and in the labels of cells.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Memfile => "memfile",
            Self::Redb => "redb",
            Self::Mysql => "mysql",
            Self::Postgres => "postgres",
        }
    }

    /// Whether it has statements.
    pub(crate) const fn has_statements(self) -> bool {
        !matches!(self, Self::Memfile | Self::Redb)
    }

    /// The name of its temporary file.
    pub(crate) const fn file_name(self) -> &'static str {
        match self {
            Self::Sqlite => "leases.sqlite",
            Self::Memfile => "leases.csv",
            _ => "leases.redb",
        }
    }
}

impl Store {
    /// Reads `sqlite`, `memfile:FILE`, `mysql://...`.
    pub(crate) fn parse(word: &str) -> Result<Self, StoreNameError> {
        if let Some((scheme, _)) = word.split_once("://") {
            return Self::server(scheme, word);
        }
        let (name, file) =
            word.split_once(':').map_or((word, None), |(name, file)| (name, Some(file)));
        let Some(kind) = Kind::FILES.into_iter().find(|kind| kind.word() == name) else {
            return Err(StoreNameError::Unknown { word: word.to_owned(), name: name.to_owned() });
        };
        let place = match file {
            None => Location::Temporary,
            Some("") => {
                return Err(StoreNameError::NoFile { word: word.to_owned(), name: kind.word() });
            }
            Some(file) => Location::File(file.into()),
        };
        Ok(Self { kind, place })
    }

    fn server(scheme: &str, url: &str) -> Result<Self, StoreNameError> {
        let (kind, whose) = match scheme {
            "mysql" | "mariadb" => (Kind::Mysql, sql::Kind::Mysql),
            "postgres" | "postgresql" => (Kind::Postgres, sql::Kind::Postgres),
            other => return Err(StoreNameError::Scheme(other.to_owned())),
        };
        let server = Server::parse(whose, url)
            .map_err(|source| StoreNameError::Url { scheme: scheme.to_owned(), source })?;
        Ok(Self { kind, place: Location::Server(Box::new(server)) })
    }

    /// Whether it is on a server, which has a user and a password.
    pub(crate) fn is_server(&self) -> bool {
        matches!(self.place, Location::Server(_))
    }

    /// Its name in a record.
    pub(crate) fn target(&self) -> String {
        match &self.place {
            Location::Temporary => self.kind.word().to_owned(),
            Location::File(file) => format!("{}:{}", self.kind.word(), file.display()),
            Location::Server(server) => format!("{} at {}", self.kind.word(), server.endpoint),
        }
    }

    /// The backend; its file is `file` if it names none.
    pub(crate) fn backend(&self, manner: &StoreOptions<'_>, file: &Path) -> Arc<dyn Backend> {
        Arc::new(Guarded::new(self.unguarded(manner, file)))
    }

    fn unguarded(&self, manner: &StoreOptions<'_>, file: &Path) -> Arc<dyn Backend> {
        let path = match &self.place {
            Location::Server(server) => return self.at(server, manner),
            Location::File(path) => path.clone(),
            Location::Temporary => file.to_owned(),
        };
        let StoreOptions { schema, family, durability, statements, may_destroy, timeout, .. } =
            *manner;
        match self.kind {
            Kind::Memfile => {
                let format = Format::Csv;
                let setup = MemfileSetup { path, format, schema, family, durability, may_destroy };
                Arc::new(MemfileBackend::new(setup))
            }
            Kind::Redb => {
                let setup = RedbSetup { path, schema, family, durability, may_destroy };
                Arc::new(RedbBackend::new(setup))
            }
            _ => {
                let (journal, patience) = (Journal::Wal, patience(timeout));
                Arc::new(SqliteBackend::new(SqliteSetup {
                    path,
                    schema,
                    family,
                    durability,
                    statements,
                    journal,
                    timeout: patience,
                    may_destroy,
                }))
            }
        }
    }

    fn at(&self, server: &Server, manner: &StoreOptions<'_>) -> Arc<dyn Backend> {
        let (mut server, network) = (server.clone(), manner.network.clone());
        if server.password.is_none() {
            server.password = manner.password.cloned();
        }
        if server.user.is_none() {
            server.user = manner.user.map(str::to_owned);
        }
        let StoreOptions { schema, family, durability, statements, may_destroy, timeout, .. } =
            *manner;
        let patience = patience(timeout);
        if self.kind == Kind::Postgres {
            let options = PostgresOptions {
                server,
                network,
                schema,
                family,
                durability,
                statements,
                may_destroy,
                timeout: patience,
            };
            return Arc::new(PostgresBackend::new(options));
        }
        let flush = manner.flush.filter(|_| durability == Durability::Async);
        let engine = flush.map(|_| Engine::InnoDb);
        Arc::new(MysqlBackend::new(MysqlOptions {
            server,
            network,
            schema,
            family,
            durability,
            statements,
            engine,
            flush,
            may_destroy,
            timeout: patience,
        }))
    }
}

/// How long a store waits for a missing answer: longer than the run waits, so that the run counts the timeout.
fn patience(timeout: Duration) -> Duration {
    timeout + timeout / 4 + Duration::from_secs(1)
}

fn files() -> [&'static str; 3] {
    Kind::FILES.map(Kind::word)
}

/// What was probably meant by a name that is not one of a store.
fn hint(name: &str) -> String {
    let known = files().into_iter();
    match known.map(|known| (strsim::damerau_levenshtein(known, name), known)).min() {
        Some((0..=2, known)) => format!("; did you mean {known}?"),
        _ if matches!(name, "mysql" | "mariadb" | "postgres" | "postgresql") => {
            format!(
                "; write {name}://HOST/, or {name}:///?{} for a socket",
                if name.starts_with('p') { "host=DIR" } else { "socket=FILE" }
            )
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_named_with_or_without_a_place() {
        let parse = |word| Store::parse(word).unwrap();
        assert_eq!(parse("sqlite"), Store { kind: Kind::Sqlite, place: Location::Temporary });
        assert_eq!(parse("redb:/x/y:z").place, Location::File("/x/y:z".into()));
        assert_eq!(parse("mariadb://kea@db").kind, Kind::Mysql);
        assert_eq!(parse("postgresql:///kea").kind, Kind::Postgres);
        assert_eq!(parse("mysql://kea:hunter2@db/kea").target(), "mysql at db:3306");
    }

    #[test]
    fn store_name_errors_name_a_remedy() {
        for (word, what) in [
            ("sqllite", "did you mean sqlite?"),
            ("oracle", "use sqlite, memfile, redb, mysql://"),
            ("mysql", "write mysql://HOST/"),
            ("postgres:x", "host=DIR"),
            ("sqlite:", "file after the colon is missing"),
            ("http://x", "http:// is not a lease store"),
            ("mysql://u:hunter2@h/db?x=y", "use 'x' in the URL"),
        ] {
            let error = Store::parse(word).unwrap_err().to_string();
            assert!(error.contains(what) && !error.contains("hunter2"), "{word}: {error}");
        }
    }
}
