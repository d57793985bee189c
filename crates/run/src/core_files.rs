//! No core files: they would contain passwords, tokens and keys, and lie where users do not expect them.
//!
//! The limit is one byte, because zero is not enough: the kernel passes the memory to a program named in
//! `core_pattern`, such as systemd's or apport's, for every limit except this one (`fs/coredump.c`). Only the soft
//! limit is set, so a program that brunt starts may raise its own.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Prevents core files of this process from now on. If that is not permitted, the previous limit remains.
pub fn forbid() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Core);
    let current = Some(maximum.map_or(1, |most| most.min(1)));
    let _ = setrlimit(Resource::Core, Rlimit { current, maximum });
}
