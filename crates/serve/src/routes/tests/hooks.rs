//! Webhooks by the API: who may add them, what is refused, and what is shown of them.

use serde_json::{Value, json};

use super::*;

const PATH: &str = "/api/v1/hooks";

#[test]
fn webhooks_are_managed_by_the_api() {
    let server = Server::start();
    let ada = server.user("ada", Role::Admin);
    let all = server.token(ada, Scope::All);
    let send = |client: &Client, method: &str, path: &str, body: &Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let reply = server.request(client, method, path, "", &body);
        (reply.status, serde_json::from_str::<Value>(&reply.body).unwrap_or_default())
    };
    let secret = "https://hooks.example.com/services/s3cret?sig=1";
    let slack = json!({ "name": "team", "url": secret, "format": "slack" });
    let (status, made) = send(&all, "POST", PATH, &slack);
    assert_eq!((status, &made["id"], &made["format"]), (201, &json!(1), &json!("slack")), "{made}");
    assert!(made["key"].as_str().is_some_and(|key| key.starts_with("whsec_")), "{made}");
    assert_eq!(made["url"], "https://hooks.example.com/");
    let (_, listed) = send(&all, "GET", PATH, &Value::Null);
    assert_eq!(
        (listed["hooks"][0]["name"].as_str(), &listed["hooks"][0]["key"]),
        (Some("team"), &Value::Null)
    );
    for (body, status, name) in [
        (json!({ "name": "TEAM", "url": "https://ci.example.com/" }), 409, "$.name"),
        (json!({ "name": "a\nb", "url": "https://ci.example.com/" }), 422, "$.name"),
        (json!({ "name": "a", "url": "ftp://s3cret.example.com/" }), 422, "$.url"),
        (json!({ "name": "a", "url": "http://169.254.169.254/s3cret" }), 422, "$.url"),
        (
            json!({ "name": "a", "url": "https://ci.example.com/", "format": "fax" }),
            422,
            "$.format",
        ),
        (json!({ "name": "a", "url": "https://ci.example.com/", "to": ["a@b"] }), 422, "$.to"),
        (json!({ "name": "a", "url": "https://ci.example.com/", "format": "mail" }), 422, "$.to"),
    ] {
        let (reply, answer) = send(&all, "POST", PATH, &body);
        assert_eq!((reply, &answer["errors"][0]["name"]), (status, &json!(name)), "{answer}");
        assert!(!answer["errors"].to_string().contains("s3cret"), "{answer}");
    }
    let rae = server.token(server.user("rae", Role::Runner), Scope::All);
    let read = server.token(ada, Scope::Read);
    let one = format!("{PATH}/1");
    for (client, method, path, status) in [
        (&rae, "GET", PATH, 403),
        (&rae, "POST", PATH, 403),
        (&rae, "DELETE", &one, 403),
        (&read, "GET", PATH, 200),
        (&read, "DELETE", &one, 403),
        (&all, "DELETE", &one, 204),
        (&all, "DELETE", &one, 404),
    ] {
        let body = if method == "POST" { &slack } else { &Value::Null };
        assert_eq!(send(client, method, path, body).0, status, "{method} {path}");
    }
    let lines = server.app.store.audit(2).unwrap();
    let acts: Vec<&str> = lines.iter().map(|line| line.act.as_str()).collect();
    assert_eq!(acts, ["remove webhook", "add webhook"]);
    assert!(!lines[1].what.contains("s3cret"), "{}", lines[1].what);
}
