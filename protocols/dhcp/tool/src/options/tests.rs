//! Tests of perfdhcp command lines.

mod habits;
mod mistakes;

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_net::secret::Secret;
use brunt_net::source::Sources;
use brunt_record::Slo;
use brunt_run::options::arrivals::{Arrival, Rate};
use brunt_run::options::load_options::LoadOptions;
use brunt_run::options::output::OutputArgs;
use brunt_run::options::row::Kind;
use brunt_run::options::run_options::RunOptions;

use super::args::*;
use super::*;

/// Surroundings with or without `BRUNT_LAB`.
struct TestSurroundings {
    lab: bool,
}

impl Surroundings for TestSurroundings {
    fn variable(&self, name: &str) -> Option<String> {
        (self.lab && name == "BRUNT_LAB").then(|| "1".to_owned())
    }
    fn files(&self) -> brunt_run::Files {
        brunt_run::Files::default()
    }

    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
    fn interactive(&self) -> bool {
        false
    }
    fn prompt(&self, _: &str) -> io::Result<Secret> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A line as a shell would split it, with `'` for quotes.
fn words(line: &str) -> Vec<String> {
    let pieces = line.split('\'').enumerate();
    pieces
        .flat_map(|(at, piece)| match at % 2 {
            0 => piece.split_whitespace().map(str::to_owned).collect(),
            _ => vec![piece.to_owned()],
        })
        .collect()
}

fn parsed(line: &str) -> Result<Parsed, Refused> {
    parse(&words(line), &TestSurroundings { lab: false })
}

fn args(line: &str) -> DhcpArgs {
    match parsed(line) {
        Ok(Parsed::Run(args)) => *args,
        other => panic!("{line}: {other:?}"),
    }
}

fn refusal(line: &str) -> Refused {
    match parsed(line) {
        Err(refused) => refused,
        Ok(parsed) => panic!("{line}: {parsed:?}"),
    }
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn defaults_equal_the_original_tool() {
    let args = args("10.0.0.1");
    assert_eq!(args.output.typed, ["perfdhcp", "10.0.0.1"]);
    assert_eq!(args.family, Family::V4);
    assert_eq!(args.scenario, Scenario::Basic);
    assert_eq!(
        args.route,
        Route {
            server: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)),
            server_port: 67,
            interface: None,
            local: None,
            local_port: 67,
            broadcast: false,
            broadcast_flag: false,
            relay_levels: 1,
            client: false,
            relay_addresses: None,
            source_ips: Sources::default(),
            source_ports: Vec::new(),
            lab: false,
        }
    );
    assert_eq!(
        args.clients,
        Clients {
            count: NonZeroU32::MIN,
            mac: [0, 0x0c, 1, 2, 3, 4],
            duid: None,
            macs: None,
            unique: false
        }
    );
    assert_eq!(args.limits.drop_time, [SECOND; 2]);
    assert_eq!((args.limits.drops, args.limits.numbers), (Default::default(), [None; 2]));
    assert_eq!((args.limits.period, args.limits.exit_wait), (None, None));
    assert_eq!((args.load.options.arrivals(), args.load.window), (Rate::Unlimited, None));
    assert_eq!(args.output.run.node, None);
    assert_eq!(args.report.style, Style::Kea);
    assert_eq!(args.templates, None);
    assert!(!args.exchange.retransmit && args.notes.is_empty());
}

