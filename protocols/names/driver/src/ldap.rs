//! [`LdapPath`]: sends to a directory the searches that nslcd would send, over a connection that stays open.
//!
//! It blocks, and so does not use the LDAP driver: a session of this kind has its own thread, and nslcd also has only
//! one request in flight on a connection. Only number and name of an entry are read. The groups of a user take two
//! searches, as in nslcd, since groups may name their members by DN.

use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use brunt_ldap_wire::filter::{Filter, FilterError};
use brunt_ldap_wire::request::{self, Scope};
use brunt_ldap_wire::response::Scan;
use brunt_ldap_wire::{Template, Text, code, op};
use brunt_names_wire::account::MEMBERS_MAX;
use brunt_net::resend::Resend;
use brunt_net::resolve::Lookup;
use brunt_net::secret::Secret;
use brunt_net::unix::{self, SocketNameError};
use brunt_net::{Network, tls};

use super::access_path::AccessPath;
use super::conversation::{Conversation, Filled, Stream};
use super::error::LookupError;
use super::question::{Answer, By, Question};

/// The attributes of a user that nslcd requests.
const OF_USER: [&str; 8] =
    ["uid", "uidNumber", "gidNumber", "cn", "gecos", "homeDirectory", "loginShell", "objectClass"];
/// The attributes of a group that nslcd requests.
const OF_GROUP: [&str; 4] = ["cn", "gidNumber", "memberUid", "member"];

/// The address of a directory.
#[derive(Clone, Debug)]
enum Server {
    Tcp { host: String, port: u16 },
    Tls { host: String, port: u16, client: tls::Client },
    Unix(Arc<Path>),
}

/// Where users or groups are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The base entry of the search.
    pub base: String,
    /// The scope.
    pub scope: Scope,
    /// The filter that matches all of them: `(objectClass=posixAccount)`.
    pub filter: String,
}

/// A directory, and how it is searched.
#[derive(Clone, Debug)]
pub struct Directory {
    server: Server,
    network: Network,
    name: Arc<str>,
    bind: Option<(String, Secret)>,
    templates: Templates,
}

/// The requests of a connection.
#[derive(Clone, Debug)]
struct Templates {
    uid: Template,
    gid: Template,
    user: Template,
    group: Template,
    dn: Template,
    /// The groups of a user whose entry was found, and of one without an entry.
    memberships: Template,
    memberships_by_name: Template,
}

/// Why a directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// The URL.
    #[error(
        "understand the URL '{0}': write ldap://HOST[:PORT], ldaps://HOST[:PORT] or ldapi://PATH"
    )]
    Url(String),
    /// A filter.
    #[error("understand the filter '{filter}': {error}")]
    Filter {
        /// The filter.
        filter: String,
        /// What is wrong with it.
        error: FilterError,
    },
    /// The name of a socket.
    #[error(transparent)]
    Socket(#[from] SocketNameError),
    /// TLS.
    #[error(transparent)]
    Tls(#[from] tls::TlsError),
}

impl Directory {
    /// The directory at a URL. `secured` makes the TLS client, if the URL requires TLS.
    pub fn new(
        network: &Network,
        url: &str,
        bind: Option<(String, Secret)>,
        users: &Search,
        groups: &Search,
        secured: impl FnOnce() -> Result<tls::Client, tls::TlsError>,
    ) -> Result<Self, DirectoryError> {
        let server = server(url, secured)?;
        let name = match &server {
            Server::Tcp { host, port } | Server::Tls { host, port, .. } => {
                // A name that is not found is an outcome of the run, which looks it up again.
                if let Ok(addresses) = Lookup::begin(host, *port, None).wait() {
                    network.address_policy().expect(&addresses);
                }
                format!("{host}:{port}").into()
            }
            Server::Unix(path) => format!("unix:{}", path.display()).into(),
        };
        let (network, templates) = (network.clone(), Templates::new(users, groups)?);
        Ok(Self { server, network, name, bind, templates })
    }
}

fn server(
    url: &str,
    secured: impl FnOnce() -> Result<tls::Client, tls::TlsError>,
) -> Result<Server, DirectoryError> {
    let wrong = || DirectoryError::Url(url.to_owned());
    if let Some(socket) = unix::named(url) {
        return Ok(Server::Unix(socket?));
    }
    let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
    let scheme = scheme.to_ascii_lowercase();
    let usual = match scheme.as_str() {
        "ldap" => 389,
        "ldaps" => 636,
        _ => return Err(wrong()),
    };
    let authority = rest.strip_suffix('/').unwrap_or(rest);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().map_err(|_| wrong())?),
        _ => (authority, usual),
    };
    let host = host.trim_matches(['[', ']']).to_owned();
    if host.is_empty() || host.contains(['/', '?']) {
        return Err(wrong());
    }
    if scheme == "ldaps" {
        return Ok(Server::Tls { host, port, client: secured()? });
    }
    Ok(Server::Tcp { host, port })
}

