//! Every form of the site with a value that is not accepted: what was typed comes back, with the reason and the menu.

use super::*;
use crate::store::{Hook, Members, Schedule};

/// What is never sent back.
const SECRET: &[&str] = &["password", "current", "value", "secret"];

/// A form with a wrong value.
struct Case {
    /// The path of the route, and the path it is sent to.
    route: &'static str,
    path: String,
    fields: Vec<(&'static str, String)>,
    /// The id of the field that is wrong; empty if the reason belongs to the whole form.
    at: &'static str,
    /// What of the fields need not come back: what was chosen from a list or is hidden. Passwords never do.
    silent: &'static [&'static str],
}

fn case(route: &'static str, at: &'static str, fields: &[(&'static str, &str)]) -> Case {
    let fields = fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let path = route.replace("{test}", "p1").replace("{project}", "1");
    let path = path.replace("/plans/{id}", "/plans/1").replace("/schedules/{id}", "/schedules/1");
    Case { route, path, fields, at, silent: &[] }
}

impl Case {
    fn silent(self, silent: &'static [&'static str]) -> Self {
        Self { silent, ..self }
    }

    fn body(&self) -> String {
        form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.fields).finish()
    }
}

/// The forms that change what is typed into them.
fn forms(run: &str) -> Vec<Case> {
    let long = "x".repeat(201);
    let run_fields =
        [("target", "9"), ("duration", "7s"), ("tags", "typed tag"), ("commit", "c0ffee")];
    let text = ("text", "# typed & not <saved>");
    let about =
        case("/runs/{id}/about", "name", &[("name", &long), ("tags", "a, b"), ("note", "a\nnote")]);
    let mark = case("/live/{id}/mark", "label", &[("label", &long), ("ago", "7")]);
    vec![
        case("/sign-in", "password", &[("name", "typed-name"), ("password", "wrong")]),
        case("/welcome", "link", &[("link", "typed-link"), ("password", "x")]),
        case("/runs", "", &[("tags", "typed-tag"), ("act", "tag")]).silent(&["act"]),
        Case { path: format!("/runs/{run}/about"), ..about },
        case("/shares", "days", &[("run", run), ("days", "4000")]),
        case(
            "/targets",
            "allow",
            &[
                ("name", "typed target"),
                ("allow", "nowhere"),
                ("settings", "A=\"b\""),
                ("users", "7"),
                ("seconds", "8"),
                ("days", "9"),
                ("reason", "it is mine"),
            ],
        ),
        case("/secrets", "name", &[("target", "1"), ("name", "1st"), ("value", "s3cret-typed")]),
        case("/plans", "name", &[("name", &long), ("template", "2")]),
        case("/plans/import", "text", &[text, ("kind", "curl"), ("job", "typed-job")]),
        case("/plans/{id}", "", &[text, ("after", "7")]).silent(&["after"]),
        case("/plans/{id}/draft", "", &[text, ("do", "scenario")]).silent(&["do"]),
        case("/plans/{id}/run", "target", &[&[text], &run_fields[..]].concat()).silent(&["target"]),
        case("/plans/{id}/once", "target", &[&[text], &run_fields[..]].concat())
            .silent(&["target"]),
        case(
            "/plans/{id}/find",
            "find-from",
            &[("objectives", "p99<9ms"), ("from", &long), ("to", "typed-to")],
        ),
        case("/plans/{id}/thresholds", "", &[&[text, ("agents", "2")], &run_fields[1..]].concat())
            .silent(&["agents"]),
        case(
            "/hooks",
            "url",
            &[("name", "typed hook"), ("url", "ftp://typed"), ("format", "slack")],
        )
        .silent(&["format"]),
        case("/account/password", "current", &[("current", "wrong"), ("password", "short")]),
        case(
            "/account/tokens",
            "days",
            &[("name", "typed token"), ("scope", "run"), ("days", "3")],
        )
        .silent(&["days"]),
        case("/account/times", "", &[("zone", "the moon")]).silent(&["zone"]),
        case("/people", "name", &[("name", "two words"), ("role", "runner")]),
        Case { path: format!("/live/{GOING}/mark"), ..mark },
        case("/site/retention", "runs", &[("days", "30"), ("runs", "0")]),
        provider(),
        case("/people/change", "of-1-role", &[("id", "1"), ("role", "viewer")]),
    ]
}

