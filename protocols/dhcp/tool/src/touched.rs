//! What a run of perfdhcp changes at its server, as text for the user who starts it.

use brunt_report::figure::thousands;

use crate::options::args::{DhcpArgs, Scenario};

/// What the run is going to change; none if its clients only request offers.
pub(crate) fn changed(args: &DhcpArgs) -> Option<String> {
    let exchange = &args.exchange;
    if exchange.first_half && !exchange.rapid_commit {
        return None;
    }
    let takes = match &args.clients.macs {
        Some(file) => format!("takes leases for the clients of {}", file.display()),
        None => match clients(args) {
            1 => "takes a lease for one client".to_owned(),
            count => format!("takes leases for up to {} clients", thousands(count)),
        },
    };
    let ends = match &args.scenario {
        _ if exchange.release_on_exit => "gives back at its end what it holds",
        Scenario::Fleet(fleet) if fleet.release_share > 0.0 => {
            "gives back those of clients that say goodbye"
        }
        _ if exchange.release_rate > 0.0 => "gives back those that its rate of releases reaches",
        _ if clients(args) == 1 && args.clients.macs.is_none() => "leaves it to expire",
        _ => "leaves them to expire",
    };
    let declines = matches!(&args.scenario, Scenario::Fleet(fleet) if fleet.decline_share > 0.0);
    let declines =
        if declines { ", and declines some, whose addresses stay unused for a time" } else { "" };
    Some(format!("{takes} and {ends}{declines}"))
}

/// How many clients get a lease.
fn clients(args: &DhcpArgs) -> u64 {
    let count = u64::from(args.clients.count.get());
    args.limits.numbers[0].map_or(count, |exchanges| count.min(exchanges))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Parsed, parse};
    use brunt_run::World;

    fn message(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        match parse(&words[1..], &World::of_process()) {
            Ok(Parsed::Run(args)) => changed(&args),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn effects_on_leases_are_announced() {
        for (switches, expected) in [
            (
                "-r 10 -R 5000",
                Some("takes leases for up to 5,000 clients and leaves them to expire"),
            ),
            (
                "-r 10 -R 5000 -n 300",
                Some("takes leases for up to 300 clients and leaves them to expire"),
            ),
            ("-r 10", Some("takes a lease for one client and leaves it to expire")),
            ("-r 10 -i -R 5000", None),
            (
                "-6 -r 10 -i -c -R 20",
                Some("takes leases for up to 20 clients and leaves them to expire"),
            ),
            (
                "-r 10 -R 20 --release-on-exit",
                Some("takes leases for up to 20 clients and gives back at its end what it holds"),
            ),
            (
                "-r 10 -R 20 -F 5",
                Some(
                    "takes leases for up to 20 clients and gives back those that its rate of releases reaches",
                ),
            ),
        ] {
            let server = if switches.starts_with("-6") { "::1" } else { "127.0.0.1" };
            let message = message(&format!("perfdhcp {switches} {server}"));
            assert_eq!(message.as_deref(), expected, "{switches}");
        }
    }
}