#[test]
fn dhcpv4_switches_are_all_parsed() {
    let args = args(
        "-4 -1 -B -u -g single -r300 -R 30 -f 10 -F 5.5 -n 100 -n 90 -p 60.5 -d 2 -d 0.5 -D 10 -D 5% -D 9 -W \
         200000 -t 2.5 -C ; -P 50 -s 7 -a 4 -x aeilrstT -w ./hook.sh -l eth3 -L 1067 -N 1167 -J relays.txt -b \
         mac=0:1:2:a:B:ff -o 60,646f63736973 -o 55,2a -Y 1.5 -y 3 --scenario basic 172.16.1.1",
    );
    let Exchange { same_server, renew_rate, release_rate, options, elapsed, .. } = args.exchange;
    assert_eq!((same_server, renew_rate, release_rate), (true, 10.0, 5.5));
    let values: Vec<(u16, Vec<u8>)> =
        options.iter().map(|option| (option.code, option.value.value_of(9))).collect();
    assert_eq!(values, [(60, b"docsis".to_vec()), (55, vec![42])]);
    let (after, lasting) = (Duration::from_millis(1500), 3 * SECOND);
    assert_eq!(elapsed, Some(Elapsed { after, lasting }));
    assert_eq!(
        args.limits,
        Limits {
            drop_time: [2 * SECOND, SECOND / 2],
            drops: [
                DropLimit { count: Some(10), share: Some(0.05) },
                DropLimit { count: Some(9), share: None },
            ],
            numbers: [Some(100), Some(90)],
            period: Some(Duration::from_millis(60_500)),
            exit_wait: Some(Duration::from_millis(200)),
        }
    );
    let Load { options, window, preload, workers, batch, .. } = args.load;
    let seed = args.output.seed;
    assert_eq!(options.arrivals(), Rate::Constant { per_second: 300.0, arrival: Arrival::Uniform });
    assert_eq!((window, preload, workers, batch, seed), (None, 50, Some(1), Some(4), Some(7)));
    let Route { interface, local_port, server_port, broadcast, relay_addresses, .. } = args.route;
    assert_eq!(interface.as_deref(), Some("eth3"));
    assert_eq!((local_port, server_port, broadcast), (1067, 1167, true));
    assert_eq!(relay_addresses, Some(PathBuf::from("relays.txt")));
    assert_eq!((args.clients.mac, args.clients.count.get()), ([0, 1, 2, 10, 11, 255], 30));
    assert!(args.clients.unique);
    let ReportOptions { interim, separator, diagnostics, wrapped, .. } = args.report;
    assert_eq!(interim, Some(Duration::from_millis(2500)));
    assert_eq!((separator.as_deref(), wrapped.as_deref()), (Some(";"), Some("./hook.sh")));
    let Diagnostics { arguments, exit_reason, rate, leases, .. } = diagnostics;
    assert!(arguments && exit_reason && rate && leases);
    let Diagnostics { randomness, server_id, timers, templates, .. } = diagnostics;
    assert!(randomness && server_id && timers && templates);
}

#[test]
fn dhcpv6_switches_are_all_parsed() {
    let line = "-6 -i -c -A 1 --or 1:32,00000e10 --or 18,aa -e address-and-prefix -b \
                duid=000300010c0102030405 -M macs.txt 2001:db8::1";
    assert_eq!(
        refusal(line).reason,
        "-M cannot be used with -b: addresses come either from the file or from a base"
    );
    let args = args(&line.replace("-M macs.txt ", ""));
    assert_eq!(args.family, Family::V6);
    let Exchange { first_half, rapid_commit, lease, relay_options, .. } = args.exchange;
    assert!(first_half && rapid_commit);
    assert_eq!(lease, Lease::Both);
    let codes: Vec<_> = relay_options.iter().map(|option| (option.level, option.code)).collect();
    assert_eq!(codes, [(0, 32), (0, 18)]);
    assert_eq!(args.clients.duid, Some(vec![0, 3, 0, 1, 12, 1, 2, 3, 4, 5]));
    let Route { relay_levels, local_port, server_port, .. } = args.route;
    assert_eq!((relay_levels, local_port, server_port), (1, 547, 547));
}

#[test]
fn template_offsets_are_shared_if_given_once() {
    let line = "-6 -l eth3 -r 100 -R 20 -T solicit.hex -T request6.hex -O 21 -E 84 -S 22 -I 40 2001:db8::1";
    let templates = args(line).templates.unwrap();
    let of = |path: &str| Template { path: path.into(), xid: None, random: Some(21) };
    assert_eq!(templates.first, of("solicit.hex"));
    let second = templates.second.unwrap();
    assert_eq!(second.template, of("request6.hex"));
    assert_eq!(second.elapsed, ElapsedOffset::At(84));
    assert_eq!((second.server_id, second.address), (Some(22), Some(40)));

    let templates = args("-T a -T b -O 33 -O 34 -X 4 -X 5 -E 0 10.0.0.1").templates.unwrap();
    let second = templates.second.unwrap();
    assert_eq!((templates.first.random, templates.first.xid), (Some(33), Some(4)));
    assert_eq!((second.template.random, second.template.xid), (Some(34), Some(5)));
    assert_eq!(second.elapsed, ElapsedOffset::Off);
    let one = args("-T a 10.0.0.1").templates.unwrap();
    assert_eq!((one.first.random, one.first.xid, one.second), (None, None, None));
}

