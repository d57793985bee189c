//! The number of servers that a peak requires, from the result of one search: [`Sizing`].
//!
//! It is arithmetic on the claim and on the rate that failed, and nothing else: an estimate, a knee or a void step is
//! never used. For conditions that were not measured, other machines and other numbers of cores, nothing is computed.

use crate::document::{Reading, Row};
use crate::found::Answer;
use crate::spread::student_quantile;
use crate::verdict::Verdict;
use serde::Serialize;

/// The fewest steps from which the cost of an operation is computed: fewer have too little spread.
const COST_STEPS: usize = 7;
/// The greatest number of servers that is still reported.
const SERVERS_MAX: f64 = 1e6;

/// The demand to size for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Demand {
    /// The rate at peak, today.
    pub peak: f64,
    /// The share by which it grows.
    pub growth: f64,
    /// The share of each server's limit that is kept free.
    pub headroom: f64,
    /// The number of servers that may fail.
    pub spare: u32,
    /// The number of servers behind the tested address.
    pub tested_servers: u32,
    /// The number of cores of each of them.
    pub cores: Option<f64>,
}

/// Why there is no sizing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SizingError {
    /// Nothing was claimed.
    #[error(
        "size from this search: it claims no rate ({0}); sizing rests on a confirmed rate alone"
    )]
    NoClaim(String),
    /// The rate was never confirmed.
    #[error(
        "size from this search: its floor was not confirmed; search again with a longer budget"
    )]
    NotConfirmed,
    /// A given figure is not valid.
    #[error("size for {0}")]
    Demand(&'static str),
}

/// The number of servers that one limit gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Servers {
    /// The limit of the tested servers, in exchanges a second.
    pub limit: f64,
    /// With all servers up, and headroom.
    pub all_up: u32,
    /// With as many servers lost as may fail, still within the objectives.
    pub after_loss: u32,
    /// The greater of the two.
    pub servers: u32,
}

/// The cost of an operation on the target, if its processor time was observed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CpuCost {
    /// Processor time of an operation, in seconds: the slope over the rate.
    pub per_operation_s: f64,
    /// The lower end of the 90 % confidence interval.
    pub least_s: f64,
    /// The upper end.
    pub most_s: f64,
    /// Cores that are busy without any load.
    pub idle_cores: f64,
    /// The number of steps that it rests on.
    pub steps: usize,
}

/// How many servers are needed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sizing {
    /// The demand.
    pub demand: Demand,
    /// The peak after growth.
    pub peak: f64,
    /// The servers by the rate that was confirmed.
    pub confirmed: Servers,
    /// The servers by the rate that failed; absent if none did.
    pub failed: Option<Servers>,
    /// Whether the limit is a floor, so that fewer servers may be enough.
    pub floor: bool,
    /// The confirmed rate per core of this machine.
    pub per_core: Option<f64>,
    /// The cost of an operation.
    pub cpu: Option<CpuCost>,
}

impl Sizing {
    /// Sizes for this demand from the result of a search.
    pub fn new(reading: &Reading<'_>, demand: Demand) -> Result<Self, SizingError> {
        demand.check()?;
        let (claim, fails_at, floor) = match &reading.answer {
            Answer::Claim { rate, fails_at, .. } => (*rate, *fails_at, false),
            Answer::Floor { rate, confirmed: true, .. } => (*rate, None, true),
            Answer::Floor { .. } => return Err(SizingError::NotConfirmed),
            _ => return Err(SizingError::NoClaim(reading.sentence())),
        };
        let tested = f64::from(demand.tested_servers);
        Ok(Self {
            demand,
            peak: demand.grown(),
            confirmed: demand.servers(claim)?,
            failed: fails_at.map(|fails| demand.servers(fails)).transpose()?,
            floor,
            per_core: demand.cores.map(|cores| claim / (tested * cores)),
            cpu: cpu_cost(&reading.curve()),
        })
    }

    /// The fewest and the most servers, from the rate that failed and from the one that was confirmed.
    pub fn band(&self) -> (u32, u32) {
        let confirmed = self.confirmed.servers;
        (self.failed.map_or(confirmed, |failed| failed.servers.min(confirmed)), confirmed)
    }
}

