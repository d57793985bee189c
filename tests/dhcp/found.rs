//! `brunt find-max` on a real Kea: what Kea received compared with what was sent.

use brunt_test_program::{Trial, binary, counted_by_server, without_a_limit};
use brunt_testbed::KeaOptions;

use crate::network::v4;

#[test]
fn find_max_counts_agree_with_kea() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let search = Trial::new(lan.client(binary())).arg("find-max").recorded();
    let search = search.typed("--second 100ms --confirm 60s --seed 7 --slo p90<2s");
    let search = search.typed("--slo achieved>=50% --from 100/s --to 200/s --allow 10.77.0.1");
    let search = search.arg("--server-cpu").arg(format!("kea:{}", kea.control().display()));
    let ended = search.typed("-- perfdhcp -4 -l lan0 -R 1000 10.77.0.1").run();
    without_a_limit(&ended);
    assert!(ended.stderr.contains("Kea counts messages and knows no processor time"), "{ended}");
    let (figures, ratio, is_long) = counted_by_server(&ended);
    // A DISCOVER and a REQUEST each; arrivals are random, and both are counted over a little less than the step.
    let near = if is_long { 1.8..2.2 } else { 1.4..2.6 };
    assert!(near.contains(&ratio), "{ratio}: {figures}");
}
