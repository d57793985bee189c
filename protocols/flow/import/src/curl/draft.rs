//! [`Draft`]: one request while its options are read, and the steps that it becomes at the end.

use super::options::Kind;
use super::{CurlError, Read, urls};
use crate::body;
use crate::form::{self, percent};
use crate::imported::{
    Auth, Body, Client, FormPart, Imported, PartContent, Resolve, Step, Version,
};
use crate::notation::{literal, meaning, raw};
use crate::secrets::Variables;
use std::path::PathBuf;
use std::time::Duration;

/// One request of a command line.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option that was given or not")]
pub(super) struct Draft {
    urls: Vec<String>,
    method: Option<String>,
    headers: Vec<String>,
    data: Vec<Data>,
    json: bool,
    query: Vec<Data>,
    get: bool,
    parts: Vec<(String, bool)>,
    upload: Option<String>,
    head: bool,
    agent: Option<String>,
    referer: Option<String>,
    range: Option<String>,
    user: Option<String>,
    bearer: Option<String>,
    cookies: Vec<String>,
    redirects: Option<u8>,
    follows: bool,
    proxy_user: Option<String>,
    max_time: Option<Duration>,
    globoff: bool,
    client: Client,
}

/// A piece of a body, as it was given.
#[derive(Debug)]
struct Data {
    kind: Kind,
    value: String,
}

impl Draft {
    /// Takes an option.
    pub(super) fn option(&mut self, kind: Kind, value: &str) -> Result<(), CurlError> {
        let text = || value.to_owned();
        match kind {
            Kind::Url => self.urls.push(text()),
            Kind::Method => self.method = Some(method(value)?),
            Kind::Header => self.headers.push(text()),
            Kind::Data | Kind::DataRaw | Kind::DataBinary | Kind::DataUrlencode => {
                self.data.push(Data { kind, value: text() });
            }
            Kind::Json => {
                self.json = true;
                self.data.push(Data { kind: Kind::DataBinary, value: text() });
            }
            Kind::UrlQuery => self.query.push(Data { kind: Kind::DataUrlencode, value: text() }),
            Kind::Get => self.get = true,
            Kind::Form => self.parts.push((text(), true)),
            Kind::FormString => self.parts.push((text(), false)),
            Kind::Upload => self.upload = Some(text()),
            Kind::Head => self.head = true,
            Kind::Agent => self.agent = Some(text()),
            Kind::Referer => self.referer = Some(text()),
            Kind::Range => self.range = Some(text()),
            Kind::User => self.user = Some(text()),
            Kind::Bearer => self.bearer = Some(text()),
            Kind::Cookie => self.cookies.push(text()),
            Kind::MaxTime => self.max_time = Some(seconds("--max-time", value)?),
            Kind::Globoff => self.globoff = true,
            Kind::Location => self.follows = true,
            Kind::LocationTrusted => (self.follows, self.client.trusting) = (true, true),
            Kind::MaxRedirects => {
                let most = value.parse().map(|most: i64| u8::try_from(most).unwrap_or(u8::MAX));
                self.redirects = Some(most.map_err(|_| wrong("--max-redirs", value, "a number"))?);
            }
            Kind::ProxyUser => self.proxy_user = Some(text()),
            kind => self.client_option(kind, value)?,
        }
        Ok(())
    }

    /// Takes an option about connections.
    fn client_option(&mut self, kind: Kind, value: &str) -> Result<(), CurlError> {
        let client = &mut self.client;
        match kind {
            Kind::Jar => client.cookies = true,
            Kind::Compressed => client.compression = true,
            Kind::Insecure => client.insecure = true,
            Kind::Certificate => client.certificate = Some(file("--cert", value)?),
            Kind::Key => client.key = Some(file("--key", value)?),
            Kind::Ca => client.ca = Some(file("--cacert", value)?),
            Kind::Http1 => client.version = Version::Http1,
            Kind::Http2 => client.version = Version::Http2,
            Kind::PriorKnowledge => client.version = Version::Http2PriorKnowledge,
            Kind::Resolve => client.resolve.push(resolve(value)?),
            Kind::ConnectTo => client.resolve.push(connect_to(value)?),
            Kind::Unix => client.unix = Some(file("--unix-socket", value)?),
            Kind::Proxy => {
                client.proxy = Some(plain("--proxy", value)?).filter(|it| !it.is_empty());
            }
            Kind::ConnectTimeout => {
                client.connect_timeout = Some(seconds("--connect-timeout", value)?);
            }
            Kind::NoKeepalive => client.churn = true,
            _ => {}
        }
        Ok(())
    }

