//! What all connections to a memfile share: the [`LeaseFile`], which consists of the index, the file and the records
//! not yet written.
//!
//! One lock protects all of it, so that records are in the file in the order in which the index changed. It is held
//! only during a change in memory, and never while a thread waits for the disk. A thread that needs its record on the
//! disk takes everything that was collected until then and flushes it without the lock; a thread that arrives meanwhile
//! waits for the next flush. So many workers share one flush, and a single worker never waits for another.
//!
//! After a failed write or flush the content of the disk is unknown (fsync(2) reports an error once), so every further
//! change is refused.

use super::index::{Columns, Entry, Index};
use super::record::Format;
use crate::BackendError;
use crate::leases::{Durability, Family};
use brunt_exchange::Class;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many octets are collected before they are written, if no thread waits for them.
pub(super) const COLLECTED_MAX: usize = 64 * 1024;
/// How many octets may be collected while others are being written.
const WAITING_MAX: usize = 16 * COLLECTED_MAX;

/// An index, and the file of its changes.
pub(super) struct LeaseFile {
    pub(super) format: Format,
    pub(super) family: Family,
    durability: Durability,
    path: PathBuf,
    file: File,
    state: Mutex<LeaseFileState>,
    /// Something was written, or a transaction ended.
    turned: Condvar,
}

/// The state that the lock protects.
pub(super) struct LeaseFileState {
    pub(super) index: Index,
    /// Records that were not passed to the system yet.
    collected: Vec<u8>,
    /// Memory for the next records, while others are being written.
    spare: Vec<u8>,
    /// The octets of all records so far, and of those that are as safe as required.
    recorded: u64,
    settled: u64,
    writing: bool,
    failed: Option<BackendError>,
    /// The connection that has a transaction open: no other connection changes anything until it ends.
    writer: Option<u64>,
    connections: u64,
}

impl LeaseFileState {
    /// Lets only this connection change anything until its transaction ends.
    pub(super) fn reserve(&mut self, connection: u64) {
        self.writer = Some(connection);
    }
}

impl LeaseFile {
    pub(super) fn new(
        (format, family, durability): (Format, Family, Durability),
        path: PathBuf,
        file: File,
        index: Index,
    ) -> Self {
        let state = LeaseFileState {
            index,
            collected: Vec::with_capacity(2 * COLLECTED_MAX),
            spare: Vec::with_capacity(2 * COLLECTED_MAX),
            recorded: 0,
            settled: 0,
            writing: false,
            failed: None,
            writer: None,
            connections: 0,
        };
        let (state, turned) = (Mutex::new(state), Condvar::new());
        Self { format, family, durability, path, file, state, turned }
    }

    /// A number for a new connection, unless the file failed before.
    pub(super) fn number(&self) -> Result<u64, BackendError> {
        let mut state = self.state();
        state.connections += 1;
        state.failed.clone().map_or(Ok(state.connections), Err)
    }

    /// The present state, to be read.
    pub(super) fn state(&self) -> MutexGuard<'_, LeaseFileState> {
        // Code that holds the lock can panic only because of a bug in this module, which a poisoned lock would only
        // hide.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state for a change by this connection; waits until no other connection has a transaction open.
    pub(super) fn state_for(
        &self,
        connection: u64,
    ) -> Result<MutexGuard<'_, LeaseFileState>, BackendError> {
        let mut state = self.state();
        while state.writer.is_some_and(|writer| writer != connection) {
            state = self.wait(state);
        }
        match &state.failed {
            Some(failed) => Err(failed.clone()),
            None => Ok(state),
        }
    }

    /// Appends a record and waits until it is as safe as required.
    pub(super) fn record(
        &self,
        mut state: MutexGuard<'_, LeaseFileState>,
        id: u32,
    ) -> Result<(), BackendError> {
        let LeaseFileState { index, collected, recorded, .. } = &mut *state;
        let before = collected.len();
        self.format.write(self.family, &index.columns(id), collected);
        *recorded += (collected.len() - before) as u64;
        self.settle(state)
    }

    /// Appends the record of a lease's deletion, releases the lease's memory, and waits likewise.
    pub(super) fn record_end(
        &self,
        mut state: MutexGuard<'_, LeaseFileState>,
        (id, taken): (u32, &Entry),
    ) -> Result<(), BackendError> {
        let LeaseFileState { index, collected, recorded, .. } = &mut *state;
        let before = collected.len();
        self.format.write(self.family, &ended(&index.columns_of(id, taken)), collected);
        *recorded += (collected.len() - before) as u64;
        index.forget(taken);
        self.settle(state)
    }

    /// Appends the records of a transaction, which ends with this, and waits likewise.
    pub(super) fn record_all(
        &self,
        mut state: MutexGuard<'_, LeaseFileState>,
        records: &[u8],
    ) -> Result<(), BackendError> {
        state.collected.extend_from_slice(records);
        state.recorded += records.len() as u64;
        self.release(&mut state);
        self.settle(state)
    }

    /// Lets all connections make changes again.
    pub(super) fn release(&self, state: &mut LeaseFileState) {
        state.writer = None;
        self.turned.notify_all();
    }

    /// Passes everything to the system, and also to the disk if every change must be on the disk before it is answered.
    pub(super) fn settle_all(&self) -> Result<(), BackendError> {
        let state = self.state();
        let until = state.recorded;
        self.settle_until(state, until)
    }

    fn settle(&self, state: MutexGuard<'_, LeaseFileState>) -> Result<(), BackendError> {
        let collected = state.collected.len();
        let waits = match self.durability {
            Durability::Sync => true,
            Durability::Async if state.writing => collected >= WAITING_MAX,
            Durability::Async => collected >= COLLECTED_MAX,
        };
        if !waits {
            return Ok(());
        }
        let until = state.recorded;
        self.settle_until(state, until)
    }

    fn settle_until<'l>(
        &'l self,
        mut state: MutexGuard<'l, LeaseFileState>,
        until: u64,
    ) -> Result<(), BackendError> {
        loop {
            if let Some(failed) = &state.failed {
                return Err(failed.clone());
            }
            if state.settled >= until {
                return Ok(());
            }
            if state.writing {
                state = self.wait(state);
                continue;
            }
            state.writing = true;
            let spare = std::mem::take(&mut state.spare);
            let mut records = std::mem::replace(&mut state.collected, spare);
            let recorded = state.recorded;
            drop(state);
            let written = self.write(&records);
            records.clear();
            state = self.state();
            state.spare = records;
            state.writing = false;
            match written {
                Ok(()) => state.settled = recorded,
                Err(error) => state.failed = Some(self.backend_error(&error)),
            }
            self.turned.notify_all();
        }
    }

    fn write(&self, records: &[u8]) -> std::io::Result<()> {
        (&self.file).write_all(records)?;
        match self.durability {
            Durability::Sync => self.file.sync_data(),
            Durability::Async => Ok(()),
        }
    }

    fn wait<'l>(&self, state: MutexGuard<'l, LeaseFileState>) -> MutexGuard<'l, LeaseFileState> {
        self.turned.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn backend_error(&self, error: &std::io::Error) -> BackendError {
        BackendError::new(
            Class::Closed,
            error.raw_os_error().unwrap_or(0).cast_unsigned(),
            format!(
                "write {}: {error}; the contents of the disk are unknown now, so nothing further is written",
                self.path.display()
            ),
        )
    }
}

/// The record of a deletion: the lease with a lifetime of 0.
pub(super) fn ended<'a>(columns: &Columns<'a>) -> Columns<'a> {
    Columns { valid_lifetime: 0, ..*columns }
}
