//! `brunt ab` of two loads of binds.

use crate::{Trial, brunt};

/// The words of a run of `authrate` against this port, of so many seconds.
pub fn binds(port: u16, seconds: u32) -> Vec<String> {
    let line = format!(
        "authrate --noPropertiesFile -h 127.0.0.1 -p {port} -D uid=user.{{}},ou=people,dc=example,dc=com -w password \
         -f -c 4 -M 200 -d {seconds} -g rand(0,50)"
    );
    line.split_whitespace().map(str::to_owned).collect()
}

/// `brunt ab` of these two commands.
pub fn ab(options: &[&str], a: &[String], b: &[String]) -> Trial {
    brunt("ab").args(options).arg("--").args(a).arg("--").args(b)
}