/// The forms of schedules and of what is shown beside their runs.
fn schedules() -> Vec<Case> {
    vec![
        case("/annotations", "at", &[("label", "deploy 42"), ("at", "soon")]),
        case(
            "/schedules",
            "zone",
            &[
                ("plan", "1"),
                ("target", "1"),
                ("times", "1 2 3 4 5"),
                ("zone", "Nowhere"),
                ("quiet", "08:00-09:00"),
            ],
        ),
        case(
            "/tests/{test}/schedule",
            "times",
            &[("target", "1"), ("times", "every day at 2"), ("zone", "UTC"), ("duration", "9s")],
        ),
        case(
            "/schedules/{id}",
            "at",
            &[
                ("target", "1"),
                ("when", "week"),
                ("at", "26:00"),
                ("day", "3"),
                ("quiet", "08:00-09:00"),
            ],
        )
        .silent(&["day"]),
    ]
}

fn provider() -> Case {
    case(
        "/provider",
        "groups",
        &[
            ("name", "typed name"),
            ("issuer", "https://typed.example/realm"),
            ("client", "typed-client"),
            ("secret", "s3cret-typed"),
            ("scopes", "openid typed"),
            ("claim", "typed.claim"),
            ("groups", "a = admin\nb = king"),
            ("others", "viewer"),
            ("minutes", "7"),
        ],
    )
    .silent(&["others"])
}

/// The forms about projects.
fn projects() -> Vec<Case> {
    vec![
        case("/tests/{test}/project", "move-project", &[("project", "9")]).silent(&["project"]),
        case(
            "/projects",
            "users",
            &[("name", "typed name"), ("users", "typed-user"), ("groups", "typed-group")],
        ),
        case(
            "/projects/{project}",
            "groups",
            &[("name", "typed name"), ("users", "ada"), ("groups", "g\u{7}")],
        ),
        case("/projects/{project}/remove", "to", &[("to", "9")]).silent(&["to"]),
    ]
}

/// The forms of one button each.
const BUTTONS: &[&str] = &[
    "/shares/end",
    "/targets/end",
    "/secrets/end",
    "/schedules/run",
    "/schedules/pause",
    "/schedules/remove",
    "/hooks/end",
    "/hooks/test",
    "/annotations/end",
    "/steps/remove",
    "/live/{id}/stop",
    "/live/{id}/first",
    "/account/tokens/end",
    "/account/sessions/end",
    "/people/unlock",
    "/people/link",
    "/people/sessions/end",
    "/provider/end",
];

fn furnished() -> (Server, Client, String) {
    let server = Server::start();
    let run = server.run("a run");
    let ada = server.session(server.user("ada", Role::Admin));
    let fields = "name=t&allow=127.0.0.1:80&settings=&users=1&seconds=9&days=1";
    assert_eq!(server.send(&ada, "/targets", fields).status, 303);
    server.going();
    let store = &server.app.store;
    let plan = store.add_plan("nightly", "", ("ada", NOW)).unwrap().unwrap();
    let project = store.add_project("house", &Members::default()).unwrap();
    store.move_test("p1", project).unwrap();
    store.keep_step("a step", ("", ""), ("ada", NOW)).unwrap();
    store.add_schedule(&Schedule { plan, ..Schedule::default() }).unwrap();
    let (name, url) = ("ci".to_owned(), "https://ci.example.com/".to_owned());
    store
        .add_hook(&Hook { name, url, by: "ada".to_owned(), at: NOW, ..Hook::default() }, b"x")
        .unwrap();
    (server, ada, run)
}

#[test]
fn form_errors_keep_the_input() {
    let (server, ada, run) = furnished();
    for case in forms(&run).into_iter().chain(schedules()).chain(projects()) {
        let is_outside = ["/sign-in", "/welcome"].contains(&case.route);
        let client = if is_outside { &Client::Nobody } else { &ada };
        let reply = server.send(client, &case.path, &case.body());
        let (route, page) = (case.route, &reply.body);
        assert!((400..500).contains(&reply.status), "{route}: {}\n{page}", reply.head);
        assert_eq!(page.contains("<nav class=\"places\""), !is_outside, "{route}: {page}");
        for (name, typed) in &case.fields {
            let typed = maud::html! { (typed) }.into_string();
            let as_value = format!("value=\"{typed}\"");
            let is_back =
                page.contains(&as_value) || page.contains(&format!("\n{typed}</textarea>"));
            let is_secret = SECRET.contains(name);
            assert!(is_back || is_secret || case.silent.contains(name), "{route}: {name}\n{page}");
            assert!(!is_back || !is_secret, "{route}: {name}\n{page}");
        }
        let fault = format!("{}-fault\"", case.at);
        if case.at.is_empty() {
            assert!(
                page.contains("role=\"alert\"") && !page.contains("-fault\""),
                "{route}: {page}"
            );
        } else {
            let field = format!("aria-invalid=\"true\" aria-describedby=\"{fault}");
            assert_eq!(page.matches(&field).count(), 1, "{route}: {page}");
            assert_eq!(
                page.matches(&format!("<p class=\"missed\" id=\"{fault}")).count(),
                1,
                "{route}: {page}"
            );
            assert!(!page.contains("role=\"alert\""), "{route}: it is said twice: {page}");
        }
        // It is not saved, so leaving the page asks.
        assert!(page.contains(" data-unsaved>"), "{route}: {page}");
    }
}

