//! One connection to a MySQL server as a [`Connection`].
//!
//! Prepared statements are prepared once, when the connection is opened, and bound in the binary protocol; basic ones
//! are written out with their values each time and sent as text. Whatever is found is read to the last column.

use super::client::{Client, Error, Parameter, Statement};
use super::error::asking;
use super::packet::Value;
use crate::lease::backend::{Connection, Renewal};
use crate::lease::error::BackendError;
use crate::lease::leases::{Identity, Lease, Statements};
use crate::lease::sql::{Address, Bind, RenderedSql, SqlTemplate, SqlTemplates, Table};
use brunt_exchange::Class;
use std::sync::Arc;
use std::time::Duration;

/// The shortest time after which a server may close an idle connection, less what its clock may be ahead of ours.
const WAIT_MIN: Duration = Duration::from_millis(900);

/// A connection.
pub(super) struct MysqlConnection {
    client: Client,
    table: Table,
    templates: Arc<SqlTemplates>,
    prepared: Option<Prepared>,
    text: String,
    broken: bool,
}

/// Statements in the order of [`StatementId`].
type Prepared = [Statement; StatementId::COUNT];

/// Which statement is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatementId {
    Create,
    ByAddress,
    ByClientId,
    ByHardware,
    Renew,
    Release,
    Expired,
    Reclaim,
}

impl StatementId {
    const COUNT: usize = 8;

    fn of(self, templates: &SqlTemplates) -> &SqlTemplate {
        match self {
            Self::Create => &templates.create,
            Self::ByAddress => &templates.by_address,
            Self::ByClientId => &templates.by_client_id,
            Self::ByHardware => &templates.by_hardware,
            Self::Renew => &templates.renew,
            Self::Release => &templates.release,
            Self::Expired => &templates.expired,
            Self::Reclaim => &templates.reclaim,
        }
    }

    /// What is being tried, in words.
    fn words(self) -> &'static str {
        match self {
            Self::Create => "write a lease",
            Self::ByAddress | Self::ByClientId | Self::ByHardware => "look for a lease",
            Self::Renew => "renew a lease",
            Self::Release => "delete a lease",
            Self::Expired => "look for expired leases",
            Self::Reclaim => "reclaim a lease",
        }
    }
}

impl MysqlConnection {
    pub(super) fn new(
        mut client: Client,
        table: Table,
        templates: Arc<SqlTemplates>,
        statements: Statements,
    ) -> Result<Self, BackendError> {
        let prepared = match statements {
            Statements::Basic => None,
            Statements::Prepared => Some(prepare(&mut client, &templates)?),
        };
        Ok(Self { client, table, templates, prepared, text: String::new(), broken: false })
    }

    /// Executes a statement whose parameters `fill` binds; returns how many rows it changed. `see` is called with every
    /// column of every row.
    fn execute<'v>(
        &mut self,
        id: StatementId,
        fill: impl FnOnce(&mut ParameterValues<'_, 'v>),
        see: impl FnMut(usize, Value<'_>),
    ) -> Result<u64, BackendError> {
        let template = id.of(&self.templates);
        let said = if let Some(prepared) = &self.prepared {
            let mut parameters = ParameterValues::Bound(Vec::with_capacity(template.parameters()));
            fill(&mut parameters);
            let ParameterValues::Bound(values) = parameters else { return Ok(0) };
            self.client.execute(prepared[id as usize], &values, see)
        } else {
            self.text.clear();
            let mut parameters = ParameterValues::Inline(template.render(&mut self.text));
            fill(&mut parameters);
            self.client.query(&self.text, see)
        };
        said.map_err(|error| self.failed(id.words(), &error))
    }

    fn plainly(&mut self, text: &str, what: &str) -> Result<(), BackendError> {
        self.client.run(text).map_err(|error| self.failed(what, &error))
    }

    #[cold]
    fn failed(&mut self, what: &str, error: &Error) -> BackendError {
        let trouble = asking(what, error);
        self.broken |= trouble.class != Class::Result;
        trouble
    }
}

impl Connection for MysqlConnection {
    fn create(&mut self, lease: &Lease) -> Result<(), BackendError> {
        let table = self.table;
        let at = table.address(lease.address);
        self.execute(
            StatementId::Create,
            |parameters| table.bind_create(lease, &at, parameters),
            |_, _| (),
        )?;
        Ok(())
    }

