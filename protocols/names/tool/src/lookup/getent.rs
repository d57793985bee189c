//! [`getent`]: queries the C library in another process, which can be ended if it never answers.
//!
//! A process keeps state from its first use of the name service: connections, what it knows of caches, the sources it
//! was configured with. So queries beside a run are made by `getent`, which is part of the C library itself.

use std::io::{self, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use brunt_run::console;

/// How often a child is polled.
const TICK: Duration = Duration::from_millis(10);

/// Why `getent` has no output.
#[derive(Debug, thiserror::Error)]
pub(super) enum GetentError {
    #[error("getent: {0}")]
    Start(#[source] io::Error),
    #[error("no answer within {} s", .0.as_secs_f64())]
    Late(Duration),
    #[error("it prints nothing")]
    Empty,
}

/// The output of `getent`. Keys that are not found are not a failure.
pub(super) fn getent(words: &[&str], patience: Duration) -> Result<String, GetentError> {
    let mut child = Command::new("getent")
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(GetentError::Start)?;
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What could be read before an error is the whole output.
        let _ = output.map(|mut output| output.read_to_end(&mut bytes));
        bytes
    });
    let ended = wait(&mut child, patience);
    if !ended {
        // It may have ended by itself in the meantime, which is just as good.
        let _ = child.kill();
        let _ = child.wait();
    }
    let bytes = reader.join().unwrap_or_default();
    if !ended {
        return Err(GetentError::Late(patience));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Waits until the child has ended; `false` if that takes too long.
fn wait(child: &mut Child, patience: Duration) -> bool {
    let mut waited = Duration::ZERO;
    loop {
        match child.try_wait() {
            Ok(Some(_)) | Err(_) => return true,
            Ok(None) if waited >= patience => return false,
            Ok(None) => {
                console::pause(TICK);
                waited += TICK;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn getent_finds_root_and_reports_absence() {
        let patience = Duration::from_secs(20);
        let found = getent(&["-s", "files", "passwd", "0", "3999999999"], patience).unwrap();
        assert!(found.starts_with("root:") && found.lines().count() == 1, "{found}");
        assert_eq!(getent(&["-s", "files", "passwd", "3999999999"], patience).unwrap(), "");
    }
}
