//! MySQL and MariaDB as a backend of leases: [`MysqlBackend`].
//!
//! By the crate `mysql`, whose calls keep their thread waiting: one write and one read an operation, as with the C
//! library. Tables lie in a database that the backend makes and drops, `brunt_leases_` and eight digits, unless one is
//! named; in that, tables that brunt did not create are not touched unless that was allowed. A run that was killed
//! leaves its database behind; `DROP DATABASE brunt_leases_...` removes it.
//!
//! "Sync" is InnoDB and "async" is MyISAM, as the program of 2012 had it. (The guide's prose has it the other way
//! round, but describes sync as what reaches the disk before a run proceeds, which MyISAM never waits for.) Whether
//! InnoDB flushes its log with each commit is a setting of the whole server, so it is read and said; it is changed
//! only where that was asked for, and put back by `clear`.

mod connection;
mod error;
mod settings;

use self::connection::MysqlConnection;
use self::settings::Settings;
use super::backend::{Backend, Connection};
use super::error::BackendError;
use super::leases::{Durability, Family, Lease, Schema, Statements};
use super::sql::{Dialect, Engine, Server, ServerEndpoint, SqlTemplates, Table, own_name};
use brunt_exchange::Class;
use error::{asking, opening};
use mysql::consts::CapabilityFlags;
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many leases one statement writes before a run.
const PRELOADED_AT_ONCE: usize = 1_000;
/// The longest packet: sixteen megabytes, the server's own default. Said here, it need not be asked for.
const PACKET_MAX: usize = 1 << 24;
/// Names that are no column are errors and not warnings, and values that do not fit are refused, on any server.
const MANNERS: &str =
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit = 1";

/// What a backend on a MySQL server is to be.
#[derive(Clone, Debug)]
pub struct MysqlOptions {
    /// The server. A database that is named in it is used, and made where it is missing.
    pub server: Server,
    /// Its tables.
    pub schema: Schema,
    /// Its leases.
    pub family: Family,
    /// What keeps the tables, where no engine is said: InnoDB for sync, MyISAM for async.
    pub durability: Durability,
    /// How statements reach the server.
    pub statements: Statements,
    /// What keeps the tables.
    pub engine: Option<Engine>,
    /// `innodb_flush_log_at_trx_commit` of the whole server while the backend is there.
    pub flush: Option<u8>,
    /// Whether tables that brunt did not create may be dropped where the named database has them.
    pub may_destroy: bool,
    /// How long an answer is waited for before the connection is given up.
    pub timeout: Duration,
}

/// A database on a MySQL server in which leases lie.
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
    /// The setting to put back.
    flush_before: Option<u8>,
    /// The server's settings, as they were found when tables were made.
    settings: Option<Settings>,
}

impl MysqlBackend {
    /// A backend as `options` have it. Nothing is connected to yet.
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

    /// What a run will touch, in words.
    pub fn touches(&self) -> String {
        let tables = self.table.tables().join(", ");
        let Server { endpoint, database, .. } = &self.options.server;
        match database {
            None => format!("the new database {} on {endpoint}, dropped afterwards", self.database),
            Some(name) => {
                format!(
                    "the tables {tables} in the database {name} on {endpoint}, dropped afterwards"
                )
            }
        }
    }

