//! One connection to a MySQL server as a [`SqlStore`].
//!
//! Prepared statements are prepared once, when the connection is opened, and bound in the binary protocol; basic ones
//! are written out with their values each time and sent as text. All rows are read to the last column.

use super::client::{Client, Error, Parameter, Statement};
use super::error::request_failed;
use super::packet::Value;
use crate::error::BackendError;
use crate::leases::Statements;
use crate::sql::{Address, Bind, RenderedSql, SqlRequest, SqlStore, SqlTemplates, StatementId};
use brunt_exchange::Class;
use std::sync::Arc;
use std::time::Duration;

/// The shortest time after which a server may close an idle connection, less the possible difference between its clock
/// and ours.
const WAIT_MIN: Duration = Duration::from_millis(900);

/// A connection.
pub(super) struct MysqlConnection {
    client: Client,
    templates: Arc<SqlTemplates>,
    /// In the order of [`StatementId`].
    prepared: Option<Box<[Statement]>>,
    text: String,
    broken: bool,
}

impl MysqlConnection {
    pub(super) fn new(
        mut client: Client,
        templates: Arc<SqlTemplates>,
        statements: Statements,
    ) -> Result<Self, BackendError> {
        let prepared = match statements {
            Statements::Basic => None,
            Statements::Prepared => {
                Some(StatementId::each(|id| prepare(&mut client, id, &templates))?)
            }
        };
        Ok(Self { client, templates, prepared, text: String::new(), broken: false })
    }

    /// Executes a request; returns how many rows it changed. `see` is called with every column of every row.
    fn execute(
        &mut self,
        request: &SqlRequest<'_>,
        see: impl FnMut(usize, Value<'_>),
    ) -> Result<u64, BackendError> {
        let id = request.id();
        let template = id.of(&self.templates);
        let reported = if let Some(prepared) = &self.prepared {
            let mut values = Values(Vec::with_capacity(template.parameters()));
            request.bind(&mut values);
            self.client.execute(prepared[id as usize], &values.0, see)
        } else {
            self.text.clear();
            let mut rendered: RenderedSql<'_> = template.render(&mut self.text);
            request.bind(&mut rendered);
            self.client.query(&self.text, see)
        };
        reported.map_err(|error| self.failed(id.words(), &error))
    }

    fn plainly(&mut self, text: &str, what: &str) -> Result<(), BackendError> {
        self.client.run(text).map_err(|error| self.failed(what, &error))
    }

    #[cold]
    fn failed(&mut self, what: &str, error: &Error) -> BackendError {
        let failure = request_failed(what, error);
        self.broken |= failure.class != Class::Result;
        failure
    }
}

impl SqlStore for MysqlConnection {
    fn change(&mut self, request: &SqlRequest<'_>) -> Result<u64, BackendError> {
        self.execute(request, |_, _| ())
    }

    fn fetch(&mut self, request: &SqlRequest<'_>) -> Result<u64, BackendError> {
        let mut rows = 0;
        self.execute(request, |column, _| rows += u64::from(column == 0))?;
        Ok(rows)
    }

    fn addresses(
        &mut self,
        request: &SqlRequest<'_>,
        found: &mut Vec<Address>,
    ) -> Result<(), BackendError> {
        let see = |column, value: Value<'_>| {
            if column == 0 {
                found.extend(address(value));
            }
        };
        self.execute(request, see).map(drop)
    }

    fn begin(&mut self) -> Result<(), BackendError> {
        self.plainly("START TRANSACTION", "begin a transaction")
    }

    fn commit(&mut self) -> Result<(), BackendError> {
        self.plainly("COMMIT", "commit a transaction")
    }

    fn roll_back(&mut self) -> Result<(), BackendError> {
        self.plainly("ROLLBACK", "take a transaction back")
    }

    /// The connection is checked, but only after a time in which it may have closed the connection: its `wait_timeout`
    /// is in whole seconds.
    fn has_lapsed(&mut self, idle: Duration) -> bool {
        self.broken |= idle >= WAIT_MIN && self.client.ping().is_err();
        self.broken
    }

    fn broken(&self) -> bool {
        self.broken
    }
}

fn prepare(
    client: &mut Client,
    id: StatementId,
    templates: &SqlTemplates,
) -> Result<Statement, BackendError> {
    let text = id.of(templates).placeholders();
    client
        .prepare(&text)
        .map_err(|error| request_failed(&format!("prepare to {}", id.words()), &error))
}

/// The address in a row: a number, or its digits in the text protocol; octets; or text.
fn address(value: Value<'_>) -> Option<Address> {
    match value {
        Value::Int(number) => Some(Address::of_number(number)),
        Value::UInt(number) => Some(Address::of_number(i64::try_from(number).ok()?)),
        Value::Bytes(octets) => {
            let text = std::str::from_utf8(octets).ok();
            let number = text.and_then(|text| text.parse().ok()).map(Address::of_number);
            number
                .or_else(|| text.and_then(Address::of_text))
                .or_else(|| Address::of_octets(octets))
        }
        _ => None,
    }
}

/// The values of a prepared statement.
struct Values<'v>(Vec<Parameter<'v>>);

impl<'v> Bind<'v> for Values<'v> {
    fn number(&mut self, value: i64) {
        self.0.push(Parameter::Int(value));
    }

    fn octets(&mut self, value: &'v [u8]) {
        self.0.push(Parameter::Bytes(value));
    }

    fn text(&mut self, value: &'v str) {
        self.0.push(Parameter::Bytes(value.as_bytes()));
    }

    fn truth(&mut self, value: bool) {
        self.0.push(Parameter::Int(i64::from(value)));
    }
}
