//! The acts of `brunt quickstart rest`: one URL as fast as possible and at a rate, then users who sign in, by a plan
//! that is kept for the reader to change.

use brunt_http_server::{Config, Server};
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

use super::{Show, failed};
use crate::cli::args::QuickstartArgs;

impl Show<'_> {
    /// Runs the acts against an identity API in memory.
    pub(super) fn rest(&mut self) -> Result<Exit, Refusal> {
        let args = self.args;
        let running =
            Server::start(Config { users: args.users, ..Config::default() }).map_err(failed)?;
        let base = format!("http://{}", running.address());
        let users = args.users;
        self.open(&format!("An identity API in memory with {users} users runs at {base}"))?;
        let plan = args.output.join("login.toml");
        std::fs::write(&plan, login(&base, args))
            .map_err(|error| failed(format!("write {}: {error}", plan.display())))?;
        let (ping, duration) = (format!("{base}/openidm/info/ping"), format!("{}s", args.duration));
        let connections = args.connections.to_string();
        let flood: Vec<&str> = vec!["http", "-c", &connections, "-z", &duration, &ping];
        let paced = ["http", "-c", &connections, "-z", &duration, "-q", "500", &ping].to_vec();
        let file = plan.display().to_string();
        let acts = [
            ("flood", "As fast as possible: how many requests a second are answered?", flood),
            ("paced", "At 500 requests a second: how long would users wait?", paced),
            (
                "login",
                "A plan: users sign in, read their entry and sign out, with think time.",
                vec!["run", &file],
            ),
        ];
        for (name, title, words) in acts {
            let record = self.place(name);
            let last = ["--record".to_owned(), record.display().to_string()];
            let details = args.details.then(|| "--details".to_owned());
            let words = ["brunt"].into_iter().chain(words).map(str::to_owned).chain(last);
            let words: Vec<String> = words.chain(details).collect();
            self.announce(title, &words)?;
            let outcome = self.act(&words)?;
            if self.ended(record, &outcome)? {
                return Ok(outcome.exit);
            }
        }
        Ok(Exit::Ok)
    }
}

/// A plan that a new reader can follow.
fn login(base: &str, args: &QuickstartArgs) -> String {
    let (users, duration, last) = (args.connections, args.duration, args.users - 1);
    format!(
        r#"# Users sign in, read their own entry and sign out. 'brunt run --check FILE' shows the requests.
name = "login"

[run]
users = {users}
think = "uniform 50ms..150ms"
duration = "{duration}s"

[http]
base = "{base}/openam/json"

[variables]
number = {{ random = "0..{last}" }}
person = "user.${{number}}"

[[scenario]]
name = "visit"

[[scenario.steps]]
name = "sign in"
post = "/authenticate"
headers = {{ X-OpenAM-Username = "${{person}}", X-OpenAM-Password = "password" }}
extract = {{ token = {{ json = "/tokenId" }} }}

[[scenario.steps]]
name = "read"
get = "/users/${{person}}"
headers = {{ iPlanetDirectoryPro = "${{token}}" }}
checks = [{{ json = "/username", equals = "${{person}}" }}]

[[scenario.steps]]
name = "sign out"
post = "/sessions/?_action=logout"
headers = {{ iPlanetDirectoryPro = "${{token}}" }}
"#
    )
}
