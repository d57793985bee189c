//! Searches: what they request and what they count.

use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, PEOPLE_DN, PROXY_DN, user_dn};

use crate::brunt::{Brunt, To, command, rows};
use crate::directory::{Directory, Transport, opendj, slapd};

fn search(server: &impl Directory, options: &str) -> Brunt {
    let run = command("searchrate").to(server, Transport::Plain).typed("-F -c 2 -m 12 -S");
    run.args(["-D", ADMIN_DN, "-w", PASSWORD]).typed(options)
}

#[test]
fn searchrate_without_any_entry_found_says_so() {
    let Some(slapd) = slapd(10) else { return };
    for (user, nothing) in [("nobody", true), ("user.1", false)] {
        let run = search(&slapd, "-b").args([PEOPLE_DN, &format!("(uid={user})")]);
        let run = run.run().went_well();
        // The note before the screen has the words, too.
        let (_, screen) = run.stderr.split_once("\nsearchrate at ").expect("the last screen");
        let words: Vec<&str> = screen.split_whitespace().collect();
        assert_eq!(words.join(" ").contains("No search found an entry"), nothing, "{run}");
    }
}

#[test]
fn searches_are_multiplexed_with_matching_answers() {
    let Some(slapd) = slapd(500) else { return };
    let mut run = None;
    let seen = slapd.saw(|| {
        let brunt = command("searchrate").to(&slapd, Transport::Plain);
        let brunt = brunt.typed("-F -c 2 -t 16 -m 4001 -S -g inc(0,999) -b").arg(PEOPLE_DN);
        run = Some(brunt.args(["(uid=user.{})", "uid"]).run().went_well());
    });
    let run = run.expect("it ran");
    // Numbers 500 to 999 belong to no entry: 4001 searches are four rounds, and the first number again.
    assert_eq!((run.count("ok"), run.count("items")), (4_001, 4 * 500 + 1), "{run}");
    assert_eq!((seen.searches, seen.entries, seen.connections), (4_001, 2_001, 3), "{seen:?}");
    // Requests of one connection were under way at the same time: one was read before another was answered.
    let log = slapd.log_text();
    let mut open = std::collections::BTreeMap::<&str, i32>::new();
    let mut most = 0;
    for line in log.lines() {
        let Some(connection) = line.split(' ').find(|word| word.starts_with("conn=")) else {
            continue;
        };
        let under_way = open.entry(connection).or_default();
        *under_way +=
            i32::from(line.contains(" SRCH base=")) - i32::from(line.contains(" SEARCH RESULT "));
        most = most.max(*under_way);
    }
    assert!(most > 1, "never more than {most} at a time");
}

#[test]
fn paged_search_is_one_operation() {
    let Some(slapd) = slapd(103) else { return };
    paged(&slapd);
}

#[test]
fn paged_search_is_one_operation_in_opendj() {
    let Some(opendj) = opendj() else { return };
    paged(&*opendj);
}

fn paged(server: &impl Directory) {
    let mut run = None;
    let seen = server.saw(|| {
        let brunt =
            search(server, "--simplePageSize 10 -b").args([PEOPLE_DN, "(uid=user.10*)", "1.1"]);
        run = Some(brunt.run().went_well());
    });
    let run = run.expect("it ran");
    // user.10, user.100 and so on: 3 with 103 users and 111 with 2,000.
    let each = run.count("items") / 12;
    assert_eq!(seen.entries, each * 12, "{run}");
    assert_eq!(seen.searches, (each / 10 + 1) * 12, "{seen:?}\n{run}");
    assert!([4, 111].contains(&each), "{each}");
    assert!((rows(&run)[0][9] - each as f64).abs() < 0.05, "Entries/Srch\n{run}");
}

