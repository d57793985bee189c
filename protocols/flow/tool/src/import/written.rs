//! Writes a plan as TOML, with comments: what was guessed at its head, and the comment of each step beside it.
//!
//! The tables are serialised one by one, so that each comment is in the right place whatever the texts between contain.

use brunt_flow_import::Imported;
use brunt_flow_plan::model::{Http, Run, Scenario, Step};
use serde::Serialize;
use toml::Value;

use super::compact;
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
struct StepTable<'a> {
    scenario: [OneStep<'a>; 1],
}

#[derive(Serialize)]
struct OneStep<'a> {
    steps: [&'a Step; 1],
}

/// How steps are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Steps {
    /// Those of a visit on a line each, if no line is too long; else as tables.
    Short,
    /// As tables, which the website's forms change.
    Tables,
}

/// The text of a plan.
pub(super) fn text(
    imported: &Imported,
    settled: &Settled,
    form: Steps,
) -> Result<String, toml::ser::Error> {
    let mut out = String::new();
    comment(&mut out, "Imported by brunt. Try it with: brunt run PLAN --check");
    for note in &settled.notes {
        comment(&mut out, &format!("Note: {note}."));
    }
    comment(
        &mut out,
        if imported.visit {
            "[run] is one user for a minute. For a load set more users and a longer duration, or a rate."
        } else {
            "[run] is one iteration of one user. For a load set users and a duration, or a rate, in place of \
             iterations."
        },
    );
    let plan = &settled.plan;
    let head = Head { name: plan.name.as_deref(), run: &plan.run, http: plan.http.as_deref() };
    out.push('\n');
    out.push_str(&toml::to_string(&head)?);
    if !imported.variables.is_empty() {
        out.push_str("\n[variables]\n");
    }
    for (variable, (name, value)) in imported.variables.iter().zip(plan.variables.iter()) {
        comment(&mut out, &variable.comment);
        out.push_str(&[name, " = ", &compact::line(&Value::try_from(value)?), "\n"].concat());
    }
    if !plan.feeders.is_empty() {
        out.push_str("\n[feeders]\n");
    }
    for (name, feeder) in plan.feeders.iter() {
        comment(&mut out, settled.people.as_ref().map_or("", |people| &people.comment));
        out.push_str(&[name, " = ", &compact::line(&Value::try_from(feeder)?), "\n"].concat());
    }
    out.push('\n');
    out.push_str(&toml::to_string(&Scenarios { scenario: [&settled.scenario()] })?);
    let steps: Vec<&Step> = settled.steps.iter().map(|(step, _)| step).collect();
    if let Some(lines) = compact::lines(&steps).filter(|_| imported.visit && form == Steps::Short) {
        out.push_str("steps = [\n");
        for line in lines {
            out.push_str(&["  ", &line, ",\n"].concat());
        }
        out.push_str("]\n");
        return Ok(out);
    }
    for (step, message) in &settled.steps {
        out.push('\n');
        comment(&mut out, message);
        let steps = StepTable { scenario: [OneStep { steps: [step] }] };
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
    use brunt_flow_plan::values::Time;

    /// Imports a command line; returns the plan that was made and the plan that is read from its text.
    fn again(imported: &Imported) -> (Plan, Plan, String) {
        let settled = Settled::new(imported, Some(Path::new("/x/plan.toml"))).unwrap();
        let text = text(imported, &settled, Steps::Short).unwrap();
        let read = reader::Text { name: "plan.toml", text: &text, unset: &[], overrides: &[] };
        let written =
            reader::read(&read, &|_| None).unwrap_or_else(|error| panic!("{error}\n{text}"));
        (settled.whole(), written.plan, text)
    }

    fn curl(line: &str) -> Imported {
        brunt_flow_import::curl(line, Secrets::Named, &|_| Ok(b"x".to_vec())).unwrap()
    }

    #[test]
    fn written_plan_round_trips() {
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
    fn trusted_redirects_keep_every_header() {
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
    fn comments_state_what_was_guessed() {
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
    fn recording_keeps_order_and_pauses() {
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
        assert!(text.contains("\n  { pause = \"1500ms\" },\n"), "{text}");
        assert_eq!(read.run.duration, Some(Time(std::time::Duration::from_secs(60))));
        assert_eq!((steps[0].get.as_deref(), steps[2].get.as_deref()), (Some("/1"), Some("/2")));
    }

    const SIGN_IN: &str = r#"{"log":{"entries":[
        {"request":{"method":"GET","url":"http://h/","headers":[{"name":"Accept","value":"text/html"}]},
         "response":{"status":200,"content":{"mimeType":"text/html",
            "text":"<form id=login method=post action=/in><input name=user><input type=password name=pass></form>"}}},
        {"request":{"method":"POST","url":"http://h/in","headers":[{"name":"Accept","value":"text/html"}],
            "postData":{"mimeType":"application/x-www-form-urlencoded","text":"user=ann&pass=pw"}},
         "response":{"status":302,"headers":[{"name":"Location","value":"http://other/me?code=x7Kq92pLmN"}]}},
        {"request":{"method":"GET","url":"http://other/me?code=x7Kq92pLmN","headers":[]},
         "response":{"status":200,"content":{"mimeType":"text/html","text":"hello"}}},
        {"request":{"method":"POST","url":"http://h/token","headers":[{"name":"Accept","value":"text/html"}],
            "postData":{"mimeType":"application/json","text":"{\"code\":\"x7Kq92pLmN\"}"}},
         "response":{"status":200}}]}}"#;

    fn recording() -> Imported {
        let filter = brunt_flow_import::Filter::default();
        brunt_flow_import::har(SIGN_IN, &filter, Pauses::None, Secrets::Named).unwrap()
    }

    #[test]
    fn visit_uses_forms_and_a_people_file() {
        let imported = recording();
        let (made, read, text) = again(&imported);
        assert_eq!(made, read, "{text}");
        for line in [
            "  { name = \"submit login\", submit = \"#login\", lands = \"/me\", form = { user = \"${people.user}\", \
             pass = \"${pass}\" }, extract = { code = { url = true, parameter = \"code\", missing = \"fail\" } } },",
            "origins = [\"http://other\"]",
            "people = { csv = \"people.csv\" }",
            "Accept = \"text/html\"",
            "base = \"http://h\"",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let settled = Settled::new(&imported, Some(Path::new("/x/plan.toml"))).unwrap();
        let people = settled.people.unwrap();
        assert_eq!(
            (people.path.as_path(), &*people.text),
            (Path::new("/x/people.csv"), "user\nann\n")
        );
    }

    #[test]
    fn plan_without_people_file_has_variables() {
        let imported = super::super::people::without_file(&recording());
        let (made, read, text) = again(&imported);
        assert_eq!(made, read, "{text}");
        assert!(
            text.contains("\nuser = \"ann\"\n") && text.contains("user = \"${user}\""),
            "{text}"
        );
    }
}
