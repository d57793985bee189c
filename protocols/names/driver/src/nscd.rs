//! [`NscdPath`]: queries nscd over its socket, without the memory that it shares with the C library.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use brunt_names_wire::account::{MEMBERS_MAX, Progress};
use brunt_names_wire::nscd::{Reply, Request, scan};

use super::access_path::AccessPath;
use super::error::LookupError;
use super::question::{Answer, By, Question};
use super::socket::DaemonSocket;

/// The socket of the daemon, whose path cannot be configured.
pub const SOCKET: &str = "/run/nscd/socket";

/// A session's connection to nscd.
pub(super) struct NscdPath {
    socket: DaemonSocket,
    groups: Vec<u32>,
}

impl NscdPath {
    pub(super) fn new(socket: Arc<Path>, timeout: Option<Duration>) -> Self {
        Self { socket: DaemonSocket::new(socket, timeout), groups: Vec::new() }
    }
}

impl AccessPath for NscdPath {
    fn look_up(&mut self, question: &Question<'_>) -> Result<Answer<'_>, LookupError> {
        let request = match question.by {
            By::Uid => Request::UserById,
            By::Gid => Request::GroupById,
            By::User => Request::UserByName,
            By::Group => Request::GroupByName,
            By::Memberships => Request::Memberships,
        };
        let into = &mut self.socket.request;
        into.clear();
        let requested = match question.id {
            Some(id) if question.by.is_by_id() => request.write_id(id, into),
            _ => request.write(question.name.to_bytes(), into),
        };
        if !requested {
            return Err(LookupError::Key);
        }
        let mut socket = self.socket.send()?;
        while let Progress::More(needed) = scan(request, self.socket.reply())? {
            self.socket.receive(&mut socket, needed)?;
        }
        drop(socket);
        let Progress::Done(reply) = scan(request, self.socket.reply())? else {
            return Err(LookupError::Closed);
        };
        Ok(match reply {
            Reply::Off => return Err(LookupError::Off),
            Reply::Absent => Answer::Absent,
            Reply::User(user) => Answer::Account { id: user.uid, name: user.name },
            Reply::Group(group) => Answer::Account { id: group.gid, name: group.name },
            Reply::Memberships(gids) => {
                self.groups.clear();
                self.groups.extend(gids.iter().take(MEMBERS_MAX));
                if self.groups.is_empty() { Answer::Absent } else { Answer::Groups(&self.groups) }
            }
        })
    }
}
