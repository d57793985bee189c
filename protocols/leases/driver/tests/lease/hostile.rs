//! Database servers that violate the protocol: each results in a failure of its store, without a panic, without memory
//! that grows with an announced length, and without revealing a password to an unauthorised server.

use brunt_exchange::{BlockingSession, Class, Monotonic, Outcome, Ticket, Watch};
use brunt_leases_driver::mysql::{MysqlBackend, MysqlOptions};
use brunt_leases_driver::postgres::{PostgresBackend, PostgresOptions};
use brunt_leases_driver::sql::{Kind, Server};
use brunt_leases_driver::{
    Backend, BackendError, By, Connection, Contents, Draw, Durability, Family, Guarded, Lease,
    LeaseSessions, Leases, Schema, Search, Statements, Work,
};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// Serves one connection, and returns what was read from it.
fn server(serve: impl FnOnce(&mut TcpStream) + Send + 'static) -> (u16, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        serve(&mut stream);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut read = Vec::new();
        let _ = stream.read_to_end(&mut read);
        read
    });
    (port, thread)
}

/// A MySQL packet.
fn packet(number: u8, body: &[u8]) -> Vec<u8> {
    let [a, b, c, _] = (body.len() as u32).to_le_bytes();
    [&[a, b, c, number], body].concat()
}

fn greeting(method: &str) -> Vec<u8> {
    let mut body = b"\x0a8.4.0\0\x01\0\0\0abcdefgh\0\xff\xf7\x2d\x02\0\xff\x81\x15".to_vec();
    body.extend_from_slice(&[0; 10]);
    body.extend_from_slice(b"ijklmnopqrst\0");
    body.extend_from_slice(method.as_bytes());
    body.push(0);
    packet(0, &body)
}

fn read_packet(stream: &mut TcpStream) -> Vec<u8> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).unwrap();
    let mut body = vec![0; u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize];
    stream.read_exact(&mut body).unwrap();
    body
}

fn mysql(port: u16) -> MysqlBackend {
    let server = Server::parse(Kind::Mysql, &format!("mysql://u:hunter2@127.0.0.1:{port}/db"));
    MysqlBackend::new(MysqlOptions {
        network: brunt_net::Network::private(),
        server: server.unwrap(),
        schema: Schema::Guide,
        family: Family::V4,
        durability: Durability::Sync,
        statements: Statements::Basic,
        engine: None,
        flush: None,
        may_destroy: false,
        timeout: Duration::from_secs(5),
    })
}

/// The failure of counting leases with a server that accepts a login and the session's settings, and then sends this
/// answer.
fn counted(answer: Vec<u8>) -> BackendError {
    const FINE: &[u8] = &[0, 0, 0, 2, 0, 0, 0];
    let (port, thread) = server(move |stream| {
        stream.write_all(&greeting("mysql_native_password")).unwrap();
        read_packet(stream);
        stream.write_all(&packet(2, FINE)).unwrap();
        read_packet(stream);
        stream.write_all(&packet(1, FINE)).unwrap();
        read_packet(stream);
        stream.write_all(&answer).unwrap();
    });
    let error = mysql(port).count().unwrap_err();
    thread.join().unwrap();
    error
}

