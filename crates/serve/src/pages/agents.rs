//! The agents of a cluster that reported recently, as a page.

use brunt_history::RunId;
use maud::{Markup, html};

use super::{figure, page as whole};
use crate::agents::{Agent, AgentState, ClusterSnapshot, Permitted};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::problem::Problem;

/// A clock difference above which a fault is shown, in seconds.
const AHEAD: f64 = 1.0;

/// The agents. A site without a cluster has no such page.
pub(crate) fn cluster_snapshot(call: &Call) -> Result<ClusterSnapshot, Problem> {
    let cluster = call.app.cluster.as_ref().ok_or_else(|| Problem::missing("page"))?;
    Ok(cluster.agents.snapshot())
}

/// `GET /agents`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let snapshot = cluster_snapshot(call)?;
    let body = html! {
        h1.large { "Agents" }
        p {
            "Machines that can share the load of a run. This site finds them at the broker "
            code { (snapshot.broker) } ", in the pool " code { (snapshot.pool) } "."
        }
        @if let Some(failure) = &snapshot.problem {
            p.warning role="alert" {
                "This site cannot use the broker: " (failure) ". Until this is fixed, it finds no agents. Start \
                 nats-server there, or restart the site with another "
                code { "--nats" } " or " code { "--keys" } "."
            }
        }
        @if snapshot.agents.is_empty() {
            @if snapshot.problem.is_none() { (nobody()) }
        } @else {
            p role="status" { (counted(&snapshot.agents)) }
            (table(&call.app, &snapshot.agents)?)
            p.note {
                "The column "
                em { "permits" } " shows what the owner of an agent allows in agent.toml, and what brunt calibrate \
                 measured on its machine. Each agent checks every order itself."
            }
        }
        p { a href="/agents" { "Refresh" } }
    };
    Ok(Answer::page(whole(call, "Agents", &body)))
}

fn nobody() -> Markup {
    html! {
        div.empty {
            p { "No agents were found. An agent that waits for work appears within a second." }
            p {
                "Start one on each machine that should generate load: " code { "brunt agent --keys DIR" }
                ", with the directory that brunt cluster keys created for that machine, or "
                code { "--nats URL" } " on the machine of the broker. Use the " code { "--pool" }
                " shown above."
            }
        }
    }
}

/// The number of agents in each state, as a sentence.
fn counted(agents: &[Agent]) -> String {
    let count = |of: &[AgentState]| agents.iter().filter(|it| of.contains(&it.state)).count();
    let all = [
        (count(&[AgentState::Waits]), "waits", "wait"),
        (count(&[AgentState::Prepares, AgentState::Runs]), "is busy", "are busy"),
        (count(&[AgentState::Silent]), "does not answer", "do not answer"),
    ];
    let words = all.into_iter().filter(|(count, ..)| *count > 0).map(|(count, one, many)| {
        let word = if count == 1 { one } else { many };
        format!("{count} {word}")
    });
    words.collect::<Vec<_>>().join(", ") + "."
}

fn table(app: &App, agents: &[Agent]) -> Result<Markup, Problem> {
    Ok(html! {
        div.scroll role="region" tabindex="0" aria-label="Agents" {
            table.cards {
                thead { tr {
                    th.name scope="col" { "agent" } th.name scope="col" { "does" } th.name scope="col" { "machine" }
                    th.name scope="col" { "permits" } th scope="col" { "clock" } th scope="col" { "heard" }
                } }
                tbody { @for agent in agents { (row(app, agent)?) } }
            }
        }
    })
}

