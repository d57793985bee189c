//! Documents, and the requests they describe.

use super::*;
use crate::imported::{Auth, Body, Step, Value};

const PETS: &str = r##"
openapi: 3.0.3
info: {title: Pets, version: "1"}
servers:
  - url: https://{region}.example.com/{base}/
    variables:
      region: {default: eu, enum: [eu, us]}
      base: {enum: [v2]}
security: [{key: []}]
paths:
  /pets/{petId}:
    parameters:
      - {name: petId, in: path, required: true, schema: {type: integer, minimum: 10}}
    get:
      operationId: showPet
      summary: One pet
      parameters:
        - {name: fields, in: query, schema: {type: array, items: {type: string}}, example: [a, b c]}
        - {name: limit, in: query, schema: {type: integer}}
        - {name: X-Trace, in: header, required: true, schema: {type: string, format: uuid}}
        - {$ref: "#/components/parameters/session"}
      responses:
        "200": {description: ok, content: {application/json: {schema: {}}}}
        "404": {description: no}
    delete:
      security: []
      responses: {default: {description: x}}
  /pets:
    post:
      security: [{oauth: [write]}, {}]
      requestBody:
        content:
          text/plain: {example: no}
          application/json: {schema: {$ref: "#/components/schemas/Pet"}}
      responses: {"201": {description: made}, "202": {description: later}}
  /login:
    post:
      security: [{basic: []}]
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {grant: {type: string, enum: [password]}, n: {type: number, maximum: 0}}}
      responses: {"2XX": {description: ok}}
components:
  parameters:
    session: {name: sid, in: cookie, required: true, schema: {type: string, default: "a b"}}
  securitySchemes:
    key: {type: apiKey, in: query, name: api_key}
    oauth: {type: oauth2, flows: {}}
    basic: {type: http, scheme: Basic}
  schemas:
    Pet:
      allOf:
        - type: object
          required: [id]
          properties: {id: {type: integer, readOnly: true}, name: {type: string, minLength: 6}}
        - type: object
          properties:
            kind: {oneOf: [{type: string, pattern: "^[A-Z]{3}$"}, {type: integer}]}
            friends: {type: array, minItems: 2, items: {$ref: "#/components/schemas/Pet"}}
            born: {type: string, format: date}
            tags: {type: array, minItems: 2, items: {type: string, example: "${x}"}}
            weight: {type: number, minimum: 2, exclusiveMinimum: true}
"##;

fn pets() -> Imported {
    openapi(PETS, None, Secrets::Named).unwrap()
}

fn named<'a>(imported: &'a Imported, name: &str) -> &'a Step {
    imported
        .steps
        .iter()
        .find(|step| step.name == name)
        .unwrap_or_else(|| panic!("{name}: {imported:#?}"))
}

#[test]
fn operations_become_steps_filled_from_the_document() {
    let imported = pets();
    let names: Vec<_> = imported.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["showPet", "DELETE /pets/{petId}", "POST /pets", "POST /login"]);
    let show = named(&imported, "showPet");
    assert_eq!(
        show.url,
        "https://eu.example.com/v2/pets/${petId}?fields=a&fields=b%20c&api_key=${key}"
    );
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        show.headers,
        [
            header("Accept", "application/json"),
            header("X-Trace", "11111111-2222-4333-8444-555555555555"),
            header("Cookie", "sid=a%20b")
        ]
    );
    assert_eq!((show.comment.as_str(), &show.statuses[..]), ("One pet", &[200][..]));
    assert_eq!(imported.variables[0].value, Value::Constant("10".to_owned()));
    assert_eq!(imported.variables[1].value, Value::Environment("KEY".to_owned()));
    let delete = named(&imported, "DELETE /pets/{petId}");
    assert_eq!(delete.url, "https://eu.example.com/v2/pets/${petId}");
    assert!(delete.statuses.is_empty() && delete.auth.is_none());
}

#[test]
fn bodies_follow_the_schemas() {
    let imported = pets();
    let add = named(&imported, "POST /pets");
    assert_eq!(
        add.body,
        Body::Text(
            r#"{"name":"textxx","kind":"AAA","friends":[],"born":"2026-01-02","tags":["$${x}","$${x}"],"weight":2.5}"#
                .to_owned()
        )
    );
    assert_eq!(
        (add.auth.clone(), &add.statuses[..]),
        (Some(Auth::Bearer("${oauth}".to_owned())), &[201, 202][..])
    );
    let login = named(&imported, "POST /login");
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(login.body, Body::Form(vec![field("grant", "password"), field("n", "0")]));
    let basic =
        Auth::Basic { user: "${basic_user}".to_owned(), password: "${basic_password}".to_owned() };
    assert_eq!((login.auth.clone(), login.statuses.len()), (Some(basic), 0));
}

