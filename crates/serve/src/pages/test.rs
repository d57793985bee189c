//! The page of a test: a plan with its runs, its schedules and its limit. Each tab is an address of its own.

use maud::{Markup, html};

use super::form::Form;
use super::history::{self, PER_PAGE};
use super::{hidden, moment_of, outcome_mark, page as whole, projects, schedules, trends};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::changes::projects as changes;
use crate::history::Entry;
use crate::problem::Problem;
use crate::schedule::next_time;
use crate::store::{Filter, Kind, Test, key_of_plan};

/// The tabs of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tab {
    Trend,
    Runs,
    Plan,
    Schedule,
    Limit,
}

impl Tab {
    const ALL: [Self; 5] = [Self::Trend, Self::Runs, Self::Plan, Self::Schedule, Self::Limit];

    const fn name(self) -> &'static str {
        match self {
            Self::Trend => "Trend",
            Self::Runs => "Runs",
            Self::Plan => "Plan",
            Self::Schedule => "Schedule",
            Self::Limit => "Limit",
        }
    }

    /// Its address; only a test with a plan has all tabs.
    fn address(self, test: &Test) -> Option<String> {
        let under = |name: &str| format!("/tests/{}{name}", test.key);
        match (self, &test.plan) {
            (Self::Trend, _) => Some(under("")),
            (Self::Runs, _) => Some(under("/runs")),
            (Self::Plan, Some(plan)) => Some(format!("/plans/{}", plan.id)),
            (Self::Schedule, Some(_)) => Some(under("/schedule")),
            (Self::Limit, Some(_)) => Some(under("/limit")),
            (Self::Plan | Self::Schedule | Self::Limit, None) => None,
        }
    }
}

/// The test that a path names.
pub(super) fn named(call: &Call) -> Result<Test, Problem> {
    let found = call.app.store.test(call.segment("test"))?;
    found.ok_or_else(|| Problem::missing("test"))
}

/// The test of a plan.
pub(super) fn of_plan(call: &Call, plan: i64) -> Result<Test, Problem> {
    let found = call.app.store.test(&key_of_plan(plan))?;
    found.ok_or_else(|| Problem::missing("plan"))
}

/// The page of a test: its name, the outcome of its last run, what can be done, the tabs, and the content of one of
/// them.
pub(super) fn test_page(
    call: &Call,
    test: &Test,
    tab: Tab,
    content: &Markup,
) -> Result<Markup, Problem> {
    Ok(html! {
        p.crumbs { a href="/" { "Tests" } " / " (test.name) }
        div.head {
            div {
                h1.large { (test.name) }
                p.meta { (about(call, test)?) }
            }
            (acts(call, test, tab)?)
        }
        (projects::of_test(call, test)?)
        nav.subs aria-label="Of this test" {
            @for one in Tab::ALL {
                @if let Some(address) = one.address(test) {
                    a href=(address) aria-current=[(one == tab).then_some("page")] {
                        (one.name())
                        @if one == Tab::Runs { " " (test.runs) }
                    }
                }
            }
        }
        (content)
    })
}

/// What is known of a test, in one line.
fn about(call: &Call, test: &Test) -> Result<Markup, Problem> {
    let filter = Filter { test: test.key.clone(), ..Filter::default() };
    let last = call.app.store.runs(&filter, None, 1)?.runs.into_iter().next();
    let next = next_of(call, test)?;
    Ok(html! {
        @match &last {
            Some(last) => {
                "Last: " (outcome_mark(&last.summary)) ", "
                a href={ "/runs/" (last.id) } { (super::moment(&last.summary.started)) }
            }
            None => "No run yet",
        }
        @if let Some(next) = next { "; next: " (moment_of(next)) }
        @if let Some(plan) = &test.plan { "; revision " (plan.revision) }
        "."
    })
}

/// The next time at which one of its schedules starts a run.
fn next_of(call: &Call, test: &Test) -> Result<Option<i64>, Problem> {
    let Some(plan) = &test.plan else { return Ok(None) };
    let schedules = call.app.store.schedules()?;
    let own = schedules.iter().filter(|schedule| schedule.plan == plan.id);
    Ok(own.filter_map(|schedule| next_time(schedule, call.app.now())).min())
}

fn acts(call: &Call, test: &Test, tab: Tab) -> Result<Markup, Problem> {
    let last = last_of_load(call, test)?;
    let baseline = last.as_ref().map(|last| call.app.store.baseline_of(last)).transpose()?;
    let both = baseline.flatten().zip(last).filter(|(baseline, last)| baseline.id != last.id);
    let compare =
        both.map(|(baseline, last)| format!("/compare?run={}&run={}", baseline.id, last.id));
    Ok(html! {
        div.acts {
            // The editor has its own buttons.
            @if tab != Tab::Plan {
                (run_button(call, test, "main")?)
                @if let Some(plan) = &test.plan { a.b href={ "/plans/" (plan.id) } { "Edit plan" } }
            }
            @if let Some(compare) = compare { a.b href=(compare) { "Compare with the baseline" } }
        }
    })
}

/// The newest run of a test of the load that it has now.
fn last_of_load(call: &Call, test: &Test) -> Result<Option<Entry>, Problem> {
    if test.load.is_empty() {
        return Ok(None);
    }
    let (load, test) = (test.load.clone(), test.key.clone());
    let filter = Filter { load, test, ..Filter::default() };
    Ok(call.app.store.runs(&filter, None, 1)?.runs.into_iter().next())
}

