//! How many visits there are: a sentence for each of the usual shapes, and the changes of the plan that it means.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::{Value, json};

use super::field::Fields;
use super::sheet::Load;
use super::typed::{FieldError, Typed};
use super::{shape, time};

/// The shapes: their word in forms and their name. The last one is offered only if it is the plan's.
const SHAPES: [(&str, &str); 7] = [
    ("constant", "Constant"),
    ("ramp", "Ramp"),
    ("spike", "Spike"),
    ("steps", "Steps"),
    ("soak", "Soak"),
    ("people", "People"),
    ("other", "As written"),
];
/// The fields of each shape, in the order of its sentence.
const FIELDS: [(&str, &[&str]); 7] = [
    ("constant", &["rate", "hold", "users"]),
    ("ramp", &["rate", "ramp", "hold", "users"]),
    ("spike", &["rate", "hold", "peak", "spike", "users"]),
    ("steps", &["from", "to", "steps", "each", "users"]),
    ("soak", &["rate", "hold", "users"]),
    ("people", &["users", "hold", "think"]),
    ("other", &["stages"]),
];
/// The keys of a closed load, and of an open one, which the other does not have.
const CLOSED: &[&str] = &["think", "back-off", "ramp-up", "groups", "iterations", "rounds"];
const OPEN: &[&str] = &["rate", "stages", "arrival", "backlog", "trace", "rate-file"];
/// A constant load that lasts longer is a soak test.
const SOAK_S: f64 = 3_600.0;
/// The most steps of a load that are written.
const STEPS_MAX: u32 = 50;

/// The shape of a load as forms name it.
fn shape_of(load: &Load) -> &str {
    let hold = load.fields.get("hold").map(|hold| time::seconds(hold));
    match load.shape.as_str() {
        "constant" if hold.is_some_and(|hold| hold >= SOAK_S) => "soak",
        shape => shape,
    }
}

/// What a field of a shape has before anything is typed: that of the plan, or what follows from it.
fn drawn(load: &Load, of: &str, name: &str) -> String {
    let own = load.fields.get(name).filter(|_| of == shape_of(load) || name == "users");
    let peak = load.points.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let peak = if load.shape == "people" || peak <= 0.0 { 10.0 } else { peak };
    let is_time = matches!(name, "hold" | "ramp" | "spike" | "each" | "think");
    if let Some(text) = own {
        return if is_time { time::pretty(text) } else { text.clone() };
    }
    let number = |number: f64| format!("{}", (number * 1e3).round() / 1e3);
    match name {
        "rate" if of == "spike" => number(peak / 5.0),
        "rate" | "to" | "peak" => number(peak),
        "from" => number(peak / 5.0),
        "steps" => "5".to_owned(),
        "users" if of == "people" => "10".to_owned(),
        "ramp" | "spike" => "30 s".to_owned(),
        "hold" if of == "soak" => "4 h".to_owned(),
        "hold" => "5 min".to_owned(),
        "each" => "1 min".to_owned(),
        _ => String::new(),
    }
}

/// The field with the peak of a shape, if it has one.
fn highest(of: &str) -> Option<String> {
    let name = match of {
        "constant" | "ramp" | "soak" => "rate",
        "spike" => "peak",
        "people" => "users",
        _ => return None,
    };
    Some(field(of, name))
}

fn field(of: &str, name: &str) -> String {
    format!("load.{of}.{name}")
}

/// The changes of a plan's load that were typed; the error is what cannot be meant.
pub(super) fn wanted(load: &Load, typed: &Typed) -> Result<Vec<Value>, Vec<FieldError>> {
    let of = typed.or("load.shape", shape_of(load));
    let Some((of, names)) = FIELDS.iter().find(|(name, _)| *name == of) else {
        return Ok(Vec::new());
    };
    let is_same = |name: &&str| {
        let field = field(of, name);
        typed.of_field(&field).is_none_or(|text| text.trim() == drawn(load, of, name))
    };
    if *of == shape_of(load) && names.iter().all(is_same) {
        return Ok(Vec::new());
    }
    let (mut read, mut faults) = (BTreeMap::new(), Vec::new());
    for name in *names {
        let before = drawn(load, of, name);
        match value(of, name, typed.or(&field(of, name), &before).trim()) {
            Ok(text) => drop(read.insert(*name, text)),
            Err((why, likely)) => {
                let label = "How many visits".to_owned();
                faults.push(FieldError { field: field(of, name), label, why, likely });
            }
        }
    }
    if faults.is_empty() { Ok(changes(of, &read, &load.keys)) } else { Err(faults) }
}

