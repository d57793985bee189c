//! Programs of the system: finds them, and runs them to their end.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use brunt_exchange::{Clock as _, Monotonic};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::request::Ran;
use super::sandbox_error::SandboxError;

/// Directories of administrators' programs, which the path of other users lacks.
const MORE: [&str; 4] = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/libexec"];
/// How many bytes of a program's output are returned.
const OUTPUT_MAX: u64 = 16 << 20;

/// The path of a program.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain(MORE.iter().map(PathBuf::from))
        .map(|directory| directory.join(name))
        .find(|path| executable(path))?;
    // A mask must cover the program, not a link to it, but a program may also depend on the name of its link.
    if found.file_name() == found.canonicalize().ok()?.file_name() {
        return found.canonicalize().ok();
    }
    Some(found)
}

/// Whether a program with the name nscd is unscd.
pub(super) fn is_unscd(program: &Path) -> bool {
    let mut command = command(program);
    command.arg("--version");
    let ran = run(command, &[], Duration::from_secs(10));
    ran.is_ok_and(|ran| format!("{}{}", ran.output, ran.complaints).contains("unscd"))
}

fn executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// A command whose environment is the same wherever it runs.
pub(super) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("LC_ALL", "C").env("LDAPNOINIT", "1").env("PATH", path());
    command.current_dir("/");
    command
}

fn path() -> std::ffi::OsString {
    let own = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&own).chain(MORE.iter().map(PathBuf::from));
    std::env::join_paths(all).unwrap_or(own)
}

/// Runs a program to its end, or until `limit` is over, and returns its output.
pub(super) fn run(
    mut command: Command,
    input: &[u8],
    limit: Duration,
) -> Result<Ran, SandboxError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |source| SandboxError::System { act: format!("run {program}"), source };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let clock = Monotonic::new();
    let mut child = command.spawn().map_err(failed)?;
    let output = child.stdout.take().map(gather);
    let complaints = child.stderr.take().map(gather);
    if let Some(mut pipe) = child.stdin.take() {
        // A program that does not read its input closes it, which its exit code will explain.
        let input = input.to_owned();
        thread::spawn(move || pipe.write_all(&input));
    }
    if !ends_within(&child, limit) {
        let _ = child.kill();
    }
    let status = child.wait();
    let seconds = clock.now().since_origin().as_secs_f64();
    let status = status
        .map_err(|source| SandboxError::System { act: format!("wait for {program}"), source })?;
    let text = |reader: Option<thread::JoinHandle<String>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    Ok(Ran {
        code: status.code(),
        seconds,
        output: text(output),
        complaints: text(complaints),
        record: None,
    })
}

/// The same for a program that must succeed.
pub(super) fn demand(command: Command, input: &[u8], limit: Duration) -> Result<Ran, SandboxError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let ran = run(command, input, limit)?;
    if ran.code == Some(0) {
        return Ok(ran);
    }
    let how = ran.code.map_or("ended by a signal".to_owned(), |code| format!("exit {code}"));
    Err(SandboxError::Program { program, how, complaints: tail(&ran.complaints) })
}

/// Runs a program with little input, with its error output in `log`, at the lowest possible cost to this process.
pub(super) fn brief(
    command: &mut Command,
    input: &[u8],
    log: &File,
) -> std::io::Result<ExitStatus> {
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::null()).stderr(log.try_clone()?);
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        let _ = pipe.write_all(input);
    }
    child.wait()
}

/// The last lines of a text.
pub(super) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}

fn gather(pipe: impl std::io::Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut pipe = pipe;
        let _ = pipe.by_ref().take(OUTPUT_MAX).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Whether a child ends before `limit` is over.
pub(super) fn ends_within(child: &Child, limit: Duration) -> bool {
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return false };
    let Ok(ended) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
    let clock = Monotonic::new();
    loop {
        let left = limit.saturating_sub(clock.now().since_origin());
        let left = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        match poll(&mut [PollFd::new(&ended, PollFlags::IN)], Some(&left)) {
            Ok(ready) => return ready > 0,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = command(Path::new("/bin/sh"));
        command.args(["-c", script]);
        command
    }

    #[test]
    fn program_output_and_exit_code_are_returned() {
        let ran = run(shell("cat; echo no >&2; exit 3"), b"yes", Duration::from_secs(20)).unwrap();
        assert_eq!((ran.code, &*ran.output, &*ran.complaints), (Some(3), "yes", "no\n"));
        let fault = demand(shell("echo no >&2; exit 3"), b"", Duration::from_secs(20)).unwrap_err();
        assert_eq!(fault.to_string(), "run /bin/sh (exit 3): no");
    }

    #[test]
    fn program_that_hangs_is_killed() {
        let clock = Monotonic::new();
        let ran = run(shell("echo here; exec sleep 600"), b"", Duration::from_millis(300)).unwrap();
        assert_eq!((ran.code, &*ran.output), (None, "here\n"));
        assert!(clock.now().since_origin() < Duration::from_secs(60));
    }

    #[test]
    fn program_is_found_only_if_installed() {
        assert!(find("sh").is_some());
        assert_eq!(find("no-such-program-anywhere"), None);
    }
}