/// The button that runs a test again at the target of its newest run. A production target is confirmed on the page of
/// the plan, and so is what was never run.
pub(super) fn run_button(call: &Call, test: &Test, class: &str) -> Result<Markup, Problem> {
    let (Some(plan), true) = (&test.plan, call.who()?.user.role >= Role::Runner) else {
        return Ok(html! {});
    };
    let target = test.target.map(|id| call.app.store.target(id)).transpose()?.flatten();
    let open = target.filter(|it| !it.production && it.expires > call.app.now());
    let label = format!("Run {}", test.name);
    Ok(html! {
        @match open {
            Some(target) => form method="post" action={ "/plans/" (plan.id) "/run" } {
                (hidden(call.who()?))
                input type="hidden" name="target" value=(target.id);
                button class=(class) aria-label=(label) title={ "at " (target.name) } { "Run" }
            },
            None => a.b href={ "/plans/" (plan.id) "#run" } aria-label=(label) { "Run" },
        }
    })
}

/// What makes the first run of a test.
fn begin(test: &Test) -> Markup {
    html! {
        @match &test.plan {
            Some(plan) => {
                a href={ "/plans/" (plan.id) } { "Its plan" } " has the button that runs it, and a "
                a href={ "/tests/" (test.key) "/schedule" } { "schedule" } " runs it by itself."
            }
            None => "Push a record of its load with brunt push.",
        }
    }
}

/// `GET /tests/{test}`.
pub(crate) fn trend(call: &Call) -> Result<Answer, Problem> {
    let test = named(call)?;
    let content = html! {
        @if test.load.is_empty() {
            div.empty { p { "There is nothing to draw yet: this test has not been run. " (begin(&test)) } }
        } @else {
            (trends::content(call, &test.load, Some(&test))?)
        }
    };
    let body = test_page(call, &test, Tab::Trend, &content)?;
    Ok(Answer::page(whole(call, &test.name, &body)))
}

/// `GET /tests/{test}/runs`.
pub(crate) fn runs(call: &Call) -> Result<Answer, Problem> {
    let test = named(call)?;
    call.app.index_ended()?;
    let filter = Filter { test: test.key.clone(), ..Filter::default() };
    let order = history::order(call);
    let listed =
        call.app.store.sorted_runs(&filter, order, &history::page_start(call), PER_PAGE)?;
    let address = format!("/tests/{}/runs", test.key);
    let content = html! {
        @if listed.runs.is_empty() {
            div.empty { p { "This test has not been run yet. " (begin(&test)) } }
        } @else {
            (history::listing(call, &listed, (order, &address))?)
        }
    };
    let body = test_page(call, &test, Tab::Runs, &content)?;
    Ok(Answer::page(whole(call, &format!("Runs of {}", test.name), &body)))
}

/// `GET /tests/{test}/schedule`.
pub(crate) fn schedule(call: &Call) -> Result<Answer, Problem> {
    let test = named(call)?;
    let plan = test.plan.as_ref().ok_or_else(|| Problem::missing("schedule"))?;
    let form = Form::new(call, format!("/tests/{}/schedule", test.key));
    let content = schedules::of_plan(call, plan, &form)?;
    let body = test_page(call, &test, Tab::Schedule, &content)?;
    Ok(Answer::page(whole(call, &format!("Schedule of {}", test.name), &body)))
}

/// `POST /tests/{test}/schedule`.
pub(crate) fn add_schedule(call: &Call) -> Result<Answer, Problem> {
    let test = named(call)?;
    let plan = test.plan.as_ref().ok_or_else(|| Problem::missing("plan"))?;
    schedules::add_to(call, plan)?;
    Ok(Answer::see(&format!("/tests/{}/schedule", test.key)))
}

/// `POST /tests/{test}/project`.
pub(crate) fn move_to(call: &Call) -> Result<Answer, Problem> {
    let (test, to) = (named(call)?, projects::of_form(call)?);
    changes::move_test(&call.app, call.who()?, &test, to.as_ref())?;
    Ok(Answer::see(&format!("/tests/{}", test.key)))
}

/// `GET /tests/{test}/limit`: the searches for the highest rate, and the form of another.
pub(crate) fn limit(call: &Call) -> Result<Answer, Problem> {
    let test = named(call)?;
    let plan = test.plan.as_ref().ok_or_else(|| Problem::missing("limit"))?;
    let filter = Filter { test: test.key.clone(), kind: Kind::Searches, ..Filter::default() };
    let found = call.app.store.runs(&filter, None, PER_PAGE)?;
    let content = html! {
        @if found.runs.is_empty() {
            div.empty { p {
                "No search for the highest rate was made yet. It raises the rate until an objective is missed, and \
                 then says how many servers a peak needs."
            } }
        } @else {
            @if let Some(newest) = found.runs.first() {
                h2 { (super::limit::title(newest)) }
                (super::limit::content(call, newest)?)
            }
            h2 { "Searches" }
            (history::table(call, &found.runs, None))
        }
        @if call.who()?.user.role >= Role::Runner { (super::find::form(call, plan)?) }
    };
    let body = test_page(call, &test, Tab::Limit, &content)?;
    Ok(Answer::page(whole(call, &format!("The limit of {}", test.name), &body)))
}
