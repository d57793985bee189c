//! Recordings of browsers and proxies, and the plans made from them.

use super::*;
use crate::form;
use crate::imported::{Extract, FormPart, Location, PartContent};

const RECORDING: &str = r#"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[
      {"startedDateTime":"2026-01-02T03:04:05.000Z","time":100,
       "request":{"method":"POST","url":"https://id.example.com/token?x=1#f","httpVersion":"h2",
         "headers":[{"name":":authority","value":"id.example.com"},
           {"name":"content-type","value":"application/x-www-form-urlencoded"},
           {"name":"sec-fetch-mode","value":"cors"},{"name":"accept","value":"*/*"},
           {"name":"cookie","value":"old=1"},{"name":"accept-encoding","value":"gzip"}],
         "postData":{"mimeType":"application/x-www-form-urlencoded","text":"grant_type=password&password=hunter2"}},
       "response":{"status":200,"headers":[{"name":"set-cookie","value":"sid=1; Path=/\nb=2"}],
         "content":{"mimeType":"application/json"}}},
      {"startedDateTime":"2026-01-02T03:04:05.050+00:00","time":10,
       "request":{"method":"GET","url":"https://cdn.example.com/a.png","headers":[]},
       "response":{"status":200,"content":{"mimeType":"image/png"}}},
      {"startedDateTime":"2026-01-02T03:04:07.100Z","time":10,
       "request":{"method":"PATCH","url":"https://id.example.com/users/1",
         "headers":[{"name":"Authorization","value":"Bearer abc"},{"name":"Cookie","value":"sid=1; old=1"}],
         "postData":{"mimeType":"application/json","text":"{\"name\":\"${x}\",\"password\":\"hunter2\"}"}},
       "response":{"status":204,"content":{}}},
      {"startedDateTime":"x","request":{"method":"GET","url":"https://id.example.com/gone","headers":[]},
       "response":{"status":0}},
      {"request":{"method":"GET","url":"data:text/plain,x"},"response":{"status":200}}
    ]}}"#;

/// A filter that keeps everything.
fn everything() -> Filter {
    Filter { all_hosts: true, statics: true, ..Filter::default() }
}

fn import(filter: &Filter, pauses: Pauses) -> Imported {
    har(RECORDING, filter, pauses, Secrets::Named).unwrap()
}

#[test]
fn requests_are_imported_in_order_without_transient_headers() {
    let imported = import(&everything(), Pauses::Recorded);
    let names: Vec<_> = imported.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["POST /token", "GET /a.png", "PATCH /users/1"]);
    let [first, second, third] = &imported.steps[..] else { panic!("three") };
    assert_eq!(first.url, "https://id.example.com/token?x=1");
    assert_eq!(first.headers, [("accept".to_owned(), "*/*".to_owned())]);
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        first.body,
        Body::Form(vec![field("grant_type", "password"), field("password", "${password}")])
    );
    // From the end of the first, 5.1 s, since the second was over before it.
    assert_eq!(
        (first.pause, second.pause, third.pause),
        (None, None, Some(Duration::from_secs(2)))
    );
    assert_eq!(third.headers, [field("Authorization", "Bearer ${token}")]);
    assert_eq!(
        third.body,
        Body::Text("{\"name\":\"$${x}\",\"password\":\"${password}\"}".to_owned())
    );
    assert_eq!(third.statuses, [204]);
    assert!(imported.client.cookies && imported.client.compression);
}

const SIGN_IN: &str = r#"{"log":{"entries":[
      {"request":{"method":"POST","url":"https://h/authenticate","headers":[]},
       "response":{"status":200,"content":{"mimeType":"application/json; charset=utf-8",
         "text":"{\"authId\":\"eyJ0eXAiOiJKV1QiLCJhbGciOi\",\"callbacks\":[{\"type\":\"NameCallback\"}]}"}}},
      {"request":{"method":"POST","url":"https://h/authenticate","headers":[],
         "postData":{"mimeType":"application/json",
           "text":"{\"authId\":\"eyJ0eXAiOiJKV1QiLCJhbGciOi\",\"password\":\"hunter2\"}"}},
       "response":{"status":200,"headers":[{"name":"X-CSRF-Token","value":"c5f-1"}],
         "content":{"mimeType":"application/json","encoding":"base64",
           "text":"eyJhL2IiOlt7InRva2VuSWQiOiJBUUlDL3c9PSJ9XX0="}}},
      {"request":{"method":"GET","url":"https://h/users?t=AQIC%2Fw%3D%3D&token=AQIC%2Fw%3D%3D","headers":[
         {"name":"iPlanetDirectoryPro","value":"AQIC/w=="},{"name":"X-CSRF-Token","value":"c5f-1!"}]},
       "response":{"status":200,"content":{}}}
    ]}}"#;

