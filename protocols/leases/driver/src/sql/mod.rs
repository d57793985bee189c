//! One set of tables and statements for every SQL store: a [`Table`] in one of three [`Dialect`]s.
//!
//! The comparison is between stores and not between statements, so the statements are written once, and a dialect
//! changes only what it must: the spelling of types, of placeholders and of moments. Addresses of IPv4 are numbers
//! everywhere; those of IPv6 are text in Kea's table, as Kea writes them, and 16 octets in the guide's. Times have the
//! database's own type, and in `SQLite`, which has none, are seconds since 1970. The address of a server and the
//! account are a [`Server`]. This module does not connect to one.

mod address;
mod connection;
mod guide;
mod kea;
mod request;
mod server;
mod template;
mod templates;

pub use address::Address;
pub(crate) use connection::{SqlConnection, SqlStore};
pub(crate) use request::{SqlRequest, StatementId};
pub(crate) use server::own_name;
pub use server::{Kind, Server, ServerEndpoint, ServerUrlError, Tls};
pub use template::{Bind, RenderedSql, SqlTemplate};
pub use templates::SqlTemplates;

use super::backend::Renewal;
use super::error::BackendError;
use super::leases::{Family, Lease, Schema};
use brunt_exchange::Class;

/// The SQL dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `SQLite`'s.
    Sqlite,
    /// `MySQL`'s and `MariaDB`'s, with tables of this engine.
    Mysql(Engine),
    /// `PostgreSQL`'s.
    Postgres,
}

/// An empty table that marks the tables in the same place as made by brunt. It distinguishes what a killed run left
/// from the tables of other programs.
const MARKER: &str = "brunt_tables";

/// The engine of the tables on a `MySQL` server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// With transactions and a log.
    InnoDb,
    /// Without transactions and a log.
    MyIsam,
}

/// The table of leases, and those that belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// The language of its database.
    pub dialect: Dialect,
    /// Its columns.
    pub schema: Schema,
    /// Its leases.
    pub family: Family,
}

impl Table {
    /// The name of the table of leases.
    pub fn name(self) -> &'static str {
        match self.family {
            Family::V4 => "lease4",
            Family::V6 | Family::Prefix => "lease6",
        }
    }

    /// Every table that [`ddl`](Self::ddl) makes, in the order in which they can be dropped. The marker is the first
    /// that is made and the last that is dropped.
    pub fn tables(self) -> &'static [&'static str] {
        match (self.schema, self.family) {
            (Schema::Guide, Family::V4) => &["lease4", MARKER],
            (Schema::Guide, Family::V6 | Family::Prefix) => &["lease6", MARKER],
            (Schema::Kea, Family::V4) => &["lease4", "lease4_stat", "lease_state", MARKER],
            (Schema::Kea, Family::V6 | Family::Prefix) => &[
                "lease6",
                "lease6_stat",
                "lease6_types",
                "lease_hwaddr_source",
                "lease_state",
                MARKER,
            ],
        }
    }

    /// The statements that make the tables, their indexes and triggers, to be executed one after the other.
    pub fn ddl(self) -> Vec<String> {
        let marker = format!("CREATE TABLE {MARKER} (made INT)");
        let tables = match self.schema {
            Schema::Guide => vec![guide::ddl(self)],
            Schema::Kea => kea::ddl(self),
        };
        [vec![marker], tables].concat()
    }

    /// The functions of `PostgreSQL` that the triggers call, which remain when a table is dropped.
    pub fn functions(self) -> &'static [&'static str] {
        match (self.dialect, self.schema, self.family) {
            (Dialect::Postgres, Schema::Kea, Family::V4) => &["brunt_count_lease4"],
            (Dialect::Postgres, Schema::Kea, _) => &["brunt_count_lease6"],
            _ => &[],
        }
    }

    /// The statements of a store.
    pub fn templates(self) -> SqlTemplates {
        SqlTemplates::new(self)
    }

    /// An address in the form of the column.
    pub fn address(self, address: u128) -> Address {
        match (self.family, self.schema) {
            (Family::V4, _) => Address::number(address),
            (_, Schema::Guide) => Address::octets(address),
            (_, Schema::Kea) => Address::notation(address),
        }
    }

    /// Binds the parameters of [`SqlTemplates::create`].
    pub fn bind_create<'a>(self, lease: &'a Lease, at: &'a Address, bind: &mut impl Bind<'a>) {
        match self.schema {
            Schema::Guide => guide::bind_create(self, lease, at, bind),
            Schema::Kea => kea::bind_create(self, lease, at, bind),
        }
    }

    /// Binds the parameters of [`SqlTemplates::renew`].
    pub fn bind_renew<'a>(self, renewal: &Renewal, at: &'a Address, bind: &mut impl Bind<'a>) {
        bind.number(i64::from(renewal.valid_lifetime));
        match self.schema {
            Schema::Guide => bind.number(renewal.cltt),
            Schema::Kea => bind.number(renewal.cltt + i64::from(renewal.valid_lifetime)),
        }
        at.bind(bind);
    }

    /// Whether the table has the columns of a lease of IPv6.
    fn is_of_ipv6(self) -> bool {
        self.family != Family::V4
    }

    /// The bits of a lease that are the prefix.
    fn prefix_length(self) -> i64 {
        match self.family {
            Family::V4 => 32,
            Family::V6 => 128,
            Family::Prefix => 64,
        }
    }
}

