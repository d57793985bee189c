//! A minimal HTTP/1 client that shares no code with the server under test.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// A connection.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    read: Vec<u8>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// How a body that was begun ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Closed,
    Reset,
    Silent,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, read: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// Sends a request with a body of known length, and receives the answer.
    pub(crate) fn exchange(
        &mut self,
        method: &str,
        target: &str,
        fields: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut request = format!("{method} {target} HTTP/1.1\r\nHost: test\r\n");
        for (name, value) in fields {
            request.extend([name, ": ", value, "\r\n"]);
        }
        if !body.is_empty() {
            request.extend(["Content-Length: ", &body.len().to_string(), "\r\n"]);
        }
        self.send(format!("{request}\r\n{body}").as_bytes());
        self.receive(method).unwrap_or_else(|end| panic!("{method} {target}: {end:?}"))
    }

    pub(crate) fn get(&mut self, target: &str) -> Answer {
        self.exchange("GET", target, &[], "")
    }

    /// Receives an answer to a request of this method.
    pub(crate) fn receive(&mut self, method: &str) -> Result<Answer, End> {
        let head = loop {
            if let Some(at) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                break self.read.drain(..at + 4).collect::<Vec<u8>>();
            }
            self.more()?;
        };
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let line = lines.next().unwrap().strip_prefix("HTTP/1.").unwrap();
        let status = line[2..5].parse().unwrap();
        let fields = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_owned(), value.to_owned())
        });
        let mut answer = Answer { status, fields: fields.collect(), body: Vec::new() };
        if method == "HEAD" || matches!(status, 100..=199 | 204 | 304) {
            return Ok(answer);
        }
        answer.body = match (answer.field("content-length"), answer.field("transfer-encoding")) {
            (Some(length), None) => self.exactly(length.parse().unwrap())?,
            (None, Some("chunked")) => self.chunks()?,
            (None, None) => {
                while self.more().is_ok() {}
                std::mem::take(&mut self.read)
            }
            both => panic!("{both:?}"),
        };
        Ok(answer)
    }

    /// How the connection ends, and the bytes before that.
    pub(crate) fn end(&mut self) -> (End, Vec<u8>) {
        loop {
            if let Err(end) = self.more() {
                return (end, std::mem::take(&mut self.read));
            }
        }
    }

    /// Whether nothing arrives for this time.
    pub(crate) fn is_silent(&mut self, long: Duration) -> bool {
        self.stream.set_read_timeout(Some(long)).unwrap();
        let silent = self.more() == Err(End::Silent);
        self.stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        silent
    }

    fn exactly(&mut self, length: usize) -> Result<Vec<u8>, End> {
        while self.read.len() < length {
            self.more()?;
        }
        Ok(self.read.drain(..length).collect())
    }

    fn chunks(&mut self) -> Result<Vec<u8>, End> {
        let mut body = Vec::new();
        loop {
            let at = loop {
                if let Some(at) = self.read.windows(2).position(|two| two == b"\r\n") {
                    break at;
                }
                self.more()?;
            };
            let line: Vec<u8> = self.read.drain(..at + 2).collect();
            let line = String::from_utf8(line).unwrap();
            let length = usize::from_str_radix(line.trim_end(), 16).unwrap();
            let chunk = self.exactly(length + 2)?;
            assert!(chunk.ends_with(b"\r\n"));
            if length == 0 {
                return Ok(body);
            }
            body.extend(&chunk[..length]);
        }
    }

    fn more(&mut self) -> Result<(), End> {
        let mut bytes = [0; 8192];
        match self.stream.read(&mut bytes) {
            Ok(0) => Err(End::Closed),
            Ok(count) => {
                self.read.extend(&bytes[..count]);
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Err(End::Reset),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Err(End::Silent),
            Err(error) => panic!("{error}"),
        }
    }
}

impl Answer {
    /// The first value of a field.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
