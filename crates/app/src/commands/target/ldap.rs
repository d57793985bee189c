//! `brunt target ldap`: a directory server for trying things out.

use std::net::SocketAddr;

use brunt_ldap_server::{Config, Running, Script, Server, Stats};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::console;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

use super::served::{listen, script, wait};
use crate::cli::args::LdapTargetArgs;
use crate::commands::failed;

/// Starts a directory server and serves until it is stopped.
pub(super) fn ldap(args: &LdapTargetArgs, world: &World) -> Result<Exit, Refusal> {
    let running = Server::start(Config {
        listen: args.listen,
        listen_tls: args.listen_tls,
        suffix: args.suffix.clone(),
        users: args.users as usize,
        password: args.password.clone(),
        admin_password: args.password.clone(),
        threads: usize::from(args.threads),
        script: script(args.script.as_deref(), &world.files, Script::parse)?,
        ..Config::default()
    })
    .map_err(failed)?;
    if let Some(path) = &args.ca_out {
        console::write(path, running.ca_pem())?;
    }
    listen(world)?;
    announce(args, &running, &world.console)?;
    let exit = wait(world, args.max_duration);
    world.console.report(&account(&running.shutdown()));
    Ok(exit)
}

/// Prints one line for each address to standard output, for scripts that requested a free port.
fn announce(args: &LdapTargetArgs, running: &Running, console: &Console) -> Result<Exit, Refusal> {
    let url = |scheme: &str, address: SocketAddr| format!("{scheme}://{address}\n");
    let tls = running.tls_address().map(|address| url("ldaps", address)).unwrap_or_default();
    console.print(&format!("{}{tls}", url("ldap", running.address())))?;
    let last = args.users.saturating_sub(1);
    console.message(&format!(
        "{} users, uid=user.0 to uid=user.{last} under ou=people,{}, and uid=admin,{}. This server is for tests only. \
         ^C stops it.",
        args.users, args.suffix, args.suffix
    ));
    Ok(Exit::Ok)
}

/// What the server received, by its own count.
fn account(stats: &Stats) -> String {
    let head = format!(
        "{} connections, {} TLS handshakes\n",
        stats.connections_accepted, stats.handshakes
    );
    let seen = stats.requests.iter().filter(|(_, count)| *count > 0);
    let lines = seen.map(|(operation, count)| {
        let answers = stats.answers.iter().filter(|tally| tally.operation == *operation);
        let answers = answers
            .map(|tally| format!("{} {}", tally.count, brunt_ldap_wire::code::name(tally.code)));
        format!(
            "{:<10} {count:>10}   {}\n",
            operation.name(),
            answers.collect::<Vec<_>>().join(", ")
        )
    });
    let faults = stats.faults.iter();
    let faults = faults.map(|(fault, count)| format!("script: {fault:<20} {count:>10}\n"));
    head + &lines.chain(faults).collect::<String>()
}

#[cfg(test)]
mod tests {
    use brunt_ldap_server::{Operation, Tally};

    use super::*;

    #[test]
    fn target_ldap_totals_list_requests_answers_and_faults() {
        let tally = |code, count| Tally { operation: Operation::Bind, code, count };
        let stats = Stats {
            connections_accepted: 3,
            handshakes: 1,
            requests: vec![(Operation::Bind, 5)],
            answers: vec![tally(0, 4), tally(51, 1)],
            faults: vec![("result", 1), ("drop", 20)],
            ..Stats::default()
        };
        let name = brunt_ldap_wire::code::name;
        assert_eq!(
            account(&stats),
            format!(
                "3 connections, 1 TLS handshakes\n\
                 bind                5   4 {}, 1 {}\n\
                 script: result                        1\n\
                 script: drop                         20\n",
                name(0),
                name(51)
            )
        );
    }
}
