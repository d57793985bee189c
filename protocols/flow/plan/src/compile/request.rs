//! Steps over HTTP: compiles a plan's step to a request with holes.

use brunt_feed::{Escape, Text, TextPiece};
use brunt_flow_driver::{Content, Dpop, HttpExchange, JsonPlace, JsonSet, json_set};
use brunt_http_driver::Body;

use super::environment::CompileEnvironment;
use super::hidden::{Shown, hidden};
use super::json;
use super::keys::Keys;
use super::names::{Names, Piece};
use super::one::one;
use super::page;
use super::token::is_token;
use super::uploads::{UploadFile, UploadFiles};
use crate::key_error::KeyError;
use crate::model::{Http, SetMissing, Step};
use crate::path::KeyPath;
use crate::values::{Pairs, Several};

/// The default user agent.
const AGENT: &str = concat!("brunt/", env!("CARGO_PKG_VERSION"));
/// Fields that are set from the connection and the body.
const FOLLOWING: [&str; 4] = ["content-length", "transfer-encoding", "keep-alive", "upgrade"];

/// The most places that `set` replaces.
const SET_MAX: usize = 64;

/// The request of a step. `key` is the key with its URL.
pub(super) fn request(
    at: &KeyPath,
    key: &'static str,
    step: &Step,
    http: &Http,
    (names, keys): (&mut Names, &Keys),
    files: &mut UploadFiles<'_>,
) -> Result<HttpExchange, KeyError> {
    let page = page::page_step(at, step, names)?;
    let (method, (url, base), (body, kind)) = if page.is_some() {
        (String::new(), (Text::default(), None), (Content::None, None))
    } else {
        let method = method(at, key, step)?;
        (method, url(at, key, step, http, names)?, content(at, step, names, files)?)
    };
    let mut fields = Vec::new();
    let own = |name: &str| step.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    let shared = KeyPath::new("http").key("headers");
    let given = http.headers.iter().filter(|(name, _)| !own(name));
    let given = given.map(|(name, values)| (shared.key(name), name, values));
    let stepwise = step.headers.iter();
    let stepwise = stepwise.map(|(name, values)| (at.key("headers").key(name), name, values));
    for (at, name, values) in given.chain(stepwise) {
        if name.eq_ignore_ascii_case("connection") {
            connection(&at, values, http)?;
        }
        field(&at, name, values, names, &mut fields)?;
    }
    let there = |fields: &[(String, Text)], name: &str| {
        fields.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    };
    if let Content::Upload(_) = &body {
        // The type of the body has the line between its parts.
        fields.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
    } else if let Some(kind) = step.content_type.as_deref().or(kind)
        && !kind.is_empty()
        && (step.content_type.is_some() || !there(&fields, "content-type"))
    {
        fields.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        let text = names.plain(&at.key("content-type"), kind)?;
        fields.push(("Content-Type".to_owned(), text));
    }
    if let Some(value) = authorization(at, step, names, files.environment())? {
        fields.retain(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
        fields.push(("Authorization".to_owned(), value));
    }
    if !there(&fields, "user-agent") && !own("user-agent") && !shares(http, "user-agent") {
        fields.insert(0, ("User-Agent".to_owned(), Text::literal(AGENT)));
    }
    let dpop = dpop(at, step, names, keys)?;
    names.no_request(&at.key(key), std::iter::once(&url).chain(&base))?;
    names.no_request(at, body.texts())?;
    let (sealed, fields) = fields.into_iter().partition(|(_, text)| names.is_of_request(text));
    Ok(HttpExchange { method, url, base, page, fields, sealed, dpop, body })
}

/// The proof that the sender has the key of its token.
fn dpop(
    at: &KeyPath,
    step: &Step,
    names: &mut Names,
    keys: &Keys,
) -> Result<Option<Box<Dpop>>, KeyError> {
    let Some(name) = &step.dpop else { return Ok(None) };
    let at_key = at.key("dpop");
    let key = keys.find(&at_key, name)?;
    if !key.has_public() {
        let what =
            format!("names the key '{name}', which is a secret: a proof needs a private key");
        return Err(KeyError::new(&at_key, what));
    }
    let token = step.bearer.as_deref().map(|token| names.plain(&at.key("bearer"), token));
    Ok(Some(Box::new(Dpop { key: key.key.clone(), token: token.transpose()? })))
}

/// Whether every request has that field.
fn shares(http: &Http, name: &str) -> bool {
    http.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
}

fn method(at: &KeyPath, key: &'static str, step: &Step) -> Result<String, KeyError> {
    if key != "url" {
        if step.method.is_some() {
            let what = format!(
                "cannot be used with '{key}': only one of them can be the method; write the path as 'url'"
            );
            return Err(KeyError::new(&at.key("method"), what));
        }
        return Ok(key.to_uppercase());
    }
    let method = step.method.as_deref().unwrap_or("GET");
    let token = !method.is_empty() && method.bytes().all(is_token);
    if !token {
        let what = format!("is \"{method}\", but must be a method such as \"PROPFIND\"");
        return Err(KeyError::new(&at.key("method"), what));
    }
    Ok(method.to_owned())
}

/// The whole URL of a step; and the base, if only the value of a variable tells whether it is a path.
fn url(
    at: &KeyPath,
    key: &'static str,
    step: &Step,
    http: &Http,
    names: &mut Names,
) -> Result<(Text, Option<Text>), KeyError> {
    let given = step.requests().into_iter().find(|(known, _)| *known == key);
    let path = given.and_then(|(_, url)| url).unwrap_or_default();
    let at_key = at.key(key);
    let is_path = path.is_empty() || path.starts_with(['/', '?']);
    let whole = !is_path && (path.contains("://") || path.starts_with("${"));
    let mut pieces = Vec::new();
    let mut either = None;
    if !whole {
        if !is_path {
            let what = format!(
                "is \"{path}\", but must be a path that begins with '/' or a URL that begins with 'http'"
            );
            return Err(KeyError::new(&at_key, what));
        }
        let base = http.base.as_deref().ok_or_else(|| {
            KeyError::new(
                &at_key,
                "is a path without a base URL: set http.base, or write the whole URL",
            )
        })?;
        based(base, names, &mut pieces)?;
    } else if !path.starts_with("${") {
        checked_scheme(&at_key, path)?;
    } else if let Some(base) = &http.base {
        let mut pieces = Vec::new();
        based(base, names, &mut pieces)?;
        either = Some(Text::from_pieces(pieces));
    }
    place(names.pieces(&at_key, path)?, whole, &mut pieces, &at_key)?;
    query(at, path.contains('?'), &step.query, names, &mut pieces)?;
    Ok((Text::from_pieces(pieces), either))
}

/// Adds the pieces of the base URL.
fn based(base: &str, names: &mut Names, out: &mut Vec<TextPiece>) -> Result<(), KeyError> {
    let at = KeyPath::new("http").key("base");
    checked_scheme(&at, base)?;
    place(names.pieces(&at, base.trim_end_matches('/'))?, true, out, &at)
}

fn checked_scheme(at: &KeyPath, url: &str) -> Result<(), KeyError> {
    let lower = url.to_ascii_lowercase();
    if ["http://", "https://", "${"].iter().any(|start| lower.starts_with(start)) {
        return Ok(());
    }
    Err(KeyError::new(
        at,
        format!("is \"{url}\", but must be a URL that begins with http:// or https://"),
    ))
}

/// Adds the pieces of a URL. Up to the path a value is inserted unchanged; from there on it is percent-encoded.
fn place(
    given: Vec<Piece>,
    mut before_path: bool,
    out: &mut Vec<TextPiece>,
    at: &KeyPath,
) -> Result<(), KeyError> {
    for piece in given {
        match piece {
            Piece::Literal(bytes) => {
                if let Some(byte) = bytes.iter().find(|byte| !(0x21..0x7f).contains(*byte)) {
                    let what = format!(
                        "contains the byte {byte:#04x}, which is not allowed in a URL; write it as %{byte:02X}, or \
                         give it in 'query'"
                    );
                    return Err(KeyError::new(at, what));
                }
                let after_scheme =
                    bytes.windows(3).position(|three| three == b"://").map_or(0, |at| at + 3);
                before_path &= !bytes[after_scheme..].iter().any(|byte| b"/?#".contains(byte));
                out.push(TextPiece::Literal(bytes.into()));
            }
            Piece::Hole(hole, escape) => {
                let place = if before_path { Escape::None } else { Escape::Url };
                out.push(TextPiece::Hole(hole, escape.unwrap_or(place)));
            }
        }
    }
    Ok(())
}

fn query(
    at: &KeyPath,
    mut begun: bool,
    given: &Pairs<Several>,
    names: &mut Names,
    out: &mut Vec<TextPiece>,
) -> Result<(), KeyError> {
    for (key, values) in given.iter() {
        for value in &values.0 {
            let at = at.key("query").key(key);
            out.push(TextPiece::Literal(if begun { b"&"[..].into() } else { b"?"[..].into() }));
            out.extend(names.encoded(&at, key, Escape::Url)?.pieces().iter().cloned());
            out.push(TextPiece::Literal(b"="[..].into()));
            out.extend(
                names.encoded(&at, &value.to_string(), Escape::Url)?.pieces().iter().cloned(),
            );
            begun = true;
        }
    }
    Ok(())
}

fn field(
    at: &KeyPath,
    name: &str,
    values: &Several,
    names: &mut Names,
    out: &mut Vec<(String, Text)>,
) -> Result<(), KeyError> {
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(KeyError::new(at, format!("\"{name}\" is not a valid header name")));
    }
    if FOLLOWING.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return Err(KeyError::new(
            at,
            "is derived from the body and the connection, and cannot be set",
        ));
    }
    for value in &values.0 {
        let value = value.to_string();
        if value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
            return Err(KeyError::new(
                at,
                "contains a control character, which is not allowed in a header",
            ));
        }
        out.push((name.to_owned(), names.plain(at, &value)?));
    }
    Ok(())
}

