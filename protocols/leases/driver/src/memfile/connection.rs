//! One worker's connection to a memfile.

use super::index::{Columns, Entry, Which};
use super::lease_file::{LeaseFile, LeaseFileState, ended};
use crate::leases::{Identity, Lease};
use crate::{BackendError, Connection, Renewal};
use brunt_exchange::Class;
use rustix::io::Errno;
use std::hint::black_box;
use std::sync::Arc;

/// The longest hardware address, client identifier and name.
const OCTETS_MAX: usize = 255;

/// A connection to a memfile.
pub(super) struct MemfileConnection {
    lease_file: Arc<LeaseFile>,
    number: u64,
    transaction: Option<Transaction>,
    over: Vec<u32>,
    lost: bool,
}

/// A transaction that is open. Its records are kept separately until it is committed; the index has already changed.
#[derive(Default)]
struct Transaction {
    records: Vec<u8>,
    undo: Vec<Undo>,
}

/// How a change is undone.
enum Undo {
    Created(u32),
    Renewed { id: u32, valid_lifetime: u32, cltt: i64 },
    Released(u32, Entry),
}

impl MemfileConnection {
    /// A connection, unless the file failed before.
    pub(super) fn new(lease_file: Arc<LeaseFile>) -> Result<Self, BackendError> {
        let number = lease_file.number()?;
        Ok(Self { lease_file, number, transaction: None, over: Vec::new(), lost: false })
    }

    /// Makes a change to the index and records it: `change` returns what was changed and how to undo it, or that there
    /// was nothing to change.
    fn change(
        &mut self,
        change: impl FnOnce(&mut LeaseFileState) -> Result<Option<Undo>, BackendError>,
    ) -> Result<bool, BackendError> {
        let done = self.try_change(change);
        if let Err(failure) = &done {
            self.lost |= failure.class == Class::Closed;
        }
        done
    }

    fn try_change(
        &mut self,
        change: impl FnOnce(&mut LeaseFileState) -> Result<Option<Undo>, BackendError>,
    ) -> Result<bool, BackendError> {
        let mut state = self.lease_file.state_for(self.number)?;
        let Some(undo) = change(&mut state)? else { return Ok(false) };
        let Some(transaction) = &mut self.transaction else {
            match undo {
                Undo::Released(id, taken) => self.lease_file.record_end(state, (id, &taken))?,
                Undo::Created(id) | Undo::Renewed { id, .. } => {
                    self.lease_file.record(state, id)?;
                }
            }
            return Ok(true);
        };
        let columns = match &undo {
            Undo::Released(id, taken) => ended(&state.index.columns_of(*id, taken)),
            Undo::Created(id) | Undo::Renewed { id, .. } => state.index.columns(*id),
        };
        let LeaseFile { format, family, .. } = &*self.lease_file;
        format.write(*family, &columns, &mut transaction.records);
        transaction.undo.push(undo);
        state.reserve(self.number);
        Ok(true)
    }

    fn take_back(&mut self) {
        let Some(transaction) = self.transaction.take() else { return };
        if transaction.undo.is_empty() {
            return;
        }
        let mut state = self.lease_file.state();
        for undo in transaction.undo.into_iter().rev() {
            match undo {
                Undo::Created(id) => {
                    let taken = state.index.take(id);
                    state.index.forget(&taken);
                }
                Undo::Renewed { id, valid_lifetime, cltt } => {
                    state.index.renew(id, valid_lifetime, cltt);
                }
                Undo::Released(id, taken) => state.index.put(id, taken),
            }
        }
        self.lease_file.release(&mut state);
    }
}

impl Connection for MemfileConnection {
    fn create(&mut self, lease: &Lease) -> Result<(), BackendError> {
        let columns = columns(lease)?;
        let created = self.change(|state| {
            if state.index.at(columns.address).is_some() {
                let text = format!("create a lease: {} is taken", lease.notation());
                return Err(BackendError::refused(code(Errno::EXIST), text));
            }
            let added = state.index.add(&columns).map(Undo::Created);
            added.map(Some).ok_or_else(|| full("create a lease: there are as many as can be kept"))
        });
        created.map(drop)
    }

    fn find(&mut self, by: &Identity) -> Result<bool, BackendError> {
        let state = self.lease_file.state();
        let found = match by {
            Identity::Address(address) => state.index.at(*address),
            Identity::ClientId(octets) => state.index.with(Which::Client, octets),
            Identity::Hardware(octets) => state.index.with(Which::Hardware, octets),
        };
        let Some(id) = found else { return Ok(false) };
        // In memory, fetching the columns means only finding their position.
        black_box(state.index.columns(id));
        Ok(true)
    }