impl Demand {
    fn check(&self) -> Result<(), SizingError> {
        let wrong = |why| Err(SizingError::Demand(why));
        match self {
            Self { peak, .. } if !(peak.is_finite() && *peak > 0.0) => {
                wrong("no peak: give a rate above 0")
            }
            Self { growth, .. } if !(growth.is_finite() && *growth > -1.0) => {
                wrong("such growth: give a share above -100%")
            }
            Self { headroom, .. } if !(0.0..1.0).contains(headroom) => {
                wrong("such headroom: give a share from 0% to below 100%")
            }
            Self { tested_servers: 0, .. } => wrong("no tested server: give 1 or more"),
            Self { cores: Some(cores), .. } if !(cores.is_finite() && *cores > 0.0) => {
                wrong("no core: give a number above 0")
            }
            _ => Ok(()),
        }
    }

    /// The number of servers for a limit of the tested servers, for any of which the demand is checked.
    pub fn sized(&self, limit: f64) -> Result<Servers, SizingError> {
        self.check()?;
        self.servers(limit)
    }

    /// The peak after growth.
    pub fn grown(&self) -> f64 {
        self.peak * (1.0 + self.growth)
    }

    /// `N = max(ceil(D s / (R (1 - h))), ceil(D s / R) + spare)`.
    fn servers(&self, limit: f64) -> Result<Servers, SizingError> {
        let load = self.grown() * f64::from(self.tested_servers) / limit;
        let all_up = up(load / (1.0 - self.headroom));
        let after_loss = up(load) + f64::from(self.spare);
        if all_up.max(after_loss) > SERVERS_MAX {
            return Err(SizingError::Demand(
                "more than a million servers: check the peak and the headroom",
            ));
        }
        let (all_up, after_loss) = (all_up as u32, after_loss as u32);
        Ok(Servers { limit, all_up, after_loss, servers: all_up.max(after_loss) })
    }
}

/// Rounded up. A value that is a whole number except for a rounding error is that number.
fn up(count: f64) -> f64 {
    (count - 1e-9).ceil().max(1.0)
}

