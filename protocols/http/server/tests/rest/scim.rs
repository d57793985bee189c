//! Provisioning by SCIM.

use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::{connect, scripted, server};

/// The name admin and the word password.
const BASIC: (&str, &str) = ("Authorization", "Basic YWRtaW46cGFzc3dvcmQ=");

fn exchange(client: &mut Client, method: &str, target: &str, body: &Value) -> Answer {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let fields = [BASIC, ("Content-Type", "application/scim+json")];
    client.exchange(method, &format!("/scim/v2{target}"), &fields, &body)
}

fn add(client: &mut Client, name: &str) -> Value {
    let user = json!({"userName": name, "emails": [{"type": "work", "value": format!("{name}@example.com")}]});
    let answer = exchange(client, "POST", "/Users", &user);
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()
}

/// The names of the users that a query lists, and the answer.
fn list(client: &mut Client, query: &str) -> (Vec<String>, Value) {
    let answer = exchange(client, "GET", &format!("/Users?{query}"), &Value::Null);
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = answer.json();
    let names = answer["Resources"].as_array().unwrap().iter();
    (names.map(|user| user["userName"].as_str().unwrap().to_owned()).collect(), answer)
}

#[test]
fn user_is_created_read_changed_and_deleted_with_etags() {
    let server = server();
    let mut client = connect(&server);
    let user = json!({"userName": "Jo", "password": "s3cret", "id": "own"});
    let made = exchange(&mut client, "POST", "/Users", &user);
    let user = made.json();
    let id = user["id"].as_str().unwrap().to_owned();
    let place = format!("http://test/scim/v2/Users/{id}");
    assert_eq!((made.status, made.field("location")), (201, Some(&*place)));
    assert_eq!((&user["meta"]["location"], user.get("password")), (&json!(place), None));
    assert_eq!(made.field("content-type"), Some("application/scim+json;charset=utf-8"));
    let again = exchange(&mut client, "POST", "/Users", &json!({"userName": "JO"}));
    assert_eq!((again.status, &again.json()["scimType"]), (409, &json!("uniqueness")));
    let tag = made.field("etag").unwrap().to_owned();
    let read = client.exchange(
        "GET",
        &format!("/scim/v2/Users/{id}"),
        &[BASIC, ("If-None-Match", &tag)],
        "",
    );
    assert_eq!((read.status, read.body.len()), (304, 0));
    let change = json!({"Operations": [{"op": "replace", "path": "name.givenName", "value": "J"}]})
        .to_string();
    let target = format!("/scim/v2/Users/{id}");
    let changed = client.exchange("PATCH", &target, &[BASIC, ("If-Match", &tag)], &change);
    assert_eq!((changed.status, &changed.json()["name"]["givenName"]), (200, &json!("J")));
    let stale = client.exchange("PATCH", &target, &[BASIC, ("If-Match", &tag)], &change);
    assert_eq!((stale.status, &stale.json()["status"]), (412, &json!("412")));
    let renamed =
        exchange(&mut client, "PUT", &format!("/Users/{id}"), &json!({"userName": "other"}));
    assert_eq!((renamed.status, renamed.json().get("name")), (200, None));
    assert_eq!(exchange(&mut client, "POST", "/Users", &json!({"userName": "jo"})).status, 201);
    assert_eq!(exchange(&mut client, "DELETE", &format!("/Users/{id}"), &Value::Null).status, 204);
    assert_eq!(exchange(&mut client, "GET", &format!("/Users/{id}"), &Value::Null).status, 404);
    assert_eq!(server.stats().answers_of("DELETE", "/scim/v2/Users/{id}", 204), 1);
}

