//! The server as browsers and programs see it: over sockets.

mod agents;
mod annotations;
mod forms;
mod home;
mod hooks;
mod kept;
mod keys;
mod programs;
mod projects;
mod roles;
mod schedules;
mod sessions;
mod sign_in;
mod single_sign_on;

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use brunt_exchange::Outcome;
use brunt_history::{About, PAGE_KEPT, PageParts, VIEW_KEPT, samples};
use brunt_record::events::EventLog;
use brunt_record::{Catalogue, Head, Plan, Tool};
use brunt_web::listen::{self, Hosts, Proxies};
use brunt_web::watch::STUCK_MAX;

use super::own;
use super::route::{Access, BodyKind, Method, Route};
use crate::agents::Cluster;
use crate::app::{App, Services};
use crate::auth::{Limiter, Passwords, Role, Scope, Secret};
use crate::cache::Cache;
use crate::child::Children;
use crate::counters::Counters;
use crate::history::{Entry, History};
use crate::in_flight::InFlight;
use crate::levels::Levels;
use crate::provider::Provider;
use crate::provider::scripted::Scripted;
use crate::queue::Queue;
use crate::store::{AuditKey, Store, Visitor};
use crate::vault::Vault;

const EVIL: &str = "</title><script>alert('x')</script>\"&";
const NOW: i64 = 1_800_000_000;
/// The run in progress.
const GOING: &str = "fedcba987654321001234567";

struct Server {
    app: Arc<App>,
    at: SocketAddr,
    directory: tempfile::TempDir,
    provider: Scripted,
}

/// The client that sends a request.
#[derive(Clone)]
enum Client {
    Nobody,
    Session(Secret),
    Token(Secret),
}

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

impl Server {
    fn start() -> Self {
        Self::start_with(None)
    }

