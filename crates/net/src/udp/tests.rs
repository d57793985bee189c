//! The socket against the running kernel: sent datagrams arrive, and those that do not arrive are counted.

use super::super::carrier::DATAGRAM_MAX;
use super::*;
use brunt_exchange::{Moment, Monotonic};
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddrV6};
use std::time::Duration;

/// Long enough for a loopback, short enough for a test that fails.
const PATIENCE: Duration = Duration::from_secs(10);

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.unwrap() })
}

/// No socket is bound to this address, and nothing is sent to it.
const SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 9);

fn loopback(host: &str) -> Options {
    Options::new(SERVER, SocketAddr::new(host.parse().unwrap(), 0))
}

fn bound(options: &Options) -> Result<Bound, OpenError> {
    Bound::open(&Network::private(), options)
}

fn open(options: &Options) -> Socket {
    bound(options).unwrap().register().unwrap()
}

/// Sends all, as many per call as possible.
async fn send_all(socket: &Socket, to: SocketAddr, letters: &[Vec<u8>]) {
    let mut left = letters;
    while !left.is_empty() {
        let datagrams = left.iter().map(|bytes| OutgoingDatagram { bytes, to });
        match socket.try_send(datagrams) {
            Ok(sent) => left = &left[sent..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                socket.writable().await.unwrap();
            }
            Err(error) => panic!("{error}"),
        }
    }
}

fn letters(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|n| vec![n as u8; n % 300 + 1]).collect()
}

#[test]
fn datagrams_of_every_batch_size_arrive_in_order() {
    for (host, batch) in
        [("127.0.0.1", BATCH), ("::1", BATCH), ("127.0.0.1", 7), ("127.0.0.1", 1), ("::1", 1)]
    {
        let options = Options { batch, ..loopback(host) };
        run(async {
            let (left, right, clock) = (open(&options), open(&options), Monotonic::new());
            for count in [1, BATCH - 1, BATCH, BATCH + 1, 200] {
                let sent = letters(count);
                send_all(&left, right.local_addr(), &sent).await;
                let (mut inbox, mut received) = (Inbox::new(), Vec::new());
                while received.len() < count {
                    right.receive(&mut inbox, &clock).await.unwrap();
                    assert!(inbox.len() <= batch);
                    for datagram in inbox.iter() {
                        assert_eq!(datagram.from, left.local_addr());
                        assert!(!datagram.truncated);
                        assert_eq!(datagram.at, None, "nobody asked the kernel for stamps");
                        received.push(datagram.bytes.to_vec());
                    }
                }
                assert_eq!(received, sent, "{host} {batch} {count}");
            }
            assert_eq!(right.overflowed(), 0);
        });
    }
}

#[test]
fn send_call_carries_a_whole_batch() {
    run(async {
        let (left, right, clock) =
            (open(&loopback("127.0.0.1")), open(&loopback("127.0.0.1")), Monotonic::new());
        left.writable().await.unwrap();
        let sent = letters(BATCH + 1);
        let to = right.local_addr();
        let first = left.try_send(sent.iter().map(|bytes| OutgoingDatagram { bytes, to })).unwrap();
        assert_eq!(first, BATCH);
        let mut inbox = Inbox::new();
        right.receive(&mut inbox, &clock).await.unwrap();
        assert_eq!(inbox.len(), BATCH);
        let nothing = right.try_receive(&mut inbox, &clock).unwrap_err();
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
        assert!(inbox.is_empty());
        assert_eq!(left.try_send(std::iter::empty()).unwrap(), 0);
    });
}

#[test]
fn unsendable_datagram_does_not_block_the_others() {
    run(async {
        let (left, right, clock) =
            (open(&loopback("127.0.0.1")), open(&loopback("127.0.0.1")), Monotonic::new());
        left.writable().await.unwrap();
        let too_long = vec![0; 70_000];
        let mine = right.local_addr();
        // A socket without SO_BROADCAST may not send there.
        let forbidden = SocketAddr::from(([255, 255, 255, 255], 9));
        let datagrams = [
            OutgoingDatagram { bytes: b"one", to: mine },
            OutgoingDatagram { bytes: &too_long, to: mine },
            OutgoingDatagram { bytes: b"two", to: mine },
            OutgoingDatagram { bytes: b"no", to: forbidden },
            OutgoingDatagram { bytes: b"three", to: mine },
        ];
        let (mut at, mut faults) = (0, Vec::new());
        while at < datagrams.len() {
            match left.try_send(datagrams[at..].iter().copied()) {
                Ok(sent) => at += sent,
                Err(error) => {
                    faults.push((at, error.raw_os_error()));
                    at += 1;
                }
            }
        }
        assert_eq!(faults, [(1, Some(libc::EMSGSIZE)), (3, Some(libc::EACCES))]);
        let mut inbox = Inbox::new();
        right.receive(&mut inbox, &clock).await.unwrap();
        let received: Vec<_> = inbox.iter().map(|it| it.bytes).collect();
        assert_eq!(received, [&b"one"[..], b"two", b"three"]);
    });
}

