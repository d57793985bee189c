//! Steps of LDAP, and the connection settings of their directory.

use std::io;
use std::path::Path;
use std::sync::Arc;

use brunt_feed::{Arguments, Escape, Text, TextPiece};
use brunt_flow_driver::LdapExchange;
use brunt_ldap_driver::{
    self as ldap, BindControls, Identity, Mode, Route, Security, Servers, Setup, Task,
};
use brunt_ldap_wire::request::{ModifyOp, Scope};
use brunt_net::Network;
use brunt_net::resend::Resend;
use brunt_net::secret::Secret;
use brunt_net::tcp::{self, Dialer, DialerError, Endpoint};
use brunt_net::tls::{self, TlsError};
use brunt_net::unix;

use super::environment::CompileEnvironment;
use super::hidden::{Shown, constant, hidden};
use super::load::CONNECT;
use super::names::{Names, Piece};
use super::network;
use crate::key_error::KeyError;
use crate::model::{ChangeKind, Hidden, Ldap, LdapStep, Login, SearchScope};
use crate::path::KeyPath;
use crate::values::Several;

/// A directory server, before its name is resolved.
#[derive(Debug)]
enum Server {
    Network(Endpoint),
    Socket(Arc<Path>),
}

/// The connection settings of a directory, before its name is resolved.
#[derive(Debug)]
pub struct Directory {
    server: Server,
    secure: bool,
    start_tls: bool,
    tls: Option<tls::Options>,
    dialing: tcp::Options,
    resend: Resend,
    login: Identity,
}

