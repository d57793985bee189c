//! One connection to a directory, for adding, removing and searching, one request at a time.
//!
//! It waits for each answer before the next request, as a script with one connection would; the time that takes is
//! measured. The codec is that of the LDAP tools.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use brunt_ldap_wire::filter::Filter;
use brunt_ldap_wire::request::{self, Scope, Search};
use brunt_ldap_wire::{code, op, response};
use brunt_names_driver::conversation::{Conversation, ConversationError};
use brunt_net::Network;

use super::sandbox_error::SandboxError;
use super::spec::{GROUPS, PEOPLE, name};

/// How long an answer may take. The controller's own limit may be shorter or longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// The identity to bind as.
#[derive(Clone, Debug)]
pub(super) struct Login {
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The name.
    pub dn: &'static str,
    /// The password.
    pub password: &'static str,
}

/// A bound connection.
#[derive(Debug)]
pub(super) struct Connection {
    conversation: Conversation,
}

impl Connection {
    /// Connects and binds.
    pub(super) fn open(login: &Login) -> Result<Self, SandboxError> {
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, login.port));
        let stream = Network::private()
            .connect_blocking([at], Some(PATIENCE))
            .map_err(SandboxError::system("connect to the directory"))?;
        let mut connection = Self { conversation: Conversation::new(Box::new(stream)) };
        connection
            .conversation
            .bind(login.dn.as_bytes(), login.password.as_bytes())
            .map_err(unsent)?;
        connection.settle("bind", op::BIND_RESPONSE, |_| {})?;
        Ok(connection)
    }

    /// Adds a user: its account and its group.
    pub(super) fn add(&mut self, id: u32) -> Result<(), SandboxError> {
        let (name, number) = (name(id), id.to_string());
        let home = format!("/home/{name}");
        let account: [(&str, &[&str]); 8] = [
            ("objectClass", &["account", "posixAccount"]),
            ("cn", &[&name]),
            ("uid", &[&name]),
            ("uidNumber", &[&number]),
            ("gidNumber", &[&number]),
            ("homeDirectory", &[&home]),
            ("loginShell", &["/bin/sh"]),
            ("gecos", &[&name]),
        ];
        self.add_entry(&account_dn(id), &account)?;
        let group: [(&str, &[&str]); 4] = [
            ("objectClass", &["posixGroup"]),
            ("cn", &[&name]),
            ("gidNumber", &[&number]),
            ("memberUid", &[&name]),
        ];
        self.add_entry(&group_dn(id), &group)
    }

    /// Removes a user: its account and its group.
    pub(super) fn remove(&mut self, id: u32) -> Result<(), SandboxError> {
        for dn in [account_dn(id), group_dn(id)] {
            let encode =
                |id, out: &mut Vec<u8>| request::encode_delete(out, id, dn.as_bytes(), &[]);
            self.conversation.request(encode).map_err(unsent)?;
            self.settle(&format!("delete {dn}"), op::DELETE_RESPONSE, |_| {})?;
        }
        Ok(())
    }

    /// The first value of an attribute of one entry.
    pub(super) fn value(
        &mut self,
        dn: &str,
        attribute: &str,
    ) -> Result<Option<String>, SandboxError> {
        let mut search = Search::new(dn.into(), Scope::Base, Filter::present("objectClass"));
        search.attributes.push(attribute.into());
        self.conversation.request_fixed(&search.skeleton(&[])).map_err(unsent)?;
        let mut found = None;
        self.settle(&format!("read {dn}"), op::SEARCH_DONE, |scan| {
            let value =
                scan.entry().ok().and_then(|entry| entry.value(attribute.as_bytes()).ok()?);
            found = found.take().or(value.map(|value| String::from_utf8_lossy(value).into_owned()));
        })?;
        Ok(found)
    }

    /// Adds an entry.
    pub(super) fn add_entry<V: AsRef<[u8]>, L: AsRef<[V]>>(
        &mut self,
        dn: &str,
        attributes: &[(&str, L)],
    ) -> Result<(), SandboxError> {
        let attributes = attributes.iter().map(|(name, values)| (name, values.as_ref()));
        let encode = |id, out: &mut Vec<u8>| {
            request::encode_add(out, id, dn.as_bytes(), attributes, &[]);
        };
        self.conversation.request(encode).map_err(unsent)?;
        self.settle(&format!("add {dn}"), op::ADD_RESPONSE, |_| {})
    }

    /// Reads until the operation is answered, and passes every message before that to the caller.
    fn settle(
        &mut self,
        act: &str,
        done: u8,
        mut show: impl FnMut(&response::Scan<'_>),
    ) -> Result<(), SandboxError> {
        loop {
            let scan = self.conversation.answer().map_err(unread)?;
            if scan.op != done {
                show(&scan);
                continue;
            }
            let result = scan.result()?;
            return match scan.code {
                Some(code::SUCCESS) => Ok(()),
                refused => Err(SandboxError::Directory {
                    act: act.to_owned(),
                    code: refused.unwrap_or_default(),
                    name: code::name(refused.unwrap_or_default()),
                    text: String::from_utf8_lossy(result.diagnostic).into_owned(),
                }),
            };
        }
    }
}