#[test]
fn datagram_beyond_the_buffer_is_marked_truncated() {
    run(async {
        let (left, right, clock) =
            (open(&loopback("127.0.0.1")), open(&loopback("127.0.0.1")), Monotonic::new());
        let sent = [vec![1; DATAGRAM_MAX], vec![2; DATAGRAM_MAX + 1], Vec::new()];
        send_all(&left, right.local_addr(), &sent).await;
        let mut inbox = Inbox::new();
        right.receive(&mut inbox, &clock).await.unwrap();
        let received: Vec<_> = inbox.iter().map(|it| (it.bytes.len(), it.truncated)).collect();
        assert_eq!(received, [(DATAGRAM_MAX, false), (DATAGRAM_MAX, true), (0, false)]);
    });
}

#[test]
fn receive_losses_are_counted() {
    const SENT: usize = 500;
    run(async {
        let small = Options { receive_buffer: 8192, ..loopback("127.0.0.1") };
        let (left, right, clock) = (open(&loopback("127.0.0.1")), open(&small), Monotonic::new());
        assert_eq!(right.kernel().receive_buffer().unwrap(), 8192);
        for round in 1..=2 {
            send_all(&left, right.local_addr(), &vec![vec![0; 200]; SENT]).await;
            let (mut inbox, mut received) = (Inbox::new(), 0);
            while right.try_receive(&mut inbox, &clock).is_ok() {
                received += inbox.len();
            }
            assert!(received < SENT, "the buffer was not too small");
            assert_eq!(right.overflowed(), round * (SENT - received) as u64, "round {round}");
        }
    });
}

#[test]
fn receive_losses_agree_with_the_counter_of_messages() {
    run(async {
        let small = Options { receive_buffer: 8192, ..loopback("127.0.0.1") };
        let (left, right, clock) = (open(&loopback("127.0.0.1")), open(&small), Monotonic::new());
        send_all(&left, right.local_addr(), &vec![vec![0; 200]; 300]).await;
        let mut inbox = Inbox::new();
        while right.try_receive(&mut inbox, &clock).is_ok() {}
        // The next datagram to arrive is the first that reports those that were dropped.
        send_all(&left, right.local_addr(), &[vec![0]]).await;
        right.try_receive(&mut inbox, &clock).unwrap();
        let overflowed = right.kernel().overflow_total();
        assert!(overflowed > 0);
        assert_eq!(overflowed, right.overflowed());
    });
}

#[test]
fn kernel_timestamps_lie_between_send_and_receive() {
    for batch in [BATCH, 1] {
        run(async {
            let stamped = Options { kernel_stamps: true, batch, ..loopback("127.0.0.1") };
            let (left, right) = (open(&loopback("127.0.0.1")), open(&stamped));
            let clock = Monotonic::new();
            let mut inbox = Inbox::new();
            let mut stamp = async || {
                let before = clock.now();
                send_all(&left, right.local_addr(), &[vec![1], vec![2]]).await;
                let sent = clock.now();
                // Reading it later makes the stamp differ from the moment of reading.
                while clock.now() - sent < Duration::from_millis(20) {}
                let mut stamps = Vec::new();
                while stamps.len() < 2 {
                    right.receive(&mut inbox, &clock).await.unwrap();
                    stamps.extend(inbox.iter().map(|it| it.at.unwrap()));
                }
                (before, sent, stamps)
            };
            // Both clocks are read one after the other, and the wall clock may be slewed in between.
            let slack = Duration::from_millis(1);
            // The kernel begins to stamp some time after it is requested.
            while let (_, sent, stamps) = stamp().await
                && stamps.iter().any(|at| *at > sent + slack)
            {}
            for _ in 0..3 {
                let (before, sent, stamps) = stamp().await;
                assert!(stamps.iter().all(|at| *at + slack >= before), "{before:?} {stamps:?}");
                assert!(stamps.iter().all(|at| *at <= sent + slack), "{sent:?} {stamps:?}");
                assert!(stamps[0] <= stamps[1] + slack);
            }
        });
    }
}

#[test]
fn receive_waits_and_can_be_cancelled() {
    run(async {
        let (left, right, clock) =
            (open(&loopback("127.0.0.1")), open(&loopback("127.0.0.1")), Monotonic::new());
        let mut inbox = Inbox::new();
        let brief = Duration::from_millis(5);
        let waited = tokio::time::timeout(brief, right.receive(&mut inbox, &clock)).await;
        assert!(waited.is_err() && inbox.is_empty());
        let (received, ()) = tokio::join!(right.receive(&mut inbox, &clock), async {
            tokio::task::yield_now().await;
            send_all(&left, right.local_addr(), &[b"late".to_vec()]).await;
        });
        received.unwrap();
        assert_eq!(inbox.iter().next().unwrap().bytes, b"late");
    });
}

