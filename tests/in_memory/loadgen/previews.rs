//! What `--check` shows of a job.

use serde_json::json;

use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

/// Nothing of it is done, and no secret is shown.
#[test]
fn check_sends_nothing_and_shows_no_secret() {
    let target = RestTarget::start();
    let files = Files::new();
    files.task(
        "login",
        &json!({
            "request": "POST",
            "header": {"X-User": "$ADMINUSERID", "X-Password": "$ADMINUSERPASSWORD",
                       "X-OpenAM-Password": "se-cret of a task"},
            "url-endpoint": "/openam/json/", "url-payload": "authenticate", "data-payload": "{}"
        }),
    );
    files.ask("see", "/echo/$TOKENID/$RANDOMVALUE");
    files.workload("one", &[("login", 300), ("see", 200)]);
    files.job(&target.base, 3, &[("one", 4)], &json!({"ADMINUSERPASSWORD": "se-cret"}));
    let ended = files.run(&["--check"]).expect(0);
    for line in [
        "The job runs as it says, with 3 threads, which start together.",
        "  4 x one",
        "  login within 300 ms",
        "    X-User: amadmin",
        "    X-Password: ***",
        "    X-OpenAM-Password: ***",
        "    keeps \"tokenId\" as <TOKENID>",
        "/echo/<TOKENID>/<RANDOMVALUE>",
        "<RANDOMVALUE> is a random number from 0 to 99, new in each iteration.",
    ] {
        assert!(ended.stdout.contains(line), "{line}: {ended}");
    }
    assert!(!ended.stdout.contains("se-cret"));
    assert!(target.stop().is_empty());
}
