//! Describes a plan without carrying it out: the load as text, the mix, and the first requests.

mod journey;
mod own_loads;

use std::fmt::Write as _;
use std::path::Path;

use brunt_engine::{Load, ThinkTime};
use brunt_feed::{Escape, Hole, Text, TextPiece};
use brunt_flow_driver::json_set::secret_word;
use brunt_flow_driver::{
    Around, Content, Each, ExchangeStep, FileChoice, HttpExchange, Iterations, Order, PageStep,
    PartContent, Payload, Source, Start, Step, Upload, Variable,
};
use brunt_record::Slo;
use brunt_redact::HIDDEN;
use brunt_run::options::arrivals::Arrival;

use super::compile::Compiled;
use super::model::{self, LdapStep, Plan};
use super::values::time_words;
use super::{memory, merged};
use crate::sample::Sample;

/// How many bytes of a body are shown.
const BODY_SHOWN: usize = 2_000;

/// The description of the plan.
pub fn text(plan: &Plan, compiled: &Compiled) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", load(plan, compiled));
    let _ = writeln!(out, "{}", memory::about(&compiled.flow, &compiled.settings));
    mix(&mut out, plan, compiled);
    journey::bounds(&mut out, compiled);
    keys(&mut out, compiled);
    objectives(&mut out, compiled);
    requests(&mut out, plan, compiled);
    out
}

/// The schedule as text.
fn load(plan: &Plan, compiled: &Compiled) -> String {
    let (run, settings, flow) = (&plan.run, &compiled.settings, &compiled.flow);
    let users = settings.sessions;
    let mut words = match &settings.load {
        Load::Open(_) => {
            let when = match (&run.rate, &run.stages, &run.trace) {
                _ if run.rate_file.is_some() => {
                    let file = run.rate_file.as_deref().unwrap_or(Path::new(""));
                    format!("at the rates in {}", file.display())
                }
                (Some(rate), _, _) => {
                    let spread = match run.arrival.unwrap_or_default() {
                        Arrival::Uniform => "evenly spread",
                        Arrival::Poisson => "independently of each other",
                    };
                    format!("{rate}, {spread}")
                }
                (_, Some(stages), _) => format!("in stages: {stages}"),
                (_, _, trace) => {
                    format!("at the times in {}", trace.as_deref().unwrap_or_default())
                }
            };
            format!(
                "Open load: iterations begin {when}; at most {users} users are active at a time"
            )
        }
        Load::Closed(_) => {
            let start = match flow.start {
                Start::Together => String::new(),
                Start::Over(time) => {
                    format!(", which start one after the other over {}", time_words(time))
                }
                Start::Groups { size, every } => {
                    format!(", which start {size} at a time, every {}", time_words(every))
                }
            };
            let think =
                run.think.as_ref().map(|think| format!("; each pauses {think} between iterations"));
            let back_off = run
                .back_off
                .as_ref()
                .map(|time| format!("; each pauses {time} longer after a failed one"));
            let between = think.into_iter().chain(back_off).collect::<String>();
            let what = if flow.own.is_some() { "Loads of scenarios" } else { "Closed load" };
            format!("{what}: {users} virtual users{start}{between}")
        }
    };
    if settings.node.world > 1 {
        let _ = write!(words, "; this is node {} of {}", settings.node.rank, settings.node.world);
    }
    let _ = write!(words, ". {}", ending(compiled));
    if !settings.warm_up.is_zero() {
        let _ = write!(
            words,
            " The first {} are warm-up, which no figure includes.",
            time_words(settings.warm_up)
        );
    }
    words
}

fn ending(compiled: &Compiled) -> String {
    if compiled.flow.own.as_ref().is_some_and(|own| own.are_bounded()) {
        return "It ends when the loads of all scenarios have ended.".to_owned();
    }
    let mut ends = Vec::new();
    match &compiled.flow.iterations {
        Iterations::Endless => {}
        Iterations::Each(count) => {
            ends.push(format!("when each user has completed {count} iterations"));
        }
        Iterations::Shared(_) => ends.push("when all iterations are complete".to_owned()),
    }
    if matches!(compiled.flow.order, Order::Rounds(_)) {
        ends.push("when each user has completed its rounds".to_owned());
    }
    ends.extend(compiled.settings.stop.time.map(|time| format!("after {}", time_words(time))));
    if let Load::Open(schedule) = &compiled.settings.load {
        ends.extend(
            schedule.lasting().map(|time| format!("with its schedule, after {}", time_words(time))),
        );
    }
    match &ends[..] {
        [] => "It ends when interrupted.".to_owned(),
        ends => format!("It ends {}.", ends.join(", or ")),
    }
}

