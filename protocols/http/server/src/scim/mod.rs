//! Provisioning of users and groups by SCIM 2.0 (RFC 7643, RFC 7644), with pages by index and by cursor (RFC 9865).
//!
//! Attributes are kept as they are written: there is no check against a schema beyond the name of a resource, whose
//! value is unique.

mod bulk;
pub(super) mod directory;
mod filter;
mod order;
mod patch;
mod problem;
mod resource;
mod store;

use serde_json::{Map, Value, json};

use super::call::Call;
use super::reply::Reply;
use filter::Filter;
use order::Order;
use problem::ScimError;
use resource::Resource;
use store::{Kind, Page, Store, matches};

/// The most resources of a page, and how many it has by default.
const PAGE_MOST: usize = 1000;
const PAGE: usize = 100;
const SCIM: &str = "application/scim+json;charset=utf-8";

/// The query of the resources of a type, by a request or by a part of one.
struct ResourceRequest<'a> {
    method: &'a str,
    id: Option<&'a str>,
    body: Value,
    /// The versions that it is limited to.
    versions: Option<&'a str>,
}

/// What came of it: a status and a resource, unless there is none.
type Done = Result<(u16, Option<Resource>), ScimError>;

/// Answers a request below `/scim`. Returns the path that it is counted under, if there is anything.
pub(super) fn answer(
    call: &Call<'_>,
    segments: &[&str],
    reply: &mut Reply,
) -> Option<&'static str> {
    let path = match segments {
        ["v2", "Users"] => "/scim/v2/Users",
        ["v2", "Users", _] => "/scim/v2/Users/{id}",
        ["v2", "Groups"] => "/scim/v2/Groups",
        ["v2", "Groups", _] => "/scim/v2/Groups/{id}",
        ["v2", "Bulk"] => "/scim/v2/Bulk",
        ["v2", "ServiceProviderConfig"] => "/scim/v2/ServiceProviderConfig",
        _ => return None,
    };
    if let Err(problem) = respond(call, &segments[1..], reply) {
        problem.answer(reply);
    }
    reply.content_type = SCIM;
    Some(path)
}

fn respond(call: &Call<'_>, segments: &[&str], reply: &mut Reply) -> Result<(), ScimError> {
    let directory = &call.realm.directory;
    let read = matches!(call.request.method, "GET" | "HEAD");
    if segments == ["ServiceProviderConfig"] && read {
        reply.json(200, &configuration());
        return Ok(());
    }
    permit(call)?;
    if let Some(fault) = call.scim_fault {
        return Err(ScimError::from_fault(fault));
    }
    if segments == ["Bulk"] && call.request.method == "POST" {
        return bulk::answer(call, &parsed(call)?, reply);
    }
    let (endpoint, id) = match segments {
        [endpoint] => (*endpoint, None),
        [endpoint, id] => (*endpoint, Some(*id)),
        _ => ("", None),
    };
    let store = directory.store(endpoint).ok_or_else(wrong_method)?;
    if let (true, None) = (read, id) {
        return list(call, store, reply);
    }
    let body = if matches!(call.request.method, "POST" | "PUT" | "PATCH") {
        parsed(call)?
    } else {
        Value::Null
    };
    let versions = call.request.fields.text("if-match");
    let requested = ResourceRequest { method: call.request.method, id, body, versions };
    let (status, resource) = carry_out(store, requested, call.seconds_since_1970())?;
    let Some(resource) = resource else {
        reply.status = status;
        return Ok(());
    };
    let tag = resource.tag();
    let known = call.request.fields.text("if-none-match");
    if read && known.is_some_and(|known| matches(known, &tag)) {
        reply.status = 304;
    } else {
        reply.json(status, &shown(call, store.kind, &resource));
    }
    if status == 201 {
        reply.field("Location", place(call, store.kind, resource.number));
    }
    reply.field("ETag", tag);
    Ok(())
}

/// Only administrators, and clients with a token, are served.
fn permit(call: &Call<'_>) -> Result<(), ScimError> {
    let denied = || ScimError::new(401, "", "Authentication is required");
    if let Some((name, password)) = call.basic() {
        let known = call.realm.identify(&call.realm.openam, &name, &password);
        let administrator = known == Some(super::realm::Principal::Administrator);
        return administrator.then_some(()).ok_or_else(denied);
    }
    let provider = &call.realm.provider;
    let token = call.bearer().ok_or_else(denied)?;
    let known = provider.accepts(token, call.now)
        || call.realm.tokens.look_up(token, super::tokens::Kind::Access, call.now).is_some();
    known.then_some(()).ok_or_else(denied)
}

fn wrong_method() -> ScimError {
    ScimError::new(405, "", "the method is not supported here")
}