impl Templates {
    fn new(users: &Search, groups: &Search) -> Result<Self, DirectoryError> {
        let is = |attribute: &str, slot| Filter::Equality {
            attribute: Text::from(attribute),
            value: Text::slot(slot),
        };
        let of_user = |attribute| template(users, is(attribute, 0), &OF_USER);
        let of_group = |attribute| template(groups, is(attribute, 0), &OF_GROUP);
        let member = Filter::Or(vec![is("memberUid", 0), is("member", 1)]);
        Ok(Self {
            uid: of_user("uidNumber")?,
            gid: of_group("gidNumber")?,
            user: of_user("uid")?,
            group: of_group("cn")?,
            dn: template(users, is("uid", 0), &["uid", "uidNumber"])?,
            memberships: template(groups, member, &["cn", "gidNumber"])?,
            memberships_by_name: template(groups, is("memberUid", 0), &["cn", "gidNumber"])?,
        })
    }
}

fn template(
    search: &Search,
    of_one: Filter<Text>,
    attributes: &[&str],
) -> Result<Template, DirectoryError> {
    let of_all = Filter::parse(&search.filter)
        .map_err(|error| DirectoryError::Filter { filter: search.filter.clone(), error })?;
    let filter = Filter::And(vec![of_all, of_one]);
    let mut search = request::Search::new(Text::from(search.base.as_str()), search.scope, filter);
    search.attributes = attributes.iter().map(|name| Text::from(*name)).collect();
    Ok(Template::new(search.skeleton(&[])))
}

/// A session's connection to a directory.
pub(super) struct LdapPath {
    directory: Arc<Directory>,
    timeout: Option<Duration>,
    templates: Templates,
    resend: Resend,
    conversation: Option<Conversation>,
    /// A question was answered over the connection.
    used: bool,
    /// The last question failed because a connection that had been used ended before anything arrived.
    unanswered: bool,
    name: Vec<u8>,
    groups: Vec<u32>,
}

/// The kind of search.
#[derive(Clone, Copy)]
enum Which {
    Of(By),
    Dn,
    ByName,
}

impl LdapPath {
    pub(super) fn new(
        directory: Arc<Directory>,
        timeout: Option<Duration>,
        resend: Resend,
    ) -> Self {
        let templates = directory.templates.clone();
        Self {
            directory,
            timeout,
            templates,
            resend,
            conversation: None,
            used: false,
            unanswered: false,
            name: Vec::new(),
            groups: Vec::new(),
        }
    }

    fn connect(&self) -> Result<Box<dyn Stream>, LookupError> {
        let to = || Arc::clone(&self.directory.name);
        let failed = |error| LookupError::Connect { to: to(), error };
        match &self.directory.server {
            Server::Unix(path) => {
                let files = self.directory.network.files();
                let stream = unix::connect_blocking(path, files, self.timeout).map_err(failed)?;
                Ok(Box::new(stream))
            }
            Server::Tcp { host, port } => Ok(Box::new(self.dial(host, *port).map_err(failed)?)),
            Server::Tls { host, port, client } => {
                let stream = self.dial(host, *port).map_err(failed)?;
                client
                    .secure_blocking(stream, host)
                    .map(|stream| Box::new(stream) as _)
                    .map_err(|error| LookupError::Tls { to: to(), error })
            }
        }
    }

    /// Connects to the first address of the host that answers.
    fn dial(&self, host: &str, port: u16) -> std::io::Result<TcpStream> {
        let addresses = Lookup::begin(host, port, self.timeout).wait()?;
        self.directory.network.connect_blocking(addresses, self.timeout)
    }

    fn log_in(&self, conversation: &mut Conversation) -> Result<(), LookupError> {
        let directory = &self.directory;
        let Some((dn, password)) = &directory.bind else { return Ok(()) };
        conversation.bind(dn.as_bytes(), password.expose())?;
        let scan = conversation.answer()?;
        match (scan.op, scan.code) {
            (op::BIND_RESPONSE, Some(code::SUCCESS)) => Ok(()),
            (op::BIND_RESPONSE, Some(code)) => {
                Err(LookupError::Login { to: Arc::clone(&directory.name), code })
            }
            _ => Err(LookupError::Strange("no answer to a bind")),
        }
    }

