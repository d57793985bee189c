//! Packages are installed, used and removed in a clean root, as in `packaging/try`.

use std::process::Command;

use brunt_testbed::require;

use crate::made::{Made, ROOT, succeed};

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn packages_work_in_a_clean_root_and_leave_nothing() {
    if !require(&["root", "mmdebstrap", "rpmbuild", "rpm", "dpkg-deb", "unshare", "strip"]) {
        return;
    }
    let made = Made::packages();
    let mut command = Command::new(format!("{ROOT}/packaging/try"));
    succeed(command.arg(made.file(".deb")).arg(made.file(".rpm")));
}