/// Checks the value of a `Connection` header: whether the connection is kept, and nothing else.
fn connection(at: &KeyPath, values: &Several, http: &Http) -> Result<(), KeyError> {
    if !http.is_http1() {
        let what = "belongs to HTTP/1.1, and HTTP/2 has no such header: leave it out, or set \
                    http.requests-per-connection = 1 to close each connection";
        return Err(KeyError::new(at, what));
    }
    let known = |word: &str| ["close", "keep-alive"].iter().any(|it| word.eq_ignore_ascii_case(it));
    for value in &values.0 {
        let value = value.to_string();
        if !value.split(',').all(|word| known(word.trim())) {
            let what = format!(
                "is \"{value}\", but must be \"close\" or \"keep-alive\": anything else is up to the connection"
            );
            return Err(KeyError::new(at, what));
        }
    }
    Ok(())
}

/// The body of a step, and its type.
fn content(
    at: &KeyPath,
    step: &Step,
    names: &mut Names,
    files: &mut UploadFiles<'_>,
) -> Result<(Content, Option<&'static str>), KeyError> {
    let keys = [
        ("json", step.json.is_some()),
        ("form", !step.form.is_empty()),
        ("text", step.text.is_some()),
        ("body-file", step.body_file.is_some()),
        ("multipart", !step.multipart.is_empty()),
    ];
    if step.json.is_none() && !step.set.is_empty() {
        let what = "belongs to 'json', which is missing: give the JSON to change, such as json = \"${page}\"";
        return Err(KeyError::new(&at.key("set"), what));
    }
    if step.set.is_empty() && step.set_missing.is_some() {
        let what = "belongs to 'set', which is missing";
        return Err(KeyError::new(&at.key("set-missing"), what));
    }
    if keys.iter().all(|(_, given)| !given) {
        return Ok((Content::None, None));
    }
    let key = one(at, &keys, "what the body is")?;
    let above = at;
    let at = at.key(key);
    Ok(match step {
        Step { json: Some(node), .. } => {
            let text = json::text(&at, node, names)?;
            let content = match set(above, step, &text, names)? {
                Some(json) => Content::Json(Box::new(json)),
                None => Content::Text(text),
            };
            (content, Some("application/json"))
        }
        Step { text: Some(text), .. } => {
            (Content::Text(names.plain(&at, text)?), Some("text/plain; charset=utf-8"))
        }
        Step { body_file: Some(path), .. } => {
            let file = match path.to_str() {
                Some(name) => files.named(&at, name, names)?,
                None => UploadFile::Same(files.one(&at, path)?),
            };
            let content = match file {
                UploadFile::Same(bytes) => Content::Fixed(Body::Shared(bytes)),
                UploadFile::Varying(choice) => Content::File(choice),
            };
            (content, Some("application/octet-stream"))
        }
        _ if !step.multipart.is_empty() => {
            let kind = multipart_type(above, step, names)?;
            (files.upload(&at, &step.multipart, kind, names)?, None)
        }
        _ => (
            Content::Text(form(&at, &step.form, names)?),
            Some("application/x-www-form-urlencoded"),
        ),
    })
}

