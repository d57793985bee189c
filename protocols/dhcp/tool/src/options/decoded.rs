//! The decoded command line of `-x a`: a line for each value, under the names of the original tool.
//!
//! Values that it did not have follow under the names of our switches, and only if they were given, so that an original
//! command line produces the original text. This module does not depend on the effect of the values.

use std::fmt::{Display, Write as _};
use std::time::Duration;

use brunt_dhcp_driver::family::Family;
use brunt_run::options::arrivals::{Arrival, Rate};

use super::args::{
    Clients, DhcpArgs, Exchange, Fleet, FleetStart, Lease, Load, ReportOptions, Route, Scenario,
    Templates,
};
use super::clients::MAC;

/// The text, `duid` being the DUID of the first client.
pub fn decoded(args: &DhcpArgs, duid: &[u8]) -> String {
    let mut lines = Lines::default();
    lines.word(if args.family == Family::V4 { "IPv4" } else { "IPv6" });
    what(&mut lines, args);
    ends(&mut lines, args);
    let Route { local_port, server_port, broadcast, .. } = args.route;
    lines.pair("local-port", local_port);
    lines.pair("remote-port", server_port);
    lines.some("seed", args.output.seed);
    lines.some("mac-list-file", args.clients.macs.as_ref().map(|path| path.display()));
    lines.flag("broadcast", broadcast);
    lines.flag("rapid-commit", args.exchange.rapid_commit);
    lines.flag("use-first", args.exchange.same_server);
    templates(&mut lines, args.templates.as_ref());
    shown(&mut lines, &args.report);
    lines.some("local-addr", args.route.local);
    lines.some("interface", args.route.interface.as_ref());
    lines.pair("server", args.route.server);
    let single = args.load.workers == Some(1);
    lines.word(if single { "single-thread-mode" } else { "multi-thread-mode" });
    ours(&mut lines, args);
    if let Scenario::Fleet(fleet) = &args.scenario {
        lives(&mut lines, fleet);
    }
    let _ = writeln!(lines.0, "Set MAC to {}", colons(args.clients.mac, "::"));
    let _ = writeln!(lines.0, "Set DUID to {}", hexadecimal(duid));
    lines.0
}

fn what(lines: &mut Lines, args: &DhcpArgs) {
    let Exchange { lease, renew_rate, release_rate, first_half, .. } = args.exchange;
    let v4 = args.family == Family::V4;
    lines.flag(if v4 { "DISCOVER-OFFER only" } else { "SOLICIT-ADVERTISE only" }, first_half);
    lines.word(match lease {
        Lease::Address => "lease-type=address-only (IA_NA option added to the client's request)",
        Lease::Prefix => "lease-type=prefix-only (IA_PD option added to the client's request)",
        Lease::Both => {
            "lease-type=address-and-prefix (Both IA_NA and IA_PD options added to the client's request)"
        }
    });
    if let Rate::Constant { per_second, .. } = args.load.options.arrivals() {
        lines.pair("rate[1/s]", per_second);
    }
    lines.some("renew-rate[1/s]", Some(renew_rate).filter(|rate| *rate > 0.0));
    lines.some("release-rate[1/s]", Some(release_rate).filter(|rate| *rate > 0.0));
    lines.some("report[s]", args.report.interim.map(seconds));
    let Clients { count, mac, duid, .. } = &args.clients;
    lines.some("clients", Some(count).filter(|count| count.get() > 1));
    let mac = Some(*mac).filter(|mac| *mac != MAC).map(|mac| format!("mac={}", colons(mac, ":")));
    let duid = duid.as_ref().map(|duid| format!("duid={}", hexadecimal(duid)));
    for (at, base) in mac.into_iter().chain(duid).enumerate() {
        lines.pair(&format!("base[{at}]"), base);
    }
}

fn ends(lines: &mut Lines, args: &DhcpArgs) {
    let limits = &args.limits;
    for (at, number) in limits.numbers.iter().enumerate() {
        lines.some(&format!("num-request[{at}]"), *number);
    }
    lines.some("test-period", limits.period.map(seconds));
    for (at, time) in limits.drop_time.iter().enumerate() {
        lines.pair(&format!("drop-time[{at}]"), seconds(*time));
    }
    for (at, limit) in limits.drops.iter().enumerate() {
        lines.some(&format!("max-drop[{at}]"), limit.count);
    }
    for (at, limit) in limits.drops.iter().enumerate() {
        lines.some(&format!("max-pdrop[{at}]"), limit.share.map(|share| share * 100.0));
    }
    lines.some("preload", Some(args.load.preload).filter(|preload| *preload > 0));
    lines.some("exit-wait-time[us]", limits.exit_wait.map(|wait| wait.as_micros()));
}