/// Why a directory server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// The settings of TLS.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Its address.
    #[error(transparent)]
    Address(#[from] DialerError),
    /// Its socket.
    #[error("use the socket of the directory server: {0}")]
    Socket(io::Error),
    /// The operations.
    #[error(transparent)]
    Plan(#[from] ldap::PlanError),
}

impl Directory {
    /// Reads the table `[ldap]`.
    pub fn new(given: &Ldap, environment: &CompileEnvironment<'_>) -> Result<Self, KeyError> {
        let at = KeyPath::new("ldap");
        let (server, secure) = server(given, &at)?;
        if secure && given.start_tls {
            return Err(KeyError::new(
                &at.key("start-tls"),
                "cannot be used with an ldaps:// server, which already uses TLS",
            ));
        }
        let tls =
            given.tls.as_deref().map(|tls| network::options(tls, &at.key("tls"), environment));
        let login =
            given.bind.as_ref().map(|login| constant_login(login, &at.key("bind"), environment));
        Ok(Self {
            server,
            secure,
            start_tls: given.start_tls,
            tls: tls.transpose()?,
            dialing: tcp::Options {
                timeout: Some(given.connect_timeout.map_or(CONNECT, |time| time.0)),
                ..tcp::Options::default()
            },
            resend: given.resend.unwrap_or_default().into(),
            login: login.transpose()?.unwrap_or_default(),
        })
    }

    /// Resolves the server, for this number of users. Binds are held back once more accounts are locked than are
    /// tolerated.
    pub fn open(
        self,
        network: &Network,
        users: u32,
        seed: u64,
        tolerated: Option<u64>,
    ) -> Result<Arc<ldap::Plan>, DirectoryError> {
        let client = || {
            tls::Client::new(&self.tls.clone().unwrap_or_default(), network.files()).map(Arc::new)
        };
        let security = match (self.secure, self.start_tls) {
            (true, _) => Security::Tls(client()?),
            (_, true) => Security::StartTls(client()?),
            _ => Security::Plain,
        };
        let step_timeout = self.dialing.timeout;
        let servers = match self.server {
            Server::Network(endpoint) => {
                let dialer = Dialer::new(network, &[endpoint], self.dialing)?;
                Servers::Network(Arc::new(dialer))
            }
            Server::Socket(path) => {
                // Like a file, it may not be one of the machine of an agent.
                network.files().check(&path).map_err(DirectoryError::Socket)?;
                Servers::Sockets(vec![path], network.clone())
            }
        };
        let plan = ldap::Plan::compile(Setup {
            route: Route { servers, security, step_timeout },
            mode: Mode::Bound,
            requests_per_connection: 1,
            reconnect_every: 0,
            resend: self.resend,
            login: self.login,
            bind_controls: BindControls::default(),
            task: Task::Given,
            arguments: Arguments::default(),
            sessions: users,
            seed,
            traceparent: false,
            raw: false,
        })?;
        Ok(Arc::new(match tolerated {
            Some(tolerated) => plan.withholding_after(tolerated),
            None => plan,
        }))
    }
}

fn server(given: &Ldap, at: &KeyPath) -> Result<(Server, bool), KeyError> {
    let at = at.key("server");
    if let Some(socket) = unix::named(&given.server) {
        let path = socket
            .map_err(|error| KeyError::new(&at, format!("cannot be used: failed to {error}")))?;
        return Ok((Server::Socket(path), false));
    }
    let wrong = || {
        let what = format!(
            "is \"{}\", but must be a server such as \"ldap://localhost:1389\"",
            given.server
        );
        KeyError::new(&at, what)
    };
    let (scheme, rest) = given.server.split_once("://").ok_or_else(wrong)?;
    let secure = match scheme.to_ascii_lowercase().as_str() {
        "ldap" => false,
        "ldaps" => true,
        _ => return Err(wrong()),
    };
    let rest = rest.trim_end_matches('/');
    let usual = if secure { 636 } else { 389 };
    let bracketed = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (host, port) = match bracketed {
        Some((host, "")) => (host, usual),
        Some((host, port)) => {
            (host, port.strip_prefix(':').and_then(|port| port.parse().ok()).ok_or_else(wrong)?)
        }
        None => match rest.split_once(':') {
            None => (rest, usual),
            Some((host, port)) => (host, port.parse().map_err(|_| wrong())?),
        },
    };
    if host.is_empty() || host.contains(['/', '?', ' ', '@']) {
        return Err(wrong());
    }
    Ok((Server::Network(Endpoint { host: host.to_owned(), port }), secure))
}

/// The identity of a bind that is made before any user has a value.
fn constant_login(
    login: &Login,
    at: &KeyPath,
    environment: &CompileEnvironment<'_>,
) -> Result<Identity, KeyError> {
    if login.dn.contains("${") {
        let what = "uses a variable, but is needed before variables have values; bind in a step of its own";
        return Err(KeyError::new(&at.key("dn"), what));
    }
    let password = constant(&at.key("password"), &login.password, environment)?;
    // The driver reads templates, in which braces are holes.
    let dn = login.dn.replace('{', "{{").replace('}', "}}");
    Ok(Identity::Simple { dn, password })
}

/// The operation of a step.
pub(super) fn act(
    at: &KeyPath,
    step: &LdapStep,
    names: &mut Names,
    environment: &CompileEnvironment<'_>,
) -> Result<LdapExchange, KeyError> {
    let at = at.key(kind(step));
    let given = given(&at, step, names, environment)?;
    LdapExchange::new(&given)
        .map_err(|error| KeyError::new(&at.key("filter"), format!("is not a filter: {error}")))
}

/// The kind of operation of a step.
pub(super) fn kind(step: &LdapStep) -> &'static str {
    match step {
        LdapStep::Bind(_) => "bind",
        LdapStep::Search { .. } => "search",
        LdapStep::Compare { .. } => "compare",
        LdapStep::Modify { .. } => "modify",
        LdapStep::Add { .. } => "add",
        LdapStep::Delete { .. } => "delete",
    }
}

