//! `brunt target rest`: an identity API for trying things out.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use brunt_http_server::{Config, Running, Script, Server, Stats};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::console;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

use super::served::{listen, script, wait};
use crate::cli::rest_target::RestTargetArgs;
use crate::commands::failed;

/// Starts an identity API and serves until it is stopped.
pub(super) fn rest(args: &RestTargetArgs, world: &World) -> Result<Exit, Refusal> {
    let running = Server::start(config(args, world)?).map_err(failed)?;
    if let Some(path) = &args.ca_out {
        console::write(path, running.ca_pem())?;
    }
    listen(world)?;
    announce(args, &running, &world.console)?;
    let exit = wait(world, args.max_duration);
    world.console.report(&account(&running.shutdown()));
    Ok(exit)
}

fn config(args: &RestTargetArgs, world: &World) -> Result<Config, Refusal> {
    Ok(Config {
        listen: args.listen,
        listen_tls: args.listen_tls,
        users: args.users,
        password: args.password.clone(),
        admin_password: args.admin_password.clone(),
        threads: usize::from(args.threads),
        sleep_max: Duration::from_millis(args.sleep_max),
        log: args.log.clone(),
        script: script(args.script.as_deref(), &world.files, Script::parse)?,
        ..Config::default()
    })
}

/// Prints one line for each address to standard output, for scripts that requested a free port.
fn announce(args: &RestTargetArgs, running: &Running, console: &Console) -> Result<Exit, Refusal> {
    let url = |scheme: &str, address: SocketAddr| format!("{scheme}://{address}\n");
    let tls = running.tls_address().map(|address| url("https", address)).unwrap_or_default();
    console.print(&format!("{}{tls}", url("http", running.address())))?;
    let last = args.users.saturating_sub(1);
    console.message(&format!(
        "{} users, user.0 to user.{last}, and amadmin. This server is for tests only. ^C stops it.",
        args.users
    ));
    Ok(Exit::Ok)
}

/// What the server received, by its own count.
fn account(stats: &Stats) -> String {
    let mut out = format!(
        "{} connections, {} TLS handshakes, {} requests ({} by HTTP/2)\n",
        stats.connections_accepted,
        stats.handshakes,
        stats.requests_total(),
        stats.requests[1]
    );
    for tally in &stats.answers {
        let _ = writeln!(
            out,
            "{:<8} {:<32} {} {:>10}",
            tally.method, tally.path, tally.status, tally.count
        );
    }
    if stats.malformed > 0 {
        let _ = writeln!(out, "{:<45} {:>10}", "no HTTP", stats.malformed);
    }
    for (event, count) in &stats.events {
        let _ = writeln!(out, "event: {event:<38} {count:>10}");
    }
    for (fault, count) in stats.faults.iter().filter(|(_, count)| *count > 0) {
        let _ = writeln!(out, "script: {fault:<37} {count:>10}");
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use brunt_http_server::Tally;
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::{Brunt, TargetKind, Verb};

    #[test]
    fn target_rest_arguments_become_its_configuration() {
        let words = "brunt target rest --listen [::1]:0 --listen-tls 127.0.0.1:0 --users 7 --password a \
                     --admin-password b --threads 3 --sleep-max 1500 --log requests.jsonl";
        let args = match Brunt::try_parse_from(words.split_whitespace()).unwrap().verb {
            Verb::Target { kind: TargetKind::Rest(args) } => args,
            other => panic!("{other:?}"),
        };
        let config = config(&args, &World::of_process()).unwrap();
        assert_eq!(config.listen, "[::1]:0".parse().unwrap());
        assert_eq!(config.listen_tls, Some("127.0.0.1:0".parse().unwrap()));
        assert_eq!((config.users, config.threads), (7, 3));
        assert_eq!((&*config.password, &*config.admin_password), ("a", "b"));
        assert_eq!(config.sleep_max, Duration::from_millis(1500));
        assert_eq!(config.log.as_deref(), Some(Path::new("requests.jsonl")));
    }

    #[test]
    fn target_rest_totals_list_only_what_happened() {
        let answer = Tally { method: "GET", path: "/api/users/{id}", status: 200, count: 5 };
        let stats = Stats {
            connections_accepted: 2,
            requests: [4, 1],
            answers: vec![answer],
            malformed: 1,
            faults: vec![("delay", 0), ("drop", 3)],
            events: vec![("LOGIN", 2)],
            ..Stats::default()
        };
        let words: Vec<_> = account(&stats)
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            words,
            [
                "2 connections, 0 TLS handshakes, 5 requests (1 by HTTP/2)",
                "GET /api/users/{id} 200 5",
                "no HTTP 1",
                "event: LOGIN 2",
                "script: drop 3"
            ]
        );
    }
}