fn row(app: &App, agent: &Agent) -> Result<Markup, Problem> {
    Ok(html! {
        tr {
            th.name scope="row" {
                (agent.name)
                @if agent.twin { div.note { "Another agent has this name. Rename one of them." } }
                @if let Some(misfit) = &agent.misfit { div.note { "This site cannot give it orders: " (misfit) "." } }
            }
            td.name data-label="does" {
                (state(agent.state))
                @if let Some(run) = &agent.run { div.note { (named(app, run)?) } }
            }
            td.name data-label="machine" {
                @match &agent.host {
                    Some(host) => (host),
                    None => "not known until it waits in this pool",
                }
                @if let Some(cores) = agent.cores {
                    div.note { (cores) @if cores == 1 { " core" } @else { " cores" } }
                }
                @if let Some(version) = &agent.version { div.note { "brunt " (version) } }
            }
            td.name data-label="permits" {
                @if let Some(permits) = &agent.permits { (permitted(permits)) } @else { "–" }
                @if !agent.ceilings.is_empty() { div.note { "can generate " (ceilings(agent)) } }
            }
            td data-label="clock" { (ahead(agent.clock_ahead_s)) }
            td data-label="heard" { (format!("{:.1} s ago", agent.last_seen_s)) }
        }
    })
}

/// The state of an agent, shown by its word and not only by its colour.
fn state(state: AgentState) -> Markup {
    let class = match state {
        AgentState::Waits => "mark good",
        AgentState::Prepares | AgentState::Runs => "mark care",
        AgentState::Silent => "mark bad",
    };
    html! { span class=(class) { (state.words()) } }
}

/// The page of a run, if the run belongs to this site.
pub(crate) fn page_of(app: &App, run: &str) -> Result<Option<String>, Problem> {
    let Ok(id) = run.parse::<RunId>() else { return Ok(None) };
    Ok(app.queue()?.status(&id).map(|_| format!("/live/{id}")))
}

fn named(app: &App, run: &str) -> Result<Markup, Problem> {
    let short = run.get(..8).unwrap_or(run);
    let page = page_of(app, run)?;
    Ok(html! {
        "run "
        @if let Some(page) = page { a href=(page) { (short) } } @else { (short) ", from another coordinator" }
    })
}

fn permitted(permits: &Permitted) -> Markup {
    html! {
        @if let Some(rate) = permits.rate_max { div { "at most " (figure(Some(rate))) "/s" } }
        div {
            @for target in &permits.targets { code { (target) } " " }
            @if permits.more > 0 { "and " (permits.more) " more" }
            @if permits.targets.is_empty() && permits.more == 0 { "no address" }
        }
        @if let Some(commands) = &permits.commands { div { "only " (commands.join(", ")) } }
        @if let Some(expires) = &permits.expires { div { "until " (super::moment(expires)) } }
    }
}

fn ceilings(agent: &Agent) -> String {
    let all = agent.ceilings.iter().map(|(name, rate)| format!("{} {name}/s", figure(Some(*rate))));
    all.collect::<Vec<_>>().join(", ")
}

fn ahead(ahead: Option<f64>) -> Markup {
    let words = match ahead {
        None => return html! { "–" },
        Some(ahead) if ahead.abs() < 0.1 => return html! { "agrees" },
        Some(ahead) if ahead > 0.0 => format!("{ahead:.1} s ahead"),
        Some(ahead) => format!("{:.1} s behind", -ahead),
    };
    let is_off = ahead.is_some_and(|ahead| ahead.abs() > AHEAD);
    html! { (words) @if is_off { div.note { "Set this clock: the times in its records are off by this much." } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_counted_by_state() {
        let agent = |state| Agent { state, ..Agent::default() };
        let all = [AgentState::Waits, AgentState::Runs, AgentState::Prepares].map(agent);
        assert_eq!(counted(&all), "1 waits, 2 are busy.");
        assert_eq!(counted(&[agent(AgentState::Silent)]), "1 does not answer.");
    }

    #[test]
    fn agent_clock_offset_is_shown() {
        for (ahead_s, message) in [
            (None, "–"),
            (Some(-0.04), "agrees"),
            (Some(0.26), "0.3 s ahead"),
            (Some(-3_600.0), "3600.0 s behind"),
        ] {
            let markup = ahead(ahead_s).into_string();
            assert!(markup.starts_with(message), "{markup}");
            assert_eq!(markup.contains("Set this clock"), ahead_s == Some(-3_600.0), "{markup}");
        }
    }
}