#[test]
fn values_of_answers_are_extracted() {
    for secrets in [Secrets::Named, Secrets::Kept] {
        let imported = har(SIGN_IN, &everything(), Pauses::None, secrets).unwrap();
        let [first, second, third] = &imported.steps[..] else { panic!("three") };
        let json = |name: &str, pointer: &str| Extract {
            name: name.to_owned(),
            from: Location::Json(pointer.to_owned()),
        };
        assert_eq!(first.extracts, [json("authId", "/authId")]);
        assert_eq!(second.extracts, [json("tokenId", "/a~1b/0/tokenId")]);
        let Body::Text(body) = &second.body else { panic!("{second:?}") };
        assert!(body.contains("{\"authId\":\"${authId}\""), "{body}");
        assert_eq!(third.url, "https://h/users?t=${tokenId}&token=${tokenId}");
        assert_eq!(third.headers[0].1, "${tokenId}");
        assert!(imported.notes.join("\n").contains("tokenId (from POST /authenticate)"));
    }
}

#[test]
fn omissions_are_noted() {
    let notes = import(&everything(), Pauses::Recorded).notes.join("\n");
    for output in [
        "left out by the filters: 1",
        "no answer was recorded: 1",
        "accept-encoding, cookie, sec-fetch-mode",
        "so no user will have them: old",
        "in the environment as PASSWORD, TOKEN",
    ] {
        assert!(notes.contains(output), "{output}: {notes}");
    }
    let text = format!("{:?}", import(&everything(), Pauses::Recorded));
    assert!(!text.contains("hunter2") && !text.contains("Bearer abc"));
    let kept = har(RECORDING, &everything(), Pauses::None, Secrets::Kept).unwrap();
    assert!(format!("{kept:?}").contains("hunter2") && kept.variables.is_empty());
    assert!(kept.steps.iter().all(|step| step.pause.is_none()));
}

#[test]
fn filters_select_hosts_and_types() {
    let filter = |hosts: &[&str], types: &[&str]| Filter {
        hosts: hosts.iter().map(ToString::to_string).collect(),
        types: types.iter().map(ToString::to_string).collect(),
        ..everything()
    };
    let count = |filter| import(&filter, Pauses::None).steps.len();
    assert_eq!(count(filter(&["id.example.com"], &[])), 2);
    assert_eq!(count(filter(&[".example.com"], &[])), 3);
    assert_eq!(count(filter(&[], &["image/"])), 1);
    let none = har(RECORDING, &filter(&["no"], &[]), Pauses::None, Secrets::Named);
    assert!(matches!(none, Err(HarError::Empty(5))));
}

#[test]
fn invalid_recording_names_the_place() {
    for (text, named) in [
        ("", "line 1"),
        ("{}", "log"),
        ("{\"log\":{\"entries\":[{}]}}", "request"),
        ("{\"log\":{\"entries\":\n[{\"request\":{\"url\":1}}]}}", "line 2"),
        ("{\"log\":{\"entries\":[]}}", "0 are there"),
    ] {
        let error = har(text, &everything(), Pauses::None, Secrets::Named).unwrap_err();
        assert!(error.to_string().contains(named), "{text}: {error}");
    }
}

