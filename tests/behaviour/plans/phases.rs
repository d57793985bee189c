//! The counts of a plan beside its exchanges belong to the phase of the step they are about, though the step ends in
//! the next phase.

use brunt_record::{Phase, Record};

use brunt_test_program::{Plan, RestTarget};

/// Every look takes so long that those at the end of the warm-up end in the steady phase. Whether one fails is up to
/// its path: the order in which looks arrive may differ from that in which they fell due.
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
fn steps_are_tallied_where_they_fell_due() {
    let target = RestTarget::scripted(SCRIPT);
    let plan = format!(
        "[run]\nrate = \"50/s\"\nusers = 100\nwarm-up = \"1s\"\nduration = \"2s\"\n[http]\nbase = \"{}\"\n\
         [feeders]\nvisits = {{ csv = \"visits.csv\", order = \"unique\" }}\n\
         [[scenario]]\nname = \"visit\"\n[[scenario.steps]]\nname = \"look\"\nget = \"/oauth2/${{visits.place}}\"\n\
         bearer = \"none\"\nchecks = [{{ code = true, equals = \"401\" }}]\n",
        target.base
    );
    let plan = Plan::of(&plan);
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
