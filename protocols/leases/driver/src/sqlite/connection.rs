//! One connection to a database of SQLite, as a [`SqlStore`].

use super::fault;
use super::statement::{Binding, Column, Reuse, Statement};
use crate::BackendError;
use crate::leases::{Family, Schema, Statements};
use crate::sql::{Address, SqlRequest, SqlStore, SqlTemplate, SqlTemplates, StatementId, Table};
use std::rc::Rc;

/// A connection to a database.
pub(super) struct SqliteConnection {
    connection: Rc<rusqlite::Connection>,
    table: Table,
    /// Whether a transaction can be rolled back.
    journaled: bool,
    /// In the order of [`StatementId`].
    queries: Box<[Query]>,
    begin: Statement,
    commit: Statement,
    roll_back: Statement,
    text: String,
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
        let templates: SqlTemplates = table.templates();
        let query = |id: StatementId| {
            let template = id.of(&templates);
            Ok::<_, BackendError>(match statements {
                Statements::Prepared => Query::Prepared(kept(&template.placeholders())?),
                Statements::Basic => Query::Inline(template.clone()),
            })
        };
        Ok(Self {
            queries: StatementId::each(query)?,
            // Deferred: a transaction that only reads blocks no other, and one whose first statement writes waits for
            // its turn with that statement.
            begin: kept("BEGIN")?,
            commit: kept("COMMIT")?,
            roll_back: kept("ROLLBACK")?,
            connection,
            table,
            journaled,
            text: String::with_capacity(1_024),
            lost: false,
        })
    }

    /// Records the effect of a failure on the connection.
    fn noted<T>(&mut self, result: Result<T, BackendError>) -> Result<T, BackendError> {
        if let Err(error) = &result {
            self.lost |= fault::is_lost(error.code);
        }
        result
    }

    /// Binds the values of a request and runs its statement with `end`.
    #[inline]
    fn execute<T>(
        &mut self,
        request: &SqlRequest<'_>,
        end: impl FnOnce(Binding<'_, '_>) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let result = match &mut self.queries[request.id() as usize] {
            Query::Prepared(statement) => {
                let mut binding = statement.bind();
                request.bind(&mut binding);
                end(binding)
            }
            Query::Inline(template) => {
                self.text.clear();
                let mut rendered = template.render(&mut self.text);
                request.bind(&mut rendered);
                rendered.end();
                Statement::prepare(&self.connection, &mut self.text, Reuse::Once)
                    .and_then(|mut statement| end(statement.bind()))
            }
        };
        self.noted(result)
    }
}

impl SqlStore for SqliteConnection {
    #[inline]
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method itself is not general enough in its lifetimes"
    )]
    fn change(&mut self, request: &SqlRequest<'_>) -> Result<u64, BackendError> {
        self.execute(request, |bound| bound.run())
    }

    #[inline]
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method itself is not general enough in its lifetimes"
    )]
    fn fetch(&mut self, request: &SqlRequest<'_>) -> Result<u64, BackendError> {
        self.execute(request, |bound| bound.fetch_all())
    }

    fn addresses(
        &mut self,
        request: &SqlRequest<'_>,
        found: &mut Vec<Address>,
    ) -> Result<(), BackendError> {
        let table = self.table;
        self.execute(request, |bound| bound.each(|column| found.extend(address(table, &column))))
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

/// An address that was read; `None` if the value is not an address, which does not occur in rows of brunt.
fn address(table: Table, read: &Column<'_>) -> Option<Address> {
    match (table.family, table.schema) {
        (Family::V4, _) => Some(Address::of_number(read.number())),
        (_, Schema::Guide) => Address::of_octets(&read.octets()),
        (_, Schema::Kea) => Address::of_text(std::str::from_utf8(&read.octets()).ok()?),
    }
}
