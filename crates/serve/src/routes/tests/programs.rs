//! The API as its document describes it. Everything that needs children is tested with the whole program.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::api::shape::KEYWORDS;

fn document(server: &Server) -> Value {
    super::super::openapi::whole(own::of_programs(&server.app))
}

fn operations(document: &Value) -> Vec<&Value> {
    let paths = document["paths"].as_object().unwrap().values();
    paths.flat_map(|path| path.as_object().unwrap().values()).collect()
}

/// Sends a JSON document.
fn send(
    server: &Server,
    client: &Client,
    (method, path): (&str, &str),
    body: &Value,
) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let reply = server.request(client, method, path, "", &body);
    (reply.status, serde_json::from_str(&reply.body).unwrap_or_default())
}

#[test]
fn openapi_document_lists_every_route() {
    let server = Server::start_with(Some(agents::cluster(None, agents::some())));
    let document = document(&server);
    let operations = operations(&document);
    let routes = own::all().filter(|route| route.path.starts_with("/api/v1/")).count();
    assert_eq!(operations.len(), routes);
    let ids: BTreeSet<&str> =
        operations.iter().map(|operation| operation["operationId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), operations.len());
    assert!(ids.contains("post_runs_id_stop") && ids.contains("get_records_id_csv"), "{ids:?}");
    let without =
        own::all().filter(|route| route.path.starts_with("/api/") && route.gives.is_empty());
    assert_eq!(without.map(|route| route.path).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn openapi_schemas_have_examples_and_checked_keywords() {
    let server = Server::start_with(Some(agents::cluster(None, agents::some())));
    let document = document(&server);
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let named = |content: &Value| -> Vec<String> {
        let contents = content.as_object().into_iter().flat_map(|all| all.values());
        let names = contents.filter_map(|it| it["schema"]["$ref"].as_str());
        names.filter_map(|path| path.rsplit('/').next()).map(str::to_owned).collect()
    };
    let (mut requested, mut given) = (BTreeSet::new(), BTreeSet::new());
    for operation in operations(&document) {
        requested.extend(named(&operation["requestBody"]["content"]));
        for answer in operation["responses"].as_object().unwrap().values() {
            given.extend(named(&answer["content"]));
        }
    }
    given.insert("Problem".to_owned());
    assert!(
        requested.contains("RunRequest") && given.contains("Listed"),
        "{requested:?} {given:?}"
    );
    // These are documents of commands, whose schemas are published with them.
    for name in ["Comparison", "Trend"] {
        given.remove(name);
    }
    let bare: Vec<&String> = requested
        .iter()
        .chain(&given)
        .filter(|name| schemas[*name].get("examples").is_none())
        .collect();
    assert_eq!(bare, [""; 0]);
    let reply = ["title", "description", "default", "examples", "format"];
    let mut open: Vec<&Value> = requested.iter().map(|name| &schemas[name]).collect();
    while let Some(schema) = open.pop() {
        let Some(fields) = schema.as_object() else { continue };
        for (keyword, value) in fields {
            assert!(
                KEYWORDS.contains(&keyword.as_str()) || reply.contains(&keyword.as_str()),
                "{keyword}: {schema}"
            );
            match keyword.as_str() {
                "$ref" => open.push(&schemas[value.as_str().unwrap().rsplit('/').next().unwrap()]),
                "properties" => open.extend(value.as_object().unwrap().values()),
                "items" | "additionalProperties" => open.push(value),
                "anyOf" | "oneOf" => open.extend(value.as_array().unwrap()),
                _ => {}
            }
        }
    }
}

#[test]
fn query_filter_errors_name_accepted_values() {
    let server = Server::start();
    server.run("a run");
    let token = server.token(server.user("rae", Role::Runner), Scope::Read);
    for (query, name, given, wanted) in [
        ("missed=true", "missed", "true", "1"),
        ("baseline=", "baseline", "", "1"),
        ("outcom=passed", "outcom", "passed", "one of the parameters q, tag, target, outcome,"),
        ("outcome=good", "outcome", "good", "not-reliable"),
        ("verdict=Valid", "verdict", "Valid", "valid, unstable, partial, generator-limited"),
        ("since=yesterday", "since", "yesterday", "a day such as 2026-11-23"),
        ("behind=2", "behind", "2", "'next'"),
        ("tag=a&tag=b", "tag", "b", "the parameter once"),
    ] {
        let (status, answer) =
            send(&server, &token, ("GET", &format!("/api/v1/records?{query}")), &Value::Null);
        let error = &answer["errors"][0];
        assert_eq!(
            (status, &error["in"], &error["name"]),
            (422, &json!("query"), &json!(name)),
            "{answer}"
        );
        assert_eq!(error["given"], given, "{answer}");
        assert!(error["wanted"].as_str().unwrap().contains(wanted), "{answer}");
        let detail = answer["detail"].as_str().unwrap();
        assert!(detail.contains(name) && detail.contains(given), "{detail}");
    }
    for (query, found) in [("", 1), ("missed=1", 0), ("outcome=measured&since=2026-11-23&q=", 1)] {
        let (_, answer) =
            send(&server, &token, ("GET", &format!("/api/v1/records?{query}")), &Value::Null);
        assert_eq!(answer["all"], found, "{query}: {answer}");
    }
    let (status, answer) = send(&server, &token, ("GET", "/api/v1/me?x=1"), &Value::Null);
    assert_eq!((status, &answer["errors"][0]["wanted"]), (422, &json!("no parameter")));
    // A page ignores what it does not know: its address may come from another version.
    let session = server.session(server.user("bob", Role::Runner));
    assert_eq!(server.see(&session, "/runs?missed=true&more=1").status, 200);
}

#[test]
fn method_not_allowed_lists_the_allowed_ones() {
    let server = Server::start();
    let token = server.token(server.user("rae", Role::Runner), Scope::All);
    let reply = server.request(&token, "DELETE", "/api/v1/plans", "", "");
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (405, Some("application/problem+json"))
    );
    let allow = reply.header("allow").unwrap();
    assert!(allow.contains("GET") && allow.contains("POST"), "{allow}");
    assert!(reply.header("content-security-policy").is_some(), "{}", reply.head);
}

fn target() -> Value {
    json!({ "name": "Staging", "allow": ["127.0.0.1:8080"], "settings": { "BASE": "http://127.0.0.1:8080" },
            "users_max": 10, "seconds_max": 60, "days": 1 })
}

/// The body of a request with one field changed, or removed.
fn with(mut body: Value, field: &str, value: Value) -> Value {
    body[field] = value;
    if body[field].is_null() {
        body.as_object_mut().unwrap().remove(field);
    }
    body
}

/// Bodies with one fault each: its path, what was given, and a part of what is wanted.
fn faulty() -> Vec<(&'static str, Value, [&'static str; 3])> {
    let run = json!({ "plan": "p", "target": "t" });
    let (runs, plans, targets) = ("/api/v1/runs", "/api/v1/plans", "/api/v1/targets");
    vec![
        (runs, with(run.clone(), "plan", json!(5)), ["$.plan", "5", "text"]),
        (runs, with(run.clone(), "target", Value::Null), ["$.target", "", "text"]),
        (
            runs,
            with(run.clone(), "agents", json!("two")),
            ["$.agents", "\"two\"", "from 1 to 1000, or null"],
        ),
        (runs, with(run.clone(), "tags", json!(["a", 1])), ["$.tags[1]", "1", "text"]),
        (
            runs,
            with(run.clone(), "search", json!({ "quick": 1 })),
            ["$.search.quick", "1", "true or false"],
        ),
        (
            runs,
            with(run.clone(), "search", json!({ "second": "" })),
            ["$.search.second", "\"\"", "quick"],
        ),
        (runs, with(run, "durations", json!("9s")), ["$.durations", "\"9s\"", "duration"]),
        (plans, json!({ "name": "a\nb", "text": "" }), ["$.name", "a\nb", "one line"]),
        (plans, json!([]), ["$", "[]", "an object"]),
        (plans, Value::Null, ["$", "", "a JSON object"]),
        (
            targets,
            with(target(), "allow", json!(["127.0.0.1:80", "x"])),
            ["$.allow[1]", "x", "a network"],
        ),
        (
            targets,
            with(target(), "days", json!(0)),
            ["$.days", "0", "a whole number from 1 to 3650"],
        ),
        (
            targets,
            with(target(), "settings", json!({ "A": "b\nC=d" })),
            ["$.settings.A", "b\nC=d", "one line"],
        ),
        (
            "/api/v1/edit",
            json!({ "text": "", "changes": [{ "op": "x" }] }),
            ["$.changes[0].op", "\"x\"", "unset"],
        ),
        (
            "/api/v1/import/loadgen",
            json!({ "jobs/a.json": 1 }),
            ["$[\"jobs/a.json\"]", "1", "text"],
        ),
    ]
}

#[test]
fn body_errors_are_named_by_path() {
    let server = Server::start();
    let token = server.token(server.user("ada", Role::Admin), Scope::All);
    let plans = "/api/v1/plans";
    for (path, body, [name, given, wanted]) in faulty() {
        let (status, answer) = send(&server, &token, ("POST", path), &body);
        let error = &answer["errors"][0];
        assert_eq!(
            (status, &error["in"], &error["name"]),
            (422, &json!("body"), &json!(name)),
            "{answer}"
        );
        assert_eq!(error["given"].as_str().unwrap_or_default(), given, "{answer}");
        assert!(error["wanted"].as_str().unwrap().contains(wanted), "{answer}");
        // The number of the request is random letters, which may spell anything.
        let text = format!("{} {}", answer["detail"], answer["errors"]);
        for foreign in
            ["invalid type", "missing field", "unknown field", "expected", "u32", "struct"]
        {
            assert!(!text.contains(foreign), "{foreign}: {text}");
        }
    }
    let reply = server.request(&token, "POST", plans, "", "{\"name\": }");
    assert!(reply.status == 422 && reply.body.contains("line 1, column 10"), "{}", reply.body);
    let run = json!({ "plan": "p", "target": "t" });
    let (status, answer) = send(&server, &token, ("POST", "/api/v1/runs"), &run);
    assert_eq!((status, &answer["errors"][0]["name"]), (404, &json!("$.plan")), "{answer}");
    let (status, answer) = send(&server, &token, ("POST", "/api/v1/import/pdf"), &Value::Null);
    assert!(status == 404 && answer["detail"].as_str().unwrap().contains("openapi"), "{answer}");
}

#[test]
fn targets_and_plans_are_managed_by_the_api() {
    let server = Server::start();
    let ada = server.user("ada", Role::Admin);
    let all = server.token(ada, Scope::All);
    let (status, made) = send(&server, &all, ("POST", "/api/v1/targets"), &target());
    assert_eq!(
        (status, &made["id"], &made["settings"]["BASE"]),
        (201, &json!(1), &json!("http://127.0.0.1:8080"))
    );
    assert_eq!(made["expires"], "2027-01-16T08:00:00Z");
    assert_eq!(send(&server, &all, ("POST", "/api/v1/targets"), &target()).0, 409);
    let changed = with(target(), "rate_max", json!(5));
    let (status, now) = send(&server, &all, ("PUT", "/api/v1/targets/1"), &changed);
    assert_eq!((status, &now["rate_max"], &now["id"]), (200, &json!(5.0), &json!(1)));
    let renamed = with(target(), "name", json!("Other"));
    assert_eq!(send(&server, &all, ("PUT", "/api/v1/targets/1"), &renamed).0, 422);
    assert_eq!(
        send(&server, &all, ("GET", "/api/v1/targets?name=staging"), &Value::Null).1["targets"],
        json!([now])
    );
    assert_eq!(
        send(&server, &all, ("DELETE", "/api/v1/targets/1"), &Value::Null),
        (204, Value::Null)
    );
    assert_eq!(send(&server, &all, ("GET", "/api/v1/targets/1"), &Value::Null).0, 404);

    let plan = json!({ "name": "Visit", "text": "a" });
    assert_eq!(send(&server, &all, ("POST", "/api/v1/plans"), &plan).1["revision"], 1);
    assert_eq!(send(&server, &all, ("POST", "/api/v1/plans"), &plan).0, 409);
    let revision = |text: &str, after: i64| json!({ "text": text, "after": after });
    for (body, status, newest) in
        [(revision("b", 1), 200, 2), (revision("c", 1), 409, 2), (revision("b", 1), 200, 2)]
    {
        let (reply, answer) = send(&server, &all, ("PUT", "/api/v1/plans/1"), &body);
        assert_eq!(reply, status, "{answer}");
        assert_eq!(server.app.store.plan(1).unwrap().unwrap().revision, newest);
    }
    let (_, first) = send(&server, &all, ("GET", "/api/v1/plans/1/revisions/1"), &Value::Null);
    assert_eq!((&first["text"], &first["by"]), (&json!("a"), &json!("ada")));
    assert_eq!(send(&server, &all, ("GET", "/api/v1/plans/1/revisions/3"), &Value::Null).0, 404);
    let acts: Vec<String> =
        server.app.store.audit(9).unwrap().into_iter().map(|it| it.act).collect();
    assert_eq!(acts, ["change plan", "add plan", "remove target", "list target", "list target"]);
    assert_eq!(server.app.store.audit(1).unwrap()[0].who, "ada (token ci)");
}

#[test]
fn tags_and_baselines_are_set_by_the_api() {
    let server = Server::start();
    let id = server.run("first");
    let all = server.token(server.user("rae", Role::Runner), Scope::All);
    let (tags, marks) = (format!("/api/v1/records/{id}/tags"), format!("/api/v1/baselines/{id}"));
    let sent = |method: &str, path: &str, body: &Value| send(&server, &all, (method, path), body);
    let none = Value::Null;
    assert_eq!(
        sent("PUT", &format!("{tags}/night%20ly"), &none),
        (200, json!({ "tags": ["first", "night ly"] }))
    );
    assert_eq!(sent("PUT", &format!("{tags}/a,b"), &none).0, 422);
    assert_eq!(sent("GET", "/api/v1/records?tag=night%20ly", &none).1["all"], 1);
    assert_eq!(sent("DELETE", &format!("{tags}/first"), &none).1, json!({ "tags": ["night ly"] }));
    assert_eq!(sent("DELETE", &format!("{tags}/first"), &none).0, 404);
    assert_eq!(
        sent("PUT", &tags, &json!({ "tags": ["b", "a", "b"] })).1,
        json!({ "tags": ["a", "b"] })
    );
    let (status, answer) = sent("PUT", &tags, &json!({ "tags": ["a", "b,c"] }));
    assert_eq!((status, &answer["errors"][0]["name"]), (422, &json!("$.tags[1]")));
    assert_eq!(sent("GET", "/api/v1/tags", &none).1["tags"][0], json!({ "tag": "a", "runs": 1 }));
    assert_eq!(sent("GET", &marks, &none).0, 404);
    assert_eq!(sent("PUT", &marks, &none).1["about"]["baseline"], true);
    assert_eq!(sent("GET", "/api/v1/baselines", &none).1["all"], 1);
    assert_eq!(sent("GET", &marks, &none).0, 200);
    assert_eq!(sent("DELETE", &marks, &none).1["about"]["baseline"], false);
    assert_eq!(sent("GET", "/api/v1/baselines", &none).1["all"], 0);
    let acts: Vec<String> =
        server.app.store.audit(2).unwrap().into_iter().map(|it| it.act).collect();
    assert_eq!(acts, ["describe run", "describe run"]);
}

#[test]
fn token_rights_are_limited_by_role_and_scope() {
    let server = Server::start();
    let id = server.run("a run");
    let people = [("vic", Role::Viewer), ("rae", Role::Runner), ("ada", Role::Admin)];
    let all = people.map(|(name, role)| server.token(server.user(name, role), Scope::All));
    let ada = server.app.store.user_named("ada").unwrap().unwrap().id;
    let others = [Scope::Read, Scope::Push, Scope::Run].map(|scope| server.token(ada, scope));
    let tags = format!("/api/v1/records/{id}/tags");
    let marks = format!("/api/v1/baselines/{id}");
    for (method, path, least) in [
        ("GET", "/api/v1/targets", Role::Viewer),
        ("GET", "/api/v1/plans", Role::Viewer),
        ("GET", "/api/v1/records", Role::Viewer),
        ("POST", "/api/v1/plans", Role::Runner),
        ("PUT", "/api/v1/plans/1", Role::Runner),
        ("POST", "/api/v1/runs", Role::Runner),
        ("PUT", "/api/v1/records", Role::Runner),
        ("PUT", tags.as_str(), Role::Runner),
        ("PUT", marks.as_str(), Role::Runner),
        ("DELETE", marks.as_str(), Role::Runner),
        ("POST", "/api/v1/targets", Role::Admin),
        ("PUT", "/api/v1/targets/1", Role::Admin),
        ("DELETE", "/api/v1/targets/1", Role::Admin),
    ] {
        for ((_, role), token) in people.iter().zip(&all) {
            let (status, answer) = send(&server, token, (method, path), &Value::Null);
            assert_eq!(status == 403, *role < least, "{method} {path} {}: {answer}", role.word());
        }
        let changes = !["GET", "POST /api/v1/runs", "PUT /api/v1/records"]
            .iter()
            .any(|one| *one == method || *one == format!("{method} {path}"));
        for token in others.iter().filter(|_| changes) {
            assert_eq!(
                send(&server, token, (method, path), &Value::Null).0,
                403,
                "{method} {path}"
            );
        }
    }
}
