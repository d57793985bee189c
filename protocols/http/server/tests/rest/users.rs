//! Users in the form of OpenDJ and OpenIDM.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::client::Client;
use super::{connect, server};

const ADMIN: [(&str, &str); 2] =
    [("X-OpenIDM-Username", "openidm-admin"), ("X-OpenIDM-Password", "password")];
const USER: [(&str, &str); 2] =
    [("X-OpenIDM-Username", "user.4"), ("X-OpenIDM-Password", "password")];

fn with<'a>(fields: &[(&'a str, &'a str)], more: (&'a str, &'a str)) -> Vec<(&'a str, &'a str)> {
    fields.iter().copied().chain([more]).collect()
}

fn query(client: &mut Client, parameters: &str) -> Value {
    let answer = client.exchange("GET", &format!("/api/users?{parameters}"), &ADMIN, "");
    assert_eq!(answer.status, 200, "{parameters}: {answer:?}");
    answer.json()
}

fn ids(page: &Value) -> Vec<String> {
    let result = page["result"].as_array().unwrap();
    assert_eq!(page["resultCount"], result.len());
    result.iter().map(|user| user["_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn user_is_created_changed_and_deleted() {
    let server = server();
    let mut client = connect(&server);
    let url = "/api/users/new";
    let fields = json!({"name": {"givenName": "N"}, "userPassword": "secret12"}).to_string();
    let if_new = with(&ADMIN, ("If-None-Match", "*"));
    let created = client.exchange("PUT", url, &if_new, &fields);
    assert_eq!(created.status, 201);
    let revision = created.json()["_rev"].as_str().unwrap().to_owned();
    assert_eq!(created.field("etag"), Some(&*format!("\"{revision}\"")));
    let again = client.exchange("PUT", url, &if_new, &fields);
    assert_eq!((again.status, &again.json()["reason"]), (412, &json!("Precondition Failed")));
    let posted = json!({"_id": "new"}).to_string();
    assert_eq!(client.exchange("POST", "/users?_action=create", &ADMIN, &posted).status, 412);
    let own = [("X-OpenIDM-Username", "new"), ("X-OpenIDM-Password", "secret12")];
    let read = client.exchange("GET", url, &own, "");
    assert_eq!(read.json()["name"], json!({"givenName": "N"}));
    assert!(!String::from_utf8(read.body).unwrap().contains("secret12"));

    let operations = json!([
        {"operation": "replace", "field": "/name/givenName", "value": "M"},
        {"operation": "add", "field": "/description", "value": "a \"quoted\" \\ word"},
    ]);
    let patched = client.exchange("PATCH", url, &own, &operations.to_string());
    assert_eq!(patched.json()["name"]["givenName"], "M");
    assert_eq!(patched.json()["description"], "a \"quoted\" \\ word");
    assert_ne!(patched.json()["_rev"], json!(revision));
    let object = json!({"operation": "replace", "field": "/x", "value": 1}).to_string();
    let refused = client.exchange("PATCH", url, &own, &object);
    assert_eq!(refused.status, 400);
    assert!(
        refused.json()["message"]
            .as_str()
            .unwrap()
            .contains("not a JSON array of patch operations")
    );

    let stale = with(&ADMIN, ("If-Match", &revision));
    assert_eq!(client.exchange("DELETE", url, &stale, "").status, 412);
    let fresh = patched.field("etag").unwrap();
    let deleted = client.exchange("DELETE", url, &with(&ADMIN, ("If-Match", fresh)), "");
    assert_eq!((deleted.status, &deleted.json()["_id"]), (200, &json!("new")));
    assert_eq!(client.exchange("GET", url, &ADMIN, "").status, 404);
    assert_eq!(client.exchange("GET", url, &own, "").status, 401);
}

#[test]
fn access_depends_on_credentials() {
    let server = server();
    let mut client = connect(&server);
    let wrong = [("X-OpenIDM-Username", "user.4"), ("X-OpenIDM-Password", "wrong")];
    let basic = [("Authorization", "Basic dXNlci40OnBhc3N3b3Jk")];
    for (method, target, fields, status) in [
        ("GET", "/api/users/user.1", &[][..], 401),
        ("GET", "/api/users/user.1", &wrong, 401),
        ("GET", "/api/users/user.1", &USER, 200),
        ("GET", "/users/user.1", &basic, 200),
        ("DELETE", "/api/users/user.1", &USER, 403),
        ("PUT", "/api/users/user.1", &USER, 403),
        ("GET", "/openidm/managed/user/user.4", &USER, 200),
        ("GET", "/openidm/managed/user/user.1", &USER, 403),
        ("GET", "/openidm/managed/user/user.1", &ADMIN, 200),
        ("GET", "/openidm/info/ping", &[], 200),
        ("GET", "/api/users/user.20", &ADMIN, 404),
        ("GET", "/api/users/user.007", &ADMIN, 404),
        ("PATCH", "/api/users", &ADMIN, 405),
        ("POST", "/api/users?_action=explode", &ADMIN, 501),
        ("GET", "/api/users", &ADMIN, 400),
    ] {
        let answer = client.exchange(method, target, fields, "");
        assert_eq!(answer.status, status, "{method} {target}: {answer:?}");
        if status >= 400 {
            assert_eq!(answer.json()["code"], status);
        }
    }
    let bad = client.exchange("PUT", "/api/users/user.4", &USER, "{\"a\":");
    assert_eq!(bad.status, 400);
    assert!(bad.json()["message"].as_str().unwrap().contains("not valid JSON"));
}

#[test]
fn query_filters_find_their_users() {
    let server = server();
    let mut client = connect(&server);
    for (filter, expected) in [
        ("_id+eq+'user.7'", &["user.7"][..]),
        ("_id%20eq%20%22user.7%22", &["user.7"]),
        ("_id+eq+'user.70'", &[]),
        ("_id+sw+'user.1'+and+_id+co+'3'", &["user.13"]),
        (
            "/name/familyName+eq+'Family3'+or+userName+eq+'user.5@example.com'",
            &["user.3", "user.5"],
        ),
        ("!(_id+sw+'user.')", &[]),
        ("displayName+co+'given19'", &["user.19"]),
    ] {
        assert_eq!(
            ids(&query(&mut client, &format!("_queryFilter={filter}"))),
            expected,
            "{filter}"
        );
    }
    let some = query(&mut client, "_queryFilter=_id+eq+'user.7'&_fields=name/givenName,userName");
    let expected = json!([{
        "_id": "user.7",
        "_rev": "0000000000000000",
        "name": {"givenName": "Given7"},
        "userName": "user.7@example.com",
    }]);
    assert_eq!(some["result"], expected);
    for (parameters, status, words) in [
        ("_queryFilter=n+gt+5", 501, "gt is not supported"),
        ("_queryFilter=true&_sortKeys=a", 501, "_sortKeys=a is not supported"),
        ("_queryFilter=(true", 400, "a bracket"),
        ("_queryFilter=true&_pageSize=x", 400, "whole number"),
        ("_queryFilter=true&_pagedResultsCookie=x", 400, "cookie"),
    ] {
        let answer = client.exchange("GET", &format!("/api/users?{parameters}"), &ADMIN, "");
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(answer.json()["message"].as_str().unwrap().contains(words), "{answer:?}");
    }
}

#[test]
fn pages_list_every_user_once() {
    let server = server();
    let mut client = connect(&server);
    for n in [0, 9, 19] {
        let target = format!("/api/users/user.{n}");
        assert_eq!(client.exchange("DELETE", &target, &ADMIN, "").status, 200);
    }
    for name in ["b", "a", "user.9"] {
        let target = format!("/api/users/{name}");
        assert_eq!(client.exchange("PUT", &target, &ADMIN, "{}").status, 201);
    }
    let (mut seen, mut cookie, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let parameters = format!("_queryFilter=true&_pageSize=4&_pagedResultsCookie={cookie}");
        let page = query(&mut client, &parameters);
        pages += 1;
        seen.extend(ids(&page));
        match page["pagedResultsCookie"].as_str() {
            Some(next) => cookie = next.to_owned(),
            None => break,
        }
    }
    let expected = (1..19).map(|n| format!("user.{n}")).chain(["a".to_owned(), "b".to_owned()]);
    assert_eq!(seen.iter().cloned().collect::<BTreeSet<_>>(), expected.collect());
    assert_eq!((seen.len(), pages), (20, 5));
}

#[test]
fn user_without_an_id_is_given_one() {
    let server = server();
    let mut client = connect(&server);
    let target = "/openidm/managed/user?_action=create";
    let fields = json!({"userName": "x", "mail": "x@y"}).to_string();
    let first = client.exchange("POST", target, &ADMIN, &fields).json();
    let second = client.exchange("POST", target, &ADMIN, &fields).json();
    assert_ne!(first["_id"], second["_id"]);
    let found =
        client.exchange("GET", "/openidm/managed/user?_queryFilter=mail+eq+'x@y'", &ADMIN, "");
    assert_eq!(ids(&found.json()).len(), 2);
    // The three products do not share users.
    let id = first["_id"].as_str().unwrap();
    assert_eq!(client.exchange("GET", &format!("/api/users/{id}"), &ADMIN, "").status, 404);
}
