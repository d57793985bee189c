//! The testbed's own minimal HTTP request, which finds out whether a server is ready.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(90);

/// Asks for `path` at a port of 127.0.0.1 and gives the status, once the server has closed the connection.
pub(crate) fn ask(port: u16, path: &str) -> u16 {
    let failed = |error| panic!("port {port} did not answer {path}: {error}");
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap_or_else(failed);
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket can time out");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap_or_else(|error| {
        panic!("port {port} did not read {path}: {error}");
    });
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        panic!("port {port} did not answer {path}: {error}");
    }
    let head = String::from_utf8_lossy(&answer);
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.unwrap_or_else(|| panic!("port {port} answered {path} by {head:.80}"))
}