fn parsed(call: &Call<'_>) -> Result<Value, ScimError> {
    let value: Option<Value> = serde_json::from_slice(call.request.body).ok();
    let value = value.filter(Value::is_object);
    value.ok_or_else(|| ScimError::new(400, "invalidSyntax", "the body is no JSON object"))
}

/// Carries out what concerns one resource.
fn carry_out(store: &Store, requested: ResourceRequest<'_>, now: u64) -> Done {
    let fields = |body: Value| match body {
        Value::Object(fields) => Ok(fields),
        _ => Err(ScimError::new(400, "invalidSyntax", "the resource is no JSON object")),
    };
    let ResourceRequest { method, id, body, versions } = requested;
    match (method, id) {
        ("POST", None) => Ok((201, Some(store.add(fields(body)?, now)?))),
        ("GET" | "HEAD", Some(id)) => Ok((200, Some(store.get(id)?))),
        ("PUT", Some(id)) => {
            let fields = fields(body)?;
            Ok((200, Some(store.change(id, versions, now, |_| Ok(fields))?)))
        }
        ("PATCH", Some(id)) => {
            let change = |fields: &Map<_, _>| patch::patched(fields, &body);
            Ok((200, Some(store.change(id, versions, now, change)?)))
        }
        ("DELETE", Some(id)) => {
            store.delete(id, versions)?;
            Ok((204, None))
        }
        _ => Err(wrong_method()),
    }
}

/// A list of the resources that a filter selects.
fn list(call: &Call<'_>, store: &Store, reply: &mut Reply) -> Result<(), ScimError> {
    let query = call.query();
    let filter = query.first("filter").map(|text| Filter::parse(&text)).transpose()?;
    let number = |name: &str| {
        let wrong = || ScimError::new(400, "invalidValue", format!("{name} is no number"));
        query.first(name).map(|text| text.parse::<i64>().map_err(|_| wrong())).transpose()
    };
    let [by, order] = ["sortBy", "sortOrder"].map(|name| query.first(name));
    let order = Order::parse(by.as_deref(), order.as_deref())?;
    let most = number("count")?.map_or(PAGE, |count| count.max(0) as usize).min(PAGE_MOST);
    let start = number("startIndex")?.unwrap_or(1).max(1) as usize;
    let by_cursor = query.first("cursor");
    let after = match by_cursor.as_deref() {
        None | Some("") => 0,
        Some(cursor) => Resource::number(cursor).ok_or_else(|| {
            ScimError::new(400, "invalidCursor", "the cursor is none of this server")
        })?,
    };
    let skip = if by_cursor.is_some() { 0 } else { start - 1 };
    let (found, total) = store.list(filter.as_ref(), order.as_ref(), Page { after, skip, most })?;
    let resources: Vec<_> =
        found.iter().map(|resource| shown(call, store.kind, resource)).collect();
    let mut answer = json!({
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
        "totalResults": total,
        "itemsPerPage": resources.len(),
        "Resources": resources,
    });
    match (by_cursor, found.last()) {
        (None, _) => answer["startIndex"] = start.into(),
        // A full page may be the last: the next is empty then.
        (Some(_), Some(last)) if found.len() == most => {
            answer["nextCursor"] = Resource::id(last.number).into();
        }
        _ => {}
    }
    reply.json(200, &answer);
    Ok(())
}

/// The URL of a resource.
fn place(call: &Call<'_>, kind: Kind, number: u64) -> String {
    format!("{}/scim/v2/{}/{}", call.origin(), kind.words().1, Resource::id(number))
}

/// A resource as clients see it.
fn shown(call: &Call<'_>, kind: Kind, resource: &Resource) -> Value {
    let mut fields = (*resource.fields).clone();
    fields.insert("id".to_owned(), Resource::id(resource.number).into());
    let meta = json!({
        "resourceType": kind.words().0,
        "created": date(resource.created),
        "lastModified": date(resource.modified),
        "version": resource.tag(),
        "location": place(call, kind, resource.number),
    });
    fields.insert("meta".to_owned(), meta);
    Value::Object(fields)
}

/// A time in the form of RFC 3339.
fn date(seconds: u64) -> String {
    let (year, month, day) = super::calendar::date(seconds);
    let second = seconds % 86_400;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn configuration() -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
        "patch": {"supported": true},
        "bulk": {
            "supported": true,
            "maxOperations": bulk::MOST,
            "maxPayloadSize": 1_048_576,
        },
        "filter": {"supported": true, "maxResults": PAGE_MOST},
        "changePassword": {"supported": false},
        "sort": {"supported": true},
        "etag": {"supported": true},
        "pagination": {"cursor": true, "index": true, "defaultPageSize": PAGE, "maxPageSize": PAGE_MOST},
        "authenticationSchemes": [
            {"type": "oauthbearertoken", "name": "OAuth Bearer Token", "description": "RFC 6750"},
            {"type": "httpbasic", "name": "HTTP Basic", "description": "RFC 7617"},
        ],
    })
}
