//! Leases in memory and in a file of their changes, as Kea's memfile backend and ISC's lease file keep them: a
//! [`MemfileBackend`].
//!
//! | piece | what it is |
//! |---|---|
//! | `index` | every lease in memory, by address and by the other values that are searched |
//! | `record` | the text of a record, written and read |
//! | `lease_file` | index and file under one lock, and waiting for the disk |
//! | `recovery` | a file read back into an index |
//! | `connection` | one worker's connection, and its transaction |
//!
//! Every change appends a record to the file; the last one of an address counts. The file never shrinks while it is
//! used: Kea has a separate program for cleaning it up (`kea-lfc`), which would disturb the measurement. What other
//! sessions find in the index may not be on the disk yet, but a change is answered only when it is as safe as required.
//! A transaction keeps its records separately and appends them in one piece; since neither format marks which records
//! belong together, a machine that stops during the write can leave the first of them in the file, although the
//! transaction was never answered.

mod connection;
mod index;
mod lease_file;
mod record;
mod recovery;
mod slabs;

pub use record::Format;
pub use recovery::Recovered;

use super::leases::{Durability, Family, Lease, Schema};
use super::{Backend, BackendError, Connection};
use brunt_exchange::Class;
use connection::MemfileConnection;
use lease_file::LeaseFile;
use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where a lease file is and how it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemfileSetup {
    /// The file.
    pub path: PathBuf,
    /// How records are written.
    pub format: Format,
    /// The values by which leases can be found without reading each one: the address, or what Kea has indexes for.
    pub schema: Schema,
    /// The leases.
    pub family: Family,
    /// Whether each change is on the disk before it is answered.
    pub durability: Durability,
    /// Whether a file that brunt did not create may be emptied.
    pub may_destroy: bool,
}

/// A lease file and its index.
pub struct MemfileBackend {
    setup: MemfileSetup,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    lease_file: Option<Arc<LeaseFile>>,
    made: Option<Preparation>,
}

/// What `prepare` did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preparation {
    /// There was no file.
    New,
    /// There was one, and it was emptied.
    Emptied,
}

impl MemfileBackend {
    /// A backend in this file, which is not opened or changed yet.
    pub fn new(setup: MemfileSetup) -> Self {
        Self { setup, inner: Mutex::new(Inner::default()) }
    }

    /// Reads the file back into an index, as after a restart, and cuts off what remains of a torn last record. The
    /// first [`open`](Backend::open) does the same if nothing was prepared.
    pub fn recover(&self) -> Result<Recovered, BackendError> {
        self.recover_inner(&mut self.inner())
    }

    fn recover_inner(&self, inner: &mut Inner) -> Result<Recovered, BackendError> {
        let (lease_file, recovered) = self.read()?;
        inner.lease_file = Some(Arc::new(lease_file));
        Ok(recovered)
    }

    fn read(&self) -> Result<(LeaseFile, Recovered), BackendError> {
        let MemfileSetup { path, format, schema, family, durability, .. } = &self.setup;
        let failed = |error: &std::io::Error| backend_error("open", path, error);
        let mut file =
            OpenOptions::new().read(true).write(true).open(path).map_err(|e| failed(&e))?;
        let read = recovery::recover((*format, *family), *schema, path, &file)?;
        let header = format.header(*family);
        let mut cut = || {
            file.set_len(read.length)?;
            file.seek(SeekFrom::End(0))?;
            if read.length < header.len() as u64 {
                file.write_all(header.as_bytes())?;
            }
            if *durability == Durability::Sync { file.sync_all() } else { Ok(()) }
        };
        cut().map_err(|error| failed(&error))?;
        let kind = (*format, *family, *durability);
        Ok((LeaseFile::new(kind, path.clone(), file, read.index), read.recovered))
    }

