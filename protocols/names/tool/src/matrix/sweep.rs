//! Varies a setting of a cache over values: the effect of each on hits and latency.
//!
//! Every point begins in the same state: a back end set up again, with the same users in it, and each of their names
//! looked up once. The measurement starts only then, because how a cache fills is a different question from how it
//! serves. Values alternate within a pass, as back ends do in a matrix.

use brunt_record::Cell;

use super::carry::{Bench, Outcome, StepFailure, unexpected};
use super::found;
use super::plan::{CacheState, Keys, Lookup, Participant, PathChoice};
use super::progress::Progress;
use super::words::{LookupLoad, Pass, words};
use crate::sandbox::{Answer, Backend, Cache, Nscd, Ran, Request, Way};

/// What is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// Buckets.
    SuggestedSize,
    /// Seconds for which an answer is cached.
    Ttl,
}

/// A requested sweep.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    /// What is varied, and over which values.
    pub axes: Vec<(Axis, Vec<u32>)>,
    pub users: Vec<u32>,
    pub paths: Vec<PathChoice>,
    pub passes: u32,
    pub distribution: String,
    pub rate: Option<u32>,
    /// How long each point is measured, in seconds.
    pub lasting_s: f64,
}

/// A point of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Point {
    participant: usize,
    users: u32,
    pass: u32,
    axis: Axis,
    value: u32,
}

impl Axis {
    /// Its name in labels.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::SuggestedSize => "suggested-size",
            Self::Ttl => "ttl",
        }
    }

    /// A back end with its cache set to a value.
    fn set(self, backend: &Backend, value: u32) -> Backend {
        let tuned = |nscd: &Nscd| match self {
            Self::SuggestedSize => Nscd { suggested_size: value, ..nscd.clone() },
            Self::Ttl => Nscd { positive_ttl_s: Some(value), ..nscd.clone() },
        };
        let cache = backend.cache.as_ref().map(|cache| match cache {
            Cache::Nscd(nscd) => Cache::Nscd(tuned(nscd)),
            Cache::Unscd(nscd) => Cache::Unscd(tuned(nscd)),
        });
        Backend { cache, ..backend.clone() }
    }
}

impl Sweep {
    /// All points, in order.
    fn points(&self, measured: &[Participant]) -> Vec<Point> {
        let mut points = Vec::new();
        for users in self.users.iter().copied() {
            for participant in 0..measured.len() {
                for pass in 1..=self.passes {
                    for (axis, values) in &self.axes {
                        let point = |value| Point { participant, users, pass, axis: *axis, value };
                        points.extend(values.iter().copied().map(point));
                    }
                }
            }
        }
        points
    }

    fn expected_s(&self) -> f64 {
        1.5 + (self.lasting_s + 0.5) * self.paths.len() as f64
    }

    /// How long all of it should take, in seconds.
    pub(super) fn whole_s(&self, measured: &[Participant]) -> f64 {
        self.points(measured).len() as f64 * self.expected_s()
    }

    /// Carries it out.
    pub(super) fn carry_out(&self, mut bench: Bench<'_>, progress: &mut Progress) -> Outcome {
        let mut before: Option<Point> = None;
        for point in self.points(bench.measured) {
            let label = &bench.measured[point.participant].label;
            let what = format!(
                "{label}, {} users: {} {}, pass {} of {}",
                point.users,
                point.axis.name(),
                point.value,
                point.pass,
                self.passes
            );
            progress.begin(what, self.expected_s());
            // One cell is used for all points of a back end.
            if before.is_some_and(|before| before.participant != point.participant) {
                bench.open.iter_mut().for_each(|place| *place = None);
            }
            before = Some(point);
            match self.point(&mut bench, &point, progress) {
                Ok(()) => {}
                Err(StepFailure::Interrupted) => {
                    bench.outcome.interrupted = true;
                    break;
                }
                Err(StepFailure::Refused(why)) => lose(&mut bench, &point, &why),
                Err(StepFailure::Lost(why)) => {
                    bench.open[point.participant] = None;
                    lose(&mut bench, &point, &why);
                }
            }
        }
        progress.finish();
        bench.outcome
    }

