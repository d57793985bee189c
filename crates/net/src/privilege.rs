//! What to do if this process lacks a privilege.
//!
//! One sentence for every socket that needs one, so that a user can paste the remedy. It must not depend on what the
//! privilege is needed for.

use std::fmt;

/// How a user gives this program the privileges it needs, as text that can be pasted.
pub fn remedy() -> impl fmt::Display {
    struct Remedy;
    impl fmt::Display for Remedy {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(
                "run it as root, or give it the right once: \
                 sudo setcap cap_net_bind_service,cap_net_raw,cap_net_admin+ep ",
            )?;
            match std::env::current_exe() {
                Ok(path) => path.display().fmt(f),
                Err(_) => f.write_str("PATH-OF-THIS-PROGRAM"),
            }
        }
    }
    Remedy
}
