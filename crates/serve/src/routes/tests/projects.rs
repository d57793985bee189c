//! Projects: what one does not see is nowhere, by no route. The test walks all routes, so a new one needs a decision.

use std::io::{BufRead as _, BufReader};

use brunt_envelope::RunSpec;
use brunt_history::Origin;
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use super::*;
use crate::queue::RunRequest;
use crate::store::{Members, Schedule, Target};

/// In the name of everything that is hidden, and in nothing else.
const WORD: &str = "orchid";
/// A run of the hidden plan, an uploaded run of its load that is a baseline, and ids that no run has.
const RUN: &str = "aaaaaaaaaaaaaaaaaaaaaaaa";
const UPLOADED: &str = "bbbbbbbbbbbbbbbbbbbbbbbb";
const ABSENT: &str = "ffffffffffffffffffffffff";

/// What a route has to do with tests.
#[derive(Clone, Copy, PartialEq)]
enum Decision {
    /// Its path names a test, a plan, a run or a schedule. Of a hidden one it says what it says of one that is absent.
    Names,
    /// It lists tests or what belongs to them, with this query.
    Lists(&'static str),
    /// Its form or its body names them, such as in this one.
    Takes(&'static str),
    /// It has nothing to do with them.
    Apart,
    /// Only administrators use it, who see all tests.
    Admins,
}

/// The routes whose paths do not tell.
const DECIDED: &[(&str, &str, Decision)] = &[
    ("GET", "/", Decision::Lists("")),
    ("GET", "/queue", Decision::Lists("")),
    ("GET", "/runs", Decision::Lists("")),
    ("POST", "/runs", Decision::Takes("run=RUN&act=tag&tag=x")),
    ("GET", "/compare", Decision::Lists("?run=RUN&run=UPLOADED")),
    ("GET", "/trends", Decision::Lists("?load=orchid-load")),
    ("GET", "/shares", Decision::Apart),
    ("POST", "/shares", Decision::Takes("run=RUN&days=1")),
    ("POST", "/shares/end", Decision::Takes("id=1")),
    ("GET", "/plans", Decision::Lists("")),
    ("POST", "/plans", Decision::Takes("name=other&project=PROJECT")),
    ("GET", "/plans/import", Decision::Lists("")),
    ("POST", "/plans/import", Decision::Apart),
    ("GET", "/schedules", Decision::Lists("")),
    ("POST", "/schedules", Decision::Takes("plan=PLAN&target=1&times=0+9+*+*+*")),
    ("POST", "/schedules/run", Decision::Takes("id=SCHEDULE")),
    ("POST", "/schedules/pause", Decision::Takes("id=SCHEDULE&paused=1")),
    ("POST", "/schedules/remove", Decision::Takes("id=SCHEDULE")),
    ("GET", "/api/v1/records", Decision::Lists("")),
    ("PUT", "/api/v1/records", Decision::Apart),
    ("GET", "/api/v1/tags", Decision::Lists("")),
    ("GET", "/api/v1/baselines", Decision::Lists("")),
    ("POST", "/api/v1/runs", Decision::Takes(r#"{"plan":"orchid plan","target":"t"}"#)),
    ("GET", "/api/v1/plans", Decision::Lists("")),
    (
        "POST",
        "/api/v1/plans",
        Decision::Takes(r#"{"name":"other","text":"","project":"orchid house"}"#),
    ),
    ("GET", "/api/v1/compare", Decision::Lists("?run=RUN&run=UPLOADED")),
    ("GET", "/api/v1/trends", Decision::Lists("?load=orchid-load")),
    ("GET", "/api/v1/schedules", Decision::Lists("")),
    (
        "POST",
        "/api/v1/schedules",
        Decision::Takes(r#"{"plan":"orchid plan","target":"t","times":"0 9 * * *"}"#),
    ),
    ("GET", "/api/v1/projects", Decision::Lists("")),
    // A link shows its runs to whoever has it.
    ("GET", "/shared/{secret}", Decision::Apart),
];

/// The beginnings of the paths that have nothing to do with tests.
const APART: &[&str] = &[
    "/assets/",
    "/welcome",
    "/sign-in",
    "/sign-out",
    "/targets",
    "/agents",
    "/annotations",
    "/steps",
    "/settings",
    "/account",
    "/healthz",
    "/readyz",
    "/api/v1/me",
    "/api/v1/targets",
    "/api/v1/annotations",
    "/api/v1/agents",
    "/api/v1/edit",
    "/api/v1/import/",
    "/api/v1/openapi.json",
    "/api",
];

fn decision(route: &Route) -> Option<Decision> {
    let decided = DECIDED
        .iter()
        .find(|(method, path, _)| *method == route.method.word() && *path == route.path);
    let names = ["{id}", "{test}", "{plan}", "{schedule}"];
    match (decided, route.access) {
        (Some((.., decision)), _) => Some(*decision),
        // Those who are no administrators read some projects.
        _ if route.path == "/api/v1/projects/{project}" && route.method == Method::Get => {
            Some(Decision::Names)
        }
        (None, Access::Signed(Role::Admin) | Access::Token(Role::Admin, _)) => {
            Some(Decision::Admins)
        }
        _ if names.iter().any(|name| route.path.contains(name)) => Some(Decision::Names),
        _ => {
            let is_apart = |begin: &&str| {
                let rest = route.path.strip_prefix(*begin);
                rest.is_some_and(|rest| {
                    begin.ends_with('/') || rest.is_empty() || rest.starts_with('/')
                })
            };
            let is_api = route.path.starts_with("/api/");
            APART
                .iter()
                .filter(|begin| !is_api || **begin != "/api")
                .any(is_apart)
                .then_some(Decision::Apart)
        }
    }
}

/// A site with a project that `ada` sees, and `eve` does not; both are runners.
struct House {
    server: Server,
    /// Keeps the queued run waiting.
    _lock: std::fs::File,
    project: i64,
    going: String,
    ada: [Client; 2],
    eve: [Client; 2],
}

fn entry(id: &str, name: &str, plan: Option<&str>) -> Entry {
    let mut summary = samples::summary();
    summary.load = "orchid-load".to_owned();
    summary.sha256 = id.repeat(2);
    let origin = Origin { plan: plan.map(str::to_owned), ..Origin::default() };
    let tags = vec![format!("{WORD}-tag")];
    let about = About { name: name.to_owned(), tags, origin, baseline: true, ..About::default() };
    Entry { id: id.parse().unwrap(), summary, about }
}

impl House {
    fn new() -> Self {
        let server = Server::start();
        let lock = std::fs::File::create(server.directory.path().join("machine.lock")).unwrap();
        flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
        let store = &server.app.store;
        let clients = |name: &str| {
            let user = server.user(name, Role::Runner);
            [server.session(user), server.token(user, Scope::All)]
        };
        let (ada, eve) = (clients("ada"), clients("eve"));
        let members = Members { users: vec!["ada".to_owned()], groups: Vec::new() };
        let project = store.add_project(&format!("{WORD} house"), &members).unwrap().unwrap();
        let target = Target { name: "t".to_owned(), expires: NOW + 99, ..Target::default() };
        store.add_target(&target).unwrap();
        let named = format!("{WORD} plan");
        let plan =
            store.add_plan_to((&named, Some(project)), ("# text", ""), ("ada", NOW)).unwrap();
        let schedule = Schedule {
            plan: plan.unwrap(),
            target: 1,
            times: "0 9 * * *".to_owned(),
            ..Schedule::default()
        };
        store.add_schedule(&schedule).unwrap();
        let made = format!("{named}, revision 1");
        let runs = [
            entry(RUN, &format!("{WORD} run"), Some(&made)),
            entry(UPLOADED, &format!("{WORD} upload"), None),
        ];
        for run in &runs {
            let files = server.app.history.files(&run.id);
            std::fs::create_dir(files.directory()).unwrap();
            files.write(brunt_history::SUMMARY, &run.summary).unwrap();
            files.write(brunt_history::ABOUT, &run.about).unwrap();
            store.put_run(run).unwrap();
        }
        store.move_test("lorchid-load", Some(project)).unwrap();
        let origin = Origin { plan: Some(made), ..Origin::default() };
        let about = About { name: format!("{WORD} going"), origin, ..About::default() };
        let request = RunRequest { requested: RunSpec::default(), about };
        let going = server.app.queue().unwrap().submit_with(request, None, &|_| Ok(())).unwrap();
        Self { project, going: going.to_string(), server, _lock: lock, ada, eve }
    }

    /// An address or a body with what is hidden, and the same with what does not exist.
    fn both(&self, text: &str, path: &str) -> [String; 2] {
        let is_going = path.contains("/live/") || path.contains("/v1/runs/");
        let project = self.project.to_string();
        let (run, plan) = (if is_going { self.going.as_str() } else { RUN }, "{id}");
        let of_id = match path.split('/').nth(1) {
            Some("plans" | "schedules") => ("1", "99"),
            _ => (run, ABSENT),
        };
        let named = [
            (plan, of_id),
            ("{plan}", ("1", "99")),
            ("{test}", ("p1", "p99")),
            ("{schedule}", ("1", "99")),
            ("{project}", (project.as_str(), "99")),
            ("{step}", ("1", "1")),
            ("{revision}", ("1", "1")),
            ("{tag}", ("x", "x")),
            ("RUN", (RUN, ABSENT)),
            ("UPLOADED", (UPLOADED, ABSENT)),
            ("PLAN", ("1", "99")),
            ("SCHEDULE", ("1", "99")),
            ("PROJECT", (project.as_str(), "99")),
            ("orchid", ("orchid", "absent")),
        ];
        let hidden =
            named.iter().fold(text.to_owned(), |text, (name, (it, _))| text.replace(name, it));
        let absent =
            named.iter().fold(text.to_owned(), |text, (name, (_, it))| text.replace(name, it));
        [hidden, absent]
    }

    /// The first line of an answer that does not end.
    fn begins(&self, client: &Client, path: &str) -> String {
        let Client::Session(secret) = client else { unreachable!() };
        let mut stream = TcpStream::connect(self.server.at).unwrap();
        let (at, cookie) = (self.server.at, secret.shown());
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {at}\r\nCookie: brunt={cookie}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        line
    }

    /// Sends a request as pages do, or as programs do.
    fn say(&self, clients: &[Client; 2], method: Method, path: &str, body: &str) -> Reply {
        let client = &clients[usize::from(path.starts_with("/api/"))];
        match client {
            Client::Session(_) if method == Method::Post => self.server.send(client, path, body),
            _ => self.server.request(client, method.word(), path, "", body),
        }
    }
}

/// An answer without what differs in any two: its number, its date, and the words that the request itself has.
fn plain(reply: &Reply, requested: &[String]) -> (u16, String) {
    let mut body = reply.body.clone();
    if let Ok(mut problem) = serde_json::from_str::<Value>(&body) {
        problem["instance"] = json!(null);
        body = problem.to_string();
    }
    if let Some((before, after)) = body.split_once("Request <code>") {
        body = format!("{before}{}", &after[after.find('<').unwrap_or_default()..]);
    }
    let body = requested.iter().fold(body, |body, word| body.replace(word.as_str(), "…"));
    (reply.status, body)
}

#[test]
fn every_route_has_a_visibility_decision() {
    for route in own::all() {
        let name = format!("{} {}", route.method.word(), route.path);
        assert!(
            decision(route).is_some(),
            "{name} needs a decision who sees the tests that it shows"
        );
    }
    for (method, path, _) in DECIDED {
        let is_there =
            own::all().any(|route| route.method.word() == *method && route.path == *path);
        assert!(is_there, "{method} {path} is no route");
    }
}

#[test]
fn hidden_tests_answer_404_on_every_route() {
    let house = House::new();
    let (mut named, mut listed) = (0, 0);
    for route in own::all() {
        let name = format!("{} {}", route.method.word(), route.path);
        let method = route.method;
        match decision(route).unwrap() {
            Decision::Names => {
                let [hidden, absent] = house.both(route.path, route.path);
                let words = [
                    hidden.clone(),
                    absent.clone(),
                    RUN.to_owned(),
                    house.going.clone(),
                    ABSENT.to_owned(),
                ];
                // The one that does not exist first: forms of the other would change it if they could.
                let none = plain(&house.say(&house.eve, method, &absent, ""), &words);
                let it = plain(&house.say(&house.eve, method, &hidden, ""), &words);
                assert_eq!(it, none, "{name}");
                assert_eq!(it.0, 404, "{name}: {}", it.1);
                if route.path.ends_with("/events") {
                    assert!(
                        house.begins(&house.ada[0], &hidden).starts_with("HTTP/1.1 200 "),
                        "{name}"
                    );
                } else if method == Method::Get {
                    let seen = plain(&house.say(&house.ada, method, &hidden, ""), &words);
                    assert_ne!(seen.1, none.1, "{name}");
                }
                named += 1;
            }
            Decision::Lists(query) => {
                let [address, _] = house.both(&format!("{}{query}", route.path), route.path);
                let reply = house.say(&house.eve, method, &address, "");
                let body = reply.body.replace("orchid-load", "");
                for word in [WORD, RUN, UPLOADED, &house.going] {
                    let is_asked = address.contains(word);
                    assert!(is_asked || !body.contains(word), "{name} shows {word}: {body}");
                }
                let seen = house.say(&house.ada, method, &address, "");
                let is_seen = seen.body.replace("orchid-load", "").contains(WORD);
                // Two runs are too few for a trend, and no child compares here.
                let is_drawn = ["/trends", "/api/v1/trends", "/compare", "/api/v1/compare"]
                    .contains(&route.path);
                assert!(is_seen || is_drawn && seen.body != reply.body, "{name}: {}", seen.body);
                listed += 1;
            }
            Decision::Takes(body) => {
                let [hidden, absent] = house.both(body, "");
                let words =
                    ["orchid".to_owned(), "absent".to_owned(), RUN.to_owned(), ABSENT.to_owned()];
                let none = plain(&house.say(&house.eve, method, route.path, &absent), &words);
                let it = plain(&house.say(&house.eve, method, route.path, &hidden), &words);
                assert_eq!(it, none, "{name}");
                // What is done to several runs skips those that are gone.
                let is_refused = (400..500).contains(&it.0) || name == "POST /runs";
                assert!(is_refused, "{name}: {} {}", it.0, it.1);
            }
            Decision::Apart | Decision::Admins => {}
        }
    }
    assert!(named > 40 && listed > 10, "{named} {listed}");
    // And nothing was changed.
    let store = &house.server.app.store;
    assert_eq!(store.revisions(1).unwrap().len(), 1);
    assert!(store.schedules().unwrap().len() == 1 && !store.schedules().unwrap()[0].paused);
    assert_eq!(
        store.run(RUN).unwrap(),
        Some(entry(RUN, "orchid run", Some("orchid plan, revision 1")))
    );
    assert_eq!((store.plans().unwrap().len(), store.shares(NOW).unwrap().len()), (1, 0));
    assert_eq!(store.test("p1").unwrap().unwrap().project, Some(house.project));
    let going = house.going.parse().unwrap();
    assert_eq!(house.server.app.queue().unwrap().status(&going).unwrap().stop, None);
}

#[test]
fn hidden_runs_occupy_the_machine_unlisted() {
    let house = House::new();
    // The machine is taken all the same.
    assert_eq!(house.server.app.queue().unwrap().ahead(), 1);
    let page = house.server.see(&house.eve[0], "/").body;
    assert!(!page.contains("Queued") && !page.contains("waiting"), "{page}");
    assert!(house.server.see(&house.ada[0], "/").body.contains("orchid going"));
}

#[test]
fn projects_are_added_changed_and_removed() {
    let house = House::new();
    let server = &house.server;
    let root = server.session(server.user("root", Role::Admin));
    let send = |path: &str, fields: &str| server.send(&root, path, fields).status;
    assert_eq!(send("/projects", "name=second&users=eve%0D%0A&groups=testers"), 303);
    assert_eq!(send("/projects", "name=SECOND"), 409);
    assert_eq!(send("/projects", "name="), 422);
    let refused = server.send(&root, "/projects", "name=third&users=nobody&groups=g");
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(
        refused.body.contains("There is no user named nobody.")
            && refused.body.contains(">\ng</textarea>")
    );
    let page = server.see(&root, "/projects").body;
    assert!(
        ["orchid house", "second", "eve", "testers"].iter().all(|word| page.contains(word)),
        "{page}"
    );
    // Ada moves a test out, and back; into a project that she does not see she moves nothing.
    let ada = &house.ada[0];
    assert_eq!(server.see(&house.eve[0], "/tests/p1").status, 404);
    assert_eq!(server.send(ada, "/tests/p1/project", "project=2").status, 404);
    assert_eq!(server.send(ada, "/tests/p1/project", "project=").status, 303);
    let seen = |client: &Client, path: &str| server.see(client, path).status == 200;
    assert!(seen(&house.eve[0], "/tests/p1") && seen(&house.eve[0], "/plans/1/revisions"));
    // The uploaded run had joined it.
    assert!(server.see(&house.eve[0], "/tests/p1/runs").body.contains(UPLOADED));
    assert_eq!(server.send(ada, "/tests/p1/project", "project=1").status, 303);
    assert!(!seen(&house.eve[0], "/tests/p1"));
    assert!(!server.see(&house.eve[0], "/runs").body.contains(UPLOADED));
    assert_eq!(send("/projects/1", "name=orchids&users=ada&groups="), 303);
    assert_eq!(send("/projects/1/remove", ""), 409);
    assert_eq!(send("/projects/1/remove", "to=1"), 422);
    assert_eq!(send("/projects/1/remove", "to=7"), 404);
    assert_eq!(send("/projects/1/remove", "to=2"), 303);
    assert!(seen(&house.eve[0], "/tests/p1") && !seen(ada, "/tests/p1"));
    assert_eq!(send("/projects/2/remove", "to=0"), 303);
    assert!(seen(ada, "/tests/p1") && server.app.store.projects().unwrap().is_empty());
    let acts: Vec<String> = server
        .app
        .store
        .audit(99)
        .unwrap()
        .into_iter()
        .rev()
        .filter(|line| line.act.contains("project") || line.act == "move test")
        .map(|line| format!("{}: {} {}", line.who, line.act, line.what))
        .collect();
    assert_eq!(
        acts,
        [
            "root: add project second: eve, group testers",
            "ada: move test orchid plan to everybody",
            "ada: move test orchid plan to orchid house",
            "root: change project orchid house, now orchids: ada",
            "root: remove project orchids; 1 test to second",
            "root: remove project second; 1 test to everybody",
        ]
    );
}

#[test]
fn api_tokens_manage_projects_with_the_rights_of_their_owner() {
    let house = House::new();
    let server = &house.server;
    let admin = server.token(server.user("root", Role::Admin), Scope::All);
    let (ada, eve) = (&house.ada[1], &house.eve[1]);
    let json = |reply: Reply| {
        (reply.status, serde_json::from_str::<Value>(&reply.body).unwrap_or_default())
    };
    let of = |client: &Client, method: &str, path: &str, body: &str| {
        json(server.request(client, method, path, "", body))
    };
    let projects = "/api/v1/projects";
    let added = of(&admin, "POST", projects, r#"{"name":"second","users":["eve"],"groups":["g"]}"#);
    let whole = json!({ "id": 2, "name": "second", "tests": 0, "users": ["eve"], "groups": ["g"] });
    assert_eq!(added, (201, whole));
    assert_eq!(of(eve, "POST", projects, r#"{"name":"third"}"#).0, 403);
    let own = json!({ "projects": [{ "id": 2, "name": "second", "tests": 0, "users": null, "groups": null }] });
    assert_eq!(of(eve, "GET", projects, ""), (200, own));
    assert_eq!(of(eve, "GET", "/api/v1/projects/1", "").0, 404);
    assert_eq!(of(ada, "GET", "/api/v1/projects/1", "").1["tests"], json!(1));
    let plan = of(ada, "GET", "/api/v1/plans/1", "").1;
    assert_eq!(plan["project"], json!("orchid house"));
    let to = "/api/v1/tests/p1/project";
    assert_eq!(of(ada, "PUT", to, r#"{"project":"second"}"#).0, 404);
    assert_eq!(
        of(&admin, "PUT", to, r#"{"project":"second"}"#),
        (200, json!({ "project": "second" }))
    );
    assert_eq!(
        (of(ada, "GET", "/api/v1/plans/1", "").0, of(eve, "GET", "/api/v1/plans/1", "").0),
        (404, 200)
    );
    let added = of(eve, "POST", "/api/v1/plans", r#"{"name":"mine","text":"","project":"second"}"#);
    assert_eq!((added.0, &added.1["project"]), (201, &json!("second")));
    assert_eq!(of(ada, "GET", "/api/v1/plans", "").1, json!({ "plans": [] }));
    assert_eq!(of(&admin, "PUT", "/api/v1/projects/2", r#"{"name":"two"}"#).1["users"], json!([]));
    assert_eq!(of(&admin, "DELETE", "/api/v1/projects/2", "").0, 409);
    assert_eq!(of(&admin, "DELETE", "/api/v1/projects/2?to=0", "").0, 204);
    assert_eq!(of(ada, "GET", "/api/v1/plans/1", "").1["project"], json!(null));
}

#[test]
fn upload_of_a_load_in_a_hidden_project_is_refused() {
    let house = House::new();
    let history = &house.server.app.history;
    // A record that is known needs no child.
    let mut known = entry(UPLOADED, "orchid upload", None);
    known.summary.sha256 = brunt_history::sha256(b"record");
    history.files(&known.id).write(brunt_history::SUMMARY, &known.summary).unwrap();
    history.keep(&known.id, &known.summary);
    let put =
        |client: &Client| house.server.request(client, "PUT", "/api/v1/records", "", "record");
    let refused = put(&house.eve[1]);
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert!(refused.body.contains("In another project") && !refused.body.contains(WORD));
    assert!(house.server.app.store.run(UPLOADED).unwrap().is_some(), "it stays");
    let known = put(&house.ada[1]);
    assert_eq!(known.status, 200, "{}", known.body);
    assert!(known.body.contains(UPLOADED), "{}", known.body);
}

#[test]
fn schedule_is_skipped_when_its_owner_cannot_see_the_plan() {
    let house = House::new();
    let store = &house.server.app.store;
    let schedule = store.schedule(1).unwrap().unwrap();
    for (by, why) in
        [("eve", "eve no longer sees the project of this plan."), ("ada", "start a process")]
    {
        let times = "*/10 * * * *".to_owned();
        let changed = Schedule {
            by: by.to_owned(),
            times,
            seen: NOW - 700,
            zone: "UTC".to_owned(),
            ..schedule.clone()
        };
        assert!(store.change_schedule(&changed).unwrap());
        crate::schedule::start_due(&house.server.app).unwrap();
        let came = store.occasions(1, 1).unwrap();
        assert!(came[0].missed.contains(why), "{by}: {came:?}");
    }
}

#[test]
fn same_load_in_two_projects_keeps_runs_apart() {
    let house = House::new();
    let store = &house.server.app.store;
    // The plan leaves the project; what was uploaded of its load comes along.
    store.move_test("p1", None).unwrap();
    let members = Members { users: vec!["eve".to_owned()], groups: Vec::new() };
    let second = store.add_project("second", &members).unwrap().unwrap();
    store.add_plan_to(("eve's", Some(second)), ("", ""), ("eve", NOW)).unwrap();
    let made = entry("cccccccccccccccccccccccc", "hers", Some("eve's, revision 1"));
    store.put_run(&made).unwrap();
    assert_eq!(store.test_of(UPLOADED).unwrap(), "p1");
    assert_eq!(store.baseline_of(&made).unwrap().map(|run| run.id), Some(made.id.clone()));
    let own = store.run(RUN).unwrap().unwrap();
    assert!(store.baseline_of(&own).unwrap().is_some_and(|run| run.id != made.id));
    let pairs = store.uncompared(9).unwrap();
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    // The index is the same if it is made again.
    let all = [RUN, UPLOADED, "cccccccccccccccccccccccc"];
    let seen = || {
        all.map(|run| {
            (
                store.test_of(run).unwrap(),
                store.seen_by(crate::store::Visibility::WithoutProject).run(run).unwrap().is_some(),
            )
        })
    };
    let before = seen();
    store.put_all_runs(all.map(|run| store.run(run).unwrap().unwrap()).into_iter()).unwrap();
    assert_eq!(seen(), before);
    assert_eq!(before.map(|(_, is_seen)| is_seen), [true, true, false]);
}
