//! Messages to webhooks for people, each received by a server: in the formats of Slack, of Teams and of mail, signed,
//! with a sentence and a link that opens the run.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use brunt_test_program::scratch;
use brunt_testbed::{require, until};
use serde_json::Value;

use crate::website::{Visitor, api, between, end, site};
use crate::website_schedules::{Delivery, expected, receiver};

const PATIENCE: Duration = Duration::from_secs(90);
/// The formats, with the paths of their webhooks: those of Teams have a secret in their query.
const FORMATS: [(&str, &str); 3] =
    [("slack", "/services/T0/B0/s3cret"), ("teams", "/flow?sig=s3cret"), ("mail", "/send")];

/// A message, whose signature is that of this key.
fn received(deliveries: &Receiver<Delivery>, key: &str) -> (Delivery, Value) {
    let delivery = deliveries.recv_timeout(PATIENCE).expect("a message");
    assert_eq!(delivery.signature, expected(key, &delivery), "{}", delivery.body);
    let message = serde_json::from_str(&delivery.body).expect("JSON");
    (delivery, message)
}

/// The text and the link of a message.
fn told(format: &str, message: &Value) -> (String, String) {
    let text =
        |at: &str| message.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
    match format {
        "slack" => {
            let whole = text("/blocks/0/text/text");
            let (output, link) = whole.split_once(" <").expect("a link");
            (output.to_owned(), link.trim_end_matches("|Open it>").to_owned())
        }
        "teams" => {
            let of = "application/vnd.microsoft.card.adaptive";
            assert_eq!(text("/attachments/0/contentType"), of, "{message}");
            let card = "/attachments/0/content";
            let output = [0, 1].map(|run| text(&format!("{card}/body/0/inlines/{run}/text")));
            (output.concat(), text(&format!("{card}/actions/0/url")))
        }
        _ => {
            assert_eq!(message["to"][0], "team@example.com");
            let whole = text("/text");
            let (output, link) = whole.split_once("\n\n").expect("a link");
            (output.to_owned(), link.trim_end().to_owned())
        }
    }
}

/// A site with a target and a plan.
fn furnished(visitor: &Visitor, target: &str) {
    let address = target.trim_start_matches("http://").trim_end_matches('/');
    let fields = format!(
        "name=api&allow={address}&settings=BASE=http://{address}&users=10&seconds=60&days=1"
    );
    visitor.send("/targets", "/targets", &fields);
    visitor.send("/plans", "/plans", "name=visit&template=0");
}

#[test]
fn webhook_formats_link_to_the_run() {
    if !require(&["python3"]) {
        return;
    }
    let directory = scratch();
    let at = directory.path().join("site");
    let (_api, target) = api();
    let (receiver, deliveries) = receiver(0);
    let (program, visitor) = site(&at);
    furnished(&visitor, &target);
    for (number, (format, path)) in FORMATS.iter().enumerate() {
        let hook = number + 1;
        let url = format!("http://{receiver}{}", path.replace('=', "%3D").replace('?', "%3F"));
        let to = if *format == "mail" { "team@example.com" } else { "" };
        let fields = format!("name={format}&format={format}&url={url}&to={to}");
        let (head, shown) = visitor.send("/hooks", "/hooks", &fields);
        assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{shown}");
        let key = between(&shown, "data-copy>", "<").to_owned();
        assert!(!shown.contains("s3cret"), "the URL is a secret: {shown}");
        // A test message arrives at once.
        let (_, shown) = visitor.send("/hooks", "/hooks/test", &format!("id={hook}"));
        assert!(shown.contains("The test message arrived"), "{shown}");
        let (delivery, message) = received(&deliveries, &key);
        assert_eq!(delivery.path, *path);
        assert!(told(format, &message).0.contains("This is a test message"), "{message}");
        // So does the result of a run.
        let fields = format!("plan=1&target=1&when=week&at=02:30&day=1&duration=1s&hook={hook}");
        visitor.send("/schedules", "/schedules", &fields);
        let (head, body) = visitor.send("/schedules", "/schedules/run", &format!("id={hook}"));
        assert!(head.contains("location: /live/"), "{head}\n{body}");
        let run = between(&head, "location: /live/", "\r\n").to_owned();
        let (_, message) = received(&deliveries, &key);
        let (output, link) = told(format, &message);
        assert!(output.contains("visit at api") && output.ends_with('.'), "{output}");
        assert_eq!(output.matches('\n').count(), 0, "{output}");
        let page = format!("/runs/{run}");
        assert_eq!(link, format!("http://{}{page}", visitor.at), "{message}");
        let (head, shown) = visitor.ask("GET", &page, "", "");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{shown}");
    }
    let mut page = String::new();
    let is_told = until(PATIENCE, || {
        page = visitor.ask("GET", "/hooks", "", "").1;
        page.matches(": it arrived").count() == FORMATS.len()
    });
    assert!(is_told && !page.contains("s3cret"), "{page}");
    end(program);
    // The database has no URL that permits to post.
    let file = rusqlite::Connection::open(at.join("brunt.db")).expect("a database");
    let urls: String =
        file.query_row("SELECT group_concat(url) FROM hook", [], |row| row.get(0)).expect("text");
    assert!(!urls.contains("s3cret") && urls.contains(&receiver.to_string()), "{urls}");
}
