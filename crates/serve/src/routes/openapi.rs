//! The OpenAPI document, made from the routes.

use serde_json::{Map, Value, json};

use super::route::{Access, Ask, BodyKind, Route};

/// The scope that a token needs.
pub(crate) fn scope(route: &Route) -> &'static str {
    match route.access {
        Access::Token(_, scope) => scope.word(),
        Access::AnyToken(_) => "any",
        Access::Signed(_) | Access::Anyone => "none",
    }
}

/// The document of these routes.
pub(super) fn whole(routes: impl Iterator<Item = &'static Route>) -> Value {
    let mut paths = Map::new();
    for route in routes {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.ask.word().to_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "brunt serve", "version": env!("CARGO_PKG_VERSION") },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas(),
        },
    })
}

fn operation(route: &Route) -> Value {
    let segments =
        route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = segments.map(|name| {
        json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
    });
    let in_query = route.query.iter().map(|(name, what)| {
        let many = what.ends_with("may be repeated");
        let text = json!({ "type": "string" });
        let schema = if many { json!({ "type": "array", "items": text }) } else { text };
        json!({ "name": name, "in": "query", "description": what, "schema": schema })
    });
    let parameters: Vec<Value> = in_path.chain(in_query).collect();
    let (kind, schema) = answer(route.path, route.ask.word());
    let done = json!({
        "description": "Done",
        "content": { kind: { "schema": schema } },
    });
    let problem = json!({
        "description": "Refused or failed, with the reason",
        "content": { "application/problem+json": { "schema": reference("Problem") } },
    });
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.what,
        "parameters": parameters,
        "responses": { "200": done, "default": problem },
        "x-scope": scope(route),
    });
    if route.takes == BodyKind::Document {
        operation["requestBody"] = json!({
            "required": true,
            "content": taken(route),
        });
        if route.ask == Ask::Put {
            operation["responses"]["201"] = operation["responses"]["200"].clone();
        }
    }
    operation
}

/// The name of an operation in generated clients: `post_runs_id_stop`.
fn operation_id(route: &Route) -> String {
    let parts = route.path.trim_start_matches("/api/v1").split('/').filter(|part| !part.is_empty());
    let plain = parts.map(|part| part.trim_matches(['{', '}']).replace(['.', '-'], "_"));
    std::iter::once(route.ask.word().to_lowercase()).chain(plain).collect::<Vec<_>>().join("_")
}

/// The request body of a route: records are JSON, compressed or not.
fn taken(route: &Route) -> Value {
    match route.ask {
        Ask::Put => json!({ "application/json": {}, "application/gzip": {} }),
        _ => json!({ "application/json": {}, "text/plain": { "schema": { "type": "string" } } }),
    }
}

/// The answer of a route: its type, and its content.
fn answer(path: &str, method: &str) -> (&'static str, Value) {
    let of_json = |schema: Value| ("application/json", schema);
    match (path.rsplit('/').next().unwrap_or_default(), method) {
        _ if path.starts_with("/api/v1/runs/") => of_json(reference("Progress")),
        ("runs", _) => of_json(reference("Submitted")),
        ("records", "PUT") => of_json(reference("Pushed")),
        ("records", _) => of_json(reference("Listed")),
        ("{id}", _) => of_json(reference("Run")),
        ("me", _) => of_json(reference("Me")),
        ("agents", _) => of_json(reference("Agents")),
        ("schedules", _) => of_json(reference("Schedules")),
        ("edit", _) => of_json(reference("Edited")),
        ("{kind}", _) => of_json(reference("Imported")),
        ("record", _) => ("application/gzip", json!({})),
        ("csv", _) => ("text/csv", json!({ "type": "string" })),
        ("html", _) => ("text/html", json!({ "type": "string" })),
        _ => of_json(json!({ "type": "object" })),
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// The schema of an agent of a cluster. What it has not reported is null.
fn agent() -> Value {
    let text = || json!({ "type": ["string", "null"] });
    let number = || json!({ "type": ["number", "null"] });
    json!({
        "type": "object",
        "required": ["name", "state", "run", "host", "cores", "version", "heard_s"],
        "properties": {
            "name": { "type": "string" },
            "state": { "enum": ["waits", "prepares", "runs", "silent"] },
            "run": text(), "page": text(), "host": text(), "cores": { "type": ["integer", "null"] },
            "version": text(), "misfit": text(), "twin": { "type": "boolean" },
            "ceilings": { "type": "object", "additionalProperties": { "type": "number" } },
            "permits": { "type": ["object", "null"] },
            "clock_ahead_s": number(), "heard_s": { "type": "number" },
        },
    })
}

fn schemas() -> Value {
    let text = || json!({ "type": "string" });
    let texts = || json!({ "type": "array", "items": { "type": "string" } });
    let object = |properties: Value| {
        let required: Vec<&String> =
            properties.as_object().into_iter().flat_map(Map::keys).collect();
        json!({ "type": "object", "required": required, "properties": properties })
    };
    json!({
        "Problem": object(json!({
            "title": text(), "status": { "type": "integer" }, "detail": text(), "instance": text(),
        })),
        "Me": object(json!({
            "name": text(),
            "role": { "enum": ["viewer", "runner", "admin"] },
            "scope": { "enum": ["read", "push", "run", null] },
        })),
        "Run": object(json!({ "id": text(), "summary": { "type": "object" }, "about": { "type": "object" } })),
        "Submitted": object(json!({ "id": text(), "live": text(), "page": text() })),
        "Progress": object(json!({
            "id": text(), "state": text(), "reason": text(), "over": { "type": "boolean" },
            "seconds": { "type": "number" }, "exit": { "type": ["integer", "null"] },
            "page": { "type": ["string", "null"] },
        })),
        "Listed": object(json!({
            "runs": { "type": "array", "items": reference("Run") },
            "all": { "type": "integer" },
            "next": { "type": ["string", "null"] },
        })),
        "Agents": object(json!({
            "broker": text(), "pool": text(), "trouble": { "type": ["string", "null"] },
            "agents": { "type": "array", "items": reference("Agent") },
        })),
        "Agent": agent(),
        "Schedules": object(json!({ "schedules": { "type": "array", "items": { "type": "object" } } })),
        "Imported": object(json!({
            "name": text(), "text": text(), "notes": texts(), "data": { "type": "object" },
            "steps": { "type": "object" },
        })),
        "Edited": object(json!({
            "text": text(), "fault": text(), "outline": { "type": "array" }, "form": { "type": ["object", "null"] },
            "names": texts(), "own": text(),
        })),
        "Against": object(json!({
            "baseline": text(), "page": text(), "trusted": { "type": "boolean" },
            "reason": { "type": ["string", "null"] }, "worse": texts(),
        })),
        "Pushed": object(json!({
            "id": text(),
            "page": text(),
            "new": { "type": "boolean" },
            "outcome": text(),
            "verdict": { "enum": ["valid", "unstable", "partial", "generator-limited"] },
            "missed": texts(),
            "against": { "anyOf": [reference("Against"), { "type": "null" }] },
        })),
    })
}
