//! [`Child`]: the process in which an agent carries out its share.
//!
//! The process is this program again, so a crash of the run ends that process and not the agent, and the run has its
//! own threads, memory and cores. Its measurements arrive through a named pipe as the lines of an event file, and its
//! tables are discarded; it receives the time to begin on its standard input. It is in a process group of its own, so
//! that ^C at the agent's terminal reaches only the agent, and it ends when the agent dies ([`end_with_agent`]).

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
use brunt_run::World;
use brunt_run::environment::Environment;
use brunt_run::fence::CONFINED;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::process::{Pid, Signal, getppid, kill_process, set_parent_process_death_signal};
use tokio::sync::mpsc;

use super::files;
use super::order::{child_line, step_line};

/// The variable that names the agent with which a run ends.
const AGENT: &str = "BRUNT_AGENT_PID";
/// Environment variables that every run inherits.
const PLAIN: &[&str] = &["PATH", "TZ", "LANG", "LC_ALL", "TMPDIR", "RUST_BACKTRACE"];
/// How many lines can wait to be read.
const LINES: usize = 64;
/// How many bytes of a run's standard error are kept.
const SAID_MAX: usize = 2_000;

/// How a child is started.
pub(super) struct ChildSettings<'a> {
    pub(super) order: &'a Order,
    /// The agent's own variables.
    pub(super) environment: &'a Environment,
    /// Where its record goes.
    pub(super) records: &'a Path,
    /// What the agent's owner permits; no permission is needed if the agent and the order belong to one user.
    pub(super) permit: Option<Permit>,
    /// The directory that relative names start from; the agent's own directory if none is given.
    pub(super) directory: Option<&'a Path>,
}

/// A run in a process of its own.
pub(super) struct Child {
    process: Process,
    stdin: Option<ChildStdin>,
    /// Its lines; the channel closes when the lines end.
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
    /// Starts the run, which connects and then waits. The error says what failed.
    pub(super) fn start(making: &ChildSettings<'_>) -> Result<Self, String> {
        let place = ShareFiles::make(making).map_err(|error| {
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
            // A run that cannot read this has ended, which is detected elsewhere.
            let _ = stdin.write_all(format!("{at}\n").as_bytes());
        }
    }

    /// Asks the run to end: in good order the first time, at once the second time.
    pub(super) fn interrupt(&mut self) {
        self.stdin = None;
        // After a process has ended, its number may belong to another process.
        if matches!(self.process.try_wait(), Ok(None))
            && let Ok(pid) = i32::try_from(self.process.id())
            && let Some(pid) = Pid::from_raw(pid)
        {
            let _ = kill_process(pid, Signal::INT);
        }
    }

    /// How it ended, if it has ended.
    pub(super) fn ended(&mut self) -> Option<Ended> {
        let status = self.process.try_wait().ok()??;
        // If the run never opened the pipe, this releases the thread that waits for it.
        let _ = open_writer(&self.pipe);
        Some(Ended { code: status.code() })
    }

    /// The last text that it wrote to standard error.
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

/// Makes this program end with the agent that started it, if an agent did: no load outlives the agent that ordered it.
pub(crate) fn end_with_agent(world: &World) -> Result<(), String> {
    let Some(agent) = world.environment.text(AGENT).and_then(|pid| pid.parse::<i32>().ok()) else {
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
struct ShareFiles {
    pipe: PathBuf,
    record: PathBuf,
}

impl ShareFiles {
    fn make(making: &ChildSettings<'_>) -> io::Result<Self> {
        let records = files::directory(making.records)?;
        let order = making.order;
        let name = format!("{}-{}-n{}", order.run, order.epoch, order.rank);
        let (pipe, record) =
            (records.join(format!("{name}.pipe")), records.join(format!("{name}.json")));
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        Ok(Self { pipe, record })
    }
}

/// Where the owner's file of targets is searched for: the file applies to orders, and the run has no home directory in
/// which to find it.
fn configurations(environment: &Environment) -> OsString {
    let variable = |name: &str| {
        environment.variable(name).map(OsStr::to_owned).filter(|value| !value.is_empty())
    };
    let home = || Some(PathBuf::from(variable("HOME")?).join(".config").into_os_string());
    let own = variable("XDG_CONFIG_HOME").or_else(home);
    let machines = variable("XDG_CONFIG_DIRS").unwrap_or_else(|| "/etc/xdg".into());
    own.into_iter().chain([machines]).collect::<Vec<_>>().join(OsStr::new(":"))
}

fn command(making: &ChildSettings<'_>, place: &ShareFiles) -> Command {
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
        let kept = kept.filter_map(|name| Some((name, making.environment.variable(name)?)));
        command.env_clear().envs(kept);
        command.env(CONFINED, "1").env("XDG_CONFIG_DIRS", configurations(making.environment));
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

/// Keeps the end of what the run writes to standard error, which is shown only if the run fails.
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

/// Opens the other end of a pipe that a thread may be waiting to open, and closes it.
fn open_writer(pipe: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    OpenOptions::new().write(true).custom_flags(flags).open(pipe)
}
