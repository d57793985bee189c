//! The page of a plan: its lines or its text, what it will do, and the buttons that save and run it.
//!
//! It works by forms alone: every button sends all fields, and what is not saved is kept as a draft. A script sends the
//! form while it is edited, and puts what changed into the page.

use brunt_envelope::{Checked, Finding, LoadFigures, PathPart};
use brunt_report::figure::thousands;
use maud::{Markup, html};

use super::applied::{Applied, applied, label};
use super::draft::refusal;
use super::field::{Fields, id};
use super::sheet::{NoSheet, Sheet, name};
use super::typed::{FieldError, Typed};
use super::visits::Visits;
use super::{check_with, load, objective, text};
use crate::auth::Role;
use crate::call::{Answer, Call};
use crate::moment::clock;
use crate::pages::form::{AREA, Area, Form, Input, Script, TEXT};
use crate::pages::submission::{named, offered, open_targets};
use crate::pages::test::{Tab, of_plan, test_page};
use crate::pages::thresholds::difference;
use crate::pages::{agents_field, figure, find, moment_of, page as whole};
use crate::problem::{Problem, sentence};
use crate::store::{Draft, Plan, Target};

/// `GET /plans/{id}`.
pub(crate) fn page(call: &Call) -> Result<Answer, Problem> {
    let plan = named(call)?;
    shown(call, &plan, Editor::new(call, &plan)?)
}

/// The page after the plan was tried once, with what was sent and answered.
pub(super) fn tried(call: &Call, plan: &Plan, output: &str) -> Result<Answer, Problem> {
    shown(call, plan, Editor { tried: Some(output), ..Editor::new(call, plan)? })
}

/// The page with the tab of the plan.
fn shown(call: &Call, plan: &Plan, editor: Editor<'_>) -> Result<Answer, Problem> {
    // Before the form itself, which shows a reason only if no field of it does.
    let settings = editor.settings()?;
    let content = editor.content(&settings)?;
    let unsaved = editor.tried.is_some() && editor.is_unsaved();
    let form = editor.form.unsaved(editor.draft.is_some() || unsaved);
    let content = html! {
        (form.whole("plan", Script::Plan, &content))
        @if editor.runs { (find::form(call, plan)?) }
    };
    let body = test_page(call, &of_plan(call, plan.id)?, Tab::Plan, &content)?;
    Ok(Answer::page(whole(call, &plan.name, &body)))
}

struct Editor<'a> {
    call: &'a Call,
    plan: &'a Plan,
    form: Form<'a>,
    applied: Applied,
    /// The revision that was edited, if there is a draft.
    draft: Option<i64>,
    checked: Checked,
    targets: Vec<Target>,
    /// Whether the person may change and run the plan.
    runs: bool,
    is_text: bool,
    /// What was sent and answered when the plan was tried.
    tried: Option<&'a str>,
}

impl<'a> Editor<'a> {
    fn new(call: &'a Call, plan: &'a Plan) -> Result<Self, Problem> {
        let path = format!("/plans/{}", plan.id);
        let form = Form::new(call, path.as_str()).also(&format!("{path}/run"));
        let form = form.also(&format!("{path}/thresholds")).also(&format!("{path}/draft"));
        let form = form.also(&format!("{path}/once"));
        let form = form.owning("edit");
        let runs = call.who()?.user.role >= Role::Runner;
        let targets = targets(call, plan)?;
        // A form that is sent by itself runs the saved text.
        let sent = call.form.iter().any(|(name, _)| name == "text");
        let draft = call.app.store.draft(call.who()?.user.id, plan.id)?.filter(|_| runs && !sent);
        let (base, typed) = match &draft {
            Some(Draft { text, typed, .. }) => (text.clone(), Typed::kept(typed)),
            None if sent => (text(call)?, Typed::from_call(call)),
            None => (plan.text.clone(), Typed::default()),
        };
        // Without a child there is still a text to be edited.
        let mut applied = applied(&call.app, &base, &typed).unwrap_or_else(|problem| Applied {
            text: base,
            sheet: Err(NoSheet(problem.detail)),
            faults: Vec::new(),
            left: typed,
            written: Vec::new(),
        });
        let checked = check_with(call, plan.id, &applied.text, (targets.first(), ""));
        let checked = checked.unwrap_or_else(|problem| {
            let finding = Finding { text: problem.detail, ..Finding::default() };
            Checked { findings: vec![finding], ..Checked::default() }
        });
        let sheet = applied.sheet.as_ref().ok();
        let found: Vec<FieldError> =
            checked.findings.iter().filter_map(|finding| fault_of(finding, sheet)).collect();
        applied.faults.extend(found);
        let view = if sent { call.field("view") } else { call.query("view") };
        let is_text = view == "text" || applied.sheet.is_err();
        let draft = draft.map(|draft| draft.revision);
        Ok(Self { call, plan, form, applied, draft, checked, targets, runs, is_text, tried: None })
    }

