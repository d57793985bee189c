//! The settings of a run, as its record states them. Each of several nodes has its own part of the rate.

use brunt_engine::{Load, Settings};
use brunt_record::{Basis, Mode, Noun, Plan};
use std::time::Duration;

/// The settings of a run in the terms of its record, with its target.
pub(crate) fn requested(settings: &Settings, seed: u64, target: String) -> Plan {
    let (mode, target_rate, constant, stages_s) = match &settings.load {
        Load::Closed(_) => (Mode::Closed, None, true, Vec::new()),
        Load::Open(schedule) => {
            let whole = schedule.steady_per_second();
            let rate = whole.map(|whole| whole * settings.node.slots.share());
            let constant = whole.is_some() && whole == schedule.peak_per_second();
            let begins = schedule.steady_stages();
            let begins = begins.iter().map(Duration::as_secs_f64).collect();
            (Mode::Open, rate, constant, begins)
        }
    };
    Plan {
        mode,
        target_rate,
        target_iterations: None,
        constant,
        stages_s,
        sessions: u64::from(settings.sessions),
        seed,
        first_exchange: settings.first,
        latency_basis: Basis::Response,
        target: Some(target),
        noun: Noun::default(),
    }
}

/// The same, where the rate is of iterations of several exchanges: a record counts exchanges.
pub fn of_iterations(requested: Plan) -> Plan {
    if requested.mode == Mode::Closed {
        return requested;
    }
    Plan {
        target_iterations: requested.target_rate,
        target_rate: None,
        constant: false,
        ..requested
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_engine::ThinkTime;
    use brunt_engine::schedule::{Rate, Schedule};

    #[test]
    fn target_rate_exists_only_in_the_open_model() {
        let closed = requested(&Settings::closed(ThinkTime::None, 7), 3, "somewhere".to_owned());
        assert_eq!((closed.mode, closed.target_rate, closed.constant), (Mode::Closed, None, true));
        assert_eq!((closed.sessions, closed.seed), (7, 3));
        let schedule = Schedule::constant(Rate::per_second(500).unwrap(), None).unwrap();
        let mut settings = Settings::open(schedule, 2);
        let open = requested(&settings, 3, "somewhere".to_owned());
        assert_eq!((open.mode, open.target_rate, open.constant), (Mode::Open, Some(500.0), true));
        assert!(open.stages_s.is_empty());
        settings.node = brunt_engine::Node::even(1, 4);
        let share = requested(&settings, 3, "somewhere".to_owned());
        assert_eq!((share.target_rate, share.constant), (Some(125.0), true));
    }

    #[test]
    fn plan_stages_exclude_the_warm_up() {
        let schedule =
            Schedule::parse("10/s for 2s as warm-up, 10/s for 3s, 20/s for 1500ms, 5/s for 1s");
        let settings = Settings::open(schedule.unwrap(), 2);
        let plan = requested(&settings, 3, "somewhere".to_owned());
        assert_eq!(plan.stages_s, [0.0, 3.0, 4.5]);
    }
}