/// A document with one operation that sends what `schema` allows.
fn body_of(schema: &str) -> String {
    let document = format!(
        r##"{{"openapi":"3.1.0","servers":[{{"url":"http://h"}}],"paths":{{"/":{{"put":{{"requestBody":{{"content":
        {{"application/json":{{"schema":{schema}}}}}}}}}}}}},"components":{{"schemas":{{
        "Loop":{{"type":"object","properties":{{"next":{{"$ref":"#/components/schemas/Loop"}},
        "n":{{"type":"integer"}}}}}},
        "Self":{{"$ref":"#/components/schemas/Self"}}}}}}}}"##
    );
    let imported = openapi(&document, None, Secrets::Named).unwrap();
    match &imported.steps[0].body {
        Body::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn schema_samples_stay_within_bounds() {
    for (schema, expected) in [
        (r#"{"type":"integer"}"#, "1"),
        (r#"{"type":"integer","minimum":5,"multipleOf":4}"#, "8"),
        (r#"{"type":"integer","exclusiveMinimum":5}"#, "6"),
        (r#"{"type":"integer","exclusiveMaximum":-5}"#, "-6"),
        (r#"{"type":"number","maximum":0.25}"#, "0.25"),
        (r#"{"type":["null","boolean"]}"#, "true"),
        (r#"{"const":7}"#, "7"),
        (r#"{"examples":[[1,2]]}"#, "[1,2]"),
        (r#"{"enum":[null,"b"]}"#, "\"b\""),
        (r#"{"type":"string","maxLength":2}"#, "\"te\""),
        (r#"{"type":"string","minLength":1e300}"#, "10000 long"),
        (r#"{"type":"string","format":"email"}"#, "\"user@example.com\""),
        (r#"{"type":"array","maxItems":0}"#, "[]"),
        (r#"{"prefixItems":[{"type":"integer"},{"type":"boolean"}]}"#, "[1,true]"),
        (r#"{"anyOf":[{"type":"null"},{"type":"integer"}]}"#, "1"),
        (r##"{"$ref":"#/components/schemas/Loop"}"##, r#"{"n":1}"#),
        (r##"{"$ref":"#/components/schemas/Self"}"##, "null"),
        (r#"{"$ref":"other.yaml#/x"}"#, "null"),
        ("{}", "null"),
        ("true", "null"),
    ] {
        let body = body_of(schema);
        let shown = if body.len() > 1000 { format!("{} long", body.len() - 2) } else { body };
        assert_eq!(shown, expected, "{schema}");
    }
}

#[test]
fn schemas_that_fan_out_stay_small() {
    let mut schemas = String::new();
    for level in 0..30 {
        let properties: Vec<_> = (0..10)
            .map(|n| format!(r##""p{n}":{{"$ref":"#/components/schemas/S{}"}}"##, level + 1))
            .collect();
        let required: Vec<_> = (0..10).map(|n| format!("\"p{n}\"")).collect();
        let level = format!(
            r#""S{level}":{{"type":"object","required":[{}],"properties":{{{}}}}},"#,
            required.join(","),
            properties.join(",")
        );
        schemas.push_str(&level);
    }
    let document = format!(
        r##"{{"openapi":"3.1.0","servers":[{{"url":"http://h"}}],"paths":{{"/":{{"put":{{"requestBody":{{"content":
        {{"application/json":{{"schema":{{"$ref":"#/components/schemas/S0"}}}}}}}}}}}}}},
        "components":{{"schemas":{{{schemas}"S30":{{"type":"integer"}}}}}}}}"##
    );
    let imported = openapi(&document, None, Secrets::Named).unwrap();
    let Body::Text(text) = &imported.steps[0].body else { panic!("text") };
    assert!(text.len() < 1_000_000, "{}", text.len());
}

#[test]
fn unsupported_documents_are_refused() {
    let paths = r#""paths":{"/":{"get":{}}}"#;
    for (document, named) in [
        (String::new(), "'openapi'"),
        ("{".to_owned(), "JSON: EOF"),
        ("a: [".to_owned(), "YAML: line"),
        ("swagger: '2.0'".to_owned(), "swagger 2.0"),
        ("openapi: 4.0.0".to_owned(), "'4.0.0'"),
        ("openapi: 3.0.0".to_owned(), "an operation"),
        (format!(r#"{{"openapi":"3.0.0",{paths}}}"#), "--server"),
        (format!(r#"{{"openapi":"3.0.0","servers":[{{"url":"/v1"}}],{paths}}}"#), "'/v1'"),
        (
            format!(r#"{{"openapi":"3.0.0","servers":[{{"url":"http://{{x}}/"}}],{paths}}}"#),
            "--server",
        ),
    ] {
        let error = openapi(&document, None, Secrets::Named).unwrap_err().to_string();
        assert!(error.contains(named), "{document}: {error}");
    }
    let server = openapi(
        &format!(r#"{{"openapi":"3.0.0",{paths}}}"#),
        Some("http://h:1/a/"),
        Secrets::Named,
    );
    assert_eq!(server.unwrap().steps[0].url, "http://h:1/a/");
}

#[test]
fn guesses_and_omissions_are_noted() {
    let document = r#"{"openapi":"3.0.0","servers":[{"url":"http://h"}],"paths":{"/a/{b}":{"post":{
        "operationId":"x","parameters":[{"$ref":"nope.yaml"}],"security":[{"odd":[]}],
        "requestBody":{"content":{"application/pdf":{}}}}},"/c":{"post":{"operationId":"x","requestBody":{
        "content":{"multipart/form-data":{"schema":{"properties":{
        "a":{"type":"string"},"o":{"properties":{}}}}}}}}}}}"#;
    let imported = openapi(document, None, Secrets::Named).unwrap();
    let notes = imported.notes.join("\n");
    for output in ["/a/{b}", "nope.yaml is in another file", "'odd'", "application/pdf"] {
        assert!(notes.contains(output), "{output}: {notes}");
    }
    assert_eq!(imported.steps[1].name, "x (2)");
    let Body::Multipart(parts) = &imported.steps[1].body else { panic!("parts") };
    let kinds: Vec<_> =
        parts.iter().map(|part| (part.name.as_str(), part.kind.as_deref())).collect();
    assert_eq!(kinds, [("a", None), ("o", Some("application/json"))]);
}
