//! A server port that never answers: it records when datagrams arrive, or does not even read them.
//!
//! The times are the kernel's, taken when a datagram arrives, so that they do not depend on when this program was given
//! a processor.

use brunt_testbed::Lan;
use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use rustix::net::sockopt::set_socket_recv_buffer_size_force;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::io::IoSliceMut;
use std::net::UdpSocket;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const PORT: u16 = 67;
/// Room for what comes while this program waits for a processor.
const BUFFER: usize = 64 << 20;
/// How late the end may be noticed.
const GLANCE: Duration = Duration::from_millis(20);

/// A port that is not read, until it is dropped. Datagrams that do not fit into its buffer are lost, as with a server
/// that hangs.
pub(crate) struct Deaf {
    _socket: UdpSocket,
}

impl Deaf {
    /// Opens the port on the server's host.
    pub(crate) fn open(lan: &Lan) -> Self {
        Self { _socket: open(lan) }
    }
}

/// A port whose arrivals are noted.
pub(crate) struct Sink {
    ended: Arc<AtomicBool>,
    reader: JoinHandle<Vec<u64>>,
}

impl Sink {
    /// Notes arrivals at the server's port from now on, with room for `expected` of them.
    pub(crate) fn open(lan: &Lan, expected: usize) -> Self {
        let socket = open(lan);
        set_socket_recv_buffer_size_force(&socket, BUFFER).expect("root may set any buffer size");
        socket.set_read_timeout(Some(GLANCE)).expect("a socket can time out");
        setsockopt(&socket, sockopt::ReceiveTimestampns, &true).expect("sockets can stamp");
        let ended = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&ended);
        let stamps = Vec::with_capacity(expected);
        Self { ended, reader: thread::spawn(move || read(&socket, &end, stamps)) }
    }

    /// Ends it and gives the nanoseconds since 1970 at which datagrams arrived.
    pub(crate) fn stop(self) -> Vec<u64> {
        self.ended.store(true, Ordering::Release);
        self.reader.join().expect("the port was read")
    }
}

/// The server's port on the server's host. A thread never comes out of a namespace it entered, so
/// one of its own does it.
fn open(lan: &Lan) -> UdpSocket {
    let space = lan.server_namespace();
    let opener = thread::spawn(move || {
        let file = File::open(space).expect("the namespace is there");
        move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))
            .expect("root may enter a namespace");
        UdpSocket::bind((Lan::SERVER_V4, PORT)).expect("the port is free")
    });
    opener.join().expect("the port was opened")
}

fn read(socket: &UdpSocket, ended: &AtomicBool, mut stamps: Vec<u64>) -> Vec<u64> {
    let mut beside = cmsg_space!(TimeSpec);
    // Of what is in a datagram nothing is wanted.
    let mut bytes = [0; 1];
    loop {
        // Asked before the look, so that what arrived before the end is noted.
        let last = ended.load(Ordering::Acquire);
        let mut slices = [IoSliceMut::new(&mut bytes)];
        let flags = MsgFlags::empty();
        match recvmsg::<()>(socket.as_raw_fd(), &mut slices, Some(&mut beside), flags) {
            Ok(message) => {
                let beside = message.cmsgs().expect("there is room for the stamp");
                stamps.extend(beside.filter_map(|message| match message {
                    ControlMessageOwned::ScmTimestampns(time) => {
                        Some(Duration::from(time).as_nanos() as u64)
                    }
                    _ => None,
                }));
            }
            Err(_) if last => return stamps,
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_testbed::{require, run};

    #[test]
    fn arrivals_have_kernel_timestamps() {
        if !require(&["root", "ip", "perfdhcp"]) {
            return;
        }
        let lan = Lan::make();
        let sink = Sink::open(&lan, 100);
        let space = lan.client_namespace();
        let space = space.file_name().and_then(|name| name.to_str()).unwrap();
        let before = run("date", ["+%s%N"]);
        let script = format!(
            "ip netns exec {space} perfdhcp -4 -i -r 100 -p 1 {} || [ $? = 3 ]",
            Lan::SERVER_V4
        );
        run("sh", ["-c", &script]);
        let after = run("date", ["+%s%N"]);
        let stamps = sink.stop();
        assert!((90..=100).contains(&stamps.len()), "{}", stamps.len());
        let [before, after]: [u64; 2] = [before, after].map(|text| text.trim().parse().unwrap());
        assert!(stamps.iter().all(|stamp| (before..=after).contains(stamp)));
        assert!(stamps.is_sorted());
    }
}
