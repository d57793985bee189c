//! The tables of the guide of 2012: one table, a serial number and a unique address.
//!
//! The table of 2012 had `VARCHAR` for a hardware address and a client identifier. It could not store octets that are
//! not text in the database's character set, and most are not; so these columns are octets here. `lease6` existed in
//! 2012 and was used by no benchmark; the one here has the columns of `lease4` and those that IPv6 needs.

use super::{Address, Bind, Dialect, Engine, Table};
use crate::leases::Lease;

/// The statement that makes the table.
pub(super) fn ddl(table: Table) -> String {
    let Types { serial, address4, address6, octets, moment, truth, closing } =
        Types::new(table.dialect);
    let (hardware, client) = (octets(20), octets(128));
    let (address, identity, lifetimes) = if table.is_of_ipv6() {
        let identity = format!("duid {client}, iaid INT, prefix_len INT");
        (address6, identity, "pref_lft INT, valid_lft INT")
    } else {
        (address4, format!("client_id {client}"), "valid_lft INT")
    };
    format!(
        "CREATE TABLE {} (lease_id {serial}, addr {address} UNIQUE, hwaddr {hardware}, {identity}, {lifetimes}, \
         recycle_time INT DEFAULT 0, cltt {moment}, pool_id INT, fixed {truth}, hostname VARCHAR(255), \
         fqdn_fwd {truth} DEFAULT false, fqdn_rev {truth} DEFAULT false, options TEXT, comments TEXT){closing}",
        table.name(),
    )
}

/// The columns that are written, and their parameters.
pub(super) fn columns(table: Table) -> (String, String) {
    let (identity, lifetimes) = if table.is_of_ipv6() {
        ("duid, iaid, prefix_len", "pref_lft, valid_lft")
    } else {
        ("client_id", "valid_lft")
    };
    let columns = format!(
        "addr, hwaddr, {identity}, {lifetimes}, recycle_time, cltt, pool_id, fixed, hostname, fqdn_fwd, fqdn_rev"
    );
    let before = if table.is_of_ipv6() { 7 } else { 4 };
    let parameters =
        format!("{}?, {}, ?, ?, ?, ?, ?", "?, ".repeat(before), table.dialect.moment());
    (columns, parameters)
}

/// All columns.
pub(super) fn read(table: Table) -> String {
    let (columns, _) = columns(table);
    let columns = format!("lease_id, {columns}, options, comments");
    match table.dialect {
        Dialect::Postgres => columns.replace("cltt", "extract(epoch FROM cltt)::bigint"),
        Dialect::Sqlite | Dialect::Mysql(_) => columns,
    }
}

pub(super) fn bind_create<'a>(
    table: Table,
    lease: &'a Lease,
    at: &'a Address,
    bind: &mut impl Bind<'a>,
) {
    at.bind(bind);
    bind.octets(&lease.hardware);
    bind.octets(&lease.client_id);
    if table.is_of_ipv6() {
        bind.number(1);
        bind.number(table.prefix_length());
        bind.number(i64::from(lease.valid_lifetime));
    }
    bind.number(i64::from(lease.valid_lifetime));
    bind.number(0);
    bind.number(lease.cltt);
    bind.number(i64::from(lease.subnet));
    bind.truth(false);
    bind.text(lease.hostname);
    bind.truth(true);
    bind.truth(true);
}

/// The names of a dialect's types.
pub(super) struct Types {
    serial: &'static str,
    address4: &'static str,
    /// Sixteen octets.
    address6: &'static str,
    /// At most this number of octets.
    pub(super) octets: fn(usize) -> String,
    pub(super) moment: &'static str,
    pub(super) truth: &'static str,
    /// The end of the statement.
    pub(super) closing: &'static str,
}

impl Types {
    pub(super) fn new(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Sqlite => Self {
                serial: "INTEGER PRIMARY KEY",
                address4: "INTEGER",
                address6: "BLOB",
                octets: |_| "BLOB".into(),
                moment: "INTEGER",
                truth: "BOOLEAN",
                closing: "",
            },
            Dialect::Mysql(engine) => Self {
                serial: "SERIAL",
                address4: "INT UNSIGNED",
                address6: "BINARY(16)",
                octets: |most| format!("VARBINARY({most})"),
                moment: "TIMESTAMP NULL",
                truth: "BOOL",
                closing: match engine {
                    Engine::InnoDb => " ENGINE = InnoDB",
                    Engine::MyIsam => " ENGINE = MyISAM",
                },
            },
            Dialect::Postgres => Self {
                serial: "BIGSERIAL PRIMARY KEY",
                address4: "BIGINT",
                address6: "BYTEA",
                octets: |_| "BYTEA".into(),
                moment: "TIMESTAMP WITH TIME ZONE",
                truth: "BOOLEAN",
                closing: "",
            },
        }
    }
}
