//! One connection to a PostgreSQL server as a [`Connection`].
//!
//! Prepared statements are prepared once, when the connection is opened; basic ones are written out with their values
//! each time and go as simple queries. Whatever is found is read to the last column.

use super::link::Link;
use crate::lease::backend::{Connection, Renewal};
use crate::lease::error::BackendError;
use crate::lease::leases::{Contents, Identity, Lease, Leases, Statements};
use crate::lease::sql::{Address, Bind, RenderedSql, SqlTemplate, SqlTemplates, Table};
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
    table: Table,
    templates: Arc<SqlTemplates>,
    prepared: Option<Prepared>,
    text: String,
    broken: bool,
}

/// Statements of what fetches nothing, and of what does.
struct Prepared {
    create: Statement,
    by_address: Statement,
    by_client_id: Statement,
    by_hardware: Statement,
    renew: Statement,
    release: Statement,
    expired: Statement,
    reclaim: Statement,
}

/// A query: its template, its prepared statement, and what it does, for error texts.
#[derive(Clone, Copy)]
struct Query {
    template: fn(&SqlTemplates) -> &SqlTemplate,
    statement: fn(&Prepared) -> &Statement,
    what: &'static str,
}

const CREATE: Query =
    Query { template: |s| &s.create, statement: |p| &p.create, what: "write a lease" };
const BY_ADDRESS: Query =
    Query { template: |s| &s.by_address, statement: |p| &p.by_address, what: "look for a lease" };
const BY_CLIENT_ID: Query = Query {
    template: |s| &s.by_client_id,
    statement: |p| &p.by_client_id,
    what: "look for a lease",
};
const BY_HARDWARE: Query =
    Query { template: |s| &s.by_hardware, statement: |p| &p.by_hardware, what: "look for a lease" };
const RENEW: Query =
    Query { template: |s| &s.renew, statement: |p| &p.renew, what: "renew a lease" };
const RELEASE: Query =
    Query { template: |s| &s.release, statement: |p| &p.release, what: "delete a lease" };
const EXPIRED: Query =
    Query { template: |s| &s.expired, statement: |p| &p.expired, what: "look for expired leases" };
const RECLAIM: Query =
    Query { template: |s| &s.reclaim, statement: |p| &p.reclaim, what: "reclaim a lease" };

impl PostgresConnection {
    pub(super) fn new(
        mut link: Link,
        table: Table,
        templates: Arc<SqlTemplates>,
        statements: Statements,
    ) -> Result<Self, BackendError> {
        let prepared = match statements {
            Statements::Basic => None,
            Statements::Prepared => Some(Prepared::make(&mut link, table, &templates)?),
        };
        Ok(Self { link, table, templates, prepared, text: String::new(), broken: false })
    }

