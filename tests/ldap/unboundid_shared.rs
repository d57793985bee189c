//! UnboundID's dialect in the commands that use the loads of others: a search for the highest rate, and agents.

use brunt_test_program::{brunt, without_a_limit};
use brunt_testbed::{PASSWORD, PEOPLE_DN, require, user_dn};

use crate::brunt::Run;
use crate::directory::{Directory, slapd};

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
            let run = brunt("find-max --second 100ms --confirm 10s --quiet --seed 7 --slo p50<2s");
            let run = run.typed("--slo achieved>=50% --from 100/s --to 100/s --");
            ended = Some(run.args(&line).run());
        });
        let ended = ended.expect("it ran");
        without_a_limit(&ended);
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
        let ended = brunt("find-max --slo p50<2s --").args(&line).typed(given).run().expect(2);
        assert!(ended.stderr.contains(named), "{given}: {ended}");
    }
}

#[test]
fn agents_share_an_unboundid_command_line() {
    let Some(slapd) = slapd(20).filter(|_| require(&["nats-server"])) else { return };
    for line in lines(slapd.port()).into_iter().take(2) {
        let mut ended: Option<Run> = None;
        let seen = slapd.saw(|| {
            let run = brunt("cluster run --local 2 --seed 3").recorded().arg("--");
            ended = Some(run.args(&line).typed("-i 1 -I 2 -r 50").run());
        });
        let ended = ended.expect("it ran").expect(0);
        assert_eq!(ended.count("ok"), 100, "{ended}");
        assert_eq!(seen.searches + seen.binds, 100, "{seen:?} {ended}");
    }
}
