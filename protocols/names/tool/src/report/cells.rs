//! The cells of a matrix in the form that its tables need: medians over the valid passes.
//!
//! A cell in which fewer names were resolved than requested was not fast, it was wrong: its times enter no median, no
//! ratio and no fit, and a table says so in its place. Passes of cold caches and of warm ones are never combined. The
//! back end of a cell is its label and has no other meaning here.

use brunt_record::{Cell, Collection, Histogram, OperationRecord};
use brunt_report::median;

/// How the users were inserted and deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// One process for each user, measured or estimated by sampling.
    Process,
    /// One connection for all.
    Connection,
    /// One process for all.
    Batch,
    /// All at once.
    Bulk,
}

impl Way {
    /// The way that the label of a cell names.
    pub(super) fn read(label: &str) -> Option<Self> {
        match label {
            "process" | "sample" => Some(Self::Process),
            "connection" => Some(Self::Connection),
            "batch" => Some(Self::Batch),
            "bulk" => Some(Self::Bulk),
            _ => None,
        }
    }

    /// The words for a heading.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Process => "one process a user",
            Self::Connection => "one connection",
            Self::Batch => "one process for all",
            Self::Bulk => "in bulk",
        }
    }
}

/// Seconds of inserting or deleting all users.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Work {
    /// The median of the seconds.
    pub seconds: f64,
    /// Whether they were estimated from samples and not measured.
    pub sampled: bool,
    /// How far an estimate may be off, as a share of it.
    pub error: f64,
}

/// The passes of looking all owners up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Listing {
    /// The seconds of each; empty where it was not done.
    pub passes: Vec<f64>,
    /// Whether `ls` itself did it.
    pub by_ls: bool,
}

/// How many names were resolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// Names requested, in the pass that resolved the smallest share.
    pub requested: u64,
    /// Names resolved in it.
    pub resolved: u64,
    /// Whether a cell was found invalid, for this or another reason.
    pub invalid: bool,
}

/// Which lookups are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Which<'a> {
    /// The back end.
    pub backend: &'a str,
    /// How many users there were.
    pub users: u64,
    /// The access path of the lookups.
    pub path: &'a str,
    /// The key of the lookups.
    pub by: &'a str,
    /// `cold`, `warm` or `negative`.
    pub temperature: &'a str,
    /// How many threads looked up at once.
    pub threads: u64,
}

impl<'a> Which<'a> {
    /// The lookups that `ls -l` makes.
    pub(super) fn ls(backend: &'a str, users: u64, temperature: &'a str) -> Self {
        Self { backend, users, path: "ls", by: "uid+gid", temperature, threads: 1 }
    }

    fn is(&self, cell: &Cell) -> bool {
        let labels = [
            ("kind", "lookup"),
            ("backend", self.backend),
            ("road", self.path),
            ("by", self.by),
            ("temperature", self.temperature),
        ];
        cell.is(&labels) && users(cell) == Some(self.users) && threads(cell) == self.threads
    }
}

/// Latencies of single lookups, medians over passes, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Latencies {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The longest of all passes.
    pub max: f64,
    /// Lookups a second; none where a clock and not the answers set their pace.
    pub rate: Option<f64>,
}

/// The seconds of the valid passes of lookups.
pub(super) fn seconds(collection: &Collection, which: &Which<'_>) -> Vec<f64> {
    valid(collection, which).filter_map(|cell| cell.figure("seconds")).collect()
}

/// The seconds of looking all owners up as `ls -l` does, and whether `ls` itself did it. Otherwise the same lookups
/// were made one after another through the name service.
pub(super) fn listing(
    collection: &Collection,
    backend: &str,
    number: u64,
    temperature: &str,
) -> Listing {
    let listed = Which::ls(backend, number, temperature);
    let seconds_listed = seconds(collection, &listed);
    if seconds_listed.is_empty() {
        let resolved = Which { path: "nss", ..listed };
        return Listing { passes: seconds(collection, &resolved), by_ls: false };
    }
    Listing { passes: seconds_listed, by_ls: true }
}

/// How many names each valid pass of lookups requested.
pub(super) fn requested(collection: &Collection, which: &Which<'_>) -> Option<u64> {
    valid(collection, which).find_map(|cell| cell.figure("asked")).map(|requested| requested as u64)
}

/// How many files, and therefore how many owners, a listing had.
pub(super) fn files(collection: &Collection) -> Option<u64> {
    collection.figures.get("lookups").map(|figure| *figure as u64)
}

/// The latencies of the valid passes of lookups.
pub(super) fn latencies(collection: &Collection, which: &Which<'_>) -> Option<Latencies> {
    let passes: Vec<_> = valid(collection, which).filter_map(latency).collect();
    let middle = |pick: fn(&Latencies) -> f64| median(&passes.iter().map(pick).collect::<Vec<_>>());
    Some(Latencies {
        mean: middle(|pass| pass.mean)?,
        p50: middle(|pass| pass.p50)?,
        p99: middle(|pass| pass.p99)?,
        max: passes.iter().map(|pass| pass.max).fold(0.0, f64::max),
        rate: median(&passes.iter().filter_map(|pass| pass.rate).collect::<Vec<_>>()),
    })
}

