//! One worker's connection to a database of redb.

use super::row::Row;
use super::shared::{BY_CLIENT, BY_HARDWARE, LEASES, OVER, Shared, backend_error, taken};
use crate::leases::{Identity, Lease, Schema};
use crate::{BackendError, Connection, Renewal};
use brunt_exchange::Class;
use redb::{ReadableTable, TableDefinition, WriteTransaction};
use std::hint::black_box;
use std::sync::Arc;

/// A connection to a database.
pub(super) struct RedbConnection {
    shared: Arc<Shared>,
    /// Whether a transaction was begun. A transaction that only reads needs no write transaction, which would be
    /// flushed.
    begun: bool,
    transaction: Option<WriteTransaction>,
    value: Vec<u8>,
    lost: bool,
}

impl RedbConnection {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            begun: false,
            transaction: None,
            value: Vec::with_capacity(512),
            lost: false,
        }
    }

    /// Makes a change within the open transaction, or in a separate one.
    fn change<T>(
        &mut self,
        change: impl FnOnce(&WriteTransaction, Schema, &mut Vec<u8>) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let schema = self.shared.schema;
        if self.begun && self.transaction.is_none() {
            let transaction = self.shared.begin();
            self.transaction = Some(self.noted(transaction)?);
        }
        let done = match &self.transaction {
            Some(transaction) => change(transaction, schema, &mut self.value),
            None => self.shared.begin().and_then(|transaction| {
                let done = change(&transaction, schema, &mut self.value);
                match done {
                    Ok(done) => self.shared.commit(transaction).map(|()| done),
                    Err(backend_error) => Err(backend_error),
                }
            }),
        };
        self.noted(done)
    }

    fn noted<T>(&mut self, done: Result<T, BackendError>) -> Result<T, BackendError> {
        if let Err(backend_error) = &done {
            self.lost |= backend_error.class == Class::Closed;
        }
        done
    }

    fn look_up(&self, by: &Identity) -> Result<bool, BackendError> {
        // Reads use a common trait, but the tables of the two kinds of transactions are different types.
        macro_rules! look {
            ($transaction:expr) => {{
                let leases = $transaction.open_table(LEASES).map_err(backend_error)?;
                match by {
                    Identity::Address(address) => fetch(&leases, *address),
                    Identity::ClientId(octets) if self.shared.schema == Schema::Kea => {
                        let table = $transaction.open_table(BY_CLIENT).map_err(backend_error)?;
                        indexed(&leases, &table, octets)
                    }
                    Identity::Hardware(octets) if self.shared.schema == Schema::Kea => {
                        let table = $transaction.open_table(BY_HARDWARE).map_err(backend_error)?;
                        indexed(&leases, &table, octets)
                    }
                    Identity::ClientId(octets) => scan(&leases, |row| row.client_id == octets),
                    Identity::Hardware(octets) => scan(&leases, |row| row.hardware == octets),
                }
            }};
        }
        if let Some(transaction) = &self.transaction {
            look!(transaction)
        } else {
            look!(self.shared.database.begin_read().map_err(backend_error)?)
        }
    }
}

impl Connection for RedbConnection {
    fn create(&mut self, lease: &Lease) -> Result<(), BackendError> {
        self.change(|transaction, schema, value| create(transaction, schema, value, lease))
    }

    fn find(&mut self, by: &Identity) -> Result<bool, BackendError> {
        let found = self.look_up(by);
        self.noted(found)
    }

