//! Steps of DHCP, against the embedded server: counts and times follow from its script.

use std::time::Duration;

use brunt_dhcp_server::{Answer, Family};
use brunt_record::OperationRecord;

use crate::dhcp::{Dhcp, WAY};
use crate::planned::{InMemory as _, Plan};

const PLAN: &str = r#"
[run]
users = 2
iterations = { each = 3 }

[dhcp]
server = "10.0.3.1:67"
local = "10.0.3.9:67"
timeout = "700ms"

[[scenario]]
name = "guest"
after-failure = "go-on"
steps = [{ dhcp = "acquire" }, { pause = "1h" }, { dhcp = "renew" }, { pause = "1h" }, { dhcp = "release" }]
"#;

/// How many exchanges of an operation succeeded, failed and timed out.
fn ends(operation: &OperationRecord) -> [u64; 3] {
    [operation.counts.ok, operation.counts.failed, operation.counts.timed_out]
}

/// Six DISCOVERs, of which every third is lost; and REQUESTs and renewals, each of which is answered after 50 ms.
#[test]
fn dhcp_steps_take_and_lose_what_the_script_says() {
    let server = Dhcp::start(
        "[[rule]]\non = ['discover']\nevery = 3\naction = 'ignore'\n\
         [[rule]]\non = ['request', 'renew']\naction = { delay = '50ms' }\n",
    );
    let ended = Plan::from_text(PLAN).run(&[]).expect(0);
    let record = ended.record();
    let [acquire, renew, release] = &record.operations[..3] else { panic!("{ended}") };
    assert_eq!([acquire, renew, release].map(ends), [[4, 0, 2], [4, 2, 0], [4, 2, 0]], "{ended}");
    let tally = server.server.stats().of(Family::V4).clone();
    assert_eq!((tally.sent_of(Answer::Offer), tally.sent_of(Answer::Ack)), (4, 8), "{ended}");
    assert_eq!(server.server.stats().fault("ignore"), 2, "{ended}");
    let answered = Duration::from_millis(50) + WAY;
    let nanos = |time: Duration| Some(time.as_nanos() as u64);
    assert_eq!(acquire.response.min_ns, nanos(WAY + answered), "{ended}");
    // An exchange without an answer takes as long as it is waited for.
    assert_eq!(acquire.response.max_ns, nanos(Duration::from_millis(700)), "{ended}");
    assert_eq!(renew.response.max_ns, nanos(answered), "{ended}");
    assert_eq!(release.response.max_ns, nanos(Duration::ZERO), "{ended}");
}