/// What one cell measured of single lookups: all its operations together.
pub(super) fn latency(cell: &Cell) -> Option<Latencies> {
    let record = cell.record.as_deref()?;
    let mut service = Histogram::new();
    for operation in &record.operations {
        service.merge(&times(operation)?);
    }
    let micros = |time: std::time::Duration| time.as_secs_f64() * 1e6;
    Some(Latencies {
        mean: micros(service.mean()?),
        p50: micros(service.quantile(0.5)?),
        p99: micros(service.quantile(0.99)?),
        max: micros(service.max()?),
        rate: if record.rates.target.is_none() { record.rates.achieved } else { None },
    })
}

fn times(operation: &OperationRecord) -> Option<Histogram> {
    operation.service.histogram().ok()
}

/// How the names of all lookups of a back end were resolved; none if nothing was looked up.
pub(super) fn names(collection: &Collection, backend: &str, number: u64) -> Option<Names> {
    let mut worst: Option<Names> = None;
    for cell in lookups(collection, backend, number) {
        let count = |name| cell.figure(name).map(|figure| figure as u64);
        let (Some(requested), Some(resolved)) = (count("asked"), count("resolved")) else {
            continue;
        };
        let invalid = is_invalid(cell) || worst.is_some_and(|worst| worst.invalid);
        let share = |requested: u64, resolved: u64| resolved as f64 / requested.max(1) as f64;
        let before = worst.filter(|w| share(w.requested, w.resolved) <= share(requested, resolved));
        let (requested, resolved) =
            before.map_or((requested, resolved), |w| (w.requested, w.resolved));
        worst = Some(Names { requested, resolved, invalid });
    }
    worst
}

/// The seconds of inserting or deleting users.
pub(super) fn work(
    collection: &Collection,
    kind: &str,
    backend: &str,
    number: u64,
    way: Way,
) -> Option<Work> {
    let cells: Vec<&Cell> = collection
        .cells
        .iter()
        .filter(|cell| cell.is(&[("kind", kind), ("backend", backend)]))
        .filter(|cell| users(cell) == Some(number) && way_of(cell) == Some(way))
        .filter(|cell| !is_invalid(cell))
        .collect();
    let seconds: Vec<f64> = cells.iter().filter_map(|cell| cell.figure("seconds")).collect();
    let seconds = median(&seconds)?;
    let sampled = cells.iter().any(|cell| cell.label("way") == Some("sample"));
    let errors = cells.iter().filter_map(|cell| cell.figure("error_s"));
    let error = errors.fold(0.0, f64::max) / seconds.max(f64::MIN_POSITIVE);
    Some(Work { seconds, sampled, error })
}

/// The ways in which users were inserted into a back end.
pub(super) fn ways(collection: &Collection, backend: &str) -> Vec<Way> {
    let of_backend = collection.cells.iter().filter(|cell| cell.label("backend") == Some(backend));
    let mut ways: Vec<Way> = of_backend.filter_map(way_of).collect();
    ways.sort_unstable();
    ways.dedup();
    ways
}

/// The numbers of users there are cells for, ascending; of one back end or of all.
pub(super) fn sizes(collection: &Collection, backend: Option<&str>) -> Vec<u64> {
    let meant = |cell: &&Cell| backend.is_none() || cell.label("backend") == backend;
    let matrix = collection.cells.iter().filter(|cell| cell.label("kind") != Some("sweep"));
    let mut sizes: Vec<u64> = matrix.filter(meant).filter_map(users).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The back ends of the matrix, in the order in which they were measured.
pub(super) fn backends(collection: &Collection) -> Vec<&str> {
    let mut backends = Vec::new();
    for cell in collection.cells.iter().filter(|cell| cell.label("kind") != Some("sweep")) {
        if let Some(backend) = cell.label("backend")
            && !backends.contains(&backend)
        {
            backends.push(backend);
        }
    }
    backends
}

/// Lookups of a back end that resolved at least one name, or should have.
pub(super) fn lookups<'a>(
    collection: &'a Collection,
    backend: &'a str,
    number: u64,
) -> impl Iterator<Item = &'a Cell> {
    let of_backend = move |cell: &&Cell| cell.is(&[("kind", "lookup"), ("backend", backend)]);
    collection.cells.iter().filter(of_backend).filter(move |cell| users(cell) == Some(number))
}

/// Whether a cell is marked as having meaningless times.
pub(super) fn is_invalid(cell: &Cell) -> bool {
    cell.figure("invalid").is_some_and(|figure| figure != 0.0)
}

/// How many users a cell was measured with.
pub(super) fn users(cell: &Cell) -> Option<u64> {
    cell.label("users")?.parse().ok()
}

/// How many threads made lookups.
pub(super) fn threads(cell: &Cell) -> u64 {
    cell.label("threads").and_then(|threads| threads.parse().ok()).unwrap_or(1)
}

fn way_of(cell: &Cell) -> Option<Way> {
    cell.label("way").and_then(Way::read)
}

fn valid<'a>(collection: &'a Collection, which: &'a Which<'a>) -> impl Iterator<Item = &'a Cell> {
    collection.cells.iter().filter(|cell| which.is(cell) && !is_invalid(cell))
}