    fn renew(&mut self, renewal: &Renewal) -> Result<bool, BackendError> {
        self.change(|transaction, schema, value| {
            let mut leases = transaction.open_table(LEASES).map_err(backend_error)?;
            let before = {
                let Some(found) = leases.get(renewal.address).map_err(backend_error)? else {
                    return Ok(false);
                };
                let row = Row::read(found.value()).ok_or_else(not_ours)?;
                let Renewal { valid_lifetime, cltt, .. } = *renewal;
                Row { valid_lifetime, cltt, ..row }.write(value);
                row.end()
            };
            leases.insert(renewal.address, value.as_slice()).map_err(backend_error)?;
            if schema == Schema::Kea {
                let mut over = transaction.open_table(OVER).map_err(backend_error)?;
                over.remove((before, renewal.address)).map_err(backend_error)?;
                let end = renewal.cltt.saturating_add(i64::from(renewal.valid_lifetime));
                over.insert((end, renewal.address), ()).map_err(backend_error)?;
            }
            Ok(true)
        })
    }

    fn release(&mut self, address: u128) -> Result<bool, BackendError> {
        self.change(|transaction, schema, _| remove(transaction, schema, address, |_| true))
    }

    /// As a server does it: first the list, then one deletion after the other, each only if the lease is still expired.
    fn expire(&mut self, now: i64, limit: u32) -> Result<u32, BackendError> {
        let schema = self.shared.schema;
        let listed = if let Some(transaction) = &self.transaction {
            let leases = transaction.open_table(LEASES).map_err(backend_error)?;
            let over = transaction.open_table(OVER).map_err(backend_error)?;
            list(schema, &leases, &over, now, limit)
        } else {
            let transaction = self.shared.database.begin_read().map_err(backend_error)?;
            let leases = transaction.open_table(LEASES).map_err(backend_error)?;
            let over = transaction.open_table(OVER).map_err(backend_error)?;
            list(schema, &leases, &over, now, limit)
        };
        let mut reclaimed = 0;
        for address in self.noted(listed)? {
            let gone = self.change(|transaction, schema, _| {
                remove(transaction, schema, address, |row| row.end() < now)
            })?;
            reclaimed += u32::from(gone);
        }
        Ok(reclaimed)
    }

    fn begin(&mut self) -> Result<(), BackendError> {
        self.begun = true;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), BackendError> {
        self.begun = false;
        let Some(transaction) = self.transaction.take() else { return Ok(()) };
        let committed = self.shared.commit(transaction);
        self.noted(committed)
    }

    fn roll_back(&mut self) -> Result<(), BackendError> {
        self.begun = false;
        let Some(transaction) = self.transaction.take() else { return Ok(()) };
        let taken_back = transaction.abort().map_err(backend_error);
        self.noted(taken_back)
    }

    fn broken(&self) -> bool {
        self.lost
    }
}

impl Drop for RedbConnection {
    fn drop(&mut self) {
        // An open transaction is rolled back when it is dropped. There is no caller to report a failed flush to.
        self.transaction = None;
        let _ = self.shared.flush();
    }
}

/// Writes a lease that does not exist yet.
pub(super) fn create(
    transaction: &WriteTransaction,
    schema: Schema,
    value: &mut Vec<u8>,
    lease: &Lease,
) -> Result<(), BackendError> {
    let row = Row::from_lease(lease).ok_or_else(|| {
        BackendError::refused(0, "keep a lease: an identity or a name is longer than 255 octets")
    })?;
    row.write(value);
    let mut leases = transaction.open_table(LEASES).map_err(backend_error)?;
    if leases.get(lease.address).map_err(backend_error)?.is_some() {
        return Err(taken(lease));
    }
    leases.insert(lease.address, value.as_slice()).map_err(backend_error)?;
    if schema == Schema::Kea {
        each_index(&row, |table, octets| {
            let mut table = transaction.open_table(table).map_err(backend_error)?;
            table.insert((octets, lease.address), ()).map_err(backend_error).map(drop)
        })?;
        let mut over = transaction.open_table(OVER).map_err(backend_error)?;
        over.insert((row.end(), lease.address), ()).map_err(backend_error)?;
    }
    Ok(())
}

