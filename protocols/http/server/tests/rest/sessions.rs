//! Sessions and identities of OpenAM, and the agent.

use serde_json::json;

use super::client::{Answer, Client};
use super::{connect, server};

fn authenticate(client: &mut Client, name: &str, password: &str) -> Answer {
    let fields = [("X-OpenAM-Username", name), ("X-OpenAM-Password", password)];
    client.exchange("POST", "/openam/json/authenticate", &fields, "")
}

fn token(client: &mut Client, name: &str) -> String {
    let answer = authenticate(client, name, "password");
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["tokenId"].as_str().unwrap().to_owned()
}

#[test]
fn session_lasts_from_login_to_logout() {
    let server = server();
    let mut client = connect(&server);
    let answer = authenticate(&mut client, "user.7", "password");
    let token = answer.json()["tokenId"].as_str().unwrap().to_owned();
    // Characters that cause errors in clients which expect a token to be a word.
    assert!(token.contains('*') && token.contains('.'), "{token}");
    assert_eq!(answer.json()["successUrl"], "/openam/console");
    assert!(
        answer.field("set-cookie").unwrap().starts_with(&format!("iPlanetDirectoryPro={token};"))
    );
    let valid = json!({"valid": true, "uid": "user.7", "realm": "/"});
    let by_path = format!("/openam/json/sessions/{token}?_action=validate");
    let by_query = format!("/openam/json/sessions/?{token}&_action=validate");
    let by_name = format!("/openam/json/realms/root/sessions?_action=validate&tokenId={token}");
    for target in [&by_path, &by_query, &by_name] {
        assert_eq!(client.exchange("POST", target, &[], "").json(), valid, "{target}");
    }
    let plain = "/openam/json/sessions?_action=validate";
    let cookie = format!("other=1; iPlanetDirectoryPro={token}");
    let body = json!({"tokenId": token}).to_string();
    for (field, body) in [
        (("iPlanetDirectoryPro", &*token), ""),
        (("Cookie", &*cookie), ""),
        (("Content-Type", "application/json"), &*body),
    ] {
        assert_eq!(client.exchange("POST", plain, &[field], body).json(), valid, "{field:?}");
    }
    let own = [("iPlanetDirectoryPro", &*token)];
    let about = client.exchange("POST", "/openam/json/sessions?_action=getSessionInfo", &own, "");
    assert_eq!((about.status, &about.json()["username"]), (200, &json!("user.7")));
    let out = client.exchange("POST", "/openam/json/sessions?_action=logout", &own, "");
    assert_eq!(out.json(), json!({"result": "Successfully logged out"}));
    assert_eq!(client.exchange("POST", &by_path, &[], "").json(), json!({"valid": false}));
    for action in ["getSessionInfo", "logout"] {
        let target = format!("/openam/json/sessions?_action={action}");
        let answer = client.exchange("POST", &target, &own, "");
        let denied = json!({"code": 401, "reason": "Unauthorized", "message": "Access Denied"});
        assert_eq!((answer.status, answer.json()), (401, denied));
    }
}

#[test]
fn wrong_login_is_refused_like_openam() {
    let server = server();
    let mut client = connect(&server);
    for (name, password) in [
        ("user.7", "wrong"),
        ("user.7", ""),
        ("user.20", "password"),
        ("user.07", "password"),
        ("nobody", "password"),
        ("amadmin", "wrong"),
    ] {
        let answer = authenticate(&mut client, name, password);
        let refused =
            json!({"code": 401, "reason": "Unauthorized", "message": "Authentication Failed"});
        assert_eq!((answer.status, answer.json()), (401, refused), "{name} {password}");
    }
    let answer = client.get("/openam/json/authenticate");
    assert_eq!((answer.status, &answer.json()["code"]), (405, &json!(405)));
}

