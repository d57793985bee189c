//! `brunt target dhcp`: a DHCP server for trying things out.

use std::fmt::Write as _;
use std::net::IpAddr;

use brunt_dhcp_server::{
    Config, Family, Running, Script, Server, StartError, State, Stats, V4, V6,
};
use brunt_run::Console;
use brunt_run::World;
use brunt_run::console;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

use super::served::{listen, script, wait};
use crate::cli::dhcp_target::DhcpTargetArgs;
use crate::commands::failed;

/// Starts a DHCP server and serves until it is stopped.
pub(super) fn dhcp(args: &DhcpTargetArgs, world: &World) -> Result<Exit, Refusal> {
    let running = Server::start(&config(args, world)?).map_err(|error| match error {
        StartError::Unsafe(_) => Refusal { exit: Exit::Unsafe, ..failed(error) },
        _ => failed(error),
    })?;
    listen(world)?;
    announce(&running, &world.console)?;
    let exit = wait(world, args.max_duration);
    if let Some(path) = &args.leases_out {
        console::write(path, &table(&running))?;
    }
    world.console.report(&account(&running.shutdown()));
    Ok(exit)
}

fn config(args: &DhcpTargetArgs, world: &World) -> Result<Config, Refusal> {
    let name_servers = args.name_server.iter();
    let script = script(args.script.as_deref(), &world.files, Script::parse)?;
    Ok(Config {
        listen: args.listen.clone(),
        lab: args.lab,
        interface: args.interface.clone(),
        v4: V4 {
            pools: args.pool.clone(),
            lifetime: args.lifetime,
            routers: args.router.clone(),
            name_servers: name_servers
                .clone()
                .filter_map(|it| if let IpAddr::V4(v4) = it { Some(*v4) } else { None })
                .collect(),
            server_id: args.server_id,
            rapid_commit: !args.no_rapid_commit,
            reply_to_source: args.reply_to_source,
            ..V4::default()
        },
        v6: V6 {
            pools: args.pool6.clone(),
            prefixes: args.prefix_pool.clone(),
            preferred: (u64::from(args.lifetime) * 3 / 4) as u32,
            valid: args.lifetime,
            name_servers: name_servers
                .filter_map(|it| if let IpAddr::V6(v6) = it { Some(*v6) } else { None })
                .collect(),
            duid: args.duid.as_deref().map(octets).transpose()?,
            rapid_commit: !args.no_rapid_commit,
            ..V6::default()
        },
        script,
    })
}

/// Octets written in hexadecimal, with or without colons.
fn octets(text: &str) -> Result<Vec<u8>, Refusal> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .filter(|letter| *letter != ':')
        .map(|letter| letter.to_digit(16).map(|digit| digit as u8))
        .collect();
    digits
        .filter(|digits| digits.len() % 2 == 0)
        .map(|digits| digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
        .ok_or_else(|| Refusal {
            text: format!(
                "error: --duid {text} is invalid: write octets in hexadecimal, such as 00030001020000000001\n"
            ),
            exit: Exit::Usage,
        })
}

/// Prints one line for each address to standard output, for scripts that requested a free port.
fn announce(running: &Running, console: &Console) -> Result<Exit, Refusal> {
    let lines = running
        .addresses()
        .into_iter()
        .map(|address| format!("dhcp{}://{address}\n", if address.is_ipv6() { 6 } else { 4 }));
    console.print(&lines.collect::<String>())?;
    console.message("Leases are kept in memory. This server is for tests only. ^C stops it.");
    Ok(Exit::Ok)
}

/// The leases, one line each.
fn table(running: &Running) -> String {
    let mut out = "address,length,client,state,messages\n".to_owned();
    for lease in running.leases() {
        let state = match lease.state {
            State::Free => "free",
            State::Offered => "offered",
            State::Bound => "bound",
            State::Declined => "declined",
        };
        let _ = write!(out, "{},{},", lease.address, lease.length);
        for octet in &lease.client {
            let _ = write!(out, "{octet:02x}");
        }
        let _ = writeln!(out, ",{state},{}", lease.messages);
    }
    out
}