/// Deletes the lease of an address if there is one and it must be deleted.
fn remove(
    transaction: &WriteTransaction,
    schema: Schema,
    address: u128,
    goes: impl FnOnce(&Row<'_>) -> bool,
) -> Result<bool, BackendError> {
    let mut leases = transaction.open_table(LEASES).map_err(backend_error)?;
    let value = {
        let Some(found) = leases.get(address).map_err(backend_error)? else { return Ok(false) };
        let row = Row::read(found.value()).ok_or_else(not_ours)?;
        if !goes(&row) {
            return Ok(false);
        }
        if schema == Schema::Kea { found.value().to_vec() } else { Vec::new() }
    };
    leases.remove(address).map_err(backend_error)?;
    if schema == Schema::Kea {
        let row = Row::read(&value).ok_or_else(not_ours)?;
        each_index(&row, |table, octets| {
            let mut table = transaction.open_table(table).map_err(backend_error)?;
            table.remove((octets, address)).map_err(backend_error).map(drop)
        })?;
        let mut over = transaction.open_table(OVER).map_err(backend_error)?;
        over.remove((row.end(), address)).map_err(backend_error)?;
    }
    Ok(true)
}

type IdentityTable = TableDefinition<'static, (&'static [u8], u128), ()>;

fn each_index(
    row: &Row<'_>,
    mut change: impl FnMut(IdentityTable, &[u8]) -> Result<(), BackendError>,
) -> Result<(), BackendError> {
    change(BY_CLIENT, row.client_id)?;
    change(BY_HARDWARE, row.hardware)
}

/// Fetches all columns of the lease of an address.
fn fetch(
    leases: &impl ReadableTable<u128, &'static [u8]>,
    address: u128,
) -> Result<bool, BackendError> {
    let Some(found) = leases.get(address).map_err(backend_error)? else { return Ok(false) };
    black_box(Row::read(found.value()).ok_or_else(not_ours)?);
    Ok(true)
}

/// Fetches the leases that an index has for an identity.
fn indexed(
    leases: &impl ReadableTable<u128, &'static [u8]>,
    index: &impl ReadableTable<(&'static [u8], u128), ()>,
    octets: &[u8],
) -> Result<bool, BackendError> {
    let mut there = false;
    for key in index.range((octets, 0)..=(octets, u128::MAX)).map_err(backend_error)? {
        let (key, _) = key.map_err(backend_error)?;
        there |= fetch(leases, key.value().1)?;
    }
    Ok(there)
}

/// Reads every lease.
fn scan(
    leases: &impl ReadableTable<u128, &'static [u8]>,
    wanted: impl Fn(&Row<'_>) -> bool,
) -> Result<bool, BackendError> {
    let mut there = false;
    for entry in leases.iter().map_err(backend_error)? {
        let (_, value) = entry.map_err(backend_error)?;
        let row = Row::read(value.value()).ok_or_else(not_ours)?;
        if wanted(&row) {
            black_box(row);
            there = true;
        }
    }
    Ok(there)
}

/// The addresses of at most `limit` leases that had expired at `now`, the longest expired first.
fn list(
    schema: Schema,
    leases: &impl ReadableTable<u128, &'static [u8]>,
    over: &impl ReadableTable<(i64, u128), ()>,
    now: i64,
    limit: u32,
) -> Result<Vec<u128>, BackendError> {
    let limit = limit as usize;
    if schema == Schema::Kea {
        let keys = over.range(..(now, 0)).map_err(backend_error)?.take(limit);
        return keys.map(|key| key.map(|(key, _)| key.value().1).map_err(backend_error)).collect();
    }
    let mut found = Vec::new();
    for entry in leases.iter().map_err(backend_error)? {
        let (address, value) = entry.map_err(backend_error)?;
        let end = Row::read(value.value()).ok_or_else(not_ours)?.end();
        if end < now {
            found.push((end, address.value()));
        }
    }
    found.sort_unstable();
    found.truncate(limit);
    Ok(found.into_iter().map(|(_, address)| address).collect())
}

fn not_ours() -> BackendError {
    let text = "read a lease: its value is none that this program writes";
    BackendError::new(Class::Protocol, 0, text)
}
