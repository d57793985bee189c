//! [`Imported`]: the result of an import, from any kind of source.
//!
//! Strings are in the notation of plans (see [`notation`](crate::notation)) wherever a plan's may have holes.

use std::path::PathBuf;
use std::time::Duration;

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// Its name.
    pub name: String,
    /// The requests, in order.
    pub steps: Vec<Step>,
    /// Whether the requests are independent, so that the others continue when one has failed.
    pub independent: bool,
    /// The variables that occur in them.
    pub variables: Vec<Variable>,
    /// How requests must be sent.
    pub client: Client,
    /// What was left out, replaced or guessed, as sentences.
    pub notes: Vec<String>,
    /// What differs from user to user.
    pub feeder: Option<Feeder>,
    /// Whether it is the visit of a person, which many users repeat for some time.
    pub visit: bool,
}

/// A file with a row for each user, whose columns are used as `${name.column}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feeder {
    /// Its name.
    pub name: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The values.
    pub rows: Vec<Vec<String>>,
}

/// One request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// The comment in the source.
    pub comment: String,
    /// The method.
    pub method: String,
    /// The whole URL.
    pub url: String,
    /// What is done on the page before, in place of a request to the URL. The body has the fields that are changed.
    pub act: Option<PageAction>,
    /// The path that redirects lead to, or that a page must come from; `*` is any text.
    pub lands: Option<String>,
    /// The fields, in order.
    pub headers: Vec<(String, String)>,
    /// The credentials of the request.
    pub auth: Option<Auth>,
    /// What follows the head.
    pub body: Body,
    /// The time before it in which nothing is sent.
    pub pause: Option<Duration>,
    /// How long its answer may take.
    pub timeout: Option<Duration>,
    /// The expected statuses; any below 400 if empty.
    pub statuses: Vec<u16>,
    /// What later requests take from the answer.
    pub extracts: Vec<Extract>,
}

/// What is done on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageAction {
    /// A form is sent.
    Submit {
        /// What selects it.
        selector: String,
        /// The name of the button, if it is not the first.
        press: Option<String>,
    },
    /// The link that this selects is followed.
    Follow(String),
}

/// A value that later requests take from an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    /// The variable that it becomes.
    pub name: String,
    /// Where it is in the answer.
    pub from: Location,
}

/// The position of a value in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a body that is JSON, by JSON pointer.
    Json(String),
    /// In the header of this name.
    Header(String),
    /// In a body that is text: the first group of this regular expression.
    Pattern(String),
    /// In the cookie of this name.
    Cookie(String),
    /// In the element that this selects: its text, or the value of the attribute.
    Html(String, Option<String>),
    /// In the URL that the answer came from: the whole, or this parameter.
    Url(Option<String>),
    /// The parameter of this name in a header that is a URL.
    Parameter(Box<Self>, String),
    /// In a part of that place: the first group of this regular expression.
    Within(Box<Self>, String),
}

/// The credentials of a request.
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
    /// The fields of a form, not yet encoded. The content type follows from it.
    Form(Vec<(String, String)>),
    /// The parts of a form that may contain files. The content type follows from it.
    Multipart(Vec<FormPart>),
    /// Bytes that are not text.
    Bytes(Vec<u8>),
    /// The content of a file.
    File(PathBuf),
}

/// A part of a form that may contain files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormPart {
    /// The name of the field, without holes.
    pub name: String,
    /// The name of the file, if it is sent as one.
    pub file: Option<String>,
    /// Its type.
    pub kind: Option<String>,
    /// Its content.
    pub content: PartContent,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartContent {
    /// Text with holes.
    Text(String),
    /// Bytes that are not text.
    Bytes(Vec<u8>),
    /// The content of a file.
    File(PathBuf),
}

/// A variable that fills a hole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The source of its value.
    pub value: Value,
    /// A description.
    pub comment: String,
}

/// The source of the value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// It is always the same, and is no secret.
    Constant(String),
    /// It is read from the environment, under this name. It may be a secret.
    Environment(String),
    /// A random UUID.
    Uuid,
    /// Random characters of these.
    Chars {
        /// The characters, as in a regular expression.
        chars: String,
        /// How many.
        length: u32,
    },
    /// The time of each exchange.
    Timestamp {
        /// In milliseconds since 1970, and not in seconds.
        milliseconds: bool,
    },
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
    /// A file with a certificate to present.
    pub certificate: Option<PathBuf>,
    /// A file with its key.
    pub key: Option<PathBuf>,
    /// Addresses of names.
    pub resolve: Vec<Resolve>,
    /// A socket to use in place of any address.
    pub unix: Option<PathBuf>,
    /// A proxy, as a URL without a user.
    pub proxy: Option<String>,
    /// The user and the password for it.
    pub proxy_login: Option<(String, String)>,
    /// A compressed answer is requested and unpacked.
    pub compression: bool,
    /// How many redirects are followed.
    pub redirects: u8,
    /// Redirects are followed with every header and the body, whatever their target.
    pub trusting: bool,
    /// Cookies that answers set are sent from then on.
    pub cookies: bool,
    /// Each request has a connection of its own.
    pub churn: bool,
    /// The origins that forms, links and redirects may lead to.
    pub origins: Vec<String>,
    /// How long connecting may take.
    pub connect_timeout: Option<Duration>,
}

impl Step {
    /// Replaces a text wherever a plan's may have holes.
    pub fn replace(&mut self, old: &str, new: &str) {
        let replace = |text: &mut String| {
            if text.contains(old) {
                *text = text.replace(old, new);
            }
        };
        replace(&mut self.url);
        self.headers.iter_mut().for_each(|(_, value)| replace(value));
        match &mut self.body {
            Body::Text(text) => replace(text),
            Body::Form(fields) => fields.iter_mut().for_each(|(_, value)| replace(value)),
            Body::Multipart(parts) => {
                for part in parts {
                    if let PartContent::Text(text) = &mut part.content {
                        replace(text);
                    }
                }
            }
            Body::None | Body::Bytes(_) | Body::File(_) => {}
        }
    }
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
    /// The default version.
    #[default]
    Unsaid,
    /// HTTP/1.1.
    Http1,
    /// HTTP/2 where TLS agrees on it, else HTTP/1.1.
    Http2,
    /// HTTP/2 without negotiation.
    Http2PriorKnowledge,
}

/// The address of a name.
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
