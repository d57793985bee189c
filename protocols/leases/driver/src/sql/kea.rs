//! The tables in which Kea 2.2 keeps leases: six indexes besides the key, and triggers that count.
//!
//! They follow Kea's documentation and a database made by Kea (columns, keys, which changes are counted where), in
//! statements written for brunt, so that a run needs no Kea. Types are those of Kea, and so are the effects of
//! triggers: a lease in state 0 (assigned) or 1 (declined) is counted for its subnet and state, and for IPv6 also for
//! its kind, in one more row that each insertion and deletion changes. There are two differences. Kea also counts
//! leases by client class, from a user context, which leases here do not have. And for `SQLite`, in which Kea does not
//! keep leases, the same tables are written in `SQLite`'s dialect.

use super::guide::Types;
use super::{Address, Bind, Dialect, Table};
use crate::leases::{Family, Lease};

/// The statements that make the tables, indexes and triggers.
pub(super) fn ddl(table: Table) -> Vec<String> {
    let closing = Types::new(table.dialect).closing;
    let mut all = vec![
        format!(
            "CREATE TABLE lease_state (state BIGINT PRIMARY KEY, name VARCHAR(64) NOT NULL){closing}"
        ),
        "INSERT INTO lease_state VALUES (0, 'default'), (1, 'declined'), (2, 'expired-reclaimed')"
            .into(),
    ];
    if table.is_of_ipv6() {
        all.extend(kinds(closing));
        all.push(lease6(table));
    } else {
        all.push(lease4(table));
    }
    all.extend(indexes(table));
    all.push(statistics(table));
    all.extend(triggers(table));
    all
}

/// The names of the kinds of leases and of the sources of hardware addresses.
fn kinds(closing: &str) -> [String; 4] {
    [
        format!("CREATE TABLE lease6_types (lease_type SMALLINT PRIMARY KEY, name VARCHAR(5)){closing}"),
        "INSERT INTO lease6_types VALUES (0, 'IA_NA'), (1, 'IA_TA'), (2, 'IA_PD')".into(),
        format!("CREATE TABLE lease_hwaddr_source (hwaddr_source INT PRIMARY KEY, name VARCHAR(40)){closing}"),
        "INSERT INTO lease_hwaddr_source VALUES (1, 'HWADDR_SOURCE_RAW'), (2, 'HWADDR_SOURCE_IPV6_LINK_LOCAL'), \
         (4, 'HWADDR_SOURCE_DUID'), (8, 'HWADDR_SOURCE_CLIENT_ADDR_RELAY_OPTION'), \
         (16, 'HWADDR_SOURCE_REMOTE_ID'), (32, 'HWADDR_SOURCE_SUBSCRIBER_ID'), (64, 'HWADDR_SOURCE_DOCSIS_CMTS')"
            .into(),
    ]
}

fn lease4(table: Table) -> String {
    let Types { octets, moment, truth, closing, .. } = Types::new(table.dialect);
    let number = unsigned(table.dialect);
    let (hardware, client) = (octets(20), octets(128));
    format!(
        "CREATE TABLE lease4 (address {number} PRIMARY KEY NOT NULL, hwaddr {hardware}, client_id {client}, \
         valid_lifetime {number}, expire {moment}, subnet_id {number}, fqdn_fwd {truth}, fqdn_rev {truth}, \
         hostname VARCHAR(255), state BIGINT DEFAULT 0, user_context TEXT, \
         FOREIGN KEY (state) REFERENCES lease_state (state)){closing}"
    )
}

