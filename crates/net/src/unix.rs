//! [`connect`] and [`connect_blocking`] open a connection to a Unix socket; [`named`] is the socket that the address of
//! a directory names.
//!
//! If the queue of a listener is full, the kernel does not let a connection wait: it refuses it at once, with an error
//! that means "later". So it is tried again, after a millisecond each time, for as long as any connection may take. It
//! must not depend on what is sent over the connection.

use super::Failure;
use super::network::Network;
use super::stream::Stream;
use brunt_feed::Files;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use socket2::{Domain, SockAddr, Socket, Type};
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;

/// What is encoded in a URL.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// How long to retry on a full queue if no limit is given.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait before a listener with a full queue is tried again.
const PAUSE: Duration = Duration::from_millis(1);

/// The longest path of a socket in bytes: `sun_path` without the byte that ends it.
const PATH_MAX: usize = 107;

/// Why a name is not one of a Unix socket.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SocketNameError {
    /// The name has no path, or not all of it is one.
    #[error("name a Unix socket: write ldapi://%2FPATH%2FTO%2FSOCKET or unix:/PATH/TO/SOCKET")]
    NoPath,
    /// The system does not take the path.
    #[error("name a Unix socket: the path has {0} bytes, and the system takes at most {PATH_MAX}")]
    TooLong(usize),
}

/// The socket that `ldapi://%2Fpath%2Fto%2Fsocket` or `unix:/path/to/socket` names. The path of a URL may also be
/// written as it is (`ldapi:///path`), which other tools read as a DN after an empty name. `None` is a name of another
/// kind.
pub fn named(name: &str) -> Option<Result<Arc<Path>, SocketNameError>> {
    if let Some(path) = name.strip_prefix("unix:") {
        return Some(at(path.strip_prefix("//").unwrap_or(path).as_bytes()));
    }
    let (scheme, encoded) = name.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("ldapi") {
        return None;
    }
    if encoded.contains('?') {
        return Some(Err(SocketNameError::NoPath));
    }
    let path: Vec<u8> = percent_encoding::percent_decode_str(encoded).collect();
    Some(at(path.strip_suffix(b"/").unwrap_or(&path)))
}

fn at(path: &[u8]) -> Result<Arc<Path>, SocketNameError> {
    if !path.starts_with(b"/") {
        return Err(SocketNameError::NoPath);
    }
    if path.len() > PATH_MAX {
        return Err(SocketNameError::TooLong(path.len()));
    }
    Ok(Path::new(OsStr::from_bytes(path)).into())
}

/// The URL of the directory at a socket.
pub fn ldapi(path: &Path) -> String {
    let encoded = percent_encoding::percent_encode(path.as_os_str().as_bytes(), UNRESERVED);
    format!("ldapi://{encoded}")
}

/// Connects to the socket at `path`, within `limit`, if the network permits its place.
pub async fn connect(
    path: &Arc<Path>,
    network: &Network,
    limit: Option<Duration>,
) -> Result<Stream, Failure> {
    let limit = limit.unwrap_or(PATIENCE);
    let connected = tokio::time::timeout(limit, until_taken(path, network.files())).await;
    let late = || Err(io::Error::from_raw_os_error(libc::ETIMEDOUT));
    match connected.unwrap_or_else(|_| late()) {
        Ok(stream) => Ok(Stream::Unix(stream)),
        Err(error) => Err(Failure::Unix { path: Arc::clone(path), error }),
    }
}

/// Connects to the socket at `path`, for as long as its listener's queue is full, if the rules about files permit it.
#[expect(
    clippy::disallowed_methods,
    reason = "a listener that is busy is no pacing: the wheel's millisecond does not matter"
)]
pub async fn until_taken(path: &Path, files: &Files) -> io::Result<UnixStream> {
    files.check(path)?;
    loop {
        match UnixStream::connect(path).await {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                tokio::time::sleep(PAUSE).await;
            }
            settled => return settled,
        }
    }
}

/// Connects to the socket at `path` if the rules about files permit it, and waits for it. `limit` is how long that may
/// take, and later each read and each write.
pub fn connect_blocking(
    path: &Path,
    files: &Files,
    limit: Option<Duration>,
) -> io::Result<net::UnixStream> {
    files.check(path)?;
    connect_to_system(path, limit)
}

