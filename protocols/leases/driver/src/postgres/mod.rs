//! PostgreSQL as a backend of leases: [`PostgresBackend`].
//!
//! It uses the crate `tokio-postgres`, with a separate runtime for each connection, so that it blocks its thread as the
//! other stores do. Tables are in a schema that the backend makes and drops, `brunt_leases_` and eight digits, in the
//! database `postgres`; or, if the URL names a database, in that database's own schema, in which tables that brunt did
//! not create are not touched unless this was allowed. A run that was killed leaves its schema behind; `DROP SCHEMA
//! brunt_leases_... CASCADE` removes it.
//!
//! Sync and async are `synchronous_commit`, which is a setting of each connection.

mod connection;
mod error;
mod link;
mod messages;
mod secured;
mod settings;

use self::connection::PostgresConnection;
use self::link::Link;
use self::settings::Settings;
use super::backend::{Backend, Connection};
use super::error::{BackendError, sqlstate_text};
use super::leases::{Durability, Family, Lease, Schema, Statements};
use super::sql::{Dialect, Server, SqlConnection, SqlTemplates, Table, own_name};
use brunt_exchange::Meaning;
use brunt_net::Network;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many leases one statement writes before a run.
const PRELOADED_AT_ONCE: usize = 1_000;
/// The database if none is named: every server has it.
const DATABASE: &str = "postgres";

/// The options of a backend on a PostgreSQL server.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// The server. In a database that is named in it, no schema is made.
    pub server: Server,
    /// How it is reached.
    pub network: Network,
    /// Its tables.
    pub schema: Schema,
    /// Its leases.
    pub family: Family,
    /// Whether a commit is answered when its log is on the disk: `synchronous_commit`.
    pub durability: Durability,
    /// How statements reach the server.
    pub statements: Statements,
    /// Whether tables that brunt did not create may be dropped if the named database has them.
    pub may_destroy: bool,
    /// How long to wait for an answer before the connection is closed.
    pub timeout: Duration,
}

/// A schema of leases on a PostgreSQL server.
pub struct PostgresBackend {
    options: PostgresOptions,
    table: Table,
    /// The schema to be made, if no database was named.
    own_schema: Option<String>,
    templates: Arc<SqlTemplates>,
    state: Mutex<State>,
}

/// What the backend did to the server.
#[derive(Default)]
struct State {
    made: bool,
    /// The server's settings, as they were found when tables were made.
    settings: Option<Settings>,
}

impl PostgresBackend {
    /// A backend with the settings of `options`. It does not connect yet.
    pub fn new(options: PostgresOptions) -> Self {
        let PostgresOptions { schema, family, .. } = options;
        let table = Table { dialect: Dialect::Postgres, schema, family };
        let own_schema = options.server.database.is_none().then(own_name);
        let templates = Arc::new(table.templates());
        Self { options, table, own_schema, templates, state: Mutex::default() }
    }

    fn database(&self) -> &str {
        self.options.server.database.as_deref().unwrap_or(DATABASE)
    }

