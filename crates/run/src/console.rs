//! [`Console`]: where a command writes, and what it knows of the terminal there.
//!
//! Results go to standard output and progress to standard error, so that a pipe receives only results. A failed write
//! to standard error is ignored. A console is a value: that of the process has its two streams, and one that keeps what
//! is written lets a caller have several commands in one process. What cannot be had twice belongs to the process: a
//! terminal that a full-screen view uses (`full_screen.rs`).

mod full_screen;
mod held;
mod status_line;
mod streams;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use brunt_exchange::{Layout, inert};
use brunt_record::create_private;
use brunt_report::{Screen, wrapped};

use crate::environment::Environment;
use crate::options::exit::Exit;
use crate::options::refusal::Refusal;

use full_screen::Behind;
use held::Held;
use streams::{Stream, Streams};

pub use full_screen::{FullScreen, Shown, end as end_views, restore_on_panic};
pub use status_line::StatusLine;
pub use streams::Output;

/// Where a command writes. Clones are the same console.
#[derive(Clone, Debug)]
pub struct Console(Arc<State>);

#[derive(Debug)]
struct State {
    streams: Streams,
    environment: Environment,
    /// What is held of standard error.
    held: Held,
    /// Whether a status line is shown, which is erased before other output.
    line: AtomicBool,
    /// What is held while a view has the terminal.
    behind: Behind,
}

impl Console {
    /// The console of this process; the environment decides how a terminal is used.
    pub fn of_process(environment: Environment) -> Self {
        Self::new(Streams::OfProcess, environment)
    }

    /// A console that keeps everything that is written, and is no terminal.
    pub fn kept(environment: Environment) -> Self {
        Self::new(Streams::kept(), environment)
    }

    fn new(streams: Streams, environment: Environment) -> Self {
        let (held, line, behind) = (Held::default(), AtomicBool::default(), Behind::default());
        Self(Arc::new(State { streams, environment, held, line, behind }))
    }

    /// What was written to standard output, if it is kept.
    pub fn output(&self) -> String {
        self.0.streams.text(Stream::Output)
    }

    /// What was written to standard error, if it is kept.
    pub fn errors(&self) -> String {
        self.0.streams.text(Stream::Error)
    }

    /// Standard output, for a writer of much that is not shown beside a view.
    pub fn writer(&self) -> Output {
        Output(self.clone())
    }

    /// Whether standard input is a terminal at which a user can be prompted.
    pub fn reads_terminal(&self) -> bool {
        self.0.streams.is_of_process() && io::stdin().is_terminal()
    }

