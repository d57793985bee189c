//! The terminal beside the results: notes on standard error, and values that come from outside the program.
//!
//! Results go to standard output and progress to standard error, so that a pipe receives only results. A failed write
//! to standard error is ignored.

mod full_screen;
mod held;
mod status_line;

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, IsTerminal, Write as _};
use std::os::fd::AsFd;
use std::path::Path;

use brunt_exchange::{Layout, inert};
use brunt_record::create_private;
use brunt_report::{Screen, wrapped};

use crate::options::exit::Exit;
use crate::options::refusal::Refusal;

use full_screen::Stream;

pub use full_screen::{FullScreen, Shown, end as end_views, last_said, restore_on_panic};
pub use held::{hold, is_held};
pub use status_line::StatusLine;

/// Prints a note for the user. It is one line, which is folded for a terminal and stays whole in a log.
pub fn note(text: &str) {
    match width(&io::stderr()) {
        Some(width) => warn(&wrapped(text, "note: ", width)),
        None => say(&format!("note: {text}")),
    }
}

/// Writes a line to standard error, folded for a terminal. The line may contain text from a server, which must not
/// control the terminal.
pub fn say(text: &str) {
    warn(&folded(&format!("{text}\n")));
}

/// Writes text that may contain text from a server to standard error, such as why a run was refused.
pub fn warn(text: &str) {
    tell(&inert(text, Layout::Lines));
}

/// Writes a line without which what was asked for is of no use, such as the address of a page, also where standard
/// error is otherwise kept free.
pub fn announce(text: &str) {
    tell_at_once(&inert(&folded(&format!("{text}\n")), Layout::Lines));
}

/// Writes text of this program's own to standard error unchanged, including control sequences that move the cursor.
pub fn tell(text: &str) {
    if !held::takes(text) {
        tell_at_once(text);
    }
}

/// Writes such text also where standard error is otherwise kept free, as a question to the user.
pub fn tell_at_once(text: &str) {
    if text.is_empty() && full_screen::is_shown() || full_screen::holds(Stream::Error, text) {
        return;
    }
    let wiped = status_line::wiped();
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(wiped.as_bytes()).and_then(|()| stderr.write_all(text.as_bytes()));
}

/// Prints why a command was not carried out, folded to the terminal's width, instead of what was held. The reason may
/// contain text from a server.
pub fn refuse(text: &str) {
    drop(held::ended());
    warn(&folded(text));
}

/// Writes this line, if there is one, instead of what was held and of what follows. It has no effect where nothing is
/// held.
pub fn conclude(line: Option<&str>) {
    if !is_held() {
        return;
    }
    drop(held::ended());
    line.into_iter().for_each(say);
    held::drop_rest();
}

/// Writes what was held, and everything that follows.
pub fn release() {
    tell(&held::ended());
}

/// The text with its lines folded to the terminal's width, if standard error is a terminal.
fn folded(text: &str) -> String {
    let Some(width) = width(&io::stderr()) else { return text.to_owned() };
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
pub fn print(text: &str) -> Result<Exit, Refusal> {
    tell("");
    match print_at_once(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Refusal {
            text: format!("failed to write to standard output: {error}\n"),
            exit: Exit::Failed,
        }),
        _ => Ok(Exit::Ok),
    }
}

/// Writes a part of a table to standard output at once, or after a full-screen view has closed.
pub fn print_at_once(text: &str) -> io::Result<()> {
    if full_screen::holds(Stream::Output, text) {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
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

/// Whether standard error shows colours: it is a terminal, and the user has not turned colours off (no-color.org).
fn colours() -> bool {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    obeys() && !unwanted
}

/// Whether standard error is a terminal that supports escape sequences.
fn obeys() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stderr().is_terminal() && !dumb
}

/// The number of columns of a terminal; none for anything else.
fn width(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok().filter(|_| stream.is_terminal());
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// The properties of standard output: the width of the terminal, and characters beyond ASCII if the locale has them.
pub fn screen() -> Screen {
    let colour = colours() && io::stdout().is_terminal();
    screen_of(width(&io::stdout()), colour)
}

/// The same properties of standard error.
pub fn screen_of_stderr() -> Screen {
    screen_of(width(&io::stderr()), colours())
}

fn screen_of(width: Option<usize>, colour: bool) -> Screen {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let locale = locale.filter_map(std::env::var_os).find(|value| !value.is_empty());
    let locale = locale.map(|locale| locale.to_string_lossy().to_ascii_lowercase());
    Screen {
        colour,
        width: width.unwrap_or(Screen::default().width),
        unicode: locale.is_some_and(|locale| locale.contains("utf-8") || locale.contains("utf8")),
    }
}

/// A seed for a run that was given none, short enough to be typed again.
pub fn seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

/// The wall-clock time, which is read only where a record is stamped.
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
