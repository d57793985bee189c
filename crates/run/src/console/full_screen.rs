//! [`FullScreen`]: the whole terminal while a view uses it, and how it is restored.
//!
//! A view is drawn on standard error, so that results can be redirected. The alternate screen is shown and keys arrive
//! at once; ^C and ^Z remain signals, so they work whatever the view is doing. The terminal is restored when the view
//! ends, before a panic is printed, before the program is ended at once, and while the program is stopped. Output of
//! other threads is held back meanwhile, and printed when the view has closed.
//!
//! A process has one terminal, and signals and panics are about the process, so its state is kept in statics here; what
//! is held back belongs to the console it was written to.
//!
//! The terminal is opened again, without blocking: a terminal that accepts no output must not delay a run, and other
//! processes that have the terminal open must not find its settings changed.

use std::collections::VecDeque;
use std::io::IsTerminal as _;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, TryLockError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::getpgrp;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp,
    tcgetwinsize, tcsetattr,
};
use signal_hook::consts::{SIGCONT, SIGQUIT, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::Console;
use super::streams::Stream;

/// Shows the alternate screen, empty and without a cursor.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[0m\x1b[2J\x1b[H";
/// Shows the screen as it was before.
const LEAVE: &[u8] = b"\x1b[0m\x1b[?25h\x1b[?1049l";
/// How long a terminal may accept no output before the output is dropped.
const PATIENCE: Duration = Duration::from_millis(500);
/// How many times a thread that must end the program tries to get the terminal.
const TRIES: u32 = 20;
/// How many bytes of other output are held back, for each stream.
const HELD_MAX: usize = 1 << 18;

/// Whether a view has the terminal.
static SHOWN: AtomicBool = AtomicBool::new(false);
/// Whether the program is stopped, or is about to be.
static STOPPED: AtomicBool = AtomicBool::new(false);
/// Whether the screen may have been overwritten.
static TORN: AtomicBool = AtomicBool::new(false);
/// The terminal, from the first time a view needs it until it is used no more.
static TERMINAL: Mutex<Option<Terminal>> = Mutex::new(None);

/// A terminal, and its settings before a view was shown on it.
struct Terminal {
    tty: OwnedFd,
    before: Option<Termios>,
}

/// The right to draw on the whole terminal.
pub struct FullScreen {
    keys: OwnedFd,
    console: Console,
}

impl FullScreen {
    /// Prepares the terminal. Nothing changes on it until something is shown.
    pub fn new(console: &Console) -> Option<Self> {
        if !console.obeys() {
            return None;
        }
        let tty = reopened()?;
        let keys = rustix::io::fcntl_dupfd_cloexec(&tty, 0).ok()?;
        answer_signals();
        *lock(&TERMINAL) = Some(Terminal { tty, before: None });
        Some(Self { keys, console: console.clone() })
    }

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        let size = tcgetwinsize(&self.keys).ok();
        let size = size.map(|size| (size.ws_col, size.ws_row));
        size.filter(|(columns, rows)| *columns > 0 && *rows > 0).unwrap_or((80, 24))
    }

    /// Takes the terminal if it is available and not shown yet. Returns whether a view may be drawn, and whether the
    /// screen must be drawn from scratch.
    pub fn show(&self) -> Shown {
        let mut terminal = lock(&TERMINAL);
        let Some(terminal) = terminal.as_mut() else { return Shown::No };
        let ours = tcgetpgrp(&terminal.tty).is_ok_and(|group| group == getpgrp());
        if STOPPED.load(Ordering::SeqCst) || !ours {
            return Shown::No;
        }
        let torn = TORN.swap(false, Ordering::SeqCst);
        if SHOWN.load(Ordering::SeqCst) && !torn {
            return Shown::AsBefore;
        }
        if terminal.enter() { Shown::Afresh } else { Shown::No }
    }

    /// Writes a drawing. Output that the terminal does not accept in time is dropped.
    pub fn draw(&self, bytes: &[u8]) {
        let terminal = lock(&TERMINAL);
        if let Some(terminal) = terminal.as_ref().filter(|_| SHOWN.load(Ordering::SeqCst))
            && !written(&terminal.tty, bytes)
        {
            TORN.store(true, Ordering::SeqCst);
        }
    }

    /// Waits up to this time for a key, or until `other` is readable, and returns the bytes that were typed.
    pub fn keys(&self, other: impl AsFd, limit: Duration) -> Vec<u8> {
        let mut typed = [0; 64];
        let shown = SHOWN.load(Ordering::SeqCst);
        let interest = if shown { PollFlags::IN } else { PollFlags::empty() };
        let mut waited = [PollFd::new(&other, PollFlags::IN), PollFd::new(&self.keys, interest)];
        let woken = poll(&mut waited, Some(&timespec(limit)));
        let readable = waited[1].revents();
        if readable.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) && woken.is_ok() {
            // The terminal is gone: a poll that returns at once would loop without pause.
            super::pause(limit);
            return Vec::new();
        }
        if !shown || !readable.contains(PollFlags::IN) {
            return Vec::new();
        }
        let length = rustix::io::read(&self.keys, &mut typed).unwrap_or(0);
        typed[..length].to_vec()
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        give_back();
        *lock(&TERMINAL) = None;
        self.console.release_behind();
    }
}