/// What is replaced in JSON before it is sent.
fn set(
    at: &KeyPath,
    step: &Step,
    text: &Text,
    names: &mut Names,
) -> Result<Option<JsonSet>, KeyError> {
    if step.set.is_empty() {
        return Ok(None);
    }
    let at = at.key("set");
    if step.set.0.len() > SET_MAX {
        let what = format!("has {} places, but the maximum is {SET_MAX}", step.set.0.len());
        return Err(KeyError::new(&at, what));
    }
    let mut members = Vec::new();
    for (place, node) in step.set.iter() {
        let at = at.key(place);
        let read = JsonPlace::parse(place);
        let read =
            read.map_err(|error| KeyError::new(&at, format!("is no place in JSON: {error}")))?;
        members.push((read, json::value(&at, node, names)?));
    }
    let skip = step.set_missing == Some(SetMissing::Skip);
    let json = JsonSet { text: text.clone(), members, skip };
    if let Some(body) = text.constant() {
        let members = json.members.iter().map(|(place, _)| (place, b"0".to_vec()));
        let done = json_set::replaced(body, &members.collect::<Vec<_>>(), skip);
        done.map_err(|error| KeyError::new(&at, format!("does not fit 'json': {error}")))?;
    }
    Ok(Some(json))
}

/// The type of a body of several parts, without the line between them, which is known when it is written.
fn multipart_type(at: &KeyPath, step: &Step, names: &mut Names) -> Result<Text, KeyError> {
    let own = |name: &str| name.eq_ignore_ascii_case("content-type");
    if let Some((name, _)) = step.headers.iter().find(|(name, _)| own(name)) {
        let what = "is derived from 'multipart', with the line between its parts; another subtype is 'content-type', \
                    such as \"multipart/mixed\"";
        return Err(KeyError::new(&at.key("headers").key(name), what));
    }
    let at = at.key("content-type");
    let kind = step.content_type.as_deref().unwrap_or("multipart/form-data");
    if !kind.to_ascii_lowercase().starts_with("multipart/") || kind.contains("boundary=") {
        let what = format!(
            "is \"{kind}\", but with 'multipart' must be a type such as \"multipart/mixed\", to which the line \
             between the parts is added"
        );
        return Err(KeyError::new(&at, what));
    }
    names.plain(&at, kind)
}