    /// Connects, and sets the search path to the backend's own schema, if it has one.
    fn link(&self) -> Result<Link, BackendError> {
        let mut link = Link::open(
            &self.options.network,
            &self.options.server,
            self.database(),
            self.options.timeout,
        )?;
        let commits = match self.options.durability {
            Durability::Sync => "on",
            Durability::Async => "off",
        };
        let mut settings =
            format!("SET synchronous_commit = {commits}; SET standard_conforming_strings = on");
        if let Some(name) = &self.own_schema {
            settings.push_str("; SET search_path = ");
            settings.push_str(name);
        }
        link.batch(&settings, "set the session's settings")?;
        Ok(link)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The schema that tables are made in, quoted.
    fn place(&self, link: &mut Link) -> Result<String, BackendError> {
        if let Some(name) = &self.own_schema {
            return Ok(name.clone());
        }
        link.word("SELECT quote_ident(current_schema())", "ask for the schema")
    }

    /// Which of the backend's tables exist, and how many rows each has.
    fn found(
        &self,
        link: &mut Link,
        place: &str,
    ) -> Result<Vec<(&'static str, u64)>, BackendError> {
        let mut found = Vec::new();
        for table in self.table.tables() {
            let there =
                format!("SELECT count(to_regclass('{}.{table}'))", place.replace('\'', "''"));
            if link.number(&there, "look for tables")? > 0 {
                let count = format!("SELECT count(*) FROM {place}.{table}");
                found.push((*table, link.number(&count, "count the rows of tables")?));
            }
        }
        Ok(found)
    }

    fn drop_tables(&self, link: &mut Link, place: &str) -> Result<(), BackendError> {
        for table in self.table.tables() {
            let what = format!("drop the table {table}");
            link.batch(&format!("DROP TABLE IF EXISTS {place}.{table}"), &what)?;
        }
        for function in self.table.functions() {
            let what = format!("drop the function {function}");
            link.batch(&format!("DROP FUNCTION IF EXISTS {place}.{function}()"), &what)?;
        }
        Ok(())
    }
}

impl Backend for PostgresBackend {
    fn prepare(&self) -> Result<(), BackendError> {
        let mut state = self.state();
        let mut link = self.link()?;
        if let (Some(name), false) = (&self.own_schema, state.made) {
            link.batch(&format!("CREATE SCHEMA {name}"), &format!("make the schema {name}"))?;
            state.made = true;
        }
        let place = self.place(&mut link)?;
        if !state.made && !self.options.may_destroy {
            let found = self.found(&mut link, &place)?;
            if !found.is_empty() {
                let database = format!("the database {}", self.database());
                return Err(super::sql::in_the_way(&database, &found));
            }
        }
        self.drop_tables(&mut link, &place)?;
        state.made = true;
        for statement in self.table.ddl() {
            link.batch(&statement, &format!("make the tables ({statement})"))?;
        }
        state.settings = Some(Settings::read(&mut link)?);
        Ok(())
    }

    fn open(&self) -> Result<Box<dyn Connection>, BackendError> {
        let templates = Arc::clone(&self.templates);
        let statements = self.options.statements;
        let store = PostgresConnection::new(self.link()?, self.table, templates, statements)?;
        Ok(Box::new(SqlConnection::new(store, self.table)))
    }

    fn count(&self) -> Result<u64, BackendError> {
        self.link()?.number(&self.templates.count, "count the leases")
    }

    fn preload(&self, leases: &mut dyn Iterator<Item = Lease>) -> Result<(), BackendError> {
        let mut link = self.link()?;
        let mut text = String::new();
        while self.templates.write_many(self.table, leases, PRELOADED_AT_ONCE, &mut text) {
            link.batch(&text, "write leases before the run")?;
        }
        Ok(())
    }

    fn clear(&self) -> Result<(), BackendError> {
        let mut state = self.state();
        if !state.made {
            return Ok(());
        }
        let mut link = self.link()?;
        if let Some(name) = &self.own_schema {
            // Otherwise the server sends a notice for each object that is dropped with the schema.
            let quietly = "SET client_min_messages = warning";
            let text = format!("{quietly}; DROP SCHEMA IF EXISTS {name} CASCADE");
            link.batch(&text, &format!("drop the schema {name}"))?;
        } else {
            let place = self.place(&mut link)?;
            self.drop_tables(&mut link, &place)?;
        }
        state.made = false;
        Ok(())
    }

    fn left_behind(&self) -> String {
        let (endpoint, database) = (&self.options.server.endpoint, self.database());
        if let Some(name) = &self.own_schema {
            return format!(
                "the schema {name} in the database {database} on {endpoint}; DROP SCHEMA {name} CASCADE removes it"
            );
        }
        let tables = self.table.tables().join(", ");
        format!("the tables {tables} in the database {database} on {endpoint}")
    }

    fn version(&self) -> Result<String, BackendError> {
        let reported = self.link()?.word("SHOW server_version", "ask for the version")?;
        Ok(format!("PostgreSQL {}", reported.split(' ').next().unwrap_or_default()))
    }

    fn durability(&self) -> String {
        let known = self.state().settings.clone();
        let settings =
            known.map_or_else(|| self.link().and_then(|mut link| Settings::read(&mut link)), Ok);
        match settings {
            Ok(settings) => settings.words(self.options.durability),
            Err(failure) => format!("unknown: failed to {failure}"),
        }
    }

    fn name_of(&self, code: u32) -> String {
        match error::name_of(code) {
            Some(name) => format!("{} ({name})", sqlstate_text(code)),
            None => error::system_name(code).unwrap_or_else(|| sqlstate_text(code)),
        }
    }

    fn meaning_of(&self, code: u32) -> Option<Meaning> {
        error::meaning_of(code)
    }
}
