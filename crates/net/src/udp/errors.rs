//! The [`ErrorQueue`] of a socket: the ICMP errors about datagrams that it sent (`IP_RECVERR`).
//!
//! A socket that sends to many addresses receives no report of an ICMP port unreachable, unless it requests this; then
//! the kernel also makes the next call on the socket fail with that error, whatever the call does. So a caller that
//! gets an error empties the queue and calls again. It must not depend on the destination or the content of the
//! datagrams.

use nix::libc::{ECONNREFUSED, SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6};
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt, sockopt,
};
use std::cell::{Cell, RefCell};
use std::io::{self, IoSliceMut};
use std::os::fd::{AsRawFd as _, BorrowedFd};

/// Room for what the kernel reports about an error: the error with the address of its sender, a stamp, the drop
/// counter.
const CONTROL: usize = 256;

/// The errors that came back for datagrams of one socket.
#[derive(Debug)]
pub(super) struct ErrorQueue {
    control: RefCell<Vec<u8>>,
    unreachable: Cell<u64>,
}

impl ErrorQueue {
    /// Requests that the kernel keeps the errors of this socket. If it cannot, no error is ever found.
    pub(super) fn enable(socket: BorrowedFd<'_>, v6: bool) {
        // On a kernel without the option the socket simply reports no errors.
        let _ = if v6 {
            setsockopt(&socket, sockopt::Ipv6RecvErr, &true)
        } else {
            setsockopt(&socket, sockopt::Ipv4RecvErr, &true)
        };
    }

    pub(super) fn new() -> Self {
        let control = RefCell::new(vec![0; CONTROL]);
        Self { control, unreachable: Cell::new(0) }
    }

    /// Removes all errors from the queue. Returns whether there was an ICMP error among them, which does not belong to
    /// the call that failed.
    pub(super) fn empty(&self, socket: BorrowedFd<'_>) -> bool {
        let mut found = false;
        let mut control = self.control.borrow_mut();
        loop {
            // The datagram of the error is not needed.
            let mut bytes = [0; 0];
            let mut vectors = [IoSliceMut::new(&mut bytes)];
            let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
            let taken = recvmsg::<SockaddrStorage>(
                socket.as_raw_fd(),
                &mut vectors,
                Some(&mut control),
                flags,
            );
            let Ok(taken) = taken else { return found };
            for message in taken.cmsgs().into_iter().flatten() {
                let (ControlMessageOwned::Ipv4RecvErr(error, _)
                | ControlMessageOwned::Ipv6RecvErr(error, _)) = message
                else {
                    continue;
                };
                found |= [SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6].contains(&error.ee_origin);
                if error.ee_errno == ECONNREFUSED.cast_unsigned() {
                    self.unreachable.set(self.unreachable.get() + 1);
                }
            }
        }
    }

    /// Whether an error belongs to a datagram that was sent before, and not to the call that failed.
    pub(super) fn explains(&self, socket: BorrowedFd<'_>, error: &io::Error) -> bool {
        if error.kind() == io::ErrorKind::WouldBlock {
            return false;
        }
        // The socket is not connected, so no call is refused itself.
        self.empty(socket) || error.kind() == io::ErrorKind::ConnectionRefused
    }

    /// How many datagrams came back because no socket has the port they were sent to.
    pub(super) fn unreachable(&self) -> u64 {
        self.unreachable.get()
    }
}
