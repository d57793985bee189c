//! [`World`]: what a command takes from outside its command line, as one value.
//!
//! Nothing of it is in a `static`, so that two commands in one process can have two environments, two consoles and two
//! sets of rules. What belongs to the process itself remains so: its current directory, its terminal, its signals.

use std::io;
use std::path::Path;

use brunt_engine::timer::MachineTime;
use brunt_engine::{EngineTime, RunClock};
use brunt_feed::{Files, file};
#[cfg(feature = "memory")]
use brunt_net::memory::Memory;
use brunt_net::secret::Secret;

use crate::clock;
use crate::console::Console;
use crate::environment::Environment;
use crate::listening::Awaited;
use crate::options::prompt;
use crate::options::surroundings::Surroundings;
use crate::signals::Signals;

/// The variables that locate our own configuration, which no command line or plan refers to.
const AMBIENT: [&str; 3] = ["HOME", "XDG_CONFIG_HOME", "BRUNT_LAB"];

/// What a command takes from outside its command line.
#[derive(Debug)]
pub struct World {
    /// Where it writes.
    pub console: Console,
    /// Variables.
    pub environment: Environment,
    /// The time of day, and the origins of the times that its runs count.
    pub clock: RunClock,
    /// The time of its runs; the machine's, counted from the beginning of each, if there is none.
    pub time: Option<EngineTime>,
    /// The servers in this process that its runs reach instead of those that sockets lead to.
    #[cfg(feature = "memory")]
    pub servers: Option<Memory>,
    /// The files that it may read, and those that it read.
    pub files: Files,
    /// Signals that end it.
    pub signals: Signals,
    /// The targets on this machine that were waited for.
    pub awaited: Awaited,
}

impl World {
    /// The world of this process.
    pub fn of_process() -> Self {
        let environment = Environment::of_process();
        Self::new(Console::of_process(environment.clone()), environment)
    }

    /// A world with this environment, whose console keeps what is written.
    pub fn kept(environment: Environment) -> Self {
        Self::new(Console::kept(environment.clone()), environment)
    }

    fn new(console: Console, environment: Environment) -> Self {
        let signals = Signals::new(console.clone());
        Self {
            console,
            environment,
            clock: RunClock::default(),
            time: None,
            #[cfg(feature = "memory")]
            servers: None,
            files: Files::default(),
            signals,
            awaited: Awaited::default(),
        }
    }
}

impl World {
    /// The time of day.
    pub fn now(&self) -> jiff::Timestamp {
        clock::now(self.clock)
    }

    /// The time of a run that begins now, and of what is done beside it.
    pub fn run_time(&self) -> EngineTime {
        self.time.clone().unwrap_or_else(|| MachineTime::by(self.clock).into())
    }
}

impl Surroundings for World {
    fn variable(&self, name: &str) -> Option<String> {
        if !AMBIENT.contains(&name) {
            self.environment.remember(name);
        }
        let stands_in = || self.files.stands_in() && !AMBIENT.contains(&name);
        self.environment.text(name).or_else(|| stands_in().then(|| "x".to_owned()))
    }

    fn ambient(&self, name: &str) -> Option<String> {
        self.environment.text(name)
    }

    fn files(&self) -> Files {
        self.files.clone()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.read(path, file::DATA_MAX)
    }

    fn secret(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.read_secret(path, file::WRITTEN_MAX)
    }

    fn interactive(&self) -> bool {
        self.console.reads_terminal()
    }

    fn prompt(&self, prompt: &str) -> io::Result<Secret> {
        prompt::password(prompt)
    }
}
