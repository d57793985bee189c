//! [`Targets`]: an embedded server for each protocol, and a command that loads each of them.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use brunt_test_program::Ended;

use crate::dhcp::Dhcp;
use crate::directory::Directory;
use crate::machine::own;
use crate::rest_target::RestTarget;

/// How long a call takes that blocks a thread.
const CALL: Duration = Duration::from_millis(1);

/// One server of each protocol, on the machine of this test.
pub(crate) struct Targets {
    pub(crate) ldap: Directory,
    pub(crate) dhcp: Arc<Dhcp>,
    pub(crate) rest: RestTarget,
}

impl Targets {
    /// Starts them.
    pub(crate) fn start() -> Self {
        Self { ldap: Directory::start(2_000), dhcp: Dhcp::start(""), rest: RestTarget::start() }
    }

    /// A command for every protocol, each for two seconds at 50 exchanges a second.
    pub(crate) fn commands(&self, directory: &Path) -> [(&'static str, Vec<String>); 5] {
        let plan = directory.join("plan.toml");
        let rest = &self.rest.base;
        let text = format!(
            "[run]\nusers = 3\nrate = '50/s'\nduration = '2s'\n[http]\nbase = '{rest}'\n\
             [[scenario]]\nname = 'all'\n[[scenario.steps]]\nname = 'n'\nget = '/sleep?ms=1'\n"
        );
        fs::write(&plan, text).expect("a file");
        let plan = plan.display();
        let user = "uid=user.1,ou=people,dc=example,dc=com";
        let ldap = format!("-h 10.0.0.2 -p 389 -D {user} -w password -M 50 -d 2 -c 3 -f");
        let lines = [
            ("ldap", format!("authrate {ldap}")),
            ("dhcp", "perfdhcp -4 -l 10.0.3.9 -r 50 -p 2 -R 100 10.0.3.1".to_owned()),
            (
                "rest",
                format!("http -c 3 -q 50 -z 2s --quiet -H X-Token:password {rest}/sleep?ms=1"),
            ),
            ("plan", format!("run --quiet --set run.users=4 {plan}")),
            (
                "names",
                "names lookup --through nss --by user --rate 50 --duration 2s --quiet".to_owned(),
            ),
        ];
        lines.map(|(name, line)| (name, line.split(' ').map(str::to_owned).collect()))
    }
}

/// Carries out a command with options before its own; some tools take none after their first argument.
pub(crate) fn with(line: &[String], options: &[&str]) -> Ended {
    let tool = if line[0] == "names" { 2 } else { 1 };
    let words = line.iter().map(String::as_str).collect::<Vec<_>>();
    let words = [&words[..tool], options, &words[tool..]].concat();
    own(|machine| {
        machine.time().calls_take(CALL);
        machine.run(&words)
    })
}