    fn is_unsaved(&self) -> bool {
        self.applied.text != self.plan.text || !self.applied.left.is_empty()
    }

    fn content(&self, settings: &Markup) -> Result<Markup, Problem> {
        let plan = self.plan;
        // A plan that another user saved meanwhile is not overwritten.
        let after = self.draft.unwrap_or(plan.revision);
        Ok(html! {
            input type="hidden" name="after" value=(after);
            input type="hidden" name="view" value=(if self.is_text { "text" } else { "form" });
            div.top {
                div.head-of { (self.state()) (self.acts()) }
                div #faults data-live { (self.alert()) }
            }
            (import_notes(plan))
            div.edit {
                div { @match (&self.applied.sheet, self.is_text) {
                    (Ok(sheet), false) => (self.lines(sheet)?),
                    (sheet, _) => (self.source(sheet)),
                } }
                aside.look aria-label="Preview" {
                    @if let Some(output) = self.tried {
                        section #tried tabindex="-1" autofocus {
                            h2 { "Tried once" }
                            pre tabindex="0" { (output) }
                        }
                    }
                    div #checked data-live aria-live="polite" { (self.preview()) }
                    (settings)
                }
            }
        })
    }

    /// Which revision it is, and what is not saved.
    fn state(&self) -> Markup {
        let plan = self.plan;
        html! {
            p.meta #state data-live {
                "Revision " (plan.revision) ", saved " (moment_of(plan.at)) " by " (plan.by) "; "
                @if self.is_unsaved() {
                    b { "changed and not saved" } ", "
                    a href="#difference" { "see the difference" }
                } @else {
                    a href={ "/plans/" (plan.id) "/revisions" } { "all revisions" }
                }
            }
        }
    }

    /// The buttons that are always in sight.
    fn acts(&self) -> Markup {
        let (path, draft) = (format!("/plans/{}", self.plan.id), self.draft_path());
        let view = |word: &str, words: &str, on: bool| {
            html! {
                @if self.runs {
                    button class=[on.then_some("on")] name="do" value=(word) formaction=(draft) formnovalidate
                        aria-pressed=(if on { "true" } else { "false" }) { (words) }
                } @else {
                    a class=[on.then_some("on")] href={ "?view=" (word) }
                        aria-current=[on.then_some("page")] { (words) }
                }
            }
        };
        html! {
            div.acts.save {
                span.seg role="group" aria-label="View" {
                    (view("form", "Form", !self.is_text)) (view("text", "Text", self.is_text))
                }
                @if self.runs {
                    @if !self.targets.is_empty() { (self.target()) }
                    button name="do" value="undo" formaction=(draft) formnovalidate
                        disabled[self.draft.is_none()] { "Undo" }
                    button { "Save" }
                    @if !self.targets.is_empty() {
                        button.main name="save" value="1" formaction={ (path) "/run" } { "Save and run" }
                    }
                }
            }
        }
    }

    /// The target, with that of the last run first.
    fn target(&self) -> Markup {
        let last = self.call.app.store.last_target(self.plan.id).ok().flatten();
        let mut offered = offered(&self.targets);
        for (target, (_, words)) in self.targets.iter().zip(&mut offered) {
            if Some(target.id) == last {
                *words = format!("{} (last used)", target.name);
            }
        }
        self.form.bare_choice("target", "Target", &offered, self.call.query("target"))
    }

    fn draft_path(&self) -> String {
        format!("/plans/{}/draft", self.plan.id)
    }

    /// What needs a correction, in a line that leads to the fields.
    fn alert(&self) -> Markup {
        let faults = self.blocking();
        let refused = self.call.refused.as_deref().filter(|_| self.form.is_refused());
        let is_of_fields =
            refused.is_some_and(|refused| refused.problem.title == refusal(1, "").title);
        let is_shown = !faults.is_empty() && (is_of_fields || !self.applied.left.is_empty());
        if is_shown && let Some(refused) = refused {
            refused.mark_shown();
        }
        html! {
            @if is_shown {
                div.warning.bad role="alert" tabindex="-1" autofocus[refused.is_some()] {
                    p {
                        strong {
                            "Not saved: "
                            @match faults.len() {
                                1 => "one field needs a correction.",
                                count => { (count) " fields need a correction." }
                            }
                        }
                        " What you typed is kept."
                    }
                    ul.plain { @for fault in &faults { li { (self.link(fault)) } } }
                }
            }
        }
    }

    /// The faults because of which the plan is not saved: values that were typed. What is wrong with it otherwise is in
    /// the preview.
    fn blocking(&self) -> Vec<&FieldError> {
        let Applied { faults, left, written, .. } = &self.applied;
        let is_typed = |fault: &&FieldError| left.of_field(&fault.field).is_some();
        let typed: Vec<&FieldError> = faults.iter().filter(is_typed).collect();
        if !typed.is_empty() {
            return typed;
        }
        let is_load = |field: &str| {
            field.starts_with("[\"run\"") && written.iter().any(|one| one == "load.shape")
        };
        faults
            .iter()
            .filter(|fault| written.contains(&fault.field) || is_load(&fault.field))
            .collect()
    }

    fn link(&self, fault: &FieldError) -> Markup {
        let address =
            if self.is_text { "#text".to_owned() } else { format!("#{}", id(&fault.field)) };
        html! { a href=(address) { (fault.label) } ": " (fault.why) }
    }

    /// The plan as readable lines.
    fn lines(&self, sheet: &Sheet) -> Result<Markup, Problem> {
        let faults = &self.applied.faults;
        let fields = Fields {
            typed: &self.applied.left,
            faults,
            readonly: !self.runs,
            draft: self.draft_path(),
        };
        let library = if self.runs { self.call.app.store.steps()? } else { Vec::new() };
        let open = self.call.query("open");
        let visits = Visits { fields: &fields, open, library: &library };
        Ok(html! {
            textarea id="text" name="text" hidden aria-label="Text of the plan" { "\n" (self.applied.text) }
            section.part { (visits.part(sheet)) }
            section.part { (load::part(&sheet.load, &fields)) }
            section.part {
                h2 { "What is good enough" }
                (objective::list(sheet, &fields))
                @if self.runs {
                    p.acts {
                        select name="objective" aria-label="Kind of objective" {
                            option value="time" { "a time of answers" }
                            option value="errors" { "a share of failures" }
                        }
                        (fields.button("objective", "Add an objective", None))
                        button.plain formaction={ "/plans/" (self.plan.id) "/thresholds" } {
                            "Find thresholds with one user"
                        }
                    }
                }
            }
            section.part { (visits.values(sheet)) }
            section.part { (visits.rest(sheet)) }
            (self.unsaved())
            datalist id="names" { @for value in &sheet.values { option value={ "${" (value.name) "}" } {} } }
        })
    }

    /// The plan as text.
    fn source(&self, sheet: &Result<Sheet, NoSheet>) -> Markup {
        let text = &self.applied.text;
        let rows = text.lines().count().clamp(12, 40);
        let area = Area { rows, value: text, is_code: true, readonly: !self.runs, ..AREA };
        html! {
            @if let Err(why) = sheet {
                p.missed { "The form cannot be shown because the text has an error: " (why) "." }
            }
            div #source { (self.form.area_of("text", "Plan (TOML)", area)) }
            (self.unsaved())
        }
    }

    /// What is not saved, line by line.
    fn unsaved(&self) -> Markup {
        html! {
            div #changes data-live {
                @if self.is_unsaved() {
                    details #difference {
                        summary { "What is changed and not saved" }
                        (difference(&self.plan.text, &self.applied.text))
                        @if self.runs {
                            button.danger name="do" value="discard" formaction=(self.draft_path()) formnovalidate {
                                "Back to the saved revision"
                            }
                        }
                    }
                }
            }
        }
    }

    /// What is wrong with a plan, or what it will do.
    fn preview(&self) -> Markup {
        let Checked { findings, notes, preview, .. } = &self.checked;
        let name = self.targets.first().map(|target| target.name.as_str());
        html! {
            @if findings.is_empty() {
                p.met {
                    "The plan can be run."
                    @if let Some(name) = name { " " (name) " permits it." }
                }
            } @else {
                p.missed { "The plan cannot be run yet:" }
                ul.plain { @for finding in findings { li { (self.found(finding)) } } }
            }
            @if let Some(load) = &self.checked.load { p { (amount(load)) } }
            @for note in notes { p.note { (note) } }
            @if !preview.is_empty() { pre tabindex="0" { (preview) } }
        }
    }

    fn found(&self, finding: &Finding) -> Markup {
        let has_field = !self.is_text && !finding.path.is_empty();
        let sheet = self.applied.sheet.as_ref().ok();
        html! {
            @if let Some(line) = finding.line {
                @if self.is_text { a href="#text" data-line=(line) { "Line " (line) } ": " }
                @else { "Line " (line) ": " }
            }
            @if !finding.field.is_empty() {
                @if has_field {
                    a href={ "#" (id(&field_of(finding, sheet))) } { code { (finding.field) } }
                } @else { code { (finding.field) } }
                " "
            }
            (finding.text)
        }
    }

    /// The settings of a run. They belong to the form of the plan, so that a run which is not accepted does not lose
    /// the text.
    fn settings(&self) -> Result<Markup, Problem> {
        if !self.runs {
            return readers(self.call);
        }
        let waiting = self.call.app.queue()?.ahead();
        let form = &self.form;
        let kept = |name: &str| self.call.query(name);
        let is_kept = ["tags", "commit"].iter().any(|name| !kept(name).is_empty());
        let is_open = is_kept || form.is_refused() && self.applied.faults.is_empty();
        let text = |name: &str| Input { value: kept(name), ..TEXT };
        Ok(html! {
            section id="run" {
                @if self.targets.is_empty() {
                    p {
                        "No target is available for runs. "
                        a href="/targets" { "An administrator can list one" } "."
                    }
                } @else {
                    p.note { @match waiting {
                        0 => "A run starts immediately.",
                        1 => "One run is ahead in the queue.",
                        count => { (count) " runs are ahead in the queue." }
                    } }
                    @if self.targets.iter().any(|target| target.production) {
                        (form.input("sure", "For a production target: type its name", TEXT))
                    }
                    (form.input("duration", "Duration, such as 30s; if empty, that of the plan", text("duration")))
                    details open[is_open] {
                        summary { "Tags and commit of the run" }
                        (agents_field::form(self.call, form, None))
                        (form.input("tags", "Tags, separated by commas", text("tags")))
                        (form.input("commit", "Commit that is tested", Input { is_word: true, ..text("commit") }))
                    }
                    p.note #of-once {
                        "Trying it once sends what is typed here, by one user and without load, and shows each request \
                         and answer. The plan stays as it is."
                    }
                    div.acts {
                        button formaction={ "/plans/" (self.plan.id) "/run" } data-saved { "Run the saved revision" }
                        button formaction={ "/plans/" (self.plan.id) "/once" } aria-describedby="of-once" {
                            "Try it once"
                        }
                    }
                }
            }
        })
    }
}

