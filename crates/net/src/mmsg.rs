//! Many datagrams in one system call: `sendmmsg(2)` and `recvmmsg(2)`, and the control messages of the kernel.
//!
//! The system calls are made directly, because none of the crates in use reuses its headers from one `recvmmsg` to the
//! next without losing room for control messages, and making them again would allocate for every batch. This module may
//! use `unsafe`; it deals with descriptors, bytes and addresses, and depends neither on a runtime nor on a protocol.

use nix::sys::socket::{setsockopt, sockopt};
use std::io;
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;
use std::time::Duration;
use tokio::io::unix::AsyncFd;

/// The most datagrams per call.
pub const BATCH: usize = 64;

/// Room for the control messages of one datagram: the drop counter, a stamp and a status, with their headers.
const CONTROL_WORDS: usize = 16;

/// The headers that `sendmmsg` reads.
pub struct Outgoing {
    headers: Box<[libc::mmsghdr; BATCH]>,
    vectors: Box<[libc::iovec; BATCH]>,
    names: Box<[libc::sockaddr_storage; BATCH]>,
}

/// The buffers that `recvmmsg` fills.
pub struct Incoming {
    bytes: Box<[u8]>,
    size: usize,
    headers: Box<[libc::mmsghdr; BATCH]>,
    vectors: Box<[libc::iovec; BATCH]>,
    names: Box<[libc::sockaddr_storage; BATCH]>,
    controls: Box<[[u64; CONTROL_WORDS]; BATCH]>,
    filled: usize,
}

/// What the kernel reports about one datagram besides its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AncillaryData {
    /// How many bytes of it there are in the buffer.
    pub length: usize,
    /// Whether it was longer than the buffer.
    pub truncated: bool,
    /// The sender, if it has an IP address.
    pub from: Option<SocketAddr>,
    /// `SO_RXQ_OVFL`: how many datagrams the socket has lost so far, modulo 2^32. The kernel reports nothing as long as
    /// none is lost.
    pub lost: Option<u32>,
    /// `SO_TIMESTAMPNS`: when it arrived, since 1970.
    pub stamp: Option<Duration>,
    /// `PACKET_AUXDATA`, only for raw frames: what the network card did not compute or removed (`TP_STATUS_` bits).
    pub status: u32,
}

#[expect(
    unsafe_code,
    reason = "headers are of libc, which cannot know whose the pointers in them are"
)]
// SAFETY: the pointers in the headers are written again before every call that reads them, and no other code reads
// them.
unsafe impl Send for Outgoing {}

#[expect(
    unsafe_code,
    reason = "headers are of libc, which cannot know whose the pointers in them are"
)]
// SAFETY: the pointers in the headers are null or point into heap buffers that are owned by the same value.
unsafe impl Send for Incoming {}

impl Default for Outgoing {
    fn default() -> Self {
        Self::new()
    }
}

#[expect(unsafe_code, reason = "sendmmsg is in libc alone")]
impl Outgoing {
    /// Room for the headers of a batch.
    pub fn new() -> Self {
        // SAFETY: a header, a vector and an address of all zeros are valid: null pointers with no length.
        unsafe {
            Self {
                headers: Box::new(zeroed()),
                vectors: Box::new(zeroed()),
                names: Box::new(zeroed()),
            }
        }
    }

    /// Sends up to [`BATCH`] messages in one call; without a destination, through the interface that the socket is
    /// bound to. Returns how many were sent, which is at least one; an error is that of the first message.
    pub fn send<'a>(
        &mut self,
        socket: BorrowedFd<'_>,
        messages: impl Iterator<Item = (&'a [u8], Option<SocketAddr>)>,
    ) -> io::Result<usize> {
        let mut count = 0;
        for (bytes, to) in messages.take(BATCH) {
            self.vectors[count] =
                libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
            self.headers[count].msg_hdr.msg_namelen =
                to.map_or(0, |to| write_name(to, &mut self.names[count]));
            count += 1;
        }
        if count == 0 {
            return Ok(0);
        }
        let (vectors, names) = (self.vectors.as_mut_ptr(), self.names.as_mut_ptr());
        for (index, header) in self.headers[..count].iter_mut().enumerate() {
            let header = &mut header.msg_hdr;
            header.msg_iov = vectors.wrapping_add(index);
            header.msg_iovlen = 1;
            let to = header.msg_namelen > 0;
            header.msg_name = if to { names.wrapping_add(index).cast() } else { ptr::null_mut() };
        }
        // SAFETY: the first `count` headers point to vectors and names of `self` and, through them, to messages that
        // are borrowed for 'a, which outlives this call; the kernel reads them and writes only msg_len.
        let sent = unsafe {
            libc::sendmmsg(
                socket.as_raw_fd(),
                self.headers.as_mut_ptr(),
                count as libc::c_uint,
                (libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL) as _,
            )
        };
        usize::try_from(sent).map_err(|_| io::Error::last_os_error())
    }
}