    /// Whether standard error is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.0.streams.is_terminal(Stream::Error)
    }

    /// Prints a note for the user. It is one line, which is folded for a terminal and stays whole in a log.
    pub fn note(&self, text: &str) {
        match self.0.streams.width(Stream::Error) {
            Some(width) => self.warn(&wrapped(text, "note: ", width)),
            None => self.message(&format!("note: {text}")),
        }
    }

    /// Writes a line to standard error, folded for a terminal. The line may contain text from a server, which must not
    /// control the terminal.
    pub fn message(&self, text: &str) {
        self.warn(&self.folded(&format!("{text}\n")));
    }

    /// Writes text that may contain text from a server to standard error, such as why a run was refused.
    pub fn warn(&self, text: &str) {
        self.report(&inert(text, Layout::Lines));
    }

    /// Writes an essential line, such as the address of a page that was requested, also where standard error is
    /// otherwise kept free.
    pub fn announce(&self, text: &str) {
        self.write_at_once(&inert(&self.folded(&format!("{text}\n")), Layout::Lines));
    }

    /// Writes text of this program's own to standard error unchanged, including control sequences that move the cursor.
    pub fn report(&self, text: &str) {
        if !self.0.held.takes(text) {
            self.write_at_once(text);
        }
    }

    /// Writes such text also where standard error is otherwise kept free, as a question to the user.
    pub fn write_at_once(&self, text: &str) {
        if text.is_empty() && self.is_behind_view() || self.holds(Stream::Error, text) {
            return;
        }
        let wiped = status_line::wiped(&self.0.line);
        let _ = self.0.streams.write(Stream::Error, &[wiped.as_bytes(), text.as_bytes()]);
    }

    /// Prints why a command was not carried out, folded to the terminal's width, instead of what was held. The reason
    /// may contain text from a server.
    pub fn refuse(&self, text: &str) {
        drop(self.0.held.ended());
        self.warn(&self.folded(text));
    }

    /// Holds what is written to standard error from now on, until it is known what came of the run.
    pub fn hold(&self) {
        self.0.held.hold();
    }

    /// Whether it is held.
    pub fn is_held(&self) -> bool {
        self.0.held.is_held()
    }

    /// Writes this line, if there is one, instead of what was held and of what follows. It has no effect where nothing
    /// is held.
    pub fn conclude(&self, line: Option<&str>) {
        if !self.is_held() {
            return;
        }
        drop(self.0.held.ended());
        if let Some(line) = line {
            self.message(line);
        }
        self.0.held.drop_rest();
    }

    /// Writes what was held, and everything that follows.
    pub fn release(&self) {
        self.report(&self.0.held.ended());
    }

    /// The text with its lines folded to the terminal's width, if standard error is a terminal.
    fn folded(&self, text: &str) -> String {
        let Some(width) = self.0.streams.width(Stream::Error) else { return text.to_owned() };
        let fold = |line: &str| {
            let words = line.trim_start();
            if line.chars().count() <= width || words.is_empty() {
                return format!("{line}\n");
            }
            wrapped(words, &line[..line.len() - words.len()], width)
        };
        text.lines().map(fold).collect()
    }

    /// Prints results to standard output. A reader that closes its end early is not an error.
    pub fn print(&self, text: &str) -> Result<Exit, Refusal> {
        self.report("");
        match self.print_at_once(text) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Refusal {
                text: format!("failed to write to standard output: {error}\n"),
                exit: Exit::Failed,
            }),
            _ => Ok(Exit::Ok),
        }
    }

    /// Writes a part of a table to standard output at once, or after a full-screen view has closed.
    pub fn print_at_once(&self, text: &str) -> io::Result<()> {
        if self.holds(Stream::Output, text) {
            return Ok(());
        }
        self.0.streams.write(Stream::Output, &[text.as_bytes()])
    }

    /// Whether standard error shows colours: it is a terminal, and the user has not turned colours off (no-color.org).
    fn colours(&self) -> bool {
        let unwanted =
            self.0.environment.variable("NO_COLOR").is_some_and(|value| !value.is_empty());
        self.obeys() && !unwanted
    }

    /// Whether standard error is a terminal that supports escape sequences.
    fn obeys(&self) -> bool {
        let dumb = self.0.environment.variable("TERM").is_some_and(|term| term == "dumb");
        self.is_terminal() && !dumb
    }

    /// The properties of standard output: the width of the terminal, and characters beyond ASCII if the locale has
    /// them.
    pub fn screen(&self) -> Screen {
        let colour = self.colours() && self.0.streams.is_terminal(Stream::Output);
        self.screen_of(Stream::Output, colour)
    }

    /// The same properties of standard error.
    pub fn screen_of_stderr(&self) -> Screen {
        self.screen_of(Stream::Error, self.colours())
    }

    fn screen_of(&self, stream: Stream, colour: bool) -> Screen {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
        let locale = locale.filter_map(|name| self.0.environment.variable(name));
        let locale = locale.into_iter().find(|value| !value.is_empty());
        let locale = locale.map(|locale| locale.to_string_lossy().to_ascii_lowercase());
        Screen {
            colour,
            width: self.0.streams.width(stream).unwrap_or(Screen::default().width),
            unicode: locale
                .is_some_and(|locale| locale.contains("utf-8") || locale.contains("utf8")),
        }
    }
}

/// Writes a requested file. Only its owner may read it: a plan or a report may contain confidential data.
pub fn write(path: &Path, text: &str) -> Result<Exit, Refusal> {
    let written = create_private(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map(|()| Exit::Ok).map_err(|error| Refusal {
        text: format!("failed to write {}: {error}\n", path.display()),
        exit: Exit::Failed,
    })
}

/// Writes files that every user may read into a directory, which is created if it does not exist.
pub fn write_all(directory: &Path, files: &[(String, String)]) -> Result<Exit, Refusal> {
    let failed = |path: &Path, error: io::Error| Refusal {
        text: format!("failed to write {}: {error}\n", path.display()),
        exit: Exit::Failed,
    };
    std::fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
    for (name, text) in files {
        let path = directory.join(name);
        std::fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(Exit::Ok)
}

/// A seed for a run that was given none, short enough to be typed again.
pub fn seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

/// The machine's time of day, for what is no run: a run has that of its [`World`](crate::World).
pub fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// Sleeps. Used only where nothing is being measured.
#[expect(
    clippy::disallowed_methods,
    reason = "the main thread of a server has nothing to do but wait"
)]
pub fn pause(time: std::time::Duration) {
    std::thread::sleep(time);
}