/// The targets that can be used, with that of the last run first.
fn targets(call: &Call, plan: &Plan) -> Result<Vec<Target>, Problem> {
    let mut targets = open_targets(call)?;
    let last = call.app.store.last_target(plan.id)?;
    let chosen =
        [call.field("target"), call.query("target")].into_iter().find_map(|id| id.parse().ok());
    let first = chosen.or(last);
    targets.sort_by_key(|target| Some(target.id) != first);
    Ok(targets)
}

/// A finding as a fault of its field; none if no part of the text has it.
fn fault_of(finding: &Finding, sheet: Option<&Sheet>) -> Option<FieldError> {
    let field = Some(field_of(finding, sheet)).filter(|_| !finding.path.is_empty())?;
    let (label, why) = (label(&finding.path), sentence(&finding.text));
    Some(FieldError { field, label, why, likely: Vec::new() })
}

/// The field of a finding: objectives have sentences in place of a field for their text.
fn field_of(finding: &Finding, sheet: Option<&Sheet>) -> String {
    if let [PathPart::Key(key), PathPart::Index(number)] = &finding.path[..]
        && key == "objectives"
        && let Some(text) = sheet.and_then(|sheet| sheet.objectives.get(*number))
    {
        return objective::first_field(*number, text);
    }
    name(&finding.path)
}