    fn point(
        &self,
        bench: &mut Bench<'_>,
        point: &Point,
        progress: &mut Progress,
    ) -> Result<(), StepFailure> {
        let Point { participant, users, axis, value, .. } = *point;
        if bench.open[participant].is_none() {
            bench.enter(participant, progress)?;
        }
        let patience = bench.patience();
        let backend = axis.set(&bench.measured[participant].backend, value);
        bench.request(participant, &Request::Start(backend), patience, progress)?;
        bench.request(
            participant,
            &Request::Insert { way: Way::Bulk, users: 0..users },
            patience,
            progress,
        )?;
        for path in self.paths.iter().copied() {
            bench.forget(participant, progress)?;
            self.resolve(bench, point, path, LookupLoad::Once, progress)?;
            let options = LookupLoad::Over {
                distribution: &self.distribution,
                rate: self.rate,
                lasting_s: self.lasting_s,
            };
            let before = bench.statistics(participant, progress)?;
            let ran = self.resolve(bench, point, path, options, progress)?;
            let after = bench.statistics(participant, progress)?;
            let mut cell = found::looked(labels(bench, point, Some(path)), &ran, 1);
            found::between(&mut cell, &before, &after, true);
            found::tables(&mut cell, &after);
            bench.keep(cell);
        }
        Ok(())
    }

    fn resolve(
        &self,
        bench: &mut Bench<'_>,
        point: &Point,
        path: PathChoice,
        options: LookupLoad<'_>,
        progress: &mut Progress,
    ) -> Result<Ran, StepFailure> {
        let pass = Pass {
            users: point.users,
            keys: point.users,
            url: None,
            seed: bench.ground.seed.wrapping_add(u64::from(point.pass)),
            timeout_s: bench.ground.timeout.as_secs_f64(),
        };
        let lookup = Lookup { path, keys: Keys::UidGid, temperature: CacheState::Warm, threads: 1 };
        let limit_s = bench.ground.limit.as_secs_f64().max(2.0 * self.lasting_s);
        let request = Request::Resolve { words: words(&pass, lookup, options), limit_s };
        let patience = bench.patience() + std::time::Duration::from_secs_f64(2.0 * self.lasting_s);
        match bench.request(point.participant, &request, patience, progress)? {
            Answer::Ran(ran) => Ok(ran),
            _ => Err(unexpected()),
        }
    }
}

fn labels(bench: &Bench<'_>, point: &Point, path: Option<PathChoice>) -> Cell {
    let labels = [
        ("kind", "sweep".to_owned()),
        ("backend", bench.measured[point.participant].label.clone()),
        ("users", point.users.to_string()),
        ("axis", point.axis.name().to_owned()),
        ("value", point.value.to_string()),
        ("run", point.pass.to_string()),
    ];
    Cell::new(labels.into_iter().chain(path.map(|path| ("road", path.name().to_owned()))))
}

fn lose(bench: &mut Bench<'_>, point: &Point, why: &str) {
    let mut cell = labels(bench, point, None);
    found::invalid(&mut cell, format!("failed to {why}"));
    bench.keep(cell);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Source;

    #[test]
    fn sweep_value_changes_only_its_setting() {
        let nscd = Nscd { shared: false, ..Nscd::default() };
        let cache = Some(Cache::Nscd(nscd.clone()));
        let backend = Backend { source: Source::Files, cache, switch: None };
        let sized = Axis::SuggestedSize.set(&backend, 211);
        let expected = Nscd { suggested_size: 211, shared: false, ..Nscd::default() };
        assert_eq!(sized.cache, Some(Cache::Nscd(expected)));
        let timed = Axis::Ttl.set(&backend, 3);
        assert_eq!(timed.cache, Some(Cache::Nscd(Nscd { positive_ttl_s: Some(3), ..nscd })));
        assert_eq!(timed.source, backend.source);
    }

    #[test]
    fn sweep_values_alternate_within_a_pass() {
        let participant = Participant {
            label: "files+nscd".to_owned(),
            backend: Backend { source: Source::Files, cache: None, switch: None },
            paths: vec![PathChoice::Nss],
        };
        let sweep = Sweep {
            axes: vec![(Axis::SuggestedSize, vec![211, 4001]), (Axis::Ttl, vec![3])],
            users: vec![10],
            paths: vec![PathChoice::Nss, PathChoice::Nscd],
            passes: 2,
            distribution: "uniform".to_owned(),
            rate: None,
            lasting_s: 5.0,
        };
        let points = sweep.points(&[participant]);
        let order: Vec<_> = points.iter().map(|point| (point.pass, point.value)).collect();
        assert_eq!(order, [(1, 211), (1, 4001), (1, 3), (2, 211), (2, 4001), (2, 3)]);
        // Six points, each with two access paths of 5 s and their overhead.
        assert!((sweep.expected_s() - 12.5).abs() < 1e-9);
    }
}