    /// Searches, and calls `entry` with each entry received. A base entry that does not exist is not a failure.
    fn search(
        &mut self,
        which: Which,
        values: &Filled<'_>,
        mut entry: impl FnMut(&Scan<'_>, &mut Vec<u8>, &mut Vec<u32>) -> Result<(), LookupError>,
    ) -> Result<(), LookupError> {
        let Some(conversation) = &mut self.conversation else { return Err(LookupError::Closed) };
        let template = match which {
            Which::Of(By::Uid) => &mut self.templates.uid,
            Which::Of(By::Gid) => &mut self.templates.gid,
            Which::Of(By::User) => &mut self.templates.user,
            Which::Of(By::Group) => &mut self.templates.group,
            Which::Of(By::Memberships) => &mut self.templates.memberships,
            Which::Dn => &mut self.templates.dn,
            Which::ByName => &mut self.templates.memberships_by_name,
        };
        let id = conversation.next_id();
        conversation.send(template.encode(id, values))?;
        loop {
            let scan = conversation.answer()?;
            match (scan.op, scan.code) {
                (op::SEARCH_ENTRY, _) => entry(&scan, &mut self.name, &mut self.groups)?,
                (op::SEARCH_REFERENCE | op::INTERMEDIATE_RESPONSE, _) => {}
                (op::SEARCH_DONE, Some(code::SUCCESS | code::NO_SUCH_OBJECT)) => return Ok(()),
                (op::SEARCH_DONE, Some(code)) => return Err(LookupError::Refused { code }),
                _ => return Err(LookupError::Strange("no answer to a search")),
            }
        }
    }

    /// The number of the user or group; its name is then in `name`.
    fn account(&mut self, question: &Question<'_>) -> Result<Option<u32>, LookupError> {
        let (number, word): (&[u8], &[u8]) =
            if question.by.is_of_group() { (b"gidNumber", b"cn") } else { (b"uidNumber", b"uid") };
        let mut digits = itoa::Buffer::new();
        let key = match question.id {
            Some(id) if question.by.is_by_id() => digits.format(id).as_bytes(),
            _ => question.name.to_bytes(),
        };
        let mut found = None;
        self.search(Which::Of(question.by), &Filled(key, b""), |scan, name, _| {
            if found.is_none() {
                let entry = scan.entry()?;
                let id = entry.value(number)?.and_then(decimal);
                found = Some(id.ok_or(LookupError::Strange("an entry without its number"))?);
                name.clear();
                // If an entry has several names, the one in the question counts.
                let names = entry.attribute(word)?.into_iter().flatten();
                for each in names {
                    let each = each?;
                    if name.is_empty() || each == question.name.to_bytes() {
                        name.clear();
                        name.extend_from_slice(each);
                    }
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Finds the groups of a user and stores them in `groups`.
    fn memberships(&mut self, question: &Question<'_>) -> Result<(), LookupError> {
        let user = question.name.to_bytes();
        self.groups.clear();
        self.name.clear();
        self.search(Which::Dn, &Filled(user, b""), |scan, name, _| {
            name.clear();
            name.extend_from_slice(scan.entry()?.dn());
            Ok(())
        })?;
        let dn = std::mem::take(&mut self.name);
        let which = if dn.is_empty() { Which::ByName } else { Which::Of(By::Memberships) };
        let searched = self.search(which, &Filled(user, &dn), |scan, _, groups| {
            let gid = scan.entry()?.value(b"gidNumber")?.and_then(decimal);
            if groups.len() < MEMBERS_MAX {
                groups.push(gid.ok_or(LookupError::Strange("an entry without its number"))?);
            }
            Ok(())
        });
        self.name = dn;
        searched
    }
}

impl AccessPath for LdapPath {
    fn is_ready(&self) -> bool {
        self.conversation.is_some()
    }

    fn ready(&mut self) -> Result<(), LookupError> {
        (self.used, self.conversation) = (false, None);
        let mut conversation = Conversation::new(self.connect()?);
        self.log_in(&mut conversation)?;
        self.conversation = Some(conversation);
        Ok(())
    }

    fn has_lapsed(&mut self) -> bool {
        let lapsed = self.conversation.as_mut().is_some_and(|it| !it.is_quiet());
        if lapsed {
            self.conversation = None;
        }
        lapsed
    }

    fn unanswered(&self) -> Option<Resend> {
        self.unanswered.then_some(self.resend)
    }

    fn look_up(&mut self, question: &Question<'_>) -> Result<Answer<'_>, LookupError> {
        self.unanswered = false;
        if let Some(conversation) = &mut self.conversation {
            conversation.begin();
        }
        let found = if question.by == By::Memberships {
            self.memberships(question).map(|()| None)
        } else {
            self.account(question)
        };
        let used = std::mem::replace(&mut self.used, true);
        match found {
            Ok(Some(id)) => Ok(Answer::Account { id, name: &self.name }),
            Ok(None) if question.by == By::Memberships && !self.groups.is_empty() => {
                Ok(Answer::Groups(&self.groups))
            }
            Ok(None) => Ok(Answer::Absent),
            Err(failure) => {
                // Unless a complete answer was received, the next bytes on this connection are unknown.
                if !matches!(failure, LookupError::Refused { .. }) {
                    let ended = matches!(failure, LookupError::Closed | LookupError::Broken(_));
                    let answering = self.conversation.take().is_some_and(|it| it.is_answering());
                    self.unanswered = used && ended && !answering;
                }
                Err(failure)
            }
        }
    }

    fn close(&mut self) {
        if let Some(conversation) = self.conversation.take() {
            conversation.leave();
        }
    }
}

fn decimal(bytes: &[u8]) -> Option<u32> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
