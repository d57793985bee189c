//! A visit that Chromium recorded: an application with a login at Keycloak. The recording is imported, and what it
//! became is carried out by several users with nothing added but the password.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use brunt_test_program::brunt;
use brunt_testbed::{Keycloak, require};

use crate::brunt::command;
use crate::identity::keycloak;

/// The visit of user.1 to the application on port 28090, with the login at the realm "load" on port 28080. Bodies of
/// style sheets, scripts, images and fonts were taken out.
const RECORDING: &str = include_str!("visit/login.har");
/// What each person does once.
const VISITS: u64 = 5;

/// The application that was visited.
struct App {
    child: Child,
    url: String,
}

impl App {
    fn start(server: &Keycloak) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http/visit/app.py");
        let mut python = Command::new("python3");
        python.arg(file).args([&server.url(), Keycloak::REALM]).stdout(Stdio::piped());
        let mut child = python.spawn().expect("python3 starts");
        let mut url = String::new();
        let out = child.stdout.take().expect("its output is a pipe");
        BufReader::new(out).read_line(&mut url).expect("it prints its URL");
        url.truncate(url.trim_end().len());
        Self { child, url }
    }

    /// What happened in it, as JSON.
    fn counts(&self) -> String {
        let requested =
            Command::new("curl").args(["-sS", &format!("{}/counts", self.url)]).output();
        String::from_utf8(requested.expect("curl starts").stdout).expect("JSON is text")
    }
}

impl Drop for App {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The recording, as it would be of this server and this application.
fn recording(server: &Keycloak, app: &App) -> String {
    let host = |url: &str| url.trim_start_matches("http://").to_owned();
    let mut text = RECORDING.to_owned();
    for (recorded, there) in [
        ("127.0.0.1:28080", host(&server.url())),
        ("127.0.0.1:28090", host(&app.url)),
        ("/realms/load", format!("/realms/{}", Keycloak::REALM)),
    ] {
        let encoded = |text: &str| text.replace(':', "%3A").replace('/', "%2F");
        text = text.replace(recorded, &there).replace(&encoded(recorded), &encoded(&there));
    }
    text
}

#[test]
fn recorded_login_is_imported_and_run_by_several_users() {
    let Some(server) = keycloak() else { return };
    if !require(&["python3", "curl"]) {
        return;
    }
    let app = App::start(&server);
    let mut run = None;
    let seen = server.saw(|| {
        let trial = command("run");
        let har = trial.file("login.har", &recording(&server, &app));
        let plan = har.with_file_name("login.toml");
        let imported = brunt("import har").arg(&har).arg("-o").arg(&plan).run().expect(0);
        let literal = "left literal: nothing of 40 bits or more";
        assert!(imported.stderr.contains(literal), "{imported}");
        let load = [format!("run.users={VISITS}"), "run.iterations.each=1".to_owned()];
        let settings = load.iter().flat_map(|setting| ["--set", setting]);
        let trial = trial.arg(plan).args(settings).env("PASSWORD", "password");
        run = Some(trial.run().went_well());
    });
    let run = run.expect("it ran");
    let counts = format!(
        "{{\"login\": {VISITS}, \"note\": {VISITS}, \"logout\": {VISITS}, \"refused\": 0}}"
    );
    assert_eq!(app.counts(), counts, "{run}");
    for event in ["LOGIN", "CODE_TO_TOKEN", "LOGOUT"] {
        assert_eq!(seen.happened(event), VISITS, "{event}\n{run}");
    }
    assert_eq!(run.count("failed"), 0, "{run}");
}
