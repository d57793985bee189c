//! `[prepare]` and `[clean-up]` of a run that a signal ends.

use brunt_test_program::{Plan, RestTarget};
use rustix::process::Signal;

#[test]
fn clean_up_runs_after_a_signal() {
    let target = RestTarget::start();
    let plan = Plan::from_text(&format!(
        "[run]\nusers = 2\nduration = \"10m\"\nthink = \"50ms\"\n[http]\nbase = \"{}\"\n\
         [prepare]\neach = \"node\"\nsteps = [{{ put = \"/echo/made\", text = \"x\" }}]\n\
         [clean-up]\neach = \"node\"\nsteps = [{{ delete = \"/echo/made\" }}]\n\
         [[scenario]]\nsteps = [{{ get = \"/echo/load\" }}]\n",
        target.base
    ));
    let program = plan.start(&[]);
    target.wait_for(6);
    program.signal(Signal::INT);
    let ended = program.wait().expect(130);
    let seen = target.stop();
    let removals: Vec<usize> =
        (0..seen.len()).filter(|place| seen[*place].method == "DELETE").collect();
    assert_eq!(removals, [seen.len() - 1], "{ended}");
    let notes = ended.record().verdict.notes.join("\n");
    assert!(notes.contains("cleaned up in "), "{ended}");
}