/// A value as the plan writes it. The error has the reason why it is invalid, and what was likely meant.
fn value(of: &str, name: &str, text: &str) -> Result<String, (String, Vec<String>)> {
    let none = |why: String| Err((why, Vec::new()));
    let is_optional = matches!((of, name), (_, "think") | ("constant" | "people", "hold"));
    match name {
        "hold" | "ramp" | "spike" | "each" | "think" => {
            if text.is_empty() && is_optional {
                return Ok(String::new());
            }
            let is_random = name == "think" && text.contains(' ') && time::read(text).is_err();
            if is_random {
                return Ok(text.to_owned());
            }
            time::read(text).map_err(|likely| (time::refusal(text, &likely), likely))
        }
        "users" if text.is_empty() && of != "people" => Ok(String::new()),
        "users" | "steps" => {
            let number = text.replace([',', ' '], "");
            let most = if name == "steps" { STEPS_MAX } else { u32::MAX };
            let least = if name == "steps" { 2 } else { 1 };
            match number.parse::<u32>() {
                Ok(count) if (least..=most).contains(&count) => Ok(number),
                Ok(_) => none(format!("{text} is not from {least} to {most}.")),
                Err(_) => none(format!("'{text}' is no whole number.")),
            }
        }
        "stages" if text.is_empty() => none("Write at least one stage.".to_owned()),
        "stages" => Ok(text.to_owned()),
        _ => {
            let number = text.trim_end_matches("/s").replace([',', ' '], "");
            match number.parse::<f64>() {
                Ok(rate) if rate >= 0.0 && rate.is_finite() => Ok(number),
                _ => none(format!("'{text}' is no number of visits a second, such as 200 or 0.5.")),
            }
        }
    }
}

/// The changes that write a shape.
fn changes(of: &str, read: &BTreeMap<&str, String>, keys: &[String]) -> Vec<Value> {
    let text = |name: &str| read.get(name).map_or("", String::as_str);
    let has = |key: &str| keys.iter().any(|one| one == key);
    let mut all = Vec::new();
    let mut put = |key: &str, text: &str| {
        let path = ["run", key];
        if !text.is_empty() {
            all.push(json!({ "op": "set", "path": path, "text": text }));
        } else if has(key) {
            all.push(json!({ "op": "unset", "path": path }));
        }
    };
    let [rate, hold] = [text("rate"), text("hold")];
    match of {
        "people" => {
            put("users", text("users"));
            put("duration", hold);
            put("think", text("think"));
            for key in OPEN {
                put(key, "");
            }
            return all;
        }
        "constant" | "soak" => {
            put("rate", &format!("{rate}/s"));
            put("duration", hold);
            put("stages", "");
        }
        _ => {
            put("stages", &stages(of, read));
            for key in ["rate", "arrival", "duration"] {
                put(key, "");
            }
        }
    }
    put("users", text("users"));
    for key in ["trace", "rate-file"].iter().chain(CLOSED) {
        put(key, "");
    }
    all
}

fn stages(of: &str, read: &BTreeMap<&str, String>) -> String {
    let text = |name: &str| read.get(name).map_or("", String::as_str);
    let [rate, hold] = [text("rate"), text("hold")];
    match of {
        "ramp" => format!("ramp 0..{rate} over {}, {rate}/s for {hold}", text("ramp")),
        "spike" => {
            let (peak, spike) = (text("peak"), text("spike"));
            format!("{rate}/s for {hold}, {peak}/s for {spike}, {rate}/s for {hold}")
        }
        "steps" => {
            let number = |name: &str| text(name).parse::<f64>().unwrap_or_default();
            let (from, to, count) = (number("from"), number("to"), number("steps") as u32);
            let rate = |step: u32| from + (to - from) * f64::from(step) / f64::from(count - 1);
            let stage =
                |step: u32| format!("{}/s for {}", (rate(step) * 1e3).round() / 1e3, text("each"));
            (0..count).map(stage).collect::<Vec<_>>().join(", ")
        }
        _ => text("stages").to_owned(),
    }
}

/// The part of the page about the load.
pub(super) fn part(load: &Load, fields: &Fields<'_>) -> Markup {
    let own = shape_of(load);
    let chosen = fields.typed.or("load.shape", own);
    let offered = SHAPES.iter().filter(|(word, _)| *word != "other" || own == "other");
    html! {
        div.hd {
            h2 { "How many visits" }
            span.seg role="group" aria-label="Shape of the load" {
                @for (word, name) in offered {
                    label {
                        input.away type="radio" name="load.shape" value=(word) id={ "shape-" (word) }
                            checked[*word == chosen] disabled[fields.readonly];
                        (name)
                    }
                }
            }
        }
        div.sentences {
            @for (of, names) in FIELDS {
                @if of != "other" || load.fields.get("stages").is_some_and(|text| !text.is_empty()) {
                    p.said data-shape=(of) {
                        (sentence(load, of, fields))
                        @for name in names { (fields.why(&field(of, name))) }
                    }
                }
            }
            (fields.why("load.shape"))
        }
        div.shape #shape data-live { (shape::drawing(load, highest(own).as_deref())) }
        p.note {
            @if load.shape == "people" {
                "A fixed number of people: each begins again when it is through (closed load)."
            } @else if own == "other" {
                "The form has no sentence for this load: it is changed as text, or under " em { "Load" } " below."
            } @else {
                "Visits begin on time, whether earlier ones ended or not (open load)."
            }
        }
    }
}

