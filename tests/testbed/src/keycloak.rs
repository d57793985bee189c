//! A Keycloak with one realm: a client that may do everything the tests want, and users.
//!
//! Building the server and filling its database takes longer than all tests that use it, so it is done once a machine
//! (see [`prepared`]) and each server runs on a copy of the database. The Java program is started directly, because the
//! server's own script would stand between it and the signals.
//!
//! It still takes longer to start than any test takes, so one serves all tests of a run (see [`Shared`]).

use crate::ask::ask;
use crate::daemon::Daemon;
use crate::people::PASSWORD;
use crate::ports::free_port;
use crate::prepared::prepared;
use crate::require::keycloak_archive;
use crate::shared::{Lasting, PREFIX, Shared, Started, shared};
use crate::tool::{command, finish, make_directory, write};
use crate::wait::until;
use serde_json::{Value, json};
use std::fs;
use std::hash::Hash;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long the log may take to show a request.
const PATIENCE: Duration = Duration::from_secs(90);

/// The options of the server's own script for Java, with less memory.
const JAVA: [&str; 13] = [
    "-Xms64m",
    "-Xmx512m",
    "-XX:MaxMetaspaceSize=256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dfile.encoding=UTF-8",
    "-Duser.language=en",
    "-Djava.security.egd=file:/dev/urandom",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--add-opens=java.base/java.security=ALL-UNNAMED",
    "-Djava.util.concurrent.ForkJoinPool.common.threadFactory=\
     io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory",
    "-cp",
];

/// What is decided when the server is built. Its database is a file.
const BUILD: [&str; 3] = ["--db=dev-file", "--health-enabled=false", "--metrics-enabled=false"];

/// What is decided when it is started. It looks for no others of a cluster, on any network. Its log has every request
/// and every event, as they end.
const START: [&str; 7] = [
    "--cache=local",
    "--http-enabled=true",
    "--http-host=127.0.0.1",
    "--hostname-strict=false",
    "--http-access-log-enabled=true",
    "--http-access-log-pattern=asked %r %s",
    "--spi-events-listener--jboss-logging--success-level=info",
];

/// Where logins of the application of a recorded visit lead to. Its port may be any, as for every loopback address.
const VISITED: &str = "http://127.0.0.1/cb";
/// What the account of the client may do.
const ADMINISTERS: [&str; 4] = ["manage-users", "view-users", "manage-realm", "manage-clients"];

/// A running Keycloak.
#[derive(Debug)]
pub struct Keycloak {
    // First, so that the server is gone before its directory is removed.
    daemon: Daemon,
    port: u16,
    directory: PathBuf,
}

impl Keycloak {
    /// The realm that there is beside Keycloak's own.
    pub const REALM: &'static str = "testbed";
    /// Its client: passwords are granted for tokens, and its own account may manage users, roles, groups and clients.
    pub const CLIENT: &'static str = "app";
    /// The secret of the client.
    pub const SECRET: &'static str = "app-secret";
    /// Its public client for browsers: the authorization code flow, with PKCE by SHA-256 or not at all.
    pub const WEB: &'static str = "web";
    /// Where that client's logins lead back to. Nothing is there.
    pub const BACK: &'static str = "http://127.0.0.1/app/back";
    /// Users of the realm: `user.0` and so on, with the password `password`.
    pub const USERS: usize = 200;
    /// Users with a one-time password after it: `otp.0` and so on, whose seeds are `brunt-seed-of-otp.0` and so on.
    pub const OTP_USERS: usize = 3;

    /// The server of the test run, once no other test uses it. What earlier tests changed in it has changed.
    pub fn shared() -> Shared<Self> {
        shared()
    }

    /// Starts a server of the test's own, which takes long; the first one on a machine is built before.
    pub fn start() -> Self {
        Self::of(<Self as Lasting>::start())
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The path of something of the realm: `path("/protocol/openid-connect/token")`.
    pub fn path(&self, rest: &str) -> String {
        realm_path(rest)
    }

    /// The identifier of user `number`.
    pub fn user_id(number: usize) -> String {
        format!("00000000-0000-4000-8000-{number:012}")
    }

    /// The process id of the server.
    pub fn id(&self) -> u32 {
        self.daemon.id()
    }

    /// What the server says it saw of what `during` did.
    pub fn saw(&self, during: impl FnOnce()) -> Seen {
        let before = self.settled().len();
        during();
        Seen::new(&self.settled()[before..])
    }

    /// The log, once a request made now is in it and nothing more follows: the server writes by many threads.
    fn settled(&self) -> String {
        let path = self.path("");
        let text = || {
            let log = fs::read(self.directory.join("log")).expect("the log is readable");
            String::from_utf8_lossy(&log).into_owned()
        };
        let marks = |text: &str| text.matches(&format!("asked GET {path} ")).count();
        let before = marks(&text());
        ask(self.port, &path);
        assert!(until(PATIENCE, || marks(&text()) > before), "the log does not show {path}");
        let mut last = String::new();
        loop {
            let now = text();
            if now == last && now.ends_with('\n') {
                return now;
            }
            last = now;
            until(Duration::from_millis(100), || false);
        }
    }
}

impl Lasting for Keycloak {
    const KIND: &'static str = "keycloak";