/// The result of a request to show a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Nothing may be drawn: the program is in the background, or stopped.
    No,
    /// The screen is as it was last drawn.
    AsBefore,
    /// The screen is empty.
    Afresh,
}

impl Terminal {
    /// Shows the alternate screen, and lets keys arrive without a finished line.
    fn enter(&mut self) -> bool {
        let Ok(now) = tcgetattr(&self.tty) else { return false };
        // If the shell had the terminal meanwhile, the settings that the shell left are restored later.
        let before = self.before.take().filter(|_| SHOWN.load(Ordering::SeqCst)).unwrap_or(now);
        let mut modes = before.clone();
        modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        modes.input_modes -= InputModes::IXON;
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        self.before = Some(before);
        if tcsetattr(&self.tty, OptionalActions::Now, &modes).is_err() {
            return false;
        }
        SHOWN.store(true, Ordering::SeqCst);
        written(&self.tty, ENTER)
    }

    fn leave(&self) {
        written(&self.tty, LEAVE);
        if let Some(before) = &self.before {
            let _ = tcsetattr(&self.tty, OptionalActions::Now, before);
        }
    }
}

/// Restores the terminal, if a view has it. A caller that must end the program waits only briefly for the drawing
/// thread.
pub(super) fn give_back() {
    if !SHOWN.load(Ordering::SeqCst) {
        return;
    }
    for _ in 0..TRIES {
        match TERMINAL.try_lock() {
            Ok(terminal) => return leave(terminal.as_ref()),
            Err(TryLockError::Poisoned(poisoned)) => return leave(poisoned.into_inner().as_ref()),
            Err(TryLockError::WouldBlock) => super::pause(PATIENCE / TRIES * 2),
        }
    }
}

fn leave(terminal: Option<&Terminal>) {
    if SHOWN.swap(false, Ordering::SeqCst)
        && let Some(terminal) = terminal
    {
        terminal.leave();
    }
}

/// Ends every view for good: nothing is drawn after this call.
pub fn end() {
    STOPPED.store(true, Ordering::SeqCst);
    give_back();
}

/// Makes a panic appear on the screen as it was before the view. This hook is installed first in the program: hooks for
/// panics that need no message are placed over it.
pub fn restore_on_panic(console: &Console) {
    let (before, console) = (std::panic::take_hook(), console.clone());
    std::panic::set_hook(Box::new(move |panic| {
        end();
        console.release_behind();
        before(panic);
    }));
}

/// Restores the terminal while the program is stopped, and before it is ended by ^\.
fn answer_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Ok(mut incoming) = Signals::new([SIGTSTP, SIGCONT, SIGQUIT]) else { return };
        let answer = move || {
            for signal in incoming.forever() {
                match signal {
                    SIGTSTP => stop(),
                    // If the program was stopped in another way, the terminal may have been used since.
                    SIGCONT => TORN.store(true, Ordering::SeqCst),
                    signal => {
                        end();
                        let _ = emulate_default_handler(signal);
                    }
                }
            }
        };
        let _ = std::thread::Builder::new().name("terminal".to_owned()).spawn(answer);
    });
}

fn stop() {
    let ended = STOPPED.swap(true, Ordering::SeqCst);
    give_back();
    let _ = emulate_default_handler(SIGTSTP);
    STOPPED.store(ended, Ordering::SeqCst);
}

/// The terminal of standard error, opened again; if it belongs to another user, the controlling terminal of this
/// process.
fn reopened() -> Option<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = |path: &str| open(path, flags, Mode::empty()).ok();
    opened("/proc/self/fd/2").or_else(|| opened("/dev/tty")).filter(OwnedFd::is_terminal)
}

/// Writes the bytes, and returns whether all of them were accepted in time.
fn written(tty: &OwnedFd, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match rustix::io::write(tty, bytes) {
            Ok(length) => bytes = &bytes[length..],
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => {
                let mut room = [PollFd::new(tty, PollFlags::OUT)];
                if !matches!(poll(&mut room, Some(&timespec(PATIENCE))), Ok(1)) {
                    return false;
                }
            }
            Err(_) => return false,
        }
    }
    true
}

fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: i64::from(time.subsec_nanos()) }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Output of others to one console while a view has the terminal.
#[derive(Debug, Default)]
pub(super) struct Behind(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    texts: VecDeque<(Stream, String)>,
    bytes: usize,
    /// Texts that were dropped to make room.
    lost: usize,
    /// The last line that was printed.
    last: Option<String>,
}