    /// Runs a statement that changes rows; returns how many it changed.
    fn change(
        &mut self,
        query: Query,
        fill: impl FnOnce(&mut ParameterValues<'_>),
    ) -> Result<u64, BackendError> {
        let Self { link, templates, prepared, text, .. } = self;
        let changed = if let Some(prepared) = prepared {
            let values = bound(fill);
            link.wait(query.what, |client| client.execute_raw((query.statement)(prepared), values))
        } else {
            render((query.template)(templates), text, fill);
            link.wait(query.what, |client| client.simple_query(text)).map(|messages| {
                let counts = messages.iter().filter_map(|message| match message {
                    SimpleQueryMessage::CommandComplete(count) => Some(*count),
                    _ => None,
                });
                counts.sum()
            })
        };
        changed.map_err(|trouble| self.failed(trouble))
    }

    /// Runs a statement that fetches rows; returns how many came. `see` is given the address of each.
    fn fetch(
        &mut self,
        query: Query,
        fill: impl FnOnce(&mut ParameterValues<'_>),
        mut see: impl FnMut(Option<Address>),
    ) -> Result<usize, BackendError> {
        let Self { link, templates, prepared, text, .. } = self;
        let mut count = 0;
        let fetched = if let Some(prepared) = prepared {
            let values = bound(fill);
            let values: Vec<&(dyn ToSql + Sync)> =
                values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
            let rows =
                link.wait(query.what, |client| client.query((query.statement)(prepared), &values));
            rows.map(|rows| {
                for row in rows {
                    see(read(&row));
                    count += 1;
                }
            })
        } else {
            render((query.template)(templates), text, fill);
            let messages = link.wait(query.what, |client| client.simple_query(text));
            messages.map(|messages| {
                for message in messages {
                    if let SimpleQueryMessage::Row(row) = message {
                        see(read_text(&row));
                        count += 1;
                    }
                }
            })
        };
        fetched.map_err(|trouble| self.failed(trouble))?;
        Ok(count)
    }

    fn plainly(&mut self, text: &str, what: &str) -> Result<(), BackendError> {
        self.link.batch(text, what).map_err(|trouble| self.failed(trouble))
    }

    #[cold]
    fn failed(&mut self, trouble: BackendError) -> BackendError {
        self.broken |= trouble.class != Class::Result || self.link.is_closed();
        trouble
    }
}

impl Connection for PostgresConnection {
    fn create(&mut self, lease: &Lease) -> Result<(), BackendError> {
        let table = self.table;
        let at = table.address(lease.address);
        self.change(CREATE, |parameters| table.bind_create(lease, &at, parameters)).map(drop)
    }

    fn find(&mut self, by: &Identity) -> Result<bool, BackendError> {
        let found = match by {
            Identity::Address(address) => {
                let at = self.table.address(*address);
                self.fetch(BY_ADDRESS, |parameters| at.bind(parameters), drop)?
            }
            Identity::ClientId(id) => {
                self.fetch(BY_CLIENT_ID, |parameters| parameters.octets(id), drop)?
            }
            Identity::Hardware(octets) => {
                self.fetch(BY_HARDWARE, |parameters| parameters.octets(octets), drop)?
            }
        };
        Ok(found > 0)
    }

    fn renew(&mut self, renewal: &Renewal) -> Result<bool, BackendError> {
        let table = self.table;
        let at = table.address(renewal.address);
        Ok(self.change(RENEW, |parameters| table.bind_renew(renewal, &at, parameters))? > 0)
    }

    fn release(&mut self, address: u128) -> Result<bool, BackendError> {
        let at = self.table.address(address);
        Ok(self.change(RELEASE, |parameters| at.bind(parameters))? > 0)
    }

    fn expire(&mut self, now: i64, limit: u32) -> Result<u32, BackendError> {
        let mut over = Vec::new();
        let fill = |parameters: &mut ParameterValues<'_>| {
            parameters.number(now);
            parameters.number(i64::from(limit));
        };
        self.fetch(EXPIRED, fill, |at| over.extend(at))?;
        let mut reclaimed = 0;
        for at in &over {
            let fill = |parameters: &mut ParameterValues<'_>| {
                at.bind(parameters);
                parameters.number(now);
            };
            reclaimed += self.change(RECLAIM, fill)? as u32;
        }
        Ok(reclaimed)
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

impl Prepared {
    /// Prepares each statement, with the types that its values have: the server would guess from columns, which are as
    /// narrow as somebody made them.
    fn make(link: &mut Link, table: Table, templates: &SqlTemplates) -> Result<Self, BackendError> {
        let leases = Leases { family: table.family, contents: Contents::default(), epoch: 0 };
        let lease = leases.lease(0);
        let at = table.address(lease.address);
        let renewal = Renewal { address: lease.address, valid_lifetime: 0, cltt: 0 };
        let mut one = |query: Query, fill: &dyn Fn(&mut ParameterValues<'_>)| {
            let types: Vec<Type> = bound(fill).iter().map(Value::kind).collect();
            let text = (query.template)(templates).placeholders();
            let what = format!("prepare to {}", query.what);
            link.wait(&what, |client| async move { client.prepare_typed(&text, &types).await })
        };
        Ok(Self {
            create: one(CREATE, &|parameters| table.bind_create(&lease, &at, parameters))?,
            by_address: one(BY_ADDRESS, &|parameters| at.bind(parameters))?,
            by_client_id: one(BY_CLIENT_ID, &|parameters| parameters.octets(&[]))?,
            by_hardware: one(BY_HARDWARE, &|parameters| parameters.octets(&[]))?,
            renew: one(RENEW, &|parameters| table.bind_renew(&renewal, &at, parameters))?,
            release: one(RELEASE, &|parameters| at.bind(parameters))?,
            expired: one(EXPIRED, &|parameters| {
                parameters.number(0);
                parameters.number(0);
            })?,
            reclaim: one(RECLAIM, &|parameters| {
                at.bind(parameters);
                parameters.number(0);
            })?,
        })
    }
}

fn bound(fill: impl FnOnce(&mut ParameterValues<'_>)) -> Vec<Value> {
    let mut parameters = ParameterValues::Bound(Vec::with_capacity(16));
    fill(&mut parameters);
    match parameters {
        ParameterValues::Bound(values) => values,
        ParameterValues::Inline(_) => Vec::new(),
    }
}

fn render(template: &SqlTemplate, text: &mut String, fill: impl FnOnce(&mut ParameterValues<'_>)) {
    text.clear();
    fill(&mut ParameterValues::Inline(template.render(text)));
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

/// The same for a row in words: octets are hexadecimal behind `\x`.
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

/// What a column holds, whatever its type.
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

/// The parameters of a statement while they are bound.
enum ParameterValues<'t> {
    Bound(Vec<Value>),
    Inline(RenderedSql<'t>),
}

impl<'a> Bind<'a> for ParameterValues<'_> {
    fn number(&mut self, value: i64) {
        match self {
            Self::Bound(values) => values.push(Value::Number(value)),
            Self::Inline(rendered) => rendered.number(value),
        }
    }

    fn octets(&mut self, value: &'a [u8]) {
        match self {
            Self::Bound(values) => values.push(Value::Octets(value.to_vec())),
            Self::Inline(rendered) => rendered.octets(value),
        }
    }

    fn text(&mut self, value: &'a str) {
        match self {
            Self::Bound(values) => values.push(Value::Text(value.to_owned())),
            Self::Inline(rendered) => rendered.text(value),
        }
    }

    fn truth(&mut self, value: bool) {
        match self {
            Self::Bound(values) => values.push(Value::Truth(value)),
            Self::Inline(rendered) => rendered.truth(value),
        }
    }
}