    /// Makes the file with only its header, and flushes it if changes are flushed.
    fn make(&self) -> std::io::Result<()> {
        let mut file = File::create(&self.setup.path)?;
        file.write_all(self.setup.format.header(self.setup.family).as_bytes())?;
        if self.setup.durability == Durability::Sync {
            file.sync_all()?;
            let directory = self.setup.path.parent().filter(|path| !path.as_os_str().is_empty());
            File::open(directory.unwrap_or(Path::new(".")))?.sync_all()?;
        }
        Ok(())
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Each change is a single assignment, so the state is consistent after a panic.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for MemfileBackend {
    fn prepare(&self) -> Result<(), BackendError> {
        let mut inner = self.inner();
        let path = &self.setup.path;
        let length = std::fs::metadata(path).map(|metadata| metadata.len()).ok();
        if let (None, false, Some(length @ 1..)) = (inner.made, self.setup.may_destroy, length) {
            let text = format!(
                "create the lease file: {} exists and contains {length} octets; name another file, or allow emptying \
                 it with --yes-destroy",
                path.display()
            );
            return Err(BackendError::new(Class::Check, 0, text));
        }
        inner.lease_file = None;
        self.make().map_err(|error| backend_error("make", path, &error))?;
        let made = if length.is_some() { Preparation::Emptied } else { Preparation::New };
        inner.made.get_or_insert(made);
        self.recover_inner(&mut inner).map(drop)
    }

    fn open(&self) -> Result<Box<dyn Connection>, BackendError> {
        let mut inner = self.inner();
        if inner.lease_file.is_none() {
            self.recover_inner(&mut inner)?;
        }
        match &inner.lease_file {
            Some(lease_file) => Ok(Box::new(MemfileConnection::new(Arc::clone(lease_file))?)),
            None => Err(BackendError::refused(0, "open the lease file: it was cleared away")),
        }
    }

    /// Counts the leases in the file, and not those in the index.
    fn count(&self) -> Result<u64, BackendError> {
        let lease_file = self.inner().lease_file.clone();
        if let Some(lease_file) = lease_file {
            lease_file.settle_all()?;
        }
        let MemfileSetup { path, format, family, .. } = &self.setup;
        let file = File::open(path).map_err(|error| backend_error("open", path, &error))?;
        let read = recovery::recover((*format, *family), Schema::Guide, path, &file)?;
        Ok(read.recovered.leases)
    }

    fn preload(&self, leases: &mut dyn Iterator<Item = Lease>) -> Result<(), BackendError> {
        let mut connection = self.open()?;
        connection.begin()?;
        for (place, lease) in leases.enumerate() {
            connection.create(&lease)?;
            if place % 10_000 == 9_999 {
                connection.commit()?;
                connection.begin()?;
            }
        }
        connection.commit()
    }

    fn clear(&self) -> Result<(), BackendError> {
        let mut inner = self.inner();
        let path = &self.setup.path;
        inner.lease_file = None;
        match inner.made.take() {
            Some(Preparation::New) => std::fs::remove_file(path),
            Some(Preparation::Emptied) => File::create(path).map(drop),
            None => Ok(()),
        }
        .map_err(|error| backend_error("remove", path, &error))
    }

    fn in_process(&self) -> bool {
        true
    }

    fn left_behind(&self) -> String {
        format!("the file {}", self.setup.path.display())
    }

    fn version(&self) -> Result<String, BackendError> {
        Ok(format!("memfile of brunt {}", env!("CARGO_PKG_VERSION")))
    }

    fn durability(&self) -> String {
        match self.setup.durability {
            Durability::Sync => "each change is appended to the file with write(2) and flushed to the disk with \
                                 fdatasync(2) before it is answered; workers that wait at the same time share a flush"
                .into(),
            Durability::Async => format!(
                "changes are collected in this process and handed to the system whenever {} KiB are full and at the \
                 end, and nothing is ever flushed: what was not handed over is lost with the process, and what the \
                 system had not written with the machine",
                lease_file::COLLECTED_MAX / 1024
            ),
        }
    }

    fn name_of(&self, code: u32) -> String {
        match code {
            0 => "0".into(),
            code => std::io::Error::from_raw_os_error(code.cast_signed()).to_string(),
        }
    }
}

fn backend_error(what: &str, path: &Path, error: &std::io::Error) -> BackendError {
    let text = format!("{what} the lease file {}: {error}", path.display());
    BackendError::new(Class::Connect, error.raw_os_error().unwrap_or(0).cast_unsigned(), text)
}
