//! A plan as readable lines: what each step sends, keeps and checks, the load, the objectives and the values, each with
//! the form that changes it.
//!
//! The lines are a view of the text. What they leave out is in the forms.

use serde::Serialize;
use toml::{Table, Value};

use super::form::{Node, form};
use super::load::{Load, load};
use super::outline::{self, step_label};
use super::shape::Shapes;
use super::{Part, whole};

/// The most steps whose forms are made; further ones are changed in the text.
const FORMS_MAX: usize = 100;
/// How deep groups are shown.
const DEEPEST: usize = 6;
/// The most characters of a value in a line.
const SHOWN: usize = 120;
/// The keys of a check that define how a value is compared, with their words.
const COMPARED: [(&str, &str); 6] = [
    ("equals", "is"),
    ("contains", "contains"),
    ("matches", "matches"),
    ("between", "is in"),
    ("count", "occurs"),
    ("size", "has bytes"),
];

/// A plan as readable lines.
#[derive(Clone, Debug, Serialize)]
pub struct Sheet {
    /// The scenarios, each with its steps.
    pub scenarios: Vec<Scenario>,
    /// The load.
    pub load: Load,
    /// The objectives, as the plan writes them.
    pub objectives: Vec<String>,
    /// The variables.
    pub values: Vec<Line>,
    /// All other parts, whose labels say what they are.
    pub rest: Vec<Line>,
}

/// A scenario.
#[derive(Clone, Debug, Serialize)]
pub struct Scenario {
    /// The scenario itself.
    pub line: Line,
    /// Its steps, each group followed by its own.
    pub steps: Vec<Line>,
}

/// A part of a plan in a line or two.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Line {
    /// Its path.
    pub path: Vec<Part>,
    /// Its name.
    pub name: String,
    /// The method of a request, or the kind of another step.
    pub act: String,
    /// What the act is performed on: a path, a base, a time.
    pub on: String,
    /// What it sends, keeps and checks.
    pub does: String,
    /// How many groups contain it.
    pub depth: usize,
    /// How many elements the list has that contains it.
    pub of: usize,
    /// Whether it is only a pause.
    pub pauses: bool,
    /// The form that changes it.
    pub form: Option<Node>,
    /// Its keys as TOML, to be kept and inserted elsewhere.
    pub own: String,
}

/// The lines of a plan.
pub(super) fn sheet(shapes: &Shapes, values: &Value) -> Sheet {
    let key = |key: &str| Part::Key(key.to_owned());
    let mut reading = Reading { shapes, values, kept: Vec::new(), forms: 0 };
    let scenarios = values.get("scenario").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let scenario = |(number, scenario): (usize, &Value)| {
        let path = vec![key("scenario"), Part::Index(number)];
        let name = scenario.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut steps = Vec::new();
        reading.steps(scenario, &path, 0, &mut steps);
        let form = Some(form(shapes, values, &path));
        let line = Line { path, name, of: scenarios.len(), form, ..Line::default() };
        Scenario { line, steps }
    };
    let scenarios = scenarios.iter().enumerate().map(scenario).collect();
    let objectives = values.get("objectives").and_then(Value::as_array).into_iter().flatten();
    let variables = values.get("variables").and_then(Value::as_table);
    let value = |(name, value): (&String, &Value)| {
        let path = vec![key("variables"), key(name)];
        let form = Some(form(shapes, values, &path));
        Line { path, name: name.clone(), does: value_words(value), form, ..Line::default() }
    };
    Sheet {
        scenarios,
        load: load(values),
        objectives: objectives.filter_map(Value::as_str).map(str::to_owned).collect(),
        values: variables.into_iter().flatten().map(value).collect(),
        rest: rest(shapes, values),
    }
}

/// The parts that have no lines of their own, and the whole plan.
fn rest(shapes: &Shapes, values: &Value) -> Vec<Line> {
    let parts = outline::outline(values).into_iter().filter(|entry| {
        entry.level < 2 && !matches!(entry.path.first(), Some(Part::Key(key)) if key == "scenario")
    });
    let line = |entry: outline::Entry| {
        let form = Some(form(shapes, values, &entry.path));
        Line { path: entry.path, name: entry.label, form, ..Line::default() }
    };
    parts.map(line).collect()
}

struct Reading<'a> {
    shapes: &'a Shapes,
    values: &'a Value,
    /// The names of the values that earlier steps keep.
    kept: Vec<String>,
    forms: usize,
}

