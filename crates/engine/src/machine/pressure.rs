//! How long some process of the machine waited for a core, from the kernel's pressure stall information.

use super::counter_file::CounterFile;
use std::time::Duration;

/// The kernel's count, if it keeps one.
#[derive(Debug)]
pub(super) struct Pressure(Option<CounterFile>);

impl Pressure {
    /// That of this machine.
    pub(super) fn of_cores() -> Self {
        Self(CounterFile::open("/proc/pressure/cpu"))
    }

    /// The cumulative time in which at least one process waited for a core; `None` if the kernel does not provide it.
    pub(super) fn read(&mut self) -> Option<Duration> {
        parse(self.0.as_mut()?.read()?)
    }
}

/// `total` of the line `some`, in microseconds.
fn parse(text: &str) -> Option<Duration> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let total = some.split_whitespace().find_map(|field| field.strip_prefix("total="))?;
    total.parse().ok().map(Duration::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_some_total_is_parsed() {
        let text = "some avg10=0.83 avg60=0.67 avg300=2.05 total=62114358\n\
                    full avg10=0.00 avg60=0.00 avg300=0.00 total=99\n";
        assert_eq!(parse(text), Some(Duration::from_micros(62_114_358)));
    }

    #[test]
    fn pressure_of_other_texts_is_absent() {
        assert_eq!(parse(""), None);
        assert_eq!(parse("full avg10=0.00 avg60=0.00 avg300=0.00 total=99\n"), None);
        assert_eq!(parse("some avg10=0.83 total=many\n"), None);
    }
}