/// How the scenario of an iteration is chosen.
fn mix(out: &mut String, plan: &Plan, compiled: &Compiled) {
    let scenarios = &compiled.flow.scenarios;
    if let Some(own) = &compiled.flow.own {
        out.push_str("\nLoads:\n");
        let warm_up = compiled.settings.warm_up;
        return own_loads::lines(out, own, scenarios, &plan.scenario, warm_up);
    }
    out.push_str("\nMix:\n");
    match &compiled.flow.order {
        Order::Weights(weights) => {
            let sum: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
            for (scenario, weight) in scenarios.iter().zip(weights) {
                let share = f64::from(*weight) * 100.0 / sum.max(1) as f64;
                let _ = writeln!(out, "  {}: {share:.1} % of iterations", scenario.name);
            }
        }
        Order::Turns => {
            for scenario in scenarios {
                let _ = writeln!(
                    out,
                    "  {}: every {} iteration",
                    scenario.name,
                    ordinal(scenarios.len())
                );
            }
        }
        Order::Rounds(rounds) => {
            let totals = rounds.iter().flatten();
            let total = |number: usize| -> u64 {
                totals
                    .clone()
                    .filter(|repeat| repeat.scenario == number)
                    .map(|repeat| repeat.times)
                    .sum()
            };
            for (number, scenario) in scenarios.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "  {}: {} iterations of each user, in {} rounds",
                    scenario.name,
                    total(number),
                    rounds.len()
                );
            }
        }
    }
}

fn ordinal(number: usize) -> String {
    match number {
        1 => "single".to_owned(),
        2 => "2nd".to_owned(),
        3 => "3rd".to_owned(),
        other => format!("{other}th"),
    }
}

/// The keys, and how many signatures of each a core makes.
fn keys(out: &mut String, compiled: &Compiled) {
    if compiled.keys.is_empty() {
        return;
    }
    out.push_str("\nKeys:\n");
    for (name, algorithm) in &compiled.keys {
        let count = algorithm.signatures_per_second();
        let count = if count < 1_000_000 {
            format!("{} thousand", count / 1_000)
        } else {
            "a million".to_owned()
        };
        let _ = writeln!(out, "  {name}: {algorithm}, about {count} signatures a second per core");
    }
}

fn objectives(out: &mut String, compiled: &Compiled) {
    if !compiled.objectives.is_empty() {
        let texts: Vec<&str> = compiled.objectives.iter().map(Slo::text).collect();
        let _ = writeln!(out, "\nObjectives: {}", texts.join("; "));
    }
}

/// The requests of the first iteration of each scenario, as the first user would make them.
fn requests(out: &mut String, plan: &Plan, compiled: &Compiled) {
    let operations = &compiled.flow.operations;
    let requests = Requests { compiled, operations, sample: Sample::draw(&compiled.flow) };
    for why in &requests.sample.why {
        let _ = writeln!(out, "\nA request will fail to {why}.");
    }
    requests.around(
        out,
        "Before the load",
        plan.prepare.as_deref(),
        compiled.flow.prepare.as_deref(),
    );
    for (scenario, given) in compiled.flow.scenarios.iter().zip(&plan.scenario) {
        let _ = writeln!(
            out,
            "\nFirst requests of scenario {}, for user {}:",
            scenario.name,
            first_user(compiled)
        );
        let mut flat = scenario.steps.iter();
        requests.steps(out, &given.steps, &mut flat);
    }
    requests.around(
        out,
        "After the load",
        plan.clean_up.as_deref(),
        compiled.flow.clean_up.as_deref(),
    );
}

/// The first user of this node.
fn first_user(compiled: &Compiled) -> u32 {
    compiled.settings.node.first_session
}

