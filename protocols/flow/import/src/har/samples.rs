//! Whole recordings, made for these tests: a sign-in at an application behind an identity server, an application that
//! runs in the browser, and each way from an answer to a later request.

use super::*;
use crate::imported::{Extract, FormPart, Location, PartContent, Value};
use crate::notation;
use serde_json::{Value as Json, json};

/// An entry of a recording.
struct Recorded(Json);

fn call(method: &str, url: &str) -> Recorded {
    Recorded(json!({
        "startedDateTime": "2026-01-02T03:04:05.000Z", "time": 1,
        "request": { "method": method, "url": url, "headers": [] },
        "response": { "status": 200, "headers": [], "content": { "mimeType": "", "text": "" } }
    }))
}

impl Recorded {
    fn sends(mut self, name: &str, value: &str) -> Self {
        let headers = self.0["request"]["headers"].as_array_mut().unwrap();
        headers.push(json!({ "name": name, "value": value }));
        self
    }

    fn body(mut self, kind: &str, text: &str) -> Self {
        self.0["request"]["postData"] = json!({ "mimeType": kind, "text": text });
        self.sends("Content-Type", kind)
    }

    fn form(self, text: &str) -> Self {
        self.body("application/x-www-form-urlencoded", text)
    }

    fn gives(mut self, name: &str, value: &str) -> Self {
        let headers = self.0["response"]["headers"].as_array_mut().unwrap();
        headers.push(json!({ "name": name, "value": value }));
        self
    }

    fn answer(mut self, status: u16, kind: &str, text: &str) -> Self {
        self.0["response"]["status"] = status.into();
        self.0["response"]["content"] = json!({ "mimeType": kind, "text": text });
        self
    }

    fn page(self, text: &str) -> Self {
        self.answer(200, "text/html; charset=utf-8", text)
    }

    fn json(self, text: &str) -> Self {
        self.answer(200, "application/json", text)
    }

    fn leads(self, to: &str) -> Self {
        self.answer(302, "", "").gives("Location", to)
    }
}

fn recording(entries: Vec<Recorded>) -> String {
    let entries: Vec<Json> = entries.into_iter().map(|entry| entry.0).collect();
    json!({ "log": { "version": "1.2", "entries": entries } }).to_string()
}

fn import(entries: Vec<Recorded>) -> Imported {
    har(&recording(entries), &Filter::default(), Pauses::None, Secrets::Named).unwrap()
}

/// Every hole of a plan is a variable, an extraction or a column.
fn is_whole(imported: &Imported) {
    let mut known: Vec<String> = imported.variables.iter().map(|it| it.name.clone()).collect();
    let extracts = imported.steps.iter().flat_map(|step| &step.extracts);
    known.extend(extracts.map(|it| it.name.clone()));
    if let Some(feeder) = &imported.feeder {
        known.extend(feeder.columns.iter().map(|column| format!("{}.{column}", feeder.name)));
    }
    let value = |name: &str| known.iter().any(|it| it == name).then(String::new);
    for step in &imported.steps {
        let mut texts: Vec<&str> = step.headers.iter().map(|(_, value)| value.as_str()).collect();
        texts.push(&step.url);
        match &step.body {
            Body::Text(text) => texts.push(text),
            Body::Multipart(parts) => texts.extend(parts.iter().filter_map(text_of)),
            Body::Form(fields) => texts.extend(fields.iter().map(|(_, value)| value.as_str())),
            _ => {}
        }
        for text in texts {
            assert!(notation::filled(text, value).is_some(), "{text}: {known:?}");
        }
    }
}

fn text_of(part: &FormPart) -> Option<&str> {
    match &part.content {
        PartContent::Text(text) => Some(text),
        PartContent::Bytes(_) | PartContent::File(_) => None,
    }
}

const APP: &str = "http://127.0.0.1:28090";
const IDP: &str = "http://127.0.0.1:28080/realms/load";