/// Offers the kernel the full room for an address and for control messages.
fn offer(header: &mut libc::msghdr) {
    header.msg_namelen = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    header.msg_controllen = size_of::<[u64; CONTROL_WORDS]>() as _;
}

#[expect(unsafe_code, reason = "recvmmsg is in libc alone")]
impl Incoming {
    /// Buffers for [`BATCH`] datagrams of at most `size` bytes.
    pub fn new(size: usize) -> Self {
        // SAFETY: a header, a vector and an address of all zeros are valid: null pointers with no length.
        let (headers, vectors, names) =
            unsafe { (Box::new(zeroed()), Box::new(zeroed()), Box::new(zeroed())) };
        let controls = Box::new([[0; CONTROL_WORDS]; BATCH]);
        let bytes = vec![0; size * BATCH].into_boxed_slice();
        let mut incoming = Self { bytes, size, headers, vectors, names, controls, filled: 0 };
        incoming.point();
        incoming
    }

    /// Takes up to `most` waiting datagrams, in place of those taken before. Never blocks.
    pub fn receive(&mut self, socket: BorrowedFd<'_>, most: usize) -> io::Result<usize> {
        self.offer_again();
        let most = most.clamp(1, BATCH);
        // SAFETY: the first `most` headers point into buffers of `self`, with their true lengths, and no other code
        // uses those buffers during the call.
        let count = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                self.headers.as_mut_ptr(),
                most as libc::c_uint,
                libc::MSG_DONTWAIT as _,
                ptr::null_mut(),
            )
        };
        self.filled = usize::try_from(count).map_err(|_| io::Error::last_os_error())?.min(most);
        Ok(self.filled)
    }

    /// The buffer of datagram `index`, all of it.
    pub fn buffer(&self, index: usize) -> &[u8] {
        &self.bytes[index * self.size..][..self.size]
    }

    /// The same, writable, for tests that act in place of the kernel.
    pub fn buffer_mut(&mut self, index: usize) -> &mut [u8] {
        &mut self.bytes[index * self.size..][..self.size]
    }

    /// What the kernel reported about datagram `index` of those taken last.
    pub fn beside(&self, index: usize) -> Option<AncillaryData> {
        let received = self.headers[..self.filled].get(index)?;
        let header = &received.msg_hdr;
        let mut beside = AncillaryData {
            length: (received.msg_len as usize).min(self.size),
            truncated: header.msg_flags & libc::MSG_TRUNC != 0,
            from: read_name(&self.names[index], header.msg_namelen),
            ..AncillaryData::default()
        };
        // SAFETY: the kernel left in msg_control a chain of control messages within msg_controllen bytes, which are in
        // `controls[index]`; CMSG_NXTHDR stays within them, and each value is read at its own length, unaligned.
        unsafe {
            let mut at = libc::CMSG_FIRSTHDR(header);
            while let Some(control) = at.as_ref() {
                let value = libc::CMSG_DATA(at);
                match (control.cmsg_level, control.cmsg_type) {
                    (libc::SOL_SOCKET, libc::SO_RXQ_OVFL) => {
                        beside.lost = Some(value.cast::<u32>().read_unaligned());
                    }
                    (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) => {
                        beside.stamp = since_1970(value.cast::<libc::timespec>().read_unaligned());
                    }
                    // struct tpacket_auxdata begins with tp_status.
                    (libc::SOL_PACKET, libc::PACKET_AUXDATA) => {
                        beside.status = value.cast::<u32>().read_unaligned();
                    }
                    _ => {}
                }
                at = libc::CMSG_NXTHDR(header, at);
            }
        }
        Some(beside)
    }

    /// Points every header at its buffers. They are on the heap and stay where they are.
    fn point(&mut self) {
        let bytes = self.bytes.as_mut_ptr();
        let (vectors, names) = (self.vectors.as_mut_ptr(), self.names.as_mut_ptr());
        let controls = self.controls.as_mut_ptr();
        for index in 0..BATCH {
            let start = bytes.wrapping_add(index * self.size).cast();
            // SAFETY: `index` is less than BATCH, so this writes one element of `vectors`.
            unsafe {
                vectors.add(index).write(libc::iovec { iov_base: start, iov_len: self.size });
            };
            let header = &mut self.headers[index].msg_hdr;
            header.msg_iov = vectors.wrapping_add(index);
            header.msg_iovlen = 1;
            header.msg_name = names.wrapping_add(index).cast();
            header.msg_control = controls.wrapping_add(index).cast();
            offer(header);
        }
    }

    /// Restores the headers that were filled: the kernel reduces the offered lengths to those it used. The others are
    /// unchanged, and most calls fill one or two of many.
    fn offer_again(&mut self) {
        let filled = std::mem::take(&mut self.filled);
        self.headers[..filled].iter_mut().for_each(|header| offer(&mut header.msg_hdr));
    }
}

