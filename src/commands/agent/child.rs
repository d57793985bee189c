//! [`Child`]: the process in which an agent carries out its share.
//!
//! It is this program again, so that a run that crashes ends a process and not the agent, and the run's threads, memory
//! and cores are its own. What it measures comes through a named pipe as the lines of an event file, while tables go
//! nowhere; when it begins it is told on its standard input. It is in a process group of its own, so that ^C at the
//! agent's terminal reaches the agent alone, and it ends when the agent dies ([`end_with_agent`]).

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child as Process, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use brunt_cluster::message::Order;
use brunt_cluster::policy::Permit;
use brunt_record::events::LINE_MAX;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::process::{Pid, Signal, getppid, kill_process, set_parent_process_death_signal};
use tokio::sync::mpsc;

use super::files;
use super::order::{child_line, step_line};
use crate::run::fence::CONFINED;

/// By this variable a run knows the agent with which it ends.
const AGENT: &str = "BRUNT_AGENT_PID";
/// Variables of its surroundings that any run may have.
const PLAIN: &[&str] = &["PATH", "TZ", "LANG", "LC_ALL", "TMPDIR", "RUST_BACKTRACE"];
/// How many lines wait to be taken.
const LINES: usize = 64;
/// How much is kept of what a run said.
const SAID_MAX: usize = 2_000;

/// How a child is to be made.
pub(super) struct Making<'a> {
    pub(super) order: &'a Order,
    /// Where its record goes.
    pub(super) records: &'a Path,
    /// What the agent's owner permits; nobody is asked if the agent and the order are of one user.
    pub(super) permit: Option<Permit>,
    /// The directory in which relative names begin; that of the agent if it is not said.
    pub(super) directory: Option<&'a Path>,
}

/// A run that goes on in a process of its own.
pub(super) struct Child {
    process: Process,
    stdin: Option<ChildStdin>,
    /// Its lines; the end of them is the end of this.
    pub(super) lines: mpsc::Receiver<Vec<u8>>,
    said: Arc<Mutex<String>>,
    pipe: PathBuf,
    record: PathBuf,
}

/// How a run ended.
pub(super) struct Ended {
    /// Its exit code; none if a signal ended it.
    pub(super) code: Option<i32>,
}

impl Child {
    /// Starts the run, which connects and waits. The error says what failed.
    pub(super) fn start(making: &Making<'_>) -> Result<Self, String> {
        let place = Place::make(making).map_err(|error| {
            let records = making.records.display();
            format!("failed to write to the directory of records {records}: {error}")
        })?;
        let mut process = command(making, &place).spawn().map_err(|error| {
            let _ = fs::remove_file(&place.pipe);
            format!("failed to start the run: {error}")
        })?;
        let (stdin, stderr) = (process.stdin.take(), process.stderr.take());
        let said = Arc::new(Mutex::new(String::new()));
        if let Some(stderr) = stderr {
            let said = Arc::clone(&said);
            spawn("said", move || listen(BufReader::new(stderr), &said))?;
        }
        let (tell, lines) = mpsc::channel(LINES);
        let pipe = place.pipe.clone();
        spawn("lines", move || read(&pipe, &tell))?;
        Ok(Self { process, stdin, lines, said, pipe: place.pipe, record: place.record })
    }

    /// Tells the run when to begin.
    pub(super) fn begin(&mut self, at: jiff::Timestamp) {
        if let Some(mut stdin) = self.stdin.take() {
            // A run that cannot read it has ended, which is seen otherwise.
            let _ = stdin.write_all(format!("{at}\n").as_bytes());
        }
    }

    /// Has the run end: in good order the first time, at once the second.
    pub(super) fn interrupt(&mut self) {
        self.stdin = None;
        // The number of a process that has ended may be another's by now.
        if matches!(self.process.try_wait(), Ok(None))
            && let Ok(pid) = i32::try_from(self.process.id())
            && let Some(pid) = Pid::from_raw(pid)
        {
            let _ = kill_process(pid, Signal::INT);
        }
    }

    /// How it ended, if it has.
    pub(super) fn ended(&mut self) -> Option<Ended> {
        let status = self.process.try_wait().ok()??;
        // If it never opened the pipe, whoever waits for that waits no longer.
        let _ = open_writer(&self.pipe);
        Some(Ended { code: status.code() })
    }