#[test]
fn values_beyond_the_original_are_accepted() {
    assert_eq!(args("-D 0 10.0.0.1").limits.drops[0].count, Some(1));
    assert_eq!(args("-D 0.5% 10.0.0.1").limits.drops[0].share, Some(0.005));
    assert_eq!(args("-i -D 5% -D 7 10.0.0.1").limits.drops[0].count, Some(7));
    let rate = args("-r 0.5 10.0.0.1").load.options.arrivals();
    assert_eq!(rate, Rate::Constant { per_second: 0.5, arrival: Arrival::Uniform });
    assert_eq!(args("-p .5 10.0.0.1").limits.period, Some(SECOND / 2));
    assert_eq!(args("-o 60,00 10.0.0.1").exchange.options.len(), 1);
    assert_eq!(args("-W 0 10.0.0.1").limits.exit_wait, Some(Duration::ZERO));
    assert_eq!(args("-R 0 10.0.0.1").clients.count, NonZeroU32::MIN);
    assert_eq!(args("-s 0 10.0.0.1").output.seed, None);
    assert_eq!(args("-L 0 -N 0 10.0.0.1").route.server_port, 67);
    assert_eq!(args("-6 fe80::1%eth0").route.interface.as_deref(), Some("eth0"));
    assert_eq!(args("-i -d 2 -d 1 10.0.0.1").limits.drop_time, [2 * SECOND, SECOND]);
}

#[test]
fn repeated_switch_uses_the_last_value() {
    let args = args("-r 1 -r 2 -l eth0 -l 10.0.0.2 10.0.0.1");
    assert_eq!(
        args.load.options.arrivals(),
        Rate::Constant { per_second: 2.0, arrival: Arrival::Uniform }
    );
    assert_eq!(args.route.interface, None);
    assert_eq!(args.route.local, Some(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2))));
}

