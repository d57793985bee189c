//! The two processes of a sandbox: the outer one, which creates namespaces and waits, and the inner one, which is
//! process 1.
//!
//! There are two, since a process cannot move itself into a new process namespace, only its children. Each end of the
//! chain watches the other: the kernel kills the inner process when the outer one dies, and the inner process ends by
//! itself when its input is closed; the outer one ends the inner one as soon as the controller's end of the pipe is
//! closed, for any reason. So nothing is left behind, in whichever order they die.

use std::io::{self, BufRead as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, set_parent_process_death_signal};

use super::isolation;
use super::request::{Answer, Request};
use super::sandbox_error::SandboxError;
use super::service::Service;
use super::spec::{Data, Isolation, Spec};
use crate::options::names::CellArgs;

/// Runs as the process that the hidden command names: one of the processes of a sandbox.
pub(crate) fn enter(args: &CellArgs) -> Result<Exit, Refusal> {
    if !args.leash.is_empty() {
        return Err(refusal(&leashed(&args.leash)));
    }
    if let Some(kind) = &args.attempt {
        let isolation = if kind == "root" { Isolation::Root } else { Isolation::User };
        return attempt(isolation, args.inner).map_err(|fault| refusal(&fault));
    }
    let text = args.spec.as_deref().unwrap_or_default();
    let spec: Spec = serde_json::from_str(text).map_err(|error| Refusal {
        text: format!("failed to read the specification of the environment: {error}\n"),
        exit: Exit::Usage,
    })?;
    let ended = if args.inner { inner(&spec) } else { outer(&spec, text) };
    match ended {
        Ok(()) => Ok(Exit::Ok),
        Err(fault) => {
            // The controller receives the reason as the answer it is waiting for.
            send(&Answer::Failed(fault.to_string()));
            Ok(Exit::Failed)
        }
    }
}

fn refusal(fault: &SandboxError) -> Refusal {
    Refusal { text: format!("failed to {fault}\n"), exit: Exit::Failed }
}

/// Replaces this process by a program that dies with its parent.
fn leashed(words: &[String]) -> SandboxError {
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return SandboxError::system("tie a daemon to its sandbox")(error.into());
    }
    let (program, rest) = words.split_first().map_or(("", &[][..]), |(name, rest)| (name, rest));
    let error = Command::new(program).args(rest).exec();
    SandboxError::system(format!("start {program}"))(error)
}

/// Whether isolation is possible: sets it up and exits.
fn attempt(kind: Isolation, inner: bool) -> Result<Exit, SandboxError> {
    if inner {
        isolation::seclude()?;
        return Ok(Exit::Ok);
    }
    isolation::part(kind)?;
    let mut child = itself();
    let kind = if kind == Isolation::Root { "root" } else { "user" };
    child.args(["--inner", "--try", kind]);
    let status = child.status().map_err(SandboxError::system("start process 1"))?;
    Ok(if status.success() { Exit::Ok } else { Exit::Failed })
}

fn itself() -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.args(["names", "cell"]);
    command
}

fn outer(spec: &Spec, text: &str) -> Result<(), SandboxError> {
    if spec.isolation != Isolation::None {
        isolation::part(spec.isolation)?;
    }
    let child = itself().args(["--inner", "--spec", text]).spawn();
    let mut child = child.map_err(SandboxError::system("start process 1"))?;
    let watched = watch(&child);
    // All processes of a process namespace are gone once its process 1 has been waited for.
    let _ = child.kill();
    let _ = child.wait();
    if let Data::Below(directory) = &spec.data {
        let _ = std::fs::remove_dir_all(directory);
    }
    watched.map_err(SandboxError::system("watch over process 1"))
}

/// Returns when the inner process has ended or the other end of standard input is closed.
fn watch(child: &Child) -> io::Result<()> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
    let ended = pidfd_open(pid, PidfdFlags::empty())?;
    let input = rustix::stdio::stdin();
    loop {
        // No event is requested on the input, so only those are reported that always are: the other end is closed.
        let mut both =
            [PollFd::new(&ended, PollFlags::IN), PollFd::new(&input, PollFlags::empty())];
        match poll(&mut both, None) {
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn inner(spec: &Spec) -> Result<(), SandboxError> {
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| SandboxError::system("tie process 1 to its sandbox")(error.into()))?;
    // Namespaces belong to a thread, so they are created before there is a second one.
    let place = isolation::furnish(spec)?;
    let requests = requests();
    send(&Answer::Done);
    let mut service = Service::new(place);
    while let Ok(request) = requests.recv() {
        let answer = match request {
            Ok(request) => service.carry_out(request),
            Err(error) => Err(SandboxError::Unfit(format!("decode the request: {error}"))),
        };
        send(&answer.unwrap_or_else(|fault| Answer::Failed(fault.to_string())));
    }
    Ok(())
}

/// Reads requests. When its input is closed this process ends at once, whatever it is doing: its daemons and mounts end
/// with it.
#[expect(clippy::exit, reason = "the end of process 1 is what ends a sandbox")]
fn requests() -> Receiver<serde_json::Result<Request>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(serde_json::from_str(&line)).is_err() {
                break;
            }
        }
        std::process::exit(0);
    });
    receiver
}

fn send(answer: &Answer) {
    let line = serde_json::to_string(answer).unwrap_or_else(|error| {
        format!(
            "{{\"Failed\":\"put an answer into words: {}\"}}",
            error.to_string().replace('"', "'")
        )
    });
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{line}");
    let _ = output.flush();
}
