//! All keys of a cluster, made at once: an authority, certificates, logins, the key that signs orders, the
//! configuration of nats-server and a sample of the agents' policy (`brunt cluster keys DIR`).
//!
//! People who have to make certificates by hand turn TLS off, so one command makes everything that mutual TLS, logins
//! and permissions need. It may be called again: existing keys are kept, agents that are missing are added, and the
//! configuration is written again from the agents that have a directory. Each directory contains only what one party
//! needs. The authority's key and the other directories stay on the machine where they were made.

mod certificates;
mod configuration;
mod files;
mod login;

use std::path::{Path, PathBuf};

use jiff::civil::Date;
use nkeys::KeyPair;
use zeroize::Zeroizing;

use crate::signature::Signer;

use certificates::{Authority, CertificateSubject};
pub use configuration::{AgentKey, Configuration};
pub use login::{Login, LoginError, inbox};

/// The name of the coordinator, which no agent may have.
pub const COORDINATOR: &str = "coordinator";
/// The most agents that get keys at once.
pub const AGENTS_MAX: u32 = 1_000;

/// What to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The number of agents, called `agent-0`, `agent-1` and so on.
    pub agents: u32,
    /// Names and addresses under which the broker is reached, the first being the one that logins name.
    pub hosts: Vec<String>,
    /// The port of the broker.
    pub port: u16,
    /// The first day of the certificates.
    pub from: Date,
    /// The last day of the certificates.
    pub until: Date,
}

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// All agents that have keys now.
    pub agents: Vec<String>,
    /// Those that had none before.
    pub added: Vec<String>,
    /// The public key of orders, for the agents' policies.
    pub order_key: String,
    /// Whether the server's certificate was there before.
    pub kept: bool,
}

/// Why keys could not be made. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// A file could not be used.
    #[error("{act} {path}: {source}")]
    File {
        /// What was attempted.
        act: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A certificate could not be made.
    #[error("make a certificate for {name}: {source}")]
    Certificate {
        /// The party that it is for.
        name: String,
        /// Why not.
        source: rcgen::Error,
    },
    /// An existing file does not have the expected contents.
    #[error(
        "use {0}: it does not hold what brunt cluster keys wrote: remove the directory and run it again"
    )]
    Foreign(PathBuf),
    /// A host name of the server is not valid.
    #[error(
        "make a certificate for '{0}': write the name or address of the machine that nats-server runs on"
    )]
    Host(String),
}

/// Makes the missing files of a directory.
pub fn make(directory: &Path, wanted: &Wanted) -> Result<Made, KeysError> {
    if let Some(host) = wanted.hosts.iter().find(|host| !is_host(host)) {
        return Err(KeysError::Host(host.clone()));
    }
    files::make_directory(directory)?;
    let authority = Authority::new(directory, wanted)?;
    let server = directory.join("nats");
    let kept = server.join("server.pem").exists();
    files::make_directory(&server)?;
    authority.issue(&server, "server", &CertificateSubject::Server(&wanted.hosts))?;
    let order_key = coordinator(directory, &authority, wanted)?;
    let mut added = Vec::new();
    for number in 0..wanted.agents {
        let name = format!("agent-{number}");
        let place = directory.join("agents").join(&name);
        if !place.join(login::SEED).exists() {
            added.push(name.clone());
        }
        client(&place, &name, &authority, wanted)?;
        if !place.join("agent.toml").exists() {
            files::write(&place.join("agent.toml"), sample(&order_key).as_bytes())?;
        }
    }
    let agents = agents(directory)?;
    let configuration = Configuration {
        port: wanted.port,
        coordinator: public_of(&directory.join(COORDINATOR))?,
        agents: agents.iter().map(|name| agent(directory, name)).collect::<Result<_, _>>()?,
    };
    files::write(&server.join("nats.conf"), configuration.text().as_bytes())?;
    Ok(Made { agents, added, order_key, kept })
}

