//! MySQL and MariaDB as a backend of leases: [`MysqlBackend`].
//!
//! It uses the `Client` of this module, whose calls block their thread: one write and one read per operation, as with
//! the C library. Tables are in a database that the backend makes and drops, `brunt_leases_` and eight digits, unless
//! one is named; in a named database, tables that brunt did not create are not touched unless this was allowed. A run
//! that was killed leaves its database behind; `DROP DATABASE brunt_leases_...` removes it.
//!
//! "Sync" is InnoDB and "async" is MyISAM, as in the program of 2012. (The text of the guide says the opposite, but
//! describes sync as what reaches the disk before a run proceeds, which MyISAM never waits for.) Whether InnoDB flushes
//! its log with each commit is a setting of the whole server, so it is read and reported; it is changed only if this
//! was requested, and restored by `clear`.

mod client;
mod connection;
mod error;
mod login;
mod packet;
mod password;
mod settings;
mod wire;

use self::client::Client;
use self::connection::MysqlConnection;
use self::settings::Settings;
use super::backend::{Backend, Connection};
use super::error::BackendError;
use super::leases::{Durability, Family, Lease, Schema, Statements};
use super::sql::{Dialect, Engine, Server, SqlConnection, SqlTemplates, Table, own_name};
use brunt_exchange::{Class, Meaning};
use brunt_net::Network;
use error::{opening, request_failed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many leases one statement writes before a run.
const PRELOADED_AT_ONCE: usize = 1_000;
/// With these settings, on any server, unknown column names are errors and not warnings, and values that do not fit are
/// refused.
const MANNERS: &str =
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit = 1";

/// The options of a backend on a MySQL server.
#[derive(Clone, Debug)]
pub struct MysqlOptions {
    /// The server. A database that is named in it is used, and made if it is missing.
    pub server: Server,
    /// How it is reached.
    pub network: Network,
    /// Its tables.
    pub schema: Schema,
    /// Its leases.
    pub family: Family,
    /// Selects the engine of the tables if none is given: InnoDB for sync, MyISAM for async.
    pub durability: Durability,
    /// How statements reach the server.
    pub statements: Statements,
    /// The engine of the tables.
    pub engine: Option<Engine>,
    /// `innodb_flush_log_at_trx_commit` of the whole server while the backend exists.
    pub flush: Option<u8>,
    /// Whether tables that brunt did not create may be dropped if the named database has them.
    pub may_destroy: bool,
    /// How long to wait for an answer before the connection is closed.
    pub timeout: Duration,
}

/// A database of leases on a MySQL server.
pub struct MysqlBackend {
    options: MysqlOptions,
    table: Table,
    database: String,
    templates: Arc<SqlTemplates>,
    state: Mutex<State>,
}

/// What the backend did to the server.
#[derive(Default)]
struct State {
    made_database: bool,
    made_tables: bool,
    /// The setting to restore.
    flush_before: Option<u64>,
    /// The server's settings, as they were found when tables were made.
    settings: Option<Settings>,
}

impl MysqlBackend {
    /// A backend with the settings of `options`. It does not connect yet.
    pub fn new(options: MysqlOptions) -> Self {
        let engine = options.engine.unwrap_or(match options.durability {
            Durability::Sync => Engine::InnoDb,
            Durability::Async => Engine::MyIsam,
        });
        let dialect = Dialect::Mysql(engine);
        let table = Table { dialect, schema: options.schema, family: options.family };
        let database = options.server.database.clone().unwrap_or_else(own_name);
        let templates = Arc::new(table.templates());
        Self { options, table, database, templates, state: Mutex::default() }
    }

    fn connect(&self, database: Option<&str>) -> Result<Client, BackendError> {
        let server = &self.options.server;
        let mut client =
            Client::open(&self.options.network, server, database, self.options.timeout)
                .map_err(|error| opening(&server.endpoint, &error))?;
        client.run(MANNERS).map_err(|error| request_failed("set the session's mode", &error))?;
        Ok(client)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the database if it is missing; returns whether it was.
    fn make_database(&self, connection: &mut Client) -> Result<bool, BackendError> {
        let database = &self.database;
        let named = self.options.server.database.is_some();
        // A name that needs no quoting; a URL with any other name was refused.
        let there = connection
            .word(&format!(
                "SELECT 1 FROM information_schema.schemata WHERE schema_name = '{database}'"
            ))
            .map_err(|error| request_failed("look for the database", &error))?;
        if there.is_some() && named {
            return Ok(false);
        }
        connection
            .run(&format!("CREATE DATABASE `{database}`"))
            .map_err(|error| request_failed(&format!("make the database {database}"), &error))?;
        Ok(true)
    }

    /// Which of the backend's tables exist, and how many rows each has.
    fn found(&self, connection: &mut Client) -> Result<Vec<(&'static str, u64)>, BackendError> {
        let mut found = Vec::new();
        for table in self.table.tables() {
            let there = connection
                .word(&format!(
                    "SELECT 1 FROM information_schema.tables WHERE table_schema = '{}' AND table_name = '{table}'",
                    self.database
                ))
                .map_err(|error| request_failed("look for tables", &error))?;
            if there.is_some() {
                let count = format!("SELECT COUNT(*) FROM `{}`.`{table}`", self.database);
                let what = format!("count the rows of {table}");
                found.push((*table, number(connection, &count, &what)?));
            }
        }
        Ok(found)
    }

    fn drop_tables(&self, connection: &mut Client) -> Result<(), BackendError> {
        for table in self.table.tables() {
            connection
                .run(&format!("DROP TABLE IF EXISTS `{}`.`{table}`", self.database))
                .map_err(|error| request_failed(&format!("drop the table {table}"), &error))?;
        }
        Ok(())
    }

    /// Sets the server's flushing as requested, and remembers the previous value.
    fn set_flush(&self, connection: &mut Client, state: &mut State) -> Result<(), BackendError> {
        let (Some(flush), None) = (self.options.flush, state.flush_before) else { return Ok(()) };
        let what = "read innodb_flush_log_at_trx_commit";
        let before = number(connection, "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit", what)?;
        let what =
            "set innodb_flush_log_at_trx_commit, which needs the right to set global variables";
        connection
            .run(&format!("SET GLOBAL innodb_flush_log_at_trx_commit = {flush}"))
            .map_err(|error| request_failed(what, &error))?;
        state.flush_before = Some(before);
        Ok(())
    }
}

impl Backend for MysqlBackend {
    fn prepare(&self) -> Result<(), BackendError> {
        let mut state = self.state();
        let mut connection = self.connect(None)?;
        if !state.made_database && !state.made_tables {
            state.made_database = self.make_database(&mut connection)?;
        }
        if !state.made_database && !state.made_tables {
            let found = self.found(&mut connection)?;
            if !found.is_empty() && !self.options.may_destroy {
                return Err(super::sql::in_the_way(
                    &format!("the database {}", self.database),
                    &found,
                ));
            }
        }
        self.drop_tables(&mut connection)?;
        state.made_tables = true;
        let chosen = format!("USE `{}`", self.database);
        connection.run(&chosen).map_err(|error| request_failed("enter the database", &error))?;
        for statement in self.table.ddl() {
            connection.run(&statement).map_err(|error| {
                request_failed(&format!("make the tables ({statement})"), &error)
            })?;
        }
        self.set_flush(&mut connection, &mut state)?;
        state.settings = Some(Settings::read(&mut connection)?);
        Ok(())
    }

    fn open(&self) -> Result<Box<dyn Connection>, BackendError> {
        let connection = self.connect(Some(&self.database))?;
        let templates = Arc::clone(&self.templates);
        let store = MysqlConnection::new(connection, templates, self.options.statements)?;
        Ok(Box::new(SqlConnection::new(store, self.table)))
    }

    fn count(&self) -> Result<u64, BackendError> {
        let mut connection = self.connect(Some(&self.database))?;
        number(&mut connection, &self.templates.count, "count the leases")
    }

    fn preload(&self, leases: &mut dyn Iterator<Item = Lease>) -> Result<(), BackendError> {
        let mut connection = self.connect(Some(&self.database))?;
        let mut text = String::new();
        while self.templates.write_many(self.table, leases, PRELOADED_AT_ONCE, &mut text) {
            connection
                .run(&text)
                .map_err(|error| request_failed("write leases before the run", &error))?;
        }
        Ok(())
    }

    fn clear(&self) -> Result<(), BackendError> {
        let mut state = self.state();
        if !state.made_tables && !state.made_database && state.flush_before.is_none() {
            return Ok(());
        }
        let mut connection = self.connect(None)?;
        if let Some(before) = state.flush_before {
            connection
                .run(&format!("SET GLOBAL innodb_flush_log_at_trx_commit = {before}"))
                .map_err(|error| {
                    request_failed("put innodb_flush_log_at_trx_commit back", &error)
                })?;
            state.flush_before = None;
        }
        if state.made_database {
            connection.run(&format!("DROP DATABASE IF EXISTS `{}`", self.database)).map_err(
                |error| request_failed(&format!("drop the database {}", self.database), &error),
            )?;
        } else if state.made_tables {
            self.drop_tables(&mut connection)?;
        }
        (state.made_database, state.made_tables) = (false, false);
        Ok(())
    }

    fn left_behind(&self) -> String {
        let Server { endpoint, database, .. } = &self.options.server;
        match database {
            None => format!(
                "the database {0} on {endpoint}; DROP DATABASE {0} removes it",
                self.database
            ),
            Some(name) => {
                let tables = self.table.tables().join(", ");
                format!("the tables {tables} in the database {name} on {endpoint}")
            }
        }
    }

    fn version(&self) -> Result<String, BackendError> {
        let mut connection = self.connect(None)?;
        let reported = connection
            .word("SELECT VERSION()")
            .map_err(|error| request_failed("ask for the version", &error))?;
        let reported = reported.unwrap_or_default();
        let number = reported.split('-').next().unwrap_or_default();
        let name = if reported.contains("MariaDB") { "MariaDB" } else { "MySQL" };
        Ok(format!("{name} {number}"))
    }

    fn durability(&self) -> String {
        let known = self.state().settings.clone();
        let settings = known.map_or_else(
            || self.connect(None).and_then(|mut connection| Settings::read(&mut connection)),
            Ok,
        );
        match settings {
            Ok(settings) => settings.words(self.table.dialect, self.options.durability),
            Err(failure) => format!("unknown: failed to {failure}"),
        }
    }

    fn name_of(&self, code: u32) -> String {
        error::name_of(code)
    }

    fn meaning_of(&self, code: u32) -> Option<Meaning> {
        error::meaning_of(code)
    }
}

/// The number that a query returns.
fn number(connection: &mut Client, text: &str, what: &str) -> Result<u64, BackendError> {
    let word =
        connection.word(text).map_err(|error| request_failed(what, &error))?.unwrap_or_default();
    word.parse().map_err(|_| {
        BackendError::new(Class::Protocol, 0, format!("{what}: {word:?} is no number"))
    })
}