    fn start_with(cluster: Option<Cluster>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let provider = Scripted::new(NOW);
        let history = Arc::new(History::open(directory.path()).unwrap());
        // No test here uploads a record, or starts a run.
        let children = Arc::new(Children::of_program("/nowhere".into()));
        let lock = directory.path().join("machine.lock");
        let queue = Queue::open(Arc::clone(&history), Arc::clone(&children), lock).unwrap();
        let services = Services {
            vault: Arc::new(Vault::open(directory.path(), None).unwrap()),
            history,
            children,
            all_runs: queue.into(),
            passwords: Passwords::new().unwrap(),
            provider: Provider::new(provider.fetcher()),
            limiter: Limiter::default(),
            hosts: Hosts::new(&[]),
            in_flight: InFlight::default(),
            secure: false,
            trial: None,
            origin: "https://load.example.com".to_owned().into(),
            public: None,
            audit_key: AuditKey::stored(directory.path()).unwrap(),
            search_second: None,
            cluster,
            runtime: None,
            levels: Levels::default(),
            trends: Cache::default(),
            counters: Counters::default(),
            now: || NOW,
            log: Box::new(|_| ()),
        };
        let app = Arc::new(App::new(Store::open(directory.path()).unwrap(), services));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let router = super::router(&app);
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                listen::serve(listener, router, None, Proxies::default()).await
            })
        });
        Self { app, at, directory, provider }
    }

    fn user(&self, name: &str, role: Role) -> i64 {
        let id = self.app.store.add_user(name, role, NOW).unwrap().unwrap();
        self.app
            .store
            .set_password(id, &self.app.passwords.hash("correct horse battery").unwrap())
            .unwrap();
        id
    }

    fn session(&self, user: i64) -> Client {
        let session = Secret::new().unwrap();
        let visitor = Visitor { address: "192.0.2.7".to_owned(), browser: "curl/8".to_owned() };
        self.app.store.begin_session(user, &session.hash(), (NOW, &visitor)).unwrap();
        Client::Session(session)
    }

    fn token(&self, user: i64, scope: Scope) -> Client {
        let token = Secret::new().unwrap();
        self.app.store.add_token(user, &token.hash(), "ci", scope, (NOW, NOW + 10)).unwrap();
        Client::Token(token)
    }

    /// A run with this name, as a child would have left it.
    fn run(&self, name: &str) -> String {
        let id = "0123456789abcdef01234567";
        let about =
            About { name: name.to_owned(), tags: vec![name.to_owned()], ..About::default() };
        let mut summary = samples::summary();
        summary.target = Some(name.to_owned());
        let entry = Entry { id: id.parse().unwrap(), summary, about };
        let files = self.app.history.files(&entry.id);
        std::fs::create_dir(files.directory()).unwrap();
        files.write(brunt_history::SUMMARY, &entry.summary).unwrap();
        files.write(brunt_history::ABOUT, &entry.about).unwrap();
        let sections = vec![("top".to_owned(), "<h1>A run</h1>".to_owned())];
        let parts = PageParts { title: "A run".to_owned(), about: String::new(), sections };
        files.pack(PAGE_KEPT, serde_json::to_vec(&parts).unwrap().as_slice()).unwrap();
        files.pack(VIEW_KEPT, format!("{{\"operations\":[{EVIL:?}]}}").as_bytes()).unwrap();
        self.app.store.put_run(&entry).unwrap();
        id.to_owned()
    }

    /// A run in progress at the target t, which began 100 s ago.
    fn going(&self) {
        let files = self.app.history.files(&GOING.parse().unwrap());
        std::fs::create_dir(files.directory()).unwrap();
        let state = serde_json::json!({
            "id": GOING, "state": "steady", "number": 0, "submitted": "2027-01-15T07:58:00Z", "target": "t",
            "plan": "nightly, revision 1",
        });
        files.write(brunt_history::STATE, &state).unwrap();
        let started = jiff::Timestamp::from_second(NOW - 100).unwrap();
        let tool = Tool { name: "brunt".into(), version: "0".into() };
        let catalogue = Catalogue::new(["get"], ["connect"]);
        let head = Head::new("a".repeat(32), started, tool, Plan::open(1.0, 1, 7), catalogue);
        let names = |_, outcome: Outcome| format!("{outcome:?}").into();
        EventLog::create(&files.path(brunt_history::EVENTS), head, &names).unwrap();
    }

    fn raw(&self, text: &str) -> Reply {
        let mut stream = TcpStream::connect(self.at).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
        Reply { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn request(&self, client: &Client, method: &str, path: &str, more: &str, body: &str) -> Reply {
        let by = match client {
            Client::Nobody => String::new(),
            Client::Session(secret) => format!("Cookie: a=b; brunt={}\r\n", secret.shown()),
            Client::Token(secret) => format!("Authorization: Bearer {}\r\n", secret.shown()),
        };
        self.raw(&format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{by}{more}Content-Length: {}\r\n\r\n{body}",
            self.at,
            body.len()
        ))
    }

    fn see(&self, client: &Client, path: &str) -> Reply {
        self.request(client, "GET", path, "", "")
    }

    /// Sends a form as a page of this site does.
    fn send(&self, client: &Client, path: &str, fields: &str) -> Reply {
        let form = match client {
            Client::Session(secret) => format!("form={}&", secret.form_token()),
            _ => String::new(),
        };
        self.request(
            client,
            "POST",
            path,
            "Sec-Fetch-Site: same-origin\r\n",
            &format!("{form}{fields}"),
        )
    }
}

#[test]
fn unknown_page_is_404() {
    let server = Server::start();
    let session = server.session(server.user("ada", Role::Admin));
    assert_eq!(server.see(&session, "/nowhere").status, 404);
    assert_eq!(server.see(&session, "/runs/ffffffffffffffffffffffff").status, 404);
}

#[test]
fn token_is_limited_by_scope_and_revocation() {
    let server = Server::start();
    let id = server.run("a run");
    let runner = server.user("rae", Role::Runner);
    let (read, push) = (server.token(runner, Scope::Read), server.token(runner, Scope::Push));
    let run = server.token(runner, Scope::Run);
    let (entry, going) = (format!("/api/v1/records/{id}"), format!("/api/v1/runs/{id}"));
    for (client, method, path, status) in [
        (&read, "GET", "/api/v1/records", 200),
        (&read, "GET", entry.as_str(), 200),
        (&read, "PUT", "/api/v1/records", 403),
        (&push, "GET", "/api/v1/records", 403),
        (&push, "GET", "/api/v1/me", 200),
        (&read, "GET", "/api/v1/openapi.json", 200),
        (&read, "GET", "/", 403),
        (&push, "POST", "/runs", 403),
        (&read, "POST", "/api/v1/runs", 403),
        (&push, "POST", "/api/v1/runs", 403),
        (&push, "GET", going.as_str(), 403),
        (&run, "POST", "/api/v1/runs", 422),
        (&run, "GET", "/api/v1/runs/x", 404),
        (&run, "GET", "/api/v1/records", 403),
        (&run, "PUT", "/api/v1/records", 403),
        (&Client::Nobody, "GET", "/api/v1/records", 401),
        (&Client::Token(Secret::new().unwrap()), "GET", "/api/v1/me", 401),
    ] {
        let reply = server.request(client, method, path, "", "");
        assert_eq!(reply.status, status, "{method} {path}: {}", reply.body);
        let kind = reply.header("content-type").unwrap();
        assert_eq!(
            kind == "application/problem+json",
            path.starts_with("/api/v1") && status >= 400,
            "{path}"
        );
    }
    let rae = server.app.store.user(runner).unwrap().unwrap();
    assert!(server.app.store.change_user(rae.id, Role::Viewer, true).unwrap());
    let ended = server.see(&read, "/api/v1/records");
    let challenge = "Bearer realm=\"brunt\", error=\"invalid_token\"";
    assert_eq!((ended.status, ended.header("www-authenticate")), (401, Some(challenge)));
    let nobody = server.see(&Client::Nobody, "/api/v1/records");
    assert_eq!(nobody.header("www-authenticate"), Some("Bearer realm=\"brunt\""));
}