#[test]
fn callbacks_are_requested_and_accepted() {
    let server = server();
    let mut client = connect(&server);
    let target = "/openam/json/realms/root/authenticate";
    let mut form = client.exchange("POST", target, &[], "").json();
    assert_eq!(form["callbacks"][0]["output"][0]["value"], "User Name:");
    form["callbacks"][0]["input"][0]["value"] = "user.3".into();
    form["callbacks"][1]["input"][0]["value"] = "password".into();
    let answer = client.exchange("POST", target, &[], &form.to_string());
    assert_eq!(answer.status, 200);
    assert!(answer.json()["tokenId"].is_string());
    // A form can be used only once.
    assert_eq!(client.exchange("POST", target, &[], &form.to_string()).status, 401);
    form["authId"] = "made up".into();
    assert_eq!(client.exchange("POST", target, &[], &form.to_string()).status, 401);
}

#[test]
fn identities_require_an_administrator_or_oneself() {
    let server = server();
    let mut client = connect(&server);
    let (admin, user) = (token(&mut client, "amadmin"), token(&mut client, "user.5"));
    let (admin, user) = ([("iPlanetDirectoryPro", &*admin)], [("iPlanetDirectoryPro", &*user)]);
    let new = json!({"username": "new", "userpassword": "secret12", "mail": "n@x"}).to_string();
    let create = "/openam/json/users?_action=create";
    for (fields, status) in [(&[][..], 401), (&user[..], 403), (&admin[..], 201), (&admin[..], 409)]
    {
        assert_eq!(client.exchange("POST", create, fields, &new).status, status, "{fields:?}");
    }
    let shown = client.exchange("GET", "/openam/json/users/new", &admin, "").json();
    assert_eq!((&shown["username"], &shown["mail"]), (&json!("new"), &json!(["n@x"])));
    assert!(!shown.to_string().contains("secret12"));
    assert_eq!(authenticate(&mut client, "new", "secret12").status, 200);
    assert_eq!(authenticate(&mut client, "new", "password").status, 401);
    // OpenAM changes the named attributes, and keeps the others.
    let put = json!({"sn": "Changed"}).to_string();
    let changed = client.exchange("PUT", "/openam/json/users/user.5", &user, &put);
    assert_eq!(changed.json()["sn"], json!(["Changed"]));
    assert_eq!(changed.json()["givenName"], json!(["Given5"]));
    assert_eq!(client.exchange("PUT", "/openam/json/users/user.6", &user, &put).status, 403);
    assert_eq!(client.exchange("GET", "/openam/json/users/user.6", &user, "").status, 403);
    let all = client.exchange("GET", "/openam/json/users?_queryId=*", &admin, "").json();
    assert_eq!(
        (all["resultCount"].clone(), all["result"].as_array().unwrap().len()),
        (json!(21), 21)
    );
    let gone = client.exchange("DELETE", "/openam/json/users/new", &admin, "");
    assert_eq!((gone.status, gone.json()), (200, json!({"success": "true"})));
    assert_eq!(client.exchange("GET", "/openam/json/users/new", &admin, "").status, 404);
    assert_eq!(client.exchange("DELETE", "/openam/json/users/new", &admin, "").status, 404);
    let who = client.exchange("POST", "/openam/json/users?_action=idFromSession", &user, "");
    assert_eq!(who.json()["id"], "user.5");
}

#[test]
fn agent_admits_valid_tokens() {
    let server = server();
    let mut client = connect(&server);
    let token = token(&mut client, "user.2");
    let bearer = format!("Bearer {token}");
    let cookie = format!("a=b; iPlanetDirectoryPro=\"{token}\"");
    for field in
        [("Cookie", &*cookie), ("iPlanetDirectoryPro", &*token), ("Authorization", &*bearer)]
    {
        let answer = client.exchange("GET", "/agent/protected/page", &[field], "");
        assert_eq!(answer.status, 200, "{field:?}");
        assert_eq!(answer.json(), json!({"user": "user.2", "resource": "/agent/protected/page"}));
    }
    let other = format!("{token}x");
    for fields in [&[][..], &[("Cookie", &*other)], &[("iPlanetDirectoryPro", &*other)]] {
        assert_eq!(client.exchange("GET", "/agent/protected", fields, "").status, 403);
    }
}
