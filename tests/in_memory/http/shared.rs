//! What the seed and the order of scenarios decide: which requests there are, and how often each.

use std::collections::BTreeMap;

use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

#[test]
fn weights_and_round_robin_are_kept() {
    for (order, often, seldom) in [("weights", "weight = 9", "weight = 1"), ("turns", "", "")] {
        let target = RestTarget::start();
        let plan = format!(
            "[run]\nusers = 4\norder = \"{order}\"\niterations = {{ shared = 400 }}\n[http]\nbase = \"{}\"\n\
             [[scenario]]\nname = \"often\"\n{often}\nsteps = [{{ get = \"/?often\" }}]\n\
             [[scenario]]\nname = \"seldom\"\n{seldom}\nsteps = [{{ get = \"/?seldom\" }}]\n",
            target.base
        );
        let run = Plan::from_text(&plan).run(&[]).went_well();
        let seen = target.stop();
        let often = seen.iter().filter(|one| one.target == "/?often").count();
        // Nine in ten of 400 draws, give or take four standard deviations; or exactly every other.
        let expected = if order == "turns" { 200..=200 } else { 336..=384 };
        assert!(seen.len() == 400 && expected.contains(&often), "{often}\n{run}");
    }
}

#[test]
fn seed_repeats_the_requests() {
    let requested = || {
        let target = RestTarget::start();
        Plan::from_text(&format!(
            "[run]\nusers = 3\niterations = {{ each = 20 }}\n[http]\nbase = \"{}\"\n\
             [variables]\nnumber = {{ random = \"0..999\" }}\nword = {{ chars = \"[a-z]\", length = 12 }}\n\
             [[scenario]]\nsteps = [{{ get = \"/\", headers = {{ X-Test = \"${{number}} ${{word}}\" }} }}]\n",
            target.base
        )).run(&[])
        .went_well();
        let mut values = BTreeMap::new();
        for one in target.stop() {
            *values.entry(one.header("x-test").map(str::to_owned)).or_insert(0) += 1;
        }
        values
    };
    let first = requested();
    assert!(first.len() > 50, "{first:?}");
    assert_eq!(first, requested());
}