fn pause_words(time: ThinkTime) -> String {
    match time {
        ThinkTime::None => "of nothing".to_owned(),
        ThinkTime::Constant(time) => time_words(time),
        ThinkTime::Uniform(least, most) => format!("{} to {}", time_words(least), time_words(most)),
        ThinkTime::Exponential(mean) => {
            format!("about {}, exponentially distributed", time_words(mean))
        }
        ThinkTime::Normal { mean, deviation } => {
            format!("{} give or take {}", time_words(mean), time_words(deviation))
        }
    }
}

/// Requests, with the values of the first iteration.
struct Requests<'a> {
    compiled: &'a Compiled,
    operations: &'a [String],
    sample: Sample,
}

impl Requests<'_> {
    /// The steps of a plan, each with what it was compiled to; those of groups between two lines.
    fn steps<'s>(
        &self,
        out: &mut String,
        given: &[model::Step],
        flat: &mut impl Iterator<Item = &'s Step>,
    ) {
        for step in given {
            if step.steps.is_empty() {
                match flat.find(|step| !matches!(step, Step::Control(_))) {
                    Some(Step::Pause(pause)) => {
                        let time = pause_words(pause.time);
                        let _ = writeln!(out, "\n-- {}: pause {time}", pause.name);
                    }
                    Some(Step::Exchange(act)) => self.act(out, act, Some(step)),
                    Some(Step::Control(_)) | None => {}
                }
                journey::branch(out, step);
                continue;
            }
            let name = step.name.as_deref().unwrap_or_default();
            let _ = writeln!(out, "\n== group {name}");
            journey::group(out, step, &mut *flat, &self.sample.values);
            self.steps(out, &step.steps, &mut *flat);
            let _ = writeln!(out, "\n== end of group {name}");
        }
    }

    /// What is done before the load or after it.
    fn around(
        &self,
        out: &mut String,
        when: &str,
        given: Option<&model::Around>,
        compiled: Option<&Around>,
    ) {
        let (Some(given), Some(compiled)) = (given, compiled) else { return };
        let who = match compiled.each {
            Each::Run if compiled.here => "once",
            Each::Run => "on the first node, not here",
            Each::Node => "once on each node",
            Each::User => "by each user",
        };
        let within = time_words(compiled.within);
        let _ = writeln!(out, "\n{when}, {who}, within {within}, in none of its figures:");
        let operations = &compiled.flow.operations;
        let own =
            Requests { compiled: self.compiled, operations, sample: Sample::draw(&compiled.flow) };
        for scenario in &compiled.flow.scenarios {
            own.steps(out, &given.steps, &mut scenario.steps.iter());
        }
    }

    fn act(&self, out: &mut String, act: &ExchangeStep, given: Option<&model::Step>) {
        let name = &self.operations[usize::from(act.operation)];
        let _ = writeln!(out, "\n-- {name}");
        if !act.needs.is_empty() {
            let names: Vec<&str> = act.needs.iter().map(|hole| self.name(*hole)).collect();
            let _ = writeln!(out, "   only with {}", names.join(", "));
        }
        match &act.payload {
            Payload::Http(http) => self.request(out, http),
            Payload::Dhcp(kind) => {
                let _ = writeln!(out, "DHCP: {}", format!("{kind:?}").to_lowercase());
            }
            Payload::Ldap(_) => {
                if let Some(step) = given.and_then(|step| step.ldap.as_ref()) {
                    self.ldap(out, step);
                }
            }
        }
        for check in &act.checks {
            let expected = brunt_redact::text(&check.expected(&self.sample.values));
            let _ = writeln!(out, "   must hold: {}", self.named(&expected));
        }
        for extract in &act.extracts {
            let expires = extract.expires.as_ref().map(|expiry| {
                let early = if expiry.early.is_zero() {
                    String::new()
                } else {
                    format!(", for conditions {} before that", time_words(expiry.early))
                };
                format!(", which expires after the seconds of {}{early}", expiry.of)
            });
            let (name, expires) = (self.name(extract.into), expires.unwrap_or_default());
            let _ = writeln!(out, "   kept as {name}: {}{expires}", extract.from);
        }
        if let Some(retry) = given.and_then(|step| step.retry.as_ref()) {
            let _ = writeln!(out, "   {}", journey::attempts(retry));
        }
        if let Some(step) = given.filter(|step| !step.pending.is_empty()) {
            for check in act.poll.iter().flat_map(|poll| &poll.pending) {
                let expected = brunt_redact::text(&check.expected(&self.sample.values));
                let _ = writeln!(out, "   not yet: {}", self.named(&expected));
            }
            journey::waits(out, step);
        }
        if act.reconnects {
            let _ = writeln!(out, "   over a new connection");
        }
        if let Some(threshold) = act.threshold {
            let _ = writeln!(out, "   exceeded beyond {}", time_words(threshold));
        }
        if let Some(patience) = act.timeout {
            let _ = writeln!(out, "   given up after {}", time_words(patience));
        }
    }

    fn request(&self, out: &mut String, http: &HttpExchange) {
        if let Some(step) = &http.page {
            self.page(out, step);
            return self.fields(out, http);
        }
        let url = self.filled(&http.url);
        let base = http.base_before(url.as_bytes()).map(|base| self.filled(base));
        let url = brunt_redact::url(&(base.unwrap_or_default() + &url));
        let _ = writeln!(out, "{} {}", http.method, self.named(&url));
        self.fields(out, http);
        self.body(out, http);
    }

    /// What is done with the last page.
    fn page(&self, out: &mut String, step: &PageStep) {
        let submit = match step {
            PageStep::Follow(selector) => {
                let _ = writeln!(out, "follow {selector}, the first such link of the last page");
                return;
            }
            PageStep::Submit(submit) => submit,
        };
        let _ = match &submit.form {
            Some(selector) => writeln!(out, "submit {selector}, a form of the last page"),
            None => writeln!(out, "submit the form of the last page"),
        };
        for (name, values) in &submit.fields {
            let name = self.named(&self.filled(name));
            for value in values {
                let value = if brunt_redact::is_secret_name(&name) {
                    HIDDEN.to_owned()
                } else {
                    self.named(&brunt_redact::text(&self.filled(value)))
                };
                let _ = writeln!(out, "   set {name}: {value}");
            }
        }
        if let Some(press) = &submit.press {
            let _ = writeln!(out, "   press {}", self.named(&self.filled(press)));
        }
    }

    fn fields(&self, out: &mut String, http: &HttpExchange) {
        for (name, value) in http.fields.iter().chain(&http.sealed) {
            let value = brunt_redact::header(name, &self.filled(value));
            let _ = writeln!(out, "{name}: {}", self.named(&value));
        }
        if http.dpop.is_some() {
            let _ = writeln!(out, "DPoP: {HIDDEN}");
        }
    }

    fn body(&self, out: &mut String, http: &HttpExchange) {
        match &http.body {
            Content::None => {}
            Content::Text(text) => self.text_body(out, text),
            Content::Json(json) => {
                self.text_body(out, &json.text);
                for (place, value) in &json.members {
                    let place = place.to_string();
                    let value = if secret_word(&place).is_some() {
                        HIDDEN.to_owned()
                    } else {
                        self.named(&brunt_redact::text(&self.filled(value)))
                    };
                    let _ = writeln!(out, "set {place}: {value}");
                }
            }
            Content::Fixed(body) => {
                let length = body.bytes().map_or(0, <[u8]>::len);
                let _ = writeln!(out, "\n({length} bytes of a file)");
            }
            Content::File(choice) => {
                let _ = writeln!(out, "\n({})", self.varying(choice));
            }
            Content::Upload(upload) => self.upload(out, upload),
        }
    }

    fn text_body(&self, out: &mut String, text: &Text) {
        let body = self.named(&brunt_redact::text(&self.filled(text)));
        let ends = (0..=BODY_SHOWN.min(body.len())).rev();
        let cut = ends.into_iter().find(|at| body.is_char_boundary(*at)).unwrap_or(0);
        let more = if cut < body.len() { " ..." } else { "" };
        let _ = writeln!(out, "\n{}{more}", &body[..cut]);
    }

    /// The parts of a form that may contain files.
    fn upload(&self, out: &mut String, upload: &Upload) {
        let shown = |text: &Text| self.named(&self.filled(text));
        let _ = writeln!(out, "Content-Type: {}", shown(&upload.content_type));
        let _ = writeln!(out);
        for part in &upload.parts {
            let name = shown(&part.name);
            let content = match &part.content {
                PartContent::Text(_) if brunt_redact::is_secret_name(&name) => HIDDEN.to_owned(),
                PartContent::Text(text) => self.named(&brunt_redact::text(&self.filled(text))),
                PartContent::File(bytes) => format!("({} bytes of a file)", bytes.len()),
                PartContent::Varying(choice) => format!("({})", self.varying(choice)),
            };
            let file = part.file.iter().map(|text| format!("; filename {}", shown(text)));
            let kind = part.content_type.iter().map(|text| format!("; {}", shown(text)));
            let more: String = file.chain(kind).collect();
            let _ = writeln!(out, "{name}: {content}{more}");
        }
    }

    /// A file whose name varies.
    fn varying(&self, choice: &FileChoice) -> String {
        let name = self.named(&self.filled(&choice.name));
        let (files, longest) = choice.extent();
        format!("{name}: one of {files} files, of at most {longest} bytes")
    }

    /// A step's directory operation, taken from the plan: after compilation it is only bytes.
    fn ldap(&self, out: &mut String, step: &LdapStep) {
        let mut step = step.clone();
        merged::hide_directory(&mut step);
        let text = toml::to_string(&step).unwrap_or_default();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("${") {
            let (inside, left) = after.split_once('}').unwrap_or((after, ""));
            let name = inside.split('|').next().unwrap_or_default().trim();
            let hole =
                self.compiled.flow.variables.iter().position(|variable| variable.name == name);
            let value = hole.map(|hole| {
                let text = Text::from_pieces([TextPiece::Hole(Hole(hole as u16), Escape::None)]);
                self.named(&self.filled(&text))
            });
            let _ = write!(out, "{before}{}", value.unwrap_or_default());
            rest = left;
        }
        out.push_str(rest);
    }

    fn name(&self, hole: Hole) -> &str {
        &self.compiled.flow.variables[usize::from(hole.0)].name
    }

    /// A text in which extracted values are shown by name.
    fn named(&self, text: &str) -> String {
        let variables = self.compiled.flow.variables.iter();
        let of_answer = |variable: &&Variable| variable.source.is_known_late();
        let brought = variables.filter(of_answer);
        brought.fold(text.to_owned(), |text, Variable { name, .. }| {
            text.replace(&format!("${{{name}}}"), &format!("<{name}>"))
        })
    }

    /// A text with the values of the first iteration; secrets are not shown. An extracted value is shown as its
    /// variable, which is never a secret.
    fn filled(&self, text: &Text) -> String {
        let mut out = Vec::new();
        for piece in text.pieces() {
            match piece {
                TextPiece::Literal(bytes) => out.extend_from_slice(bytes),
                TextPiece::Hole(hole, escape) => {
                    let variable = &self.compiled.flow.variables[usize::from(hole.0)];
                    let start = out.len();
                    match self.sample.values.value(*hole) {
                        Some(value) if is_brought(variable, value) => {
                            out.extend_from_slice(value);
                        }
                        _ if self.sample.values.is_hidden(*hole) => {
                            out.extend_from_slice(HIDDEN.as_bytes());
                        }
                        Some(value) => {
                            out.extend_from_slice(value);
                            escape.apply(&mut out, start);
                        }
                        None if self.sample.lacking.contains(hole) => {
                            out.extend_from_slice(
                                format!("<{}: no row left>", variable.name).as_bytes(),
                            );
                        }
                        None => out.extend_from_slice(format!("<{}>", variable.name).as_bytes()),
                    }
                }
            }
        }
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// Whether the value of a variable is known only when an answer has come.
fn is_brought(variable: &Variable, value: &[u8]) -> bool {
    match variable.source {
        Source::Answer => true,
        _ if variable.source.is_known_late() => {
            value == format!("${{{}}}", variable.name).as_bytes()
        }
        _ => false,
    }
}
