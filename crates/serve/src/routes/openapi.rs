//! The OpenAPI document, made from the routes. Its schemas are made from the types that bodies are read into and
//! answers are written from; [`EXAMPLES`] has an example of each.

use brunt_envelope::Kind;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::route::{Access, Content, Gives, Route};
use crate::api::keyed::{HEADER, KEY_MAX, REPLAYED};
use crate::auth::Role;
use crate::call::{PROBLEM, ProblemReply};
use crate::store::{KEPT_FOR, KEPT_MAX};

/// Examples of JSON documents, by the names of their schemas.
const EXAMPLES: &str = include_str!("examples.json");
/// Where the schemas are.
const SCHEMAS: &str = "/components/schemas";
/// The statuses with which any request of the API may be refused.
const OF_ALL: [u16; 8] = [401, 403, 408, 413, 421, 422, 500, 507];
/// The statuses of refusals, what they mean, and the names of their entries.
const REFUSALS: [(u16, &str, &str); 10] = [
    (401, "Unknown", "There is no token, or it is unknown, has expired or was revoked"),
    (403, "Forbidden", "The scope of the token or the role of its owner does not permit this"),
    (404, "Missing", "Something that the request names does not exist"),
    (408, "Slow", "The body did not arrive in time"),
    (
        409,
        "Conflict",
        "Something that exists is in the way: it has the name, was changed, or is not done yet",
    ),
    (413, "Large", "The body is too large"),
    (421, "Misdirected", "The site does not have the name by which it was reached"),
    (422, "Unacceptable", "Values of the request are not acceptable; errors names them"),
    (500, "Failed", "The server failed. Its operator finds the reason in its log"),
    (507, "Full", "The disk of the site is full, so nothing was saved"),
];

/// The scope that a token needs.
pub(crate) fn scope(route: &Route) -> &'static str {
    match route.access {
        Access::Token(_, scope) => scope.word(),
        Access::AnyToken(_) => "any",
        Access::Signed(_) | Access::Anyone | Access::Provider => "none",
    }
}

/// The schemas of the document. What is read may leave out what has a default, and what is written does not.
struct Schemas {
    of_requests: SchemaGenerator,
    of_answers: SchemaGenerator,
}

impl Schemas {
    fn new() -> Self {
        let settings = || {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = SCHEMAS.into();
            settings
        };
        Self {
            of_requests: settings().into_generator(),
            of_answers: settings().for_serialize().into_generator(),
        }
    }

    /// All definitions, with their examples.
    fn all(mut self) -> Map<String, Value> {
        let mut all = self.of_requests.take_definitions(true);
        for (name, schema) in self.of_answers.take_definitions(true) {
            let other = all.insert(name, schema.clone());
            debug_assert!(
                other.is_none_or(|other| other == schema),
                "two schemas with one name: {schema}"
            );
        }
        // The file is a part of the program, and a test reads it.
        let examples: Map<String, Value> = serde_json::from_str(EXAMPLES).unwrap_or_default();
        for (name, example) in examples {
            if let Some(schema) = all.get_mut(&name) {
                schema["examples"] = json!([example]);
            }
        }
        all
    }
}

/// The document of these routes.
pub(super) fn whole(routes: impl Iterator<Item = &'static Route>) -> Value {
    let (mut paths, mut schemas) = (Map::new(), Schemas::new());
    for route in routes {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.word().to_lowercase()] = operation(route, &mut schemas);
    }
    let problem = schemas.of_answers.subschema_for::<ProblemReply<'static>>();
    let refusals = REFUSALS
        .map(|(status, name, what)| (name.to_owned(), refusal(status, what, problem.as_value())));
    json!({
        "openapi": "3.1.0",
        "info": { "title": "brunt serve", "version": env!("CARGO_PKG_VERSION") },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "parameters": { "Key": key() },
            "responses": Map::from_iter(refusals),
            "schemas": schemas.all(),
        },
    })
}