fn given(
    at: &KeyPath,
    step: &LdapStep,
    names: &mut Names,
    environment: &CompileEnvironment<'_>,
) -> Result<ldap::LdapOperation, KeyError> {
    let mut entry = |text: &str| dn(&at.key("dn"), text, names);
    Ok(match step {
        LdapStep::Bind(Login { dn, password }) => {
            let dn = entry(dn)?;
            let password = secret(&at.key("password"), password, names, environment)?;
            ldap::LdapOperation::Bind { dn, password }
        }
        LdapStep::Search { base, scope, filter, attributes, size_limit } => {
            ldap::LdapOperation::Search {
                base: dn(&at.key("base"), base, names)?,
                scope: match scope.unwrap_or(SearchScope::Sub) {
                    SearchScope::Base => Scope::Base,
                    SearchScope::One => Scope::One,
                    SearchScope::Sub => Scope::Subtree,
                    SearchScope::Subordinates => Scope::Subordinate,
                },
                // A value of a filter is a separate value in the message, and needs no escape.
                filter: names.plain(&at.key("filter"), filter)?,
                attributes: attributes.clone(),
                size_limit: size_limit.map_or(0, |limit| i32::try_from(limit).unwrap_or(i32::MAX)),
            }
        }
        LdapStep::Compare { dn, attribute, value } => ldap::LdapOperation::Compare {
            dn: entry(dn)?,
            attribute: attribute.clone(),
            value: names.plain(&at.key("value"), value)?,
        },
        LdapStep::Modify { dn, changes } => {
            let dn = entry(dn)?;
            let mut all = Vec::new();
            for (index, change) in changes.iter().enumerate() {
                let op = match change.op {
                    ChangeKind::Add => ModifyOp::Add,
                    ChangeKind::Delete => ModifyOp::Delete,
                    ChangeKind::Replace => ModifyOp::Replace,
                    ChangeKind::Increment => ModifyOp::Increment,
                };
                let at = at.key("changes").index(index).key("values");
                all.push((op, change.attribute.clone(), texts(&at, &change.values, names)?));
            }
            if all.is_empty() {
                return Err(KeyError::new(
                    &at.key("changes"),
                    "are empty, so nothing would be modified",
                ));
            }
            ldap::LdapOperation::Modify { dn, changes: all }
        }
        LdapStep::Add { dn, attributes } => {
            let dn = entry(dn)?;
            let mut all = Vec::new();
            for (name, values) in attributes.iter() {
                let at = at.key("attributes").key(name);
                all.push((name.to_owned(), texts(&at, values, names)?));
            }
            ldap::LdapOperation::Add { dn, attributes: all }
        }
        LdapStep::Delete { dn } => ldap::LdapOperation::Delete { dn: entry(dn)? },
    })
}

/// A DN. A value that is the whole text is a DN itself; within a DN, values are escaped.
fn dn(at: &KeyPath, text: &str, names: &mut Names) -> Result<Text, KeyError> {
    if let [Piece::Hole(hole, None)] = names.pieces(at, text)?[..] {
        return Ok(Text::from_pieces([TextPiece::Hole(hole, Escape::None)]));
    }
    names.escaped(at, text, Escape::Dn)
}

fn texts(at: &KeyPath, values: &Several, names: &mut Names) -> Result<Vec<Text>, KeyError> {
    values.0.iter().map(|value| names.plain(at, &value.to_string())).collect()
}

fn secret(
    at: &KeyPath,
    given: &Hidden,
    names: &mut Names,
    environment: &CompileEnvironment<'_>,
) -> Result<Text, KeyError> {
    match hidden(at, given, environment)? {
        Shown::Text(text) => names.plain(at, &text),
        Shown::Secret(secret) => secret_text(at, secret, names),
    }
}

fn secret_text(at: &KeyPath, secret: Secret, names: &mut Names) -> Result<Text, KeyError> {
    let hole = names.secret(at, "password", secret)?;
    Ok(Text::from_pieces([TextPiece::Hole(hole, Escape::None)]))
}
