//! The way of an administrator by docs/website.md alone: the package, nginx in front of it, people who sign in at a
//! provider, a run that is watched, a backup, and the same site in another directory.
//!
//! What the page gives is taken from the page: the drop-in of the service, the configuration of nginx, and the lines
//! for a shell. Only ports and places are those of the test.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use brunt_test_program::{Program, RestTarget};
use brunt_testbed::{Daemon, found, free_port, require, until};

use crate::curl::{HOST, Reply, Visitor, between, certified, coded, origin};
use crate::installed::{Installed, Page, stop};
use crate::made::Made;

const PASSWORD: &str = "correct-horse-battery";
const PATIENCE: Duration = Duration::from_secs(90);

/// The way so far.
struct Way {
    installed: Installed,
    page: Page,
    /// The port of the site behind the proxy.
    port: String,
    visitor: Visitor,
}

impl Way {
    /// A package that is unpacked, and a certificate.
    fn begin() -> Self {
        let installed = Installed::new(Made::packages());
        let [certificate, _] = certified(&installed.path("run"));
        let visitor = Visitor { jar: installed.path("jar"), certificate, port: free_port() };
        Self { installed, page: Page::read(), port: free_port().to_string(), visitor }
    }

    /// Starts the service with the drop-in of the page. Gives what it says first.
    fn serve(&self, name: &str) -> (Program, String) {
        let drop_in = self.page.block("ini", "ExecStart=");
        let directory = format!("/{name} --listen 127.0.0.1:{}", self.port);
        let mut service =
            self.installed.start(&drop_in, &[("/brunt --host", &format!("{directory} --host"))]);
        let mut reply = String::new();
        service.wait_until("its address", |_, notes| {
            let line = notes.split_once("serve: ").and_then(|(_, rest)| rest.split_once('\n'));
            line.is_some_and(|(line, _)| {
                line.clone_into(&mut reply);
                true
            })
        });
        (service, reply)
    }

    /// Starts nginx with the configuration of the page.
    fn nginx(&self) -> Daemon {
        let root = self.installed.path("nginx");
        for part in ["body", "proxy", "fastcgi", "uwsgi", "scgi"] {
            fs::create_dir_all(root.join(part)).expect("a directory");
        }
        let at = root.display();
        let [certificate, key] = ["pem", "key"].map(|end| {
            self.installed.path("run").join(format!("site.{end}")).display().to_string()
        });
        let server = self.page.placed(
            "nginx",
            "proxy_pass",
            &[
                ("listen 443 ssl", &format!("listen 127.0.0.1:{} ssl", self.visitor.port)),
                (&format!("/etc/ssl/{HOST}.pem"), &certificate),
                (&format!("/etc/ssl/{HOST}.key"), &key),
                ("127.0.0.1:7878", &format!("127.0.0.1:{}", self.port)),
            ],
        );
        let text = format!(
            "daemon off;\nmaster_process off;\npid {at}/pid;\nevents {{ }}\nhttp {{\naccess_log off;\n\
             client_body_temp_path {at}/body; proxy_temp_path {at}/proxy; fastcgi_temp_path {at}/fastcgi;\n\
             uwsgi_temp_path {at}/uwsgi; scgi_temp_path {at}/scgi;\n{server}\n}}\n"
        );
        let configuration = root.join("nginx.conf");
        fs::write(&configuration, text).expect("a file");
        let mut command = Command::new(found("nginx").expect("nginx is installed"));
        command.arg("-p").arg(&root).arg("-c").arg(&configuration).args(["-e", "stderr"]);
        let daemon = Daemon::start(&command, &root.join("log"));
        daemon.wait_for_port(self.visitor.port);
        daemon
    }

    /// Carries out the line that has these words, of the block with these.
    fn shell(&self, (block, words): (&str, &str), places: &[(&str, &Path)]) -> String {
        let mut lines = self.page.block("sh", block);
        for (from, to) in places {
            lines = lines.replace(from, &to.display().to_string());
        }
        let line = lines.lines().find(|line| line.contains(words)).expect("a line");
        self.installed.shell(line)
    }
}

