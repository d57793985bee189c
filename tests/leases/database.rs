//! A [`Database`]: MariaDB or PostgreSQL, queried by its own client, and backends on it.

use std::sync::Arc;
use std::time::Duration;

use brunt_leases_driver::mysql::{MysqlBackend, MysqlOptions};
use brunt_leases_driver::postgres::{PostgresBackend, PostgresOptions};
use brunt_leases_driver::sql::{Kind, Server};
use brunt_leases_driver::{
    Backend, Contents, Durability, Family, Lease, Leases, Schema, Statements,
};
use brunt_net::secret::Secret;
use brunt_testbed::{MariaDb, Postgres, require};

/// A server of one of the two kinds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Database<'a> {
    MariaDb(&'a MariaDb),
    Postgres(&'a Postgres),
}

/// What a test asks of a backend.
#[derive(Clone, Debug)]
pub(crate) struct BackendRequest {
    pub(crate) schema: Schema,
    pub(crate) family: Family,
    pub(crate) durability: Durability,
    pub(crate) statements: Statements,
    /// The database to be used, where it is not the backend's own.
    pub(crate) named: Option<&'static str>,
    pub(crate) may_destroy: bool,
    pub(crate) password: Option<&'static str>,
    pub(crate) patience: Duration,
    pub(crate) flush: Option<u8>,
    /// The URL of the server, where it is not the Unix socket's.
    pub(crate) url: Option<String>,
}

impl Default for BackendRequest {
    fn default() -> Self {
        Self {
            schema: Schema::Guide,
            family: Family::V4,
            durability: Durability::Sync,
            statements: Statements::Prepared,
            named: None,
            may_destroy: false,
            password: None,
            patience: Duration::from_secs(20),
            flush: None,
            url: None,
        }
    }
}

pub(crate) fn mariadb_is_here() -> bool {
    require(&["mariadbd", "mariadb-install-db", "mariadb"])
}

pub(crate) fn postgres_is_here() -> bool {
    require(&["postgres", "psql", "openssl"])
}

/// Runs a test with a server of its own of each kind that is installed. They flush nothing: what is tested is not their
/// disk.
pub(crate) fn with_servers(mut test: impl FnMut(Database<'_>)) {
    if mariadb_is_here() {
        test(Database::MariaDb(&MariaDb::start_unflushed()));
    }
    if postgres_is_here() {
        test(Database::Postgres(&Postgres::start_unflushed()));
    }
}

/// The same with servers that keep what they say is kept.
pub(crate) fn with_durable_servers(test: impl Fn(Database<'_>)) {
    if mariadb_is_here() {
        test(Database::MariaDb(&MariaDb::start()));
    }
    if postgres_is_here() {
        test(Database::Postgres(&Postgres::start()));
    }
}

impl Database<'_> {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::MariaDb(_) => Kind::Mysql,
            Self::Postgres(_) => Kind::Postgres,
        }
    }

    pub(crate) fn url(self) -> String {
        match self {
            Self::MariaDb(server) => server.url(),
            Self::Postgres(server) => server.url(),
        }
    }

    pub(crate) fn tcp_url(self) -> String {
        match self {
            Self::MariaDb(server) => server.tcp_url(),
            Self::Postgres(server) => server.tcp_url(),
        }
    }

    pub(crate) fn password(self) -> &'static str {
        match self {
            Self::MariaDb(_) => MariaDb::PASSWORD,
            Self::Postgres(_) => Postgres::PASSWORD,
        }
    }

    /// A backend on the server.
    pub(crate) fn backend(self, requested: &BackendRequest) -> Arc<dyn Backend> {
        let url = requested.url.clone().unwrap_or_else(|| self.url());
        let mut server = Server::parse(self.kind(), &url).unwrap();
        server.password = Some(Secret::from(requested.password.unwrap_or(self.password())));
        server.database = requested.named.map(str::to_owned);
        let BackendRequest {
            schema, family, durability, statements, may_destroy, patience, ..
        } = requested.clone();
        match self {
            Self::MariaDb(_) => Arc::new(MysqlBackend::new(MysqlOptions {
                network: brunt_net::Network::private(),
                server,
                schema,
                family,
                durability,
                statements,
                engine: None,
                flush: requested.flush,
                may_destroy,
                timeout: patience,
            })),
            Self::Postgres(_) => Arc::new(PostgresBackend::new(PostgresOptions {
                network: brunt_net::Network::private(),
                server,
                schema,
                family,
                durability,
                statements,
                may_destroy,
                timeout: patience,
            })),
        }
    }

    /// Databases or schemas of users.
    pub(crate) fn places(self) -> Vec<String> {
        match self {
            Self::MariaDb(server) => server.databases(),
            Self::Postgres(server) => server.schemas(),
        }
    }

    /// The rows of a query, by the server's own client.
    pub(crate) fn sql(self, query: &str) -> Vec<Vec<String>> {
        match self {
            Self::MariaDb(server) => server.sql(query),
            Self::Postgres(server) => server.sql(query),
        }
    }

    pub(crate) fn number(self, query: &str) -> u64 {
        match self {
            Self::MariaDb(server) => server.number(query),
            Self::Postgres(server) => server.number(query),
        }
    }

    /// A moment as a number, in the words of the server.
    pub(crate) fn epoch(self, column: &str) -> String {
        match self {
            Self::MariaDb(_) => format!("UNIX_TIMESTAMP({column})"),
            Self::Postgres(_) => format!("extract(epoch FROM {column})::bigint"),
        }
    }

    /// Octets as digits, in the words of the server.
    pub(crate) fn hex(self, column: &str) -> String {
        match self {
            Self::MariaDb(_) => format!("LOWER(HEX({column}))"),
            Self::Postgres(_) => format!("encode({column}, 'hex')"),
        }
    }
}

/// The leases that tests write.
pub(crate) fn leases(family: Family) -> Leases {
    Leases { family, contents: Contents::Distinct, epoch: 1_700_000_000 }
}

/// Lease number `number` of a family.
pub(crate) fn lease(family: Family, number: u64) -> Lease {
    leases(family).lease(number)
}

/// The one place that a backend made since `before`.
pub(crate) fn made_since(database: Database<'_>, before: &[String]) -> Vec<String> {
    database.places().into_iter().filter(|place| !before.contains(place)).collect()
}
