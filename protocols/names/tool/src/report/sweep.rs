//! The settings that were varied at a cache: how `suggested-size` and the time to live change hit ratio and latency.
//!
//! The article argues that the table of nscd needs a prime number of buckets, more than twice as many as there are
//! users. A sweep shows the effect of each size. The hit ratio is the true one, from the searches that reached the
//! directory: the counts of nscd leave out what its clients found by themselves in its shared memory.

use brunt_record::{Cell, Collection};
use brunt_report::chart::{Axis, Chart, Line, Lines};
use brunt_report::figure::{NONE, fixed, short, thousands};
use brunt_report::page::{Table, Tone};
use brunt_report::{compare, median};

use super::cells;
use super::digits::{digits, or_none};

/// The `suggested-size` the article chose.
const ARTICLE_SIZE: f64 = 32_011.0;

/// A setting that was varied for a back end, and the results.
pub(super) struct Sweep<'a> {
    /// `suggested-size` or `ttl`.
    axis: &'a str,
    backend: &'a str,
    users: u64,
    path: &'a str,
    points: Vec<Point>,
}

/// The results for one value.
struct Point {
    value: f64,
    hits: Option<f64>,
    rate: Option<f64>,
    p50: Option<f64>,
    /// The median of each pass.
    p50s: Vec<f64>,
    p99: Option<f64>,
    passes: usize,
}

/// The sweeps of a collection.
pub(super) fn all(collection: &Collection) -> Vec<Sweep<'_>> {
    let mut sweeps: Vec<Sweep<'_>> = Vec::new();
    for cell in collection.cells(&[("kind", "sweep")]) {
        let labels = ["axis", "backend", "road"].map(|name| cell.label(name));
        let [Some(axis), Some(backend), Some(path)] = labels else { continue };
        let Some(users) = cells::users(cell) else { continue };
        let known = |sweep: &Sweep<'_>| {
            (sweep.axis, sweep.backend, sweep.path, sweep.users) == (axis, backend, path, users)
        };
        if !sweeps.iter().any(known) {
            sweeps.push(Sweep::new(collection, [axis, backend, path], users));
        }
    }
    sweeps
}

/// Median latency and hit ratio over the varied value, a line for each access path. A ratio that never changes is not
/// drawn.
pub(super) fn charts(sweeps: &[Sweep<'_>]) -> Vec<Chart> {
    let mut charts = Vec::new();
    let mut drawn: Vec<&Sweep<'_>> = Vec::new();
    for sweep in sweeps {
        let same = |other: &&Sweep<'_>| {
            (other.axis, other.backend, other.users) == (sweep.axis, sweep.backend, sweep.users)
        };
        if drawn.iter().any(same) {
            continue;
        }
        drawn.push(sweep);
        let over = format!("over {}: {}, {} users", sweep.axis, sweep.backend, sweep.users);
        let draw = |what: &str, y: Axis, pick: &dyn Fn(&Point) -> Option<f64>| {
            let paths = sweeps.iter().filter(same).enumerate();
            let lines = paths.map(|(series, sweep)| {
                let points = sweep.points.iter().filter_map(|p| Some((p.value, pick(p)?)));
                let (name, points) = (sweep.path.to_owned(), points.collect());
                Line { name, points, published: false, series }
            });
            let (x, lines) = (Axis::logarithmic(sweep.unit()), lines.collect());
            Lines { title: format!("{what} {over}"), x, y, lines, ..Lines::default() }
        };
        charts.push(draw("Median latency", Axis::logarithmic("p50, us"), &|point| point.p50));
        let hits = draw("Hit ratio", Axis::linear("hit ratio"), &|point| point.hits);
        let ratios = || hits.lines.iter().flat_map(|line| &line.points).map(|point| point.1);
        let (least, most) = (ratios().fold(1.0, f64::min), ratios().fold(0.0, f64::max));
        if most - least > 0.000_1 {
            charts.push(hits);
        }
    }
    charts.into_iter().map(Chart::Lines).collect()
}

