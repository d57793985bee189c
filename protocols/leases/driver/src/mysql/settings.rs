//! A server's [`Settings`], and what they say about the data on the disk when a change is answered.
//!
//! Sources: the manuals of MySQL 8.4 (17.14, `innodb_flush_log_at_trx_commit`; 19.1.6.4, `sync_binlog`) and MariaDB.

use super::client::Client;
use super::error::request_failed;
use super::packet::Value;
use crate::error::BackendError;
use crate::leases::Durability;
use crate::sql::{Dialect, Engine};

/// The settings that determine durability.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    flush_log: Option<u8>,
    binary_log: bool,
    sync_binary_log: u32,
    doublewrite: Option<String>,
}

impl Settings {
    /// Reads their present values.
    pub(super) fn read(client: &mut Client) -> Result<Self, BackendError> {
        let mut rows: Vec<(String, String)> = Vec::new();
        client
            .query(
                "SHOW GLOBAL VARIABLES WHERE Variable_name IN \
                 ('innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog', 'innodb_doublewrite')",
                |column, value| {
                    let Value::Bytes(bytes) = value else { return };
                    let word = String::from_utf8_lossy(bytes).into_owned();
                    match (column, rows.last_mut()) {
                        (0, _) => rows.push((word, String::new())),
                        (_, Some((_, value))) => *value = word,
                        _ => {}
                    }
                },
            )
            .map_err(|error| request_failed("read the server's settings", &error))?;
        let mut settings = Self::default();
        for (name, value) in rows {
            match name.as_str() {
                "innodb_flush_log_at_trx_commit" => settings.flush_log = value.parse().ok(),
                "log_bin" => settings.binary_log = value == "ON" || value == "1",
                "sync_binlog" => settings.sync_binary_log = value.parse().unwrap_or_default(),
                "innodb_doublewrite" => settings.doublewrite = Some(value),
                _ => {}
            }
        }
        Ok(settings)
    }

    /// Describes their effect, and whether it is the requested durability.
    pub(super) fn words(&self, dialect: Dialect, requested: Durability) -> String {
        if dialect == Dialect::Mysql(Engine::MyIsam) {
            let held = "MyISAM: a change is handed to the system when it is answered (the index when the server sees \
                        fit) and nothing is flushed; it outlives neither the machine nor, for the index, the \
                        server; there are no transactions";
            return match requested {
                Durability::Async => held.into(),
                Durability::Sync => format!("not sync, although sync was requested: {held}"),
            };
        }
        let flush = self.flush_log.unwrap_or_default();
        let log = match flush {
            1 => "the log is written and flushed to the disk before a commit is answered",
            2 => {
                "the log is written at each commit and flushed once a second: what was answered outlives the server \
                  but not the machine"
            }
            _ => {
                "the log is written and flushed once a second: the last second of what was answered may be lost with \
                  the server"
            }
        };
        let binary = match (self.binary_log, self.sync_binary_log) {
            (false, _) => "no binary log".to_owned(),
            (true, 1) => "binary log flushed with each commit (sync_binlog=1)".to_owned(),
            (true, n) => format!("binary log not flushed with each commit (sync_binlog={n})"),
        };
        let doublewrite = self.doublewrite.as_deref().unwrap_or("unknown");
        let words = format!(
            "InnoDB, innodb_flush_log_at_trx_commit={flush}: {log}; {binary}; innodb_doublewrite={doublewrite}"
        );
        match (requested, flush) {
            (Durability::Sync, 1) | (Durability::Async, 0 | 2) => words,
            (Durability::Sync, _) => format!("not sync, although sync was requested: {words}"),
            (Durability::Async, _) => format!("sync, although async was requested: {words}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INNODB: Dialect = Dialect::Mysql(Engine::InnoDb);

    fn settings(flush: u8) -> Settings {
        let doublewrite = Some("ON".into());
        Settings { flush_log: Some(flush), binary_log: true, sync_binary_log: 0, doublewrite }
    }

    #[test]
    fn durability_differing_from_the_request_is_stated_first() {
        let words = |flush, requested| settings(flush).words(INNODB, requested);
        assert!(words(1, Durability::Sync).starts_with("InnoDB, innodb_flush_log_at_trx_commit=1"));
        assert!(words(2, Durability::Sync).starts_with("not sync"));
        assert!(words(0, Durability::Sync).starts_with("not sync"));
        assert!(words(1, Durability::Async).starts_with("sync, although async"));
        assert!(words(2, Durability::Async).starts_with("InnoDB"));
        let myisam = |requested| settings(1).words(Dialect::Mysql(Engine::MyIsam), requested);
        assert!(myisam(Durability::Async).starts_with("MyISAM"));
        assert!(myisam(Durability::Sync).starts_with("not sync"));
    }
}
