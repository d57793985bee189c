//! Several users, nodes and threads that share rows: no row is used twice, none is left out.

use std::collections::BTreeMap;

use brunt_testbed::{Listener, Served};

use crate::brunt::planned;
use crate::logged::{base, nginx, step, the_same};

/// How often each value of the header `X-Test` arrived.
fn arrived(served: &[Served]) -> BTreeMap<String, u32> {
    let mut values = BTreeMap::new();
    for one in served {
        *values.entry(one.x_test.clone()).or_default() += 1;
    }
    values
}

fn rows(count: u32) -> String {
    let rows = (0..count).map(|row| format!("user.{row},secret {row}\n"));
    "name,password\n".to_owned() + &rows.collect::<String>()
}

#[test]
fn unique_rows_are_used_once_across_users_nodes_and_threads() {
    let Some(nginx) = nginx() else { return };
    let plan = format!(
        "[run]\nusers = 4\nworkers = 2\n[http]\n{}\n[feeders]\n\
         people = {{ csv = \"people.csv\", order = \"unique\" }}\n\
         [[scenario]]\n{}",
        base(&nginx, Listener::Clear),
        step("get = \"/small.txt\"\nheaders = { X-Test = \"${people.name}/${people.password}\" }"),
    );
    let node = |rank: u32| {
        let brunt = planned(&plan).typed(&format!("--node {rank}/2"));
        brunt.file("people.csv", &rows(200));
        brunt.start()
    };
    let (first, second) = (node(0), node(1));
    let (first, second) = (first.wait().went_well(), second.wait().went_well());
    let served = nginx.served();
    assert_eq!(first.count("ok") + second.count("ok"), served.len() as u64, "{first}\n{second}");
    let expected: BTreeMap<String, u32> =
        (0..200).map(|row| (format!("user.{row}/secret {row}"), 1)).collect();
    assert_eq!(arrived(&served), expected, "{first}\n{second}");
}

#[test]
fn weights_and_round_robin_are_kept() {
    let Some(nginx) = nginx() else { return };
    let plan = |order: &str, often: &str, seldom: &str| {
        format!(
            "[run]\nusers = 4\norder = \"{order}\"\niterations = {{ shared = 400 }}\n[http]\n{}\n\
             [[scenario]]\nname = \"often\"\n{often}\n{}[[scenario]]\nname = \"seldom\"\n{seldom}\n{}",
            base(&nginx, Listener::Clear),
            step("get = \"/small.txt?often\""),
            step("get = \"/small.txt?seldom\""),
        )
    };
    let run = planned(&plan("weights", "weight = 9", "weight = 1")).run().went_well();
    let served = the_same(&nginx, &run);
    let often = served.iter().filter(|one| one.path.ends_with("?often")).count();
    // Nine in ten of 400 draws, give or take four standard deviations.
    assert!((336..=384).contains(&often), "{often}\n{run}");
    let run = planned(&plan("turns", "", "")).run().went_well();
    let served = nginx.served().split_off(served.len());
    let often = served.iter().filter(|one| one.path.ends_with("?often")).count();
    assert_eq!((served.len(), often), (400, 200), "{run}");
}

#[test]
fn seed_repeats_the_requests() {
    let Some(nginx) = nginx() else { return };
    let plan = format!(
        "[run]\nusers = 3\niterations = {{ each = 20 }}\n[http]\n{}\n[variables]\nnumber = {{ random = \"0..999\" }}\n\
         word = {{ chars = \"[a-z]\", length = 12 }}\n[[scenario]]\n{}",
        base(&nginx, Listener::Clear),
        step("get = \"/small.txt\"\nheaders = { X-Test = \"${number} ${word}\" }"),
    );
    let mut requested = Vec::new();
    for _ in 0..2 {
        let before = nginx.served().len();
        planned(&plan).run().went_well();
        requested.push(arrived(&nginx.served().split_off(before)));
    }
    assert_eq!(requested[0], requested[1]);
    assert!(requested[0].len() > 50, "{:?}", requested[0]);
}