impl<'a> Sweep<'a> {
    fn new(collection: &Collection, [axis, backend, path]: [&'a str; 3], users: u64) -> Self {
        let labels = [("kind", "sweep"), ("axis", axis), ("backend", backend), ("road", path)];
        let cells: Vec<&Cell> = collection
            .cells
            .iter()
            .filter(|cell| cell.is(&labels) && cells::users(cell) == Some(users))
            .filter(|cell| !cells::is_invalid(cell))
            .collect();
        let mut values: Vec<f64> = cells.iter().filter_map(|cell| value(cell)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let points = values.into_iter().map(|at| Point::new(&cells, at)).collect();
        Self { axis, backend, users, path, points }
    }

    /// The table.
    pub(super) fn table(&self) -> Table {
        let caption =
            format!("{} of {}, {} users, by {}", self.axis, self.backend, self.users, self.path);
        let columns = [self.unit(), "hit ratio", "a second", "p50 us", "p99 us", "passes"];
        let mut table = Table::new(caption).figures(columns);
        for point in &self.points {
            let row = [
                point.value.to_string(),
                fixed(point.hits, 4),
                point.rate.map_or_else(|| NONE.to_owned(), short),
                or_none(point.p50),
                or_none(point.p99),
                point.passes.to_string(),
            ];
            table.row(Tone::Plain, row);
        }
        for sentence in self.sentences() {
            table.note(sentence);
        }
        table
    }

    fn unit(&self) -> &'a str {
        if self.axis == "ttl" { "ttl, s" } else { self.axis }
    }

    fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let timed = || self.points.iter().filter_map(|point| Some((point, point.p50?)));
        let best = timed().min_by(|a, b| a.1.total_cmp(&b.1));
        let worst = timed().max_by(|a, b| a.1.total_cmp(&b.1));
        if let (Some((best, least)), Some((worst, most))) = (best, worst)
            && timed().count() > 1
            && let Some(difference) = compare(&worst.p50s, &best.p50s)
        {
            sentences.push(format!(
                "The median lookup took {} us at its best ({}) and {} us at its worst ({}): {difference}.",
                digits(least),
                best.value,
                digits(most),
                worst.value
            ));
        }
        if self.axis == "suggested-size" {
            sentences.extend(self.primes());
            if self.points.iter().any(|point| (point.value - ARTICLE_SIZE).abs() < 0.5) {
                sentences.push(
                    "The article took 32011, \"P for plenty\", as a prime; it is 7 times 4573."
                        .to_owned(),
                );
            }
            sentences.extend(self.large());
        }
        sentences
    }

    /// Whether prime sizes did better than others: each size has one figure, however many passes it had.
    fn primes(&self) -> Option<String> {
        let (primes, others): (Vec<&Point>, Vec<&Point>) =
            self.points.iter().partition(|point| is_prime(point.value));
        let medians = |sizes: Vec<&Point>| -> Vec<f64> {
            sizes.into_iter().filter_map(|point| point.p50).collect()
        };
        let (primes, others) = (medians(primes), medians(others));
        if !primes.is_empty() && others.is_empty() {
            return Some("All sizes are prime: add others to see whether that matters.".to_owned());
        }
        // One size differs from others in more ways than in being prime.
        for (sizes, kind) in [(&primes, "prime"), (&others, "not prime")] {
            if let [_] = sizes[..] {
                return Some(format!(
                    "Only one size is {kind}, so this does not say whether primes matter: add others."
                ));
            }
        }
        Some(format!(
            "Non-prime sizes compared with primes: {} us and {} us: {}.",
            digits(median(&others)?),
            digits(median(&primes)?),
            compare(&others, &primes)?
        ))
    }

    /// Whether more than twice as many buckets as users did better than fewer.
    fn large(&self) -> Option<String> {
        let enough = 2 * self.users;
        let (large, small) = self.parted(|point| point.value > enough as f64);
        Some(format!(
            "At most {} buckets, twice the users, compared with more, as the article recommends: {} us and {} us: {}.",
            thousands(enough),
            digits(median(&small)?),
            digits(median(&large)?),
            compare(&small, &large)?
        ))
    }

    /// The median latencies of all passes with sizes of one kind, and of those with others.
    fn parted(&self, meant: impl Fn(&Point) -> bool) -> (Vec<f64>, Vec<f64>) {
        let (these, others): (Vec<&Point>, Vec<&Point>) =
            self.points.iter().partition(|point| meant(point));
        let times =
            |points: Vec<&Point>| points.iter().flat_map(|point| &point.p50s).copied().collect();
        (times(these), times(others))
    }
}

impl Point {
    fn new(cells: &[&Cell], at: f64) -> Self {
        let passes: Vec<_> = cells.iter().filter(|cell| value(cell) == Some(at)).collect();
        let single = passes.iter().filter_map(|cell| cells::latency(cell));
        let p50s: Vec<f64> = single.map(|single| single.p50).collect();
        let middle = |pick: fn(&cells::Latencies) -> Option<f64>| {
            let picked = passes.iter().filter_map(|cell| pick(&cells::latency(cell)?));
            median(&picked.collect::<Vec<_>>())
        };
        let hits: Vec<f64> = passes.iter().filter_map(|cell| cell.figure("hit_ratio")).collect();
        Self {
            value: at,
            hits: median(&hits),
            rate: middle(|single| single.rate),
            p50: median(&p50s),
            p50s,
            p99: middle(|single| Some(single.p99)),
            passes: passes.len(),
        }
    }
}

fn value(cell: &Cell) -> Option<f64> {
    cell.label("value")?.parse().ok()
}

fn is_prime(value: f64) -> bool {
    let number = value as u32;
    let divides = |divisor: u32| number.is_multiple_of(divisor);
    value.fract() == 0.0 && number > 1 && !(2..=number.isqrt()).any(divides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prime_sizes_are_recognized() {
        for prime in [2.0, 3.0, 211.0, 1009.0, 2003.0, 4001.0, 22003.0] {
            assert!(is_prime(prime), "{prime}");
        }
        for other in [0.0, 1.0, 4.0, 211.5, 1000.0] {
            assert!(!is_prime(other), "{other}");
        }
        // The report's remark about the article's own choice.
        assert!(!is_prime(7.0 * 4573.0) && (32_011 == 7 * 4573));
    }
}