    fn recipe() -> impl Hash {
        (prepare(), JAVA, START)
    }

    fn start() -> Started {
        let prepared = prepare();
        let directory = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}keycloak-"))
            .tempdir()
            .expect("a temporary directory");
        let root = directory.path();
        for part in ["lib", "providers", "conf", "themes"] {
            symlink(prepared.join("keycloak").join(part), root.join(part))
                .expect("a link can be made");
        }
        finish(command("cp").arg("-r").arg(prepared.join("keycloak/data")).arg(root));
        make_directory(&root.join("tmp"));
        let port = free_port();
        let mut java = command("java");
        java.args(JAVA).arg(root.join("lib/quarkus-run.jar"));
        for (property, part) in [
            ("java.io.tmpdir", "tmp"),
            ("kc.home.dir", ""),
            ("jboss.server.config.dir", "conf"),
            ("keycloak.theme.dir", "themes"),
        ] {
            java.arg(format!("-D{property}={}", root.join(part).display()));
        }
        java.args(["io.quarkus.bootstrap.runner.QuarkusEntryPoint", "start", "--optimized"]);
        java.args(START).arg(format!("--http-port={port}"));
        let daemon = Daemon::start_in(root, &java, &root.join("log"));
        daemon.wait_for_port(port);
        assert_eq!(ask(port, &realm_path("")), 200, "the realm is not there");
        Started { daemon, directory: directory.keep(), ports: vec![port] }
    }

    fn of(Started { daemon, directory, ports }: Started) -> Self {
        let [port] = ports[..] else { panic!("Keycloak has one port") };
        Self { daemon, port, directory }
    }
}

/// The path of something of the realm.
fn realm_path(rest: &str) -> String {
    format!("/realms/{}{rest}", Keycloak::REALM)
}

/// What a Keycloak says it was asked, and what happened in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Method, path without its query, and status of each request.
    pub requests: Vec<(String, String, u16)>,
    /// `LOGIN`, `USER_INFO_REQUEST`, `LOGIN_ERROR` and so on; `UPDATE USER` and the like for what administrators do.
    pub events: Vec<String>,
}

impl Seen {
    fn new(log: &str) -> Self {
        let mut seen = Self::default();
        for line in log.lines() {
            if let Some((_, request)) = line.split_once(" asked ") {
                let words: Vec<&str> = request.split(' ').collect();
                let [method, target, _, status] = words[..] else { continue };
                let path = target.split('?').next().unwrap_or_default();
                let status = status.parse().unwrap_or_default();
                seen.requests.push((method.into(), path.into(), status));
            } else if line.contains("[org.keycloak.events]") {
                let of = |name: &str| {
                    line.split_once(&format!("{name}=\""))?.1.split('"').next().map(str::to_owned)
                };
                let administered =
                    || Some(format!("{} {}", of("operationType")?, of("resourceType")?));
                seen.events.extend(of(" type").or_else(administered));
            }
        }
        // Only the testbed requests the realm itself.
        seen.requests.retain(|(_, path, _)| !path.ends_with(Keycloak::REALM));
        seen
    }

    /// How many requests had this method, a path with this end, and this status.
    pub fn requested(&self, method: &str, end: &str, status: u16) -> u64 {
        let same = |one: &&(String, String, u16)| {
            one.0 == method && one.1.ends_with(end) && one.2 == status
        };
        self.requests.iter().filter(same).count() as u64
    }

    /// How many events of this kind there were.
    pub fn happened(&self, event: &str) -> u64 {
        self.events.iter().filter(|one| *one == event).count() as u64
    }
}

/// The directory of the built server with its database, made first if need be.
fn prepare() -> PathBuf {
    let archive = keycloak_archive();
    assert!(
        archive.join("bin/kc.sh").exists(),
        "Keycloak is not at {}; run tests/setup",
        archive.display()
    );
    let realm = realm().to_string();
    prepared("keycloak", (&realm, BUILD, &archive), |place| {
        let home = place.join("keycloak");
        finish(command("cp").arg("-r").arg(&archive).arg(&home));
        write(&place.join("realm.json"), &realm);
        finish(script(&home).arg("build").args(BUILD));
        finish(
            script(&home).args(["import", "--optimized", "--file"]).arg(place.join("realm.json")),
        );
    })
}

