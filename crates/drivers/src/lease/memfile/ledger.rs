//! The one thing all stores of a memfile share: a [`Ledger`] of the index, the file and what is not in the file yet.
//!
//! One lock holds both, so that records stand in the file in the order in which the index changed. It is held for as
//! long as a change takes in memory, and never while the disk is waited for: whoever wants its record on the disk takes
//! all that was collected until then along with it and flushes it without the lock, and whoever comes meanwhile waits
//! for the next flush. So many workers share one flush, and one worker never waits for anybody.
//!
//! After a failed write or flush nobody can know what the disk has (fsync(2) reports an error once), so the ledger then
//! refuses every further change.

use super::index::{Columns, Entry, Index};
use super::record::Format;
use crate::lease::Trouble;
use crate::lease::leases::{Durability, Family};
use brunt_exchange::Class;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// So much is collected before it is handed to the system, where nobody waits for it.
pub(super) const COLLECTED_MAX: usize = 64 * 1024;
/// So much may be collected while something else is being written.
const WAITING_MAX: usize = 16 * COLLECTED_MAX;

/// An index, and the file of its changes.
pub(super) struct Ledger {
    pub(super) format: Format,
    pub(super) family: Family,
    durability: Durability,
    path: PathBuf,
    file: File,
    page: Mutex<Page>,
    /// Something was written, or a transaction ended.
    turned: Condvar,
}

/// What the lock holds.
pub(super) struct Page {
    pub(super) index: Index,
    /// Records that were not handed to the system yet.
    collected: Vec<u8>,
    /// Memory for the next records, while others are being written.
    spare: Vec<u8>,
    /// The octets of all records so far, and of those that are where they have to be.
    recorded: u64,
    settled: u64,
    writing: bool,
    failed: Option<Trouble>,
    /// The store that has a transaction open: nobody else changes anything until it ends.
    writer: Option<u64>,
    stores: u64,
}

impl Page {
    /// Lets this store alone change anything until its transaction ends.
    pub(super) fn reserve(&mut self, store: u64) {
        self.writer = Some(store);
    }
}

impl Ledger {
    pub(super) fn new(
        (format, family, durability): (Format, Family, Durability),
        path: PathBuf,
        file: File,
        index: Index,
    ) -> Self {
        let page = Page {
            index,
            collected: Vec::with_capacity(2 * COLLECTED_MAX),
            spare: Vec::with_capacity(2 * COLLECTED_MAX),
            recorded: 0,
            settled: 0,
            writing: false,
            failed: None,
            writer: None,
            stores: 0,
        };
        let (page, turned) = (Mutex::new(page), Condvar::new());
        Self { format, family, durability, path, file, page, turned }
    }

    /// A number for a new store, unless the file was given up.
    pub(super) fn number(&self) -> Result<u64, Trouble> {
        let mut page = self.page();
        page.stores += 1;
        page.failed.clone().map_or(Ok(page.stores), Err)
    }

    /// The page as it is, to be read.
    pub(super) fn page(&self) -> MutexGuard<'_, Page> {
        // No code that holds the lock can panic but by a bug of ours, which a poisoned lock would only hide.
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The page for a change by this store, once nobody else has a transaction open.
    pub(super) fn page_for(&self, store: u64) -> Result<MutexGuard<'_, Page>, Trouble> {
        let mut page = self.page();
        while page.writer.is_some_and(|writer| writer != store) {
            page = self.wait(page);
        }
        match &page.failed {
            Some(failed) => Err(failed.clone()),
            None => Ok(page),
        }
    }

    /// Appends a record and waits until it is as safe as was asked for.
    pub(super) fn record(&self, mut page: MutexGuard<'_, Page>, id: u32) -> Result<(), Trouble> {
        let Page { index, collected, recorded, .. } = &mut *page;
        let before = collected.len();
        self.format.write(self.family, &index.columns(id), collected);
        *recorded += (collected.len() - before) as u64;
        self.settle(page)
    }

    /// Appends the record of a lease's deletion, which goes with it, and waits likewise.
    pub(super) fn record_end(
        &self,
        mut page: MutexGuard<'_, Page>,
        (id, taken): (u32, &Entry),
    ) -> Result<(), Trouble> {
        let Page { index, collected, recorded, .. } = &mut *page;
        let before = collected.len();
        self.format.write(self.family, &ended(&index.columns_of(id, taken)), collected);
        *recorded += (collected.len() - before) as u64;
        index.forget(taken);
        self.settle(page)
    }

    /// Appends the records of a transaction, which ends with this, and waits likewise.
    pub(super) fn record_all(
        &self,
        mut page: MutexGuard<'_, Page>,
        records: &[u8],
    ) -> Result<(), Trouble> {
        page.collected.extend_from_slice(records);
        page.recorded += records.len() as u64;
        self.release(&mut page);
        self.settle(page)
    }

    /// Lets everybody change something again.
    pub(super) fn release(&self, page: &mut Page) {
        page.writer = None;
        self.turned.notify_all();
    }

    /// Hands everything to the system, and where every change is on the disk before it is answered, to the disk.
    pub(super) fn settle_all(&self) -> Result<(), Trouble> {
        let page = self.page();
        let until = page.recorded;
        self.settle_until(page, until)
    }

    fn settle(&self, page: MutexGuard<'_, Page>) -> Result<(), Trouble> {
        let collected = page.collected.len();
        let waits = match self.durability {
            Durability::Sync => true,
            Durability::Async if page.writing => collected >= WAITING_MAX,
            Durability::Async => collected >= COLLECTED_MAX,
        };
        if !waits {
            return Ok(());
        }
        let until = page.recorded;
        self.settle_until(page, until)
    }

    fn settle_until<'l>(
        &'l self,
        mut page: MutexGuard<'l, Page>,
        until: u64,
    ) -> Result<(), Trouble> {
        loop {
            if let Some(failed) = &page.failed {
                return Err(failed.clone());
            }
            if page.settled >= until {
                return Ok(());
            }
            if page.writing {
                page = self.wait(page);
                continue;
            }
            page.writing = true;
            let spare = std::mem::take(&mut page.spare);
            let mut records = std::mem::replace(&mut page.collected, spare);
            let recorded = page.recorded;
            drop(page);
            let written = self.write(&records);
            records.clear();
            page = self.page();
            page.spare = records;
            page.writing = false;
            match written {
                Ok(()) => page.settled = recorded,
                Err(error) => page.failed = Some(self.trouble(&error)),
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

    fn wait<'l>(&self, page: MutexGuard<'l, Page>) -> MutexGuard<'l, Page> {
        self.turned.wait(page).unwrap_or_else(PoisonError::into_inner)
    }

    fn trouble(&self, error: &std::io::Error) -> Trouble {
        Trouble {
            class: Class::Closed,
            code: error.raw_os_error().unwrap_or(0).cast_unsigned(),
            text: format!(
                "write {}: {error}; the contents of the disk are unknown now, so nothing further is written",
                self.path.display()
            ),
        }
    }
}

/// The record of a deletion: the lease with a lifetime of 0.
pub(super) fn ended<'a>(columns: &Columns<'a>) -> Columns<'a> {
    Columns { valid_lifetime: 0, ..*columns }
}
