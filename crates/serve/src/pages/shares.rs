//! Links to a run or a comparison for readers who do not sign in: random, temporary and revocable.
//!
//! The creator of a link chooses whether it reveals the target. If not, addresses, the environment and the plan are
//! left out, and where they occur in other texts they are starred.

use brunt_envelope::COMPARED_MAX;
use brunt_history::PageParts;
use brunt_report::page::without_samples;
use maud::{Markup, PreEscaped, html};

use super::run::sections;
use super::share_form::DAYS_MAX;
use super::{hidden, moment_of, outcome, outer, outer_with_charts, page as whole};
use crate::auth::{Role, Secret};
use crate::call::{Answer, Call};
use crate::comparison::compared;
use crate::history::Entry;
use crate::problem::Problem;
use crate::store::{Share, Visibility, name};

const DAY: i64 = 86_400;
/// Sections of a run that reveal where and how it was made.
const WHERE: [&str; 10] = [
    "next",
    "generator",
    "environment",
    "configuration",
    "target",
    // Pages that were kept by an older version.
    "the-generator",
    "environment-and-how-to-repeat-the-run",
    "plan",
    "the-target-s-own-figures",
    "where-these-figures-come-from",
];
/// Shorter names are too common as words to be starred.
const NAME_MIN: usize = 4;

/// `POST /shares`.
pub(crate) fn add(call: &Call) -> Result<Answer, Problem> {
    let (app, who) = (&call.app, call.who()?);
    let ids = call.form.iter().filter(|(name, _)| name == "run").map(|(_, id)| id.clone());
    let ids: Vec<String> = ids.take(COMPARED_MAX + 1).collect();
    if !(1..=COMPARED_MAX).contains(&ids.len()) {
        return Err(Problem::unusable(format!("A link shows 1 to {COMPARED_MAX} runs.")));
    }
    for id in &ids {
        app.store.run(id)?.ok_or_else(|| Problem::missing("run"))?;
    }
    let days: i64 = call.field("days").parse().unwrap_or_default();
    if !(1..=DAYS_MAX).contains(&days) {
        let why = format!("A link is valid for 1 to {DAYS_MAX} days.");
        return Err(Problem::unusable(why).at("days"));
    }
    let secret = Secret::new().map_err(Problem::bug)?;
    let whole_too = call.field("whole") == "1";
    let until = app.now() + days * DAY;
    app.store.add_share(&secret.hash(), (&ids, whole_too), &who.user.name, (app.now(), until))?;
    app.audit(who, "share", &ids.join(" "))?;
    let made = html! {
        p { "The link, which is shown only once:" }
        pre tabindex="0" data-copy data-link { "/shared/" (secret.shown()) }
    };
    list(call, &made)
}

/// The page of the runs that were to be shared: of one run, or of their comparison.
pub(crate) fn again(call: &Call) -> Result<Answer, Problem> {
    let runs: Vec<_> = call.form.iter().filter(|(name, _)| name == "run").collect();
    let [(_, id)] = runs[..] else { return super::compare::page(call) };
    let segments = vec![("id".to_owned(), id.clone())];
    super::run::page(&Call { segments, ..call.clone() })
}

/// `GET /shares`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    list(call, &html! {})
}

fn list(call: &Call, made: &Markup) -> Result<Answer, Problem> {
    let who = call.who()?;
    let mut shares = call.app.store.shares(call.app.now())?;
    shares.retain(|share| may_end(call, share));
    let body = html! {
        h1.large { "Shared links" }
        (made)
        @if shares.is_empty() {
            div.empty { p { "There are no shared links. Create one on the page of a run or a comparison." } }
        } @else {
            div.scroll role="region" tabindex="0" aria-label="Shared links" {
                table.cards {
                    thead { tr {
                        th.name scope="col" { "runs" } th.name scope="col" { "by" }
                        th.name scope="col" { "until" } td {}
                    } }
                    tbody { @for share in &shares { tr {
                        th.name scope="row" {
                            @for id in &share.runs {
                                a href={ "/runs/" (id) } { (title(call, id)?) } " "
                            }
                            @if share.whole { span.tag { "with addresses" } }
                        }
                        td.name data-label="by" { (share.by) ", " (moment_of(share.created)) }
                        td.name data-label="until" { (moment_of(share.expires)) }
                        td.name {
                            form method="post" action="/shares/end" {
                                (hidden(who))
                                input type="hidden" name="id" value=(share.id);
                                button.danger { "Revoke" }
                            }
                        }
                    } } }
                }
            }
        }
    };
    Ok(Answer::page(whole(call, "Shared links", &body)))
}

