//! The API of the website, tested by its own document: every listed operation is requested, every answer matches it,
//! and brunt loads the API from that document.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::website::{Visitor, api, between, end, record, site};
use brunt_test_program::{run, scratch};

/// What answers those who may not have it, or who asked for what is not there.
const PROBLEM: &str = "application/problem+json";

/// What may be asked, as the document has it: method, path, and what is said of the answer.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let of = |(path, methods): (&String, &Value)| {
        let methods = methods.as_object().expect("methods").clone();
        let path = path.clone();
        methods.into_iter().map(move |(method, said)| (method.to_uppercase(), path.clone(), said))
    };
    paths.iter().flat_map(of).collect()
}

/// Whether a JSON document is as a schema of the API says.
fn is_as(document: &Value, schema: &Value, answer: &Value) -> Result<(), String> {
    let mut whole = schema.clone();
    whole["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&whole).expect("a schema");
    let faults: Vec<String> = validator
        .iter_errors(answer)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}

/// What an answer is of, by its head.
fn kind(head: &str) -> &str {
    between(head, "content-type: ", "\r\n").split(';').next().unwrap_or_default()
}

/// Asks for something, and holds the answer against what is said of it; its status.
fn asked(
    visitor: &Visitor,
    document: &Value,
    token: &str,
    (method, path, said): (&str, &str, &Value),
) -> u16 {
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let (head, body) = visitor.ask(method, path, &bearer, "");
    let status: u16 = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
    let part = if status < 300 { status.to_string() } else { "default".to_owned() };
    let content = said["responses"][part]["content"].as_object().expect("what is answered");
    let (expected, schema) = content.iter().next().expect("one type");
    assert_eq!(kind(&head), expected, "{method} {path}: {head}");
    assert_eq!(status >= 400, expected == PROBLEM, "{method} {path}: {head}");
    if expected.ends_with("json") {
        let answer: Value = serde_json::from_str(&body).expect("JSON");
        let is = is_as(document, &schema["schema"], &answer);
        assert_eq!(is, Ok(()), "{method} {path}: {body}");
    }
    status
}

#[test]
fn everything_in_the_document_is_asked_and_answers_as_it_says() {
    let directory = scratch();
    let (_api, target) = api();
    let (program, visitor) = site(&directory.path().join("site"));
    let (push, read) = (visitor.token("push"), visitor.token("read"));
    let token = directory.path().join("token");
    fs::write(&token, &push).unwrap();
    let origin = format!("http://{}", visitor.at);
    let mut ids = Vec::new();
    for (name, seed) in [("first.json", "1"), ("second.json", "2")] {
        let file = record(directory.path(), &target, (name, seed));
        let [file, token] = [&file, &token].map(|path| path.to_str().unwrap());
        let pushed = run(["push", file, "--to", &origin, "--token-file", token]).expect(0);
        ids.push(between(&pushed.stdout, "/runs/", "\n").to_owned());
    }
    let document: Value =
        serde_json::from_str(&visitor.api(&read, "/api/v1/openapi.json")).expect("JSON");
    let mut done = BTreeSet::new();
    for (method, path, said) in operations(&document) {
        let filled = path.replace("{id}", &ids[0]);
        let ask =
            |token: &str, path: &str| asked(&visitor, &document, token, (&method, path, &said));
        // With the right token and without anything right.
        let status = ask(if method == "GET" { &read } else { &push }, &filled);
        let _ = ask("wrong", &filled);
        let _ = ask(&read, &path.replace("{id}", "nowhere"));
        if status < 300 {
            done.insert(format!("{method} {path}"));
        }
    }
    let compare = format!("/api/v1/compare?run={}&run={}", ids[0], ids[1]);
    let said = &document["paths"]["/api/v1/compare"]["get"];
    assert_eq!(asked(&visitor, &document, &read, ("GET", &compare, said)), 200);
    for path in ["me", "openapi.json", "records", "records/{id}", "records/{id}/csv"] {
        assert!(done.contains(&format!("GET /api/v1/{path}")), "{path} is not in {done:?}");
    }
    // The check can fail.
    let me = &document["components"]["schemas"]["Me"];
    assert!(
        is_as(&document, me, &json!({ "name": "ada", "role": "king", "scope": null })).is_err()
    );
    end(program);
}

#[test]
fn brunt_loads_its_own_api_from_its_own_document() {
    let directory = scratch();
    let (_api, target) = api();
    let (program, visitor) = site(&directory.path().join("site"));
    let (push, read) = (visitor.token("push"), visitor.token("read"));
    let at = |name: &str| directory.path().join(name).display().to_string();
    let origin = format!("http://{}", visitor.at);
    fs::write(at("token"), &push).unwrap();
    fs::write(at("read"), &read).unwrap();
    fs::write(at("openapi.json"), visitor.api(&read, "/api/v1/openapi.json")).unwrap();
    let mut ids = Vec::new();
    for (name, seed) in [("first.json", "1"), ("second.json", "2")] {
        let file = record(directory.path(), &target, (name, seed)).display().to_string();
        let pushed = run(["push", &file, "--to", &origin, "--token-file", &at("token")]).expect(0);
        ids.push(between(&pushed.stdout, "/runs/", "\n").to_owned());
    }
    run(["import", "openapi", &at("openapi.json"), "--server", &origin, "-o", &at("plan.toml")])
        .expect(0);
    // What no document can say: which runs there are, and the token. What writes is left out.
    let plan = fs::read_to_string(at("plan.toml")).unwrap();
    let plan = plan
        .replace("token = { env = \"TOKEN\" }", "token = { file = \"read\" }")
        .replace("id = \"text\"", &format!("id = \"{}\"", ids[0]))
        .replace(
            "get = \"/api/v1/compare\"",
            &format!("get = \"/api/v1/compare?run={}&run={}\"", ids[0], ids[1]),
        );
    let (head, steps) = plan.split_once("[[scenario.steps]]").expect("steps");
    // A trend needs six runs, and is compared with 'brunt trend' elsewhere; running operations need a token that may
    // run.
    let elsewhere = |step: &str| step.contains("/api/v1/trends") || step.contains("/api/v1/runs/");
    let reads = |step: &&str| step.contains("\nget = ") && !elsewhere(step);
    let reading = steps.split("[[scenario.steps]]").filter(reads);
    let reading: Vec<String> = reading.map(|step| format!("[[scenario.steps]]{step}")).collect();
    fs::write(at("plan.toml"), format!("{head}{}", reading.concat())).unwrap();
    let words = ["--set", "run.iterations.each=5", "--record", &at("run.json")];
    let ended = run(["run", &at("plan.toml")].into_iter().chain(words));
    // On a machine that does much else brunt says that it was not fast enough: that is not asked here.
    assert!([0, 5].contains(&ended.code()), "{ended}");
    let record = brunt_record::Record::read(directory.path().join("run.json").as_path()).unwrap();
    assert_eq!(record.operations.len(), reading.len(), "{ended}");
    assert_eq!((record.counts.ok, record.counts.failed), (5 * reading.len() as u64, 0), "{ended}");
    end(program);
}
