//! Command lines, and what cURL 8 sends for them.

use super::*;
use crate::imported::{Auth, Body, FormPart, PartContent, Step, Value, Version};
use std::time::Duration;

fn files(path: &Path) -> io::Result<Vec<u8>> {
    match path.to_str() {
        Some("body.json") => Ok(b"{\"a\":\r\n \"${x}\"}\n".to_vec()),
        Some("headers.txt") => Ok(b"X-One: 1\nX-Two: 2\n".to_vec()),
        Some("raw") => Ok(vec![0xff, 0xfe, b'\n']),
        Some("a b") => Ok(b"a b&c".to_vec()),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

fn import(line: &str) -> Imported {
    curl(line, Secrets::Named, &files).unwrap_or_else(|error| panic!("{line}: failed to {error}"))
}

fn step(line: &str) -> Step {
    let mut imported = import(line);
    assert_eq!(imported.steps.len(), 1, "{line}");
    imported.steps.remove(0)
}

fn headers(step: &Step) -> Vec<String> {
    step.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect()
}

#[test]
fn method_follows_from_the_options() {
    for (line, method, url) in [
        ("curl h", "GET", "http://h/"),
        ("curl -I h/x", "HEAD", "http://h/x"),
        ("curl -d a=1 h", "POST", "http://h/"),
        ("curl -XPATCH -d a=1 h", "PATCH", "http://h/"),
        ("curl -G -d a=1 --data-urlencode 'b=c d' 'h/?z=0'", "GET", "http://h/?z=0&a=1&b=c+d"),
        ("curl -F a=b h", "POST", "http://h/"),
        ("curl --request DELETE --url https://h", "DELETE", "https://h/"),
        ("curl -T body.json h/x", "PUT", "http://h/x"),
        ("curl -sSLk -o /dev/null -w '%{http_code}' h", "GET", "http://h/"),
        ("curl --json '{}' h", "POST", "http://h/"),
        ("curl --url-query 'q=a b' h", "GET", "http://h/?q=a+b"),
    ] {
        let step = step(line);
        assert_eq!((step.method.as_str(), step.url.as_str()), (method, url), "{line}");
    }
}

#[test]
fn headers_equal_those_of_curl() {
    assert_eq!(headers(&step("curl h")), ["Accept: */*"]);
    assert_eq!(
        headers(&step("curl -H 'Accept:' -H 'X-Empty;' -H 'a:  b ' -H @headers.txt h")),
        ["X-Empty: ", "a: b", "X-One: 1", "X-Two: 2"]
    );
    assert_eq!(
        headers(&step("curl -A me -e http://r/ -r 0-9 -b 'a=1' -b 'b=2' h")),
        [
            "Accept: */*",
            "User-Agent: me",
            "Referer: http://r/",
            "Range: bytes=0-9",
            "Cookie: ${cookie}"
        ]
    );
    assert_eq!(
        headers(&step("curl --json '{}' h")),
        ["Accept: application/json", "Content-Type: application/json"]
    );
    // The type of a form follows from its being a form.
    assert_eq!(headers(&step("curl -d a=1 h")), ["Accept: */*"]);
    assert_eq!(
        headers(&step("curl -d '{}' -H 'content-type: application/json' h")),
        ["Accept: */*", "content-type: application/json"]
    );
}

#[test]
fn bodies_equal_those_of_curl() {
    let form = |fields: &[(&str, &str)]| {
        Body::Form(fields.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect())
    };
    let text = |text: &str| Body::Text(text.to_owned());
    for (line, body) in [
        ("curl -d a=1 -d b=2 h", form(&[("a", "1"), ("b", "2")])),
        ("curl -d a=1 -d password=p h", form(&[("a", "1"), ("password", "${password}")])),
        ("curl -d '{\"a\":1}' h", text("{\"a\":1}")),
        ("curl -d @body.json h", text("{\"a\": \"$${x}\"}")),
        ("curl -d '@a b' h", text("a b&c")),
        ("curl --data-binary @body.json h", Body::File("body.json".into())),
        ("curl --data-raw @body.json h", text("@body.json")),
        ("curl -d @raw h", Body::Bytes(vec![0xff, 0xfe])),
        ("curl --json '{\"a\":' --json '1}' h", text("{\"a\":1}")),
        ("curl -d \"a=$A\" h", text("a=${A}")),
        ("curl --json '{\"password\":\"p\"}' h", text("{\"password\":\"${password}\"}")),
        ("curl --data-urlencode '=a b' h", text("a+b")),
        ("curl --data-urlencode \"q=$A\" h", text("q=${A|form}")),
        ("curl --data-urlencode 'x@a b' h", form(&[("x", "a b&c")])),
    ] {
        assert_eq!(step(line).body, body, "{line}");
    }
    let line = "curl -H 'Content-Type: multipart/form-data' -F 'a=b;type=text/x' -F 'password=p' \
                -F 'f=@raw;filename=x' -F 'g=<a b' --form-string 'n=@x' h";
    let sent = step(line);
    let part = |name: &str, file: Option<&str>, kind: Option<&str>, content| FormPart {
        name: name.to_owned(),
        file: file.map(str::to_owned),
        kind: kind.map(str::to_owned),
        content,
    };
    let text = |text: &str| PartContent::Text(text.to_owned());
    let parts = vec![
        part("a", None, Some("text/x"), text("b")),
        part("password", None, None, text("${password}")),
        part("f", Some("x"), None, PartContent::File("raw".into())),
        part("g", None, None, text("a b&c")),
        part("n", None, None, text("@x")),
    ];
    assert_eq!(sent.body, Body::Multipart(parts));
    // The plan writes the type, which has the line between the parts.
    assert_eq!(headers(&sent), ["Accept: */*"]);
}

#[test]
fn secrets_become_variables_or_are_kept_on_request() {
    let line = "curl -u jo:pw -H 'X-Api-Key: k' -H 'Cookie: s=1' h";
    let imported = import(line);
    let basic = Auth::Basic { user: "jo".to_owned(), password: "${password}".to_owned() };
    assert_eq!(imported.steps[0].auth, Some(basic));
    let names: Vec<_> = imported.variables.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["password", "x_api_key", "cookie"]);
    let text = format!("{imported:?}");
    assert!(!text.contains("\"pw\"") && !text.contains("s=1"), "{text}");
    let kept = curl(line, Secrets::Kept, &files).unwrap();
    assert!(kept.variables.is_empty() && format!("{kept:?}").contains("\"pw\""));
    let requested = import("curl -u jo h");
    assert_eq!(requested.variables[0].value, Value::Environment("PASSWORD".to_owned()));
    let bearer = import("curl -H \"Authorization: Bearer $TOKEN\" h");
    assert_eq!(bearer.variables[0].value, Value::Environment("TOKEN".to_owned()));
    assert_eq!(headers(&bearer.steps[0])[1], "Authorization: Bearer ${TOKEN}");
    assert!(matches!(step("curl https://a:b@h/").auth, Some(Auth::Basic { .. })));
}

#[test]
fn connection_options_become_client_settings() {
    let line = "curl -kL --max-redirs 3 --compressed --http2 --cacert ca.pem -E c.pem --key k.pem \
                --resolve h:443:127.0.0.1 --connect-to h:80:g:8080 --unix-socket /run/s -x p:3128 -U u:p \
                -m 2.5 --connect-timeout 1 -c jar --no-keepalive https://h";
    let imported = import(line);
    let client = imported.client;
    assert!(client.insecure && client.compression && client.cookies && client.churn);
    assert_eq!((client.redirects, client.version), (3, Version::Http2));
    assert_eq!(client.proxy.as_deref(), Some("http://p:3128"));
    let login = |user: &str| Some((user.to_owned(), "${proxy_password}".to_owned()));
    assert_eq!(client.proxy_login, login("u"));
    assert_eq!(import("curl -x http://j%40x:p%3aw@p h").client.proxy_login, login("j@x"));
    let kept = curl("curl -x j:p%3aw@p h", Secrets::Kept, &files).unwrap().client;
    assert_eq!(kept.proxy_login, Some(("j".to_owned(), "p:w".to_owned())));
    assert_eq!(client.resolve[0].to_host, "127.0.0.1");
    assert_eq!((client.resolve[1].to_host.as_str(), client.resolve[1].to_port), ("g", 8080));
    assert_eq!(client.connect_timeout, Some(Duration::from_secs(1)));
    assert_eq!(imported.steps[0].timeout, Some(Duration::from_millis(2500)));
    assert_eq!(import("curl -L h").client.redirects, 50);
    assert_eq!(import("curl h").client.redirects, 0);
}

#[test]
fn commands_copied_from_browsers_are_one_request() {
    let step = step(
        "curl 'https://example.com/api/items?x=1' \\\n  -X 'POST' \\\n  -H 'accept: */*' \\\n  \
         -H 'content-type: application/json' \\\n  --data-raw $'{\"name\":\"it\\'s \\u0021\"}' \\\n  --compressed",
    );
    assert_eq!((step.method.as_str(), step.name.as_str()), ("POST", "POST /api/items"));
    assert_eq!(step.body, Body::Text("{\"name\":\"it's !\"}".to_owned()));
    assert_eq!(headers(&step), ["accept: */*", "content-type: application/json"]);
}

#[test]
fn secrets_of_every_shape_become_variables() {
    for line in [
        "curl https://h/ -F password=hunter2 -F a=b",
        "curl https://h/ -F 'a={\"pwd\":\"hunter2\"};type=application/json'",
        "curl https://h/ -d '{\"password\":\"hunter2\"}'",
        "curl https://h/ -H 'Content-Type: application/xml' -d '<a><pwd>hunter2</pwd></a>'",
        "curl https://h/ -d \"user=$U&password=hunter2\"",
    ] {
        let imported = import(line);
        let text = format!("{imported:?}");
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("to be given in the environment"), "{text}");
        let kept = curl(line, Secrets::Kept, &files).unwrap();
        assert!(format!("{kept:?}").contains("hunter2"), "{line}");
    }
}

