//! nslcd.conf. nslcd cannot use another file or another socket than its own, so both are at their default paths, within
//! the isolation of a sandbox.

use super::super::spec::{GROUPS, PEOPLE, SUFFIX};

/// Threads that query the directory: nslcd's own default, set explicitly so that it cannot change unnoticed.
const THREADS: u32 = 5;

/// nslcd.conf for the directory at `url`.
pub(crate) fn text(url: &str) -> String {
    format!(
        "threads {THREADS}\nuri {url}\nbase {SUFFIX}\nbase passwd {PEOPLE}\nbase group {GROUPS}\nscope one\n\
         reconnect_sleeptime 1\nreconnect_retrytime 1\nbind_timelimit 5\ntimelimit 5\n"
    )
}