    /// The last it said on standard error.
    pub(super) fn said(&self) -> String {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).trim().to_owned()
    }

    /// Where its record is.
    pub(super) fn record(&self) -> &Path {
        &self.record
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.ended().is_none() {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
        let _ = open_writer(&self.pipe);
        let _ = fs::remove_file(&self.pipe);
    }
}

/// Ends this program with the agent that started it, if one has: no load outlives who ordered it.
pub(crate) fn end_with_agent() -> Result<(), String> {
    let Some(agent) = std::env::var(AGENT).ok().and_then(|pid| pid.parse::<i32>().ok()) else {
        return Ok(());
    };
    set_parent_process_death_signal(Some(Signal::INT))
        .map_err(|error| format!("failed to arrange that this run ends with the agent: {error}"))?;
    let parent = getppid().map(Pid::as_raw_nonzero).map(std::num::NonZero::get);
    if parent == Some(agent) {
        Ok(())
    } else {
        Err("the agent that started this run is gone".to_owned())
    }
}

/// Where the files of a share are.
struct Place {
    pipe: PathBuf,
    record: PathBuf,
}

impl Place {
    fn make(making: &Making<'_>) -> io::Result<Self> {
        let records = files::directory(making.records)?;
        let order = making.order;
        let name = format!("{}-{}-n{}", order.run, order.epoch, order.rank);
        let (pipe, record) =
            (records.join(format!("{name}.pipe")), records.join(format!("{name}.json")));
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        Ok(Self { pipe, record })
    }
}

/// Where the owner's file of targets is looked for: it binds orders, and the run has no home to find it in.
fn configurations() -> OsString {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = || Some(PathBuf::from(variable("HOME")?).join(".config").into_os_string());
    let own = variable("XDG_CONFIG_HOME").or_else(home);
    let machines = variable("XDG_CONFIG_DIRS").unwrap_or_else(|| "/etc/xdg".into());
    own.into_iter().chain([machines]).collect::<Vec<_>>().join(OsStr::new(":"))
}

fn command(making: &Making<'_>, place: &Place) -> Command {
    let mut more = vec![
        format!("--events={}", place.pipe.display()),
        format!("--record={}", place.record.display()),
    ];
    more.extend(making.permit.iter().flat_map(|permit| permit.allow.iter().cloned()));
    let line = match &making.order.step {
        Some(step) => step_line(making.order, step, &place.pipe, &place.record),
        None => child_line(making.order, &more),
    };
    let mut command = Command::new("/proc/self/exe");
    command.arg0("brunt").args(line);
    if let Some(permit) = &making.permit {
        let kept = PLAIN.iter().copied().chain(permit.variables.iter().map(String::as_str));
        let kept = kept.filter_map(|name| std::env::var_os(name).map(|value| (name, value)));
        command.env_clear().envs(kept);
        command.env(CONFINED, "1").env("XDG_CONFIG_DIRS", configurations());
    }
    command.env(AGENT, std::process::id().to_string());
    if let Some(directory) = making.directory {
        command.current_dir(directory);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    command
}

pub(super) fn spawn(name: &str, act: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(act);
    spawned.map(drop).map_err(|error| format!("failed to start a thread: {error}"))
}

/// Keeps the end of what the run says on standard error, where nobody looks unless it fails.
fn listen(mut stderr: impl io::BufRead, said: &Mutex<String>) {
    let mut line = Vec::new();
    while (&mut stderr)
        .take(SAID_MAX as u64)
        .read_until(b'\n', &mut line)
        .is_ok_and(|read| read > 0)
    {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        line.clear();
        if text.is_empty() {
            continue;
        }
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.push_str(&text);
        said.push('\n');
        let mut from = said.len().saturating_sub(SAID_MAX);
        while !said.is_char_boundary(from) {
            from += 1;
        }
        said.drain(..from);
    }
}

/// Reads the lines of the run until it closes its end of the pipe.
fn read(pipe: &Path, tell: &mpsc::Sender<Vec<u8>>) {
    let Ok(pipe) = File::open(pipe) else { return };
    let mut pipe = BufReader::with_capacity(1 << 16, pipe);
    loop {
        let mut line = Vec::new();
        let read = (&mut pipe).take(LINE_MAX).read_until(b'\n', &mut line);
        if !read.is_ok_and(|read| read > 0) || tell.blocking_send(line).is_err() {
            return;
        }
    }
}

/// Opens the other end of a pipe that somebody may wait for, and closes it.
fn open_writer(pipe: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    OpenOptions::new().write(true).custom_flags(flags).open(pipe)
}
