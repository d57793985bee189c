//! [`Client`]: a connection to a MySQL or MariaDB server: login, queries, prepared statements.
//!
//! The crates that implement this protocol allocate as much as a server announces, assume that empty packets do not
//! occur, and trust authorities of their own choice under TLS. Only a small part of the protocol is needed here: one
//! command at a time, with one write and one read each, whose answer is read to the last column of the last row.

use super::login::{Greeting, Method};
use super::packet::{Column, Malformed, Reader, Value, binary_row, put_length, text_row};
use super::password::encrypted;
use super::wire::{Wire, WireError};
use crate::sql::{Server, Tls};
use brunt_net::Network;
use std::io;
use std::time::Duration;

/// A limit above the number of columns of any server's table.
const COLUMNS_MAX: u64 = 4_096;
/// The most packets of a login, which include a switch to another method and a key.
const LOGIN_STEPS: usize = 8;
/// Another set of results follows.
const MORE_RESULTS: u16 = 0x8;

const QUIT: u8 = 0x01;
const QUERY: u8 = 0x03;
const PING: u8 = 0x0e;
const PREPARE: u8 = 0x16;
const EXECUTE: u8 = 0x17;

/// Why a command has no answer.
#[derive(Debug)]
pub(super) enum Error {
    /// An error from the server.
    Server { code: u16, message: String },
    /// An error of the connection.
    Io(io::Error),
    /// An answer that is not valid in the protocol.
    Protocol(String),
    /// No secured connection could be made.
    Tls(String),
}

impl From<WireError> for Error {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Io(error) => Self::Io(error),
            WireError::Malformed(malformed) => malformed.into(),
            WireError::Tls(why) => Self::Tls(why),
        }
    }
}

impl From<Malformed> for Error {
    fn from(Malformed(what): Malformed) -> Self {
        Self::Protocol(format!("a packet of the server makes no sense: {what}"))
    }
}

/// A connection that is logged in.
pub(super) struct Client {
    wire: Wire,
    columns: Vec<Column>,
}

/// A statement that the server has prepared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement {
    id: u32,
    parameters: u16,
}

/// A parameter of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parameter<'a> {
    Int(i64),
    Bytes(&'a [u8]),
}

/// How the rows of an answer are encoded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    Text,
    Binary,
}

/// Why a password is not sent to a server that was not authenticated.
const UNCHECKED: &str = "the server asks for the password itself, and its certificate was not checked: use \
                         ssl-mode=VERIFY_IDENTITY";

impl Client {
    /// Connects and logs in.
    pub(super) fn open(
        network: &Network,
        server: &Server,
        database: Option<&str>,
        limit: Duration,
    ) -> Result<Self, Error> {
        let mut wire = Wire::connect(network, &server.endpoint, limit).map_err(Error::Io)?;
        let greeting = Greeting::read(answered(wire.receive()?)?)?;
        let secured = server.tls != Tls::Off;
        if secured {
            if !greeting.offers_tls() {
                return Err(Error::Tls("the server does not offer TLS".to_owned()));
            }
            let opening = greeting.opening(true, database.is_some());
            wire.body().extend_from_slice(&opening);
            wire.send()?;
            wire.secure(server, network)?;
        }
        let user = server.user.clone().unwrap_or_default();
        let password = server.password.as_ref().map_or(&[][..], |password| password.expose());
        let answer = greeting.answer(secured, &user, password, database);
        wire.body().extend_from_slice(&answer);
        wire.send()?;
        let mut client = Self { wire, columns: Vec::new() };
        client.log_in(greeting, password, server.tls != Tls::Unverified)?;
        Ok(client)
    }

    /// Continues the login until the server accepts it; `known` is whether its certificate was checked, if it has one.
    fn log_in(&mut self, greeting: Greeting, password: &[u8], known: bool) -> Result<(), Error> {
        let Greeting { mut nonce, mut method, .. } = greeting;
        for _ in 0..LOGIN_STEPS {
            let mut reader = Reader(answered(self.wire.receive()?)?);
            match (reader.u8()?, method) {
                (0x00, _) => return Ok(()),
                (0xfe, _) => {
                    let name = reader.until_zero();
                    method = Method::new(name).ok_or_else(|| unknown(name))?;
                    nonce = reader.0.strip_suffix(&[0]).unwrap_or(reader.0).to_vec();
                    let proof = method.proof(password, &nonce);
                    self.wire.body().extend_from_slice(&proof);
                    self.wire.send()?;
                }
                // The proof was enough.
                (0x01, Method::CachingSha2) if reader.0 == [3] => {}
                (0x01, Method::CachingSha2) if reader.0 == [4] => {
                    // Under TLS it is not encrypted further, and any server could have requested it.
                    if !known {
                        return Err(Error::Tls(UNCHECKED.to_owned()));
                    }
                    self.send_password(password, &nonce)?;
                }
                _ => return Err(Malformed("it belongs to no login").into()),
            }
        }
        Err(Malformed("the login has no end").into())
    }

