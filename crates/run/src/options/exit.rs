//! The exit codes: one list, which the help, the documentation and the program share.
//!
//! The LDAP rate tools keep the code of the original tools for a wrong command line, so that scripts which test for it
//! still work; every other command uses the customary 2. This module does not depend on what was measured.

use std::process::ExitCode;

/// How the program ended, as its caller sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything succeeded.
    Ok,
    /// The command failed: no exchange succeeded, or a result could not be written.
    Failed,
    /// The command line of one of the new commands is wrong.
    Usage,
    /// Some exchanges failed (perfdhcp).
    SomeFailed,
    /// An objective is neither met nor missed.
    Undecided,
    /// The run or its record is incomplete.
    Partial,
    /// A figure is worse than that of the baseline (compare, ab).
    Regression,
    /// The broker of a cluster was unreachable for too long.
    PlaneLost,
    /// Refused, since it would have affected a target that it must not.
    Unsafe,
    /// Nothing could be claimed of the target (find-max).
    NoClaim,
    /// A condition of `--abort-on` ended the run, or its canary failed.
    Aborted,
    /// An input file of `addrate` could not be read.
    Input,
    /// The command line of one of the LDAP rate tools is wrong.
    LdapUsage,
    /// An objective given with `--slo` was missed.
    Missed,
    /// Ended by SIGINT, after the report was written.
    Interrupted,
    /// Ended by SIGTERM or SIGHUP, after the report was written.
    Terminated,
    /// One of the original lease benchmarks failed.
    OldFailure,
    /// The first connection or bind was refused with this LDAP result code.
    Ldap(u32),
}

impl Exit {
    /// Every exit with a fixed number.
    pub const ALL: [Self; 17] = [
        Self::Ok,
        Self::Failed,
        Self::Usage,
        Self::SomeFailed,
        Self::Undecided,
        Self::Partial,
        Self::Regression,
        Self::PlaneLost,
        Self::Unsafe,
        Self::NoClaim,
        Self::Aborted,
        Self::Input,
        Self::LdapUsage,
        Self::Missed,
        Self::Interrupted,
        Self::Terminated,
        Self::OldFailure,
    ];

    /// The number the shell sees. An LDAP result code that does not fit a byte becomes 255.
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::SomeFailed => 3,
            Self::Undecided => 4,
            Self::Partial => 5,
            Self::Regression => 6,
            Self::PlaneLost => 7,
            Self::Unsafe => 8,
            Self::NoClaim => 9,
            Self::Aborted => 10,
            Self::Input => 80,
            Self::LdapUsage => 89,
            Self::Missed => 99,
            Self::Interrupted => 130,
            Self::Terminated => 143,
            Self::OldFailure => 255,
            Self::Ldap(result) => u8::try_from(result).unwrap_or(255),
        }
    }

    /// One sentence for the help and the documentation.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "The command completed. Failed operations do not change this.",
            Self::Failed => {
                "The run failed, none of its operations succeeded, or a result could not be written."
            }
            Self::Usage => "The command line is wrong.",
            Self::SomeFailed => "Some operations failed.",
            Self::Undecided => {
                "An objective is undecided: missing answers, or limits of this machine, could have changed it."
            }
            Self::Partial => {
                "The run is incomplete: the target stopped responding or did not answer, or the run was interrupted."
            }
            Self::Regression => {
                "A figure is worse than that of the baseline, by more than --tolerance."
            }
            Self::PlaneLost => {
                "The broker of a cluster was away for more than 5 s. The agents stopped and kept their records."
            }
            Self::Unsafe => {
                "Refused for safety: the run would have affected something that it must not."
            }
            Self::NoClaim => "No rate could be claimed (find-max).",
            Self::Aborted => {
                "A condition given with --abort-on ended the run, or the run of --canary failed."
            }
            Self::Input => "An input file could not be read.",
            Self::LdapUsage => "The command line of an LDAP tool is wrong.",
            Self::Missed => "An objective given with --slo was missed.",
            Self::Interrupted => "Interrupted (SIGINT), after the report was written.",
            Self::Terminated => "Terminated (SIGTERM or SIGHUP), after the report was written.",
            Self::OldFailure => {
                "A phase of mysql_ubench, sqlite_ubench or memfile_ubench failed or was refused."
            }
            Self::Ldap(_) => "The first connection or bind failed with this LDAP result code.",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_distinct() {
        let mut codes: Vec<u8> = Exit::ALL.iter().map(|exit| exit.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 80, 89, 99, 130, 143, 255]);
    }

    #[test]
    fn exit_code_of_a_result_above_255_is_255() {
        assert_eq!(Exit::Ldap(49).code(), 49);
        assert_eq!(Exit::Ldap(4096).code(), 255);
    }
}
