//! Users as resources: create, read, update, delete, patch and query, in the form that OpenAM, OpenDJ and OpenIDM
//! share.
//!
//! The differences between the products are in [`product`]; permissions are checked before this module is called.

mod collection;
mod filter;
mod patch;
mod product;

use std::cell::OnceCell;

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use serde_json::{Map, Value, json};

pub(super) use collection::Collection;
use collection::{Change, Current, Found, PageStart, shown};
use filter::Filter;
pub(super) use product::Product;

use super::query::Parameters;
use super::refusal::Refusal;
use super::reply::{JSON, Reply};
use super::request::Request;

/// The most resources that a query returns at once; a client that wants more uses the cookie.
const PAGE_MAX: usize = 10_000;

/// The operation on a resource, or on all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Create,
    Read,
    Update,
    Patch,
    Delete,
    Query,
}

impl Verb {
    /// The operation of a request.
    pub(super) fn new(request: &Request<'_>, has_id: bool) -> Result<Self, Refusal> {
        match (request.method, has_id) {
            ("GET" | "HEAD", true) => Ok(Self::Read),
            ("GET" | "HEAD", false) => Ok(Self::Query),
            ("PUT", true) => Ok(Self::Update),
            ("PATCH", true) => Ok(Self::Patch),
            ("DELETE", true) => Ok(Self::Delete),
            ("POST", _) => {
                let action = Parameters::new(request.query().as_bytes()).first("_action");
                match (action.as_deref(), has_id) {
                    (None | Some("create"), false) => Ok(Self::Create),
                    (Some("patch"), true) => Ok(Self::Patch),
                    (None, true) => Err(Refusal::new(400, "a POST to a user needs an _action")),
                    (Some(other), _) => Err(Refusal::new(
                        501,
                        format!("the action {} is not supported here", brief(other)),
                    )),
                }
            }
            _ => Err(Refusal::wrong_method()),
        }
    }
}

/// Carries out the operation.
pub(super) fn answer(
    users: &Collection,
    verb: Verb,
    id: &str,
    request: &Request<'_>,
    reply: &mut Reply,
) -> Result<(), Refusal> {
    match verb {
        Verb::Read => {
            let found = users.find(id).ok_or_else(Refusal::nothing_there)?;
            show(users, id, &found, request, reply);
            Ok(())
        }
        Verb::Create => {
            let fields = object(request)?;
            let id = users.product.named(&fields).unwrap_or_else(|| invented(users, &fields));
            check_id(&id)?;
            create(users, &id, fields, request, reply)
        }
        Verb::Update => {
            check_id(id)?;
            update(users, id, request, reply)
        }
        Verb::Patch => {
            let operations = parsed(request)?;
            let found = users.change(id, |current| {
                let mut current = current.ok_or_else(Refusal::nothing_there)?;
                check_match(request, &current)?;
                patch::apply(&mut current.fields, &operations)?;
                Ok(Change::Set(current.fields))
            })?;
            show(users, id, &found, request, reply);
            Ok(())
        }
        Verb::Delete => {
            let found = users.change(id, |current| {
                check_match(request, &current.ok_or_else(Refusal::nothing_there)?)?;
                Ok(Change::Delete)
            })?;
            if users.product == Product::Am {
                reply.json(200, &json!({"success": "true"}));
            } else {
                show(users, id, &found, request, reply);
            }
            Ok(())
        }
        Verb::Query => query(users, request, reply),
    }
}

fn create(
    users: &Collection,
    id: &str,
    fields: Map<String, Value>,
    request: &Request<'_>,
    reply: &mut Reply,
) -> Result<(), Refusal> {
    let found = users.change(id, |current| match current {
        None => Ok(Change::Set(fields)),
        Some(_) => Err(Refusal::new(
            users.product.taken(),
            format!("The resource {} exists already", brief(id)),
        )),
    })?;
    show(users, id, &found, request, reply);
    reply.status = 201;
    Ok(())
}