fn operation(route: &Route, schemas: &mut Schemas) -> Value {
    let segments =
        route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = segments.map(
        |name| json!({ "name": name, "in": "path", "required": true, "schema": of_segment(name) }),
    );
    let in_query = route.query.iter().map(super::param::Param::described);
    let in_head = route.keyed.then(|| json!({ "$ref": "#/components/parameters/Key" }));
    let parameters: Vec<Value> = in_path.chain(in_query).chain(in_head).collect();
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.what,
        "parameters": parameters,
        "responses": answers(route, &mut schemas.of_answers),
        "x-scope": scope(route),
    });
    if !route.bodies.is_empty() {
        let content =
            route.bodies.iter().map(|content| content_of(content, &mut schemas.of_requests));
        let content: Map<String, Value> = content.collect();
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    operation
}

fn answers(route: &Route, schemas: &mut SchemaGenerator) -> Map<String, Value> {
    let mut answers = Map::new();
    for Gives { status, content } in route.gives {
        let mut answer = json!({ "description": "Done" });
        if let Some(content) = content {
            let (kind, content) = content_of(content, schemas);
            answer["content"] = json!({ kind: content });
        }
        if *status == 201 && route.keyed {
            let text = json!({ "schema": { "type": "string" } });
            answer["headers"]["Location"] = text;
        }
        if route.keyed {
            let what = "true if the request was carried out before, and this is its answer";
            answer["headers"][REPLAYED] =
                json!({ "description": what, "schema": { "const": "true" } });
        }
        answers.insert(status.to_string(), answer);
    }
    for status in refused(route) {
        if let Some((_, name, _)) = REFUSALS.iter().find(|(one, ..)| *one == status) {
            answers.insert(
                status.to_string(),
                json!({ "$ref": format!("#/components/responses/{name}") }),
            );
        }
    }
    answers
}

/// The statuses with which a route may refuse a request.
fn refused(route: &Route) -> Vec<u16> {
    let mut all = [&OF_ALL[..], route.refuses].concat();
    all.extend(route.path.contains('{').then_some(404));
    all.extend(route.keyed.then_some(409));
    all.extend((route.path == super::programs::AGENTS).then_some(404));
    // Every user has the role of a viewer.
    all.retain(|status| *status != 403 || route.access != Access::AnyToken(Role::Viewer));
    all.sort_unstable();
    all.dedup();
    all
}

fn refusal(status: u16, what: &str, problem: &Value) -> Value {
    let mut refusal = json!({ "description": what, "content": { PROBLEM: { "schema": problem } } });
    if status == 401 {
        refusal["headers"]["WWW-Authenticate"] = json!({ "schema": { "type": "string" } });
    }
    refusal
}

/// The idempotency key of a request.
fn key() -> Value {
    let what = format!(
        "A value of your own, such as a UUID, that makes it safe to send the request again. For {} hours a request \
         with the same key and content gets the first answer, and nothing is carried out again. The newest {KEPT_MAX} \
         keys of a user are kept. Another request with the key is refused with 422, and one whose first request has \
         no answer yet with 409",
        KEPT_FOR / 3_600
    );
    let schema = json!({ "type": "string", "minLength": 1, "maxLength": KEY_MAX });
    json!({ "name": HEADER, "in": "header", "description": what, "schema": schema })
}

/// The content of a body, by its type.
fn content_of(content: &Content, schemas: &mut SchemaGenerator) -> (String, Value) {
    let schema = match content.schema {
        Some(schema) => json!({ "schema": schema(schemas) }),
        None if content.kind.starts_with("text/") => json!({ "schema": { "type": "string" } }),
        None => json!({}),
    };
    (content.kind.to_owned(), schema)
}

/// The schema of a part of the path.
fn of_segment(name: &str) -> Value {
    match name {
        "id" => json!({ "type": "string", "description": "The id of a run" }),
        "plan" | "target" | "revision" | "annotation" | "schedule" | "hook" | "project" => {
            json!({ "type": "integer", "minimum": 1 })
        }
        "kind" => json!({ "type": "string", "enum": Kind::ALL.map(Kind::word) }),
        _ => json!({ "type": "string" }),
    }
}

/// The name of an operation in generated clients: `post_runs_id_stop`.
fn operation_id(route: &Route) -> String {
    let parts = route.path.trim_start_matches("/api/v1").split('/').filter(|part| !part.is_empty());
    let plain = parts.map(|part| part.trim_matches(['{', '}']).replace(['.', '-'], "_"));
    std::iter::once(route.method.word().to_lowercase()).chain(plain).collect::<Vec<_>>().join("_")
}