    fn renew(&mut self, renewal: &Renewal) -> Result<bool, BackendError> {
        has_time(renewal.valid_lifetime)?;
        self.change(|state| {
            let Some(id) = state.index.at(renewal.address) else { return Ok(None) };
            let before = state.index.columns(id);
            let (valid_lifetime, cltt) = (before.valid_lifetime, before.cltt);
            state.index.renew(id, renewal.valid_lifetime, renewal.cltt);
            Ok(Some(Undo::Renewed { id, valid_lifetime, cltt }))
        })
    }

    fn release(&mut self, address: u128) -> Result<bool, BackendError> {
        self.change(|state| {
            let Some(id) = state.index.at(address) else { return Ok(None) };
            let taken = state.index.take(id);
            Ok(Some(Undo::Released(id, taken)))
        })
    }

    /// As a server does it: first the list, then one deletion after the other, each only if the lease is still expired.
    fn expire(&mut self, now: i64, limit: u32) -> Result<u32, BackendError> {
        let mut over = std::mem::take(&mut self.over);
        let state = self.lease_file.state();
        state.index.over(now, limit as usize, &mut over);
        let addresses: Vec<u128> = over.iter().map(|id| state.index.columns(*id).address).collect();
        drop(state);
        self.over = over;
        let mut reclaimed = 0;
        for address in addresses {
            let gone = self.change(|state| {
                let Some(id) = state.index.at(address) else { return Ok(None) };
                if state.index.end(id) >= now {
                    return Ok(None);
                }
                let taken = state.index.take(id);
                Ok(Some(Undo::Released(id, taken)))
            })?;
            reclaimed += u32::from(gone);
        }
        Ok(reclaimed)
    }

    fn begin(&mut self) -> Result<(), BackendError> {
        if self.transaction.is_some() {
            let text = "begin a transaction: one is open already";
            return Err(BackendError::refused(code(Errno::ALREADY), text));
        }
        self.transaction = Some(Transaction::default());
        Ok(())
    }

    fn commit(&mut self) -> Result<(), BackendError> {
        let Some(transaction) = self.transaction.take() else { return Ok(()) };
        if transaction.undo.is_empty() {
            return Ok(());
        }
        let mut state = self.lease_file.state();
        for undo in transaction.undo {
            if let Undo::Released(_, taken) = undo {
                state.index.forget(&taken);
            }
        }
        let recorded = self.lease_file.record_all(state, &transaction.records);
        self.lost |= recorded.is_err();
        recorded
    }

    fn roll_back(&mut self) -> Result<(), BackendError> {
        self.take_back();
        Ok(())
    }

    fn broken(&self) -> bool {
        self.lost
    }
}

impl Drop for MemfileConnection {
    fn drop(&mut self) {
        self.take_back();
        // There is no caller to report to; counting the leases reads the file and shows what is missing.
        let _ = self.lease_file.settle_all();
    }
}

fn columns(lease: &Lease) -> Result<Columns<'_>, BackendError> {
    has_time(lease.valid_lifetime)?;
    let hostname = lease.hostname.as_bytes();
    let lengths = [lease.hardware.len(), lease.client_id.len(), hostname.len()];
    if lengths.into_iter().any(|length| length > OCTETS_MAX) {
        let text =
            format!("keep a lease: an identity or a name is longer than {OCTETS_MAX} octets");
        return Err(BackendError::refused(code(Errno::INVAL), text));
    }
    Ok(Columns {
        address: lease.address,
        hardware: &lease.hardware,
        client_id: &lease.client_id,
        hostname,
        valid_lifetime: lease.valid_lifetime,
        cltt: lease.cltt,
        subnet: lease.subnet,
    })
}

fn has_time(valid_lifetime: u32) -> Result<(), BackendError> {
    if valid_lifetime == 0 {
        let text = "keep a lease: a lifetime of 0 is what the file says of a lease that is gone";
        return Err(BackendError::refused(code(Errno::INVAL), text));
    }
    Ok(())
}

fn full(text: &str) -> BackendError {
    BackendError::refused(code(Errno::NOSPC), text)
}

fn code(error: Errno) -> u32 {
    error.raw_os_error().cast_unsigned()
}