/// The error if tables with the same names, and this number of rows, already exist.
pub(crate) fn in_the_way(place: &str, found: &[(&str, u64)]) -> BackendError {
    let of_leases = found.iter().filter(|(name, _)| *name != MARKER);
    let tables: Vec<String> =
        of_leases.map(|(name, rows)| format!("{name} with {rows} rows")).collect();
    let listed = if tables.is_empty() { MARKER.to_owned() } else { tables.join(", ") };
    let whose = if found.iter().any(|(name, _)| *name == MARKER) {
        "beside the table brunt_tables of a run of brunt that was killed or still goes on; whether rows are of that \
         run is not known, so look at them first"
    } else {
        "not made by brunt"
    };
    let text = format!(
        "create tables in {place}: it contains {listed}, {whose}; name another, or allow dropping them with \
         --yes-destroy"
    );
    BackendError::new(Class::Check, 0, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leases::{Contents, Leases};

    fn every_table() -> impl Iterator<Item = Table> {
        let dialects = [Dialect::Sqlite, Dialect::Mysql(Engine::InnoDb), Dialect::Postgres];
        dialects.into_iter().flat_map(|dialect| {
            [Schema::Guide, Schema::Kea].into_iter().flat_map(move |schema| {
                [Family::V4, Family::V6, Family::Prefix].map(|family| Table {
                    dialect,
                    schema,
                    family,
                })
            })
        })
    }

    /// The debug assertions of [`RenderedSql::end`] can fail here.
    #[test]
    fn sql_parameters_are_all_bound() {
        for table in every_table() {
            let templates = table.templates();
            let leases = Leases { family: table.family, contents: Contents::Distinct, epoch: 0 };
            let lease = leases.lease(3);
            let at = table.address(lease.address);
            let mut text = String::new();
            for template in [&templates.create, &templates.rows] {
                let mut rendered = template.render(&mut text);
                table.bind_create(&lease, &at, &mut rendered);
                rendered.end();
            }
            let renewal = Renewal { address: lease.address, valid_lifetime: 7, cltt: 8 };
            let mut rendered = templates.renew.render(&mut text);
            table.bind_renew(&renewal, &at, &mut rendered);
            rendered.end();
            assert!(!text.contains('?'), "{text}");
            assert_eq!(templates.expired.parameters(), 2);
            assert_eq!(templates.reclaim.parameters(), 2);
        }
    }

    #[test]
    fn sql_tables_created_are_known_by_name() {
        for table in every_table() {
            let ddl = table.ddl();
            let made: Vec<&str> = ddl
                .iter()
                .filter_map(|statement| statement.strip_prefix("CREATE TABLE "))
                .filter_map(|rest| rest.split(' ').next())
                .collect();
            let mut known = table.tables().to_vec();
            known.sort_unstable();
            let mut sorted = made.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, known);
        }
    }
}
