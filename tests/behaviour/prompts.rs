//! Passwords that are typed: the terminal without an echo, and no prompt where no user can answer. Other sources are
//! read in the process of the tests (`tests/in_memory`).
//!
//! The terminal is one that script(1) makes, with its echo on as a login shell leaves it.

use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, require, user_dn};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{read, write};
use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

use brunt_test_program::{Ended, Program, at, binary, command, run, slapd};

/// Starts a shell command on a terminal of its own, whose keyboard is the program's standard input.
pub(crate) fn on_a_terminal(line: &str) -> Program {
    let mut script = command(Path::new("script"));
    script.args(["-q", "-e", "-E", "always", "-c", line, "/dev/null"]).env("TERM", "dumb");
    Program::start(script.stdin(Stdio::piped()))
}

/// A command line for a shell.
pub(crate) fn shell_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted = |word: &std::ffi::OsStr| format!("'{}'", word.to_str().expect("plain words"));
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

/// Types a password when asked for it.
fn type_it(mut program: Program, prompt: &str, password: &str) -> Ended {
    program.wait_until("the prompt", |stdout, _| stdout.contains(prompt));
    program.write(&format!("{password}\n"));
    program.wait()
}

#[test]
fn password_prompt_does_not_echo() {
    if !require(&["script"]) {
        return;
    }
    let Some(slapd) = slapd(20) else { return };
    // Without the care that is under test, what is typed is shown.
    let shown = type_it(on_a_terminal("printf 'Who? '; read answer; echo end"), "Who? ", "canary");
    assert!(shown.stdout.contains("canary"), "this terminal shows nothing anyway\n{shown}");

    let dn = user_dn(0);
    let name = format!("Password for user '{dn}': ");
    let unnamed = "Password to bind to the server with: ";
    for (more, prompt) in [(&[][..], &*name), (&["-w", "-"], unnamed)] {
        let mut brunt = Command::new(binary());
        brunt.arg("authrate").args(at(slapd.port())).args(["-D", &dn, "-m", "3"]).args(more);
        let requested = on_a_terminal(&shell_line(&brunt));
        let ended = type_it(requested, prompt, PASSWORD);
        // The word is in no option and no DN of this command line.
        assert_eq!(ended.stdout.matches("password").count(), 0, "{ended}");
        assert_eq!(ended.code(), 0, "{ended}");
    }
    assert_eq!(slapd.operations().with_result(0), 6);
}

/// A terminal of a test's own, and brunt on it, which asks for a password.
struct PromptTerminal {
    keyboard: OwnedFd,
    terminal: OwnedFd,
    brunt: Child,
}

impl PromptTerminal {
    fn new() -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        unlockpt(&keyboard).expect("a terminal");
        let name = ptsname(&keyboard, Vec::new()).expect("a terminal with a name");
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let terminal = open(&name, flags, Mode::empty()).expect("a terminal");
        let end = || Stdio::from(terminal.try_clone().expect("a descriptor"));
        let mut brunt = command(Path::new("setsid"));
        brunt.arg("--ctty").arg(binary());
        brunt.args(["authrate", "-p", "1", "-D", "cn=a", "-m", "1"]);
        let brunt = brunt.stdin(end()).stdout(end()).stderr(end()).spawn().expect("setsid");
        Self { keyboard, terminal, brunt }
    }

    /// Reads what is shown until it contains these words.
    fn read_until(&self, words: &str) -> String {
        let mut shown = String::new();
        while !shown.contains(words) {
            let mut bytes = [0; 256];
            let length = read(&self.keyboard, &mut bytes).expect("something is shown");
            shown += &String::from_utf8_lossy(&bytes[..length]);
        }
        shown
    }

    fn shows_what_is_typed(&self) -> bool {
        tcgetattr(&self.terminal).expect("a terminal").local_modes.contains(LocalModes::ECHO)
    }

    fn types(&self, keys: &[u8]) {
        assert_eq!(write(&self.keyboard, keys), Ok(keys.len()));
    }

    /// Waits for the end of brunt, and returns its exit code or the signal that ended it.
    fn end(mut self) -> (Result<i32, i32>, bool) {
        let ended = self.brunt.wait().expect("a process of ours");
        let signal = || ended.signal().expect("an exit code or a signal");
        (ended.code().ok_or_else(signal), self.shows_what_is_typed())
    }
}

#[test]
fn password_prompt_disables_echo_and_restores_it() {
    if !require(&["setsid"]) {
        return;
    }
    let requested = || {
        let requested = PromptTerminal::new();
        assert!(
            requested.shows_what_is_typed(),
            "a terminal shows what is typed until it is asked not to"
        );
        requested.read_until("Password for user 'cn=a': ");
        // An answer may come this early.
        assert!(!requested.shows_what_is_typed());
        requested
    };
    for (keys, ended) in [(&b"secret\n"[..], Ok(91)), (b"\x04", Ok(89)), (b"\x03", Err(2))] {
        let requested = requested();
        requested.types(keys);
        assert_eq!(requested.end(), (ended, true), "{keys:?}");
    }
    let requested = requested();
    let brunt = requested.brunt.id();
    let sent = Command::new("kill").arg(brunt.to_string()).status().expect("kill");
    assert!(sent.success());
    assert_eq!(requested.end(), (Err(15), true));
}

/// While brunt is stopped the terminal is as it was, and afterwards brunt asks again.
#[test]
fn password_prompt_returns_after_stop_and_continue() {
    if !require(&["script", "bash"]) {
        return;
    }
    let brunt = format!("\"{}\" authrate -p 1 -D cn=a -m 1", binary().display());
    // Only with job control can a terminal stop a program.
    let state = "stty -a | grep -o ' -*echo '";
    let line = format!("set -m; {brunt}; echo state: $({state}); fg; echo end $?");
    let prompt = "Password for user 'cn=a': ";
    let mut requested = on_a_terminal(&format!("bash -c '{}'", line.replace('\'', r"'\''")));
    let prompts = |stdout: &str| stdout.matches(prompt).count();
    requested.wait_until("the prompt", |stdout, _| prompts(stdout) == 1);
    requested.write("\x1a");
    requested.wait_until("the second prompt", |stdout, _| prompts(stdout) == 2);
    requested.write("canary\n");
    let ended = requested.wait();
    assert!(ended.stdout.contains("state: echo"), "{ended}");
    assert!(ended.stdout.contains("end 91") && !ended.stdout.contains("canary"), "{ended}");
}

#[test]
fn password_prompt_fails_without_a_terminal() {
    let line = ["searchrate", "-p", "1", "-D", ADMIN_DN, "-b", BASE_DN, "(cn=a)"];
    let ended = run(line).expect(89);
    assert!(ended.stderr.contains("standard input is not a terminal"), "{ended}");
    assert!(ended.stderr.contains("--bindPassword:env"), "{ended}");
    if !require(&["script"]) {
        return;
    }
    let mut brunt = Command::new(binary());
    brunt.args([&line[..1], &["-n"], &line[1..]].concat());
    let ended = on_a_terminal(&shell_line(&brunt)).wait().expect(89);
    assert!(ended.stdout.contains("--no-prompt is given"), "{ended}");
    assert!(!ended.stdout.contains("Password for"), "{ended}");
}