/// The slope of busy cores over the achieved rate, by least squares over all valid steps.
fn cpu_cost(curve: &[Row<'_>]) -> Option<CpuCost> {
    let valid = curve.iter().filter(|row| row.verdict != Verdict::Void);
    let points: Vec<(f64, f64)> = valid
        .filter_map(|row| Some((row.figure("achieved")?, row.figure("server_cpu")?)))
        .collect();
    if points.len() < COST_STEPS {
        return None;
    }
    let n = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / n;
    let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    if spread <= 0.0 {
        return None;
    }
    let slope = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
    let idle = mean_y - slope * mean_x;
    let left: f64 = points.iter().map(|(x, y)| (y - idle - slope * x).powi(2)).sum();
    let error = (left / (n - 2.0) / spread).sqrt();
    let reach = student_quantile(0.95, n - 2.0) * error;
    Some(CpuCost {
        per_operation_s: slope,
        least_s: slope - reach,
        most_s: slope + reach,
        idle_cores: idle,
        steps: points.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_record::{COLLECTION_SCHEMA, Cell, Collection, Environment, Tool};

    fn collection(answer: &str, figures: &[(&str, f64)]) -> Collection {
        Collection {
            schema: COLLECTION_SCHEMA.to_owned(),
            subject: crate::SUBJECT.to_owned(),
            tool: Tool { name: "brunt".to_owned(), version: "0".to_owned() },
            started: String::new(),
            command: Vec::new(),
            environment: Environment::default(),
            facts: [("answer".to_owned(), answer.to_owned())].into(),
            figures: figures.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            cells: Vec::new(),
        }
    }

    const DEMAND: Demand = Demand {
        peak: 1_200.0,
        growth: 0.3,
        headroom: 0.4,
        spare: 1,
        tested_servers: 1,
        cores: Some(4.0),
    };

    fn sized(collection: &Collection, demand: Demand) -> Result<Sizing, SizingError> {
        Sizing::new(&Reading::from_collection(collection).unwrap(), demand)
    }

    #[test]
    fn sizing_equals_the_formula() {
        let found =
            collection("claim", &[("claim", 731.0), ("confirmed_s", 300.0), ("fails_at", 804.0)]);
        let sizing = sized(&found, DEMAND).unwrap();
        // 1,200 x 1.3 = 1,560. From 731: 1,560 / 438.6 = 3.56 -> 4; 1,560 / 731 = 2.13 -> 3, and 1 spare: 4.
        assert_eq!(
            sizing.confirmed,
            Servers { limit: 731.0, all_up: 4, after_loss: 4, servers: 4 }
        );
        // From 804: 1,560 / 482.4 = 3.23 -> 4; 1,560 / 804 = 1.94 -> 2, and 1 spare: 3.
        assert_eq!(
            sizing.failed,
            Some(Servers { limit: 804.0, all_up: 4, after_loss: 3, servers: 4 })
        );
        assert_eq!((sizing.band(), sizing.peak, sizing.per_core), ((4, 4), 1_560.0, Some(182.75)));
        // Two servers behind one balancer sustained it: each sustains half.
        let two = sized(&found, Demand { tested_servers: 2, ..DEMAND }).unwrap();
        // 3,120 / 438.6 = 7.11 -> 8; 3,120 / 731 = 4.27 -> 5, and 1 spare: 6.
        assert_eq!(
            (two.confirmed.all_up, two.confirmed.after_loss, two.per_core),
            (8, 6, Some(91.375))
        );
        let even =
            sized(&found, Demand { peak: 731.0, growth: 0.0, headroom: 0.0, spare: 0, ..DEMAND })
                .unwrap();
        assert_eq!(even.confirmed.servers, 1);
    }

    #[test]
    fn sizing_uses_only_confirmed_rates() {
        let floor = collection("floor", &[("floor", 600.0), ("floor_confirmed", 1.0)]);
        let sizing = sized(&floor, DEMAND).unwrap();
        assert!(sizing.floor && sizing.failed.is_none());
        let unconfirmed = collection("floor", &[("floor", 600.0), ("floor_confirmed", 0.0)]);
        assert_eq!(sized(&unconfirmed, DEMAND), Err(SizingError::NotConfirmed));
        let none = collection("no claim", &[("estimate_p50", 700.0), ("knee", 500.0)]);
        assert!(matches!(sized(&none, DEMAND), Err(SizingError::NoClaim(_))));
    }

    #[test]
    fn sizing_refuses_invalid_demands() {
        let found = collection("claim", &[("claim", 731.0), ("confirmed_s", 300.0)]);
        for demand in [
            Demand { peak: 0.0, ..DEMAND },
            Demand { peak: f64::NAN, ..DEMAND },
            Demand { growth: -1.0, ..DEMAND },
            Demand { headroom: 1.0, ..DEMAND },
            Demand { tested_servers: 0, ..DEMAND },
            Demand { cores: Some(0.0), ..DEMAND },
            Demand { peak: 1e12, ..DEMAND },
        ] {
            assert!(matches!(sized(&found, demand), Err(SizingError::Demand(_))), "{demand:?}");
        }
    }

    #[test]
    fn sizing_fits_cpu_cost_and_idle_use() {
        let mut found = collection("claim", &[("claim", 800.0), ("confirmed_s", 300.0)]);
        // 2 ms an operation and a tenth of a core when idle, with alternating deviations of half a percent of a core.
        for step in 1..=8 {
            let rate = 100.0 * f64::from(step);
            let mut cell = Cell::new([("kind", "ramp"), ("verdict", "pass")]);
            let off = if step % 2 == 0 { 0.005 } else { -0.005 };
            let figures =
                [("rate", rate), ("achieved", rate), ("server_cpu", 0.1 + 0.002 * rate + off)];
            cell.figures = figures.map(|(name, value)| (name.to_owned(), value)).into();
            found.cells.push(cell);
        }
        let cost = sized(&found, DEMAND).unwrap().cpu.unwrap();
        // By hand: x - mean is -350 to 350 in hundreds, so its squares add up to 420,000, and the products with the
        // deviations to 0.005 x 400 = 2: the slope is 0.002 + 2 / 420,000.
        assert!((cost.per_operation_s - (0.002 + 2.0 / 420_000.0)).abs() < 1e-12, "{cost:?}");
        assert!(cost.least_s < 0.002 && cost.most_s > 0.002 && cost.most_s < 0.0021, "{cost:?}");
        assert!((cost.idle_cores - 0.1).abs() < 0.01 && cost.steps == 8, "{cost:?}");
        found.cells.truncate(6);
        assert_eq!(sized(&found, DEMAND).unwrap().cpu, None);
    }
}