    /// Converts it to steps.
    pub(super) fn finish(
        &mut self,
        imported: &mut Imported,
        variables: &mut Variables,
        read: Read<'_>,
    ) -> Result<(), CurlError> {
        if self.urls.is_empty() {
            return Err(CurlError::NoUrl);
        }
        if !self.parts.is_empty() && !self.data.is_empty() {
            return Err(CurlError::Both("--form", "--data"));
        }
        if self.upload.is_some() && !(self.parts.is_empty() && self.data.is_empty()) {
            return Err(CurlError::Both("--upload-file", "--data or --form"));
        }
        self.cookie_files(imported);
        let headers = self.given_headers(read)?;
        let (mut body, kind) = self.body(&headers, variables, read)?;
        if let Body::Bytes(bytes) = &body {
            imported.notes.extend(body::left_in(bytes, variables));
        }
        let mut more = Self::pieces(&self.query, read)?;
        if self.get {
            more.extend(Self::pieces(&self.data, read)?);
            body = Body::None;
        }
        let method = self.chosen_method(&body);
        let named = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        let implied = self.implied_headers(kind.filter(|_| !self.get), variables);
        for given in std::mem::take(&mut self.urls) {
            let url = urls::whole(&given, self.globoff)?;
            let (in_url, url) = urls::user(&url);
            let url = form::query(&raw(&urls::with_query(&url, &more.join("&"))), variables);
            let mut step = Step {
                name: format!("{method} {}", brunt_redact::url(urls::path(&url))),
                method: method.clone(),
                auth: self.auth(in_url, variables),
                body: body.clone(),
                timeout: self.max_time,
                url,
                ..Step::default()
            };
            let implied = implied.iter().filter(|(name, _)| !named(name)).cloned();
            step.headers.extend(implied);
            for (name, value) in
                headers.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)))
            {
                step.headers.push((name.clone(), variables.header(name, value)));
            }
            if matches!(body, Body::Form(_)) {
                step.headers.retain(|(name, value)| {
                    !(name.eq_ignore_ascii_case("content-type") && value == form::TYPE)
                });
            }
            if matches!(body, Body::Multipart(_)) {
                step.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            }
            imported.steps.push(step);
        }
        self.settle_client(imported, variables);
        Ok(())
    }

    fn chosen_method(&self, body: &Body) -> String {
        let implied = match body {
            _ if self.head => "HEAD",
            _ if self.upload.is_some() => "PUT",
            Body::None => "GET",
            _ => "POST",
        };
        self.method.clone().unwrap_or_else(|| implied.to_owned())
    }

    /// Cookies from files are left out, with a note, since a file belongs to another day.
    fn cookie_files(&mut self, imported: &mut Imported) {
        let client = &mut self.client;
        self.cookies.retain(|cookie| {
            let is_file = !cookie.contains('=');
            client.cookies |= is_file;
            if is_file && !cookie.is_empty() {
                imported.notes.push(format!(
                    "the cookies in {cookie} are left out: each user has a jar of its own, which is empty at first"
                ));
            }
            !is_file
        });
    }

    /// The given headers, in order; those to be left out have no value.
    fn given_headers(&self, read: Read<'_>) -> Result<Vec<(String, Option<String>)>, CurlError> {
        let mut found = Vec::new();
        for header in &self.headers {
            if let Some(name) = header.strip_prefix('@') {
                let text = text_file("--header", name, read)?;
                let lines = text.lines().filter(|line| !line.trim().is_empty());
                for line in lines {
                    found.push(header_line(&literal(line))?);
                }
            } else {
                found.push(header_line(header)?);
            }
        }
        Ok(found)
    }

    /// The headers that cURL sends by default, and those of options other than --header.
    fn implied_headers(
        &self,
        kind: Option<String>,
        variables: &mut Variables,
    ) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        let mut push = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
        push("Accept", if self.json { "application/json" } else { "*/*" });
        if let Some(agent) = self.agent.as_ref().filter(|agent| !agent.is_empty()) {
            push("User-Agent", agent);
        }
        if let Some(referer) = &self.referer {
            push("Referer", referer.trim_end_matches(";auto"));
        }
        if let Some(range) = &self.range {
            push("Range", &format!("bytes={range}"));
        }
        if let Some(kind) = kind {
            push("Content-Type", &kind);
        }
        if !self.cookies.is_empty() {
            push("Cookie", &variables.header("Cookie", &self.cookies.join("; ")));
        }
        headers
    }

    fn auth(&self, in_url: Option<(String, String)>, variables: &mut Variables) -> Option<Auth> {
        if let Some(token) = &self.bearer {
            let token = variables.secret("token", token, "what --oauth2-bearer held");
            return Some(Auth::Bearer(token));
        }
        let given = self.user.as_ref().map(|user| {
            let (name, password) = user.split_once(':').unwrap_or((user, ""));
            (name.to_owned(), password.to_owned())
        });
        let (user, password) = given.or(in_url)?;
        let password =
            if password.is_empty() && self.user.as_ref().is_some_and(|it| !it.contains(':')) {
                // cURL would prompt for it.
                variables.missing("password", &format!("the password of {user}"))
            } else {
                variables.secret("password", &password, &format!("the password of {user}"))
            };
        Some(Auth::Basic { user, password })
    }

    /// The body, and its type unless a header gives another.
    fn body(
        &self,
        headers: &[(String, Option<String>)],
        variables: &mut Variables,
        read: Read<'_>,
    ) -> Result<(Body, Option<String>), CurlError> {
        if let Some(upload) = &self.upload {
            return Ok((Body::File(file("--upload-file", upload)?), None));
        }
        if !self.parts.is_empty() {
            let parts = self.parts.iter();
            let parts = parts.map(|(part, special)| form_part(part, *special, variables, read));
            return Ok((Body::Multipart(parts.collect::<Result<_, _>>()?), None));
        }
        let Some(first) = self.data.first() else { return Ok((Body::None, None)) };
        let message = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let message = message.and_then(|(_, value)| value.as_deref());
        let default = if self.json { "application/json" } else { form::TYPE };
        let kind = Some(default.to_owned());
        if self.data.len() == 1
            && first.kind == Kind::DataBinary
            && let Some(name) = first.value.strip_prefix('@')
            && name != "-"
        {
            return Ok((Body::File(file("--data-binary", name)?), kind));
        }
        if let Some(bytes) = self.only_bytes(read)? {
            return Ok((Body::Bytes(bytes), kind));
        }
        let joint = if self.json { "" } else { "&" };
        let text = Self::pieces(&self.data, read)?.join(joint);
        let is_form = message.unwrap_or(default).starts_with(form::TYPE);
        let body = if is_form {
            form::body(&text, variables)
        } else {
            Body::Text(body::text(&text, variables))
        };
        Ok((body, kind))
    }

    /// The single file of a body, if its content is not text.
    fn only_bytes(&self, read: Read<'_>) -> Result<Option<Vec<u8>>, CurlError> {
        let [only] = &self.data[..] else { return Ok(None) };
        let Some(name) = only.value.strip_prefix('@').filter(|_| only.kind == Kind::Data) else {
            return Ok(None);
        };
        let mut bytes = bytes_of("--data", name, read)?;
        bytes.retain(|byte| !matches!(byte, b'\r' | b'\n' | 0));
        Ok(Some(bytes).filter(|bytes| std::str::from_utf8(bytes).is_err()))
    }

    /// The text of each piece of a body, with files read.
    fn pieces(data: &[Data], read: Read<'_>) -> Result<Vec<String>, CurlError> {
        data.iter().map(|piece| message(piece.kind, &piece.value, read)).collect()
    }

    fn settle_client(&mut self, imported: &mut Imported, variables: &mut Variables) {
        let mut client = std::mem::take(&mut self.client);
        client.redirects = match (self.follows, self.redirects) {
            (false, _) => 0,
            (true, most) => most.unwrap_or(50),
        };
        if let Some(proxy) = client.proxy.take() {
            let proxy = if proxy.contains("://") { proxy } else { format!("http://{proxy}") };
            let (in_url, proxy) = urls::user(&proxy);
            client.proxy = Some(proxy);
            let given = self.proxy_user.as_deref().map(|user| {
                let (name, password) = user.split_once(':').unwrap_or((user, ""));
                (name.to_owned(), password.to_owned())
            });
            let in_url = in_url.map(|(name, password)| (literal(&name), literal(&password)));
            client.proxy_login = given.or(in_url).map(|(name, password)| {
                let comment = "the password of the user of the proxy";
                (name, variables.secret("proxy_password", &password, comment))
            });
        }
        let before = &imported.client;
        if imported.steps.len() > 1 && *before != Client::default() && *before != client {
            imported
                .notes
                .push("all requests use connections as the last of them asked for".to_owned());
        }
        imported.client = client;
    }
}