    fn connect(&self, database: Option<&str>) -> Result<Conn, BackendError> {
        let Server { endpoint, user, password, .. } = &self.options.server;
        let timeout = Some(self.options.timeout);
        let password = password.as_ref().map(|password| {
            password.expose_str().ok_or_else(|| BackendError {
                class: Class::Login,
                code: 0,
                text: "log in: the password is not UTF-8".into(),
            })
        });
        let options = OptsBuilder::new()
            .user(user.clone().or_else(|| std::env::var("USER").ok()))
            .pass(password.transpose()?)
            .db_name(database)
            .prefer_socket(false)
            .max_allowed_packet(Some(PACKET_MAX))
            // A renewal that changes nothing has found its lease all the same.
            .additional_capabilities(CapabilityFlags::CLIENT_FOUND_ROWS)
            .read_timeout(timeout)
            .write_timeout(timeout)
            .tcp_connect_timeout(timeout);
        let options = match endpoint {
            ServerEndpoint::Socket(path) => options.socket(Some(path.display().to_string())),
            ServerEndpoint::Tcp { host, port } => {
                options.ip_or_hostname(Some(host.clone())).tcp_port(*port)
            }
        };
        let mut connection = Conn::new(options).map_err(|error| opening(endpoint, &error))?;
        connection.query_drop(MANNERS).map_err(|error| asking("set the session's mode", &error))?;
        Ok(connection)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the database where it is missing; says whether it was.
    fn make_database(&self, connection: &mut Conn) -> Result<bool, BackendError> {
        let database = &self.database;
        let named = self.options.server.database.is_some();
        let there: Option<u8> = connection
            .exec_first(
                "SELECT 1 FROM information_schema.schemata WHERE schema_name = ?",
                (database,),
            )
            .map_err(|error| asking("look for the database", &error))?;
        if there.is_some() && named {
            return Ok(false);
        }
        connection
            .query_drop(format!("CREATE DATABASE `{database}`"))
            .map_err(|error| asking(&format!("make the database {database}"), &error))?;
        Ok(true)
    }

    /// Which of the backend's tables are there, and how many rows each has.
    fn found(&self, connection: &mut Conn) -> Result<Vec<(&'static str, u64)>, BackendError> {
        let mut found = Vec::new();
        for table in self.table.tables() {
            let there: Option<u8> = connection
                .exec_first(
                    "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                    (&self.database, table),
                )
                .map_err(|error| asking("look for tables", &error))?;
            if there.is_some() {
                let rows: Option<u64> = connection
                    .query_first(format!("SELECT COUNT(*) FROM `{}`.`{table}`", self.database))
                    .map_err(|error| asking(&format!("count the rows of {table}"), &error))?;
                found.push((*table, rows.unwrap_or_default()));
            }
        }
        Ok(found)
    }

    fn drop_tables(&self, connection: &mut Conn) -> Result<(), BackendError> {
        for table in self.table.tables() {
            connection
                .query_drop(format!("DROP TABLE IF EXISTS `{}`.`{table}`", self.database))
                .map_err(|error| asking(&format!("drop the table {table}"), &error))?;
        }
        Ok(())
    }

    /// Sets the server's flushing as asked, and keeps what it was.
    fn set_flush(&self, connection: &mut Conn, state: &mut State) -> Result<(), BackendError> {
        let (Some(flush), None) = (self.options.flush, state.flush_before) else { return Ok(()) };
        let before: Option<u8> = connection
            .query_first("SELECT @@GLOBAL.innodb_flush_log_at_trx_commit")
            .map_err(|error| asking("read innodb_flush_log_at_trx_commit", &error))?;
        connection.query_drop(format!("SET GLOBAL innodb_flush_log_at_trx_commit = {flush}")).map_err(
            |error| asking("set innodb_flush_log_at_trx_commit, which needs the right to set global variables", &error),
        )?;
        state.flush_before = before;
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
        connection.query_drop(chosen).map_err(|error| asking("enter the database", &error))?;
        for statement in self.table.ddl() {
            connection
                .query_drop(&statement)
                .map_err(|error| asking(&format!("make the tables ({statement})"), &error))?;
        }
        self.set_flush(&mut connection, &mut state)?;
        state.settings = Some(Settings::read(&mut connection)?);
        Ok(())
    }

    fn open(&self) -> Result<Box<dyn Connection>, BackendError> {
        let connection = self.connect(Some(&self.database))?;
        let templates = Arc::clone(&self.templates);
        Ok(Box::new(MysqlConnection::new(
            connection,
            self.table,
            templates,
            self.options.statements,
        )?))
    }

    fn count(&self) -> Result<u64, BackendError> {
        let mut connection = self.connect(Some(&self.database))?;
        let counted: Option<u64> = connection
            .query_first(&self.templates.count)
            .map_err(|error| asking("count the leases", &error))?;
        Ok(counted.unwrap_or_default())
    }

    fn preload(&self, leases: &mut dyn Iterator<Item = Lease>) -> Result<(), BackendError> {
        let mut connection = self.connect(Some(&self.database))?;
        let mut text = String::new();
        while self.templates.write_many(self.table, leases, PRELOADED_AT_ONCE, &mut text) {
            connection
                .query_drop(&text)
                .map_err(|error| asking("write leases before the run", &error))?;
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
                .query_drop(format!("SET GLOBAL innodb_flush_log_at_trx_commit = {before}"))
                .map_err(|error| asking("put innodb_flush_log_at_trx_commit back", &error))?;
            state.flush_before = None;
        }
        if state.made_database {
            connection
                .query_drop(format!("DROP DATABASE IF EXISTS `{}`", self.database))
                .map_err(|error| asking(&format!("drop the database {}", self.database), &error))?;
        } else if state.made_tables {
            self.drop_tables(&mut connection)?;
        }
        (state.made_database, state.made_tables) = (false, false);
        Ok(())
    }

    fn version(&self) -> Result<String, BackendError> {
        let mut connection = self.connect(None)?;
        let said: Option<String> = connection
            .query_first("SELECT VERSION()")
            .map_err(|error| asking("ask for the version", &error))?;
        let said = said.unwrap_or_default();
        let number = said.split('-').next().unwrap_or_default();
        let name = if said.contains("MariaDB") { "MariaDB" } else { "MySQL" };
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
            Err(trouble) => format!("unknown: failed to {trouble}"),
        }
    }

    fn name_of(&self, code: u32) -> String {
        error::name_of(code)
    }
}