#[test]
fn added_switches_are_parsed() {
    let args = args(
        "--rapid-commit --release-on-exit --retransmit --relay-levels 2 --source-ip 10.0.0.4/30 --source-port \
         10067,10070-10072 --option '12=host-{n:4}' --relay-option '1=port-{n}' -r 1000 --arrival poisson --backlog 9 \
         --batch 16 --no-pin --node 1/3 --seed 5 --warm-up 2 --window 77 --workers 8 --hgrm a --hlog b --interval 0.5 \
         --percentile 99.95 --kernel-stamps --record c --report 2012 --slo 'p99<20ms' --slo 'errors<0.1%' 10.0.0.1",
    );
    let Exchange { rapid_commit, release_on_exit, retransmit, options, relay_options, .. } =
        args.exchange;
    assert!(rapid_commit && release_on_exit && retransmit);
    assert_eq!((options[0].code, options[0].value.value_of(7)), (12, b"host-0007".to_vec()));
    assert_eq!(
        (relay_options[0].code, relay_options[0].value.value_of(7)),
        (1, b"port-7".to_vec())
    );
    assert_eq!(args.route.relay_levels, 2);
    assert_eq!(args.route.source_ips.iter().count(), 2);
    assert_eq!(args.route.source_ports, [10067, 10070, 10071, 10072]);
    let Load { options, window, workers, batch, .. } = args.load;
    let seed = args.output.seed;
    let LoadOptions { backlog, warm_up, no_pin, .. } = options;
    assert_eq!(
        options.arrivals(),
        Rate::Constant { per_second: 1000.0, arrival: Arrival::Poisson }
    );
    assert_eq!((window, backlog, warm_up), (NonZeroU32::new(77), Some(9), Some(2 * SECOND)));
    assert_eq!((workers, no_pin, batch, seed), (Some(8), true, Some(16), Some(5)));
    assert_eq!(args.output.percentiles, [99.95]);
    let ReportOptions { style, kernel_stamps, .. } = args.report;
    let OutputArgs { interval, run, .. } = args.output;
    let RunOptions { record, hlog, hgrm, objectives, node, .. } = run;
    assert_eq!(node.map(|node| node.to_string()).as_deref(), Some("1/3"));
    assert_eq!((style, interval, kernel_stamps), (Style::Guide, Some(SECOND / 2), true));
    let texts: Vec<&str> = objectives.iter().map(Slo::text).collect();
    assert_eq!(texts, ["p99<20ms", "errors<0.1%"]);
    let names = [hgrm, hlog, record].map(|it| it.unwrap().display().to_string());
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn fleet_switches_are_parsed() {
    let args = args(
        "-6 --scenario fleet --clients 5000 --births 'over 2m' --renewals off --release-share 30% --decline-share 0.01 \
         --inform-share 0.1 --reboot-share 20% --time-scale 60 --power-cut 'at 60 within 500ms' --relay-levels 3 \
         --relay-option '3:18=port-{n}' 2001:db8::1",
    );
    let expected = Fleet {
        births: FleetStart::Over(120 * SECOND),
        renewals: false,
        release_share: 0.3,
        decline_share: 0.01,
        inform_share: 0.1,
        reboot_share: 0.2,
        time_scale: 60.0,
        power_cut: Some(PowerCut { at: 60 * SECOND, within: SECOND / 2 }),
    };
    assert_eq!(args.scenario, Scenario::Fleet(expected));
    assert!(args.exchange.retransmit);
    assert_eq!(args.clients.count.get(), 5000);
    assert_eq!(args.exchange.relay_options[0].level, 2);
    match super::tests::args("--scenario fleet -R 3 10.0.0.1").scenario {
        Scenario::Fleet(fleet) => {
            assert!(fleet.renewals);
            assert_eq!(fleet.births, FleetStart::Over(10 * SECOND));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn avalanche_notes_switches_without_effect() {
    let args = args("--scenario avalanche -R 300 -r 10 -d 5 -w ./hook.sh -f 1 10.0.0.1");
    assert_eq!(args.scenario, Scenario::Avalanche);
    assert_eq!((args.load.options.arrivals(), args.clients.count.get()), (Rate::Unlimited, 300));
    assert_eq!(args.limits.drop_time, [1000 * SECOND; 2]);
    assert_eq!((args.exchange.renew_rate, args.report.wrapped), (0.0, None));
    assert!(args.exchange.retransmit);
    assert_eq!(
        args.notes,
        [
            "-d, -r, -w, -f have no effect under --scenario avalanche, which ends when every client has its lease"
        ]
    );
}

#[test]
fn broadcast_requires_lab() {
    for (line, reason) in [
        ("-l eth0", "255.255.255.255 is a broadcast address"),
        ("-l eth0 all", "Name one server, as in 'perfdhcp -l eth0 ADDRESS'"),
        ("255.255.255.255", "add --lab, or set BRUNT_LAB=1"),
        ("239.1.1.1", "239.1.1.1 is a multicast address"),
        ("all", "255.255.255.255 is a broadcast address"),
        ("-6 -l eth0", "ff02::1:2 is a multicast address"),
        ("-6 servers", "ff05::1:3 is a multicast address"),
        ("-6 -l eth0 servers", "ff05::1:3 is a multicast address"),
        ("--client -l eth0", "255.255.255.255 is a broadcast address"),
    ] {
        let refused = refusal(line);
        assert_eq!(refused.exit, Exit::Unsafe, "{line}");
        assert!(refused.page().starts_with("ERROR: refused: "), "{}", refused.page());
        assert!(refused.reason.contains(reason), "{line}: {}", refused.reason);
        assert!(args(&format!("--lab {line}")).route.lab);
        let variable = parse(&words(line), &TestSurroundings { lab: true });
        assert!(matches!(variable, Ok(Parsed::Run(_))), "{line}");
    }
}

#[test]
fn special_words_become_addresses() {
    let all = args("--lab -l eth0").route;
    assert_eq!(all.server, IpAddr::V4(Ipv4Addr::BROADCAST));
    assert!(all.broadcast && all.broadcast_flag);
    assert_eq!(args("--lab -l eth0 all").route, all);
    let literal = args("--lab 255.255.255.255").route;
    assert!(literal.broadcast && !literal.broadcast_flag);
    let six = args("--lab -6 -l eth0").route;
    assert_eq!((six.server.to_string().as_str(), six.broadcast_flag), ("ff02::1:2", false));
    assert_eq!((six.local_port, six.relay_levels), (546, 0));
    assert_eq!(args("--lab -6 -l eth0 servers").route.server.to_string(), "ff05::1:3");
    let client = args("--lab --client -l eth0").route;
    assert_eq!((client.relay_levels, client.local_port, client.client), (0, 68, true));
}

#[test]
fn typed_words_are_normalized() {
    let words = args("10.0.0.1 -4ir100 -n5 --scen=basic --clients 3").output.typed;
    let plain = "perfdhcp -4 -i -r 100 -n 5 --scenario basic -R 3 10.0.0.1";
    assert_eq!(words.join(" "), plain);
}

#[test]
fn examples_parse() {
    for (_, example) in prose::EXAMPLES {
        let line = example.replace("\\\n", " ");
        let line = line.strip_prefix("perfdhcp ").unwrap();
        assert!(matches!(parsed(line), Ok(Parsed::Run(_))), "{line}: {:?}", parsed(line));
    }
}

/// The output of perfdhcp 2.2.0 for the same words, except for brackets that it gets wrong.
#[test]
fn decoded_command_line_equals_the_original() {
    let args = args(
        "-x a -4 -l lo -r 10 -n 2 -n 3 -d 1 -d 2 -D 3 -D 5% -t 1 -R 7 -f 1 -F 2 -p 1 -s 5 -N 6767 -L 6768 -T \
         /dev/null -C , 127.0.0.1",
    );
    let duid = [0, 1, 0, 1, 0x32, 0x93, 0xe2, 0xb0, 0, 0x0c, 1, 2, 3, 4];
    let expected = "IPv4\n\
        lease-type=address-only (IA_NA option added to the client's request)\n\
        rate[1/s]=10\nrenew-rate[1/s]=1\nrelease-rate[1/s]=2\nreport[s]=1\nclients=7\n\
        num-request[0]=2\nnum-request[1]=3\ntest-period=1\ndrop-time[0]=1\ndrop-time[1]=2\n\
        max-drop[0]=3\nmax-pdrop[0]=5\nlocal-port=6768\nremote-port=6767\nseed=5\n\
        template-file[0]=/dev/null\nelp-offset=-1\nsid-offset=-1\nrip-offset=-1\n\
        diagnostic-selectors=a\ninterface=lo\nserver=127.0.0.1\nmulti-thread-mode\n\
        Set MAC to 00::0c::01::02::03::04\nSet DUID to 000100013293e2b0000c01020304\n";
    assert_eq!(decoded::decoded(&args, &duid), expected);
}

#[test]
fn decoded_command_line_includes_added_values() {
    let args = args(
        "-6 --scenario fleet -R 5 --births 3 --power-cut 'at 60 within 5' --relay-levels 2 --option '16=0x01{n}' \
         --source-port 547,1547 2001:db8::1",
    );
    let text = decoded::decoded(&args, &[0; 6]);
    for line in [
        "IPv6",
        "relay-levels=2",
        "option[0]=16=0x01{n}",
        "source-port=547,1547",
        "births[1/s]=3",
        "power-cut=at 60s within 5s",
        "renewals=on",
    ] {
        assert!(text.lines().any(|it| it == line), "{line}: {text}");
    }
    assert!(!text.contains("window") && !text.contains("source-ip"), "{text}");
}

#[test]
fn help_and_version_take_precedence() {
    assert!(matches!(parsed("-h"), Ok(Parsed::Help)));
    assert!(matches!(parsed("-r x -4ih"), Ok(Parsed::Help)));
    assert!(matches!(parsed("--help"), Ok(Parsed::Help)));
    assert!(matches!(parsed("-v"), Ok(Parsed::Version)));
    assert!(matches!(parsed("-V"), Ok(Parsed::ExtendedVersion)));
}

#[test]
fn invalid_values_are_refused_for_every_switch() {
    for switch in switches::all() {
        let wrong = match switch.kind {
            Kind::Switch | Kind::Attached => continue,
            Kind::Text | Kind::Path => "",
            _ => "?",
        };
        let line = vec![dashed(switch.name), wrong.to_owned(), "10.0.0.1".to_owned()];
        let refused = parse(&line, &TestSurroundings { lab: true }).unwrap_err();
        assert!(refused.reason.starts_with(&line[0]), "{line:?}: {}", refused.reason);
    }
}
