//! [`Imported`]: what was found, whatever it was found in.
//!
//! Strings are in the notation of plans (see [`notation`](crate::notation)) wherever a plan's may have holes.

use std::path::PathBuf;
use std::time::Duration;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// What it is called.
    pub name: String,
    /// The requests, in order.
    pub steps: Vec<Step>,
    /// Whether each request stands by itself, so that the others go on when one has failed.
    pub independent: bool,
    /// The variables that stand in them.
    pub variables: Vec<Variable>,
    /// How requests are to be sent.
    pub client: Client,
    /// What was left out, taken out or guessed, as sentences.
    pub notes: Vec<String>,
}

/// One request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// What it is called.
    pub name: String,
    /// What is said of it where it came from.
    pub comment: String,
    /// The method.
    pub method: String,
    /// The whole URL.
    pub url: String,
    /// The fields, in order.
    pub headers: Vec<(String, String)>,
    /// Who asks.
    pub auth: Option<Auth>,
    /// What follows the head.
    pub body: Body,
    /// How long was waited before it.
    pub pause: Option<Duration>,
    /// How long its answer may take.
    pub timeout: Option<Duration>,
    /// The statuses that are expected; where there are none, any below 400.
    pub statuses: Vec<u16>,
    /// What later requests take from the answer.
    pub extracts: Vec<Extract>,
}

/// A value that later requests take from an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    /// The variable that it becomes.
    pub name: String,
    /// Where it stands.
    pub from: Place,
}

/// Where a value stands in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a body that is JSON, by JSON pointer.
    Json(String),
    /// In the header of this name.
    Header(String),
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auth {
    /// A user and a password.
    Basic {
        /// The user.
        user: String,
        /// The password.
        password: String,
    },
    /// A token.
    Bearer(String),
}

/// What follows the head of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    #[default]
    None,
    /// Text with holes.
    Text(String),
    /// The fields of a form, not yet encoded. The type of the content goes without saying.
    Form(Vec<(String, String)>),
    /// Bytes that are no text.
    Bytes(Vec<u8>),
    /// What is in a file.
    File(PathBuf),
}

/// A value that stands in a hole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// What it is called.
    pub name: String,
    /// Where it comes from.
    pub value: Value,
    /// What it is.
    pub comment: String,
}

/// Where the value of a variable comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// It is always the same, and is no secret.
    Constant(String),
    /// The environment has it, under this name. It may be a secret.
    Environment(String),
}

/// How requests are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option that was given or not")]
pub struct Client {
    /// The version of HTTP.
    pub version: Version,
    /// Certificates are not verified.
    pub insecure: bool,
    /// A file with certificates to trust.
    pub ca: Option<PathBuf>,
    /// A file with a certificate to show.
    pub certificate: Option<PathBuf>,
    /// A file with its key.
    pub key: Option<PathBuf>,
    /// Where names are to be found.
    pub resolve: Vec<Resolve>,
    /// A socket to use in place of any address.
    pub unix: Option<PathBuf>,
    /// A proxy, as a URL.
    pub proxy: Option<String>,
    /// A compressed answer is asked for and unpacked.
    pub compression: bool,
    /// How many redirects are followed.
    pub redirects: u8,
    /// Redirects are followed with every header and the body, wherever they lead.
    pub trusting: bool,
    /// Cookies that answers set are sent from then on.
    pub cookies: bool,
    /// Each request has a connection of its own.
    pub churn: bool,
    /// How long connecting may take.
    pub connect_timeout: Option<Duration>,
}

impl Resolve {
    /// Reads `HOST:PORT:ADDRESS[,ADDRESS]`: the first address is taken.
    pub fn to_address(text: &str) -> Option<Self> {
        let (host, rest) = text.trim_start_matches('+').split_once(':')?;
        let (port, addresses) = rest.split_once(':')?;
        let port: u16 = port.parse().ok()?;
        let address = addresses.split(',').next()?.trim_matches(['[', ']']);
        let address: std::net::IpAddr = address.parse().ok()?;
        let named = !host.is_empty() && host != "*";
        named.then(|| Self {
            host: host.to_owned(),
            port,
            to_host: address.to_string(),
            to_port: port,
        })
    }

    /// Reads `HOST:PORT:TO-HOST:TO-PORT`.
    pub fn to_host(text: &str) -> Option<Self> {
        let (host, rest) = text.split_once(':')?;
        let (port, to) = rest.split_once(':')?;
        let (to_host, to_port) = to.rsplit_once(':')?;
        let (port, to_port) = (port.parse().ok()?, to_port.parse().ok()?);
        let to_host = if to_host.is_empty() { host } else { to_host.trim_matches(['[', ']']) };
        let named = !host.is_empty();
        named.then(|| Self { host: host.to_owned(), port, to_host: to_host.to_owned(), to_port })
    }
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// Whatever is used where nothing is said.
    #[default]
    Unsaid,
    /// HTTP/1.1.
    Http1,
    /// HTTP/2 where TLS agrees on it, else HTTP/1.1.
    Http2,
    /// HTTP/2 without asking first.
    Http2PriorKnowledge,
}

/// Where a name is to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolve {
    /// The name in the URL.
    pub host: String,
    /// The port in the URL.
    pub port: u16,
    /// The address to connect to: an IP address, or a name.
    pub to_host: String,
    /// The port there.
    pub to_port: u16,
}
