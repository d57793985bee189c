//! [`connect`]: opens a connection to a Unix socket.
//!
//! If the queue of a listener is full, the kernel does not let a connection wait: it refuses it at once, with an error
//! that means "later". So it is tried again, after a millisecond each time, for as long as any connection may take. It
//! must not depend on what is sent over the connection.

use super::Failure;
use super::stream::Stream;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;

/// How long to retry on a full queue if no limit is given.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait before a listener with a full queue is tried again.
const PAUSE: Duration = Duration::from_millis(1);

/// Connects to the socket at `path`, within `limit`.
pub async fn connect(path: &Arc<Path>, limit: Option<Duration>) -> Result<Stream, Failure> {
    let limit = limit.unwrap_or(PATIENCE);
    let connected = tokio::time::timeout(limit, until_taken(path)).await;
    let late = || Err(io::Error::from_raw_os_error(libc::ETIMEDOUT));
    match connected.unwrap_or_else(|_| late()) {
        Ok(stream) => Ok(Stream::Unix(stream)),
        Err(error) => Err(Failure::Unix { path: Arc::clone(path), error }),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a listener that is busy is no pacing: the wheel's millisecond does not matter"
)]
async fn until_taken(path: &Path) -> io::Result<UnixStream> {
    loop {
        brunt_feed::access::check(path)?;
        match UnixStream::connect(path).await {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                tokio::time::sleep(PAUSE).await;
            }
            settled => return settled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::{Class, Outcome};
    use socket2::{Domain, SockAddr, Socket, Type};
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;

    fn block_on<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    fn socket_in(folder: &tempfile::TempDir) -> Arc<Path> {
        folder.path().join("s").into()
    }

    #[test]
    fn bytes_go_both_ways() {
        let folder = tempfile::tempdir().unwrap();
        let path = socket_in(&folder);
        let listener = UnixListener::bind(&path).unwrap();
        let echo = std::thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            let mut bytes = [0; 4];
            peer.read_exact(&mut bytes).unwrap();
            bytes.reverse();
            peer.write_all(&bytes).unwrap();
        });
        block_on(async {
            let mut stream = connect(&path, None).await.unwrap();
            assert!(stream.tcp().is_none() && !stream.is_secured());
            stream.send(b"abcd").await.unwrap();
            let mut buffer = [0; 8];
            assert_eq!(stream.receive(&mut buffer).await.unwrap(), 4);
            assert_eq!(&buffer[..4], b"dcba");
        });
        echo.join().unwrap();
    }

    #[test]
    fn a_missing_socket_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = socket_in(&folder);
        let failure = block_on(connect(&path, None)).unwrap_err();
        assert_eq!(failure.outcome(), Outcome::Failed(Class::Connect, libc::ENOENT as u32));
        assert!(failure.to_string().contains(path.to_str().unwrap()), "{failure}");
    }

    #[test]
    fn a_full_queue_is_waited_for_and_no_longer_than_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = socket_in(&folder);
        let listener = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
        listener.bind(&SockAddr::unix(&path).unwrap()).unwrap();
        listener.listen(0).unwrap();
        block_on(async {
            let limit = Some(Duration::from_millis(60));
            let _first = connect(&path, limit).await.unwrap();
            let failure = connect(&path, limit).await.unwrap_err();
            assert_eq!(failure.code(), libc::ETIMEDOUT as u32, "{failure}");
            let taker = std::thread::spawn(move || (listener.accept().unwrap(), listener));
            connect(&path, Some(Duration::from_secs(20))).await.unwrap();
            taker.join().unwrap();
        });
    }
}
