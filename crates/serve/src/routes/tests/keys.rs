//! Idempotency keys.

use serde_json::json;

use super::*;
use crate::store::Keyed;

fn post(server: &Server, client: &Client, (path, key): (&str, &str), body: &str) -> Reply {
    server.request(client, "POST", path, &format!("Idempotency-Key: {key}\r\n"), body)
}

#[test]
fn idempotency_key_returns_the_first_answer() {
    let server = Server::start();
    let (ada, bob) = (server.user("ada", Role::Admin), server.user("bob", Role::Runner));
    let (first, second) = (server.token(ada, Scope::All), server.token(ada, Scope::All));
    let bob = server.token(bob, Scope::All);
    let plan = |name: &str| json!({ "name": name, "text": "" }).to_string();
    let plans = "/api/v1/plans";
    let made = post(&server, &first, (plans, "\"k-1\""), &plan("a"));
    assert_eq!((made.status, made.header("idempotency-replayed")), (201, None), "{}", made.body);
    // The quotation marks may be left out, and another token of the user may send it.
    for (client, key) in [(&first, "\"k-1\""), (&first, "k-1"), (&second, "k-1")] {
        let again = post(&server, client, (plans, key), &plan("a"));
        assert_eq!((again.status, &again.body), (201, &made.body));
        assert_eq!(again.header("location"), Some("/api/v1/plans/1"));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
    }
    let other = post(&server, &first, (plans, "k-1"), &plan("b"));
    assert!(other.status == 422 && other.body.contains("\"in\":\"header\""), "{}", other.body);
    assert_eq!(post(&server, &first, ("/api/v1/targets", "k-1"), &plan("a")).status, 422);
    // A refusal is an answer too.
    let refused = post(&server, &first, (plans, "k-2"), &plan("a"));
    let again = post(&server, &first, (plans, "k-2"), &plan("a"));
    assert_eq!((refused.status, again.status, &again.body), (409, 409, &refused.body));
    assert_eq!(again.header("content-type"), Some("application/problem+json"));
    // The keys of others are theirs.
    assert_eq!(post(&server, &bob, (plans, "k-1"), &plan("c")).status, 201);
    assert_eq!(server.app.store.plans().unwrap().len(), 2);
    for wrong in ["", "a b", "a,b", &"x".repeat(256)] {
        let reply = post(&server, &first, (plans, wrong), &plan("d"));
        assert!(
            reply.status == 422 && reply.body.contains("Idempotency-Key"),
            "{wrong}: {}",
            reply.body
        );
    }
}

#[test]
fn idempotency_key_in_progress_is_not_repeated() {
    let server = Server::start();
    let ada = server.user("ada", Role::Admin);
    let token = server.token(ada, Scope::All);
    let (path, body) = ("/api/v1/plans", "{\"name\":\"a\",\"text\":\"\"}");
    let held = server.app.in_flight.hold((ada, "k".to_owned()));
    let reply = post(&server, &token, (path, "k"), body);
    assert!(reply.status == 409 && reply.body.contains("Wait for it"), "{}", reply.body);
    drop(held);
    // The server ended before it was answered.
    let request = crate::api::keyed::fingerprint(path, body.as_bytes());
    assert_eq!(server.app.store.begin_keyed((ada, "l"), &request, NOW).unwrap(), Keyed::New);
    let reply = post(&server, &token, (path, "l"), body);
    assert!(
        reply.status == 409 && reply.body.contains("because the server ended"),
        "{}",
        reply.body
    );
    assert!(server.app.store.plans().unwrap().is_empty());
    assert_eq!(post(&server, &token, (path, "k"), body).status, 201);
}
