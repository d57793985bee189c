//! The [`ErrorQueue`] of a socket: what ICMP said about datagrams that it sent (`IP_RECVERR`).
//!
//! A socket that sends to many addresses is told nothing of the port unreachable that comes back, unless it asks; then
//! the kernel also makes the next call on the socket fail with that error, whatever the call is about. So a caller that
//! gets an error empties the queue and calls again. It must not know who is asked, nor what for.

use nix::libc::{ECONNREFUSED, SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6};
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt, sockopt,
};
use std::cell::{Cell, RefCell};
use std::io::{self, IoSliceMut};
use std::os::fd::{AsRawFd as _, BorrowedFd};

/// Room for what the kernel says of an error: the error with the address of who said so, a stamp, the drop counter.
const CONTROL: usize = 256;

/// The errors that came back for datagrams of one socket.
#[derive(Debug)]
pub(super) struct ErrorQueue {
    control: RefCell<Vec<u8>>,
    unreachable: Cell<u64>,
}

impl ErrorQueue {
    /// Asks the kernel to keep the errors of this socket. Where it cannot, none will ever be found.
    pub(super) fn ask(socket: BorrowedFd<'_>, v6: bool) {
        // A kernel that does not know the option leaves the socket as silent as it was.
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

    /// Takes all errors off the queue. Says whether there was one of ICMP's among them, which the call that met it was
    /// not about.
    pub(super) fn empty(&self, socket: BorrowedFd<'_>) -> bool {
        let mut found = false;
        let mut control = self.control.borrow_mut();
        loop {
            // The datagram that the error is about is not of interest.
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

    /// Whether an error is about a datagram that left before, and not about the call that met it.
    pub(super) fn explains(&self, socket: BorrowedFd<'_>, error: &io::Error) -> bool {
        if error.kind() == io::ErrorKind::WouldBlock {
            return false;
        }
        // Nothing is connected here, so nothing is refused at once.
        self.empty(socket) || error.kind() == io::ErrorKind::ConnectionRefused
    }

    /// How many datagrams came back because nothing listens where they were sent.
    pub(super) fn unreachable(&self) -> u64 {
        self.unreachable.get()
    }
}