/// How many datagrams the socket has dropped so far, modulo 2^32 (`SO_MEMINFO`): the value that `SO_RXQ_OVFL` reports
/// with the next datagram that is taken, which may never arrive.
#[expect(unsafe_code, reason = "the socket option is in libc alone")]
pub fn dropped(socket: BorrowedFd<'_>) -> io::Result<u32> {
    /// The index of the drop counter in the answer (`SK_MEMINFO_DROPS` of `linux/sock_diag.h`).
    const DROPS: usize = 8;
    const FIGURES: usize = 16;
    let mut figures = [0u32; FIGURES];
    let mut length = size_of::<[u32; FIGURES]>() as libc::socklen_t;
    // SAFETY: the descriptor is borrowed, and therefore open; the kernel writes at most `length` bytes into `figures`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            figures.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    if (length as usize) < (DROPS + 1) * size_of::<u32>() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(figures[DROPS])
}

/// Makes the kernel report with each datagram how many were lost and when it arrived.
pub fn report(socket: BorrowedFd<'_>) -> io::Result<()> {
    // If a kernel does not report its drops with datagrams, `dropped` reads them.
    let _ = setsockopt(&socket, sockopt::RxqOvfl, &1);
    Ok(setsockopt(&socket, sockopt::ReceiveTimestampns, &true)?)
}

/// Registers a datagram socket with the runtime of this thread.
#[expect(unsafe_code, reason = "the runtime must be told that the descriptor stays open")]
pub fn registered(socket: socket2::Socket) -> io::Result<AsyncFd<socket2::Socket>> {
    // SAFETY: a Socket owns its descriptor, so it is open; it moves into the AsyncFd, which is its only owner until
    // both are closed together, and it always refers to the same descriptor.
    let registered = unsafe { AsyncFd::register(socket) };
    Ok(registered?)
}

/// An array of zeros.
///
/// # Safety
///
/// Zeros must be a valid `T`.
#[expect(unsafe_code, reason = "the caller vouches for zeros")]
unsafe fn zeroed<T: Copy, const N: usize>() -> [T; N] {
    // SAFETY: the caller guarantees that zeros are valid.
    unsafe { [MaybeUninit::<T>::zeroed().assume_init(); N] }
}

#[expect(unsafe_code, reason = "an address of the kernel begins with what it is")]
fn write_name(address: SocketAddr, name: &mut libc::sockaddr_storage) -> libc::socklen_t {
    let name = ptr::from_mut(name);
    match address {
        SocketAddr::V4(address) => {
            let value = libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: address.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(address.ip().octets()) },
                sin_zero: [0; 8],
            };
            // SAFETY: a sockaddr_storage has the size and the alignment for every address.
            unsafe { name.cast::<libc::sockaddr_in>().write(value) };
            size_of::<libc::sockaddr_in>() as libc::socklen_t
        }
        SocketAddr::V6(address) => {
            let value = libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: address.port().to_be(),
                sin6_flowinfo: address.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: address.ip().octets() },
                sin6_scope_id: address.scope_id(),
            };
            // SAFETY: as above.
            unsafe { name.cast::<libc::sockaddr_in6>().write(value) };
            size_of::<libc::sockaddr_in6>() as libc::socklen_t
        }
    }
}

#[expect(unsafe_code, reason = "an address of the kernel begins with what it is")]
fn read_name(name: &libc::sockaddr_storage, length: libc::socklen_t) -> Option<SocketAddr> {
    let length = length as usize;
    match libc::c_int::from(name.ss_family) {
        libc::AF_INET if length >= size_of::<libc::sockaddr_in>() => {
            // SAFETY: the family gives the type in the storage, which is large and aligned enough for it.
            let name = unsafe { &*ptr::from_ref(name).cast::<libc::sockaddr_in>() };
            let ip = Ipv4Addr::from(name.sin_addr.s_addr.to_ne_bytes());
            Some(SocketAddrV4::new(ip, u16::from_be(name.sin_port)).into())
        }
        libc::AF_INET6 if length >= size_of::<libc::sockaddr_in6>() => {
            // SAFETY: as above.
            let name = unsafe { &*ptr::from_ref(name).cast::<libc::sockaddr_in6>() };
            let (ip, port) = (Ipv6Addr::from(name.sin6_addr.s6_addr), u16::from_be(name.sin6_port));
            Some(SocketAddrV6::new(ip, port, name.sin6_flowinfo, name.sin6_scope_id).into())
        }
        _ => None,
    }
}

fn since_1970(stamp: libc::timespec) -> Option<Duration> {
    let seconds = u64::try_from(stamp.tv_sec).ok()?;
    Some(Duration::new(seconds, u32::try_from(stamp.tv_nsec).ok()?))
}
