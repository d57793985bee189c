//! A server's [`Settings`], and what they say about the data on the disk when a change is answered.
//!
//! Source: the documentation of PostgreSQL 15, sections 20.5.1 (settings of the log) and 30.4 (asynchronous commit).

use super::link::Link;
use crate::error::BackendError;
use crate::leases::Durability;

/// The settings that determine durability.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    synchronous_commit: String,
    fsync: String,
    wal_sync_method: String,
    full_page_writes: String,
    wal_writer_delay: String,
}

impl Settings {
    /// Reads their values for this connection.
    pub(super) fn read(link: &mut Link) -> Result<Self, BackendError> {
        let mut one = |name: &str| link.word(&format!("SHOW {name}"), "read the server's settings");
        Ok(Self {
            synchronous_commit: one("synchronous_commit")?,
            fsync: one("fsync")?,
            wal_sync_method: one("wal_sync_method")?,
            full_page_writes: one("full_page_writes")?,
            wal_writer_delay: one("wal_writer_delay")?,
        })
    }

    /// Describes their effect, and whether it is the requested durability.
    pub(super) fn words(&self, requested: Durability) -> String {
        let Self { synchronous_commit: commits, fsync, wal_sync_method: method, .. } = self;
        let means = match requested {
            Durability::Sync => {
                format!(
                    "the log is flushed to the disk (wal_sync_method={method}) before a commit is answered"
                )
            }
            Durability::Async => format!(
                "a commit is answered before its log is written: up to three times wal_writer_delay={} of what was \
                 answered may be lost with the server, and nothing else",
                self.wal_writer_delay
            ),
        };
        let words = format!(
            "synchronous_commit={commits}, fsync={fsync}, full_page_writes={}: {means}",
            self.full_page_writes
        );
        if requested == Durability::Sync && fsync != "on" {
            return format!(
                "not sync, although sync was requested, as fsync={fsync} flushes nothing: {words}"
            );
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fsync_off_is_not_called_sync() {
        let mut settings = Settings { fsync: "on".into(), ..Settings::default() };
        assert!(settings.words(Durability::Sync).starts_with("synchronous_commit"));
        settings.fsync = "off".into();
        assert!(settings.words(Durability::Sync).starts_with("not sync"));
        assert!(settings.words(Durability::Async).starts_with("synchronous_commit"));
    }
}