    /// Sends the password itself, which a server requires if it has not cached it yet: encrypted, unless the connection
    /// is private.
    fn send_password(&mut self, password: &[u8], nonce: &[u8]) -> Result<(), Error> {
        let mut ended = [password, &[0]].concat();
        if !(self.wire.is_secured() || self.wire.is_local()) {
            self.wire.body().push(2);
            self.wire.send()?;
            let key = answered(self.wire.receive()?)?.get(1..).unwrap_or_default().to_vec();
            if nonce.is_empty() {
                return Err(Malformed("a login without a challenge").into());
            }
            ended.iter_mut().zip(nonce.iter().cycle()).for_each(|(octet, hide)| *octet ^= hide);
            let mut seed = [0; 20];
            getrandom::fill(&mut seed)
                .map_err(|error| Error::Io(io::Error::other(error.to_string())))?;
            let encrypted = encrypted(&ended, &key, seed);
            ended = encrypted.ok_or(Malformed("its key for the password is none"))?;
        }
        self.wire.body().extend_from_slice(&ended);
        Ok(self.wire.send()?)
    }

    /// Checks whether the server responds.
    pub(super) fn ping(&mut self) -> Result<(), Error> {
        self.wire.begin().push(PING);
        self.wire.send()?;
        answered(self.wire.receive()?).map(drop)
    }

    /// Executes a statement and ignores what it returns.
    pub(super) fn run(&mut self, text: &str) -> Result<(), Error> {
        self.query(text, |_, _| ()).map(drop)
    }

    /// The first column of the first row, as text.
    pub(super) fn word(&mut self, text: &str) -> Result<Option<String>, Error> {
        let mut word = None;
        self.query(text, |column, value| {
            if let (0, None, Value::Bytes(bytes)) = (column, &word, value) {
                word = Some(String::from_utf8_lossy(bytes).into_owned());
            }
        })?;
        Ok(word)
    }

