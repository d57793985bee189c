//! The two system calls of an exchange over a plain connection, made without the C library.
//!
//! In a program with several threads the C library makes each `send` and `recv` a point at which a thread may be
//! cancelled, which costs time before and after the call. At hundreds of thousands of calls a second this matters: two
//! hundredths of the cost of an exchange over HTTP. The readiness that the runtime records for a socket is updated as
//! by its own reads and writes: after a call that transferred less than requested, the socket is known to be empty, or
//! full, and is not called again.

use rustix::net::{RecvFlags, SendFlags, recv, send};
use std::io;
use std::task::{Context, Poll, ready};
use tokio::io::Interest;
use tokio::net::TcpStream;

/// Reads the available bytes, at most `buffer`. Zero is the end of the stream.
pub(super) fn poll_recv(
    tcp: &TcpStream,
    context: &mut Context<'_>,
    buffer: &mut [u8],
) -> Poll<io::Result<usize>> {
    loop {
        ready!(tcp.poll_read_ready(context))?;
        let whole = buffer.len();
        let read = attempt(tcp, Interest::READABLE, || {
            let (count, _) = recv(tcp, &mut *buffer, RecvFlags::empty())?;
            // The end of the stream does not mean that the socket is empty: it stays readable.
            Ok((count, count > 0 && count < whole))
        });
        if let Some(read) = read {
            return Poll::Ready(read);
        }
    }
}

/// Writes as much as the socket takes. A connection that is broken is an error, never a signal.
///
/// Most sockets have room, so writing is tried before the readiness is checked. What is written is bounded by what
/// there is to send, so unlike reading it cannot keep other tasks from running.
pub(super) fn poll_send(
    tcp: &TcpStream,
    context: &mut Context<'_>,
    bytes: &[u8],
) -> Poll<io::Result<usize>> {
    loop {
        let written = attempt(tcp, Interest::WRITABLE, || {
            let count = send(tcp, bytes, SendFlags::NOSIGNAL)?;
            Ok((count, count < bytes.len()))
        });
        if let Some(written) = written {
            return Poll::Ready(written);
        }
        ready!(tcp.poll_write_ready(context))?;
    }
}

/// Whether nothing has arrived since the last read, the end of the stream included, as far as the runtime knows. Needs
/// no system call and registers no waker.
#[inline]
pub(super) fn is_quiet(tcp: &TcpStream) -> bool {
    tcp.try_io(Interest::READABLE, || Ok(())).is_err()
}

/// Makes a call on a socket that is recorded as ready; `None` if it was not ready. The call also returns whether the
/// socket is no longer ready. This must be passed to the runtime in the same step, so that a later event is not lost.
fn attempt(
    tcp: &TcpStream,
    interest: Interest,
    call: impl FnOnce() -> rustix::io::Result<(usize, bool)>,
) -> Option<io::Result<usize>> {
    let mut done = None;
    let tried = tcp.try_io(interest, || {
        let (count, spent) = call()?;
        done = Some(count);
        if spent { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
    });
    match (done, tried) {
        (Some(count), _) => Some(Ok(count)),
        (None, Err(error)) if error.kind() != io::ErrorKind::WouldBlock => Some(Err(error)),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    fn block_on<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    /// Sends far more than the sockets can buffer in both directions at once, in pieces of every size.
    #[test]
    fn direct_io_loses_nothing_and_never_hangs() {
        const BYTES: usize = 8 << 20;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        let echo = std::thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            let mut room = vec![0; 70_000];
            loop {
                let count = peer.read(&mut room).unwrap();
                if count == 0 {
                    return;
                }
                peer.write_all(&room[..count]).unwrap();
            }
        });
        let sent: Vec<u8> = (0..BYTES).map(|at| (at * 31 % 253) as u8).collect();
        let received = block_on(async {
            let tcp = TcpStream::connect(to).await.unwrap();
            let (mut written, mut received, mut room) = (0, Vec::new(), vec![0; 33_333]);
            while received.len() < BYTES {
                poll_fn(|context| {
                    let mut moved = false;
                    if written < BYTES
                        && let Poll::Ready(count) = poll_send(&tcp, context, &sent[written..])
                    {
                        written += count.unwrap();
                        moved = true;
                    }
                    if let Poll::Ready(count) = poll_recv(&tcp, context, &mut room) {
                        received.extend_from_slice(&room[..count.unwrap()]);
                        moved = true;
                    }
                    if moved { Poll::Ready(()) } else { Poll::Pending }
                })
                .await;
            }
            received
        });
        assert!(received == sent);
        echo.join().unwrap();
    }

    #[test]
    fn direct_read_returns_zero_at_the_end_and_errors_on_reset() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        block_on(async {
            let tcp = TcpStream::connect(to).await.unwrap();
            let (mut peer, _) = listener.accept().unwrap();
            peer.write_all(b"abc").unwrap();
            peer.shutdown(std::net::Shutdown::Write).unwrap();
            let mut room = [0; 16];
            let mut read = async || poll_fn(|context| poll_recv(&tcp, context, &mut room)).await;
            assert_eq!(read().await.unwrap(), 3);
            assert_eq!((read().await.unwrap(), read().await.unwrap()), (0, 0));
            socket2::SockRef::from(&peer).set_linger(Some(std::time::Duration::ZERO)).unwrap();
            drop(peer);
            let mut sends = 0;
            let error = loop {
                match poll_fn(|context| poll_send(&tcp, context, b"xyz")).await {
                    Ok(_) => sends += 1,
                    Err(error) => break error,
                }
                assert!(sends < 1000, "a broken connection takes no bytes for ever");
            };
            let number = error.raw_os_error().unwrap();
            assert!([libc::EPIPE, libc::ECONNRESET].contains(&number), "{error}");
        });
    }
}
