//! A client with only the functions that tests need: it blocks, and returns what it received.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use brunt_ldap_wire::filter::Filter;
use brunt_ldap_wire::request::{self, Scope, Search};
use brunt_ldap_wire::{Skeleton, response};

/// A connection.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    bytes: Vec<u8>,
}

/// A message: its id, its operation, its result code if it has one, and all of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) id: i32,
    pub(crate) op: u8,
    pub(crate) code: Option<u32>,
    pub(crate) bytes: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, bytes: Vec::new() }
    }

    pub(crate) fn send(&mut self, id: i32, request: &Skeleton) {
        let mut out = Vec::new();
        request.encode(id, &[][..] as &[&str], &mut out);
        self.stream.write_all(&out).unwrap();
    }

    /// The next message, or the error that occurred instead; an orderly end is `UnexpectedEof`.
    pub(crate) fn receive(&mut self) -> io::Result<Received> {
        loop {
            if let Some(length) = response::frame(&self.bytes).map_err(io::Error::other)?
                && self.bytes.len() >= length
            {
                let bytes: Vec<u8> = self.bytes.drain(..length).collect();
                let scan = response::scan(&bytes).map_err(io::Error::other)?;
                let (id, op, code) = (scan.message_id, scan.op, scan.code);
                return Ok(Received { id, op, code, bytes });
            }
            let mut more = [0; 4096];
            match self.stream.read(&mut more)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => self.bytes.extend_from_slice(&more[..count]),
            }
        }
    }

    pub(crate) fn exchange(&mut self, id: i32, request: &Skeleton) -> Received {
        self.send(id, request);
        self.receive().unwrap()
    }
}

pub(crate) fn bind() -> Skeleton {
    let name = "uid=user.1,ou=people,dc=example,dc=com";
    request::bind_simple(&name.into(), &"password".into(), &[])
}

pub(crate) fn search(filter: &str) -> Skeleton {
    let mut search =
        Search::new("dc=example,dc=com".into(), Scope::Subtree, Filter::parse(filter).unwrap());
    search.attributes = vec!["1.1".into()];
    search.skeleton(&[])
}