fn form(at: &KeyPath, given: &Pairs<Several>, names: &mut Names) -> Result<Text, KeyError> {
    let mut pieces: Vec<TextPiece> = Vec::new();
    for (key, values) in given.iter() {
        for value in &values.0 {
            let at = at.key(key);
            pieces.extend((!pieces.is_empty()).then(|| TextPiece::Literal(b"&"[..].into())));
            pieces.extend(names.encoded(&at, key, Escape::Form)?.pieces().iter().cloned());
            pieces.push(TextPiece::Literal(b"="[..].into()));
            pieces.extend(
                names.encoded(&at, &value.to_string(), Escape::Form)?.pieces().iter().cloned(),
            );
        }
    }
    Ok(Text::from_pieces(pieces))
}

fn authorization(
    at: &KeyPath,
    step: &Step,
    names: &mut Names,
    environment: &CompileEnvironment<'_>,
) -> Result<Option<Text>, KeyError> {
    let literal = |text: &str| TextPiece::Literal(text.as_bytes().into());
    let own = step.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    let given = [("basic", step.basic.is_some()), ("bearer", step.bearer.is_some())];
    if own && let Some((key, _)) = given.iter().find(|(_, given)| *given) {
        let what = "cannot be used with an 'Authorization' header: only one of them can be sent";
        return Err(KeyError::new(&at.key(key), what));
    }
    if let (Some(_), Some(_)) = (&step.basic, &step.bearer) {
        return Err(KeyError::new(
            &at.key("bearer"),
            "cannot be used with 'basic': only one of them can be sent",
        ));
    }
    if let Some(token) = &step.bearer {
        let token = names.plain(&at.key("bearer"), token)?;
        let pieces = token.pieces().iter().cloned();
        let scheme = if step.dpop.is_some() { "DPoP " } else { "Bearer " };
        return Ok(Some(Text::from_pieces(std::iter::once(literal(scheme)).chain(pieces))));
    }
    let Some(basic) = &step.basic else { return Ok(None) };
    let at = at.key("basic");
    let user = names.plain(&at.key("user"), &basic.user)?;
    let at = at.key("password");
    let password = match hidden(&at, &basic.password, environment)? {
        Shown::Text(text) => names.plain(&at, &text)?,
        Shown::Secret(secret) => {
            let hole = names.secret(&at, "password", secret)?;
            Text::from_pieces([TextPiece::Hole(hole, Escape::None)])
        }
    };
    let pieces = user.pieces().iter().cloned();
    let pieces = pieces.chain([literal(":")]).chain(password.pieces().iter().cloned());
    let both = super::joined(&at, names, Text::from_pieces(pieces))?;
    Ok(Some(Text::from_pieces([literal("Basic "), TextPiece::Hole(both, Escape::Base64)])))
}
