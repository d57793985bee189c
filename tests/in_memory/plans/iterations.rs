//! The time between the steps of an iteration, and between two iterations: pauses, think times and how both are
//! reported.

use std::time::Duration;

use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

/// Two users who are refused at once, for two seconds.
fn refused(base: &str, run: &str) -> String {
    format!(
        "[run]\nusers = 2\nduration = \"2s\"\n{run}\n[http]\nbase = \"{base}\"\n\
         [[scenario]]\nname = \"sign in\"\n\
         [[scenario.steps]]\nname = \"token\"\npost = \"/oauth2/access_token\"\n\
         [[scenario.steps]]\nname = \"look\"\nget = \"/oauth2/userinfo\"\n"
    )
}

const REFUSED: &str = "[[rule]]\npath = \"/oauth2/access_token\"\naction = { status = 401 }\n";

/// With a think time of 250 ms a user cannot try more than nine times in two seconds, with a back-off of the same
/// length no more than five times.
#[test]
fn back_off_and_think_limit_failing_users() {
    let target = RestTarget::scripted(REFUSED);
    let tried = |run: &str| {
        let record = Plan::from_text(&refused(&target.base, run)).run(&[]).expect(1).record();
        let token = record.operations.iter().find(|operation| operation.name == "token").unwrap();
        assert_eq!(token.counts.ok, 0);
        token.counts.failed
    };
    let thinking = tried("think = \"250ms\"");
    assert!((4..=18).contains(&thinking), "{thinking}");
    let backing_off = tried("think = \"250ms\"\nback-off = \"250ms\"");
    assert!((4..=10).contains(&backing_off), "{backing_off}");
    target.stop();
}

/// A visit of two requests with 150 ms between them takes as long as a user sees, and works as long as the target does.
#[test]
fn iteration_times_are_recorded_with_and_without_pauses() {
    let target = RestTarget::start();
    let visit = |pause: &str| {
        let text = format!(
            "[run]\nusers = 1\niterations = {{ each = 5 }}\n[http]\nbase = \"{}\"\n\
             [[scenario]]\nname = \"visit\"\nsteps = [{{ post = \"/echo\", text = \"a\" }},{pause} \
             {{ post = \"/echo\", text = \"b\" }}, {{ pause = \"1ms\" }}]\n",
            target.base
        );
        let record = Plan::from_text(&text).run(&[]).expect(0).record();
        let part = |name: &str| {
            let part = record.parts.iter().find(|part| part.name == name)?;
            Some(part.took.clone()).filter(|latency| latency.count > 0)
        };
        (part("iteration"), part("iteration work"))
    };
    let (whole, work) = visit(" { pause = \"150ms\" },");
    let (whole, work) = (whole.unwrap(), work.unwrap());
    let pauses = Duration::from_millis(5 * 150).as_nanos() as u64;
    assert_eq!((whole.count, work.count), (5, 5));
    assert_eq!(whole.sum_ns - work.sum_ns, pauses);
    assert!(work.sum_ns > 0);
    // Without a pause inside, both would be the same figure.
    let (whole, work) = visit("");
    assert_eq!((whole.map(|whole| whole.count), work), (Some(5), None));
    target.stop();
}

/// Ten iterations of three exchanges, of which each of two nodes has its share.
#[test]
fn open_plan_reports_the_iteration_rate() {
    let target = RestTarget::start();
    let text = |steps: &str| {
        format!(
            "objectives = [\"achieved>=50%\"]\n[run]\nrate = \"5/s\"\nduration = \"2s\"\nseed = 3\n\
             [http]\nbase = \"{}\"\n[[scenario]]\nname = \"visit\"\nsteps = [{steps}]\n",
            target.base
        )
    };
    // A third of what is asked for would be the share if exchanges were compared with iterations.
    let echo = "{ post = \"/echo\", text = \"a\" }";
    let several = text(&[echo; 3].join(", "));
    for (line, rate) in [(&["--details"][..], 5.0), (&["--details", "--node", "0/2"], 2.5)] {
        let ended = Plan::from_text(&several).run(line).expect(0);
        let plan = ended.record().plan;
        assert_eq!((plan.target_rate, plan.target_iterations), (None, Some(rate)), "{ended}");
        let output = format!("open model ({rate:.1} iterations a second");
        assert!(ended.stdout.contains(&output) && !ended.stdout.contains("unlimited"), "{ended}");
    }
    // One exchange an iteration, whatever pauses there are: their rate is its rate.
    let single = text(&format!("{echo}, {{ pause = \"1ms\" }}"));
    let plan = Plan::from_text(&single).run(&[]).expect(0).record().plan;
    assert_eq!((plan.target_rate, plan.target_iterations), (Some(5.0), None));
    target.stop();
}
