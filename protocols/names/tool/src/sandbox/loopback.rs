//! Brings up the loopback interface of a new network namespace, where it is down at first.
//!
//! One request over rtnetlink (rtnetlink(7), `RTM_NEWLINK`), so that no program of the system is needed for it. In a
//! new namespace the loopback interface is always the first.

use std::io;

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with,
};

const RTM_NEWLINK: u16 = 16;
const NLMSG_ERROR: u16 = 2;
/// The flags of a request that must be acknowledged.
const REQUEST_AND_ACK: u16 = 1 | 4;
const IFF_UP: u32 = 1;
const FIRST_INTERFACE: i32 = 1;
const LENGTH: usize = 32;

/// Brings it up.
pub(super) fn up() -> io::Result<()> {
    // The default protocol is that of routes (NETLINK_ROUTE).
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    sendto(&socket, &request(), SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut answer = [0; 256];
    let (length, _) = recv(&socket, &mut answer[..], RecvFlags::empty())?;
    verdict(answer.get(..length).unwrap_or_default())
}

/// A header (`struct nlmsghdr`) and the new state of the interface (`struct ifinfomsg`).
fn request() -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    bytes[0..4].copy_from_slice(&(LENGTH as u32).to_ne_bytes());
    bytes[4..6].copy_from_slice(&RTM_NEWLINK.to_ne_bytes());
    bytes[6..8].copy_from_slice(&REQUEST_AND_ACK.to_ne_bytes());
    bytes[8..12].copy_from_slice(&1u32.to_ne_bytes());
    bytes[20..24].copy_from_slice(&FIRST_INTERFACE.to_ne_bytes());
    bytes[24..28].copy_from_slice(&IFF_UP.to_ne_bytes());
    bytes[28..32].copy_from_slice(&IFF_UP.to_ne_bytes());
    bytes
}

/// An acknowledgement is an error of number 0.
fn verdict(answer: &[u8]) -> io::Result<()> {
    let kind = answer.get(4..6).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    let code = answer.get(16..20).and_then(|bytes| bytes.try_into().ok()).map(i32::from_ne_bytes);
    match (kind, code) {
        (Some(NLMSG_ERROR), Some(0)) => Ok(()),
        (Some(NLMSG_ERROR), Some(code)) => Err(io::Error::from_raw_os_error(-code)),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn netlink_acknowledgement_is_distinguished_from_errors() {
        let mut answer = [0; 36];
        answer[4..6].copy_from_slice(&NLMSG_ERROR.to_ne_bytes());
        assert!(verdict(&answer).is_ok());
        answer[16..20].copy_from_slice(&(-1i32).to_ne_bytes());
        assert_eq!(verdict(&answer).unwrap_err().raw_os_error(), Some(1));
        assert!(verdict(&answer[..18]).is_err());
        answer[4..6].copy_from_slice(&RTM_NEWLINK.to_ne_bytes());
        assert!(verdict(&answer).is_err());
    }
}