/// The same to a socket that the system maintains, such as that of its name service, for which no rules hold.
pub fn connect_to_system(path: &Path, limit: Option<Duration>) -> io::Result<net::UnixStream> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    if limit.is_some() {
        // The write timeout also limits connecting to a listener whose queue is full.
        socket.set_write_timeout(limit)?;
        socket.set_read_timeout(limit)?;
    }
    socket.connect(&SockAddr::unix(path)?)?;
    Ok(OwnedFd::from(socket).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::{Class, Outcome};
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;

    fn block_on<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    fn socket_in(folder: &tempfile::TempDir) -> Arc<Path> {
        folder.path().join("s").into()
    }

    #[test]
    fn ldapi_url_names_its_socket() {
        let path = |text: &str| Some(Ok(Arc::from(Path::new(text))));
        assert_eq!(named("ldapi://%2Frun%2fslapd%2Fldapi"), path("/run/slapd/ldapi"));
        assert_eq!(named("LDAPI://%2Frun%2Fa%20b/"), path("/run/a b"));
        assert_eq!(named("ldapi:///run/slapd/ldapi"), path("/run/slapd/ldapi"));
        assert_eq!(named("unix:/run/a%20b"), path("/run/a%20b"));
        assert_eq!(named("unix:///run/ldapi"), path("/run/ldapi"));
        assert_eq!(ldapi(Path::new("/run/a b/l-1.s")), "ldapi://%2Frun%2Fa%20b%2Fl-1.s");
        for nothing in
            ["ldapi://", "ldapi:///", "ldapi://host", "ldapi://%2Fa/?x", "unix:", "unix:a"]
        {
            assert_eq!(named(nothing), Some(Err(SocketNameError::NoPath)), "{nothing}");
        }
        assert_eq!(named("ldap://%2Fa"), None);
        assert_eq!(named("/run/ldapi"), None);
    }

    #[test]
    fn unix_socket_path_length_is_limited() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().as_os_str().len() + 1;
        let longest = folder.path().join("s".repeat(PATH_MAX - own));
        let at = |path: &Path| at(path.as_os_str().as_bytes());
        drop(UnixListener::bind(at(&longest).unwrap()).unwrap());
        let longer = folder.path().join("s".repeat(PATH_MAX - own + 1));
        assert!(UnixListener::bind(&longer).is_err());
        assert_eq!(at(&longer), Err(SocketNameError::TooLong(108)));
    }

    #[test]
    fn unix_socket_transfers_both_ways() {
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
            let mut stream = connect(&path, &Network::private(), None).await.unwrap();
            assert!(stream.tcp().is_none() && !stream.is_secured());
            stream.send(b"abcd").await.unwrap();
            let mut buffer = [0; 8];
            assert_eq!(stream.receive(&mut buffer).await.unwrap(), 4);
            assert_eq!(&buffer[..4], b"dcba");
        });
        echo.join().unwrap();
    }

    #[test]
    fn unix_socket_outside_a_confined_directory_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = socket_in(&folder);
        let _listener = UnixListener::bind(&path).unwrap();
        let (files, limit) = (Files::default(), Some(Duration::from_secs(60)));
        connect_blocking(&path, &files, limit).unwrap();
        block_on(until_taken(&path, &files)).unwrap();
        files.confine();
        let blocking = connect_blocking(&path, &files, limit).unwrap_err();
        let other = block_on(until_taken(&path, &files)).unwrap_err();
        for refused in [blocking, other] {
            assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied, "{refused}");
        }
        // What the system maintains is no file of a run.
        let stream = connect_to_system(&path, limit).unwrap();
        assert_eq!(
            (stream.read_timeout().unwrap(), stream.write_timeout().unwrap()),
            (limit, limit)
        );
    }

    #[test]
    fn unix_socket_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = socket_in(&folder);
        let failure = block_on(connect(&path, &Network::private(), None)).unwrap_err();
        assert_eq!(failure.outcome(), Outcome::Failed(Class::Connect, libc::ENOENT as u32));
        assert!(failure.to_string().contains(path.to_str().unwrap()), "{failure}");
    }

    #[test]
    fn unix_socket_full_backlog_is_awaited_until_the_timeout() {
        let folder = tempfile::tempdir().unwrap();
        let path = socket_in(&folder);
        let listener = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
        listener.bind(&SockAddr::unix(&path).unwrap()).unwrap();
        listener.listen(0).unwrap();
        block_on(async {
            let limit = Some(Duration::from_millis(60));
            let _first = connect(&path, &Network::private(), limit).await.unwrap();
            let failure = connect(&path, &Network::private(), limit).await.unwrap_err();
            assert_eq!(failure.code(), libc::ETIMEDOUT as u32, "{failure}");
            let taker = std::thread::spawn(move || (listener.accept().unwrap(), listener));
            connect(&path, &Network::private(), Some(Duration::from_secs(20))).await.unwrap();
            taker.join().unwrap();
        });
    }
}
