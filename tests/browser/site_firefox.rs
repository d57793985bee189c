//! The ways that everybody goes, in Firefox: nothing of the pages is for Chromium alone.

use crate::browser::Browser;
use crate::engine::Engine;
use crate::site_home::compares_two_runs;
use crate::site_linked::follows_a_link;
use crate::site_plans::mends_and_runs_a_plan;

fn goes(way: fn(&Browser)) {
    let Some(browser) = Browser::start_as(Engine::Firefox) else { return };
    way(&browser);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn firefox_goes_from_a_first_run_to_a_second_and_to_their_comparison() {
    goes(compares_two_runs);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn firefox_makes_a_plan_with_an_error_on_the_way_and_runs_it() {
    goes(mends_and_runs_a_plan);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn firefox_follows_a_link_from_another_site() {
    goes(follows_a_link);
}