#[test]
fn mysql_server_may_send_anything() {
    let columns = |count: &[u8]| packet(1, count);
    let one = columns(b"\x01");
    let definition = packet(2, b"\x03def\0\0\0\x01c\0\x0c\x3f\0\x14\0\0\0\x08\0\0\0\0\0");
    let end = packet(3, b"\xfe\0\0\x02\0");
    for (what, answer) in [
        ("an empty packet", packet(1, b"")),
        ("2^63 columns", columns(b"\xfe\0\0\0\0\0\0\0\x80")),
        ("2^32 columns", columns(b"\xfe\0\0\0\0\x01\0\0\0")),
        ("a file to be sent", columns(b"\xfb/etc/passwd")),
        ("a packet that goes on", [&[0xff, 0xff, 0xff, 1], &[0; 64][..]].concat()),
        ("an error that is cut", packet(1, b"\xff\x01")),
        ("an empty definition", [one.clone(), packet(2, b"")].concat()),
        ("a definition that is cut", [one.clone(), packet(2, b"\x03def\xfe")].concat()),
        ("an empty row", [one.clone(), definition.clone(), end.clone(), packet(4, b"")].concat()),
        (
            "a row longer than it is",
            [one, definition, end, packet(4, b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f")].concat(),
        ),
    ] {
        let error = counted(answer);
        assert_eq!(error.class, Class::Protocol, "{what}: {error}");
        assert!(error.text.starts_with("count the leases: "), "{what}: {error}");
    }
    // A server that announces more than it sends has disconnected early.
    let error = counted(vec![0xfe, 0xff, 0xff, 1, 0]);
    assert_eq!(error.class, Class::Closed, "{error}");
}

#[test]
fn mysql_login_hides_the_password_and_rejects_a_bad_key() {
    let (port, thread) = server(|stream| {
        stream.write_all(&greeting("caching_sha2_password")).unwrap();
        let login = read_packet(stream);
        assert!(!login.windows(7).any(|window| window == b"hunter2"));
        stream.write_all(&packet(2, b"\x01\x04")).unwrap();
        assert_eq!(read_packet(stream), [2], "asks for the key");
        stream.write_all(&packet(4, b"\x01-----BEGIN PUBLIC KEY-----\nAAAA\n")).unwrap();
    });
    let error = mysql(port).count().unwrap_err();
    assert!(error.text.contains("key"), "{error}");
    let received = thread.join().unwrap();
    assert!(!received.windows(7).any(|window| window == b"hunter2"));
    let (port, thread) = server(|stream| {
        stream.write_all(&greeting("mysql_clear_password")).unwrap();
        read_packet(stream);
        stream.write_all(&packet(2, b"\xfemysql_clear_password\0abc\0")).unwrap();
    });
    let error = mysql(port).count().unwrap_err();
    assert!(error.text.contains("mysql_clear_password"), "{error}");
    let received = thread.join().unwrap();
    assert!(!received.windows(7).any(|window| window == b"hunter2"));
}

fn postgres(port: u16, more: &str) -> PostgresBackend {
    postgres_at(&format!("postgres://u:hunter2@127.0.0.1:{port}/db{more}"))
}

fn postgres_at(url: &str) -> PostgresBackend {
    PostgresBackend::new(PostgresOptions {
        network: brunt_net::Network::private(),
        server: Server::parse(Kind::Postgres, url).unwrap(),
        schema: Schema::Guide,
        family: Family::V4,
        durability: Durability::Sync,
        statements: Statements::Basic,
        may_destroy: false,
        timeout: Duration::from_secs(5),
    })
}

#[test]
fn postgres_password_in_clear_text_must_be_allowed() {
    for (more, allowed) in [("", false), ("?require_auth=password", true)] {
        let (port, thread) = server(|stream| {
            let mut startup = [0; 8];
            stream.read_exact(&mut startup).unwrap();
            stream.write_all(b"R\0\0\0\x08\0\0\0\x03").unwrap();
        });
        let error = postgres(port, more).count().unwrap_err();
        let received = thread.join().unwrap();
        assert_eq!(received.windows(7).any(|window| window == b"hunter2"), allowed, "{error}");
        assert_eq!(error.text.contains("require_auth=password"), !allowed, "{error}");
    }
}

#[test]
fn postgres_request_for_a_missing_password_is_a_refused_login() {
    // In clear, hashed with MD5, and by SASL.
    for method in
        [&b"\0\0\0\x08\0\0\0\x03"[..], b"\0\0\0\x0c\0\0\0\x05abcd", b"\0\0\0\x09\0\0\0\x0a\0"]
    {
        let (port, thread) = server(move |stream| {
            let mut startup = [0; 8];
            stream.read_exact(&mut startup).unwrap();
            stream.write_all(&[b"R", method].concat()).unwrap();
        });
        let error = postgres_at(&format!("postgres://u@127.0.0.1:{port}/db")).count().unwrap_err();
        thread.join().unwrap();
        assert_eq!((error.class, error.code), (Class::Login, 0), "{error}");
        let reached = error.unreached.map(|to| to.address);
        assert_eq!(reached, Some(format!("127.0.0.1:{port}")));
    }
}

#[test]
fn postgres_message_of_two_gigabytes_is_refused() {
    let (port, thread) = server(|stream| {
        stream.write_all(b"R\0\0\0\x08\0\0\0\0D\x7f\xff\xff\xff").unwrap();
    });
    let error = postgres(port, "").count().unwrap_err();
    assert!(error.text.contains("2147483647 bytes"), "{error}");
    thread.join().unwrap();
}

/// A store whose library panics on an answer.
struct Panics;

impl Backend for Panics {
    fn prepare(&self) -> Result<(), BackendError> {
        panic!("index out of bounds")
    }

    fn open(&self) -> Result<Box<dyn Connection>, BackendError> {
        Ok(Box::new(Self))
    }

    fn count(&self) -> Result<u64, BackendError> {
        panic!("capacity overflow")
    }

    fn preload(&self, _: &mut dyn Iterator<Item = Lease>) -> Result<(), BackendError> {
        Ok(())
    }

    fn clear(&self) -> Result<(), BackendError> {
        Ok(())
    }

    fn left_behind(&self) -> String {
        "nothing".into()
    }

    fn version(&self) -> Result<String, BackendError> {
        Ok("1".into())
    }

    fn durability(&self) -> String {
        String::new()
    }

    fn name_of(&self, code: u32) -> String {
        code.to_string()
    }
}

impl Connection for Panics {
    fn create(&mut self, _: &Lease) -> Result<(), BackendError> {
        panic!("index out of bounds")
    }

    fn find(&mut self, _: &brunt_leases_driver::Identity) -> Result<bool, BackendError> {
        panic!("index out of bounds")
    }

    fn renew(&mut self, _: &brunt_leases_driver::Renewal) -> Result<bool, BackendError> {
        panic!("index out of bounds")
    }

    fn release(&mut self, _: u128) -> Result<bool, BackendError> {
        panic!("index out of bounds")
    }

    fn expire(&mut self, _: i64, _: u32) -> Result<u32, BackendError> {
        panic!("index out of bounds")
    }

    fn begin(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    fn commit(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    fn roll_back(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    fn has_lapsed(&mut self, _: Duration) -> bool {
        false
    }

    fn broken(&self) -> bool {
        false
    }
}

#[test]
fn store_that_panics_fails_its_exchange() {
    let backend: Arc<dyn Backend> = Arc::new(Guarded::new(Arc::new(Panics)));
    assert_eq!(backend.prepare().unwrap_err().class, Class::Protocol);
    assert!(backend.count().unwrap_err().text.contains("capacity overflow"));
    let leases = Leases { family: Family::V4, contents: Contents::Distinct, epoch: 1_000_000_000 };
    let search = Search { population: 10, by: By::Address, draw: Draw::Ratio(1.0) };
    for work in [Work::Create { first: 0 }, Work::Search(search), Work::Delete { first: 0 }] {
        let factory = Arc::new(LeaseSessions::new(Arc::clone(&backend), work, leases, 5, 1));
        let clock = Monotonic::new();
        let mut session = factory.session(0);
        for number in 0..3 {
            let mut text = String::new();
            let mut watch = Watch::new(&clock, Some(&mut text));
            session.ready(&mut watch);
            let ticket = Ticket { number, session: 0, turn: number, phase: 0 };
            let outcome = session.exchange(&ticket, &mut watch);
            assert_eq!(outcome, Outcome::Failed(Class::Protocol, 0));
            assert!(text.contains("index out of bounds"), "{text}");
            assert!(!session.is_ready(), "its connection is opened again");
        }
    }
}