impl Held {
    fn push(&mut self, stream: Stream, text: &str) {
        if stream == Stream::Error {
            let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
            self.last = line.map(str::to_owned).or_else(|| self.last.take());
        }
        self.bytes += text.len();
        self.texts.push_back((stream, text.to_owned()));
        while self.bytes > HELD_MAX {
            let Some((_, text)) = self.texts.pop_front() else { break };
            self.bytes -= text.len();
            self.lost += 1;
        }
    }
}

impl Console {
    /// Holds a text back while a view has the terminal it would go to; returns whether it did.
    pub(super) fn holds(&self, stream: Stream, text: &str) -> bool {
        if !self.is_behind_view()
            || stream == Stream::Output && !self.0.streams.is_terminal(Stream::Output)
        {
            return false;
        }
        lock(&self.0.behind.0).push(stream, text);
        true
    }

    /// Whether a view has the terminal of this console.
    pub(super) fn is_behind_view(&self) -> bool {
        self.0.streams.is_of_process() && SHOWN.load(Ordering::SeqCst)
    }

    /// The last message that was printed while a view had the terminal.
    pub fn last_message(&self) -> Option<String> {
        lock(&self.0.behind.0).last.clone()
    }

    /// Writes the output that was held back.
    fn release_behind(&self) {
        let held = std::mem::take(&mut *lock(&self.0.behind.0));
        if held.lost > 0 {
            self.note(&format!("{} earlier messages and rows are not shown", held.lost));
        }
        for (stream, text) in held.texts {
            let _ = self.0.streams.write(stream, &[text.as_bytes()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;

    /// If this variable is set, the test below is the program that panics.
    const PANICS: &str = "BRUNT_TEST_PANICS";

    /// Panics while a view has a terminal, as a run might. The test starts itself as another process to do so.
    #[test]
    fn panic_message_appears_on_the_restored_screen() {
        if std::env::var_os(PANICS).is_some() {
            let console = Console::of_process(Environment::of_process());
            restore_on_panic(&console);
            let screen = FullScreen::new(&console).expect("this is a terminal");
            assert_eq!(screen.show(), Shown::Afresh);
            screen.draw(b"a view");
            console.message("said meanwhile");
            super::super::pause(Duration::from_secs(2));
            let thread = std::thread::Builder::new().name("worker-0".to_owned());
            let worker = thread.spawn(|| panic!("as planned")).expect("a thread");
            let _ = worker.join();
            assert_eq!(screen.show(), Shown::No, "nothing is drawn over it");
            super::super::pause(Duration::from_secs(1));
            std::process::abort();
        }
        if !brunt_testbed::require(&["tmux"]) {
            return;
        }
        let directory = tempfile::tempdir().expect("a temporary directory");
        let tmux = |words: &[&str]| {
            let mut tmux = std::process::Command::new("tmux");
            tmux.arg("-S").arg(directory.path().join("socket")).args(words);
            let done = tmux.env(PANICS, "1").env("LC_ALL", "C.UTF-8").output().expect("tmux");
            String::from_utf8_lossy(&done.stdout).into_owned()
        };
        let test = std::env::current_exe().expect("this test");
        let name = "console::full_screen::tests::panic_message_appears_on_the_restored_screen";
        let run = format!("{} --exact {name} --nocapture; sleep 60", test.display());
        tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", &run]);
        let shown = |words: &str, view: &str| {
            brunt_testbed::until(Duration::from_secs(90), || {
                super::super::pause(Duration::from_millis(50));
                tmux(&["capture-pane", "-p"]).contains(words)
                    && tmux(&["display-message", "-p", "#{alternate_on}#{cursor_flag}"]).trim()
                        == view
            })
        };
        let (viewed, restored) = (shown("a view", "10"), shown("as planned", "01"));
        let screen = tmux(&["capture-pane", "-p"]);
        tmux(&["kill-server"]);
        assert!(
            viewed && restored && screen.contains("said meanwhile"),
            "{viewed} {restored}\n{screen}"
        );
    }

    #[test]
    fn held_messages_are_bounded_and_the_latest_kept() {
        let mut held = Held::default();
        held.push(Stream::Error, "note: first\n  second line\n\n");
        assert_eq!(held.last.as_deref(), Some("second line"));
        let row = "x".repeat(1_000);
        for _ in 0..1_000 {
            held.push(Stream::Output, &row);
        }
        assert_eq!(held.last.as_deref(), Some("second line"), "rows are not said");
        assert!(held.bytes <= HELD_MAX && held.texts.len() == HELD_MAX / 1_000);
        assert_eq!(held.lost, 1_001 - held.texts.len());
    }
}
