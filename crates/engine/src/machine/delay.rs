//! How long a thread could have run and had no core: its run-queue delay, as the scheduler counts it.

use std::time::Duration;

/// The calling thread's run-queue delay since it started; zero where the kernel does not tell it.
pub fn waited_for_core() -> Duration {
    current().unwrap_or_default()
}

/// The same; `None` where the kernel does not tell it.
pub(super) fn current() -> Option<Duration> {
    parse(&std::fs::read_to_string("/proc/thread-self/schedstat").ok()?)
}

/// The second of the three numbers of a `schedstat`: time on a core, time waited for one, turns.
fn parse(schedstat: &str) -> Option<Duration> {
    let mut fields = schedstat.split_whitespace();
    let ran: u64 = fields.next()?.parse().ok()?;
    let waited = fields.next()?.parse().ok()?;
    // A kernel that keeps no such statistics shows zeros. A thread that reads a file has run.
    (ran > 0).then(|| Duration::from_nanos(waited))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores;

    #[test]
    fn the_second_field_is_nanoseconds_of_waiting() {
        assert_eq!(parse("328822 4711 12\n"), Some(Duration::from_nanos(4711)));
        assert_eq!(parse("0 0 0\n"), None);
        assert_eq!(parse("328822\n"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn two_threads_on_one_core_wait_for_each_other() {
        if current().is_none() {
            eprintln!("skipped: this kernel counts no run-queue delay");
            return;
        }
        let core = cores::allowed()[0];
        let spin = move || {
            cores::pin(core);
            let before = waited_for_core();
            let clock = brunt_exchange::Monotonic::new();
            let until = Duration::from_millis(300);
            while brunt_exchange::Clock::now(&clock).since_origin() < until {}
            waited_for_core().saturating_sub(before)
        };
        let waited = std::thread::scope(|scope| {
            let threads = [scope.spawn(spin), scope.spawn(spin)];
            threads.map(|thread| thread.join().unwrap()).iter().sum::<Duration>()
        });
        // Of 600 ms wanted, a core that is shared evenly has 300; a busy machine makes it more.
        assert!(waited > Duration::from_millis(150), "{waited:?}");
    }
}
