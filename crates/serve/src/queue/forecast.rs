//! [`expected`]: the order of the runs that are active or wait, and when they are expected to begin and end.

use super::state::Status;

/// What is expected of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expected {
    pub(crate) status: Status,
    /// In how many seconds it begins; zero if it has begun, nothing if that is not known.
    pub(crate) begins_s: Option<f64>,
    /// In how many seconds it ends, if that is known.
    pub(crate) ends_s: Option<f64>,
}

/// The runs that are not over, in the order in which they run.
pub(crate) fn expected(mut runs: Vec<Status>) -> Vec<Expected> {
    runs.retain(|run| !run.state.is_over());
    runs.sort_by_key(|run| (!run.state.is_active(), run.turn, run.number));
    let mut begins_s = Some(0.0);
    let forecast = |status: Status| {
        let left = status.planned_s.map(|planned| (planned - status.reached_s).max(0.0));
        let ends_s = begins_s.zip(left).map(|(begins, left)| begins + left);
        let begins_s = std::mem::replace(&mut begins_s, ends_s);
        Expected { status, begins_s, ends_s }
    };
    runs.into_iter().map(forecast).collect()
}

#[cfg(test)]
mod tests {
    use super::super::state::State;
    use super::*;

    fn run(number: u64, state: State, planned_s: Option<f64>) -> Status {
        let id = format!("{number:024x}").parse().unwrap();
        Status { state, planned_s, ..Status::submitted(id, number, String::new()) }
    }

    #[test]
    fn forecast_starts_a_run_after_those_before_it() {
        let going = Status { reached_s: 40.0, ..run(4, State::Steady, Some(100.0)) };
        let first = Status { turn: -1, ..run(7, State::Queued, Some(10.0)) };
        let (second, third) = (run(5, State::Queued, None), run(6, State::Queued, Some(5.0)));
        let over = run(3, State::Done, Some(9.0));
        let runs = vec![over, going, second, third, first];
        let times: Vec<_> = expected(runs)
            .into_iter()
            .map(|run| (run.status.number, run.begins_s, run.ends_s))
            .collect();
        let after = [(7, Some(60.0), Some(70.0)), (5, Some(70.0), None), (6, None, None)];
        assert_eq!(times[0], (4, Some(0.0), Some(60.0)));
        assert_eq!(times[1..], after);
    }

    #[test]
    fn forecast_of_an_overdue_run_ends_now() {
        let late = Status { reached_s: 12.0, ..run(1, State::Draining, Some(10.0)) };
        assert_eq!(expected(vec![late])[0].ends_s, Some(0.0));
    }
}
