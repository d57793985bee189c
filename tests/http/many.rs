//! Very many users with long think times.

use std::time::Duration;

use brunt_testbed::{Listener, Served, until};

use crate::brunt::planned;
use crate::logged::{base, nginx, step, the_same};

/// How much memory so many users may take together.
const MEMORY_MAX: u64 = 500 << 20;

#[test]
fn ten_thousand_thinking_users_need_little_memory() {
    let Some(nginx) = nginx() else { return };
    let plan = format!(
        "[run]\nusers = 10000\nramp-up = \"4s\"\nthink = \"3s\"\niterations = {{ each = 2 }}\n[http]\n{}\n\
         [variables]\nnumber = {{ number = \"user\" }}\n[[scenario]]\n{}",
        base(&nginx, Listener::Clear),
        step("name = \"small\"\nget = \"/small.txt\"\nheaders = { X-Test = \"${number}\" }"),
    );
    let mut run = planned(&plan).start();
    let mut most = 0;
    assert!(until(Duration::from_secs(60), || {
        most = run.peak_memory().unwrap_or(0).max(most);
        run.has_ended()
    }));
    let run = run.wait().went_well();
    let served = the_same(&nginx, &run);
    let connections = Served::connections(&served);
    assert_eq!((served.len(), connections.len()), (20_000, 10_000), "{run}");
    assert!(connections.values().all(|requests| *requests == 2), "{run}");
    assert!(most > 0 && most < MEMORY_MAX, "{} MiB\n{run}", most >> 20);
}