/// A sign-in with PKCE by the application, and a form with a field against forgery.
fn sign_in(user: &str, drawn: &str) -> Vec<Recorded> {
    let (app, idp) = (APP, IDP);
    let authorize = format!("{idp}/protocol/openid-connect/auth?client_id=web&state=S{drawn}q9X2");
    let login =
        format!("{idp}/login-actions/authenticate?session_code=c{drawn}K3v9&tab_id=t{drawn}");
    let back = format!("{app}/cb?state=S{drawn}q9X2&code=d41d8cd9-{drawn}");
    let page = format!(
        "<title>Sign in</title><link href=/x.css><form id='kc-form-login' method='post' action='{}'>\
         <input name=username autofocus><input type=password name=password>\
         <input type=hidden name=credentialId><input type=submit name=login value='Sign In'></form>",
        login.replace('&', "&amp;")
    );
    let me = format!(
        "<form method=post action='/note'><input type=hidden name=csrf value='Zk4{drawn}Lw'><input name=text></form>\
         <a href='/logout'>out</a>"
    );
    vec![
        call("GET", &format!("{app}/")).sends("Accept", "text/html").page("<a href=/login>in</a>"),
        call("GET", &format!("{app}/site.css")).answer(200, "text/css", "p{}"),
        call("GET", "https://stats.example.com/hit?page=1").answer(204, "", ""),
        call("GET", &format!("{app}/login")).leads(&authorize),
        call("GET", &authorize).gives("Set-Cookie", "AUTH=x; Secure").page(&page),
        call("POST", &login)
            .sends("Cookie", "AUTH=x")
            .sends("Origin", "http://127.0.0.1:28080")
            .form(&format!("username={user}&password=secret-{user}&credentialId=&login=Sign+In"))
            .leads(&back),
        call("GET", &back).leads("/me"),
        call("GET", &format!("{app}/me")).page(&me),
        call("POST", &format!("{app}/note"))
            .form(&format!("csrf=Zk4{drawn}Lw&text=hello"))
            .leads("/me"),
        call("GET", &format!("{app}/me")).page(&me),
        call("GET", &format!("{app}/logout")).leads("/"),
        call("GET", &format!("{app}/")).page("bye"),
    ]
}

#[test]
fn sign_in_recording_becomes_forms_and_redirects() {
    let imported = import(sign_in("user.1", "8x7Kq92p"));
    is_whole(&imported);
    let message: Vec<_> =
        imported.steps.iter().map(|it| (&*it.name, it.lands.as_deref())).collect();
    assert_eq!(
        message,
        [
            ("GET /", Some("/")),
            ("GET /login", Some("/realms/load/protocol/openid-connect/auth")),
            ("submit kc-form-login", Some("/me")),
            ("submit note", Some("/me")),
            ("GET /logout", Some("/")),
        ]
    );
    let [_, _, login, note, _] = &imported.steps[..] else { panic!("{imported:?}") };
    let submit =
        |selector: &str| Some(PageAction::Submit { selector: selector.to_owned(), press: None });
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(login.act, submit("#kc-form-login"));
    let typed = vec![field("username", "${people.username}"), field("password", "${password}")];
    assert_eq!(login.body, Body::Form(typed));
    assert_eq!(
        (&note.act, &note.body),
        (&submit("form[action='/note']"), &Body::Form(vec![field("text", "hello")]))
    );
    assert!(imported.steps.iter().all(|step| step.extracts.is_empty() && step.statuses.is_empty()));
    let feeder = imported.feeder.unwrap();
    assert_eq!(
        (feeder.columns, feeder.rows),
        (vec!["username".to_owned()], vec![vec!["user.1".to_owned()]])
    );
    assert_eq!(imported.variables[0].value, Value::Environment("PASSWORD".to_owned()));
    assert!(imported.variables[0].comment.contains("field 'password' of form 'kc-form-login'"));
    assert_eq!((imported.client.redirects, imported.client.cookies), (20, true));
    let notes = imported.notes.join("\n");
    for message in ["1 static answers, 3 bytes", "stats.example.com (1)", "nothing of 40 bits"] {
        assert!(notes.contains(message), "{message}: {notes}");
    }
}

#[test]
fn second_recording_adds_a_feeder_row() {
    let (first, second) = (sign_in("user.1", "8x7Kq92p"), sign_in("user.2", "m3Vw81Zt"));
    let filter = Filter::default();
    let imported = har_beside(
        &recording(first),
        Some(&recording(second)),
        &filter,
        Pauses::None,
        Secrets::Kept,
    );
    let imported = imported.unwrap();
    is_whole(&imported);
    assert_eq!(imported.feeder.unwrap().rows, [["user.1"], ["user.2"]]);
    let broken =
        har_beside("{\"log\":{\"entries\":[]}}", Some("{}"), &filter, Pauses::None, Secrets::Kept);
    assert!(broken.unwrap_err().to_string().contains("second recording"));
}

