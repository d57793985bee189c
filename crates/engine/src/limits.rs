//! What the operating system lets one process have, raised as far as it allows without being root.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the number of files this process may have open to the most that it may ask for, and
/// returns it; `None` if there is no limit. A limit that cannot be raised is left as it is:
/// connecting will say so where it matters.
pub fn raise_open_files() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: maximum, maximum };
    if setrlimit(Resource::Nofile, raised).is_ok() { maximum } else { current }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_in_force_is_the_one_reported() {
        let reported = raise_open_files();
        assert_eq!(getrlimit(Resource::Nofile).current, reported);
        assert_eq!(getrlimit(Resource::Nofile).maximum, reported);
    }
}
