//! Pages. They are rendered completely on the server, and are readable without scripts, at a telephone's width, in
//! light and in dark.
//!
//! Everything from a record or from a user is text, which maud escapes. The only unescaped parts come from the report,
//! which escapes its own texts.

pub(crate) mod account;
mod actions;
mod against;
pub(crate) mod agents;
pub(crate) mod agents_field;
mod alert;
pub(crate) mod annotations;
pub(crate) mod audit;
mod bar;
pub(crate) mod compare;
mod drawing;
pub(crate) mod find;
mod form;
pub(crate) mod history;
pub(crate) mod home;
pub(crate) mod hooks;
pub(crate) mod import;
pub(crate) mod limit;
pub(crate) mod live;
mod moments;
pub(crate) mod people;
pub(crate) mod plans;
pub(crate) mod projects;
pub(crate) mod provider;
pub(crate) mod queue;
pub(crate) mod run;
pub(crate) mod schedules;
pub(crate) mod search;
pub(crate) mod secrets;
pub(crate) mod sessions;
pub(crate) mod settings;
mod share_form;
pub(crate) mod shares;
pub(crate) mod sign_in;
mod sign_in_page;
pub(crate) mod single_sign_on;
pub(crate) mod site;
mod sparkline;
pub(crate) mod steps;
pub(crate) mod submission;
pub(crate) mod targets;
pub(crate) mod test;
pub(crate) mod thresholds;
pub(crate) mod trends;
pub(crate) mod welcome;

use brunt_history::Summary;
use brunt_record::{OutcomeTone, Status};
use maud::{DOCTYPE, Markup, html};

use crate::assets;
use crate::auth::Requester;
use crate::call::Call;
use crate::problem::Problem;

use moments::{moment, moment_of};

/// A page for a user who is signed in.
pub(crate) fn page(call: &Call, title: &str, body: &Markup) -> Markup {
    let path = call.path.split('?').next().unwrap_or_default();
    whole(title, Some(call), path, false, body)
}

/// A page with charts for a user who is signed in.
fn page_with_charts(call: &Call, title: &str, body: &Markup) -> Markup {
    whole(title, Some(call), &call.path, true, body)
}

/// A page for a visitor who is not signed in.
fn outer(title: &str, body: &Markup) -> Markup {
    whole(title, None, "", false, body)
}

/// A page with charts for a visitor who is not signed in.
fn outer_with_charts(title: &str, body: &Markup) -> Markup {
    whole(title, None, "", true, body)
}

fn whole(title: &str, call: Option<&Call>, path: &str, charts: bool, body: &Markup) -> Markup {
    let signed_in = call.and_then(|call| Some((call, call.who.as_ref()?)));
    let trial = call.and_then(|call| call.app.trial.as_deref());
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) " · brunt" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(assets::style());
                script src=(assets::script()) defer {}
                @if path.starts_with("/plans") { script src=(assets::plans()) defer {} }
                @if charts { script src=(assets::charts()) defer {} }
            }
            body.site {
                a.skip href="#main" { "Skip to the content" }
                @if let Some((call, who)) = signed_in { (bar::bar(call, who, path)) }
                @if let Some(promise) = trial { p.trial { strong { "Trial. " } (promise) } }
                main id="main" {
                    @if let Some(refused) = call.and_then(|call| call.refused.as_deref()) { (alert::alert(refused)) }
                    @if let Some((call, _)) = signed_in
                        && settings::is_here(path)
                        && path != "/settings"
                    {
                        (settings::menu(call, path))
                    }
                    (body)
                }
            }
        }
    }
}

/// The hidden field of every form that changes something.
fn hidden(who: &Requester) -> Markup {
    html! { input type="hidden" name="form" value=(who.form_token()); }
}

/// A page with the reason why something was not done, with the menu of the site for a user who is signed in.
pub(crate) fn problem(call: Option<&Call>, problem: &Problem, request: &str) -> Markup {
    let call = call.filter(|call| call.who.is_some());
    let path = call.map_or("", |call| call.path.split('?').next().unwrap_or_default());
    let body = html! {
        div.narrow {
            h1.large { (problem.title) }
            p { (problem.detail) }
            @if let Some(wait) = problem.wait { p { "Try again in " (wait) " s." } }
            @if call.is_none() { p { a href="/" { "Go to the tests" } } }
            p.note { "Request " code { (request) } }
        }
    };
    whole(problem.title, call, path, false, &body)
}

/// The outcome of a run as a mark, and its verdict beside it unless that is valid. Of a run that was kept by an older
/// version only the verdict is known.
fn outcome(summary: &Summary) -> Markup {
    let has_doubt = summary.outcome.is_some() && summary.verdict != Status::Valid;
    html! {
        (outcome_mark(summary))
        @if has_doubt { br; (verdict(summary.verdict)) }
    }
}

/// The outcome of a run as a mark alone.
fn outcome_mark(summary: &Summary) -> Markup {
    let Some(outcome) = summary.outcome else { return verdict(summary.verdict) };
    let class = match outcome.tone() {
        OutcomeTone::Good => "mark good",
        OutcomeTone::Plain => "mark none",
        OutcomeTone::Care => "mark care",
        OutcomeTone::Bad => "mark bad",
    };
    html! { span class=(class) { (summary.outcome_word()) } }
}

/// A verdict as a mark, shown by its word and not only by its colour.
fn verdict(status: Status) -> Markup {
    let class = match status {
        Status::Valid => "mark good",
        Status::Unstable | Status::Partial => "mark care",
        Status::GeneratorLimited => "mark bad",
    };
    html! { span class=(class) { (status.word()) } }
}

/// A figure with as many digits as a reader needs for comparing.
fn figure(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(value) if value >= 99.95 => brunt_report::figure::thousands(value.round() as u64),
        Some(value) if value >= 9.995 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

/// A field of a form with its name above it.
fn field(name: &str, label: &str, input: &Markup) -> Markup {
    html! { div.field { label for=(name) { (label) } (input) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_history::samples::summary;
    use brunt_record::RunOutcome;

    #[test]
    fn run_is_marked_with_outcome_or_doubt() {
        let mut run = summary();
        let shown = |run: &Summary| outcome(run).into_string();
        assert_eq!(shown(&run), r#"<span class="mark none">measured</span>"#);
        run.outcome = Some(RunOutcome::Overloaded);
        assert_eq!(shown(&run), r#"<span class="mark bad">overloaded</span>"#);
        (run.outcome, run.verdict) = (Some(RunOutcome::Passed), Status::Unstable);
        let doubt = r#"<span class="mark care">unstable</span>"#;
        assert_eq!(shown(&run), format!(r#"<span class="mark good">passed</span><br>{doubt}"#));
        // An older version did not keep it.
        run.outcome = None;
        assert_eq!(shown(&run), doubt);
    }
}
