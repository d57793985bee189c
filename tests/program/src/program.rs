//! [`Program`]: a process under way, and what every command of brunt is started with.
//!
//! Output is read while the program runs, so that a test can wait for a line and then send a signal. A program that
//! does not end is killed, and the test says what it had printed until then.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, LazyLock, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use brunt_testbed::{Options, Slapd, among_others, ends_within};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::{Ended, brunt};

/// Longer than any run of these tests, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// A directory of users, or nothing where slapd is not installed.
pub fn slapd(users: usize) -> Option<Slapd> {
    let there = brunt_testbed::require(&["slapd", "slapadd", "ldapsearch"]);
    there.then(|| Slapd::start(Options { users, ..Options::default() }))
}

/// The address of a server, as options.
pub fn at(port: u16) -> Vec<String> {
    ["-h", "127.0.0.1", "-p", &port.to_string()].map(str::to_owned).to_vec()
}

/// A directory of this test.
pub fn scratch() -> TempDir {
    tempfile::Builder::new().prefix("brunt-").tempdir().expect("a temporary directory")
}

/// Writes a file below a directory of a test and gives its path. Its name may have directories in it.
pub(crate) fn write_below(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    let parent = path.parent().expect("it is below the directory");
    fs::create_dir_all(parent).expect("a directory can be made");
    fs::write(&path, text).expect("a file can be written");
    path
}

/// The binary, which cargo builds before the tests of its package, into the directory above theirs.
pub fn binary() -> &'static Path {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| profile().join("brunt"));
    &BINARY
}

/// The directory of the profile that the tests are built with.
fn profile() -> PathBuf {
    let program = std::env::current_exe().expect("a test is a program");
    program.ancestors().nth(2).expect("it is in the directory deps").to_owned()
}

/// A command for a program, without the environment of the user who runs the tests.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    at_home(&mut command, home());
    command
}

/// Takes the environment of the user who runs the tests from a command, whose home is this directory.
pub(crate) fn at_home(command: &mut Command, home: &Path) {
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "TZ"] {
        command.env_remove(name);
    }
    command.env("HOME", home).env("NO_COLOR", "1").stdin(Stdio::null());
}

/// An empty home for programs that only look there.
fn home() -> &'static Path {
    static HOME: LazyLock<PathBuf> = LazyLock::new(|| {
        let home = profile().join("home-of-tests");
        std::fs::create_dir_all(&home).expect("a directory beside the program");
        home
    });
    &HOME
}

/// Runs brunt with these words to its end. The address of a server stands behind the name of the tool.
pub fn run<A: AsRef<OsStr>>(words: impl IntoIterator<Item = A>) -> Ended {
    brunt("").args(words).run()
}

/// Runs a tool against a server to its end, and keeps the record.
pub fn measure(tool: &str, port: u16, line: &[&str]) -> Ended {
    start(tool, port, line).wait()
}

/// Starts a tool against a server. The record is kept, and all figures are printed at the end.
pub fn start(tool: &str, port: u16, line: &[&str]) -> Program {
    brunt(tool).args(at(port)).arg("--details").recorded().args(line).start()
}

/// A running program.
#[derive(Debug)]
pub struct Program {
    child: Child,
    words: String,
    output: Arc<Output>,
    readers: Vec<JoinHandle<()>>,
    /// The directory of the files that its command line names, and where its record is in it.
    files: Option<(TempDir, PathBuf)>,
}

/// What a program has written so far, to standard output and to standard error.
#[derive(Debug, Default)]
struct Output {
    written: Mutex<[Vec<u8>; 2]>,
    more: Condvar,
}

impl Output {
    /// Reads a stream to its end, on a thread of its own.
    fn read(
        self: &Arc<Self>,
        number: usize,
        mut from: impl Read + Send + 'static,
    ) -> JoinHandle<()> {
        let output = Arc::clone(self);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                let mut written = output.written.lock().expect("nobody panics");
                written[number].extend_from_slice(&buffer[..count]);
                output.more.notify_all();
            }
        })
    }

    fn text(&self) -> [String; 2] {
        let written = self.written.lock().expect("nobody panics");
        written.each_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Waits until what was written is as a test wants it.
    fn wait_until(&self, mut there: impl FnMut(&str, &str) -> bool) -> bool {
        let written = self.written.lock().expect("nobody panics");
        let missing = |written: &mut [Vec<u8>; 2]| {
            let [stdout, stderr] = written.each_ref().map(|bytes| String::from_utf8_lossy(bytes));
            !there(&stdout, &stderr)
        };
        let waited = self.more.wait_timeout_while(written, PATIENCE, missing);
        !waited.expect("nobody panics").1.timed_out()
    }
}