impl Reading<'_> {
    fn steps(&mut self, of: &Value, path: &[Part], depth: usize, all: &mut Vec<Line>) {
        let steps = of.get("steps").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (number, step) in steps.iter().enumerate() {
            let path = [path, &[Part::Key("steps".to_owned()), Part::Index(number)]].concat();
            let line = self.step(step, path.clone(), (depth, steps.len()));
            all.push(line);
            if depth < DEEPEST {
                self.steps(step, &path, depth + 1, all);
            }
        }
    }

    fn step(&mut self, step: &Value, path: Vec<Part>, (depth, of): (usize, usize)) -> Line {
        let nothing = Table::new();
        let table = step.as_table().unwrap_or(&nothing);
        let (act, on) = act(table);
        self.forms += 1;
        let form = (self.forms <= FORMS_MAX).then(|| form(self.shapes, self.values, &path));
        let own = whole::at(self.values, &path).and_then(|own| toml::to_string(own).ok());
        Line {
            name: step_label(step),
            does: self.does(table),
            pauses: table.contains_key("pause") && table.len() == 1,
            own: own.unwrap_or_default(),
            path,
            act,
            on,
            depth,
            of,
            form,
        }
    }

    /// What a step sends, keeps and checks.
    fn does(&mut self, step: &Table) -> String {
        let text = |key: &str| step.get(key).map(words);
        let mut all = Vec::new();
        if let Some(user) = step.get("basic").and_then(|basic| basic.get("user")) {
            all.push(format!("as {}", words(user)));
        }
        let sent = if step.contains_key("steps") {
            String::new()
        } else {
            Value::from(step.clone()).to_string()
        };
        let sent: Vec<&str> = self
            .kept
            .iter()
            .filter(|name| sent.contains(&format!("${{{name}}}")))
            .map(String::as_str)
            .collect();
        if !sent.is_empty() {
            all.push(format!("sends {}", sent.join(", ")));
        }
        for (key, message) in BODIES {
            all.extend(step.get(key).map(|_| message.to_owned()));
        }
        for (name, place) in step.get("extract").and_then(Value::as_table).into_iter().flatten() {
            all.push(format!("keeps {name} from {}", first_text(place)));
            self.kept.push(name.clone());
        }
        let checks = step.get("checks").and_then(Value::as_array).into_iter().flatten();
        all.extend(checks.filter_map(Value::as_table).map(check_words));
        all.extend(text("status").map(|status| format!("accepts {status}")));
        all.extend(text("threshold").map(|time| format!("too slow above {time}")));
        for (key, message) in FURTHER {
            all.extend(step.get(key).map(|_| message.to_owned()));
        }
        all.join("; ")
    }
}

/// What a step may have, in words.
const BODIES: [(&str, &str); 4] = [
    ("json", "with a JSON body"),
    ("form", "with fields of a form"),
    ("text", "with a text body"),
    ("body-file", "with a file as its body"),
];
const FURTHER: [(&str, &str); 6] = [
    ("when", "only under a condition"),
    ("choose", "one of its steps"),
    ("repeat", "several times"),
    ("parallel", "at once"),
    ("retry", "tries again after a failure"),
    ("pending", "asks again while the answer is pending"),
];

/// The method of a request and its path, or the kind of another step and what it is about.
fn act(step: &Table) -> (String, String) {
    let text = |key: &str| step.get(key).map(words).unwrap_or_default();
    for key in outline::REQUESTS {
        if step.contains_key(key) {
            let method = if key == "url" { text("method") } else { key.to_owned() };
            return (method.to_uppercase(), text(key));
        }
    }
    for key in ["submit", "follow", "pause"] {
        if step.contains_key(key) {
            return (key.to_owned(), text(key));
        }
    }
    if let Some(Value::Array(steps)) = step.get("steps") {
        return ("group".to_owned(), format!("{} steps", steps.len()));
    }
    let of_table = |key: &str| step.get(key).and_then(Value::as_table)?.iter().next();
    if let Some((kind, value)) = of_table("ldap") {
        return (kind.clone(), first_text(value));
    }
    let dhcp = step.get("dhcp").map(first_text).unwrap_or_default();
    (if dhcp.is_empty() { String::new() } else { "dhcp".to_owned() }, dhcp)
}