/// Why a request was not sent.
fn unsent(error: ConversationError) -> SandboxError {
    failed("write to the directory", error)
}

/// Why an answer was not received.
fn unread(error: ConversationError) -> SandboxError {
    failed("read from the directory", error)
}

fn failed(act: &str, error: ConversationError) -> SandboxError {
    let source = match error {
        ConversationError::Broken(source) => source,
        ConversationError::Closed => io::ErrorKind::UnexpectedEof.into(),
        ConversationError::Message(error) => return error.into(),
        ConversationError::Other => io::Error::other("it answered another request"),
    };
    SandboxError::system(act)(source)
}

/// The name of a user's account.
pub(super) fn account_dn(id: u32) -> String {
    format!("uid={},{PEOPLE}", name(id))
}

/// The name of a user's group.
pub(super) fn group_dn(id: u32) -> String {
    format!("cn={},{GROUPS}", name(id))
}

/// A user as LDIF: the same two entries that [`Connection::add`] makes.
pub(super) fn ldif(id: u32) -> String {
    let (name, account, group) = (name(id), account_dn(id), group_dn(id));
    format!(
        "dn: {account}\nobjectClass: account\nobjectClass: posixAccount\ncn: {name}\nuid: {name}\nuidNumber: {id}\n\
         gidNumber: {id}\nhomeDirectory: /home/{name}\nloginShell: /bin/sh\ngecos: {name}\n\n\
         dn: {group}\nobjectClass: posixGroup\ncn: {name}\ngidNumber: {id}\nmemberUid: {name}\n\n"
    )
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// A directory that sends one fixed answer.
    fn directory(response: &'static [u8]) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 512]);
            let _ = stream.write_all(response);
        });
        port
    }

    fn opened(response: &'static [u8]) -> Result<Connection, SandboxError> {
        Connection::open(&Login { port: directory(response), dn: "cn=a", password: "b" })
    }

    #[test]
    fn bind_answer_is_accepted_refused_cut_or_garbled() {
        assert!(opened(b"\x30\x0c\x02\x01\x01\x61\x07\x0a\x01\x00\x04\x00\x04\x00").is_ok());
        let refused =
            opened(b"\x30\x0c\x02\x01\x01\x61\x07\x0a\x01\x31\x04\x00\x04\x00").unwrap_err();
        assert!(matches!(refused, SandboxError::Directory { code: 49, .. }), "{refused}");
        assert!(matches!(opened(b"\x30\x0c\x02").unwrap_err(), SandboxError::System { .. }));
        assert!(matches!(opened(b"HTTP/1.1 400").unwrap_err(), SandboxError::Garbled(_)));
    }
}