fn lease6(table: Table) -> String {
    let Types { octets, moment, truth, closing, .. } = Types::new(table.dialect);
    let number = unsigned(table.dialect);
    let (duid, hardware) = (octets(128), octets(20));
    format!(
        "CREATE TABLE lease6 (address VARCHAR(39) PRIMARY KEY NOT NULL, duid {duid}, valid_lifetime {number}, \
         expire {moment}, subnet_id {number}, pref_lifetime {number}, lease_type SMALLINT, iaid {number}, \
         prefix_len SMALLINT, fqdn_fwd {truth}, fqdn_rev {truth}, hostname VARCHAR(255), hwaddr {hardware}, \
         hwtype INT, hwaddr_source INT, state BIGINT DEFAULT 0, user_context TEXT, \
         FOREIGN KEY (state) REFERENCES lease_state (state), \
         FOREIGN KEY (lease_type) REFERENCES lease6_types (lease_type), \
         FOREIGN KEY (hwaddr_source) REFERENCES lease_hwaddr_source (hwaddr_source)){closing}"
    )
}

fn indexes(table: Table) -> Vec<String> {
    let of: &[&str] = match (table.dialect, table.is_of_ipv6()) {
        // Kea's PostgreSQL tables search host names case-insensitively, and foreign keys create no index.
        (Dialect::Postgres, false) => &[
            "(hwaddr, subnet_id)",
            "(client_id, subnet_id)",
            "(state, expire)",
            "(subnet_id)",
            "(lower(hostname)) WHERE hostname IS NOT NULL",
        ],
        (Dialect::Postgres, true) => &[
            "(duid, iaid, subnet_id)",
            "(state, expire)",
            "(subnet_id, lease_type)",
            "(lower(hostname)) WHERE hostname IS NOT NULL",
        ],
        (_, false) => &[
            "(hwaddr, subnet_id)",
            "(client_id, subnet_id)",
            "(expire, state)",
            "(subnet_id)",
            "(hostname)",
            "(state)",
        ],
        (_, true) => &[
            "(duid, iaid, subnet_id)",
            "(expire, state)",
            "(subnet_id, lease_type)",
            "(hostname)",
            "(state)",
            "(lease_type)",
            "(hwaddr_source)",
        ],
    };
    let name = table.name();
    of.iter()
        .enumerate()
        .map(|(n, columns)| format!("CREATE INDEX {name}_by_{n} ON {name} {columns}"))
        .collect()
}

fn statistics(table: Table) -> String {
    let closing = Types::new(table.dialect).closing;
    let number = unsigned(table.dialect);
    let (kind, key) = if table.is_of_ipv6() {
        (format!("lease_type {number} NOT NULL, "), "subnet_id, lease_type, state")
    } else {
        (String::new(), "subnet_id, state")
    };
    format!(
        "CREATE TABLE {}_stat (subnet_id {number} NOT NULL, {kind}state BIGINT NOT NULL, leases BIGINT, \
         PRIMARY KEY ({key})){closing}",
        table.name()
    )
}

/// How the counts change for a row that was added (`NEW`) or removed (`OLD`).
struct Counting {
    come: String,
    gone: String,
    /// Whether an update changed the values by which leases are counted.
    moved: String,
}

impl Counting {
    fn new(table: Table) -> Self {
        let name = table.name();
        let columns: &[&str] = if table.is_of_ipv6() {
            &["subnet_id", "lease_type", "state"]
        } else {
            &["subnet_id", "state"]
        };
        let each = |word: &dyn Fn(&str) -> String, between: &str| {
            columns.iter().map(|column| word(column)).collect::<Vec<_>>().join(between)
        };
        let values = each(&|column| format!("NEW.{column}"), ", ");
        let same = each(&|column| format!("{column} = OLD.{column}"), " AND ");
        // An insertion that becomes an addition if the row already exists: one statement, as SQLite's triggers have no
        // conditions in their body.
        let (list, again) = (
            columns.join(", "),
            match table.dialect {
                Dialect::Mysql(_) => "ON DUPLICATE KEY UPDATE leases = leases + 1".to_owned(),
                Dialect::Sqlite | Dialect::Postgres => format!(
                    "ON CONFLICT ({}) DO UPDATE SET leases = {name}_stat.leases + 1",
                    columns.join(", ")
                ),
            },
        );
        Self {
            come: format!(
                "INSERT INTO {name}_stat ({list}, leases) SELECT {values}, 1{} WHERE NEW.state IN (0, 1) {again};",
                if matches!(table.dialect, Dialect::Mysql(_)) { " FROM DUAL" } else { "" }
            ),
            gone: format!(
                "UPDATE {name}_stat SET leases = leases - 1 WHERE {same} AND leases > 0 AND OLD.state IN (0, 1);"
            ),
            moved: each(&|column| format!("OLD.{column} <> NEW.{column}"), " OR "),
        }
    }
}