/// Whether the cookie of an answer is one that browsers send to this site alone, and only over HTTPS.
fn is_guarded(reply: &Reply) -> bool {
    let cookie = reply.header("set-cookie");
    cookie.starts_with("__Host-brunt=")
        && cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure")
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn website_page_is_enough_to_install_run_and_restore_a_site() {
    if !require(&["dpkg-deb", "strip", "nginx", "openssl", "curl"]) {
        return;
    }
    let way = Way::begin();
    let provider = RestTarget::start();
    let (service, reply) = way.serve("brunt");
    let link = reply
        .strip_prefix(&format!("{}/welcome#", origin()))
        .expect("a link at the name of the site");
    let _nginx = way.nginx();
    welcomed(&way.visitor, link);
    signed_in_elsewhere(&way, &provider.base);
    let run = watched(&way.visitor, &provider.base);
    restored(&way, service, &run);
}

/// The first administrator chooses a password, by the link in the journal.
fn welcomed(visitor: &Visitor, link: &str) {
    let fields = [("link", link), ("password", PASSWORD), ("again", PASSWORD)];
    assert_eq!(visitor.post("/welcome", &fields, "https://evil.example").status(), 403);
    let welcome = visitor.post("/welcome", &fields, &origin()).expect(303);
    assert!(is_guarded(&welcome), "{}", welcome.head);
    let home = visitor.see("/").expect(200);
    assert!(home.header("strict-transport-security").starts_with("max-age="), "{}", home.head);
}

/// Somebody who has no password here signs in at the provider, whose answer comes back by the proxy.
fn signed_in_elsewhere(way: &Way, provider: &str) {
    let issuer = format!("{provider}/idp");
    let fields = [
        ("name", "SSO"),
        ("issuer", &issuer),
        ("client", "brunt"),
        ("public", "1"),
        ("scopes", "openid profile email"),
        ("claim", "groups"),
        ("groups", ""),
        ("others", "viewer"),
        ("minutes", "5"),
    ];
    let shown = way.visitor.see("/provider").expect(200).body;
    assert!(shown.contains(&format!("{}/sign-in/callback", origin())), "{shown}");
    let set = way.visitor.send("/provider", "/provider", &fields).expect(200).body;
    assert!(set.contains("The provider answers"), "{set}");
    let Visitor { certificate, port, .. } = &way.visitor;
    let other =
        Visitor { jar: way.installed.path("other"), certificate: certificate.clone(), port: *port };
    assert!(other.see("/runs").expect(303).header("location").starts_with("/sign-in"));
    let begun = other.see("/sign-in/provider?next=/runs").expect(303);
    let requested = begun.header("location");
    assert!(
        requested.contains("redirect_uri=https%3A%2F%2Fload.example.com%2Fsign-in%2Fcallback"),
        "{requested}"
    );
    let page = other.ask(requested, &[]).expect(200).body;
    let action = format!("{provider}{}", between(&page, "action=\"", "\""));
    let number = between(&page, "name=\"page\" value=\"", "\"");
    let typed =
        [("page", number), ("username", "user.7"), ("password", "password"), ("login", "Sign in")];
    let answer = other.ask(&action, &coded(&typed)).expect(302);
    let back = other.ask(answer.header("location"), &[]).expect(303);
    assert_eq!(back.header("location"), "/runs", "{}", back.head);
    assert!(is_guarded(&back), "{}", back.head);
    assert!(other.see("/account").expect(200).body.contains("Your role is viewer"));
    assert_eq!(other.see("/people").status(), 403);
}

/// A run whose page is followed while it goes on. Gives the path of its page.
fn watched(visitor: &Visitor, target: &str) -> String {
    let address = target.trim_start_matches("http://");
    let base = format!("BASE={target}");
    let fields = [
        ("name", "api"),
        ("allow", address),
        ("settings", &base),
        ("users", "10"),
        ("seconds", "120"),
        ("days", "1"),
    ];
    visitor.send("/targets", "/targets", &fields).expect(303);
    visitor
        .send("/secrets", "/secrets", &[("target", "1"), ("name", "PASSWORD"), ("value", "s3cret")])
        .expect(303);
    visitor.send("/plans", "/plans", &[("name", "visit"), ("template", "0")]).expect(303);
    // It ends when it is told to, so what is seen before that was not held back by the proxy.
    let started = visitor
        .send("/plans/1", "/plans/1/run", &[("target", "1"), ("duration", "110s")])
        .expect(303);
    let live = started.header("location").to_owned();
    let mut events = visitor.stream(&format!("{live}/events"));
    events.until("event: rows");
    visitor.send(&live, &format!("{live}/stop"), &[("act", "stop")]).expect(303);
    events.until("event: end");
    let page = live.replace("/live/", "/runs/");
    assert!(until(PATIENCE, || visitor.see(&live).status() == 303
        && visitor.see(&page).status() == 200));
    page
}

/// A backup of the site that goes on, restored as another directory, which the same service serves.
fn restored(way: &Way, service: Program, run: &str) {
    let (backups, new) = (way.installed.path("backups"), way.installed.state("brunt-new"));
    let site = way.installed.state("brunt");
    let made = way.shell(
        ("--verify-backup", "--backup"),
        &[("/var/lib/brunt", &site), ("/backups", &backups)],
    );
    let backup = Path::new(made.lines().next().expect("a path")).to_owned();
    assert!(way.visitor.see("/site").expect(200).body.contains("The last one was made"));
    let example = "/backups/2026-11-30T02-00-00Z";
    let checked = way.shell(("--verify-backup", "--verify-backup"), &[(example, &backup)]);
    assert!(checked.contains("unchanged"), "{checked}");
    let figures = format!("{run}/csv");
    let before = way.visitor.see(&figures).expect(200).body;
    stop(service);
    way.shell(("brunt-new", "--restore"), &[(example, &backup), ("/var/lib/brunt-new", &new)]);
    // The page says to keep this file elsewhere.
    way.shell(("brunt-new", "cp "), &[("/safe", &site), ("/var/lib/brunt-new", &new)]);
    let (service, reply) = way.serve("brunt-new");
    assert_eq!(reply, format!("{}/", origin()));
    // Whoever was signed in still is, and the run is the same.
    assert_eq!(way.visitor.see(&figures).expect(200).body, before);
    assert_eq!(way.visitor.see(run).status(), 200);
    let again = way
        .visitor
        .send("/plans/1", "/plans/1/run", &[("target", "1"), ("duration", "1s")])
        .expect(303);
    let page = again.header("location").replace("/live/", "/runs/");
    assert!(until(PATIENCE, || way.visitor.see(&page).status() == 200));
    stop(service);
}
