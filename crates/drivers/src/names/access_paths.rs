//! [`AccessPaths`]: which path is used, and how it is opened for each session.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use brunt_wire::ldap::code;

use super::access_path::AccessPath;
use super::ldap::{Directory, LdapPath};
use super::nscd::NscdPath;
use super::nslcd::NslcdPath;
use super::nss::NssPath;
use crate::resend::Resend;

/// Which path, and how long any step on it may take.
#[derive(Clone, Debug)]
pub enum AccessPaths {
    /// The C library, as any program asks.
    Nss,
    /// The socket of nscd.
    Nscd {
        /// Where it is.
        socket: Arc<Path>,
        /// How long a step may take, so that a thread that was left behind ends some time.
        timeout: Option<Duration>,
    },
    /// The socket of nslcd.
    Nslcd {
        /// Where it is.
        socket: Arc<Path>,
        /// How long a step may take.
        timeout: Option<Duration>,
    },
    /// A directory.
    Ldap {
        /// Which.
        directory: Arc<Directory>,
        /// How long a step may take.
        timeout: Option<Duration>,
        /// Whether a search is sent again that met the end of its connection; it is safe to.
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

    /// What a refusal's code is called on this path.
    pub fn name_of(&self, code: u32) -> String {
        match self {
            Self::Ldap { .. } => code::name(code).to_owned(),
            _ => io::Error::from_raw_os_error(code.cast_signed()).to_string(),
        }
    }
}
