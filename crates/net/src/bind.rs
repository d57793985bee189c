//! One socket option that none of the crates in use offers: `IP_BIND_ADDRESS_NO_PORT`.
//!
//! Without it, binding a source address also takes a local port at once, for all targets together. With it the kernel
//! chooses the port at `connect`, per target, so each (source, target) pair has the whole range (`ip(7)`). This module
//! may use `unsafe`, and contains nothing else.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Makes the kernel choose the port at `connect`, not at `bind`.
#[expect(unsafe_code, reason = "the socket option is in libc alone")]
pub(super) fn choose_port_late(socket: BorrowedFd<'_>) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the descriptor is borrowed, and therefore open during the call; the kernel reads size_of::<c_int>() bytes
    // from `on`, which outlives the call.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
