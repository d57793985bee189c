//! [`Process`]: the kernel's figures of a process on this machine (`proc(5)`).

use std::fs;

use super::{Reading, Source};

/// Why a process cannot be read.
#[derive(Debug, thiserror::Error)]
enum ProcessError {
    #[error("read /proc/{pid}/stat: {source}")]
    Read { pid: u32, source: std::io::Error },
    #[error("understand /proc/{0}/stat")]
    Format(u32),
    #[error("read process {0}: it has ended, and another process has its id")]
    Other(u32),
}

/// A process.
pub(super) struct Process {
    pid: u32,
    /// When it began, so that another process that is given the same number is not mistaken for it.
    began: Option<u64>,
}

impl Process {
    pub(super) fn new(pid: u32) -> Self {
        Self { pid, began: None }
    }

    fn file(&self, name: &str) -> std::io::Result<String> {
        fs::read_to_string(format!("/proc/{}/{name}", self.pid))
    }
}

impl Source for Process {
    fn read(&mut self) -> Reading {
        let pid = self.pid;
        let stat = self.file("stat").map_err(|source| ProcessError::Read { pid, source })?;
        let stat = Stat::parse(&stat).ok_or(ProcessError::Format(pid))?;
        if *self.began.get_or_insert(stat.began) != stat.began {
            return Err(ProcessError::Other(pid).into());
        }
        let ticks = rustix::param::clock_ticks_per_second() as f64;
        let page = rustix::param::page_size() as f64;
        let mut values = vec![
            ("processor seconds".to_owned(), (stat.user + stat.system) as f64 / ticks),
            ("processor seconds in the kernel".to_owned(), stat.system as f64 / ticks),
            ("threads".to_owned(), stat.threads as f64),
            ("resident MiB".to_owned(), stat.pages as f64 * page / f64::from(1 << 20)),
        ];
        let status = self.file("status").unwrap_or_default();
        for (key, name) in [
            ("voluntary_ctxt_switches:", "waits (context switches)"),
            ("nonvoluntary_ctxt_switches:", "preemptions (context switches)"),
        ] {
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            values
                .extend(line.and_then(|count| Some((name.to_owned(), count.trim().parse().ok()?))));
        }
        // The files of another user's process are not readable.
        if let Ok(files) = fs::read_dir(format!("/proc/{pid}/fd")) {
            values.push(("open files".to_owned(), files.count() as f64));
        }
        Ok(values)
    }
}

/// The fields of `/proc/PID/stat` that are used.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    user: u64,
    system: u64,
    threads: u64,
    began: u64,
    pages: u64,
}

impl Stat {
    /// The name of the program, which may contain any character, ends at the last parenthesis.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        // The first of these is field 3 of the manual page.
        let field = |number: usize| fields.get(number - 3)?.parse().ok();
        Some(Self {
            user: field(14)?,
            system: field(15)?,
            threads: field(20)?,
            began: field(22)?,
            pages: field(24)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_fields_are_parsed_as_documented() {
        let text =
            "7 (a) b) S 1 7 7 0 -1 4194560 100 0 0 0 31 17 0 0 20 0 5 0 999 1000000 2048 1844 0\n";
        let expected = Stat { user: 31, system: 17, threads: 5, began: 999, pages: 2048 };
        assert_eq!(Stat::parse(text), Some(expected));
        for wrong in ["", "7 (x", "7 (x) S 1 2"] {
            assert_eq!(Stat::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn process_itself_is_read_and_a_missing_one_is_named() {
        let mut own = Process::new(std::process::id());
        let values = own.read().unwrap();
        let of =
            |name: &str| values.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        assert!(of("threads").unwrap() >= 1.0 && of("resident MiB").unwrap() > 1.0, "{values:?}");
        assert!(of("open files").unwrap() >= 3.0, "{values:?}");
        own.began = Some(0);
        let reused = own.read().unwrap_err().to_string();
        assert!(reused.contains("another process has its id"), "{reused}");
        let missing = Process::new(u32::MAX).read().unwrap_err().to_string();
        assert!(missing.contains("/proc/4294967295/stat"), "{missing}");
    }
}
