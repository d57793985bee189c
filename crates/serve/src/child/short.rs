//! Children that answer quickly: how many run at a time, how long they may take, and how much they may print.

use std::io::{self, Read};
use std::process::Child;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use brunt_envelope::Answer;
use serde::de::DeserializeOwned;

use super::ChildError;

/// How many children work at a time; others wait. A run should have the machine to itself.
const PLACES: usize = 2;
/// The most bytes of an answer.
const ANSWER_MAX: u64 = 64 << 20;
/// The most bytes of error messages that are kept.
const COMPLAINT_MAX: u64 = 2_000;

/// The number of children that are working.
#[derive(Debug, Default)]
pub(super) struct Permits {
    taken: Mutex<usize>,
    freed: Condvar,
}

/// The right to start one child.
pub(super) struct Permit<'a>(&'a Permits);

impl Permits {
    /// Waits until one more child may start.
    pub(super) fn take(&self) -> Permit<'_> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = self
            .freed
            .wait_while(taken, |taken| *taken >= PLACES)
            .unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.freed.notify_one();
    }
}

/// Waits for the answer of a child, and kills the child if it takes too long.
pub(super) fn answer<T: DeserializeOwned>(
    mut child: Child,
    patience: Duration,
) -> Result<Answer<T>, ChildError> {
    let (sender, answer) = sync_channel(2);
    let output = child.stdout.take();
    let complaints = child.stderr.take();
    let words = thread::spawn(move || read(complaints, COMPLAINT_MAX).unwrap_or_default());
    thread::spawn(move || sender.send(read(output, ANSWER_MAX)));
    let answer = answer.recv_timeout(patience);
    if answer.is_err() {
        drop(child.kill());
    }
    // It has closed its output, or is being killed.
    let ended = child.wait();
    let words = words.join().unwrap_or_default();
    let words = String::from_utf8_lossy(&words).trim().to_owned();
    match answer {
        Err(RecvTimeoutError::Timeout) => Err(ChildError::Slow(patience)),
        Ok(Ok(text)) if !text.is_empty() => Ok(serde_json::from_slice(&text)?),
        _ => {
            let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
            let words = if words.is_empty() { words } else { format!(": {words}") };
            Err(ChildError::Ended(format!(" ({how}){words}")))
        }
    }
}

/// Reads everything, and keeps `most` bytes at most: the writer must not block.
fn read(from: Option<impl Read>, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let Some(mut from) = from else { return Ok(bytes) };
    (&mut from).take(most).read_to_end(&mut bytes)?;
    io::copy(&mut from, &mut io::sink())?;
    Ok(bytes)
}
