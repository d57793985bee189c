//! UnboundID's dialect in the commands that use the loads of others: a search for the highest rate, and agents.

use std::process::Command;

use brunt_testbed::{PASSWORD, PEOPLE_DN, require, user_dn};

use crate::brunt::{Brunt, Run};
use crate::directory::{Directory, slapd};

/// A command of brunt that has these words before those of a load.
fn brunt(words: &[&str]) -> Brunt {
    Brunt::brunt(Command::new(env!("CARGO_BIN_EXE_brunt")), words)
}

fn lines(port: u16) -> [Vec<String>; 3] {
    let dialect = "--dialect unboundid -h 127.0.0.1 -p";
    let target = "uid=user.[0-19],ou=people,dc=example,dc=com";
    [
        format!("searchrate {dialect} {port} -b {PEOPLE_DN} -f (uid=user.[0-19]) -t 4"),
        format!("authrate {dialect} {port} -B -b {target} -C :PASSWORD -t 4"),
        format!("modrate {dialect} {port} -D {} -w :PASSWORD -b {target} -A title", user_dn(1)),
    ]
    .map(|line| line.replace(":PASSWORD", PASSWORD).split(' ').map(str::to_owned).collect())
}

#[test]
fn find_max_accepts_unboundid_command_lines() {
    let Some(slapd) = slapd(20) else { return };
    let [search, bind, _] = lines(slapd.port());
    for line in [search, bind] {
        let mut ended = None;
        let seen = slapd.saw(|| {
            let run = brunt(&["find-max", "--second", "100ms", "--confirm", "10s", "--quiet"]);
            let run =
                run.typed("--slo p50<2s --slo achieved>=50% --from 100/s --to 100/s --seed 7");
            ended = Some(run.arg("--").args(&line).run());
        });
        let ended = ended.expect("it ran");
        // A rate that passed and none that failed, or on a busy machine no claim.
        assert!([4, 9].contains(&ended.code), "{ended}");
        assert!(seen.searches + seen.binds > 100, "{seen:?} {ended}");
    }
}

#[test]
fn find_max_refuses_unboundid_options_it_sets_itself() {
    let line = lines(9)[0].clone();
    for (given, named) in [
        ("-r 9", "--ratePerSecond"),
        ("-I 9", "--numIntervals"),
        ("--outputFile x", "--outputFile"),
    ] {
        let ended =
            brunt(&["find-max", "--slo", "p50<2s"]).arg("--").args(&line).typed(given).run();
        assert!(ended.code == 2 && ended.notes.contains(named), "{given}: {ended}");
    }
}

#[test]
fn agents_share_an_unboundid_command_line() {
    let Some(slapd) = slapd(20).filter(|_| require(&["nats-server"])) else { return };
    for line in lines(slapd.port()).into_iter().take(2) {
        let mut ended: Option<Run> = None;
        let seen = slapd.saw(|| {
            let run = brunt(&["cluster", "run", "--local", "2", "--seed", "3"]).arg("--");
            ended = Some(run.args(&line).typed("-i 1 -I 2 -r 50").run());
        });
        let ended = ended.expect("it ran");
        assert_eq!(ended.code, 0, "{ended}");
        assert_eq!(ended.count("ok"), 100, "{ended}");
        assert_eq!(seen.searches + seen.binds, 100, "{seen:?} {ended}");
    }
}
