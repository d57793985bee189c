//! The program as a library: `brunt http` is carried out in this process, against an embedded server in this process.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use brunt_app::{Environment, Exit, Refusal, RunClock, World, carry_out};
use brunt_http_server::{Config, Running, Server};
use brunt_record::Record;

fn line(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn library_http_run_returns_record_and_exit_code() {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::start(Config { listen, ..Config::default() }).expect("it starts");
    let world = World::kept(Environment::default());
    let directory = tempfile::tempdir().expect("a directory");
    let record = directory.path().join("run.json");
    let (url, file) =
        (format!("http://{}/sleep?ms=1", server.address()), record.display().to_string());
    let run = ["brunt", "http", "-c", "2", "-n", "50", "--quiet", "--record", &file, &url];
    let exit = carry_out(&line(&run), &world).expect("it is carried out");
    // A busy machine may have disturbed it.
    assert!(matches!(exit, Exit::Ok | Exit::Undecided), "{exit:?}");
    let record = Record::read(&record).expect("a record");
    assert_eq!(record.counts.ok, 50);
    assert_eq!(server.stats().requests_total(), 50);

    let objective = ["brunt", "http", "-c", "1", "-n", "5", "--quiet", "--slo", "p99<1us", &url];
    let missed = carry_out(&line(&objective), &world).expect("it is carried out");
    assert!(matches!(missed, Exit::Missed | Exit::Undecided), "{missed:?}");
    let refused =
        carry_out(&line(&["brunt", "http", "--slo", "p99", &url]), &world).expect_err("no limit");
    assert_eq!(refused.exit, Exit::Usage);
    assert!(refused.text.contains("p99"), "{}", refused.text);
    assert_eq!(server.stats().requests_total(), 55);
}

#[test]
fn library_runs_have_their_own_policy() {
    let server = |ip: [u8; 4]| {
        let config = Config { listen: SocketAddr::from((ip, 0)), ..Config::default() };
        Server::start(config).expect("it starts")
    };
    let servers = [server([127, 0, 0, 1]), server([127, 0, 0, 2])];
    for (allowed, ip) in ["127.0.0.1", "127.0.0.2"].into_iter().enumerate() {
        for (own, server) in servers.iter().enumerate() {
            let url = format!("http://{}/bytes/10", server.address());
            let before = server.stats().requests_total();
            let run = ["brunt", "http", "-c", "1", "-n", "3", "--quiet", "--allow", ip, &url];
            let ended = carry_out(&line(&run), &World::kept(Environment::default()));
            let answered = server.stats().requests_total() - before;
            if own == allowed {
                assert!(matches!(ended, Ok(Exit::Ok | Exit::Undecided)), "{ended:?}");
                assert_eq!(answered, 3);
            } else {
                let refused = ended.expect_err("it is not allowed");
                assert_eq!((refused.exit, answered), (Exit::Unsafe, 0));
                assert!(refused.text.contains("add it with --allow"), "{}", refused.text);
            }
        }
    }
}

/// A plan that reads its target and its name from the environment.
const PLAN: &str = r#"
name = "${env:WHO}"
[http]
base = "${env:BASE}"
[run]
iterations = { each = 20 }
[[scenario]]
steps = [{ get = "/sleep?ms=2" }]
"#;

/// A run of the plan that is told everything by its own world.
struct Side {
    server: Running,
    who: &'static str,
    world: World,
}

impl Side {
    fn new(who: &'static str) -> Self {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = Server::start(Config { listen, ..Config::default() }).expect("it starts");
        let base = format!("http://{}", server.address());
        let environment = [("WHO", who), ("BASE", &base)].into_iter().collect();
        Self { server, who, world: World::kept(environment) }
    }

    fn carry_out(&self, plan: &str, record: &str, more: &[&str]) -> Record {
        let words = [&["brunt", "run", plan, "--record", record], more].concat();
        let exit = carry_out(&line(&words), &self.world).expect("it is carried out");
        assert!(matches!(exit, Exit::Ok | Exit::Undecided), "{exit:?}");
        Record::read(std::path::Path::new(record)).expect("a record")
    }

    fn saw_only_its_own(&self, record: &Record) {
        let (address, target) = (self.server.address().to_string(), record.plan.target.as_deref());
        let target = target.expect("a run has a target");
        assert!(target.contains(self.who) && target.contains(&address), "{target}");
        assert_eq!((record.counts.ok, self.server.stats().requests_total()), (20, 20));
        assert_eq!(self.world.environment.referred_to(), ["BASE", "WHO"]);
    }
}

#[test]
fn library_runs_in_parallel_have_their_own_environment() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    std::fs::write(path("plan.toml"), PLAN).expect("it is written");
    let (loud, quiet) = (Side::new("the-loud-one"), Side::new("the-quiet-one"));
    let (plan, loud_path, quiet_path) = (path("plan.toml"), path("loud.json"), path("quiet.json"));
    let (loud_record, quiet_record) = std::thread::scope(|scope| {
        let other = scope.spawn(|| quiet.carry_out(&plan, &quiet_path, &["--quiet"]));
        (loud.carry_out(&plan, &loud_path, &[]), other.join().expect("it ends"))
    });
    loud.saw_only_its_own(&loud_record);
    quiet.saw_only_its_own(&quiet_record);

    let (message, shown) = (loud.world.console.errors(), loud.world.console.output());
    assert!(message.contains(&format!("record: {loud_path}\n")), "{message}");
    assert!(!message.contains("quiet") && !shown.contains("quiet"), "{message}\n{shown}");
    assert!(shown.contains("get /sleep"), "{shown}");
    assert!(quiet.world.console.output().contains("get /sleep"));
    let message = quiet.world.console.errors();
    assert!(!message.contains("record:") && !message.contains("loud"), "{message}");
}

