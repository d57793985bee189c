//! The settings of a run, as its record states them. Each of several nodes has its own part of the rate.

use brunt_engine::{Load, Settings};
use brunt_record::{Basis, Mode, Plan};

/// The settings of a run in the terms of its record, with its target.
pub(crate) fn asked(settings: &Settings, seed: u64, target: String) -> Plan {
    let (mode, target_rate, constant) = match &settings.load {
        Load::Closed(_) => (Mode::Closed, None, true),
        Load::Open(schedule) => {
            let whole = schedule.steady_per_second();
            let rate = whole.map(|whole| whole * settings.node.slots.share());
            (Mode::Open, rate, whole.is_some() && whole == schedule.peak_per_second())
        }
    };
    Plan {
        mode,
        target_rate,
        target_iterations: None,
        constant,
        sessions: u64::from(settings.sessions),
        seed,
        first_exchange: settings.first,
        latency_basis: Basis::Response,
        target: Some(target),
    }
}

/// The same, where the rate is of iterations of several exchanges: a record counts exchanges.
pub(crate) fn of_iterations(asked: Plan) -> Plan {
    if asked.mode == Mode::Closed {
        return asked;
    }
    Plan { target_iterations: asked.target_rate, target_rate: None, constant: false, ..asked }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_engine::ThinkTime;
    use brunt_engine::schedule::{Rate, Schedule};

    #[test]
    fn a_rate_is_asked_for_in_the_open_model_alone() {
        let closed = asked(&Settings::closed(ThinkTime::None, 7), 3, "somewhere".to_owned());
        assert_eq!((closed.mode, closed.target_rate, closed.constant), (Mode::Closed, None, true));
        assert_eq!((closed.sessions, closed.seed), (7, 3));
        let schedule = Schedule::constant(Rate::per_second(500).unwrap(), None).unwrap();
        let mut settings = Settings::open(schedule, 2);
        let open = asked(&settings, 3, "somewhere".to_owned());
        assert_eq!((open.mode, open.target_rate, open.constant), (Mode::Open, Some(500.0), true));
        settings.node = brunt_engine::Node::even(1, 4);
        let share = asked(&settings, 3, "somewhere".to_owned());
        assert_eq!((share.target_rate, share.constant), (Some(125.0), true));
    }
}