#[test]
fn params_replace_a_missing_body_text() {
    let recording = |kind: &str| {
        format!(
            r#"{{"log":{{"entries":[{{"request":{{"method":"POST","url":"http://h/",
                "postData":{{"mimeType":"{kind}",
                "params":[{{"name":"a","value":"1"}},{{"name":"f","fileName":"x.txt","contentType":"text/plain"}}]}}}},
                "response":{{"status":201}}}}]}}}}"#
        )
    };
    let import = |kind| har(&recording(kind), &everything(), Pauses::None, Secrets::Named).unwrap();
    assert!(
        matches!(&import("application/x-www-form-urlencoded").steps[0].body, Body::Form(f) if f.len() == 2)
    );
    let parts = import("multipart/form-data; boundary=old");
    let Body::Multipart(both) = &parts.steps[0].body else { panic!("parts") };
    assert_eq!(
        (both[1].file.as_deref(), both[1].kind.as_deref()),
        (Some("x.txt"), Some("text/plain"))
    );
    assert!(parts.steps[0].headers.is_empty(), "{:?}", parts.steps[0].headers);
    assert!(parts.notes[0].contains("'f'"));
}

/// A recording of one request with a body, with this Content-Type.
fn posted(sent: &str, recorded: &str, text: &str) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    format!(
        r#"{{"log":{{"entries":[{{"request":{{"method":"POST","url":"http://h/",
            "headers":[{{"name":"content-type","value":{}}}],
            "postData":{{"mimeType":{},"text":{}}}}},"response":{{"status":200}}}}]}}}}"#,
        quoted(sent),
        quoted(recorded),
        quoted(text)
    )
}

#[test]
fn secrets_of_every_shape_become_variables() {
    let part = |content: &str| {
        format!(
            "------A\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n{content}\r\n------A--\r\n"
        )
    };
    let multipart = "multipart/mixed; boundary=----A";
    for (kind, text, expected) in [
        (multipart, part("hunter2"), part("${password}")),
        (
            "application/xml",
            "<login><password>hunter2</password></login>".to_owned(),
            "<login><password>${password}</password></login>".to_owned(),
        ),
        (
            "text/plain;charset=UTF-8",
            r#"{"password":"hunter2"}"#.to_owned(),
            r#"{"password":"${password}"}"#.to_owned(),
        ),
        (
            "application/json",
            r#"{"id":1,"password" : 1234,"max_tokens":[2]}"#.to_owned(),
            r#"{"id":1,"password" : ${password},"max_tokens":[2]}"#.to_owned(),
        ),
        (
            "application/json",
            r#"[{"name":"password","value":-1.5e3},{"name":"n","value":7},{"max_tokens":9}]"#
                .to_owned(),
            r#"[{"name":"password","value":${password}},{"name":"n","value":7},{"max_tokens":9}]"#
                .to_owned(),
        ),
        (
            form::TYPE,
            r#"{"password":"hunter2"}"#.to_owned(),
            r#"{"password":"${password}"}"#.to_owned(),
        ),
    ] {
        let recording = posted(kind, kind, &text);
        let import = har(&recording, &everything(), Pauses::None, Secrets::Named).unwrap();
        assert_eq!(import.steps[0].body, Body::Text(expected), "{kind}");
        assert!(import.notes.iter().any(|note| note.ends_with("as PASSWORD")), "{kind}");
        let kept = har(&recording, &everything(), Pauses::None, Secrets::Kept).unwrap();
        assert_eq!(kept.steps[0].body, Body::Text(text), "{kind}");
    }
}

#[test]
fn multipart_form_is_split_into_parts() {
    let kind = "multipart/form-data; boundary=----A";
    let text = "------A\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n\
                ------A\r\nContent-Disposition: form-data; name=\"f\"; filename=\"${a}.txt\"\r\n\
                Content-Type: text/plain\r\n\r\ncost: ${x}\r\n------A--\r\n";
    let import = har(&posted(kind, kind, text), &everything(), Pauses::None, Secrets::Named);
    let step = &import.unwrap().steps[0];
    let part = |name: &str, file: Option<&str>, kind: Option<&str>, content: &str| FormPart {
        name: name.to_owned(),
        file: file.map(str::to_owned),
        kind: kind.map(str::to_owned),
        content: PartContent::Text(content.to_owned()),
    };
    let parts = vec![
        part("password", None, None, "${password}"),
        part("f", Some("$${a}.txt"), Some("text/plain"), "cost: $${x}"),
    ];
    assert_eq!((&step.body, step.headers.len()), (&Body::Multipart(parts), 0));
}