#[test]
fn button_for_a_removed_item_leads_back_to_its_page() {
    let (server, ada, _) = furnished();
    for route in BUTTONS {
        let path = route.replace("{id}", "ffffffffffffffffffffffff");
        let reply = server.send(&ada, &path, "id=99&target=x&from=nowhere");
        assert_eq!(reply.status, 404, "{route}: {}", reply.body);
        assert!(reply.body.contains("<nav class=\"places\""), "{route}: {}", reply.body);
        assert!(reply.body.contains("There is no such"), "{route}: {}", reply.body);
    }
}

#[test]
fn forms_are_all_tested() {
    let known: Vec<Case> = forms("").into_iter().chain(schedules()).chain(projects()).collect();
    // What cannot fail needs no page, and others are for programs.
    let others = ["/sign-out", "/sign-in/logout", "/account/sessions/end-others", "/steps"];
    for route in own::all().filter(|route| route.takes.is_form() && !route.is_for_programs()) {
        let path = route.path;
        let is_tried = known.iter().any(|case| case.route == path) || BUTTONS.contains(&path);
        assert_eq!(is_tried, route.page.is_some(), "{path}");
        assert_ne!(is_tried, others.contains(&path), "{path}");
    }
}

#[test]
fn form_of_an_expired_session_can_be_sent_again() {
    let (server, ada, _) = furnished();
    let Client::Session(secret) = &ada else { unreachable!() };
    let own = "Sec-Fetch-Site: same-origin\r\n";
    let reply =
        server.request(&ada, "POST", "/hooks", own, "form=old&name=typed&url=https://a.example/");
    assert_eq!(reply.status, 403);
    assert!(
        reply.body.contains("value=\"typed\"") && reply.body.contains("Try again"),
        "{}",
        reply.body
    );
    assert!(reply.body.contains(&secret.form_token()), "{}", reply.body);
    // What another site sends is not shown as if its user had typed it.
    let reply = server.request(
        &ada,
        "POST",
        "/hooks",
        "Sec-Fetch-Site: cross-site\r\n",
        "form=old&name=typed",
    );
    assert!(reply.status == 403 && !reply.body.contains("typed"), "{}", reply.body);
}

#[test]
fn plan_save_and_run_keeps_the_plan_if_the_run_is_refused() {
    let (server, ada, _) = furnished();
    let shown = server.see(&ada, "/plans/1").body;
    let button = "<button class=\"main\" name=\"save\" value=\"1\" formaction=\"/plans/1/run\">Save and run</button>";
    assert!(shown.contains(button), "{shown}");
    let text = || server.app.store.plan(1).unwrap().unwrap();
    // No process reads plans here, so none can be run.
    let reply =
        server.send(&ada, "/plans/1/run", "after=1&text=%23+new&target=1&save=1&duration=5s");
    assert_eq!((reply.status, text().revision, text().text.as_str()), (422, 2, "# new"));
    assert!(reply.body.contains("The plan is saved. Failed to start a process"), "{}", reply.body);
    assert!(
        reply.body.contains("name=\"after\" value=\"2\"") && reply.body.contains("value=\"5s\""),
        "{}",
        reply.body
    );
    // What somebody else saved is not replaced, and not run.
    let reply = server.send(&ada, "/plans/1/run", "after=1&text=%23+other&target=1&save=1");
    assert_eq!((reply.status, text().revision), (409, 2), "{}", reply.body);
    assert!(reply.body.contains("\n# other</textarea>"), "{}", reply.body);
    // The other button runs what is saved.
    let reply = server.send(&ada, "/plans/1/run", "after=2&text=%23+other&target=1");
    assert_eq!((reply.status, text().revision), (422, 2), "{}", reply.body);
    assert!(
        reply.body.contains("\n# other</textarea>") && !reply.body.contains("is saved"),
        "{}",
        reply.body
    );
}