/// An offset that was not given is -1, as in the original tool.
fn templates(lines: &mut Lines, templates: Option<&Templates>) {
    let second = templates.and_then(|templates| templates.second.as_ref());
    let all = templates.iter().map(|templates| &templates.first);
    let all: Vec<_> = all.chain(second.map(|second| &second.template)).collect();
    for (at, template) in all.iter().enumerate() {
        lines.pair(&format!("template-file[{at}]"), template.path.display());
    }
    for (at, template) in all.iter().enumerate() {
        lines.some(&format!("xid-offset[{at}]"), template.xid);
    }
    let elapsed = second.and_then(|second| second.elapsed.offset());
    lines.pair("elp-offset", offset(elapsed));
    for (at, template) in all.iter().enumerate() {
        lines.some(&format!("rnd-offset[{at}]"), template.random);
    }
    lines.pair("sid-offset", offset(second.and_then(|second| second.server_id)));
    lines.pair("rip-offset", offset(second.and_then(|second| second.address)));
}

fn offset(offset: Option<usize>) -> String {
    offset.map_or_else(|| "-1".to_owned(), |offset| offset.to_string())
}

fn shown(lines: &mut Lines, report: &ReportOptions) {
    let shown = report.diagnostics;
    let letters = [
        ('a', shown.arguments),
        ('e', shown.exit_reason),
        ('i', shown.rate),
        ('l', shown.leases),
        ('r', shown.randomness),
        ('s', shown.server_id),
        ('t', shown.timers),
        ('T', shown.templates),
    ];
    let letters: String = letters.iter().filter(|(_, on)| *on).map(|(letter, _)| *letter).collect();
    lines.pair("diagnostic-selectors", letters);
    lines.some("wrapped", report.wrapped.as_ref());
}

fn ours(lines: &mut Lines, args: &DhcpArgs) {
    let Route { relay_levels, source_ips, source_ports, relay_addresses, .. } = &args.route;
    lines.some("relay-address-list-file", relay_addresses.as_ref().map(|path| path.display()));
    let usual = u8::from(args.family == Family::V4);
    lines.some("relay-levels", Some(relay_levels).filter(|levels| **levels != usual));
    lines.some("source-ip", list(source_ips.iter()));
    lines.some("source-port", list(source_ports.iter()));
    for (name, options) in
        [("option", &args.exchange.options), ("relay-option", &args.exchange.relay_options)]
    {
        for (at, option) in options.iter().enumerate() {
            lines
                .pair(&format!("{name}[{at}]"), format!("{}={}", option.code, option.value.text()));
        }
    }
    for (at, expected) in args.exchange.expected.iter().enumerate() {
        lines.pair(&format!("expect[{at}]"), &expected.text);
    }
    let Load { options, window, batch, .. } = &args.load;
    match options.arrivals() {
        Rate::Stages(stages) => lines.pair("stages", stages),
        Rate::Constant { arrival: Arrival::Poisson, .. } => lines.pair("arrival", "poisson"),
        Rate::File { path, .. } => lines.pair("rate-file", path.display()),
        _ => {}
    }
    lines.some("think", options.think.as_ref());
    lines.some("window", *window);
    lines.some("backlog", options.backlog);
    lines.some("warm-up", options.warm_up.filter(|time| !time.is_zero()).map(seconds));
    lines.some("batch", *batch);
    lines.some("node", args.output.run.node.as_ref().filter(|node| node.of > 1));
}

fn lives(lines: &mut Lines, fleet: &Fleet) {
    match fleet.births {
        FleetStart::PerSecond(rate) => lines.pair("births[1/s]", rate),
        FleetStart::Over(time) => lines.pair("births", format!("over {}s", seconds(time))),
    }
    lines.pair("renewals", if fleet.renewals { "on" } else { "off" });
    lines.pair("release-share", fleet.release_share);
    lines.pair("decline-share", fleet.decline_share);
    lines.pair("inform-share", fleet.inform_share);
    lines.pair("reboot-share", fleet.reboot_share);
    lines.pair("time-scale", fleet.time_scale);
    if let Some(cut) = fleet.power_cut {
        let text = format!("at {}s within {}s", seconds(cut.at), seconds(cut.within));
        lines.pair("power-cut", text);
    }
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

fn colons(mac: [u8; 6], separator: &str) -> String {
    mac.map(|byte| format!("{byte:02x}")).join(separator)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn list(items: impl Iterator<Item = impl Display>) -> Option<String> {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    (!items.is_empty()).then(|| items.join(","))
}

/// The lines so far.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn word(&mut self, word: &str) {
        let _ = writeln!(self.0, "{word}");
    }

    fn flag(&mut self, word: &str, on: bool) {
        if on {
            self.word(word);
        }
    }

    fn pair(&mut self, name: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name}={value}");
    }

    fn some(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.pair(name, value);
        }
    }
}
