//! Headers that a browser sends with every request, which a plan has once.

use brunt_flow_plan::model::{Http, Step};
use brunt_flow_plan::values::{Scalar, Several};

/// Headers that a request without them may have as well.
const HARMLESS: [&str; 3] = ["accept", "accept-language", "user-agent"];

/// Moves the headers of the steps that most of them have with the same value to the settings of all requests.
pub(super) fn share(http: &mut Http, steps: &mut [&mut Step]) {
    let mut names: Vec<String> = Vec::new();
    for step in steps.iter() {
        for (name, _) in step.headers.iter() {
            if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                names.push(name.to_owned());
            }
        }
    }
    for name in names {
        let Some(value) = most_common(&name, steps) else { continue };
        for step in steps.iter_mut() {
            step.headers
                .0
                .retain(|(known, held)| !(known.eq_ignore_ascii_case(&name) && *held == value));
        }
        http.headers.0.push((name, value));
    }
}

/// The value that at least half of the steps send in a header that all of them may have.
fn most_common(name: &str, steps: &[&mut Step]) -> Option<Several> {
    let value = |step: &Step| {
        let mut headers = step.headers.iter();
        headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
    };
    if name.eq_ignore_ascii_case("content-type") {
        return None;
    }
    let values: Vec<Several> = steps.iter().filter_map(|step| value(step)).collect();
    let harmless = HARMLESS.iter().any(|known| known.eq_ignore_ascii_case(name));
    if steps.len() < 2 || values.len() < steps.len() && !harmless {
        return None;
    }
    let count = |value: &Several| values.iter().filter(|it| *it == value).count();
    let distinct = values.iter().fold(Vec::<&Several>::new(), |mut known, value| {
        if known.len() < 8 && !known.contains(&value) {
            known.push(value);
        }
        known
    });
    let best = distinct.into_iter().max_by_key(|value| count(value))?;
    let plain = |scalar: &Scalar| matches!(scalar, Scalar::Text(text) if !text.contains("${"));
    (count(best) * 2 >= steps.len() && best.0.iter().all(plain)).then(|| best.clone())
}