/// Counts cannot show whether a server honoured an order, but its answer to one that it cannot honour does.
#[test]
fn sort_order_reaches_the_server() {
    let Some(slapd) = slapd(200) else { return };
    let by = |order: &str| {
        let run = search(&slapd, &format!("--sortOrder {order} -b"));
        run.args([PEOPLE_DN, "(uid=user.10*)", "uid"]).run()
    };
    by("+uid:caseIgnoreOrderingMatch,-sn:caseIgnoreOrderingMatch").went_well();
    // OpenLDAP's schema gives uid no order of its own: inappropriateMatching; and there is no such attribute.
    assert_eq!(by("uid").expect(1).results(), [(18, 12)].into());
    assert_eq!(by("no-such-attribute").expect(1).results(), [(16, 12)].into());
}

#[test]
fn sort_order_is_honoured_by_opendj() {
    let Some(opendj) = opendj() else { return };
    let seen = opendj.saw(|| {
        for order in ["uid", "-uid", "+sn,-uid:caseIgnoreOrderingMatch"] {
            let run = search(&*opendj, &format!("--sortOrder {order} -b"));
            run.args([PEOPLE_DN, "(uid=user.10*)", "uid"]).run().went_well();
        }
    });
    assert_eq!((seen.searches, seen.entries), (36, 36 * 111), "{seen:?}");
}

#[test]
fn proxied_authorization_limits_what_is_visible() {
    let Some(slapd) = slapd(10) else { return };
    proxied(&slapd);
}

#[test]
fn proxied_authorization_limits_what_is_visible_in_opendj() {
    let Some(opendj) = opendj() else { return };
    proxied(&*opendj);
}

fn proxied(server: &impl Directory) {
    let run = |as_whom: &str, target: &str| {
        let run = command("modrate").to(server, Transport::Plain).typed("-F -m 10 -D");
        let run = run.args([PROXY_DN, "-w", PASSWORD, "-Y", as_whom, "-b", target]);
        run.args(["-g", "inc(1,100)", "description:proxied {}"]).run()
    };
    // A user may write only to its own entry.
    let allowed = run(&format!("dn:{}", user_dn(3)), &user_dn(3)).went_well();
    assert_eq!(allowed.count("ok"), 10, "{allowed}");
    let forbidden = run(&format!("dn:{}", user_dn(3)), &user_dn(4)).expect(1);
    assert_eq!(forbidden.results(), [(50, 10)].into(), "{forbidden}");
    let unknown = run("dn:uid=nobody,ou=elsewhere", &user_dn(4)).expect(1);
    assert_eq!(unknown.results(), [(123, 10)].into(), "{unknown}");
}

#[test]
fn search_limits_scope_and_types_are_sent() {
    let Some(slapd) = slapd(50) else { return };
    let all = |options: &str, code: i32| {
        let run = search(&slapd, options).args(["-b", BASE_DN, "(objectClass=*)", "cn"]).run();
        run.expect(code)
    };
    let everything = slapd.entries_below(BASE_DN) as u64;
    assert_eq!(all("", 0).count("items"), 12 * everything);
    assert_eq!(all("-s base", 0).count("items"), 12);
    assert_eq!(all("-s one", 0).results(), [(0, 12)].into());
    let limited = all("--sizeLimit 7", 1);
    assert_eq!(
        (limited.results(), limited.count("items")),
        ([(4, 12)].into(), 12 * 7),
        "{limited}"
    );
    all("--typesOnly --timeLimit 5 -a always", 0);
    let log = slapd.log_text();
    assert!(log.contains("scope=0 deref=0") && log.contains("scope=1") && log.contains("deref=3"));
}

#[test]
fn control_given_by_oid_reaches_the_server() {
    let Some(slapd) = slapd(10) else { return };
    let run = |control: &str| {
        let run = search(&slapd, "-J").args([control, "-b", BASE_DN, "(uid=user.1)"]);
        run.run()
    };
    run("1.3.6.1.1.99.1:false").went_well();
    // What is critical and unknown must be refused (RFC 4511 section 4.1.11).
    assert_eq!(run("1.3.6.1.1.99.1:true").expect(1).results(), [(12, 12)].into());
}