fn update(
    users: &Collection,
    id: &str,
    request: &Request<'_>,
    reply: &mut Reply,
) -> Result<(), Refusal> {
    let fields = object(request)?;
    let none_match = request.fields.text("if-none-match");
    if none_match.is_some_and(|tag| tag.trim() == "*") {
        let created = create(users, id, fields, request, reply);
        // The request made it a condition that the user does not exist, so an existing user fails the condition.
        return created.map_err(|refusal| match refusal.status {
            409 => Refusal { status: 412, ..refusal },
            _ => refusal,
        });
    }
    let mut is_new = false;
    let found = users.change(id, |current| {
        let Some(mut current) = current else {
            if request.fields.first("if-match").is_some() {
                return Err(Refusal::nothing_there());
            }
            is_new = true;
            return Ok(Change::Set(fields));
        };
        check_match(request, &current)?;
        // OpenAM changes the named attributes and leaves the others.
        if users.product == Product::Am {
            current.fields.extend(fields);
            return Ok(Change::Set(current.fields));
        }
        Ok(Change::Set(fields))
    })?;
    show(users, id, &found, request, reply);
    if is_new {
        reply.status = 201;
    }
    Ok(())
}

/// Answers with a resource.
fn show(users: &Collection, id: &str, found: &Found, request: &Request<'_>, reply: &mut Reply) {
    reply.content_type = JSON;
    users.write(id, found, &mut reply.body);
    reply.field("ETag", format!("\"{}\"", shown(found.revision())));
    if request.query().contains("_fields=")
        && let Some(fields) = wanted(request)
    {
        let whole = serde_json::from_slice(&reply.body).unwrap_or_default();
        reply.json(200, &Value::Object(narrowed(&whole, &fields)));
    }
}

/// The requested fields, if not all are requested.
fn wanted(request: &Request<'_>) -> Option<Vec<Vec<String>>> {
    let fields = Parameters::new(request.query().as_bytes()).first("_fields")?;
    let fields = fields.split(',').map(str::trim).filter(|field| !field.is_empty());
    let fields: Vec<_> = fields.map(filter::path).collect();
    let all = fields.is_empty() || fields.iter().any(|path| path == &["*"] || path == &[""]);
    (!all).then_some(fields)
}

/// The requested fields of a resource, and the fields that identify it.
fn narrowed(whole: &Map<String, Value>, fields: &[Vec<String>]) -> Map<String, Value> {
    let mut some = Map::new();
    for name in ["_id", "_rev"] {
        some.extend(whole.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    for path in fields {
        if let Some(value) = filter::look_up(whole, path) {
            let Some((last, above)) = path.split_last() else { continue };
            let place = above.iter().try_fold(&mut some, |some, name| {
                some.entry(name.as_str()).or_insert_with(|| json!({})).as_object_mut()
            });
            if let Some(place) = place {
                place.insert(last.clone(), value.clone());
            }
        }
    }
    some
}

fn query(users: &Collection, request: &Request<'_>, reply: &mut Reply) -> Result<(), Refusal> {
    let parameters = Parameters::new(request.query().as_bytes());
    let (mut filter, mut size, mut from, mut skip) = (None, None, PageStart::Made(0), 0);
    let number = |text: &str| {
        text.parse::<usize>()
            .map_err(|_| Refusal::new(400, "a page's size or offset is not a whole number"))
    };
    for (name, value) in parameters.pairs() {
        match &*name {
            "_queryFilter" => filter = Some(Filter::parse(&value)?),
            "_queryId" if matches!(&*value, "*" | "query-all" | "query-all-ids") => {
                filter = Some(Filter::Always(true));
            }
            "_queryId" | "_queryExpression" | "_sortKeys" => {
                return Err(Refusal::new(
                    501,
                    format!("{name}={} is not supported here; _queryFilter is", brief(&value)),
                ));
            }
            "_pageSize" => size = Some(number(&value)?).filter(|size| *size > 0),
            "_pagedResultsOffset" => skip = number(&value)?,
            "_pagedResultsCookie" if !value.is_empty() => {
                from = start_of(&value)
                    .ok_or_else(|| Refusal::new(400, "the cookie of paged results is not one"))?;
            }
            _ => {}
        }
    }
    let filter =
        filter.ok_or_else(|| Refusal::new(400, "a query needs a _queryFilter or _queryId"))?;
    let size = size.unwrap_or(PAGE_MAX).min(PAGE_MAX);
    let page = Page { fields: wanted(request), size, skip, count: 0, next: None };
    page.fill(users, &filter, &from, &mut reply.body);
    reply.content_type = JSON;
    Ok(())
}

/// A page of the results of a query.
struct Page {
    fields: Option<Vec<Vec<String>>>,
    size: usize,
    skip: usize,
    count: usize,
    /// The beginning of the next page.
    next: Option<PageStart>,
}

impl Page {
    fn fill(mut self, users: &Collection, filter: &Filter, from: &PageStart, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"result\":[");
        let mut take = |id: &str, found: &Found, start: Option<PageStart>| {
            let fields = OnceCell::new();
            let look = || fields.get_or_init(|| users.fields(found));
            if !filter.meets(id, &look) {
                return true;
            }
            if self.skip > 0 {
                self.skip -= 1;
                return true;
            }
            if self.count == self.size {
                self.next = start;
                return false;
            }
            if self.count > 0 {
                out.push(b',');
            }
            self.count += 1;
            let begin = out.len();
            users.write(id, found, out);
            if let Some(fields) = &self.fields {
                let whole = serde_json::from_slice(&out[begin..]).unwrap_or_default();
                out.truncate(begin);
                let _ = serde_json::to_writer(&mut *out, &narrowed(&whole, fields));
            }
            true
        };
        match filter.pinned(users.product.aliases()) {
            Some(id) => {
                if let Some(found) = users.find(id) {
                    take(id, &found, None);
                }
            }
            None => users.each(from, |id, found, start| take(id, found, Some(start))),
        }
        let cookie = self.next.as_ref().map(cookie_of);
        let rest = json!({
            "resultCount": self.count,
            "pagedResultsCookie": cookie,
            "totalPagedResultsPolicy": "NONE",
            "totalPagedResults": -1,
            "remainingPagedResults": -1,
        })
        .to_string();
        out.extend_from_slice(b"],");
        out.extend_from_slice(&rest.as_bytes()[1..]);
    }
}

fn cookie_of(start: &PageStart) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(match start {
        PageStart::Made(n) => format!("m{n}"),
        PageStart::Added(id) => format!("a{id}"),
    })
}

