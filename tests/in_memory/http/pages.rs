//! Logins through pages: forms that are sent, links that are followed, and what is said when a page has neither.

use super::site::{Requested, Site, json};
use crate::planned::{InMemory as _, Plan};
use brunt_test_program::Ended;

/// A site with a login: a page with a form and a hidden token, which only a cookie makes valid.
pub(super) fn pages() -> Site {
    Site::answering(|requested, _| answer(requested))
}

/// A plan with these steps, and these lines about HTTP.
pub(super) fn plan_of(site: &Site, http: &str, steps: &str) -> String {
    let load = "users = 2\niterations = { each = 3 }";
    site.plan(load, &format!("cookies = true\n{http}"), steps)
}

fn visit(site: &Site, http: &str, steps: &str) -> Ended {
    Plan::from_text(&plan_of(site, http, steps)).run(&[])
}

fn once(site: &Site, http: &str, steps: &str) -> Ended {
    Plan::from_text(&plan_of(site, http, steps)).run(&["--once"])
}

fn answer(requested: &Requested) -> String {
    let page = |extra: &str, text: &str| {
        let length = text.len();
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\n{extra}\r\n{text}"
        )
    };
    let moved =
        |to: &str| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
    let form = |output: &str| {
        format!(
            "<html><body>{output}<form id=login action='/login?session=a&amp;tab=b' method=post>\
             <input name=user autofocus><input name=password type=password>\
             <input type=hidden name=csrf value='t&quot;1'><button name=go value=in>In</button></form>\
             <a class=help href='help?x=1&amp;y=2'>?</a><a href='http://127.0.0.1:9/away'>away</a></body></html>"
        )
    };
    match requested.line.as_str() {
        line if line.starts_with("GET /auth") => {
            page("Set-Cookie: session=s1; Path=/; Secure; HttpOnly\r\n", &form(""))
        }
        "POST /login?session=a&tab=b" => {
            let known = requested.field("cookie") == Some("session=s1");
            match requested.body.as_str() {
                "user=jo&password=s+1&csrf=t%221&go=in" if known => moved("/cb?code=c%2F1&state=x"),
                _ => page("", &form("<p class='msg-error'>Wrong name or password.</p>")),
            }
        }
        line if line.starts_with("GET /cb") => page("", "<p id=who>  Jo <b>Do</b>\n</p><p>bye</p>"),
        "GET /json" => json(200, "", "{\"ids\":[1,2,3]}"),
        "GET /script" => page("", "<script src=a.js></script><div id=root></div>"),
        "GET /none" => "HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\n\r\nnothing".to_owned(),
        "GET /away" => moved("http://127.0.0.1:9/away"),
        _ => page("", "<p>other</p>"),
    }
}

const LOGIN: &str = r##"
[[scenario.steps]]
name = "page"
get = "/auth"
lands = "/auth"
[[scenario.steps]]
name = "password"
submit = "#login"
form = { user = "jo", password = "s 1" }
"##;

#[test]
fn form_login_lands_on_the_callback() {
    let site = pages();
    let steps = format!(
        "{LOGIN}lands = \"/cb\"\nchecks = [{{ html = \"#who\", equals = \"Jo Do\" }}, \
         {{ html = \"p\", count = \"2\" }}]\nextract = {{ code = {{ url = true, parameter = \"code\" }} }}\n\
         [[scenario.steps]]\nname = \"token\"\npost = \"/token\"\nform = {{ code = \"${{code}}\" }}\n"
    );
    let run = visit(&site, "redirects = 5", &steps).went_well();
    assert!(run.stderr.contains("this run submits forms, sends POST requests: "), "{run}");
    assert_eq!(run.count_of("password", "ok"), 6, "{run}");
    let sent = site.requested("POST /login");
    assert_eq!(sent.len(), 6, "{run}");
    for one in sent {
        assert_eq!(one.body, "user=jo&password=s+1&csrf=t%221&go=in");
        assert_eq!(one.field("content-type"), Some("application/x-www-form-urlencoded"));
        assert_eq!(one.field("origin"), Some(site.url.as_str()));
        assert_eq!(one.field("referer"), Some(format!("{}/auth", site.url).as_str()));
    }
    let tokens = site.requested("POST /token");
    assert!(tokens.len() == 6 && tokens.iter().all(|one| one.body == "code=c%2F1"), "{tokens:?}");
}

#[test]
fn unfollowed_redirect_supplies_its_parameter() {
    let site = pages();
    let steps = format!(
        "{LOGIN}status = 302\nextract = {{ code = {{ header = \"Location\", parameter = \"code\" }} }}\n\
         [[scenario.steps]]\nget = \"/token/${{code|sha256|hex}}\"\n"
    );
    let run = visit(&site, "", &steps).went_well();
    // The digest of "c/1".
    let token = "GET /token/f2a9dfa69a24871de5a0fb2aac2c9e1d5cfa6baa91d3b008716c245f68ba2a82";
    let seen = site.requested("GET /token/");
    assert_eq!(seen.len(), 6, "{run}");
    assert_eq!(seen[0].line, token, "{run}");
}