fn check_words(check: &Table) -> String {
    let compared =
        COMPARED.iter().find_map(|(key, message)| Some((key, message, check.get(*key)?)));
    let is_subject = |key: &str| COMPARED.iter().all(|(other, _)| *other != key) && key != "not";
    let subject = check.iter().find(|(key, _)| is_subject(key));
    let subject = subject.map_or_else(String::new, |(key, value)| match value {
        Value::Boolean(_) => key.clone(),
        value => words(value),
    });
    let not = if check.contains_key("not") { "not " } else { "" };
    match compared {
        Some((_, message, value)) => {
            format!("checks {not}that {subject} {message} {}", words(value))
        }
        None => format!("checks {not}for {subject}"),
    }
}

/// Where the values of a variable come from.
fn value_words(value: &Value) -> String {
    let Value::Table(source) = value else { return words(value) };
    let text = |key: &str| source.get(key).map(words);
    if let Some(range) = text("random") {
        return format!("a random number of {}", range.replace("..", " to "));
    }
    if let Some(name) = text("env") {
        return format!("the setting or secret {name} of the target");
    }
    if let Some(from) = text("count") {
        return format!("numbers counted from {from}");
    }
    if let Some(file) = text("file") {
        return format!("the content of {file}");
    }
    words(value)
}

/// The first text in a value.
fn first_text(value: &Value) -> String {
    match value {
        Value::Table(table) => table.values().next().map(first_text).unwrap_or_default(),
        Value::Array(list) => list.first().map(first_text).unwrap_or_default(),
        value => words(value),
    }
}

/// A value in a line; a long one is cut off.
fn words(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.replace('\n', " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet_of(text: &str) -> Sheet {
        sheet(&Shapes::of_plans(), &Value::Table(toml::from_str(text).unwrap()))
    }

    #[test]
    fn sheet_describes_what_a_step_sends_keeps_and_checks() {
        let sheet = sheet_of(
            r#"
            [[scenario]]
            [[scenario.steps]]
            name = "log-in"
            post = "/login"
            basic = { user = "ada", password = "x" }
            extract = { token = { json = "/tokenId", missing = "fail" } }
            [[scenario.steps]]
            pause = "500ms"
            [[scenario.steps]]
            get = "/me"
            headers = { Session = "${token}" }
            checks = [{ json = "/username", equals = "ada" }]
            threshold = "50ms"
        "#,
        );
        let steps = &sheet.scenarios[0].steps;
        let line =
            |at: usize| (steps[at].act.as_str(), steps[at].on.as_str(), steps[at].does.as_str());
        assert_eq!(line(0), ("POST", "/login", "as ada; keeps token from /tokenId"));
        assert_eq!(line(1), ("pause", "500ms", ""));
        assert!(steps[1].pauses && steps[2].of == 3);
        let does = "sends token; checks that /username is ada; too slow above 50ms";
        assert_eq!(line(2), ("GET", "/me", does));
    }

    #[test]
    fn sheet_recognizes_the_shape_of_a_load() {
        for (run, shape, field, value) in [
            ("rate = \"200/s\"\nduration = \"5m\"", "constant", "rate", "200"),
            ("stages = \"ramp 0..200 over 30s, 200/s for 5m\"", "ramp", "hold", "5m"),
            ("stages = \"10/s for 1m, 90/s for 5s, 10/s for 1m\"", "spike", "peak", "90"),
            ("stages = \"10/s for 1m, 20/s for 1m, 30/s for 1m\"", "steps", "steps", "3"),
            ("stages = \"ramp 5..9 over 1m\"", "other", "stages", "ramp 5..9 over 1m"),
            ("users = 7\nduration = \"30s\"\nthink = \"1s\"", "people", "think", "1s"),
            ("users = 7\niterations = { each = 3 }", "other", "users", "7"),
            ("rate = \"fast\"", "other", "stages", ""),
        ] {
            let load = sheet_of(&format!("[run]\n{run}")).load;
            assert_eq!((load.shape, load.fields[field].as_str()), (shape, value), "{run}");
        }
        let load = sheet_of("[run]\nstages = \"ramp 0..200 over 30s, 200/s for 5m\"").load;
        assert_eq!(load.points, [(0.0, 0.0), (30.0, 200.0), (30.0, 200.0), (330.0, 200.0)]);
        assert!((load.steady - 30.0).abs() < 1e-9);
    }
}