#[test]
fn lists_are_filtered_and_paged() {
    let server = server();
    let mut client = connect(&server);
    for number in 0..7 {
        add(&mut client, &format!("user-{number}"));
    }
    let (names, answer) = list(&mut client, "filter=userName+eq+%22USER-3%22");
    assert_eq!((names, &answer["totalResults"]), (vec!["user-3".to_owned()], &json!(1)));
    let filter = "filter=emails%5Btype%20eq%20%22work%22%20and%20value%20sw%20%22user-6%22%5D";
    assert_eq!(list(&mut client, filter).0, ["user-6"]);
    let (names, answer) = list(&mut client, "startIndex=3&count=2");
    assert_eq!(
        (names, &answer["totalResults"]),
        (vec!["user-2".into(), "user-3".into()], &json!(7))
    );
    assert_eq!((&answer["startIndex"], &answer["itemsPerPage"]), (&json!(3), &json!(2)));
    let (mut cursor, mut seen) = (String::new(), Vec::new());
    loop {
        let (names, answer) = list(&mut client, &format!("cursor={cursor}&count=3"));
        seen.extend(names);
        let Some(next) = answer["nextCursor"].as_str() else { break };
        next.clone_into(&mut cursor);
    }
    assert_eq!(seen.len(), 7);
    let (names, _) = list(&mut client, "sortBy=userName&sortOrder=descending&count=2");
    assert_eq!(names, ["user-6", "user-5"]);
    for query in ["filter=a", "count=x", "cursor=x", "sortBy=userName&sortOrder=up"] {
        let answer = exchange(&mut client, "GET", &format!("/Users?{query}"), &Value::Null);
        assert_eq!(answer.status, 400, "{query}");
    }
}

#[test]
fn bulk_request_refers_to_created_resources() {
    let server = server();
    let mut client = connect(&server);
    let body = json!({"failOnErrors": 2, "Operations": [
        {"method": "POST", "path": "/Users", "bulkId": "a", "data": {"userName": "jo"}},
        {"method": "POST", "path": "/Groups", "bulkId": "g",
         "data": {"displayName": "staff", "members": [{"value": "bulkId:a"}]}},
        {"method": "POST", "path": "/Users", "data": {"userName": "jo"}},
        {"method": "DELETE", "path": "/Users/bulkId:a"},
        {"method": "GET", "path": "/Users/bulkId:a"},
        {"method": "POST", "path": "/Users", "data": {"userName": "never"}},
    ]});
    let answer = exchange(&mut client, "POST", "/Bulk", &body).json();
    let statuses: Vec<_> =
        answer["Operations"].as_array().unwrap().iter().map(|one| one["status"].clone()).collect();
    assert_eq!(statuses, ["201", "201", "409", "204", "405"]);
    let place = answer["Operations"][1]["location"].as_str().unwrap();
    let group = exchange(
        &mut client,
        "GET",
        place.strip_prefix("http://test/scim/v2").unwrap(),
        &Value::Null,
    );
    let member = group.json()["members"][0]["value"].clone();
    assert!(
        answer["Operations"][0]["location"].as_str().unwrap().ends_with(member.as_str().unwrap())
    );
    assert_eq!(list(&mut client, "").0, Vec::<String>::new());
}

#[test]
fn requests_need_credentials_or_a_token() {
    let server = server();
    let mut client = connect(&server);
    let none = client.exchange("GET", "/scim/v2/Users", &[], "");
    assert_eq!((none.status, &none.json()["status"]), (401, &json!("401")));
    assert_eq!(client.get("/scim/v2/ServiceProviderConfig").json()["patch"]["supported"], true);
    let form = "grant_type=client_credentials&client_id=hr&client_secret=password";
    let fields = [("Content-Type", "application/x-www-form-urlencoded")];
    let token = client.exchange("POST", "/idp/token", &fields, form).json();
    let bearer = format!("Bearer {}", token["access_token"].as_str().unwrap());
    assert_eq!(
        client.exchange("GET", "/scim/v2/Users", &[("Authorization", &bearer)], "").status,
        200
    );
    assert_eq!(client.get("/scim/v2/Elsewhere").status, 404);
    assert_eq!(exchange(&mut client, "PUT", "/Users", &json!({})).status, 405);
    let broken = client.exchange("POST", "/scim/v2/Users", &[BASIC], "{");
    assert_eq!((broken.status, &broken.json()["scimType"]), (400, &json!("invalidSyntax")));
}

#[test]
fn faults_return_each_refusal() {
    for (fault, status, kind) in [
        ("uniqueness", 409, Some("uniqueness")),
        ("version", 412, None),
        ("too-many", 400, Some("tooMany")),
        ("mutability", 400, Some("mutability")),
        ("too-many-requests", 429, None),
    ] {
        let server = scripted(&format!("[[rule]]\naction = {{ scim = '{fault}' }}"));
        let mut client = connect(&server);
        assert_eq!(client.get("/").status, 200);
        let answer = exchange(&mut client, "GET", "/Users", &Value::Null);
        assert_eq!((answer.status, answer.json()["scimType"].as_str()), (status, kind));
        assert_eq!(server.stats().faults, [(fault, 1)]);
    }
}