/// How much a load is, in a sentence. A rate may be lower at times, so the number of requests is at most this.
fn amount(load: &LoadFigures) -> String {
    let users = thousands(load.users.into());
    match (load.exchanges, load.seconds) {
        (Some(rate), Some(seconds)) => format!(
            "At most {} requests in {}: up to {} a second, by at most {users} users at a time.",
            thousands((rate * seconds).round() as u64),
            clock(seconds),
            figure(Some(rate)),
        ),
        (Some(rate), None) => {
            format!(
                "Up to {} requests a second, by at most {users} users at a time.",
                figure(Some(rate))
            )
        }
        (None, Some(seconds)) => format!("{users} users at a time, for {}.", clock(seconds)),
        (None, None) => format!("{users} users at a time."),
    }
}

/// The notes that an import made for this revision.
fn import_notes(plan: &Plan) -> Markup {
    html! {
        @if !plan.note.is_empty() {
            details.told open {
                summary { "What the import guessed or left out" }
                ul.plain { @for line in plan.note.lines() { li { (line) } } }
            }
        }
    }
}

/// The note for users who may not run the plan.
fn readers(call: &Call) -> Result<Markup, Problem> {
    let (has, needs) = (call.who()?.user.role.word(), Role::Runner.word());
    Ok(html! {
        section id="run" {
            h2 { "Run it" }
            p {
                "Your role is " (has) ". To change or run this plan, or to find the highest rate that a target can \
                 sustain, you need the role " (needs) ". An administrator of this site can change your role."
            }
        }
    })
}
