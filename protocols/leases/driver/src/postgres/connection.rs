//! One connection to a PostgreSQL server as a [`SqlStore`].
//!
//! Prepared statements are prepared once, when the connection is opened; basic ones are written out with their values
//! each time and sent as simple queries. All rows are read to the last column.

use super::link::Link;
use crate::backend::Renewal;
use crate::error::BackendError;
use crate::leases::{Contents, Leases, Statements};
use crate::sql::{Address, Bind, SqlRequest, SqlStore, SqlTemplates, StatementId, Table};
use brunt_exchange::Class;
use bytes::BytesMut;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Row, SimpleQueryMessage, SimpleQueryRow, Statement};

/// A connection.
pub(super) struct PostgresConnection {
    link: Link,
    templates: Arc<SqlTemplates>,
    /// In the order of [`StatementId`].
    prepared: Option<Box<[Statement]>>,
    text: String,
    broken: bool,
}

impl PostgresConnection {
    pub(super) fn new(
        mut link: Link,
        table: Table,
        templates: Arc<SqlTemplates>,
        statements: Statements,
    ) -> Result<Self, BackendError> {
        let prepared = match statements {
            Statements::Basic => None,
            Statements::Prepared => Some(prepared(&mut link, table, &templates)?),
        };
        Ok(Self { link, templates, prepared, text: String::new(), broken: false })
    }

    /// Executes a request that fetches rows; returns how many there were. `see` is called with the address of each.
    fn rows(
        &mut self,
        request: &SqlRequest<'_>,
        mut see: impl FnMut(Option<Address>),
    ) -> Result<u64, BackendError> {
        let Self { link, templates, prepared, text, .. } = self;
        let (id, mut count) = (request.id(), 0);
        let fetched = if let Some(prepared) = prepared {
            let values = values(request);
            let values: Vec<&(dyn ToSql + Sync)> =
                values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
            let statement = &prepared[id as usize];
            let rows = link.wait(id.words(), |client| client.query(statement, &values));
            rows.map(|rows| {
                for row in rows {
                    see(read(&row));
                    count += 1;
                }
            })
        } else {
            render(request, templates, text);
            let messages = link.wait(id.words(), |client| client.simple_query(text));
            messages.map(|messages| {
                for message in messages {
                    if let SimpleQueryMessage::Row(row) = message {
                        see(read_text(&row));
                        count += 1;
                    }
                }
            })
        };
        fetched.map_err(|failure| self.failed(failure))?;
        Ok(count)
    }

    fn plainly(&mut self, text: &str, what: &str) -> Result<(), BackendError> {
        self.link.batch(text, what).map_err(|failure| self.failed(failure))
    }

    #[cold]
    fn failed(&mut self, failure: BackendError) -> BackendError {
        self.broken |= failure.class != Class::Result || self.link.is_closed();
        failure
    }
}

impl SqlStore for PostgresConnection {
    fn change(&mut self, request: &SqlRequest<'_>) -> Result<u64, BackendError> {
        let Self { link, templates, prepared, text, .. } = self;
        let id = request.id();
        let changed = if let Some(prepared) = prepared {
            let values = values(request);
            let statement = &prepared[id as usize];
            link.wait(id.words(), |client| client.execute_raw(statement, values))
        } else {
            render(request, templates, text);
            link.wait(id.words(), |client| client.simple_query(text)).map(|messages| {
                let counts = messages.iter().filter_map(|message| match message {
                    SimpleQueryMessage::CommandComplete(count) => Some(*count),
                    _ => None,
                });
                counts.sum()
            })
        };
        changed.map_err(|failure| self.failed(failure))
    }

    fn fetch(&mut self, request: &SqlRequest<'_>) -> Result<u64, BackendError> {
        self.rows(request, drop)
    }

    fn addresses(
        &mut self,
        request: &SqlRequest<'_>,
        found: &mut Vec<Address>,
    ) -> Result<(), BackendError> {
        self.rows(request, |at| found.extend(at)).map(drop)
    }

    fn begin(&mut self) -> Result<(), BackendError> {
        self.plainly("BEGIN", "begin a transaction")
    }

    fn commit(&mut self) -> Result<(), BackendError> {
        self.plainly("COMMIT", "commit a transaction")
    }

    fn roll_back(&mut self) -> Result<(), BackendError> {
        self.plainly("ROLLBACK", "take a transaction back")
    }

    fn has_lapsed(&mut self, _: Duration) -> bool {
        self.broken |= self.link.has_lapsed();
        self.broken
    }