#[test]
fn second_recording_distinguishes_constants_from_variables() {
    let visit = |fixed: &str, drawn: &str, colour: &str| {
        let answer = format!(r#"{{"app":"{fixed}","cart":"{drawn}"}}"#);
        recording(vec![
            call("GET", "http://h/start").json(&answer),
            call("GET", &format!("http://h/next?app={fixed}&cart={drawn}&colour={colour}"))
                .json("{}"),
        ])
    };
    let (first, second) =
        (visit("k92ms81jd73hs", "abc", "red"), visit("k92ms81jd73hs", "xyz", "blue"));
    let imported =
        har_beside(&first, Some(&second), &Filter::default(), Pauses::None, Secrets::Named)
            .unwrap();
    is_whole(&imported);
    let url = &imported.steps[1].url;
    assert_eq!(url, "http://h/next?app=k92ms81jd73hs&cart=${cart}&colour=${people.colour}");
    assert_eq!(imported.feeder.unwrap().rows, [["red"], ["blue"]]);
    let alone = har(&first, &Filter::default(), Pauses::None, Secrets::Named).unwrap();
    assert_eq!(alone.steps[1].url, "http://h/next?app=${app}&cart=abc&colour=red");
}

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const TOKEN: &str = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2lnbmF0dXJl";
const NEXT: &str = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ5In0.c2lnbmF0dXJm";

/// A visit of an application that signs in by itself, and keeps its token in the browser.
fn in_the_browser() -> Vec<Recorded> {
    let (token, next, verifier) = (TOKEN, NEXT, VERIFIER);
    let bearer = format!("Bearer {token}");
    let authorize = format!(
        "http://idp/auth?client_id=spa&state=q7Zx81LmPs02&code_challenge={CHALLENGE}&code_challenge_method=S256"
    );
    vec![
        call("GET", "http://app/").gives("Set-Cookie", "XSRF-TOKEN=pT5%2Bk8sWq; Path=/").page(
            "<meta name=csrf-token content='m8Kd03jQzT'><div data-tenant='t7Wq9ZxY31'></div>\
             <script>window.start = {\"build\": 'b83hdk29dkq8s7'}</script>",
        ),
        call("GET", &authorize).page("<form id=f method=post><input name=user><input type=password name=pass></form>"),
        call("POST", &authorize).form("user=ann&pass=pw").leads("http://app/cb?code=k3LmQ9-72xZ&state=q7Zx81LmPs02"),
        call("GET", "http://app/cb?code=k3LmQ9-72xZ&state=q7Zx81LmPs02").page("<script src=/app.js></script>"),
        call("POST", "http://idp/token")
            .form(&format!("grant_type=authorization_code&code=k3LmQ9-72xZ&code_verifier={verifier}"))
            .json(&format!(r#"{{"access_token":"{token}","refresh_token":"r0HsK27dLq","expires_in":300}}"#)),
        call("POST", "http://app/api/orders")
            .sends("Authorization", &bearer)
            .sends("X-XSRF-TOKEN", "pT5+k8sWq")
            .sends("X-CSRF", "m8Kd03jQzT")
            .body(
                "application/json",
                r#"{"tenant":"t7Wq9ZxY31","build":"b83hdk29dkq8s7","key":"a81bc81b-dead-4e5d-abff-90865d1e13b1"}"#,
            )
            .answer(201, "application/json", r#"{"id":17,"lines":[{"lineId":"L-20931"}]}"#)
            .gives("ETag", "\"7Jd82kQp01XcVb3Zm\"")
            .gives("Location", "/api/orders/17"),
        call("PATCH", "http://app/api/orders/17/lines/L-20931")
            .sends("Authorization", &bearer)
            .sends("If-Match", "\"7Jd82kQp01XcVb3Zm\"")
            .body("application/json", r#"{"orderId":17,"line":{"id":"L-20931"}}"#)
            .json("{}"),
        call("POST", "http://idp/token")
            .form("grant_type=refresh_token&refresh_token=r0HsK27dLq")
            .json(&format!(r#"{{"access_token":"{next}"}}"#)),
        call("GET", "http://app/api/me").sends("Authorization", &format!("Bearer {next}")).json("{}"),
    ]
}

#[test]
fn single_page_application_keeps_no_recorded_value() {
    let imported = import(in_the_browser());
    is_whole(&imported);
    let text = format!("{:?}", imported.steps);
    for recorded in [
        "pT5", "m8Kd", "t7Wq", "b83h", "k3Lm", TOKEN, NEXT, "r0Hs", "7Jd8", "/17", "L-20931",
        "a81bc81b", "q7Zx", VERIFIER, CHALLENGE, "ann", "pw",
    ] {
        assert!(
            !text.contains(&format!("{recorded}\"")) && !text.contains(&format!("={recorded}&")),
            "{recorded}: {text}"
        );
    }
    let steps = &imported.steps;
    assert_eq!(
        steps[1].url,
        "http://idp/auth?client_id=spa&state=${state}&code_challenge=${verifier|sha256|base64url}\
                              &code_challenge_method=S256"
    );
    assert_eq!(steps[2].lands.as_deref(), Some("/cb"));
    let code = Extract { name: "code".to_owned(), from: Location::Url(Some("code".to_owned())) };
    assert_eq!(steps[2].extracts, [code]);
    let headers: Vec<_> = steps[4].headers.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(
        headers,
        ["Bearer ${access_token}", "${XSRF_TOKEN|url-decode}", "${csrf_token}", "application/json"]
    );
    assert_eq!(
        steps[4].body,
        Body::Text(r#"{"tenant":"${tenant}","build":"${build}","key":"${key}"}"#.to_owned())
    );
    assert_eq!(steps[5].url, "http://app/api/orders/${id}/lines/${lineId}");
    assert_eq!(
        steps[5].body,
        Body::Text(r#"{"orderId":${id},"line":{"id":"${lineId}"}}"#.to_owned())
    );
    assert_eq!(steps[7].headers[0].1, "Bearer ${access_token_2}");
    assert!(imported.notes.join("\n").contains("nothing of 40 bits"), "{:?}", imported.notes);
}
