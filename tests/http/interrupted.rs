//! A run that a signal ends.

use std::time::Duration;

use brunt_testbed::{Listener, until};

use crate::brunt::planned;
use crate::logged::{base, nginx, step, the_same};

#[test]
fn interrupted_run_accounts_for_every_request() {
    let Some(nginx) = nginx() else { return };
    let plan = format!(
        "[run]\nusers = 4\nduration = \"60s\"\n[http]\n{}\n[[scenario]]\n{}{}",
        base(&nginx, Listener::Clear),
        step("name = \"small\"\nget = \"/small.txt\""),
        step("name = \"slow\"\nget = \"/slow.txt\""),
    );
    let run = planned(&plan).start();
    assert!(until(Duration::from_secs(90), || nginx.served().len() > 8));
    run.interrupt();
    let run = run.wait().expect(130);
    let served = the_same(&nginx, &run);
    assert!(served.len() > 8 && run.count("cut_off") == 0, "{run}");
}
