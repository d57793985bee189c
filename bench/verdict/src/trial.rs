//! One trial: arranges a cause, lets brunt measure, and reads the verdict.

use crate::cause::{Action, CLUSTER, Cause};
use crate::observation::Observation;
use crate::place::Setting;
use crate::server::{Running, send, wrapped};
use brunt_bench_tool::{pass_for, stopwatch};
use rustix::process::Signal;
use serde_json::Value;
use std::fs::File;
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// How long brunt may take beside its run: for preparing, for waits at the end, on a machine that is kept busy.
const PATIENCE: Duration = Duration::from_secs(60);
const STEP: Duration = Duration::from_millis(5);

/// The result of a trial.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What brunt reported, as far as the table of causes asks.
    pub observed: Observation,
    /// The record; null where there is none.
    pub record: Value,
    /// What was printed.
    pub output: String,
    /// When each act of the cause was performed, as far as brunt was still running then.
    pub acted: Vec<ActionTimes>,
}

/// When an act was performed, since brunt was started. On a busy machine that may be later than the table says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionTimes {
    /// Just before it.
    pub before: Duration,
    /// Just after it.
    pub after: Duration,
}

/// Carries out one trial with a run of so many seconds; an error says why the cause cannot be arranged here.
pub fn trial(cause: &Cause, seconds: u64, brunt: &Path) -> Result<Tried, String> {
    let directory = tempfile::Builder::new().prefix("verdict-").tempdir();
    let directory = directory.map_err(|error| error.to_string())?;
    let place = Setting::arrange(cause.conditions, directory.path())?;
    let mut target = Running::start(cause.server, brunt, directory.path(), place.target.clone())?;
    let record = directory.path().join("record.json");
    let mut words = words(cause, seconds, target.port());
    // Right behind the name of the tool, which may be of several words.
    let name = words.iter().take_while(|word| !word.starts_with('-')).count();
    let name = if cause.tool == CLUSTER { name } else { 1 };
    words.splice(name..name, ["--record".to_owned(), record.display().to_string()]);
    let log = directory.path().join("brunt.log");
    let out = File::create(&log).map_err(|error| error.to_string())?;
    let errors = out.try_clone().map_err(|error| error.to_string())?;
    let mut command = wrapped(&place.brunt(target.id()), brunt);
    command
        .args(words)
        .current_dir(directory.path())
        .env("HOME", directory.path())
        .env("NO_COLOR", "1");
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null()).stdout(out).stderr(errors);
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let attended = attend(cause, seconds, &mut child, &mut target, brunt);
    let output = std::fs::read_to_string(&log).unwrap_or_default();
    let record = std::fs::read_to_string(&record).ok();
    let (ended, acted) = attended?;
    let observed = match ended {
        Ended::Exited(exit) => Observation::new(record.as_deref(), exit, &output),
        Ended::Hung => Observation { status: "hung".to_owned(), ..Observation::default() },
    };
    let record = record.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    Ok(Tried { observed, record, output, acted })
}

/// How brunt came to its end.
enum Ended {
    /// By itself, with this exit code, or by a signal without one.
    Exited(Option<i32>),
    /// It had to be killed.
    Hung,
}

/// brunt's words, without `--record`.
fn words(cause: &Cause, seconds: u64, port: u16) -> Vec<String> {
    let free = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let free = free.map_or(0, |address| address.port());
    let line = format!("{} {}", cause.tool.words, cause.options);
    let slo = cause.objectives.iter().flat_map(|(objective, _)| ["--slo", objective]);
    let all = line.split_whitespace().chain(slo).chain(cause.tool.last.split_whitespace());
    all.map(|word| {
        word.replace("{port}", &port.to_string())
            .replace("{free}", &free.to_string())
            .replace("{seconds}", &seconds.to_string())
    })
    .collect()
}

/// Makes the events that must happen while brunt runs, and waits for its end. Where one comes late, those behind it are
/// put off by as much: what is stopped must not be continued too soon.
fn attend(
    cause: &Cause,
    seconds: u64,
    child: &mut Child,
    target: &mut Running,
    brunt: &Path,
) -> Result<(Ended, Vec<ActionTimes>), String> {
    let since = stopwatch();
    let longest = Duration::from_secs(seconds) + PATIENCE;
    let mut acts = cause.acts.iter().map(|(at, act)| (Duration::from_millis(*at), *act)).peekable();
    let (mut acted, mut late) = (Vec::new(), Duration::ZERO);
    loop {
        while let Some((at, act)) = acts.next_if(|(at, _)| *at + late <= since()) {
            let before = since();
            late = before.saturating_sub(at);
            if let Err(error) = perform(act, child.id(), target, brunt) {
                end(child);
                return Err(error);
            }
            acted.push(ActionTimes { before, after: since() });
        }
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok((Ended::Exited(status.code()), acted));
        }
        if since() > longest {
            end(child);
            return Ok((Ended::Hung, acted));
        }
        pass_for(STEP);
    }
}

fn end(child: &mut Child) {
    // One that has ended in the meantime needs no killing.
    let _ = child.kill();
    let _ = child.wait();
}

fn perform(act: Action, child: u32, target: &mut Running, brunt: &Path) -> Result<(), String> {
    match act {
        Action::StopTarget => target.signal(Signal::STOP),
        Action::ContinueTarget => target.signal(Signal::CONT),
        Action::KillTarget => target.kill(),
        Action::StartTarget => return target.start_again(brunt),
        Action::StopBrunt => send(child, Signal::STOP),
        Action::ContinueBrunt => send(child, Signal::CONT),
        Action::InterruptBrunt => send(child, Signal::INT),
        Action::KillAgent => send(agent_of(child).ok_or("brunt has no agent")?, Signal::KILL),
    }
    Ok(())
}

/// The youngest agent among the children of a process.
fn agent_of(parent: u32) -> Option<u32> {
    let processes = std::fs::read_dir("/proc").ok()?.filter_map(Result::ok);
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_agent = |id: &u32| {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{id}/{name}")).ok();
        // Behind the name of the program, which may have blanks and brackets: state, parent.
        let stat = read("stat").unwrap_or_default();
        let of = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        let words = read("cmdline").unwrap_or_default();
        of == Some(parent) && words.split('\0').nth(1) == Some("agent")
    };
    ids.filter(is_agent).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::CAUSES;

    #[test]
    fn command_lines_of_causes_are_complete() {
        for cause in CAUSES {
            let words = words(cause, 7, 4711);
            let joined = words.join(" ");
            let place =
                ["{port}", "{free}", "{seconds}"].iter().find(|place| joined.contains(**place));
            assert_eq!(place, None, "{joined}");
            let last = cause.tool.last.replace("{port}", "4711").replace("{seconds}", "7");
            assert!(joined.ends_with(&last), "{joined}");
        }
    }
}
