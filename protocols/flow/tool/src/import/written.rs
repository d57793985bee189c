//! Writes a plan as TOML, with comments: what was guessed at its head, and the comment of each step beside it.
//!
//! The tables are serialised one by one, so that each comment is in the right place whatever the texts between contain.

use brunt_flow_import::{Imported, Value};
use brunt_flow_plan::model::{Http, Run, Scenario, Step};
use serde::Serialize;

use super::settled::Settled;

/// The part of a plan that is written first, as a whole.
#[derive(Serialize)]
struct Head<'a> {
    name: Option<&'a str>,
    run: &'a Run,
    #[serde(skip_serializing_if = "Option::is_none")]
    http: Option<&'a Http>,
}

/// The scenario, whose steps are written one after the other.
#[derive(Serialize)]
struct Scenarios<'a> {
    scenario: [&'a Scenario; 1],
}

/// One step, in its place.
#[derive(Serialize)]
struct Steps<'a> {
    scenario: [OneStep<'a>; 1],
}

#[derive(Serialize)]
struct OneStep<'a> {
    steps: [&'a Step; 1],
}

/// The text of a plan.
pub(super) fn text(imported: &Imported, settled: &Settled) -> Result<String, toml::ser::Error> {
    let mut out = String::new();
    comment(&mut out, "Imported by brunt. Try it with: brunt run PLAN --check");
    for note in &settled.notes {
        comment(&mut out, &format!("Note: {note}."));
    }
    comment(
        &mut out,
        "[run] is one iteration of one user. For a load set users and a duration, or a rate, in place of iterations.",
    );
    let plan = &settled.plan;
    let head = Head { name: plan.name.as_deref(), run: &plan.run, http: plan.http.as_deref() };
    out.push('\n');
    out.push_str(&toml::to_string(&head)?);
    if !imported.variables.is_empty() {
        out.push_str("\n[variables]\n");
    }
    for variable in &imported.variables {
        comment(&mut out, &variable.comment);
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let value = match &variable.value {
            Value::Constant(text) => quoted(text),
            Value::Environment(name) => format!("{{ env = {} }}", quoted(name)),
        };
        out.push_str(&[&variable.name, " = ", &value, "\n"].concat());
    }
    out.push('\n');
    out.push_str(&toml::to_string(&Scenarios { scenario: [&settled.scenario()] })?);
    for (step, said) in &settled.steps {
        out.push('\n');
        comment(&mut out, said);
        let steps = Steps { scenario: [OneStep { steps: [step] }] };
        let text = toml::to_string_pretty(&steps)?;
        out.push_str(text.trim_start_matches("[[scenario]]").trim_start_matches('\n'));
    }
    Ok(out)
}

/// Adds a comment, which is one line whatever it contains.
fn comment(out: &mut String, text: &str) {
    if text.is_empty() {
        return;
    }
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    out.push_str(&["# ", line.trim_end(), "\n"].concat());
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use brunt_flow_import::{Pauses, Secrets};

    use super::*;
    use brunt_flow_plan::model::Plan;
    use brunt_flow_plan::reader;

    /// Imports a command line; returns the plan that was made and the plan that is read from its text.
    fn again(imported: &Imported) -> (Plan, Plan, String) {
        let settled = Settled::of(imported, Some(Path::new("/x/plan.toml"))).unwrap();
        let text = text(imported, &settled).unwrap();
        let read = reader::Text { name: "plan.toml", text: &text, overrides: &[] };
        let written =
            reader::read(&read, &|_| None).unwrap_or_else(|error| panic!("{error}\n{text}"));
        (settled.whole(), written.plan, text)
    }

    fn curl(line: &str) -> Imported {
        brunt_flow_import::curl(line, Secrets::Named, &|_| Ok(b"x".to_vec())).unwrap()
    }

    #[test]
    fn what_is_read_of_the_text_is_what_was_written() {
        for line in [
            "curl https://h/",
            "curl -u a:b -d 'x=1&password=2' -H 'X-Odd: \"q\" \\ #' https://h/ | jq .",
            "curl --json '{\"a\":\"\\n[[scenario.steps]]\\n# \"}' -X PROPFIND h",
            "curl --data-raw $'[[scenario.steps]]\\n# x\\r\\n\\'\\'\\' \"\"\"\\t${a}' -H 'Content-Type: text/plain' h",
            "curl -F 'a=b' -k --http2 --resolve h:80:[::1] -m 3 h --next -I h/2",
            "curl --location-trusted -u a:b -H 'X-One: 1' https://h/",
            "curl -H \"Authorization: Bearer $TOKEN\" \"https://$HOST/x?y=$Y\"",
        ] {
            let (made, read, text) = again(&curl(line));
            assert_eq!(made, read, "{line}\n{text}");
        }
    }

    #[test]
    fn what_trusts_redirects_lets_every_header_follow() {
        let (_, trusting, text) = again(&curl("curl --location-trusted -u a:b -H 'X-One: 1' h"));
        let http = trusting.http.unwrap();
        for name in ["X-One", "Authorization"] {
            assert!(http.redirect_headers.iter().any(|known| known == name), "{text}");
        }
        assert_eq!(http.redirect_body, Some(true));
        let (_, following, _) = again(&curl("curl -L -u a:b -H 'X-One: 1' h"));
        assert_eq!(following.http.unwrap().redirect_headers, [""; 0]);
    }

    #[test]
    fn comments_say_what_was_guessed_and_stay_comments() {
        let document = "openapi: 3.0.0\nservers: [{url: https://h/v1}]\npaths:\n  /a/{id}:\n    get:\n      \
                        summary: |\n        One\n      operationId: one\n      parameters: [{name: id, in: path, \
                        required: true, description: \"who\\u0007\", schema: {type: string, default: \"a/b\"}}]\n";
        let imported = brunt_flow_import::openapi(document, None, Secrets::Named).unwrap();
        let (made, read, text) = again(&imported);
        assert_eq!(made, read);
        assert!(
            text.contains("\n# One\n[[scenario.steps]]\nname = \"one\"\nget = \"/v1/a/${id}\"\n"),
            "{text}"
        );
        assert!(text.contains("\n# the parameter 'id' of paths. who\nid = \"a/b\"\n"), "{text}");
    }

    #[test]
    fn a_recording_keeps_its_order_and_its_pauses() {
        let har = r#"{"log":{"entries":[
            {"startedDateTime":"2026-01-01T00:00:00Z","time":500,"request":{"method":"GET","url":"https://h/1"},
             "response":{"status":200}},
            {"startedDateTime":"2026-01-01T00:00:02Z","time":500,"request":{"method":"GET","url":"https://h/2"},
             "response":{"status":404}}]}}"#;
        let imported = brunt_flow_import::har(
            har,
            &brunt_flow_import::Filter::default(),
            Pauses::Recorded,
            Secrets::Named,
        )
        .unwrap();
        let (made, read, text) = again(&imported);
        assert_eq!(made, read);
        let steps = &read.scenario[0].steps;
        assert_eq!(steps[1].pause.as_deref(), Some("1500ms"), "{text}");
        assert_eq!((steps[0].get.as_deref(), steps[2].get.as_deref()), (Some("/1"), Some("/2")));
    }
}