fn wrong(option: &'static str, value: &str, remedy: &'static str) -> CurlError {
    CurlError::Value { option, value: value.chars().take(80).collect(), remedy }
}

/// A method: a token (RFC 9110, section 9.1).
fn method(value: &str) -> Result<String, CurlError> {
    let token = |char: char| char.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(char);
    if value.is_empty() || !value.chars().all(token) {
        return Err(wrong("--request", value, "a word such as GET or PATCH"));
    }
    Ok(value.to_owned())
}

fn seconds(option: &'static str, value: &str) -> Result<Duration, CurlError> {
    let seconds: Option<f64> = value.parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero() && *time <= Duration::from_secs(86_400))
        .ok_or_else(|| wrong(option, value, "seconds, more than 0 and at most 86400"))
}

/// A value that may not contain a variable.
fn plain(option: &'static str, value: &str) -> Result<String, CurlError> {
    meaning(value).ok_or(CurlError::Hole(option))
}

fn file(option: &'static str, value: &str) -> Result<PathBuf, CurlError> {
    let path = plain(option, value)?;
    if path == "-" || path == "." || path.is_empty() {
        return Err(wrong(
            option,
            value,
            "a file: what standard input holds is gone when the plan is run",
        ));
    }
    Ok(path.into())
}

fn bytes_of(option: &'static str, name: &str, read: Read<'_>) -> Result<Vec<u8>, CurlError> {
    let path = file(option, name)?;
    read(&path).map_err(|source| CurlError::File { option, path, source })
}