#[test]
fn wrong_password_lands_elsewhere_and_quotes_the_page() {
    let site = pages();
    let steps = LOGIN.replace("s 1", "wrong") + "lands = \"/cb\"\n";
    let run = once(&site, "redirects = 5", &steps);
    let output = run.text();
    assert!(
        output.contains(
            "should land on /cb, landed on /login (200); the page says \"Wrong name or password.\""
        ),
        "{output}"
    );
    assert!(
        output.contains(
            "form  'login' with user, password, csrf; set user, password; from the page csrf, go"
        ),
        "{output}"
    );
    assert!(
        output.contains("user=jo&password=***&csrf=***&go=***") && output.contains("/login?***\n"),
        "{output}"
    );
    let run = visit(&site, "redirects = 5", &steps);
    assert_eq!((run.count_of("page", "ok"), run.count_of("password", "failed")), (6, 6), "{run}");
}

#[test]
fn missing_form_link_or_field_is_reported() {
    let site = pages();
    let output = |before: &str, step: &str| {
        let steps = format!(
            "[[scenario.steps]]\nname = \"before\"\nget = \"{before}\"\n[[scenario.steps]]\n{step}\n"
        );
        let run = once(&site, "", &steps);
        run.text()
    };
    let otp = output("/auth", "submit = true\nform = { otp = 1 }");
    assert!(otp.contains("submit: no form with the field 'otp' on"), "{otp}");
    assert!(otp.contains("it has 'login' with user, password, csrf"), "{otp}");
    let json = output("/json", "submit = true");
    assert!(json.contains("submit: the last page is application/json, of step 'before'"), "{json}");
    let script = output("/script", "submit = true");
    assert!(script.contains("no form and a script: see Pages drawn by scripts"), "{script}");
    let button = output("/auth", "submit = true\npress = \"cancel\"");
    assert!(button.contains("there is no button 'cancel'"), "{button}");
    let link = output("/auth", "follow = \"a.none\"");
    assert!(link.contains("follow: no such link on"), "{link}");
    let none = output("/json", "get = \"/none\"\nlands = \"/json\"");
    assert!(none.contains("should land on /json, landed on /none (404)"), "{none}");
    assert!(none.contains("FAILED  visit / get /none: 404 Not Found: nothing"), "{none}");
    let away = output("/auth", "follow = \"a[href*=away]\"");
    assert!(
        away.contains("the page leads to http://127.0.0.1:9, and the plan names no such"),
        "{away}"
    );
    assert_eq!(site.requested("POST").len(), 0);
}

#[test]
fn follow_requests_the_link_of_the_page() {
    let site = pages();
    let steps = "[[scenario.steps]]\nget = \"/auth/x\"\n[[scenario.steps]]\nname = \"help\"\nfollow = \".help\"\n";
    let run = visit(&site, "", steps).went_well();
    assert_eq!(run.count_of("help", "ok"), 6, "{run}");
    let help = site.requested("GET /auth/help?x=1&y=2");
    assert_eq!(help.len(), 6, "{run}");
    assert_eq!(help[0].field("referer"), Some(format!("{}/auth/x", site.url).as_str()));
}

#[test]
fn origins_restrict_redirects_when_named() {
    let site = pages();
    let steps = "[[scenario.steps]]\nname = \"away\"\nget = \"/away\"\n";
    let run = once(&site, "redirects = 1\norigins = [\"http://127.0.0.1:1\"]", steps);
    let output = run.text();
    assert!(output.contains("go to http://127.0.0.1:9: the plan names no such origin"), "{output}");
}

#[test]
fn pick_chooses_one_of_several_matches() {
    let site = pages();
    let pick = |pick: &str| {
        format!(
            "[[scenario.steps]]\nget = \"/json\"\nextract = {{ id = {{ json = \"$.ids[*]\", pick = {pick} }} }}\n\
             [[scenario.steps]]\nget = \"/id/${{id}}\"\n"
        )
    };
    visit(&site, "", &pick("\"last\"")).went_well();
    assert_eq!(site.requested("GET /id/3").len(), 6);
    visit(&site, "", &pick("2")).went_well();
    assert_eq!(site.requested("GET /id/2").len(), 6);
    let ids = |site: &Site| -> Vec<String> {
        site.requested("GET /id/").into_iter().map(|one| one.line).collect()
    };
    let [first, second] = [(), ()].map(|()| {
        let site = pages();
        visit(&site, "", &pick("\"random\"")).went_well();
        let mut ids = ids(&site);
        ids.sort();
        ids
    });
    assert_eq!((first.len(), &first), (6, &second), "the seed decides");
}