#[test]
fn content_type_that_was_sent_decides() {
    let import = |sent: &str, recorded: &str| {
        let recording = posted(sent, recorded, "a=1");
        let mut import = har(&recording, &everything(), Pauses::None, Secrets::Named).unwrap();
        let step = import.steps.remove(0);
        (step.body, step.headers.into_iter().map(|(_, value)| value).collect::<Vec<_>>())
    };
    let pairs = || Body::Form(vec![("a".to_owned(), "1".to_owned())]);
    let text = || Body::Text("a=1".to_owned());
    let plain = "text/plain;charset=UTF-8";
    assert_eq!(import(plain, form::TYPE), (text(), vec![plain.to_owned()]));
    assert_eq!(import(form::TYPE, "text/plain"), (pairs(), Vec::new()));
    let kept = format!("{}; charset=UTF-8", form::TYPE);
    assert_eq!(import(&kept, form::TYPE), (pairs(), vec![kept.clone()]));
}

const LOGIN: &str = r#"{"log":{"entries":[
      {"request":{"method":"GET","url":"http://h/","headers":[]},
       "response":{"status":200,"content":{"mimeType":"text/html","text":
         "<input type=hidden name=csrf value=\"b168de57a757a3e6ad3e\"><script>'n9d633d57a757a3e6ad3e4'</script>"}}},
      {"request":{"method":"POST","url":"http://h/login","headers":[],
         "postData":{"mimeType":"application/x-www-form-urlencoded",
           "text":"csrf=b168de57a757a3e6ad3e&user=ann"}},
       "response":{"status":302,"content":{}}},
      {"request":{"method":"GET","url":"http://h/home","headers":[]},
       "response":{"status":200,"content":{"mimeType":"text/html","encoding":"base64",
         "text":"PG1ldGEgbmFtZT0iY3NyZi10b2tlbiIgY29udGVudD0ieTgtQmMhIj4="}}},
      {"request":{"method":"POST","url":"http://h/upload","headers":[
         {"name":"Content-Length","value":"285"},
         {"name":"Content-Type","value":"multipart/form-data; boundary=x"},
         {"name":"X-CSRF-Token","value":"y8-Bc!"}]},
       "response":{"status":200,"content":{"mimeType":"application/json"}}},
      {"request":{"method":"GET","url":"http://h/next?n=n9d633d57a757a3e6ad3e4","headers":[]},
       "response":{"status":200,"content":{"mimeType":"application/json"}}}
    ]}}"#;

#[test]
fn hidden_fields_are_extracted_from_the_page() {
    let imported = har(LOGIN, &everything(), Pauses::None, Secrets::Named).unwrap();
    let [page, login, ..] = &imported.steps[..] else { panic!("{imported:?}") };
    let Extract { name, from } = &page.extracts[0];
    let place = Location::Html("input[name='csrf']".to_owned(), Some("value".to_owned()));
    assert_eq!((name.as_str(), from), ("csrf", &place));
    let fields = [("csrf", "${csrf}"), ("user", "ann")].map(|(n, v)| (n.to_owned(), v.to_owned()));
    assert_eq!(login.body, Body::Form(fields.to_vec()));
    assert!(
        imported
            .notes
            .join("\n")
            .contains("extracted from answers: csrf (from GET /), n (from GET /)")
    );
}

#[test]
fn missing_bodies_are_noted_and_script_values_extracted() {
    let imported = har(LOGIN, &everything(), Pauses::None, Secrets::Named).unwrap();
    let [page, .., next] = &imported.steps[..] else { panic!("{imported:?}") };
    let Extract { name, from: Location::Pattern(pattern) } = &page.extracts[1] else {
        panic!("{page:?}")
    };
    let expression = regex::Regex::new(pattern).unwrap();
    let other = "<script>'another'</script>";
    assert_eq!((name.as_str(), &expression.captures(other).unwrap()[1]), ("n", "another"));
    assert_eq!(next.url, "http://h/next?n=${n}");
    let notes = imported.notes.join("\n");
    assert!(notes.contains("which are sent without one: POST /upload"), "{notes}");
    assert!(notes.contains("left literal: nothing of 40 bits or more"), "{notes}");
    let other = import(&everything(), Pauses::None).notes.join("\n");
    assert!(!other.contains("without one"), "{other}");
}