    /// Executes a statement, and calls `see` with the number and the value of each column of each row. Returns how many
    /// rows were changed.
    pub(super) fn query(
        &mut self,
        text: &str,
        see: impl FnMut(usize, Value<'_>),
    ) -> Result<u64, Error> {
        let out = self.wire.begin();
        out.push(QUERY);
        out.extend_from_slice(text.as_bytes());
        self.wire.send()?;
        self.results(Rows::Text, see)
    }

    /// Prepares a statement.
    pub(super) fn prepare(&mut self, text: &str) -> Result<Statement, Error> {
        let out = self.wire.begin();
        out.push(PREPARE);
        out.extend_from_slice(text.as_bytes());
        self.wire.send()?;
        let mut reader = Reader(answered(self.wire.receive()?)?);
        if reader.u8()? != 0 {
            return Err(Malformed("it prepares no statement").into());
        }
        let (id, columns, parameters) = (reader.u32()?, reader.u16()?, reader.u16()?);
        for definitions in [parameters, columns] {
            // If there are any definitions, a separate packet ends them.
            for _ in 0..(u32::from(definitions) + u32::from(definitions > 0)) {
                answered(self.wire.receive()?)?;
            }
        }
        Ok(Statement { id, parameters })
    }

    /// Executes a prepared statement, as [`query`](Self::query) does.
    pub(super) fn execute(
        &mut self,
        statement: Statement,
        parameters: &[Parameter<'_>],
        see: impl FnMut(usize, Value<'_>),
    ) -> Result<u64, Error> {
        debug_assert_eq!(parameters.len(), usize::from(statement.parameters));
        let out = self.wire.begin();
        out.push(EXECUTE);
        out.extend_from_slice(&statement.id.to_le_bytes());
        // No cursor, once.
        out.extend_from_slice(&[0, 1, 0, 0, 0]);
        if !parameters.is_empty() {
            out.resize(out.len() + parameters.len().div_ceil(8), 0);
            out.push(1);
            for parameter in parameters {
                out.extend_from_slice(match parameter {
                    Parameter::Int(_) => &[8, 0],
                    Parameter::Bytes(_) => &[253, 0],
                });
            }
            for parameter in parameters {
                match parameter {
                    Parameter::Int(number) => out.extend_from_slice(&number.to_le_bytes()),
                    Parameter::Bytes(bytes) => {
                        put_length(out, bytes.len());
                        out.extend_from_slice(bytes);
                    }
                }
            }
        }
        self.wire.send()?;
        self.results(Rows::Binary, see)
    }

    /// Reads every set of results to its end.
    fn results(&mut self, rows: Rows, mut see: impl FnMut(usize, Value<'_>)) -> Result<u64, Error> {
        let mut changed = 0;
        loop {
            let mut reader = Reader(answered(self.wire.receive()?)?);
            let status = if reader.0.first() == Some(&0) {
                reader.u8()?;
                changed += reader.length()?;
                reader.length()?;
                reader.u16()?
            } else {
                let columns = reader.length()?;
                if !(1..=COLUMNS_MAX).contains(&columns) {
                    return Err(Malformed("no table has so many columns").into());
                }
                self.rows(columns as usize, rows, &mut see)?
            };
            if status & MORE_RESULTS == 0 {
                return Ok(changed);
            }
        }
    }

    /// Reads rows with this number of columns; returns the status at their end.
    fn rows(
        &mut self,
        count: usize,
        rows: Rows,
        see: &mut impl FnMut(usize, Value<'_>),
    ) -> Result<u16, Error> {
        self.columns.clear();
        for _ in 0..count {
            let column = Column::read(answered(self.wire.receive()?)?)?;
            self.columns.push(column);
        }
        if end(answered(self.wire.receive()?)?)?.is_none() {
            return Err(Malformed("more columns than it said").into());
        }
        loop {
            let packet = answered(self.wire.receive()?)?;
            if let Some(status) = end(packet)? {
                return Ok(status);
            }
            match rows {
                Rows::Text => text_row(packet, count, &mut *see)?,
                Rows::Binary => binary_row(packet, &self.columns, &mut *see)?,
            }
        }
    }
}

/// Sends the quit command, so that the server does not count the connection as lost.
impl Drop for Client {
    fn drop(&mut self) {
        self.wire.begin().push(QUIT);
        let _ = self.wire.send();
    }
}

/// The packet, unless it contains an error of the server.
fn answered(packet: &[u8]) -> Result<&[u8], Error> {
    let mut reader = Reader(packet);
    if packet.is_empty() {
        return Err(Malformed("it is empty").into());
    }
    if reader.u8()? != 0xff {
        return Ok(packet);
    }
    let code = reader.u16()?;
    if reader.0.first() == Some(&b'#') {
        reader.bytes(6)?;
    }
    let message = String::from_utf8_lossy(reader.0);
    // No characters that control a terminal.
    let message =
        message.chars().map(|character| if character.is_control() { ' ' } else { character });
    Err(Error::Server { code, message: message.collect() })
}

/// The status of a packet that ends a list.
fn end(packet: &[u8]) -> Result<Option<u16>, Malformed> {
    if packet.first() != Some(&0xfe) || packet.len() >= 9 {
        return Ok(None);
    }
    let mut reader = Reader(packet);
    reader.bytes(1 + 2)?;
    reader.u16().map(Some)
}

fn unknown(name: &[u8]) -> Error {
    let name = String::from_utf8_lossy(name).into_owned();
    Error::Protocol(format!(
        "the server asks for the login method {name:?}; let the account use mysql_native_password or \
         caching_sha2_password"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::ServerEndpoint;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    #[test]
    fn password_is_withheld_from_an_unverified_server() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = ServerEndpoint::Tcp {
            host: "127.0.0.1".to_owned(),
            port: listener.local_addr().unwrap().port(),
        };
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            // "Send the password": two octets, the third packet of the login.
            stream.write_all(&[2, 0, 0, 2, 1, 4]).unwrap();
            let mut received = Vec::new();
            stream.read_to_end(&mut received).unwrap();
            received
        });
        let wire = Wire::connect(&Network::private(), &endpoint, Duration::from_secs(20)).unwrap();
        let mut client = Client { wire, columns: Vec::new() };
        let method = Method::CachingSha2;
        let greeting = Greeting::with(method, &[7; 20]);
        let refused = client.log_in(greeting, b"hunter2", false).unwrap_err();
        assert!(
            matches!(&refused, Error::Tls(why) if why.contains("VERIFY_IDENTITY")),
            "{refused:?}"
        );
        drop(client);
        assert_eq!(server.join().unwrap(), [1, 0, 0, 0, 1], "only the farewell");
    }
}
