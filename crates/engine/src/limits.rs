//! The limits of the operating system for one process, raised as far as possible without root.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit on open files of this process to the maximum, and returns it; `None` if there is no limit. A limit
/// that cannot be raised stays as it is: connecting reports an error if it matters.
pub fn raise_open_files() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: maximum, maximum };
    if setrlimit(Resource::Nofile, raised).is_ok() { maximum } else { current }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_files_limit_in_force_is_reported() {
        let reported = raise_open_files();
        assert_eq!(getrlimit(Resource::Nofile).current, reported);
        assert_eq!(getrlimit(Resource::Nofile).maximum, reported);
    }
}