fn start_of(cookie: &str) -> Option<PageStart> {
    let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(cookie).ok()?).ok()?;
    match text.strip_prefix('m') {
        Some(number) => number.parse().ok().map(PageStart::Made),
        None => text.strip_prefix('a').map(|id| PageStart::Added(id.into())),
    }
}

/// Refuses if the request requires another revision than the current one.
fn check_match(request: &Request<'_>, current: &Current) -> Result<(), Refusal> {
    let Some(tag) = request.fields.text("if-match") else { return Ok(()) };
    let tag = tag.trim().trim_start_matches("W/").trim_matches('"');
    if tag == "*" || tag == shown(current.revision) {
        return Ok(());
    }
    Err(Refusal::new(
        412,
        "The resource could not be accessed because it did not match the requested version",
    ))
}

/// The body as JSON.
fn parsed(request: &Request<'_>) -> Result<Value, Refusal> {
    if request.body_bytes > request.body.len() as u64 {
        return Err(Refusal::new(413, "the body is larger than this server keeps"));
    }
    serde_json::from_slice(request.body).map_err(|error| {
        Refusal::new(
            400,
            format!("The request could not be processed because the provided content is not valid JSON: {error}"),
        )
    })
}

fn object(request: &Request<'_>) -> Result<Map<String, Value>, Refusal> {
    match parsed(request)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(Refusal::new(
            400,
            "The request could not be processed because the provided content is not a JSON object",
        )),
    }
}

/// An identifier for a user that was sent without one: the same requests in the same order make the same users.
fn invented(users: &Collection, fields: &Map<String, Value>) -> String {
    let text = Value::Object(fields.clone()).to_string();
    let step = |word, byte| brunt_embedded::script::mix(word ^ u64::from(byte));
    let mut word = text.bytes().fold(0, step);
    loop {
        let id = format!("{word:016x}");
        if !users.holds(&id) {
            return id;
        }
        word = brunt_embedded::script::mix(word);
    }
}

fn check_id(id: &str) -> Result<(), Refusal> {
    if id.is_empty() || id.len() > 255 || id.contains('/') {
        return Err(Refusal::new(400, "a user's identifier has from 1 to 255 bytes and no slash"));
    }
    Ok(())
}

/// A text from outside, short enough to be repeated in an answer.
pub(super) fn brief(text: &str) -> String {
    text.chars().take(60).collect()
}