impl Program {
    /// Starts a command whose output is read.
    pub fn start(command: &mut Command) -> Self {
        among_others();
        let words = format!("{command:?}");
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("failed to start {words}: {error}"));
        let output = Arc::<Output>::default();
        let readers = vec![
            output.read(0, child.stdout.take().expect("standard output is a pipe")),
            output.read(1, child.stderr.take().expect("standard error is a pipe")),
        ];
        Self { child, words, output, readers, files: None }
    }

    /// The same program, whose record is at `path` in a directory that lives as long, if it writes one.
    #[must_use]
    pub(crate) fn keeping(mut self, directory: TempDir, path: PathBuf) -> Self {
        self.files = Some((directory, path));
        self
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has printed on standard output so far.
    pub fn printed(&self) -> String {
        let [stdout, _] = self.output.text();
        stdout
    }

    /// What it has said on standard error so far.
    pub fn noted(&self) -> String {
        let [_, stderr] = self.output.text();
        stderr
    }

    /// The most memory that it has had, in bytes; nothing once it has ended.
    pub fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child can be waited for").is_some()
    }

    /// Waits until the program has printed so many lines on standard output.
    pub fn wait_for_lines(&mut self, count: usize) {
        self.wait_until(&format!("{count} lines"), |stdout, _| stdout.lines().count() >= count);
    }

    /// Waits until what was printed on standard output and standard error is as a test wants it.
    pub fn wait_until(&mut self, what: &str, there: impl FnMut(&str, &str) -> bool) {
        let come = self.output.wait_until(there);
        assert!(come, "{}: waited for {what} in vain\n{}", self.words, self.output.text()[1]);
    }

    /// Waits for an address of HTTP behind these words, in a whole line of what was written.
    pub fn wait_for_url(&mut self, words: &str) -> String {
        let (begin, mut url) = (format!("{words}http"), String::new());
        self.wait_until(&format!("an address behind {words:?}"), |stdout, stderr| {
            let lines = [stdout, stderr].map(|text| text.split_once(&begin)?.1.split_once('\n'));
            let rest = lines.into_iter().flatten().next();
            let word = rest.and_then(|(line, _)| line.split_whitespace().next());
            url =
                word.map_or_else(String::new, |word| format!("http{}", word.trim_end_matches('/')));
            !url.is_empty()
        });
        url
    }

    /// Presses ^C.
    pub fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// Writes to the program's standard input, which has to be a pipe.
    pub fn write(&mut self, text: &str) {
        use std::io::Write as _;
        let stdin = self.child.stdin.as_mut().expect("standard input is a pipe");
        stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).expect("somebody reads");
    }

    /// Ends the program's standard input.
    pub fn end_of_input(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        let id = Pid::from_child(&self.child);
        kill_process(id, signal)
            .unwrap_or_else(|error| panic!("failed to send {signal:?}: {error}"));
    }

    /// Waits for the end.
    pub fn wait(self) -> Ended {
        self.wait_for(PATIENCE)
    }

    /// The same for one that takes longer than most.
    pub fn wait_for(mut self, patience: Duration) -> Ended {
        let is_over = ends_within(&mut self.child, patience);
        if !is_over {
            let _ = self.child.kill();
        }
        let status = self.child.wait().expect("the child is ours");
        for reader in std::mem::take(&mut self.readers) {
            reader.join().expect("the reader does not panic");
        }
        let [stdout, stderr] = self.output.text();
        assert!(is_over, "{} did not end\n{stderr}", self.words);
        Ended::new(self.words.clone(), status, (stdout, stderr), self.files.take())
    }
}

/// A test that forgets its program, or fails, leaves nothing running.
impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
