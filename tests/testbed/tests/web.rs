//! The web and identity servers of the testbed work as documented, queried by curl.

use brunt_testbed::{Keycloak, Listener, Nginx, OpenDj, PASSWORD, Seen, Served, require};
use std::process::Command;

/// What curl printed; it is expected to succeed.
fn curl(arguments: &[&str]) -> String {
    let mut curl = Command::new("curl");
    let output = curl.args(["-sS", "--max-time", "20"]).args(arguments).output();
    let output = output.expect("curl is installed");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{curl:?}: {}\n{message}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn nginx() -> Option<Nginx> {
    require(&["nginx", "openssl", "curl"]).then(Nginx::start)
}

#[test]
fn nginx_listeners_identify_themselves() {
    let Some(nginx) = nginx() else { return };
    assert_eq!(nginx.served(), []);
    let (ca, pem, key) =
        (nginx.pki().ca(), nginx.pki().pem("client"), nginx.pki().private_key("client"));
    let path = |path: &std::path::Path| path.to_str().expect("paths of tests are text").to_owned();
    let (ca, pem, key, socket) = (path(&ca), path(&pem), path(&key), path(&nginx.socket()));
    let small = |listener| nginx.url(listener, "/small.txt");
    for listener in [Listener::Clear, Listener::Short, Listener::Impatient] {
        assert_eq!(curl(&[&small(listener)]), Nginx::SMALL);
    }
    assert_eq!(curl(&["--cacert", &ca, &small(Listener::Tls)]), Nginx::SMALL);
    assert_eq!(curl(&["--http1.1", "--cacert", &ca, &small(Listener::Tls)]), Nginx::SMALL);
    let mutual = ["--cacert", &ca, "--cert", &pem, "--key", &key, &small(Listener::Mutual)];
    assert_eq!(curl(&mutual), Nginx::SMALL);
    curl(&["--cacert", &ca, &small(Listener::Mutual)]);
    assert_eq!(curl(&["--unix-socket", &socket, &small(Listener::Unix)]), Nginx::SMALL);
    assert_eq!(curl(&["--http2-prior-knowledge", &small(Listener::Prior)]), Nginx::SMALL);
    assert_eq!(curl(&["--cacert", &ca, &small(Listener::Narrow)]), Nginx::SMALL);
    let proxy = format!("http://127.0.0.1:{}", nginx.port(Listener::Proxy));
    assert_eq!(curl(&["--proxy", &proxy, &small(Listener::Clear)]), Nginx::SMALL);
    let served = nginx.served();
    let seen: Vec<_> = served
        .iter()
        .map(|one| (one.listener.as_str(), one.protocol.as_str(), one.status, one.client.as_str()))
        .collect();
    let user = "CN=user.5,O=testbed";
    let (one, two) = ("HTTP/1.1", "HTTP/2.0");
    let expected = [
        ("clear", one, 200, ""),
        ("short", one, 200, ""),
        ("impatient", one, 200, ""),
        ("tls", two, 200, ""),
        ("tls", one, 200, ""),
        ("mutual", two, 200, user),
        ("mutual", two, 400, ""),
        ("unix", one, 200, ""),
        ("prior", two, 200, ""),
        ("narrow", two, 200, ""),
        // What the proxy asked of the listener, and what it was asked.
        ("clear", "HTTP/1.0", 200, ""),
        ("proxy", one, 200, ""),
    ];
    assert_eq!(seen, expected);
    assert!(served[3].tls == "TLSv1.3" && !served[3].resumed, "{:?}", served[3]);
}

#[test]
fn nginx_paths_behave_as_named() {
    let Some(nginx) = nginx() else { return };
    let url = |path: &str| nginx.url(Listener::Clear, path);
    let message = |path: &str| curl(&["-i", &url(path)]).to_lowercase();
    for status in Nginx::STATUSES {
        let answer = message(&format!("/status/{status}"));
        assert!(answer.starts_with(&format!("http/1.1 {status} ")), "{answer}");
    }
    assert!(message("/chunked.txt").contains("transfer-encoding: chunked"));
    assert!(message("/close").contains("connection: close"));
    assert!(message("/cookie").contains("set-cookie: session="));
    assert!(message("/private").starts_with("http/1.1 401 "));
    assert_eq!(curl(&["-u", &format!("user.5:{PASSWORD}"), &url("/private")]), Nginx::SMALL);
    assert_eq!(curl(&["--compressed", &url("/text.txt")]).len(), Nginx::TEXT);
    assert_eq!(curl(&["-L", &url("/redirect/3")]), Nginx::SMALL);
    assert_eq!(curl(&["-L", &url("/redirect/elsewhere")]), Nginx::SMALL);
    let took = curl(&["-o", "/dev/null", "-w", "%{time_total}", &url("/slow.txt")]);
    let took: f64 = took.parse().expect("curl says seconds");
    assert!(took >= Nginx::SLOW.as_secs_f64() && took < 5.0, "{took}");
    curl(&["-X", "PUT", "-L", "-d", "kept by a redirect", &url("/redirect/kept")]);
    assert_eq!(nginx.kept("redirected").as_deref(), Some(&b"kept by a redirect"[..]));
    let large = curl(&["-o", "/dev/null", "-w", "%{size_download}", &url("/large.bin")]);
    assert_eq!(large, Nginx::LARGE.to_string());
    let dropped = Command::new("curl").args(["-s", &url("/dropped")]).status().unwrap();
    assert_eq!(dropped.code(), Some(52), "an empty reply");
    let served = nginx.served();
    assert_eq!(Served::statuses(&served)[&444], 1);
    let text = served.iter().find(|one| one.path == "/text.txt").expect("it was asked for");
    assert!(text.encoding == "gzip" && text.body < Nginx::TEXT as u64 / 10, "{text:?}");
}

#[test]
fn nginx_short_connection_carries_five_requests() {
    let Some(nginx) = nginx() else { return };
    let url = nginx.url(Listener::Short, "/small.txt?[1-12]");
    assert_eq!(curl(&[&url]), Nginx::SMALL.repeat(12));
    let served = nginx.served();
    let connections: Vec<u64> = Served::connections(&served).into_values().collect();
    assert_eq!(connections, [5, 5, 2]);
    assert_eq!(served[4].place, 5);
}

#[test]
fn keycloak_grants_introspects_and_revokes() {
    if !require(&["keycloak", "java", "curl"]) {
        return;
    }
    let server = Keycloak::shared();
    let url = |path: &str| format!("{}{}", server.url(), server.path(path));
    let token = url("/protocol/openid-connect/token");
    let app = format!("{}:{}", Keycloak::CLIENT, Keycloak::SECRET);
    let field = |json: &str, name: &str| {
        let json: serde_json::Value = serde_json::from_str(json).expect("Keycloak speaks JSON");
        json[name].as_str().unwrap_or_else(|| panic!("no {name} in {json}")).to_owned()
    };
    let seen = server.saw(|| {
        let login = |password: &str| {
            let form =
                format!("grant_type=password&username=user.7&password={password}&scope=openid");
            curl(&["-u", &app, "-d", &form, &token])
        };
        let granted = login(PASSWORD);
        assert_eq!(field(&login("wrong"), "error"), "invalid_grant");
        let bearer = format!("Authorization: Bearer {}", field(&granted, "access_token"));
        let user = curl(&["-H", &bearer, &url("/protocol/openid-connect/userinfo")]);
        assert_eq!(field(&user, "sub"), Keycloak::user_id(7));
        let introspected = format!("token={}", field(&granted, "access_token"));
        let introspect = url("/protocol/openid-connect/token/introspect");
        assert!(curl(&["-u", &app, "-d", &introspected, &introspect]).contains("\"active\":true"));
        let manager = curl(&["-u", &app, "-d", "grant_type=client_credentials", &token]);
        let bearer = format!("Authorization: Bearer {}", field(&manager, "access_token"));
        let of_user = format!("{}/admin{}", server.url(), server.path("/users/"));
        let of_user = format!("{of_user}{}", Keycloak::user_id(7));
        let json = "Content-Type: application/json";
        curl(&["-X", "PUT", "-H", &bearer, "-H", json, "-d", r#"{"lastName": "Seven"}"#, &of_user]);
        assert_eq!(field(&curl(&["-H", &bearer, &of_user]), "lastName"), "Seven");
        let out = format!("refresh_token={}", field(&granted, "refresh_token"));
        curl(&["-u", &app, "-d", &out, &url("/protocol/openid-connect/logout")]);
        assert!(curl(&["-u", &app, "-d", &introspected, &introspect]).contains("\"active\":false"));
    });
    let requested = [
        ("POST", "/token", 200, 2),
        ("POST", "/token", 401, 1),
        ("GET", "/userinfo", 200, 1),
        ("POST", "/introspect", 200, 2),
        ("PUT", "7", 204, 1),
        ("GET", "7", 200, 1),
        ("POST", "/logout", 204, 1),
    ];
    for (method, end, status, count) in requested {
        assert_eq!(seen.requested(method, end, status), count, "{method} {end} {status}: {seen:?}");
    }
    assert_eq!(seen.requests.len(), 9, "{seen:?}");
    let events = [
        ("LOGIN", 1),
        ("LOGIN_ERROR", 1),
        ("USER_INFO_REQUEST", 1),
        ("INTROSPECT_TOKEN", 1),
        ("INTROSPECT_TOKEN_ERROR", 1),
        ("CLIENT_LOGIN", 1),
        ("UPDATE USER", 1),
        ("LOGOUT", 1),
    ];
    for (event, count) in events {
        assert_eq!(seen.happened(event), count, "{event}: {seen:?}");
    }
    assert_eq!(server.saw(|| {}), Seen::default());
}

#[test]
fn opendj_serves_users_over_rest() {
    if !require(&["opendj", "java", "openssl", "curl"]) {
        return;
    }
    let opendj = OpenDj::shared();
    let before = (opendj.rest_served().len(), opendj.operations());
    let admin = format!("admin:{PASSWORD}");
    let url = |rest: &str| format!("{}/users{rest}", opendj.rest_url());
    let json = "Content-Type: application/json";
    let ask = |arguments: &[&str]| curl(&[&["-u", &admin, "-H", json], arguments].concat());
    let last = ask(&[&url("/user.1999")]);
    assert!(last.contains("user.1999@example.com"), "{last}");
    let new = r#"{"_id": "new", "_schema": "frapi:opendj:rest2ldap:user:1.0", "displayName": ["New"],
                  "name": {"familyName": "N"}}"#;
    assert!(ask(&["-d", new, &url("?_action=create")]).contains("\"_id\":\"new\""));
    let patch = r#"[{"operation": "replace", "field": "/description", "value": "patched"}]"#;
    assert!(ask(&["-X", "PATCH", "-d", patch, &url("/new")]).contains("patched"));
    let found = ask(&[&url("?_queryFilter=_id+eq+%22new%22")]);
    assert!(found.contains("\"resultCount\":1"), "{found}");
    ask(&["-X", "DELETE", &url("/new")]);
    assert!(ask(&[&url("/new")]).contains("404"));
    assert!(curl(&[&url("/new")]).contains("401"));
    let served = opendj.rest_served();
    let served = &served[before.0..];
    let seen: Vec<_> =
        served.iter().map(|one| (one.method.as_str(), one.status, one.user.as_str())).collect();
    let expected = [
        ("GET", 200, "admin"),
        ("POST", 201, "admin"),
        ("PATCH", 200, "admin"),
        ("GET", 200, "admin"),
        ("DELETE", 200, "admin"),
        ("GET", 404, "admin"),
        ("GET", 401, ""),
    ];
    assert_eq!(seen, expected);
    assert_eq!(&opendj.rest_served()[before.0..], served);
    // The gateway asks the directory by no connection of its own.
    let seen = opendj.operations().since(&before.1);
    assert_eq!((seen.requests(), seen.connections), (0, 0), "{seen:?}");
}
