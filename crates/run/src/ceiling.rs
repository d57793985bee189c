//! The ceiling of this machine: how many exchanges a second it can make against a target of negligible cost.
//!
//! `brunt calibrate` measures the ceiling and writes a file; every later run on the same machine compares its own rate
//! with it. A file from another machine is not used.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use brunt_record::{Environment, create_private};
use serde::{Deserialize, Serialize};

use crate::environment;

/// The result of a calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ceiling {
    /// The processor it was measured on.
    pub cpu: String,
    /// The number of its cores.
    pub cores: Option<u64>,
    /// Exchanges a second that one worker would make with a core to itself, by operation.
    pub per_second: BTreeMap<String, f64>,
}

impl Ceiling {
    /// A ceiling of this machine.
    pub fn here(per_second: BTreeMap<String, f64>) -> Self {
        let (cpu, cores) = machine();
        Self { cpu, cores, per_second }
    }

    /// Writes it to `path`; `of` reads the default path.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)? + "\n";
        create_private(path)?.write_all(text.as_bytes())
    }
}

/// The path of the calibration file: `$XDG_STATE_HOME/brunt`, else `~/.local/state/brunt`.
pub fn place(environment: &environment::Environment) -> Option<PathBuf> {
    let state = environment.path("XDG_STATE_HOME").filter(|path| path.is_absolute());
    let state = state.or_else(|| environment.path("HOME").map(|home| home.join(".local/state")));
    Some(state?.join("brunt/ceiling.json"))
}

/// The ceiling of a run of these operations with this number of workers, if this machine was calibrated for one of
/// them.
pub fn estimate(
    operations: &[&str],
    workers: usize,
    environment: &environment::Environment,
) -> Option<f64> {
    let text = std::fs::read_to_string(place(environment)?).ok()?;
    let ceiling: Ceiling = serde_json::from_str(&text).ok()?;
    if (ceiling.cpu.clone(), ceiling.cores) != machine() {
        return None;
    }
    let least = operations
        .iter()
        .filter_map(|name| ceiling.per_second.get(*name))
        .copied()
        .reduce(f64::min)?;
    Some(least * workers as f64)
}

/// The ceilings of this machine with a worker on each of this number of cores, by operation.
pub fn all(cores: u32, environment: &environment::Environment) -> BTreeMap<String, f64> {
    let text = place(environment).and_then(|place| std::fs::read_to_string(place).ok());
    let ceiling = text.and_then(|text| serde_json::from_str::<Ceiling>(&text).ok());
    let ours = ceiling.filter(|it| (it.cpu.clone(), it.cores) == machine());
    let each = ours.into_iter().flat_map(|ceiling| ceiling.per_second);
    each.map(|(name, per_second)| (name, per_second * f64::from(cores))).collect()
}

fn machine() -> (String, Option<u64>) {
    let environment = Environment::read();
    (environment.cpu.unwrap_or_default(), environment.cores)
}
