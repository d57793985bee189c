//! [`View`]: the thread that draws, and how it receives what to draw.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use brunt_engine::{Stop, Urgency, cores};
use brunt_exchange::{Clock as _, Layout, Monotonic, inert};
use rustix::event::{EventfdFlags, eventfd};
use rustix::process::{Signal, getpid, kill_process, setpriority_process};
use rustix::thread::{CpuSet, sched_setaffinity};

use super::digest::Digest;
use super::keys::{Key, keys};
use super::model::{About, Choice, Model};
use super::picture::Picture;
use super::renderer::Renderer;
use super::theme::Theme;
use crate::console::{Console, FullScreen, Shown};

/// Four draws a second.
const EVERY: Duration = Duration::from_millis(250);
/// A key is answered sooner than that, but not more often than this.
const ANSWER: Duration = Duration::from_millis(50);
/// How many intervals can wait to be drawn; further ones are dropped, which happens only if the thread is stopped.
const WAITING_MAX: usize = 1_024;
/// The name of the thread.
const NAME: &str = "view";
/// The nice value of the thread, so that it yields its core to others.
const NICE: i32 = 10;

/// Where the thread may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// On a core that no worker is pinned to.
    Free(usize),
    /// Anywhere: every core has a worker, or no worker is pinned to one.
    Any,
}

impl Core {
    /// The core for a run of this number of workers.
    pub fn beside(workers: usize, pinned: bool) -> Self {
        Self::new(&cores::allowed(), workers, pinned)
    }

    /// Workers are pinned to the first cores.
    fn new(allowed: &[usize], workers: usize, pinned: bool) -> Self {
        let free = allowed.last().filter(|_| pinned && workers < allowed.len());
        free.map_or(Self::Any, |core| Self::Free(*core))
    }

    /// Moves the calling thread to that core, and raises its nice value.
    fn take(self) {
        if let Self::Free(core) = self
            && core < CpuSet::MAX_CPU
        {
            let mut only = CpuSet::new();
            only.set(core);
            let _ = sched_setaffinity(None, &only);
        }
        let _ = setpriority_process(None, NICE);
    }
}

/// The view of a run. When it is dropped, the terminal is restored.
pub struct View {
    digests: Option<SyncSender<Digest>>,
    wake: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl View {
    /// Starts to draw a run that `stop` ends, once the run has lasted for `after`; none if no terminal can show it.
    pub fn open(
        about: About,
        stop: Stop,
        (core, after): (Core, Duration),
        console: &Console,
    ) -> Option<Self> {
        let screen = FullScreen::new(console)?;
        let wake = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()?);
        let (digests, receiver) = sync_channel(WAITING_MAX);
        let (woken, live) = (Arc::clone(&wake), Model::new(about));
        let console = console.clone();
        let act = move || {
            core.take();
            let (held, choice, clock) = (None, Choice::default(), Monotonic::new());
            let shows = console.screen_of_stderr();
            let theme = Theme { colour: shows.colour, unicode: shows.unicode };
            let mut view_loop = ViewLoop {
                console,
                screen,
                wake: woken,
                receiver,
                stop,
                live,
                held,
                choice,
                theme,
                clock,
            };
            view_loop.work(after);
        };
        let thread = std::thread::Builder::new().name(NAME.to_owned()).spawn(act).ok()?;
        Some(Self { digests: Some(digests), wake, thread: Some(thread) })
    }

    /// Sends an interval to the thread, without ever waiting.
    pub fn report(&self, digest: Digest) {
        if let Some(digests) = &self.digests {
            let _ = digests.try_send(digest);
        }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        drop(self.digests.take());
        let _ = rustix::io::write(&*self.wake, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            // If it panicked, the hook has reported that.
            let _ = thread.join();
        }
    }
}

/// The work of the thread: it takes digests and keys, and draws.
struct ViewLoop {
    console: Console,
    screen: FullScreen,
    /// Readable when the run is over.
    wake: Arc<OwnedFd>,
    receiver: Receiver<Digest>,
    stop: Stop,
    live: Model,
    /// The model that is shown while the picture is frozen, and the time of the freeze.
    held: Option<(Box<Model>, Duration)>,
    choice: Choice,
    theme: Theme,
    clock: Monotonic,
}

impl ViewLoop {
    /// Draws until all senders are gone.
    fn work(&mut self, after: Duration) {
        let mut renderer = Renderer::default();
        let (mut drawn, mut next) = (after, after);
        loop {
            let left = next.saturating_sub(self.now());
            let typed = self.screen.keys(&*self.wake, left.max(Duration::from_millis(1)));
            if !self.listen() {
                return;
            }
            if self.press(&keys(&typed)) {
                next = next.min(drawn + ANSWER);
            }
            if self.now() >= next {
                drawn = self.now();
                next = drawn + EVERY;
                self.draw(&mut renderer);
            }
        }
    }

    fn now(&self) -> Duration {
        self.clock.now().since_origin()
    }

    /// Takes the digests that have arrived; returns whether more can arrive.
    fn listen(&mut self) -> bool {
        loop {
            match self.receiver.try_recv() {
                Ok(digest) => self.live.add(digest, self.now()),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    /// Applies keys; returns whether there were any.
    fn press(&mut self, keys: &[Key]) -> bool {
        for key in keys {
            if self.choice.press(*key, &self.live) {
                // The same signal as ^C, so it has the same effect on the run and is reported in the same way.
                let _ = kill_process(getpid(), Signal::INT);
            }
        }
        if self.choice.paused && self.held.is_none() {
            self.held = Some((Box::new(self.live.clone()), self.now()));
        } else if !self.choice.paused {
            self.held = None;
        }
        !keys.is_empty()
    }

    fn draw(&mut self, renderer: &mut Renderer) {
        self.choice.stopping |= self.stop.urgency() != Urgency::Run;
        self.live.message =
            self.console.last_message().map(|message| inert(&message, Layout::Line));
        let shown = self.screen.show();
        if shown == Shown::No {
            return;
        }
        let (model, now) = match &self.held {
            Some((model, since)) => (&**model, *since),
            None => (&self.live, self.now()),
        };
        let picture = Picture { model, choice: &self.choice, now, theme: self.theme };
        let afresh = shown == Shown::Afresh;
        self.screen.draw(&renderer.draw(self.screen.size(), afresh, &picture));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_view_avoids_the_cores_of_workers() {
        // Two workers are on the first two of four; with four workers on three cores, none is left.
        assert_eq!(Core::new(&[0, 2, 4, 6], 2, true), Core::Free(6));
        assert_eq!(Core::new(&[0, 2, 4, 6], 4, true), Core::Any);
        assert_eq!(Core::new(&[0, 1, 2], 4, true), Core::Any);
        assert_eq!(Core::new(&[0, 2, 4, 6], 2, false), Core::Any);
    }
}
