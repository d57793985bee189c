//! [`NslcdPath`]: queries nslcd over its socket, as the NSS module of nss-pam-ldapd does.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use brunt_names_wire::account::MEMBERS_MAX;
use brunt_names_wire::nslcd::{Entry, Replies, Request, Step};

use super::access_path::AccessPath;
use super::error::LookupError;
use super::question::{Answer, By, Question};
use super::socket::DaemonSocket;

/// The socket of the daemon, whose path cannot be configured.
pub const SOCKET: &str = "/run/nslcd/socket";

/// A session's connection to nslcd.
pub(super) struct NslcdPath {
    socket: DaemonSocket,
    /// The number and the name of the first entry.
    first: Option<u32>,
    name: Vec<u8>,
    groups: Vec<u32>,
}

impl NslcdPath {
    pub(super) fn new(socket: Arc<Path>, timeout: Option<Duration>) -> Self {
        let socket = DaemonSocket::new(socket, timeout);
        Self { socket, first: None, name: Vec::new(), groups: Vec::new() }
    }
}

impl AccessPath for NslcdPath {
    fn look_up(&mut self, question: &Question<'_>) -> Result<Answer<'_>, LookupError> {
        let request = match question.by {
            By::Uid => Request::UserById,
            By::Gid => Request::GroupById,
            By::User => Request::UserByName,
            By::Group => Request::GroupByName,
            By::Memberships => Request::Memberships,
        };
        self.socket.request.clear();
        match question.id {
            Some(id) if question.by.is_by_id() => request.write_id(id, &mut self.socket.request),
            _ => {
                if !request.write(question.name.to_bytes(), &mut self.socket.request) {
                    return Err(LookupError::Key);
                }
            }
        }
        let mut socket = self.socket.send()?;
        let mut replies = Replies::new(request);
        self.first = None;
        self.groups.clear();
        loop {
            let (id, name) = match replies.step(self.socket.reply())? {
                Step::More(needed) => {
                    self.socket.receive(&mut socket, needed)?;
                    continue;
                }
                Step::End => break,
                Step::Entry(Entry::User(user)) => (user.uid, user.name),
                Step::Entry(Entry::Group(group)) => (group.gid, group.name),
            };
            if question.by == By::Memberships {
                if self.groups.len() < MEMBERS_MAX {
                    self.groups.push(id);
                }
            } else if self.first.is_none() {
                self.first = Some(id);
                self.name.clear();
                self.name.extend_from_slice(name);
            }
        }
        Ok(match self.first {
            Some(id) => Answer::Account { id, name: &self.name },
            None if self.groups.is_empty() => Answer::Absent,
            None => Answer::Groups(&self.groups),
        })
    }
}