#[test]
fn library_output_goes_to_the_console_of_its_world() {
    let (one, other) = (World::kept(Environment::default()), World::kept(Environment::default()));
    carry_out(&line(&["brunt", "--version"]), &one).expect("it prints its version");
    let refused = carry_out(&line(&["brunt", "nothing"]), &other).expect_err("no such command");
    assert_eq!(refused.exit, Exit::Usage);
    assert!(one.console.output().starts_with("brunt "), "{}", one.console.output());
    assert_eq!((one.console.errors(), other.console.output()), (String::new(), String::new()));
}

/// A file of the project, by the name that it has in the directory in which tests run.
const OWN: &str = "tests/library/main.rs";

/// A run that sends the content of a file.
fn sending(file: &Path, url: &str, world: &World) -> Result<Exit, Refusal> {
    let file = file.display().to_string();
    let run = ["brunt", "http", "-c", "1", "-n", "3", "--quiet", "-m", "POST", "-D", &file, url];
    carry_out(&line(&run), world)
}

fn opened(world: &World) -> Vec<PathBuf> {
    world.files.opened().into_iter().map(|(path, _)| path).collect()
}

#[test]
fn library_runs_in_parallel_have_their_own_file_rules() {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::start(Config { listen, ..Config::default() }).expect("it starts");
    let url = format!("http://{}/echo", server.address());
    let directory = tempfile::tempdir().expect("a directory");
    let elsewhere = directory.path().join("body");
    std::fs::write(&elsewhere, "a body").expect("it is written");
    let (confined, free) =
        (World::kept(Environment::default()), World::kept(Environment::default()));
    confined.files.confine();
    let sent = std::thread::scope(|scope| {
        let other = scope.spawn(|| sending(&elsewhere, &url, &free));
        [sending(Path::new(OWN), &url, &confined), other.join().expect("it ends")]
    });
    for ended in sent {
        assert!(matches!(ended, Ok(Exit::Ok | Exit::Undecided)), "{ended:?}");
    }
    assert_eq!(opened(&confined), [Path::new(OWN)]);
    assert_eq!(opened(&free), [&*elsewhere]);

    let refused = sending(&elsewhere, &url, &confined).expect_err("it lies elsewhere");
    let name = elsewhere.display().to_string();
    assert!(refused.text.contains("relative names only") && refused.text.contains(&name));
    assert_eq!(opened(&confined), [Path::new(OWN)]);
    assert_eq!(server.stats().requests_total(), 6);
}

#[test]
fn library_run_uses_the_clock_of_its_world() {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::start(Config { listen, ..Config::default() }).expect("it starts");
    let url = format!("http://{}/bytes/10", server.address());
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (record, log) = (path("run.json"), path("run.hlog"));
    let mut world = World::kept(Environment::default());
    // 2001-09-09T01:00:00Z
    world.clock = RunClock::showing(SystemTime::UNIX_EPOCH + Duration::from_secs(999_997_200));
    let run = ["brunt", "http", "-c", "1", "-n", "3", "--record", &record, "--hlog", &log, &url];
    let exit = carry_out(&line(&run), &world).expect("it is carried out");
    assert!(matches!(exit, Exit::Ok | Exit::Undecided), "{exit:?}");
    let record = Record::read(Path::new(&record)).expect("a record");
    assert!(record.started.starts_with("2001-09-09T01:"), "{}", record.started);
    let log = std::fs::read_to_string(log).expect("a log");
    assert!(log.contains("[StartTime: 99999"), "{log}");
}
