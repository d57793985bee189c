//! The figures that are read from the target during a run: `--monitor`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::value_error::ValueError;

/// The source of the target's own figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MonitorSource {
    /// The directory under load, below `cn=monitor`, over a connection like those of the run.
    Ldap,
    /// Kea, through its control socket.
    Kea(PathBuf),
    /// A process on this machine, from `/proc`.
    Pid(u32),
}

impl FromStr for MonitorSource {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        match text.split_once(':') {
            None if text == "ldap" => Ok(Self::Ldap),
            Some(("kea", socket)) if !socket.is_empty() => Ok(Self::Kea(socket.into())),
            Some(("pid", pid)) => match pid.parse() {
                Ok(pid) if pid > 0 => Ok(Self::Pid(pid)),
                _ => Err(ValueError::ProcessId(pid.to_owned())),
            },
            _ => Err(ValueError::Monitor),
        }
    }
}

impl fmt::Display for MonitorSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ldap => f.write_str("ldap"),
            Self::Kea(socket) => write!(f, "kea:{}", socket.display()),
            Self::Pid(pid) => write!(f, "pid:{pid}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monitor_source_round_trips() {
        for text in ["ldap", "kea:/run/kea/kea4-ctrl-socket", "pid:4711"] {
            let source: MonitorSource = text.parse().unwrap();
            assert_eq!(source.to_string(), text);
        }
        for wrong in ["", "kea", "kea:", "pid:", "pid:0", "pid:x", "ldap:x", "snmp"] {
            assert!(wrong.parse::<MonitorSource>().is_err(), "{wrong}");
        }
    }
}
