//! Secrets of plans: what `--check` shows, what failures and files contain, and where redirects send them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

use brunt_test_program::Plan;

/// A server that answers every request on one connection with 401, these fields and this body.
fn refusing(fields: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
    let base = format!("http://{}", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream);
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|length| length > 0) {
                if line.trim().is_empty() {
                    let length = body.len();
                    let head =
                        format!("HTTP/1.1 401 No\r\nContent-Length: {length}\r\n{fields}\r\n");
                    let _ = lines.get_mut().write_all((head + body).as_bytes());
                }
                line.clear();
            }
        }
    });
    base
}

#[test]
fn failure_message_of_a_server_is_shown_without_secrets() {
    let base = refusing(
        "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n",
        "{\"message\":\"no \u{1b}[2J opensesame\",\"access_token\":\"abc\"}",
    );
    let plan = Plan::from_text(&format!(
        "[run]\nusers = 1\niterations = {{ each = 2 }}\n[http]\nbase = \"{base}\"\n\
         [variables]\nsecret = {{ env = \"PLAN_SECRET\" }}\n\
         [[scenario]]\n[[scenario.steps]]\nget = \"/ping\"\nbearer = \"${{secret}}\"\n"
    ));
    let ended = plan.run(&[]).expect(1);
    let record = ended.record();
    let text = &record.samples[0].text;
    assert!(text.starts_with("WWW-Authenticate: Bearer error=\"invalid_token\"; {"), "{text}");
    assert!(
        text.contains("no \\u{1b}[2J ***") && text.contains("\"access_token\":\"***\""),
        "{text}"
    );
    assert!(ended.stdout.contains("invalid_token") && !ended.stdout.contains('\u{1b}'), "{ended}");
}
