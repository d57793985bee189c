//! `brunt find-max` on a real directory: what it observed of the server beside what it did itself.

use brunt_test_program::{at, brunt, counted_by_server, without_a_limit};
use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD};

use crate::directory::slapd;

#[test]
fn find_max_counts_agree_with_the_directory() {
    let Some(slapd) = slapd(10) else { return };
    let search = brunt("find-max --second 100ms --confirm 60s --seed 7 --slo p90<2s").recorded();
    let search =
        search.typed("--slo achieved>=50% --from 200/s --to 400/s --server-cpu monitor --");
    let search = search.typed("searchrate --no-prompt").args(at(slapd.port()));
    let search = search.args(["-D", ADMIN_DN, "-w", PASSWORD, "-b", BASE_DN]);
    let ended = search.typed("-F -c 4 -g inc(0,9) (uid=user.{})").run();
    without_a_limit(&ended);
    // What a monitor does not know is said, and not made up.
    let unknown = "--server-cpu monitor: cn=monitor counts operations";
    assert!(ended.stderr.contains(unknown), "{ended}");
    assert!(ended.stdout.contains("operations by cn=monitor"), "{ended}");
    let (figures, ratio, is_long) = counted_by_server(&ended);
    assert!(figures["server_cpu"].is_null(), "{figures}");
    // One search each; beside them eight a second of the monitor's own, and arrivals are random.
    let near = if is_long { 0.9..1.2 } else { 0.7..1.6 };
    assert!(near.contains(&ratio), "{ratio}: {figures}");
}
