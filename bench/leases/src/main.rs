//! brunt leases beside bare programs that do the same work, store by store.
//!
//! A benchmark that is slower than its database's own library measures itself. So brunt, which times every operation
//! and keeps the distribution, is compared with bare loops in C on the same library, the same schema, and the same
//! leases in the same order, each phase of which is timed as a whole; and brunt's own lease file is compared with the
//! program that the guide of 2012 describes. Every figure comes from rounds in which the two take turns; missed limits
//! are reported.

mod effort;
mod mariadb;
mod memfile;
mod ours;
mod peers;
mod place;
mod sqlite;

use brunt_bench_tool::machine;
use effort::{Effort, FULL, QUICK};
use std::process::ExitCode;

type Part = (&'static str, fn(Effort));

const PARTS: [Part; 3] =
    [("sqlite", sqlite::print), ("memfile", memfile::print), ("mariadb", mariadb::print)];

#[expect(clippy::print_stdout, reason = "the tables are the product")]
#[expect(clippy::print_stderr, reason = "a usage error is for whoever typed it")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if words == ["check"] {
        sqlite::check();
        mariadb::check();
        return ExitCode::SUCCESS;
    }
    let Some((effort, parts)) = chosen(&words) else {
        let names = PARTS.map(|(name, _)| name).join("|");
        eprintln!("usage: bench/leases/run [quick] [check|{names}]");
        return ExitCode::from(2);
    };
    println!("## Lease databases, on {}\n", machine());
    println!(
        "Microseconds an operation takes, in the middle of {} rounds of four runs (brunt, the other, the other, \
         brunt); `ratio` is the middle of the rounds' ratios, `rounds` the lowest and the highest.\n",
        effort.rounds
    );
    for (_, part) in parts {
        part(effort);
    }
    ExitCode::SUCCESS
}

/// What the words of the command line ask for.
fn chosen(words: &[&str]) -> Option<(Effort, Vec<Part>)> {
    let (effort, names) = match words {
        ["quick", names @ ..] => (QUICK, names),
        names => (FULL, names),
    };
    let parts = match names {
        [] => PARTS.to_vec(),
        [name] => vec![*PARTS.iter().find(|(known, _)| known == name)?],
        _ => return None,
    };
    Some((effort, parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_parts_and_effort() {
        let (effort, parts) = chosen(&[]).unwrap();
        assert_eq!((effort.rounds, parts.len()), (5, PARTS.len()));
        let (effort, parts) = chosen(&["quick", "sqlite"]).unwrap();
        assert_eq!((effort.rounds, parts.len()), (2, 1));
        assert!(chosen(&["quick", "everything"]).is_none());
        assert!(chosen(&["sqlite", "memfile"]).is_none());
    }
}