/// What the server received, by its own count.
fn account(stats: &Stats) -> String {
    let mut out = String::new();
    for family in Family::ALL {
        let tally = stats.of(family);
        let received =
            tally.received.iter().map(|(act, count)| (act.name(family).to_owned(), *count));
        let sent =
            tally.sent.iter().map(|(answer, count)| (answer.name(family).to_owned(), *count));
        let name = |code: u16| brunt_dhcp_wire::dhcp6::status::name(code).unwrap_or("another code");
        let statuses = tally
            .statuses
            .iter()
            .map(|(code, count)| (format!("status {code}, {}", name(*code)), *count));
        let rest = [
            ("through a relay", tally.relayed),
            ("malformed", tally.malformed),
            ("too short", tally.too_short),
            ("no request", tally.unexpected),
            ("for another server", tally.not_ours),
            ("not known here", tally.unknown),
            ("no address left", tally.exhausted),
            ("ignored by the script", tally.ignored),
            ("refused by the system", tally.unsent),
            ("lost in the receive buffer", tally.lost),
        ];
        let rest = rest.into_iter().map(|(what, count)| (what.to_owned(), count));
        let lines: Vec<_> = received.chain(sent).chain(statuses).chain(rest).collect();
        if tally.datagrams > 0 || tally.lost > 0 {
            let version = if family == Family::V6 { 6 } else { 4 };
            let _ = writeln!(out, "DHCPv{version}: {} datagrams", tally.datagrams);
        }
        for (what, count) in lines.into_iter().filter(|(_, count)| *count > 0) {
            let _ = writeln!(out, "  {what:<28}{count:>12}");
        }
    }
    for (fault, count) in &stats.faults {
        let _ = writeln!(out, "script: {fault:<22}{count:>12}");
    }
    out
}

#[cfg(test)]
mod tests {
    use brunt_dhcp_server::{Answer, RequestKind, Tally};
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::{Brunt, TargetKind, Verb};

    fn args(words: &[&str]) -> Box<DhcpTargetArgs> {
        let words = ["brunt", "target", "dhcp"].iter().chain(words);
        match Brunt::try_parse_from(words).unwrap().verb {
            Verb::Target { kind: TargetKind::Dhcp(args) } => args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn target_dhcp_refuses_to_listen_on_all_addresses() {
        for listen in ["0.0.0.0:0", "[::]:0", "255.255.255.255:67"] {
            let refusal = dhcp(&args(&["--listen", listen]), &World::of_process()).unwrap_err();
            assert_eq!(refusal.exit, Exit::Unsafe);
            assert!(
                refusal.text.starts_with(&format!("failed to listen at {listen}: ")),
                "{refusal:?}"
            );
        }
        // Neither has a meaning without the other.
        for half in [&["--lab"][..], &["--interface", "lo"]] {
            let words = ["brunt", "target", "dhcp"].iter().chain(half);
            assert!(Brunt::try_parse_from(words).is_err(), "{half:?}");
        }
    }

    #[test]
    fn target_dhcp_arguments_become_its_configuration() {
        let config = config(
            &args(&[
                "--listen",
                "127.0.0.1:0",
                "--listen",
                "[::1]:0",
                "--name-server",
                "9.9.9.9",
                "--name-server",
                "2620:fe::fe",
                "--duid",
                "00:03:00:01:02:00:00:00:00:0F",
                "--lifetime",
                "4000000000",
            ]),
            &World::of_process(),
        )
        .unwrap();
        assert_eq!(config.listen.len(), 2);
        assert_eq!(config.v4.name_servers, ["9.9.9.9".parse::<std::net::Ipv4Addr>().unwrap()]);
        assert_eq!(config.v6.name_servers, ["2620:fe::fe".parse::<std::net::Ipv6Addr>().unwrap()]);
        assert_eq!(config.v6.duid, Some(vec![0, 3, 0, 1, 2, 0, 0, 0, 0, 15]));
        assert_eq!((config.v6.preferred, config.v6.valid), (3_000_000_000, 4_000_000_000));
        for wrong in ["0", "0x03", "zz"] {
            assert_eq!(octets(wrong).unwrap_err().exit, Exit::Usage, "{wrong}");
        }
    }

    #[test]
    fn target_dhcp_totals_list_only_what_happened() {
        let v6 = Tally {
            datagrams: 3,
            received: vec![(RequestKind::Discover, 2)],
            sent: vec![(Answer::Offer, 1)],
            statuses: vec![(2, 1)],
            malformed: 1,
            ..Tally::default()
        };
        let stats = Stats { v6, faults: vec![("drop", 1)], ..Stats::default() };
        let words: Vec<_> = account(&stats)
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            words,
            [
                "DHCPv6: 3 datagrams",
                "SOLICIT 2",
                "ADVERTISE 1",
                "status 2, NoAddrsAvail 1",
                "malformed 1",
                "script: drop 1"
            ]
        );
    }
}
