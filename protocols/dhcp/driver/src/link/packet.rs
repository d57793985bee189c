//! What an `AF_PACKET` socket needs and none of the crates in use offers (`packet(7)`): binding to an interface,
//! promiscuous mode, and the status of a frame from the network card.
//!
//! This module may use `unsafe`; it deals with descriptors and interfaces, and does not depend on the content of a
//! frame.

use super::filter;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// Opens a socket for all frames of the interface that come in for this UDP port, and for ARP.
pub(super) fn open(index: u32, port: u16) -> io::Result<Socket> {
    // Without a protocol, the socket receives nothing before it is bound, so every frame passes the filter.
    let socket = Socket::new(Domain::PACKET, Type::RAW, None::<Protocol>)?;
    socket.set_nonblocking(true)?;
    socket.attach_filter(&filter::program(port))?;
    let everything = libc::packet_mreq {
        mr_ifindex: index.cast_signed(),
        mr_type: libc::PACKET_MR_PROMISC as libc::c_ushort,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    set(socket.as_fd(), libc::PACKET_ADD_MEMBERSHIP, &everything)?;
    set(socket.as_fd(), libc::PACKET_AUXDATA, &1_i32)?;
    bind(socket.as_fd(), index)?;
    Ok(socket)
}

/// The longest packet that the interface of this name allows.
#[expect(unsafe_code, reason = "the request is in libc alone")]
pub(super) fn mtu(socket: BorrowedFd<'_>, name: &str) -> io::Result<usize> {
    let mut request = libc::ifreq {
        ifr_name: [0; libc::IFNAMSIZ],
        ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_mtu: 0 },
    };
    // The name ends in a zero: the last octet is never written.
    for (into, octet) in request.ifr_name.iter_mut().zip(name.bytes()).take(libc::IFNAMSIZ - 1) {
        *into = libc::c_char::from_ne_bytes([octet]);
    }
    // SAFETY: the descriptor is borrowed, and therefore open; the kernel reads the name and writes the MTU within
    // `request`.
    let result =
        unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFMTU as _, &raw mut request) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: SIOCGIFMTU has just written this member, and every bit pattern is an integer.
    let mtu = unsafe { request.ifr_ifru.ifru_mtu };
    Ok(usize::try_from(mtu).unwrap_or_default())
}

#[expect(unsafe_code, reason = "options of raw frames are in libc alone")]
fn set<T: Copy>(socket: BorrowedFd<'_>, option: libc::c_int, value: &T) -> io::Result<()> {
    // SAFETY: the descriptor is borrowed, and therefore open; the kernel reads size_of::<T>() bytes from `value`.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            option,
            std::ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[expect(unsafe_code, reason = "addresses of raw frames are in libc alone")]
fn bind(socket: BorrowedFd<'_>, index: u32) -> io::Result<()> {
    let address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as libc::c_ushort,
        sll_protocol: (libc::ETH_P_ALL as u16).to_be(),
        sll_ifindex: index.cast_signed(),
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    // SAFETY: the descriptor is borrowed, and therefore open; the kernel reads a sockaddr_ll from `address`.
    let result = unsafe {
        libc::bind(
            socket.as_raw_fd(),
            (&raw const address).cast(),
            size_of::<libc::sockaddr_ll>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