fn text_file(option: &'static str, name: &str, read: Read<'_>) -> Result<String, CurlError> {
    let bytes = bytes_of(option, name, read)?;
    String::from_utf8(bytes).map_err(|_| wrong(option, name, "a file of text in UTF-8"))
}

fn resolve(value: &str) -> Result<Resolve, CurlError> {
    let value = &plain("--resolve", value)?;
    Resolve::to_address(value).ok_or_else(|| wrong("--resolve", value, "HOST:PORT:ADDRESS"))
}

fn connect_to(value: &str) -> Result<Resolve, CurlError> {
    let remedy = "HOST:PORT:TO-HOST:TO-PORT, with the first host and both ports given";
    let value = &plain("--connect-to", value)?;
    Resolve::to_host(value).ok_or_else(|| wrong("--connect-to", value, remedy))
}

/// `Name: value`; `Name;` has no value and is sent, `Name:` is not sent.
fn header_line(line: &str) -> Result<(String, Option<String>), CurlError> {
    let token = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':')
    };
    if let Some((name, value)) = line.split_once(':') {
        let value = value.trim();
        if token(name) && !value.contains(['\r', '\n', '\0']) {
            return Ok((name.to_owned(), Some(value.to_owned()).filter(|value| !value.is_empty())));
        }
    } else if let Some(name) = line.trim().strip_suffix(';')
        && token(name)
    {
        return Ok((name.to_owned(), Some(String::new())));
    }
    Err(wrong("--header", line, "NAME: VALUE"))
}

