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
fn firefox_runs_twice_and_compares() {
    goes(compares_two_runs);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn firefox_corrects_and_runs_a_plan() {
    goes(mends_and_runs_a_plan);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn firefox_follows_a_link_from_another_site() {
    goes(follows_a_link);
}