fn title(call: &Call, id: &str) -> Result<String, Problem> {
    Ok(call.app.store.run(id)?.map_or_else(|| "a deleted run".to_owned(), |run| name(&run)))
}

/// The creator of a link may end it, and so may an administrator.
fn may_end(call: &Call, share: &Share) -> bool {
    call.who().is_ok_and(|who| who.user.role == Role::Admin || who.user.name == share.by)
}

/// `POST /shares/end`.
pub(crate) fn end(call: &Call) -> Result<Answer, Problem> {
    let id: i64 = call.field("id").parse().unwrap_or_default();
    let shares = call.app.store.shares(call.app.now())?;
    let share = shares.iter().find(|share| share.id == id && may_end(call, share));
    let share = share.ok_or_else(|| Problem::missing("link"))?;
    call.app.store.end_share(id)?;
    call.app.audit(call.who()?, "end share", &share.runs.join(" "))?;
    Ok(Answer::see("/shares"))
}

/// `GET /shared/{secret}`: the page that the link opens.
pub(crate) fn shared(call: &Call) -> Result<Answer, Problem> {
    let missing = || Problem::missing("link");
    let secret = Secret::read(call.segment("secret")).ok_or_else(missing)?;
    let share = call.app.store.share(&secret.hash(), call.app.now())?.ok_or_else(missing)?;
    // Whoever has the link sees its runs.
    let store = call.app.store.seen_by(Visibility::All);
    let runs: Result<Vec<Entry>, Problem> =
        share.runs.iter().map(|id| store.run(id)?.ok_or_else(missing)).collect();
    let runs = runs?;
    let until =
        html! { p.note { "Shared by " (share.by) " until " (moment_of(share.expires)) "." } };
    let hidden_names = if share.whole { Vec::new() } else { runs.iter().flat_map(names).collect() };
    let starred = |parts: PageParts| PageParts {
        sections: parts
            .sections
            .into_iter()
            .filter(|(id, _)| share.whole || !WHERE.contains(&id.as_str()))
            .map(|(id, inner)| (id, without(&without_samples(&inner), &hidden_names)))
            .collect(),
        ..parts
    };
    let [run] = &runs[..] else {
        let body = html! { (until) (sections(&starred(compared(&call.app, &runs)?.page))) };
        return Ok(Answer::page(outer("Comparison", &body)));
    };
    let history = &call.app.history;
    let mut parts = history.page(&run.id).map_err(Problem::bug)?.unwrap_or_default();
    if !share.whole
        && let Some((_, top)) = parts.sections.first_mut()
    {
        *top = headless(top);
    }
    let view = history.view(&run.id).map_err(Problem::bug)?;
    let called = &run.about.name;
    let body = html! {
        h1.large { @if called.is_empty() || !share.whole { "A load test" } @else { (called) } }
        (until)
        p { (outcome(&run.summary)) }
        (sections(&starred(parts)))
        @if let Some(view) = view {
            script type="application/json" id="view" {
                (PreEscaped(without(&view, &hidden_names).replace('<', "\\u003c")))
            }
        }
    };
    Ok(Answer::page(outer_with_charts("A load test", &body)))
}

/// Texts that reveal where a run was made, and against which target.
fn names(run: &Entry) -> Vec<String> {
    let target = run.summary.target.clone().unwrap_or_default();
    let authority = target.split_once("://").map_or("", |(_, rest)| rest);
    let authority = authority.split(['/', ' ', '?']).next().unwrap_or_default().to_owned();
    let host = authority.rsplit_once(':').map_or(authority.as_str(), |(host, _)| host).to_owned();
    let listed = run.about.origin.target.clone().unwrap_or_default();
    let mut all = vec![target, authority, host, listed, run.summary.host.clone()];
    all.retain(|name| name.len() >= NAME_MIN);
    // Longer names first, because they contain the shorter ones.
    all.sort_by_key(|name| std::cmp::Reverse(name.len()));
    all
}

fn without(text: &str, names: &[String]) -> String {
    names.iter().fold(text.to_owned(), |text, name| {
        let escaped = html! { (name) }.into_string();
        text.replace(&escaped, "***").replace(name.as_str(), "***")
    })
}

/// The first section without its title, and without the time and place of the run.
fn headless(top: &str) -> String {
    let rest = top.split_once("</h1>").map_or(top, |(_, rest)| rest).trim_start();
    match rest.strip_prefix("<p class=\"meta\">") {
        Some(meta) => meta.split_once("</p>").map_or("", |(_, rest)| rest).to_owned(),
        None => rest.to_owned(),
    }
}