/// The text of a piece of a body.
fn message(kind: Kind, value: &str, read: Read<'_>) -> Result<String, CurlError> {
    match kind {
        Kind::DataRaw => Ok(value.to_owned()),
        Kind::DataUrlencode => urlencoded(value, read),
        kind => match value.strip_prefix('@') {
            None => Ok(value.to_owned()),
            Some(name) if kind == Kind::DataBinary => {
                Ok(literal(&text_file("--data-binary", name, read)?))
            }
            Some(name) => {
                let text = text_file("--data", name, read)?;
                Ok(literal(&text.replace(['\r', '\n', '\0'], "")))
            }
        },
    }
}

/// `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE` or `NAME@FILE`; `+CONTENT` of --url-query is taken as it is.
fn urlencoded(value: &str, read: Read<'_>) -> Result<String, CurlError> {
    if let Some(as_it_is) = value.strip_prefix('+') {
        return Ok(as_it_is.to_owned());
    }
    let (name, content) = match value.find(['=', '@']) {
        Some(at) if value.as_bytes()[at] == b'@' => {
            (&value[..at], literal(&text_file("--data-urlencode", &value[at + 1..], read)?))
        }
        Some(at) => (&value[..at], value[at + 1..].to_owned()),
        None => ("", value.to_owned()),
    };
    let encoded = match meaning(&content) {
        // cURL writes a space as a form does, in a URL as well.
        Some(content) => percent(content.as_bytes()).replace("%20", "+"),
        // It is encoded once it is known.
        None if content.starts_with("${") && content.find('}') == Some(content.len() - 1) => {
            [&content[..content.len() - 1], "|form}"].concat()
        }
        None => return Err(CurlError::Hole("--data-urlencode")),
    };
    Ok(if name.is_empty() { encoded } else { format!("{name}={encoded}") })
}

/// `NAME=CONTENT`, `NAME=@FILE` or `NAME=<FILE`, with `;type=` and `;filename=` after it.
fn form_part(
    part: &str,
    special: bool,
    variables: &mut Variables,
    read: Read<'_>,
) -> Result<FormPart, CurlError> {
    let (name, value) =
        part.split_once('=').ok_or_else(|| wrong("--form", part, "NAME=CONTENT or NAME=@FILE"))?;
    let name = meaning(name).ok_or(CurlError::Hole("--form"))?;
    if !special {
        let content = PartContent::Text(body::part(&name, value, variables));
        return Ok(FormPart { name, file: None, kind: None, content });
    }
    let mut pieces = value.split(';');
    let mut content = pieces.next().unwrap_or_default().to_owned();
    let (mut kind, mut file) = (None, None);
    for piece in pieces {
        match piece.split_once('=') {
            Some(("type", value)) => kind = Some(value.to_owned()),
            Some(("filename", value)) => file = Some(value.trim_matches('"').to_owned()),
            _ if kind.is_some() && piece.trim_start().starts_with("charset=") => {
                kind = kind.map(|kind| format!("{kind};{piece}"));
            }
            _ => content = format!("{content};{piece}"),
        }
    }
    if let Some(path) = content.strip_prefix('@') {
        let content = PartContent::File(self::file("--form", path)?);
        return Ok(FormPart { name, file, kind, content });
    }
    let text = match content.strip_prefix('<') {
        Some(path) => literal(&text_file("--form", path, read)?),
        None => content.trim_matches('"').to_owned(),
    };
    let content = PartContent::Text(body::part(&name, &text, variables));
    Ok(FormPart { name, file, kind, content })
}