/// No socket has the port of a socket that was just closed.
#[test]
fn icmp_errors_are_counted_without_blocking_sends() {
    for host in ["127.0.0.1", "::1"] {
        for (icmp, counts) in [(Icmp::Counted, true), (Icmp::Ignored, false)] {
            run(async {
                let options = Options { icmp, ..loopback(host) };
                let (left, right, clock) =
                    (open(&options), open(&loopback(host)), Monotonic::new());
                let nobody = open(&loopback(host)).local_addr();
                send_all(&left, nobody, &letters(20)).await;
                assert_eq!(left.unreachable(), if counts { 20 } else { 0 }, "{host}");
                // The error of a returned datagram is not the error of the next call.
                send_all(&left, nobody, &letters(1)).await;
                send_all(&left, right.local_addr(), &letters(3)).await;
                send_all(&right, left.local_addr(), &letters(2)).await;
                let mut inbox = Inbox::new();
                left.receive(&mut inbox, &clock).await.unwrap();
                assert_eq!(inbox.len(), 2, "{host}");
                right.receive(&mut inbox, &clock).await.unwrap();
                assert_eq!(inbox.len(), 3, "{host}");
                send_all(&left, nobody, &letters(1)).await;
                let nothing = left.try_receive(&mut inbox, &clock).unwrap_err();
                assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock, "{host}");
                assert_eq!(left.unreachable(), if counts { 22 } else { 0 }, "{host}");
                left.writable().await.unwrap();
            });
        }
    }
}

/// The stamps of the kernel are available to a caller that requests them later, and change nothing for others.
#[test]
fn receive_time_can_be_requested_afterwards() {
    run(async {
        let (left, right) = (open(&loopback("127.0.0.1")), open(&loopback("127.0.0.1")));
        let clock = Monotonic::new();
        let mut inbox = Inbox::new();
        let patience = clock.now();
        loop {
            send_all(&left, right.local_addr(), &letters(1)).await;
            let sent = clock.now();
            while clock.now() - sent < Duration::from_millis(20) {}
            right.receive(&mut inbox, &clock).await.unwrap();
            assert!(inbox.iter().all(|it| it.at.is_none() && it.stamp.is_none()));
            inbox.stamp(&clock);
            let stamp = inbox.iter().next().unwrap().stamp.unwrap();
            // The kernel begins to stamp some time after it is requested.
            if stamp < sent + Duration::from_millis(1) {
                break;
            }
            assert!(clock.now() - patience < Duration::from_secs(5), "no stamps at all");
        }
    });
}

#[test]
fn inbox_can_be_filled_without_a_kernel() {
    let mut inbox = Inbox::new();
    let from = SocketAddr::from(([192, 0, 2, 1], 67));
    let at = Some(Moment::from_nanos(5));
    assert!(inbox.push(b"first", from, at));
    assert!(inbox.push(&vec![9; DATAGRAM_MAX + 1], from, None));
    while inbox.push(b"", from, None) {}
    assert_eq!(inbox.len(), BATCH);
    let first = inbox.iter().next().unwrap();
    assert_eq!(
        (first.bytes, first.from, first.at, first.truncated),
        (&b"first"[..], from, at, false)
    );
    assert!(inbox.iter().nth(1).unwrap().truncated);
    inbox.clear();
    assert!(inbox.is_empty());
}

#[test]
fn port_in_use_is_reported() {
    let first = bound(&loopback("127.0.0.1")).unwrap();
    let error = bound(&Options::new(SERVER, first.local_addr())).unwrap_err();
    assert!(matches!(error, OpenError::InUse(_)), "{error}");
    assert!(error.to_string().contains("relay"), "{error}");
}

#[test]
fn bind_errors_give_their_reason() {
    let elsewhere = Options::new(SERVER, SocketAddr::from(([192, 0, 2, 99], 0)));
    assert!(matches!(bound(&elsewhere), Err(OpenError::NotOurs(_))));
    let unscoped = SocketAddrV6::new("fe80::1".parse::<Ipv6Addr>().unwrap(), 0, 0, 0);
    let error = bound(&Options::new(SERVER, unscoped.into())).unwrap_err().to_string();
    assert!(error.contains("fe80::1"), "{error}");
    let device = Some("brunt-none0".to_owned());
    let error = bound(&Options { device, ..loopback("127.0.0.1") }).unwrap_err();
    assert!(error.to_string().contains("brunt-none0"), "{error}");
}

#[test]
fn privileged_port_error_names_the_command() {
    let first_free = std::fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start");
    let first_free: u16 = first_free.unwrap().trim().parse().unwrap();
    let local = SocketAddr::from(([127, 0, 0, 1], 67));
    let error = if first_free > local.port() {
        let thread = std::thread::spawn(move || {
            brunt_testbed::renounce();
            bound(&Options::new(SERVER, local)).unwrap_err()
        });
        thread.join().unwrap()
    } else {
        // In this environment every process may use every port, so only the text can be tested.
        OpenError::of_bind(local, io::Error::from_raw_os_error(libc::EACCES))
    };
    let text = error.to_string();
    let exe = std::env::current_exe().unwrap();
    let command =
        format!("sudo setcap cap_net_bind_service,cap_net_raw,cap_net_admin+ep {}", exe.display());
    assert!(text.contains("127.0.0.1:67") && text.contains(&command), "{text}");
}
