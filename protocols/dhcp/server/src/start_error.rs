//! [`StartError`]: why a server did not start.

use std::io;
use std::net::SocketAddr;

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error(
        "listen at {address}: {source}; choose another address or port, or port 0 for a free one"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the operating system.
        source: io::Error,
    },
    /// It would answer any client on the network.
    #[error(
        "listen at {0}: other machines can reach a DHCP server there, and a second server on a network with users \
         causes outages; name one address of this machine, or add --lab and the --interface of a laboratory network"
    )]
    Unsafe(SocketAddr),
    /// The interface of the laboratory network is not named.
    #[error("listen at {0}: name the interface to keep to with --interface")]
    NoInterface(SocketAddr),
    /// The server has no address to use as its identifier.
    #[error("find an IPv4 address of {0}; give it one, or name the server with --server-id")]
    NoServerId(String),
    /// No address to listen on is given.
    #[error("listen: no address is named")]
    Nowhere,
    /// The DUID has an invalid length.
    #[error("use a DUID of {0} octets; it has from 1 to 130 (RFC 8415 section 11.1)")]
    Duid(usize),
    /// The operating system provides no thread or no random bytes.
    #[error("start a thread: {0}")]
    Thread(io::Error),
}