    fn find(&mut self, by: &Identity) -> Result<bool, BackendError> {
        let mut found = false;
        let see = |_, _: Value<'_>| found = true;
        match by {
            Identity::Address(address) => {
                let at = self.table.address(*address);
                self.execute(StatementId::ByAddress, |parameters| at.bind(parameters), see)?;
            }
            Identity::ClientId(id) => {
                self.execute(StatementId::ByClientId, |parameters| parameters.octets(id), see)?;
            }
            Identity::Hardware(hardware) => {
                self.execute(
                    StatementId::ByHardware,
                    |parameters| parameters.octets(hardware),
                    see,
                )?;
            }
        }
        Ok(found)
    }

    fn renew(&mut self, renewal: &Renewal) -> Result<bool, BackendError> {
        let table = self.table;
        let at = table.address(renewal.address);
        let changed = self.execute(
            StatementId::Renew,
            |parameters| table.bind_renew(renewal, &at, parameters),
            |_, _| (),
        )?;
        Ok(changed > 0)
    }

    fn release(&mut self, address: u128) -> Result<bool, BackendError> {
        let at = self.table.address(address);
        Ok(self.execute(StatementId::Release, |parameters| at.bind(parameters), |_, _| ())? > 0)
    }

    fn expire(&mut self, now: i64, limit: u32) -> Result<u32, BackendError> {
        let mut over = Vec::new();
        let fill = |parameters: &mut ParameterValues<'_, '_>| {
            parameters.number(now);
            parameters.number(i64::from(limit));
        };
        self.execute(StatementId::Expired, fill, |column, value| {
            if column == 0 {
                over.extend(address(value));
            }
        })?;
        let mut reclaimed = 0;
        for at in &over {
            let changed = self.execute(
                StatementId::Reclaim,
                |parameters| {
                    at.bind(parameters);
                    parameters.number(now);
                },
                |_, _| (),
            )?;
            reclaimed += changed as u32;
        }
        Ok(reclaimed)
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

    /// The server is asked; not before it may have closed the connection, whose `wait_timeout` is in whole seconds.
    fn has_lapsed(&mut self, idle: Duration) -> bool {
        self.broken |= idle >= WAIT_MIN && self.client.ping().is_err();
        self.broken
    }

    fn broken(&self) -> bool {
        self.broken
    }
}

fn prepare(client: &mut Client, templates: &SqlTemplates) -> Result<Prepared, BackendError> {
    let mut one = |id: StatementId| {
        let text = id.of(templates).placeholders();
        client.prepare(&text).map_err(|error| asking(&format!("prepare to {}", id.words()), &error))
    };
    Ok([
        one(StatementId::Create)?,
        one(StatementId::ByAddress)?,
        one(StatementId::ByClientId)?,
        one(StatementId::ByHardware)?,
        one(StatementId::Renew)?,
        one(StatementId::Release)?,
        one(StatementId::Expired)?,
        one(StatementId::Reclaim)?,
    ])
}

/// The address in a row: a number, or the same in the digits of the text protocol; octets; or text.
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

/// The parameters of a statement while they are bound.
enum ParameterValues<'t, 'v> {
    Bound(Vec<Parameter<'v>>),
    Inline(RenderedSql<'t>),
}

impl<'a> Bind<'a> for ParameterValues<'_, 'a> {
    fn number(&mut self, value: i64) {
        match self {
            Self::Bound(values) => values.push(Parameter::Int(value)),
            Self::Inline(rendered) => rendered.number(value),
        }
    }

    fn octets(&mut self, value: &'a [u8]) {
        match self {
            Self::Bound(values) => values.push(Parameter::Bytes(value)),
            Self::Inline(rendered) => rendered.octets(value),
        }
    }

    fn text(&mut self, value: &'a str) {
        match self {
            Self::Bound(values) => values.push(Parameter::Bytes(value.as_bytes())),
            Self::Inline(rendered) => rendered.text(value),
        }
    }

    fn truth(&mut self, value: bool) {
        match self {
            Self::Bound(values) => values.push(Parameter::Int(i64::from(value))),
            Self::Inline(rendered) => rendered.truth(value),
        }
    }
}
