//! One connection to a database of SQLite, as a [`Connection`].

use super::fault;
use super::statement::{Binding, Column, Reuse, Statement};
use crate::lease::leases::{Family, Identity, Lease, Schema, Statements};
use crate::lease::sql::{Address, Bind, SqlTemplate, SqlTemplates, Table};
use crate::lease::{BackendError, Connection, Renewal};
use std::rc::Rc;

/// A connection to a database.
pub(super) struct SqliteConnection {
    connection: Rc<rusqlite::Connection>,
    table: Table,
    /// Whether a transaction can be taken back.
    journaled: bool,
    create: Query,
    by_address: Query,
    by_client_id: Query,
    by_hardware: Query,
    renew: Query,
    release: Query,
    expired: Query,
    reclaim: Query,
    begin: Statement,
    commit: Statement,
    roll_back: Statement,
    text: String,
    over: Vec<Address>,
    lost: bool,
}

/// How a query runs: prepared once, or parsed each time with the values in it.
enum Query {
    Prepared(Statement),
    Inline(SqlTemplate),
}

impl SqliteConnection {
    pub(super) fn new(
        connection: rusqlite::Connection,
        table: Table,
        statements: Statements,
        journaled: bool,
    ) -> Result<Self, BackendError> {
        let connection = Rc::new(connection);
        let kept =
            |text: &str| Statement::prepare(&connection, &mut text.to_owned(), Reuse::Always);
        let query = |template: SqlTemplate| {
            Ok::<_, BackendError>(match statements {
                Statements::Prepared => Query::Prepared(kept(&template.placeholders())?),
                Statements::Basic => Query::Inline(template),
            })
        };
        let templates: SqlTemplates = table.templates();
        Ok(Self {
            create: query(templates.create)?,
            by_address: query(templates.by_address)?,
            by_client_id: query(templates.by_client_id)?,
            by_hardware: query(templates.by_hardware)?,
            renew: query(templates.renew)?,
            release: query(templates.release)?,
            expired: query(templates.expired)?,
            reclaim: query(templates.reclaim)?,
            // Deferred: a transaction that only reads keeps nobody waiting, and one whose first statement writes
            // waits for its turn with that statement.
            begin: kept("BEGIN")?,
            commit: kept("COMMIT")?,
            roll_back: kept("ROLLBACK")?,
            connection,
            table,
            journaled,
            text: String::with_capacity(1_024),
            over: Vec::new(),
            lost: false,
        })
    }

    /// Notes what a failure means for the connection.
    fn noted<T>(&mut self, result: Result<T, BackendError>) -> Result<T, BackendError> {
        if let Err(trouble) = &result {
            self.lost |= fault::is_lost(trouble.code);
        }
        result
    }
}

/// Executes a query: binds its parameters by `$fill`, where `$bind` takes the values, and ends with `$end`. A macro
/// and no function, because what takes the values is of two types and borrows the values.
macro_rules! execute {
    ($store:ident . $which:ident, |$bind:ident| $fill:expr, $end:ident $(, $take:expr)?) => {{
        let result = match &mut $store.$which {
            Query::Prepared(statement) => {
                let mut binding = statement.bind();
                {
                    let $bind = &mut binding;
                    $fill;
                }
                binding.$end($($take)?)
            }
            Query::Inline(template) => {
                $store.text.clear();
                let mut rendered = template.render(&mut $store.text);
                {
                    let $bind = &mut rendered;
                    $fill;
                }
                rendered.end();
                Statement::prepare(&$store.connection, &mut $store.text, Reuse::Once)
                    .and_then(|mut statement| Binding::$end(statement.bind() $(, $take)?))
            }
        };
        $store.noted(result)
    }};
}

impl Connection for SqliteConnection {
    fn create(&mut self, lease: &Lease) -> Result<(), BackendError> {
        let (table, at) = (self.table, self.table.address(lease.address));
        execute!(self.create, |bind| table.bind_create(lease, &at, bind), run).map(drop)
    }

    fn find(&mut self, by: &Identity) -> Result<bool, BackendError> {
        let rows = match by {
            Identity::Address(address) => {
                let at = self.table.address(*address);
                execute!(self.by_address, |bind| at.bind(bind), fetch_all)
            }
            Identity::ClientId(octets) => {
                execute!(self.by_client_id, |bind| bind.octets(octets), fetch_all)
            }
            Identity::Hardware(octets) => {
                execute!(self.by_hardware, |bind| bind.octets(octets), fetch_all)
            }
        };
        Ok(rows? > 0)
    }

    fn renew(&mut self, renewal: &Renewal) -> Result<bool, BackendError> {
        let (table, at) = (self.table, self.table.address(renewal.address));
        Ok(execute!(self.renew, |bind| table.bind_renew(renewal, &at, bind), run)? > 0)
    }

    fn release(&mut self, address: u128) -> Result<bool, BackendError> {
        let at = self.table.address(address);
        Ok(execute!(self.release, |bind| at.bind(bind), run)? > 0)
    }

    fn expire(&mut self, now: i64, limit: u32) -> Result<u32, BackendError> {
        let mut over = std::mem::take(&mut self.over);
        over.clear();
        let table = self.table;
        let listed = execute!(
            self.expired,
            |bind| {
                bind.number(now);
                bind.number(i64::from(limit));
            },
            each,
            |column| over.extend(address(table, &column))
        );
        let reclaimed = listed.and_then(|()| {
            let mut reclaimed = 0;
            for at in &over {
                reclaimed += execute!(
                    self.reclaim,
                    |bind| {
                        at.bind(bind);
                        bind.number(now);
                    },
                    run
                )?;
            }
            Ok(reclaimed as u32)
        });
        self.over = over;
        reclaimed
    }

    fn begin(&mut self) -> Result<(), BackendError> {
        let begun = self.begin.bind().run().map(drop);
        self.noted(begun)
    }

    fn commit(&mut self) -> Result<(), BackendError> {
        let committed = self.commit.bind().run().map(drop);
        self.noted(committed)
    }

    fn roll_back(&mut self) -> Result<(), BackendError> {
        if self.connection.is_autocommit() {
            return Ok(());
        }
        let taken_back = self.roll_back.bind().run().map(drop);
        if !self.journaled {
            let text = "take a transaction back: journal_mode=OFF keeps nothing for it";
            return Err(BackendError::refused(0, text));
        }
        self.noted(taken_back)
    }

    fn broken(&self) -> bool {
        self.lost
    }
}

/// An address as it was read; `None` if it is none, which no row of ours holds.
fn address(table: Table, read: &Column<'_>) -> Option<Address> {
    match (table.family, table.schema) {
        (Family::V4, _) => Some(Address::of_number(read.number())),
        (_, Schema::Guide) => Address::of_octets(&read.octets()),
        (_, Schema::Kea) => Address::of_text(std::str::from_utf8(&read.octets()).ok()?),
    }
}
