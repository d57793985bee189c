//! A [`SqlConnection`]: the operations on leases, carried out by an SQL store.
//!
//! They are implemented once, so that all stores get the same requests; a [`SqlStore`] turns a request into a
//! statement.

use super::request::SqlRequest;
use super::{Address, Table};
use crate::backend::{Connection, Renewal};
use crate::error::BackendError;
use crate::leases::{Identity, Lease};
use std::time::Duration;

/// The part of a connection to a database that differs between databases.
pub(crate) trait SqlStore {
    /// Executes a request that changes rows; returns how many it changed.
    fn change(&mut self, request: &SqlRequest<'_>) -> Result<u64, BackendError>;

    /// Executes a request that fetches rows, and reads each to its last column; returns how many there were.
    fn fetch(&mut self, request: &SqlRequest<'_>) -> Result<u64, BackendError>;

    /// Executes a request that fetches addresses.
    fn addresses(
        &mut self,
        request: &SqlRequest<'_>,
        found: &mut Vec<Address>,
    ) -> Result<(), BackendError>;

    /// As [`Connection::begin`].
    fn begin(&mut self) -> Result<(), BackendError>;

    /// As [`Connection::commit`].
    fn commit(&mut self) -> Result<(), BackendError>;

    /// As [`Connection::roll_back`].
    fn roll_back(&mut self) -> Result<(), BackendError>;

    /// As [`Connection::has_lapsed`].
    fn has_lapsed(&mut self, idle: Duration) -> bool {
        let _ = idle;
        false
    }

    /// As [`Connection::broken`].
    fn broken(&self) -> bool;
}

/// A connection to a database.
pub(crate) struct SqlConnection<S> {
    store: S,
    table: Table,
    /// The addresses that are reclaimed; kept, so that an exchange allocates nothing.
    over: Vec<Address>,
}

impl<S: SqlStore> SqlConnection<S> {
    pub(crate) const fn new(store: S, table: Table) -> Self {
        Self { store, table, over: Vec::new() }
    }
}

impl<S: SqlStore> Connection for SqlConnection<S> {
    fn create(&mut self, lease: &Lease) -> Result<(), BackendError> {
        let at = self.table.address(lease.address);
        self.store.change(&SqlRequest::Create(self.table, lease, at)).map(drop)
    }

    fn find(&mut self, by: &Identity) -> Result<bool, BackendError> {
        let request = match by {
            Identity::Address(address) => SqlRequest::ByAddress(self.table.address(*address)),
            Identity::ClientId(octets) => SqlRequest::ByClientId(octets),
            Identity::Hardware(octets) => SqlRequest::ByHardware(octets),
        };
        Ok(self.store.fetch(&request)? > 0)
    }

    fn renew(&mut self, renewal: &Renewal) -> Result<bool, BackendError> {
        let at = self.table.address(renewal.address);
        Ok(self.store.change(&SqlRequest::Renew(self.table, renewal, at))? > 0)
    }

    fn release(&mut self, address: u128) -> Result<bool, BackendError> {
        let at = self.table.address(address);
        Ok(self.store.change(&SqlRequest::Release(at))? > 0)
    }

    fn expire(&mut self, now: i64, limit: u32) -> Result<u32, BackendError> {
        self.over.clear();
        self.store.addresses(&SqlRequest::Expired(now, limit), &mut self.over)?;
        let mut reclaimed = 0;
        for at in &self.over {
            reclaimed += self.store.change(&SqlRequest::Reclaim(at, now))? as u32;
        }
        Ok(reclaimed)
    }

    fn begin(&mut self) -> Result<(), BackendError> {
        self.store.begin()
    }

    fn commit(&mut self) -> Result<(), BackendError> {
        self.store.commit()
    }

    fn roll_back(&mut self) -> Result<(), BackendError> {
        self.store.roll_back()
    }

    fn has_lapsed(&mut self, idle: Duration) -> bool {
        self.store.has_lapsed(idle)
    }

    fn broken(&self) -> bool {
        self.store.broken()
    }
}
