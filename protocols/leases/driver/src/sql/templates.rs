//! The [`SqlTemplates`] of a store, one for each operation.
//!
//! They are the statements of Kea's lease managers, without the columns that no lease here changes: one row by its
//! address, by the client or by its hardware address; all columns of a found row; a renewal by address; and reclaiming
//! as a server does it, which first fetches the addresses of expired leases and then deletes one after the other, each
//! only if it has not been renewed in between.

use super::{Dialect, SqlTemplate, Table, guide, kea};
use crate::leases::{Lease, Schema};

/// The statements of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlTemplates {
    /// Writes a lease: [`Table::bind_create`].
    pub create: SqlTemplate,
    /// The beginning of a statement that writes many; [`rows`](Self::rows) follow, separated by commas.
    pub create_many: String,
    /// The values of one lease: [`Table::bind_create`].
    pub rows: SqlTemplate,
    /// Fetches by the address.
    pub by_address: SqlTemplate,
    /// Fetches by the client identifier, or the DUID.
    pub by_client_id: SqlTemplate,
    /// Fetches by the hardware address.
    pub by_hardware: SqlTemplate,
    /// Sets another lifetime: [`Table::bind_renew`].
    pub renew: SqlTemplate,
    /// Deletes by the address.
    pub release: SqlTemplate,
    /// Fetches addresses of expired leases, the longest expired first; its parameters are the moment in seconds since
    /// 1970, then the largest number.
    pub expired: SqlTemplate,
    /// Deletes by the address if the lease had expired; its parameters are the address, then the moment.
    pub reclaim: SqlTemplate,
    /// Counts the leases.
    pub count: String,
}

impl SqlTemplates {
    pub(super) fn new(table: Table) -> Self {
        let name = table.name();
        let template = |text: String| SqlTemplate::new(table.dialect, &text);
        let (columns, parameters) = match table.schema {
            Schema::Guide => guide::columns(table),
            Schema::Kea => kea::columns(table),
        };
        let words = ColumnNames::new(table);
        let ColumnNames { address, client, read, lifetime, moment, end } = &words;
        let many = format!("INSERT INTO {name} ({columns}) VALUES ");
        let at = table.dialect.moment();
        let find = |column: &str| template(format!("SELECT {read} FROM {name} WHERE {column} = ?"));
        Self {
            create: template(format!("{many}({parameters})")),
            create_many: many,
            rows: template(format!("({parameters})")),
            by_address: find(address),
            by_client_id: find(client),
            by_hardware: find("hwaddr"),
            renew: template(format!(
                "UPDATE {name} SET {lifetime} = ?, {moment} = {at} WHERE {address} = ?"
            )),
            release: template(format!("DELETE FROM {name} WHERE {address} = ?")),
            expired: template(format!(
                "SELECT {address} FROM {name} WHERE {end} < {at} ORDER BY {end} LIMIT ?"
            )),
            reclaim: template(format!("DELETE FROM {name} WHERE {address} = ? AND {end} < {at}")),
            count: format!("SELECT COUNT(*) FROM {name}"),
        }
    }
}

impl SqlTemplates {
    /// Overwrites `text` with a statement that creates up to `at_once` of `leases`, with its values; returns whether
    /// there was any lease.
    pub fn write_many(
        &self,
        table: Table,
        leases: &mut dyn Iterator<Item = Lease>,
        at_once: usize,
        text: &mut String,
    ) -> bool {
        text.clear();
        for lease in leases.take(at_once) {
            text.push_str(if text.is_empty() { &self.create_many } else { ", " });
            let at = table.address(lease.address);
            let mut rendered = self.rows.render(text);
            table.bind_create(&lease, &at, &mut rendered);
            rendered.end();
        }
        !text.is_empty()
    }
}

/// The names of a table's columns.
struct ColumnNames {
    address: &'static str,
    client: &'static str,
    /// All columns that are fetched.
    read: String,
    lifetime: &'static str,
    /// The column that a renewal sets besides the lifetime.
    moment: &'static str,
    /// When a lease expires.
    end: String,
}

impl ColumnNames {
    fn new(table: Table) -> Self {
        let client = if table.is_of_ipv6() { "duid" } else { "client_id" };
        match table.schema {
            Schema::Guide => Self {
                address: "addr",
                client,
                read: guide::read(table),
                lifetime: "valid_lft",
                moment: "cltt",
                end: match table.dialect {
                    Dialect::Sqlite => "cltt + valid_lft".into(),
                    Dialect::Mysql(_) => "cltt + INTERVAL valid_lft SECOND".into(),
                    Dialect::Postgres => "cltt + valid_lft * INTERVAL '1 second'".into(),
                },
            },
            Schema::Kea => Self {
                address: "address",
                client,
                read: kea::read(table),
                lifetime: "valid_lifetime",
                moment: "expire",
                end: "expire".into(),
            },
        }
    }
}

impl Dialect {
    /// A parameter for a moment, in seconds since 1970.
    pub(super) fn moment(self) -> &'static str {
        match self {
            Self::Sqlite => "?",
            Self::Mysql(_) => "FROM_UNIXTIME(?)",
            Self::Postgres => "to_timestamp(?)",
        }
    }
}
