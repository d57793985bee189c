//! The common beginning and end of every nginx test: a server, a plan for it, and the comparison of the two logs.

use std::path::Path;

use brunt_testbed::{Listener, Nginx, Served, require};

use crate::brunt::{Run, statuses};

/// An nginx of the test's own, or nothing where this machine has none.
pub(crate) fn nginx() -> Option<Nginx> {
    require(&["nginx", "openssl"]).then(Nginx::start)
}

/// A plan in which each of so many users goes so often through the steps.
pub(crate) fn plan(users: u32, each: u32, http: &str, steps: &str) -> String {
    format!(
        "[run]\nusers = {users}\niterations = {{ each = {each} }}\n\n[http]\n{http}\n\n[[scenario]]\n\
         after-failure = \"go-on\"\n\n{steps}\n"
    )
}

/// A step in TOML, with these lines in it.
pub(crate) fn step(lines: &str) -> String {
    format!("[[scenario.steps]]\n{lines}\n")
}

/// The key `base` for a listener.
pub(crate) fn base(nginx: &Nginx, listener: Listener) -> String {
    format!("base = {:?}", nginx.url(listener, ""))
}

/// A path as TOML has it.
pub(crate) fn quoted(path: &Path) -> String {
    format!("{:?}", path.to_str().expect("paths of tests are text"))
}

/// What nginx served, once it is certain that the run counted as many answers of each status.
pub(crate) fn the_same(nginx: &Nginx, run: &Run) -> Vec<Served> {
    let served = nginx.served();
    assert_eq!(statuses(run), Served::statuses(&served), "{run}");
    served
}
