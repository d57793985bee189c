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
use brunt_run::address_policy::CONFINED;
use brunt_run::environment::Environment;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::io::Errno;
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
const ERRORS_MAX: usize = 2_000;

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

/// Why a run was not started.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChildError {
    #[error("failed to write to the directory of records {}: {source}", path.display())]
    Records { path: PathBuf, source: io::Error },
    #[error("failed to start the run: {0}")]
    Start(#[source] io::Error),
    #[error(transparent)]
    Thread(#[from] ThreadError),
}

/// A thread cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("failed to start a thread: {0}")]
pub(super) struct ThreadError(#[from] io::Error);

/// Why a run does not end with its agent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AgentGone {
    #[error("failed to arrange that this run ends with the agent: {0}")]
    Signal(#[from] Errno),
    #[error("the agent that started this run is gone")]
    Gone,
}

/// A run in a process of its own.
pub(super) struct Child {
    process: Process,
    stdin: Option<ChildStdin>,
    /// Its lines; the channel closes when the lines end.
    pub(super) lines: mpsc::Receiver<Vec<u8>>,
    errors: Arc<Mutex<String>>,
    pipe: PathBuf,
    record: PathBuf,
}

/// How a run ended.
pub(super) struct Ended {
    /// Its exit code; none if a signal ended it.
    pub(super) code: Option<i32>,
}

impl Child {
    /// Starts the run, which connects and then waits.
    pub(super) fn start(settings: &ChildSettings<'_>) -> Result<Self, ChildError> {
        let records = settings.records;
        let files = ShareFiles::make(settings)
            .map_err(|source| ChildError::Records { path: records.to_owned(), source })?;
        let mut process = command(settings, &files).spawn().map_err(|error| {
            let _ = fs::remove_file(&files.pipe);
            ChildError::Start(error)
        })?;
        let (stdin, stderr) = (process.stdin.take(), process.stderr.take());
        let errors = Arc::new(Mutex::new(String::new()));
        if let Some(stderr) = stderr {
            let errors = Arc::clone(&errors);
            spawn("errors", move || keep_end(BufReader::new(stderr), &errors))?;
        }
        let (sender, lines) = mpsc::channel(LINES);
        let pipe = files.pipe.clone();
        spawn("lines", move || read(&pipe, &sender))?;
        Ok(Self { process, stdin, lines, errors, pipe: files.pipe, record: files.record })
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
    pub(super) fn errors(&self) -> String {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).trim().to_owned()
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
pub(crate) fn end_with_agent(world: &World) -> Result<(), AgentGone> {
    let Some(agent) = world.environment.text(AGENT).and_then(|pid| pid.parse::<i32>().ok()) else {
        return Ok(());
    };
    set_parent_process_death_signal(Some(Signal::INT))?;
    let parent = getppid().map(Pid::as_raw_nonzero).map(std::num::NonZero::get);
    if parent == Some(agent) { Ok(()) } else { Err(AgentGone::Gone) }
}

/// Where the files of a share are.
struct ShareFiles {
    pipe: PathBuf,
    record: PathBuf,
}

impl ShareFiles {
    fn make(settings: &ChildSettings<'_>) -> io::Result<Self> {
        let records = files::directory(settings.records)?;
        let order = settings.order;
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

fn command(settings: &ChildSettings<'_>, files: &ShareFiles) -> Command {
    let mut more = vec![
        format!("--events={}", files.pipe.display()),
        format!("--record={}", files.record.display()),
    ];
    more.extend(settings.permit.iter().flat_map(|permit| permit.allow.iter().cloned()));
    let line = match &settings.order.step {
        Some(step) => step_line(settings.order, step, &files.pipe, &files.record),
        None => child_line(settings.order, &more),
    };
    let mut command = Command::new("/proc/self/exe");
    command.arg0("brunt").args(line);
    if let Some(permit) = &settings.permit {
        let kept = PLAIN.iter().copied().chain(permit.variables.iter().map(String::as_str));
        let kept = kept.filter_map(|name| Some((name, settings.environment.variable(name)?)));
        command.env_clear().envs(kept);
        command.env(CONFINED, "1").env("XDG_CONFIG_DIRS", configurations(settings.environment));
    }
    command.env(AGENT, std::process::id().to_string());
    if let Some(directory) = settings.directory {
        command.current_dir(directory);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    command
}

pub(super) fn spawn(name: &str, act: impl FnOnce() + Send + 'static) -> Result<(), ThreadError> {
    std::thread::Builder::new().name(name.to_owned()).spawn(act)?;
    Ok(())
}

/// Keeps the end of what the run writes to standard error, which is shown only if the run fails.
fn keep_end(mut stderr: impl io::BufRead, kept: &Mutex<String>) {
    let mut line = Vec::new();
    while (&mut stderr)
        .take(ERRORS_MAX as u64)
        .read_until(b'\n', &mut line)
        .is_ok_and(|read| read > 0)
    {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        line.clear();
        if text.is_empty() {
            continue;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_str(&text);
        kept.push('\n');
        let mut from = kept.len().saturating_sub(ERRORS_MAX);
        while !kept.is_char_boundary(from) {
            from += 1;
        }
        kept.drain(..from);
    }
}

/// Reads the lines of the run until it closes its end of the pipe.
fn read(pipe: &Path, sender: &mpsc::Sender<Vec<u8>>) {
    let Ok(pipe) = File::open(pipe) else { return };
    let mut pipe = BufReader::with_capacity(1 << 16, pipe);
    loop {
        let mut line = Vec::new();
        let read = (&mut pipe).take(LINE_MAX).read_until(b'\n', &mut line);
        if !read.is_ok_and(|read| read > 0) || sender.blocking_send(line).is_err() {
            return;
        }
    }
}

/// Opens the other end of a pipe that a thread may be waiting to open, and closes it.
fn open_writer(pipe: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    OpenOptions::new().write(true).custom_flags(flags).open(pipe)
}