fn sentence(load: &Load, of: &str, fields: &Fields<'_>) -> Markup {
    let input = |name: &str, label: &str| {
        let class = if matches!(name, "users" | "hold") { "w4" } else { "w3" };
        fields.short(&field(of, name), label, &drawn(load, of, name), class)
    };
    let bound = || html! { "; at most " (input("users", "people at a time")) " people at once." };
    html! {
        @match of {
            "constant" | "soak" => {
                (input("rate", "visits a second")) " visits a second for " (input("hold", "how long")) (bound())
            },
            "ramp" => {
                "From 0 to " (input("rate", "visits a second")) " visits a second in " (input("ramp", "ramp"))
                ", then hold for " (input("hold", "hold")) (bound())
            },
            "spike" => {
                (input("rate", "visits a second")) " visits a second for " (input("hold", "hold before and after"))
                ", then " (input("peak", "visits a second of the spike")) " for "
                (input("spike", "length of the spike")) ", then as before" (bound())
            },
            "steps" => {
                "From " (input("from", "first visits a second")) " to " (input("to", "last visits a second"))
                " visits a second in " (input("steps", "number of steps")) " steps of "
                (input("each", "length of a step")) (bound())
            },
            "people" => {
                (input("users", "people")) " people at once for " (input("hold", "how long"))
                "; each thinks for " (input("think", "think time")) " between two visits."
            },
            _ => { "Stages: " (fields.short(&field(of, "stages"), "stages", &drawn(load, of, "stages"), "w12")) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(shape: &str, fields: &[(&str, &str)], keys: &[&str]) -> Load {
        let pairs = fields.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        Load {
            shape: shape.to_owned(),
            fields: pairs.collect(),
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            points: vec![(0.0, 200.0), (60.0, 200.0)],
            steady: 0.0,
        }
    }

    fn typed(pairs: &[(&str, &str)]) -> Typed {
        let pairs: serde_json::Map<_, _> =
            pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())).collect();
        Typed::kept(&Value::from(pairs).to_string())
    }

    fn written(load: &Load, pairs: &[(&str, &str)]) -> Vec<String> {
        let changes = wanted(load, &typed(pairs)).unwrap();
        let one = |change: &Value| {
            format!(
                "{} {}",
                change["path"][1].as_str().unwrap(),
                change["text"].as_str().unwrap_or("-")
            )
        };
        changes.iter().map(one).collect()
    }

    #[test]
    fn load_sentence_is_written_as_plan_keys() {
        let people = load("people", &[("users", "10"), ("hold", "30s")], &["users", "duration"]);
        assert!(
            written(&people, &[("load.people.users", "10"), ("load.people.hold", "30 s")])
                .is_empty()
        );
        assert_eq!(written(&people, &[("load.people.hold", "1 min")]), ["users 10", "duration 1m"]);
        let ramp = [
            ("load.shape", "ramp"),
            ("load.ramp.rate", "1,000"),
            ("load.ramp.ramp", "30 s"),
            ("load.ramp.hold", "5 min"),
            ("load.ramp.users", ""),
        ];
        let stages = "stages ramp 0..1000 over 30s, 1000/s for 5m";
        assert_eq!(written(&people, &ramp), [stages, "duration -", "users -"]);
        let constant = load("constant", &[("rate", "200"), ("hold", "5m")], &["stages"]);
        let steps =
            [("load.shape", "steps"), ("load.steps.steps", "3"), ("load.steps.from", "100")];
        assert_eq!(written(&constant, &steps), ["stages 100/s for 1m, 150/s for 1m, 200/s for 1m"]);
        assert_eq!(
            written(&constant, &[("load.constant.rate", "300")]),
            ["rate 300/s", "duration 5m", "stages -"]
        );
    }

    #[test]
    fn load_duration_without_unit_gets_suggestions() {
        let constant = load("constant", &[("rate", "200"), ("hold", "5m")], &[]);
        let faults = wanted(&constant, &typed(&[("load.constant.hold", "5")])).unwrap_err();
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert_eq!(
            (fault.field.as_str(), fault.why.as_str()),
            ("load.constant.hold", "5 what? Add a unit.")
        );
        assert_eq!(fault.likely, ["5 min", "5 s"]);
        assert!(wanted(&constant, &typed(&[("load.constant.rate", "fast")])).is_err());
        assert!(wanted(&constant, &typed(&[("load.constant.users", "many")])).is_err());
    }
}
