//! The counts of a plan beside its exchanges belong to the phase of the step they are about, though the step ends in
//! the next phase; and an open load ends with its data.

use brunt_record::{Phase, Record, Status};

use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

/// Every look takes so long that those at the end of the warm-up end in the steady phase. Whether one fails is up to
/// its path: the order in which looks arrive may differ from that in which they became due.
const SCRIPT: &str = "
[[rule]]
path = \"/oauth2/refused\"
action = { status = 503 }

[[rule]]
path = \"/oauth2/*\"
action = { delay = \"600ms\" }
";

/// A row for each iteration of both phases, which says where it looks: every fifth is refused.
fn rows(iterations: u64) -> String {
    let place = |number: u64| if number.is_multiple_of(5) { "refused\n" } else { "userinfo\n" };
    (1..=iterations).fold("place\n".to_owned(), |rows, number| rows + place(number))
}

/// What the steps of a phase add up to.
fn of_phase(record: &Record, phase: Phase, name: &str) -> u64 {
    let number = record.tallies.iter().position(|tally| tally.name == name).expect("it is a name");
    let steps = record.series.iter().filter(|step| step.phase == phase);
    steps.filter_map(|step| step.tallies.get(number)).sum()
}

#[test]
fn steps_are_counted_in_the_phase_they_fell_due() {
    let target = RestTarget::scripted(SCRIPT);
    let plan = format!(
        "[run]\nrate = \"50/s\"\nusers = 100\nwarm-up = \"1s\"\nduration = \"2s\"\n[http]\nbase = \"{}\"\n\
         [feeders]\nvisits = {{ csv = \"visits.csv\", order = \"unique\" }}\n\
         [[scenario]]\nname = \"visit\"\n[[scenario.steps]]\nname = \"look\"\nget = \"/oauth2/${{visits.place}}\"\n\
         bearer = \"none\"\nchecks = [{{ code = true, equals = \"401\" }}]\n",
        target.base
    );
    let plan = Plan::from_text(&plan);
    plan.beside("visits.csv", &rows(150));
    let ended = plan.run(&[]);
    let record = ended.record();
    for (phase, due) in [(Phase::WarmUp, 50), (Phase::Steady, 100)] {
        let of = |what: &str| of_phase(&record, phase, what);
        let counts =
            record.phases.iter().find(|it| it.name == phase).expect("there was one").counts;
        assert_eq!((counts.planned, counts.sent), (due, due), "{phase}\n{ended}");
        assert_eq!((of("look passed"), of("look failed")), (counts.ok, counts.failed), "{ended}");
        assert_eq!((of("look passed"), of("look failed")), (due * 4 / 5, due / 5), "{ended}");
        let visits = [of("scenario visit begun"), of("scenario visit completed")];
        assert_eq!(visits, [due; 2], "{phase}\n{ended}");
    }
    target.stop();
}

#[test]
fn open_load_ends_when_feeder_rows_run_out() {
    let target = RestTarget::start();
    let plan = Plan::from_text(&format!(
        "[run]\nrate = \"50/s\"\nusers = 10\nduration = \"10m\"\n[http]\nbase = \"{}\"\n\
         [feeders]\npeople = {{ csv = \"people.csv\", order = \"unique\" }}\n\
         [[scenario]]\nname = \"once\"\n[[scenario.steps]]\nname = \"once\"\npost = \"/echo\"\n\
         json = {{ uid = \"${{people.uid}}\" }}\n",
        target.base
    ));
    let people = (0..40).fold("uid\n".to_owned(), |rows, number| format!("{rows}u{number}\n"));
    plan.beside("people.csv", &people);
    let ended = plan.run(&[]).expect(5);
    let record = ended.record();
    let (counts, seen) = (record.counts, target.stop());
    // What became due until the run ended had no row, was not sent, and is nobody's failure.
    assert_eq!((counts.ok, counts.failed, counts.timed_out, seen.len()), (40, 0, 0, 40), "{ended}");
    assert!(
        counts.skipped > 0 && counts.planned == 40 + counts.skipped + counts.dropped,
        "{ended}"
    );
    // On a busy machine there may be another reason, which comes first.
    let partial = record.verdict.reasons.iter().filter(|reason| reason.status == Status::Partial);
    let why: Vec<&str> = partial.map(|reason| &*reason.text).collect();
    let reason = "each row of 'people.uid' is used once, and all rows are used";
    assert!(
        why.iter().any(|why| why.contains("its data ran out") && why.contains(reason)),
        "{why:?}"
    );
}
