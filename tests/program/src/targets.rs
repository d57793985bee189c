//! [`Targets`]: an embedded server for each protocol, and a command that loads each of them.

use std::fs;
use std::path::Path;

use brunt_testbed::free_port;

use crate::{Ended, Program, Trial, brunt};

/// An embedded server of this binary. It ends with the test, which it must have served without a failure of its own.
pub struct Target {
    program: Option<Program>,
    address: String,
}

impl Target {
    /// Starts a server of this kind on a free port.
    pub fn start(kind: &str) -> Self {
        let more = if kind == "dhcp" { "--reply-to-source" } else { "" };
        Self::of(brunt(&format!("target {kind} --listen 127.0.0.1:0 {more}")))
    }

    /// Starts a server of this kind that follows a script.
    pub fn scripted(kind: &str, script: &str) -> Self {
        let trial = brunt(&format!("target {kind} --listen 127.0.0.1:0 --script"));
        let file = trial.file("script.toml", script);
        Self::of(trial.arg(file))
    }

    /// Starts a server by a command line that has it listen at one address.
    pub(crate) fn of(trial: Trial) -> Self {
        let mut program = trial.start();
        program.wait_for_lines(1);
        let line = program.printed().lines().next().unwrap_or_default().to_owned();
        let at = line.split("://").nth(1).unwrap_or_else(|| panic!("no address in {line}"));
        let address = at.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        Self { program: Some(program), address: address.to_owned() }
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The port at which it listens.
    pub fn port(&self) -> &str {
        self.address.rsplit(':').next().unwrap_or_default()
    }

    /// What a path is on it, by HTTP.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Stops it. Returns what it said, which ends with its own count.
    pub fn account(mut self) -> Ended {
        self.end().expect("it runs until now")
    }

    fn end(&mut self) -> Option<Ended> {
        let program = self.program.take()?;
        program.interrupt();
        Some(program.wait().expect(0))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.end();
        }
    }
}

/// One of each.
pub struct Targets {
    /// The LDAP server.
    pub ldap: Target,
    /// The DHCP server.
    pub dhcp: Target,
    /// The identity API.
    pub rest: Target,
}

impl Targets {
    /// Starts them.
    pub fn start() -> Self {
        let [ldap, dhcp, rest] = ["ldap", "dhcp", "rest"].map(Target::start);
        Self { ldap, dhcp, rest }
    }

    /// A command for every protocol, each for two seconds at 50 exchanges a second.
    pub fn commands(&self, directory: &Path) -> Vec<(&'static str, Vec<String>)> {
        let plan = directory.join("plan.toml");
        let rest = self.rest.address();
        let text = format!(
            "[run]\nusers = 3\nrate = '50/s'\nduration = '2s'\n[http]\nbase = 'http://{rest}'\n\
             [[scenario]]\nname = 'all'\n[[scenario.steps]]\nname = 'n'\nget = '/sleep?ms=1'\n"
        );
        fs::write(&plan, text).expect("a file");
        let (ldap, dhcp, plan) = (self.ldap.port(), self.dhcp.port(), plan.display());
        let local = free_port();
        let user = "uid=user.1,ou=people,dc=example,dc=com";
        let lines = [
            (
                "ldap",
                format!("authrate -h 127.0.0.1 -p {ldap} -D {user} -w password -M 50 -d 2 -c 3 -f"),
            ),
            (
                "dhcp",
                format!(
                    "perfdhcp -4 -l 127.0.0.1 -r 50 -p 2 -R 100 -L {local} -N {dhcp} 127.0.0.1"
                ),
            ),
            (
                "rest",
                format!(
                    "http -c 3 -q 50 -z 2s --quiet -H X-Token:password http://{rest}/sleep?ms=1"
                ),
            ),
            ("plan", format!("run --quiet --set run.users=4 {plan}")),
            (
                "names",
                "names lookup --through nss --by user --rate 50 --duration 2s --quiet".to_owned(),
            ),
        ];
        lines.map(|(name, line)| (name, line.split(' ').map(str::to_owned).collect())).to_vec()
    }
}