/// The coordinator's directory, and the public key of its orders.
fn coordinator(
    directory: &Path,
    authority: &Authority,
    wanted: &Wanted,
) -> Result<String, KeysError> {
    let place = directory.join(COORDINATOR);
    client(&place, COORDINATOR, authority, wanted)?;
    let path = place.join("order.seed");
    if !path.exists() {
        let (_, seed) = Signer::generate();
        files::write(&path, format!("{}\n", *seed).as_bytes())?;
    }
    let signer = Signer::from_seed_file(&path).map_err(|_| KeysError::Foreign(path))?;
    files::write(&place.join("order.pub"), format!("{}\n", signer.public()).as_bytes())?;
    Ok(signer.public())
}

/// The directory of a client of the broker.
fn client(
    place: &Path,
    name: &str,
    authority: &Authority,
    wanted: &Wanted,
) -> Result<(), KeysError> {
    files::make_directory(place)?;
    authority.issue(place, "client", &CertificateSubject::Client(name))?;
    if !place.join(login::SEED).exists() {
        let seed = KeyPair::new_user().seed().map(Zeroizing::new).unwrap_or_default();
        files::write(&place.join(login::SEED), format!("{}\n", *seed).as_bytes())?;
    }
    let host = wanted.hosts.first().map_or("localhost", String::as_str);
    let text = login::written(name, host, wanted.port);
    files::write(&place.join(login::FILE), text.as_bytes())
}

/// The agents that have a directory, in the order of their numbers.
fn agents(directory: &Path) -> Result<Vec<String>, KeysError> {
    let path = directory.join("agents");
    let failed = |source| KeysError::File { act: "list", path: path.clone(), source };
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if is_name(&name) && name != COORDINATOR {
            names.push(name);
        }
    }
    names.sort_by_key(|name| {
        let digits = name.rsplit('-').next().and_then(|digits| digits.parse::<u32>().ok());
        (digits, name.clone())
    });
    Ok(names)
}

fn agent(directory: &Path, name: &str) -> Result<AgentKey, KeysError> {
    let key = public_of(&directory.join("agents").join(name))?;
    Ok(AgentKey { name: name.to_owned(), key })
}

/// The public key of the login in a directory.
fn public_of(place: &Path) -> Result<String, KeysError> {
    let path = place.join(login::SEED);
    let text = Zeroizing::new(files::read(&path)?);
    let pair = KeyPair::from_seed(text.trim()).map_err(|_| KeysError::Foreign(path))?;
    Ok(pair.public_key())
}

/// The policy that an agent's owner starts with: this coordinator may use this machine, and orders reach nothing else.
fn sample(order_key: &str) -> String {
    format!(
        "\
# What the agent on this machine obeys. It is its owner's word: brunt agent reads it at every order, and an order that
# asks for more is refused with exit code 8.

# The coordinators whose orders count, by their public keys.
orders_from = [\"{order_key}\"]

# The addresses that load may be sent to: networks with ports, checked at every connect after the name was resolved.
# Such as [\"10.1.0.0/16:389,636\", \"[2001:db8::]/32:443\"]. As it is, this machine alone.
targets = [\"127.0.0.0/8\", \"::1\"]

# The most operations a second of this agent. An order without a rate is refused then.
# rate_max = 5000

# The commands that may be ordered. Default: all that a cluster runs.
# commands = [\"authrate\", \"searchrate\", \"http\", \"run\"]

# The last day on which orders count (UTC), or a moment.
# expires = 2027-12-31

# The environment variables of the agent that an order may refer to, such as --bindPassword:env LDAP_PASSWORD.
# variables = [\"LDAP_PASSWORD\"]

# The directory of files that orders refer to and do not bring: password files and other secrets, and large data.
# data = \"/srv/brunt\"
"
    )
}

/// Whether this may be the name of an agent, which becomes a part of subjects and of file names.
pub(crate) fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&text.len()) && text.bytes().all(fits)
}

/// Whether this may be a name or an address of a machine.
fn is_host(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b':' | b'_');
    (1..=253).contains(&text.len()) && text.bytes().all(fits)
}

#[cfg(test)]
mod tests;
