//! [`AccessPaths`]: which path is used, and how it is opened for each session.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use brunt_exchange::Meaning;
use brunt_ldap_wire::code;
use brunt_net::resend::Resend;

use super::access_path::AccessPath;
use super::ldap::{Directory, LdapPath};
use super::nscd::NscdPath;
use super::nslcd::NslcdPath;
use super::nss::NssPath;

/// The access path, and how long each step on it may take.
#[derive(Clone, Debug)]
pub enum AccessPaths {
    /// The C library, as any program uses it.
    Nss,
    /// The socket of nscd.
    Nscd {
        /// The path of the socket.
        socket: Arc<Path>,
        /// How long a step may take, so that an abandoned thread ends eventually.
        timeout: Option<Duration>,
    },
    /// The socket of nslcd.
    Nslcd {
        /// The path of the socket.
        socket: Arc<Path>,
        /// How long a step may take.
        timeout: Option<Duration>,
    },
    /// A directory.
    Ldap {
        /// The directory.
        directory: Arc<Directory>,
        /// How long a step may take.
        timeout: Option<Duration>,
        /// Whether a search is sent again if its connection ended; this is safe.
        resend: Resend,
    },
}

impl AccessPaths {
    /// A path for one session.
    pub fn open(&self) -> Box<dyn AccessPath> {
        match self {
            Self::Nss => Box::new(NssPath::new()),
            Self::Nscd { socket, timeout } => Box::new(NscdPath::new(Arc::clone(socket), *timeout)),
            Self::Nslcd { socket, timeout } => {
                Box::new(NslcdPath::new(Arc::clone(socket), *timeout))
            }
            Self::Ldap { directory, timeout, resend } => {
                Box::new(LdapPath::new(Arc::clone(directory), *timeout, *resend))
            }
        }
    }

    /// The name of a refusal's code on this path.
    pub fn name_of(&self, code: u32) -> String {
        match self {
            Self::Ldap { .. } => code::name(code).to_owned(),
            _ => io::Error::from_raw_os_error(code.cast_signed()).to_string(),
        }
    }

    /// What a refusal's code means on this path.
    pub fn meaning_of(&self, code: u32) -> Option<Meaning> {
        match (self, code) {
            (Self::Ldap { .. }, code::BUSY | code::UNAVAILABLE) => Some(Meaning::Busy),
            (Self::Ldap { .. }, code::TIME_LIMIT_EXCEEDED) => Some(Meaning::TimeLimit),
            _ => None,
        }
    }
}