/// The server's own script, for what is done once.
fn script(home: &Path) -> Command {
    let mut script = command("sh");
    script.arg(home.join("bin/kc.sh")).env("JAVA_OPTS", JAVA[..11].join(" "));
    script
}

/// The realm as Keycloak imports it. Passwords are hashed once, because it is not hashing that tests are about.
fn realm() -> Value {
    let user = |number: usize| {
        json!({
            "id": Keycloak::user_id(number),
            "username": format!("user.{number}"),
            "email": format!("user.{number}@example.com"),
            "emailVerified": true,
            "firstName": "User",
            "lastName": number.to_string(),
            "enabled": true,
            "credentials": [{"type": "password", "value": PASSWORD}],
        })
    };
    let mut users: Vec<Value> = (0..Keycloak::USERS).map(user).collect();
    users.extend((0..Keycloak::OTP_USERS).map(second_factor));
    users.push(json!({
        "username": format!("service-account-{}", Keycloak::CLIENT),
        "enabled": true,
        "serviceAccountClientId": Keycloak::CLIENT,
        "clientRoles": {"realm-management": ADMINISTERS},
    }));
    json!({
        "realm": Keycloak::REALM,
        "enabled": true,
        "oauth2DevicePollingInterval": 1,
        "sslRequired": "none",
        "registrationAllowed": true,
        "passwordPolicy": "hashAlgorithm(pbkdf2-sha256) and hashIterations(1)",
        "clients": [{
            "clientId": Keycloak::CLIENT,
            "secret": Keycloak::SECRET,
            "enabled": true,
            "publicClient": false,
            "standardFlowEnabled": false,
            "directAccessGrantsEnabled": true,
            "serviceAccountsEnabled": true,
        }, {
            "clientId": Keycloak::WEB,
            "enabled": true,
            "publicClient": true,
            "standardFlowEnabled": true,
            "redirectUris": [Keycloak::BACK, VISITED],
            "attributes": {
                "pkce.code.challenge.method": "S256",
                "post.logout.redirect.uris": "http://127.0.0.1/",
            },
        }, {
            "clientId": "tv",
            "enabled": true,
            "publicClient": true,
            "standardFlowEnabled": false,
            "attributes": {"oauth2.device.authorization.grant.enabled": "true"},
        }, {
            "clientId": "service",
            "protocol": "saml",
            "enabled": true,
            "redirectUris": ["*"],
            "attributes": {
                "saml.client.signature": "false",
                "saml.server.signature": "true",
                "saml_force_name_id_format": "true",
                "saml_name_id_format": "username",
            },
        }],
        "users": users,
    })
}

/// A user that has a one-time password beside the password.
fn second_factor(number: usize) -> Value {
    let seed = json!({"value": format!("brunt-seed-of-otp.{number}")}).to_string();
    let kind = json!({"subType": "totp", "digits": 6, "period": 30, "algorithm": "HmacSHA1"});
    json!({
        "username": format!("otp.{number}"),
        "email": format!("otp.{number}@example.com"),
        "emailVerified": true,
        "firstName": "Otp",
        "lastName": number.to_string(),
        "enabled": true,
        "credentials": [
            {"type": "password", "value": PASSWORD},
            {"type": "otp", "secretData": seed, "credentialData": kind.to_string()},
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keycloak_requests_and_events_are_distinguished() {
        let line = |category: &str, text: &str| {
            format!(
                "2026-11-21 08:04:16,089 INFO  [org.keycloak.{category}] (executor-thread-1) {text}\n"
            )
        };
        let log = [
            line("http.access-log", "asked GET /realms/testbed HTTP/1.1 200"),
            line("http.access-log", "asked GET /realms/testbed/userinfo?a=b HTTP/1.1 200"),
            line(
                "events",
                r#"type="CLIENT_LOGIN", realmId="5d3e", grant_type="client_credentials""#,
            ),
            line("events", r#"operationType="UPDATE", realmId="5d3e", resourceType="USER""#),
        ];
        let seen = Seen::new(&log.concat());
        assert_eq!(seen.requests, [("GET".into(), "/realms/testbed/userinfo".into(), 200)]);
        assert_eq!(seen.events, ["CLIENT_LOGIN", "UPDATE USER"]);
        assert_eq!(
            (seen.requested("GET", "/userinfo", 200), seen.happened("CLIENT_LOGIN")),
            (1, 1)
        );
        assert_eq!((seen.requested("GET", "/userinfo", 401), seen.happened("LOGIN")), (0, 0));
    }
}
