//! Connections that slapd closes because they were idle: they are not failures, and no request is sent twice for them.

use brunt_testbed::{ADMIN_DN, BASE_DN, Options, PASSWORD, Slapd};

use crate::brunt::{Run, To, command};
use crate::directory::{Directory, Transport, slapd_with};

/// Ten connections of which one is used each second, while slapd closes what is idle for one.
const IDLE: &str = "-c 10 -M 1 -d 8";

fn impatient() -> Option<Slapd> {
    slapd_with(Options { users: 10, idle_timeout: Some(1), ..Options::default() })
}

/// How many operations were answered, and how many requests were sent again for them.
type Sent = (u64, u64);

/// Whether slapd saw each operation once, or one more if a request met the end of its connection: it is not known
/// whether slapd had read it by then.
fn the_same(seen: u64, (ok, resent): Sent) -> bool {
    (ok..=ok + resent).contains(&seen)
}

fn together(sent: impl Iterator<Item = Sent>) -> Sent {
    sent.fold((0, 0), |(ok, resent), (more, again)| (ok + more, resent + again))
}

/// The number of successes, which is about this, most of them over connections that had to be opened again.
fn kept(run: Run, planned: u64) -> Sent {
    let run = run.went_well();
    let (ok, anew) = (run.count("ok"), run.part("reconnect"));
    assert!(ok.abs_diff(planned) <= 1 && anew >= ok - 3, "{anew} of {ok}\n{run}");
    assert_eq!(run.connections("reconnected"), anew, "{run}");
    (ok, run.connections("resent"))
}

#[test]
fn idle_close_does_not_fail_binds() {
    let Some(slapd) = impatient() else { return };
    let bind = |mode: &str| {
        let brunt = command("authrate").to(&slapd, Transport::Plain).typed(IDLE).typed(mode);
        brunt.args(["-D", "uid=user.{},ou=people,dc=example,dc=com", "-w", PASSWORD]).start()
    };
    let mut sent = (0, 0);
    let seen = slapd.saw(|| {
        let [each, running] = ["-g inc(0,9)", "-f -g inc(0,9)"].map(bind);
        // A connection of its own is opened when its bind is due, so it is never idle.
        let each = each.wait().went_well();
        let ok = each.count("ok");
        assert!(ok.abs_diff(8) <= 1 && each.part("connect") == ok, "{each}");
        assert_eq!((each.part("reconnect"), each.connections("resent")), (0, 0), "{each}");
        sent = together([(ok, 0), kept(running.wait(), 8)].into_iter());
    });
    assert!(the_same(seen.binds, sent), "{sent:?}: {seen:?}");
}

#[test]
fn idle_close_does_not_fail_searches_on_any_transport() {
    let Some(slapd) = impatient() else { return };
    let search = |transport| {
        let brunt = command("searchrate").to(&slapd, transport).typed(IDLE).typed("-F");
        let brunt = brunt.args(["-D", ADMIN_DN, "-w", PASSWORD]);
        brunt.args(["-b", BASE_DN, "(uid=user.1)", "uid"]).start()
    };
    let mut sent = (0, 0);
    let seen = slapd.saw(|| {
        let running = Transport::ALL.map(search);
        sent = together(running.into_iter().map(|running| kept(running.wait(), 8)));
    });
    assert!(the_same(seen.searches, sent), "{sent:?}: {seen:?}");
    // Each new connection is bound as the first was.
    assert_eq!(seen.binds, seen.connections, "{seen:?}");
}

#[test]
fn idle_close_repeats_no_modification() {
    let Some(slapd) = impatient() else { return };
    // Far enough apart that none leaves in the moment its connection is closed, since it would not be sent again.
    let modify = |options: &str| {
        let brunt = command("modrate").to(&slapd, Transport::Plain).typed("-c 4").typed(options);
        let brunt = brunt.args(["-D", ADMIN_DN, "-w", PASSWORD, "--stages", "0.4/s for 9s", "-b"]);
        brunt.args(["uid=user.{1},ou=people,dc=example,dc=com", "description:{2}"]).start()
    };
    let mut sent = (0, 0);
    let seen = slapd.saw(|| {
        let running = ["-F --resend never", "-f"]
            .map(|mode| modify(&format!("{mode} -g inc(0,9) -g randstr(10)")));
        sent = together(running.into_iter().map(|running| kept(running.wait(), 4)));
    });
    assert!(the_same(seen.modifies, sent), "{sent:?}: {seen:?}");
}
