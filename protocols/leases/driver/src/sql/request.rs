//! [`SqlRequest`]: a request to an SQL store, with its values; and [`StatementId`], its statement.

use super::{Address, Bind, SqlTemplate, SqlTemplates, Table};
use crate::backend::Renewal;
use crate::leases::Lease;

/// Which statement is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatementId {
    Create,
    ByAddress,
    ByClientId,
    ByHardware,
    Renew,
    Release,
    Expired,
    Reclaim,
}

impl StatementId {
    const ALL: [Self; 8] = [
        Self::Create,
        Self::ByAddress,
        Self::ByClientId,
        Self::ByHardware,
        Self::Renew,
        Self::Release,
        Self::Expired,
        Self::Reclaim,
    ];

    /// Calls a function for each; `id as usize` is the index of its result.
    pub(crate) fn each<T, E>(make: impl FnMut(Self) -> Result<T, E>) -> Result<Box<[T]>, E> {
        Self::ALL.into_iter().map(make).collect()
    }

    /// Its template.
    pub(crate) fn of(self, templates: &SqlTemplates) -> &SqlTemplate {
        match self {
            Self::Create => &templates.create,
            Self::ByAddress => &templates.by_address,
            Self::ByClientId => &templates.by_client_id,
            Self::ByHardware => &templates.by_hardware,
            Self::Renew => &templates.renew,
            Self::Release => &templates.release,
            Self::Expired => &templates.expired,
            Self::Reclaim => &templates.reclaim,
        }
    }

    /// What is being attempted, as text.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Create => "write a lease",
            Self::ByAddress | Self::ByClientId | Self::ByHardware => "look for a lease",
            Self::Renew => "renew a lease",
            Self::Release => "delete a lease",
            Self::Expired => "look for expired leases",
            Self::Reclaim => "reclaim a lease",
        }
    }
}

/// A request with its values.
#[derive(Debug)]
pub(crate) enum SqlRequest<'a> {
    Create(Table, &'a Lease, Address),
    ByAddress(Address),
    ByClientId(&'a [u8]),
    ByHardware(&'a [u8]),
    Renew(Table, &'a Renewal, Address),
    Release(Address),
    /// The leases that had expired at this moment, at most this number.
    Expired(i64, u32),
    /// The lease of an address, if it had expired at this moment.
    Reclaim(&'a Address, i64),
}

impl SqlRequest<'_> {
    /// The statement of the request.
    #[inline]
    pub(crate) fn id(&self) -> StatementId {
        match self {
            Self::Create(..) => StatementId::Create,
            Self::ByAddress(_) => StatementId::ByAddress,
            Self::ByClientId(_) => StatementId::ByClientId,
            Self::ByHardware(_) => StatementId::ByHardware,
            Self::Renew(..) => StatementId::Renew,
            Self::Release(_) => StatementId::Release,
            Self::Expired(..) => StatementId::Expired,
            Self::Reclaim(..) => StatementId::Reclaim,
        }
    }

    /// Binds its values, in the order of the parameters.
    #[inline]
    pub(crate) fn bind<'b>(&'b self, bind: &mut impl Bind<'b>) {
        match self {
            Self::Create(table, lease, at) => table.bind_create(lease, at, bind),
            Self::Renew(table, renewal, at) => table.bind_renew(renewal, at, bind),
            Self::ByAddress(at) | Self::Release(at) => at.bind(bind),
            Self::ByClientId(octets) | Self::ByHardware(octets) => bind.octets(octets),
            Self::Expired(now, limit) => {
                bind.number(*now);
                bind.number(i64::from(*limit));
            }
            Self::Reclaim(at, now) => {
                at.bind(bind);
                bind.number(*now);
            }
        }
    }
}
