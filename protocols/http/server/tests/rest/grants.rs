//! Tokens of OAuth 2.0.

use serde_json::{Value, json};

use super::client::Client;
use super::{connect, server};

fn post(client: &mut Client, target: &str, form: &str) -> (u16, Value) {
    let fields = [("Content-Type", "application/x-www-form-urlencoded")];
    let answer = client.exchange("POST", target, &fields, form);
    (answer.status, answer.json())
}

const TOKEN: &str = "/oauth2/access_token";
const PASSWORD: &str =
    "grant_type=password&username=user.1&password=password&client_id=app&scope=openid+mail";

#[test]
fn password_grant_is_introspected_refreshed_and_revoked() {
    let server = server();
    let mut client = connect(&server);
    let (status, grant) = post(&mut client, TOKEN, PASSWORD);
    assert_eq!(status, 200, "{grant}");
    assert_eq!((&grant["token_type"], &grant["scope"]), (&json!("Bearer"), &json!("openid mail")));
    let text = |value: &Value, name: &str| value[name].as_str().unwrap().to_owned();
    let (access, refresh) = (text(&grant, "access_token"), text(&grant, "refresh_token"));
    let about = |client: &mut Client, token: &str| {
        let form = format!("token={token}&client_id=app&client_secret=password");
        post(client, "/openam/oauth2/realms/root/introspect", &form).1
    };
    let active = about(&mut client, &access);
    assert_eq!((&active["active"], &active["username"]), (&json!(true), &json!("user.1")));
    let seconds = active["exp"].as_u64().unwrap() - active["iat"].as_u64().unwrap();
    assert_eq!((active["client_id"].clone(), seconds), (json!("app"), 3600));
    let bearer = format!("Bearer {access}");
    let info = client.exchange("GET", "/oauth2/userinfo", &[("Authorization", &*bearer)], "");
    assert_eq!(info.json()["sub"], "user.1");
    assert_eq!(client.exchange("GET", "/agent/x", &[("Authorization", &*bearer)], "").status, 200);
    let renew = format!("grant_type=refresh_token&refresh_token={refresh}&client_id=app");
    let (status, renewed) = post(&mut client, TOKEN, &renew);
    assert_eq!((status, &renewed["scope"]), (200, &json!("openid mail")));
    // It is used up, and no other client could have used it.
    assert_eq!(post(&mut client, TOKEN, &renew).1["error"], "invalid_grant");
    let other = renew.replace(&refresh, &text(&renewed, "refresh_token")).replace("app", "other");
    assert_eq!(post(&mut client, TOKEN, &other).1["error"], "invalid_grant");
    let revoke = format!("token={access}&client_id=app");
    assert_eq!(post(&mut client, "/oauth2/token/revoke", &revoke).0, 200);
    assert_eq!(about(&mut client, &access), json!({"active": false}));
    let info = client.exchange("GET", "/oauth2/userinfo", &[("Authorization", &*bearer)], "");
    assert_eq!((info.status, &info.json()["error"]), (401, &json!("invalid_token")));
    assert!(info.field("www-authenticate").unwrap().starts_with("Bearer"));
}

#[test]
fn client_credentials_grant_requires_the_secret() {
    let server = server();
    let mut client = connect(&server);
    // robot:password
    let basic = [("Authorization", "Basic cm9ib3Q6cGFzc3dvcmQ=")];
    let answer = client.exchange("POST", TOKEN, &basic, "grant_type=client_credentials&scope=a");
    assert_eq!(answer.status, 200);
    assert!(answer.json()["refresh_token"].is_null() && answer.json()["access_token"].is_string());
    for (form, status, error) in [
        ("grant_type=client_credentials&client_id=robot", 401, "invalid_client"),
        ("grant_type=client_credentials&client_id=robot&client_secret=x", 401, "invalid_client"),
        ("grant_type=password&username=user.1&password=password", 401, "invalid_client"),
        ("grant_type=password&username=user.1&password=x&client_id=a", 400, "invalid_grant"),
        ("grant_type=magic&client_id=a", 400, "unsupported_grant_type"),
        ("client_id=a", 400, "invalid_request"),
        ("grant_type=refresh_token&refresh_token=x&client_id=a", 400, "invalid_grant"),
    ] {
        let (got, refusal) = post(&mut client, TOKEN, form);
        assert_eq!((got, &refusal["error"]), (status, &json!(error)), "{form}");
    }
    assert_eq!(client.get(TOKEN).status, 405);
}
