//! The cost of the live view.

use std::fs::read_to_string;
use std::thread;
use std::time::Duration;

use brunt_test_program::{Terminal, searching, slapd};
use brunt_testbed::{measured, until};
use rustix::process::Pid;

const COSTS_OF_A_PROCESSOR: &str = "the processor time of a real thread is measured";

/// Seconds of processor time that the thread which draws has used, in hundredths.
fn drawing(process: Pid) -> Option<u64> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", process.as_raw_nonzero())).ok()?;
    let stats = tasks.filter_map(|task| read_to_string(task.ok()?.path().join("stat")).ok());
    let stat = stats.into_iter().find(|stat| stat.contains("(view)"))?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    Some(fields[11].parse::<u64>().ok()? + fields[12].parse::<u64>().ok()?)
}

#[test]
fn live_view_costs_under_one_percent_of_a_core() {
    measured(COSTS_OF_A_PROCESSOR, || {
        let Some(slapd) = slapd(20) else { return };
        // Without optimisation it costs several times as much.
        let limit = if cfg!(debug_assertions) { 0.1 } else { 0.01 };
        let line = searching(&slapd, "");
        let draw = |size| {
            let Some(terminal) = Terminal::new(size) else { return };
            terminal.enter(&line);
            terminal.wait("figures", |screen| screen.contains("success"));
            let process = terminal.process();
            let (seconds, before) = (10, drawing(process).expect("a thread that draws"));
            until(Duration::from_secs(seconds), || false);
            let used = drawing(process).expect("it still does") - before;
            let share = used as f64 / 100.0 / seconds as f64;
            eprintln!("drawing {size:?}: {:.2} % of a core", share * 100.0);
            assert!(share < limit, "{share} of a core");
            terminal.key("C-c");
            terminal.check_given_back();
        };
        thread::scope(|scope| {
            for size in [(80, 24), (200, 50)] {
                let draw = &draw;
                scope.spawn(move || draw(size));
            }
        });
    });
}