fn triggers(table: Table) -> Vec<String> {
    let name = table.name();
    let Counting { come, gone, moved } = Counting::new(table);
    let head = |event: &str| {
        let suffix = event.to_ascii_lowercase();
        format!("CREATE TRIGGER {name}_count_{suffix} AFTER {event} ON {name} FOR EACH ROW")
    };
    match table.dialect {
        Dialect::Sqlite => vec![
            format!("{} BEGIN {come} END", head("INSERT")),
            format!("{} WHEN {moved} BEGIN {gone} {come} END", head("UPDATE")),
            format!("{} BEGIN {gone} END", head("DELETE")),
        ],
        Dialect::Mysql(_) => vec![
            format!("{} BEGIN {come} END", head("INSERT")),
            format!("{} BEGIN IF {moved} THEN {gone} {come} END IF; END", head("UPDATE")),
            format!("{} BEGIN {gone} END", head("DELETE")),
        ],
        Dialect::Postgres => {
            let function = format!("brunt_count_{name}");
            let calls = ["INSERT", "UPDATE", "DELETE"]
                .map(|event| format!("{} EXECUTE FUNCTION {function}()", head(event)));
            let body = format!(
                "CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 IF TG_OP = 'INSERT' THEN {come} \
                 ELSIF TG_OP = 'DELETE' THEN {gone} \
                 ELSIF {moved} THEN {gone} {come} END IF; \
                 RETURN NULL; END $$"
            );
            std::iter::once(body).chain(calls).collect()
        }
    }
}

/// The columns that are written, and their parameters.
pub(super) fn columns(table: Table) -> (String, String) {
    let at = table.dialect.moment();
    if table.is_of_ipv6() {
        let columns = "address, duid, valid_lifetime, expire, subnet_id, pref_lifetime, lease_type, iaid, prefix_len, \
                       fqdn_fwd, fqdn_rev, hostname, hwaddr, hwtype, hwaddr_source, state, user_context";
        (columns.into(), format!("?, ?, ?, {at}, {}, ?, NULL", ["?"; 11].join(", ")))
    } else {
        let columns = "address, hwaddr, client_id, valid_lifetime, expire, subnet_id, fqdn_fwd, fqdn_rev, hostname, \
                       state, user_context";
        (columns.into(), format!("?, ?, ?, ?, {at}, ?, ?, ?, ?, ?, NULL"))
    }
}

/// All columns.
pub(super) fn read(table: Table) -> String {
    let (columns, _) = columns(table);
    match table.dialect {
        Dialect::Postgres => columns.replace("expire", "extract(epoch FROM expire)::bigint"),
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
    if !table.is_of_ipv6() {
        bind.octets(&lease.hardware);
    }
    bind.octets(&lease.client_id);
    bind.number(i64::from(lease.valid_lifetime));
    bind.number(lease.expires());
    bind.number(i64::from(lease.subnet));
    if table.is_of_ipv6() {
        bind.number(i64::from(lease.valid_lifetime));
        bind.number(if table.family == Family::Prefix { 2 } else { 0 });
        bind.number(1);
        bind.number(table.prefix_length());
    }
    bind.truth(true);
    bind.truth(true);
    bind.text(lease.hostname);
    if table.is_of_ipv6() {
        bind.octets(&lease.hardware);
        // Ethernet, learnt from the DUID.
        bind.number(1);
        bind.number(4);
    }
    bind.number(0);
}

/// The type of an unsigned number of 32 bits.
fn unsigned(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "INTEGER",
        Dialect::Mysql(_) => "INT UNSIGNED",
        Dialect::Postgres => "BIGINT",
    }
}