#[test]
fn several_requests_become_several_steps() {
    let imported = import("curl -d a=1 h/1 h/2 --next -X DELETE h/3 | jq .");
    let steps: Vec<_> = imported.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(steps, ["POST /1", "POST /2", "DELETE /3"]);
    assert!(imported.notes[0].contains("| jq ."));
    assert!(import("$ curl --retry 3 h").notes[0].contains("--retry"));
}

#[test]
fn unsupported_options_are_refused_by_name() {
    for (line, named) in [
        ("", "URL"),
        ("curl", "URL"),
        ("wget h", "wget"),
        ("curl --nosuch h", "--nosuch"),
        ("curl -? h", "-?"),
        ("curl h -d", "-d"),
        ("curl h --data", "--data"),
        ("curl --digest -u a:b h", "--digest"),
        ("curl -0 h", "HTTP/1.0"),
        ("curl -K f h", "-K"),
        ("curl -d a -F b=c h", "one body"),
        ("curl -T f -d a h", "one body"),
        ("curl -T - h", "standard input"),
        ("curl ftp://h", "http or https"),
        ("curl 'http://h/{a,b}'", "braces"),
        ("curl -d @nosuch h", "nosuch"),
        ("curl -H nocolon h", "NAME: VALUE"),
        ("curl -m 0 h", "seconds"),
        ("curl -m NaN h", "seconds"),
        ("curl --resolve h:x:1 h", "HOST:PORT:ADDRESS"),
        ("curl -X 'A B' h", "such as GET"),
        ("curl --cacert $CA h", "--cacert"),
        ("curl --data-urlencode \"a=b$X\" h", "--data-urlencode"),
        ("curl 'a b'", "%20"),
        ("curl 'h", "single quote"),
        ("curl $(x)", "$(..)"),
    ] {
        match curl(line, Secrets::Named, &files) {
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains(named), "{line}: {text}");
            }
            Ok(imported) => panic!("{line}: {imported:?}"),
        }
    }
}

proptest::proptest! {
    #[test]
    fn arbitrary_words_give_a_request_or_an_error(
        words in "curl( (-[a-zA-Z#:]{1,3}|--[a-z-]{1,12}|[@a-z=:/'\"$\\\\{}]{0,12})){0,6}"
    ) {
        let _ = curl(&words, Secrets::Named, &files);
    }

    #[test]
    fn quoted_body_is_unchanged(body in "[^'\\x00@]{1,60}") {
        let line = format!("curl --data-raw '{body}' -H 'Content-Type: text/plain' h");
        let imported = curl(&line, Secrets::Kept, &files).unwrap();
        let Body::Text(text) = &imported.steps[0].body else { panic!("text") };
        proptest::prop_assert_eq!(crate::notation::meaning(text), Some(body));
    }
}
