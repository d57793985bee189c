//! Where a search reads the processor time of its target: `--server-cpu`.

use std::str::FromStr;

/// Where the processor time of a target is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerCpu {
    /// Of the process of this machine that listens where the load goes.
    Local,
    /// Of a process of this machine.
    Pid(u32),
}

impl FromStr for ServerCpu {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "local" => Ok(Self::Local),
            Some(("pid", pid)) => match pid.parse() {
                Ok(pid) if pid > 0 => Ok(Self::Pid(pid)),
                _ => Err(format!("'{pid}' is no process id")),
            },
            _ => Err("write local, or pid:PID such as pid:4711".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_this_machine_or_a_process_of_it() {
        assert_eq!("local".parse(), Ok(ServerCpu::Local));
        assert_eq!("pid:4711".parse(), Ok(ServerCpu::Pid(4711)));
        for wrong in ["", "pid", "pid:0", "pid:x", "kea:x", "local:1"] {
            assert!(wrong.parse::<ServerCpu>().is_err(), "{wrong}");
        }
    }
}
