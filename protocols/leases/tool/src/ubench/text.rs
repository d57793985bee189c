//! The output of the programs of 2012, character for character: scripts parse it.
//!
//! Numbers are written as the standard streams of C++ write them, with six digits and no trailing zeros, since the
//! original programs did so.

use std::fmt::Write as _;
use std::time::Duration;

use crate::options::ubench::UbenchArgs;

/// Replaces any password.
const HIDDEN: &str = "********";

/// The parameters, which are printed before everything else.
pub(super) fn parameters(args: &UbenchArgs) -> String {
    let choice = |which: bool, yes: &'static str, no: &'static str| if which { yes } else { no };
    let lines = [
        ("Number of iterations", &*args.iterations.to_string()),
        ("Sync/async", choice(args.sync, "sync", "async")),
        ("Verbose", choice(args.verbose, "verbose", "quiet")),
        ("Compiled statements", choice(args.compiled, "yes", "no")),
        ("Database name", &args.name),
        ("MySQL hostname", &args.host),
        ("MySQL username", &args.user),
        ("MySQL password", HIDDEN),
    ];
    let mut text = String::from("Starting test. Parameters:\n");
    for (name, value) in lines {
        let _ = writeln!(text, "{name:<21}: {value}");
    }
    text.push('\n');
    text
}

/// The heading before the marks of a phase.
pub(super) fn heading(phase: &str) -> String {
    format!("{:<10}", format!("{phase}:"))
}

/// One of the four lines: `phase` is Create, Search, Update or Delete.
pub(super) fn line(phase: &str, number: u64, took: Duration) -> String {
    let micros = took.as_micros() as u64;
    let one = micros / number.max(1);
    let per_second = match one {
        0 => number as f64 / took.as_secs_f64(),
        whole => 1e6 / whole as f64,
    };
    format!(
        "{phase} leases4 repeated {number} times took {} s, {} us, 1 operation took {}us (or {} oper/sec)\n",
        took.as_secs(),
        took.subsec_micros(),
        six(one as f64),
        six(per_second),
    )
}

/// A number in at most six digits: 0.25, 1e+06, 8575.45.
fn six(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let scientific = format!("{number:.5e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let trimmed = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if (-4..6).contains(&exponent) {
        let places = usize::try_from(5 - exponent).unwrap_or(0);
        return trimmed(&format!("{number:.places$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `std::cout << x` prints, by g++ 12.
    #[test]
    fn numbers_are_formatted_like_cout() {
        for (number, text) in [
            (1.0, "1"),
            (31_604.0, "31604"),
            (31.641_564, "31.6416"),
            (8_575.454_545, "8575.45"),
            (999_999.0, "999999"),
            (999_999.5, "1e+06"),
            (1_000_000.0, "1e+06"),
            (1_234_567.0, "1.23457e+06"),
            (3_460_207.61, "3.46021e+06"),
            (0.000_1, "0.0001"),
            (0.000_012_5, "1.25e-05"),
            (166_666.666, "166667"),
            (0.0, "0"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(six(number), text);
        }
    }

    #[test]
    fn result_lines_equal_the_original() {
        assert_eq!(
            line("Create", 1_000, Duration::new(31, 604_123_999)),
            "Create leases4 repeated 1000 times took 31 s, 604123 us, 1 operation took 31604us (or 31.6416 oper/sec)\n"
        );
        // Less than a microsecond each: the rate is the number divided by the time, where the original printed
        // infinity.
        assert_eq!(
            line("Search", 100_000, Duration::from_millis(38)),
            "Search leases4 repeated 100000 times took 0 s, 38000 us, 1 operation took 0us (or 2.63158e+06 oper/sec)\n"
        );
    }

    #[test]
    fn headings_have_equal_width() {
        for phase in ["CREATE", "RETRIEVE", "UPDATE", "DELETE"] {
            assert_eq!(heading(phase).len(), 10);
        }
        assert_eq!(heading("CREATE"), "CREATE:   ");
        assert_eq!(heading("RETRIEVE"), "RETRIEVE: ");
    }
}
