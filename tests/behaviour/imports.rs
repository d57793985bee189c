//! `brunt http --curl` against the identity API in memory, whose log is compared with what cURL itself sends.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use brunt_testbed::require;

use brunt_test_program::{RestTarget, Seen, run, scratch};

/// A request without what belongs to the program that sends it.
fn essence(seen: &Seen) -> (String, String, String, BTreeSet<(String, String)>) {
    let own = ["expect", "user-agent", "content-length", "connection", "accept-encoding"];
    let headers = seen.headers.iter().map(|(name, value)| (name.to_lowercase(), value.clone()));
    let headers = headers.filter(|(name, _)| !own.contains(&name.as_str()));
    let mut headers: BTreeSet<_> = headers.collect();
    let mut body = seen.body.clone();
    // Each program has its own line between parts.
    let line = headers.iter().find_map(|(_, value)| value.split_once("boundary="));
    if let Some(line) = line.map(|(_, line)| line.to_owned()) {
        body = body.replace(&line, "LINE");
        let one = |(name, value): (String, String)| (name, value.replace(&line, "LINE"));
        headers = headers.into_iter().map(one).collect();
    }
    (seen.method.clone(), seen.target.clone(), body, headers)
}

#[test]
fn http_curl_sends_what_curl_sends() {
    if !require(&["curl"]) {
        return;
    }
    let (api, directory) = (RestTarget::start(), scratch());
    let url = |path: &str| format!("'{}{path}'", api.base);
    let file = directory.path().join("body");
    fs::write(&file, "line one\r\nline two & more\n").unwrap();
    let at = file.display();
    let echo = url("/echo");
    let lines = [
        format!("curl {}", url("/echo?a=1&b=%20c#part")),
        format!("curl -I {echo}"),
        format!("curl -X DELETE -H 'X-One:  1 ' -H 'Accept:' -H 'X-None;' {echo}"),
        format!("curl -d a=1 -d 'b=2&c=d' {echo}"),
        format!("curl -d '{{\"a\": [1, 2]}}' -H 'content-type: application/json' {echo}"),
        format!("curl --json '{{\"a\":' --json '1}}' {echo}"),
        format!("curl --data-raw $'it\\'s \\u00e9\\n' -H 'Content-Type: text/plain' {echo}"),
        format!("curl -d @{at} -H 'Content-Type: text/plain' {echo}"),
        format!("curl --data-binary @{at} {echo}"),
        format!("curl -T {at} {echo}"),
        format!("curl -F a=1 -F 'f=@{at};type=text/plain' -F 'g=@{at};filename=\"x y\"' {echo}"),
        format!(
            "curl --data-urlencode 'q=a b/c' --data-urlencode '=x y' -H 'Content-Type: text/plain' {echo}"
        ),
        format!("curl -G -d a=1 --data-urlencode 'b=c d' {}", url("/echo?z=0")),
        format!("curl -u jo:p:w -A agent/1 -e http://r/ -r 0-4 -b 'a=1; b=2' {echo}"),
        format!(
            "curl -XPATCH -d '[]' {} --next -X PUT -d x=y {}",
            url("/echo?first"),
            url("/echo?second")
        ),
        format!("curl -L {}", url("/redirect/2")),
    ];
    for line in &lines {
        let status = Command::new("bash")
            .args(["-c", &format!("{line} -s -o /dev/null -o /dev/null")])
            .status();
        assert!(status.unwrap().success(), "{line}");
        let output = run(["http", "-c", "1", "-n", "1", "--quiet", "--curl", line]);
        assert!(output.code() == 0, "{line}\n{output}");
    }
    let seen = api.stop();
    let mut rest = &seen[..];
    for line in &lines {
        let count = if line.contains("--next") {
            2
        } else if line.contains("redirect") {
            3
        } else {
            1
        };
        let (curls, others) = rest.split_at(count);
        let (ours, others) = others.split_at(count);
        for (curl, brunt) in curls.iter().zip(ours) {
            assert_eq!(essence(curl), essence(brunt), "{line}");
        }
        rest = others;
    }
    assert!(rest.is_empty(), "{rest:?}");
}