    fn broken(&self) -> bool {
        self.broken
    }
}

/// Prepares each statement, with the types that its values have: otherwise the server would infer them from columns,
/// which may be narrower.
fn prepared(
    link: &mut Link,
    table: Table,
    templates: &SqlTemplates,
) -> Result<Box<[Statement]>, BackendError> {
    let leases = Leases { family: table.family, contents: Contents::default(), epoch: 0 };
    let lease = leases.lease(0);
    let at = table.address(lease.address);
    let renewal = Renewal { address: lease.address, valid_lifetime: 0, cltt: 0 };
    StatementId::each(|id| {
        let request = match id {
            StatementId::Create => SqlRequest::Create(table, &lease, at),
            StatementId::ByAddress => SqlRequest::ByAddress(at),
            StatementId::ByClientId => SqlRequest::ByClientId(&[]),
            StatementId::ByHardware => SqlRequest::ByHardware(&[]),
            StatementId::Renew => SqlRequest::Renew(table, &renewal, at),
            StatementId::Release => SqlRequest::Release(at),
            StatementId::Expired => SqlRequest::Expired(0, 0),
            StatementId::Reclaim => SqlRequest::Reclaim(&at, 0),
        };
        let types: Vec<Type> = values(&request).iter().map(Value::kind).collect();
        let text = id.of(templates).placeholders();
        let what = format!("prepare to {}", id.words());
        link.wait(&what, |client| async move { client.prepare_typed(&text, &types).await })
    })
}

/// The values of a prepared statement.
fn values(request: &SqlRequest<'_>) -> Vec<Value> {
    let mut values = Values(Vec::with_capacity(16));
    request.bind(&mut values);
    values.0
}

/// Writes a statement out with its values.
fn render(request: &SqlRequest<'_>, templates: &SqlTemplates, text: &mut String) {
    text.clear();
    request.bind(&mut request.id().of(templates).render(text));
}

/// Reads every column of a row; the first may be an address.
fn read(row: &Row) -> Option<Address> {
    let mut read = 0;
    for column in 0..row.len() {
        let octets: Option<Octets<'_>> = row.try_get(column).ok()?;
        read += octets.map_or(0, |octets| octets.0.len());
    }
    std::hint::black_box(read);
    match *row.columns().first()?.type_() {
        Type::INT8 => row.try_get(0).ok().map(Address::of_number),
        Type::BYTEA => row.try_get(0).ok().and_then(Address::of_octets),
        _ => row.try_get(0).ok().and_then(Address::of_text),
    }
}

/// The same for a row in text form: octets are hexadecimal after `\x`.
fn read_text(row: &SimpleQueryRow) -> Option<Address> {
    let read: usize = (0..row.len()).map(|column| row.get(column).map_or(0, str::len)).sum();
    std::hint::black_box(read);
    let text = row.get(0)?;
    if let Some(digits) = text.strip_prefix("\\x") {
        let address = u128::from_str_radix(digits, 16).ok()?;
        return Address::of_octets(&address.to_be_bytes());
    }
    text.parse().ok().map(Address::of_number).or_else(|| Address::of_text(text))
}

/// The content of a column of any type.
struct Octets<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Octets<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A value to be bound.
#[derive(Debug)]
enum Value {
    Number(i64),
    Octets(Vec<u8>),
    Text(String),
    Truth(bool),
}

impl Value {
    fn kind(&self) -> Type {
        match self {
            Self::Number(_) => Type::INT8,
            Self::Octets(_) => Type::BYTEA,
            Self::Text(_) => Type::TEXT,
            Self::Truth(_) => Type::BOOL,
        }
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Self::Number(value) => value.to_sql(kind, out),
            Self::Octets(value) => value.to_sql(kind, out),
            Self::Text(value) => value.to_sql(kind, out),
            Self::Truth(value) => value.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::BYTEA, Type::TEXT, Type::BOOL].contains(kind)
    }

    to_sql_checked!();
}

/// The values of a prepared statement.
struct Values(Vec<Value>);

impl<'a> Bind<'a> for Values {
    fn number(&mut self, value: i64) {
        self.0.push(Value::Number(value));
    }

    fn octets(&mut self, value: &'a [u8]) {
        self.0.push(Value::Octets(value.to_vec()));
    }

    fn text(&mut self, value: &'a str) {
        self.0.push(Value::Text(value.to_owned()));
    }

    fn truth(&mut self, value: bool) {
        self.0.push(Value::Truth(value));
    }
}
