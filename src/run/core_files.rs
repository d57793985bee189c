//! No core files: they would hold passwords, tokens and keys, and lie where nobody expects them.
//!
//! A limit of one byte, because zero is not enough: the kernel hands the memory to a program named in `core_pattern`,
//! such as systemd's or apport's, whatever the limit is, but for this one (`fs/coredump.c`). Only the soft limit is
//! set, so a program that brunt starts may raise its own.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Has this process leave none from here on. Where that is not allowed, it was so before.
pub(crate) fn forbid() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Core);
    let current = Some(maximum.map_or(1, |most| most.min(1)));
    let _ = setrlimit(Resource::Core, Rlimit { current, maximum });
}