#[test]
fn cross_site_requests_are_refused() {
    let server = Server::start();
    let id = server.run("a run");
    let session = server.session(server.user("ada", Role::Admin));
    let Client::Session(secret) = &session else { unreachable!() };
    let path = format!("/runs/{id}/about");
    let form = format!("form={}&name=x", secret.form_token());
    let own = format!("Origin: http://{}\r\n", server.at);
    for (headers, body, status) in [
        ("Sec-Fetch-Site: same-origin\r\n", form.as_str(), 303),
        (own.as_str(), form.as_str(), 303),
        ("Sec-Fetch-Site: cross-site\r\n", form.as_str(), 403),
        ("Sec-Fetch-Site: same-site\r\n", form.as_str(), 403),
        ("Sec-Fetch-Site: none\r\n", form.as_str(), 403),
        ("Origin: http://evil.example\r\n", form.as_str(), 403),
        ("Origin: null\r\n", form.as_str(), 403),
        ("", form.as_str(), 403),
        ("Sec-Fetch-Site: same-origin\r\n", "name=x", 403),
        ("Sec-Fetch-Site: same-origin\r\n", "form=x&name=x", 403),
    ] {
        let reply = server.request(&session, "POST", &path, headers, body);
        assert_eq!(reply.status, status, "{headers}{body}: {}", reply.body);
    }
    let header =
        format!("Sec-Fetch-Site: same-origin\r\nX-Brunt-Form: {}\r\n", secret.form_token());
    assert_eq!(server.request(&session, "POST", &path, &header, "name=y").status, 303);
    // It does not choose the host name under which a browser comes either.
    for host in ["evil.example", "127.0.0.1.evil.example", ""] {
        let reply = server
            .raw(&format!("GET /sign-in HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert_eq!(reply.status, 421, "{host}: {}", reply.body);
    }
}

#[test]
fn record_text_is_escaped_on_every_page() {
    let server = Server::start();
    let id = server.run(EVIL);
    let session = server.session(server.user("ada", Role::Admin));
    for path in
        ["/", "/runs", &format!("/runs/{id}"), "/settings", "/audit", "/people", "/account", "/api"]
    {
        let reply = server.see(&session, path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        assert!(!reply.body.contains("<script>alert"), "{path}");
        let scripts = reply.body.matches("<script").count();
        let ours = reply.body.matches("<script src=\"/assets/").count()
            + reply.body.matches("id=\"view\"").count();
        assert_eq!(scripts, ours, "{path}");
    }
    let shown = server.see(&session, "/runs").body;
    assert!(shown.contains("&lt;/title&gt;&lt;script&gt;alert"), "{shown}");
}

#[test]
fn shared_link_works_until_revoked() {
    let server = Server::start();
    let id = server.run("http://ds1.example:8443/openam");
    let rae = server.session(server.user("rae", Role::Runner));
    let bob = server.session(server.user("bob", Role::Runner));
    let link = |fields: &str| {
        let reply = server.send(&rae, "/shares", &format!("run={id}&{fields}"));
        assert_eq!(reply.status, 200, "{}", reply.body);
        let (_, rest) = reply.body.split_once("data-link>").unwrap();
        rest.split_once('<').unwrap().0.to_owned()
    };
    let (short, whole) = (link("days=30"), link("days=30&whole=1"));
    let seen = server.see(&Client::Nobody, &short);
    assert!(seen.status == 200 && seen.body.contains("Shared by rae"), "{}", seen.body);
    assert!(!seen.body.contains("ds1.example") && !seen.body.contains("/openam"), "{}", seen.body);
    assert!(!seen.body.contains("<form") && !seen.body.contains("<nav class"), "{}", seen.body);
    assert!(server.see(&Client::Nobody, &whole).body.contains("ds1.example"));
    // The link gives access to nothing else, and only the link gives this access.
    for path in [&*format!("/runs/{id}"), &*format!("/runs/{id}/record"), "/", "/shares"] {
        assert_eq!(server.see(&Client::Nobody, path).status, 303, "{path}");
    }
    let other = format!("/shared/{}", Secret::new().unwrap().shown());
    for path in [other.as_str(), "/shared/x", &short[..short.len() - 1]] {
        assert_eq!(server.see(&Client::Nobody, path).status, 404, "{path}");
    }
    // Only its creator or an administrator may end it.
    assert_eq!(server.send(&bob, "/shares/end", "id=1").status, 404);
    assert_eq!(server.send(&rae, "/shares/end", "id=1").status, 303);
    assert_eq!(server.see(&Client::Nobody, &short).status, 404);
    assert_eq!(server.see(&Client::Nobody, &whole).status, 200);
    for (fields, status) in
        [("days=0", 422), ("days=366", 422), ("run=ffffffffffffffffffffffff&days=1", 404)]
    {
        assert_eq!(
            server.send(&rae, "/shares", &format!("run={id}&{fields}")).status,
            status,
            "{fields}"
        );
    }
}

#[test]
fn schedule_shows_next_and_missed_times() {
    let server = Server::start();
    let ada = server.session(server.user("ada", Role::Admin));
    let fields = "name=t&allow=127.0.0.1:80&settings=&users=1&seconds=9&days=1";
    assert_eq!(server.send(&ada, "/targets", fields).status, 303);
    server.app.store.add_plan("nightly", "", ("ada", NOW)).unwrap();
    let add = |fields: &str| server.send(&ada, "/schedules", &format!("plan=1&target=1&{fields}"));
    assert_eq!(add("times=61+*+*+*+*").status, 422);
    assert_eq!(add("times=0+9+*+*+*&quiet=8").status, 422);
    // This site has no cluster.
    assert_eq!(add("times=0+9+*+*+*&agents=2").status, 422);
    assert_eq!(add("times=*/10+*+*+*+*").status, 303);
    // No child reads the plan here, so a time that is due is missed, and the list says so.
    server.app.store.schedule_seen(1, NOW - 700).unwrap();
    crate::schedule::start_due(&server.app).unwrap();
    let shown = server.see(&ada, "/schedules").body;
    assert!(shown.contains("Next: <time datetime=\"2027-01-15T08:10:00Z\""), "{shown}");
    let came = server.app.store.occasions(1, 10).unwrap();
    assert!(!came.is_empty() && came.iter().all(|came| came.run.is_none()), "{came:?}");
    assert!(shown.contains("not run"), "{shown}");
    assert!(came[0].missed.contains("start a process"), "{came:?}");
    // No run starts for a user who may no longer run plans.
    server.app.store.schedule_seen(1, NOW - 300).unwrap();
    let ada_id = server.app.store.user_named("ada").unwrap().unwrap().id;
    server.user("bob", Role::Admin);
    assert!(server.app.store.change_user(ada_id, Role::Viewer, false).unwrap());
    crate::schedule::start_due(&server.app).unwrap();
    let came = server.app.store.occasions(1, 10).unwrap();
    assert!(came[0].missed.contains("may no longer run plans"), "{came:?}");
    assert!(server.app.store.change_user(ada_id, Role::Admin, false).unwrap());
    crate::schedule::start_due(&server.app).unwrap();
    assert_eq!(server.app.store.occasions(1, 10).unwrap(), came);
    // A changed role ended the session.
    let ada = server.session(ada_id);
    // While it is paused, nothing is due, and nothing is made up for.
    assert_eq!(server.send(&ada, "/schedules/pause", "id=1&paused=1&back=test").status, 303);
    server.app.store.schedule_seen(1, NOW - 700).unwrap();
    crate::schedule::start_due(&server.app).unwrap();
    assert!(server.see(&ada, "/tests/p1/schedule").body.contains("Paused."));
    assert_eq!(server.send(&ada, "/schedules/pause", "id=1").status, 303);
    crate::schedule::start_due(&server.app).unwrap();
    assert_eq!(server.app.store.occasions(1, 10).unwrap(), came);
    assert_eq!(server.send(&ada, "/schedules/pause", "id=7").status, 404);
    assert_eq!(server.send(&ada, "/schedules/remove", "id=1").status, 303);
}

#[test]
fn security_headers_are_on_every_response() {
    let server = Server::start();
    let session = server.session(server.user("ada", Role::Admin));
    for path in
        ["/", "/sign-in", "/nowhere", "/api/v1/me", "/api/v1/nowhere", &crate::assets::style()]
    {
        let reply = server.see(&session, path);
        for (name, expected) in [
            (
                "content-security-policy",
                "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-",
            ),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert!(
                reply.header(name).is_some_and(|value| value.starts_with(expected)),
                "{path}: {name}"
            );
        }
        let kept = reply.header("cache-control").unwrap();
        assert_eq!(kept.contains("immutable"), path.starts_with("/assets/"), "{path}: {kept}");
    }
}

#[test]
fn client_that_reads_nothing_is_disconnected() {
    const ASKED: usize = 4_000;
    let server = Server::start();
    let path = crate::assets::charts();
    let whole = server.see(&Client::Nobody, &path).body.len();
    let mut stream = TcpStream::connect(server.at).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.at);
    stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    // More than the sockets hold; what no longer fits need not be sent.
    let _ = stream.write_all(request.repeat(ASKED).as_bytes());
    std::thread::park_timeout(STUCK_MAX + Duration::from_secs(3));
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut taken = Vec::new();
    // The data in flight arrives, and then the end.
    let ended = stream.read_to_end(&mut taken);
    let waits = ended.as_ref().is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    assert!(!waits && taken.len() < whole * ASKED / 2, "{ended:?}: {} bytes", taken.len());
}

#[test]
fn path_traversal_reaches_no_file() {
    let server = Server::start();
    let session = server.session(server.user("ada", Role::Admin));
    let key = std::fs::read_to_string(server.directory.path().join("audit.key")).unwrap();
    for path in [
        "/assets/../../../../etc/passwd",
        "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/runs/..%2f..%2faudit.key",
        "/runs/..%2f..%2f/record",
        "/runs/%2e%2e/record",
        "/runs/%00/record",
        "/live/..%2f..%2faudit.key",
        "/api/v1/records/..%2f..%2faudit.key",
        "/api/v1/records/../../audit.key/record",
        "/compare?run=../audit.key&run=../../etc/passwd",
        "//etc/passwd",
    ] {
        let reply = server.see(&session, path);
        assert!((400..500).contains(&reply.status), "{path}: {}", reply.status);
        assert!(!reply.body.contains("root:") && !reply.body.contains(key.trim()), "{path}");
    }
}

#[test]
fn incomplete_bodies_do_not_block_others() {
    let server = Server::start();
    let session = server.session(server.user("ada", Role::Admin));
    let head = "POST /sign-in HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n\
                Content-Length: 9\r\n\r\n";
    let mut slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(server.at).unwrap();
            stream.write_all(head.replace("localhost", &server.at.to_string()).as_bytes()).unwrap();
            stream
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(server.see(&session, "/").status, 200);
        let wrong = server.send(&Client::Nobody, "/sign-in", "name=bob&password=x");
        assert!([403, 429].contains(&wrong.status));
    }
    // None of the slow ones was answered meanwhile: they did not make room.
    for stream in &mut slow {
        stream.set_nonblocking(true).unwrap();
        let waits = stream.read(&mut [0]).map_err(|error| error.kind());
        assert_eq!(waits, Err(ErrorKind::WouldBlock));
    }
    let large = format!("name={}", "x".repeat(20 << 10));
    assert_eq!(server.send(&Client::Nobody, "/sign-in", &large).status, 413);
}

#[test]
fn bodies_are_limited_and_slow_heads_do_not_block_others() {
    let server = Server::start();
    let session = server.session(server.user("ada", Role::Admin));
    let slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(server.at).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost").unwrap();
            stream
        })
        .collect();
    let large = format!("name={}", "x".repeat(200 << 10));
    let reply = server.send(&session, "/account/tokens", &large);
    assert_eq!((reply.status, reply.header("connection")), (413, Some("close")), "{}", reply.body);
    assert_eq!(server.see(&session, "/").status, 200);
    drop(slow);
    // A route takes a body exactly if its method sends one.
    let sends = |method: Method| matches!(method, Method::Post | Method::Put);
    let tag = "/api/v1/records/{id}/tags/{tag}";
    let fits = |route: &Route| (route.takes != BodyKind::Nothing) == sends(route.method);
    let marks = |route: &Route| route.path == tag || route.path == "/api/v1/baselines/{id}";
    assert!(own::all().all(|route| fits(route) || marks(route)));
}
