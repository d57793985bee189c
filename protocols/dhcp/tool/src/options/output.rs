//! What a command line has in common with all loads, and what it prints.

use brunt_run::options::monitor::MonitorSource;
use brunt_run::options::output::{self, OutputArgs};
use brunt_run::options::run_options::{self, RunOptions};
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::args::{Diagnostics, ReportOptions, Style};
use super::syntax::{refused, unfit};

/// Reads the options that all loads have. `words` are those of the command line, each switch and each value a word.
pub(super) fn read(values: &Values, words: Vec<String>) -> Result<OutputArgs, UsageError> {
    let run = of_every_run(values)?;
    let shared = output::read(|long| values.all(long).collect::<Vec<_>>()).map_err(unfit)?;
    let seed = values.count("s").filter(|seed| *seed > 0);
    Ok(OutputArgs { run, seed, typed: words, ..shared })
}

/// Reads what is printed.
pub(super) fn report(values: &Values, calls_wrapped: bool) -> Result<ReportOptions, UsageError> {
    Ok(ReportOptions {
        style: if values.text("report") == Some("2012") { Style::Guide } else { Style::Kea },
        interim: values.time("t"),
        deltas: deltas(values)?,
        separator: values.text("C").map(str::to_owned),
        diagnostics: diagnostics(values)?,
        wrapped: values.text("w").filter(|_| calls_wrapped).map(str::to_owned),
        kernel_stamps: values.has("kernel-stamps"),
    })
}

fn of_every_run(values: &Values) -> Result<RunOptions, UsageError> {
    let run = run_options::read(|long| values.all(long).collect::<Vec<_>>()).map_err(unfit)?;
    if run.monitors.contains(&MonitorSource::Ldap) {
        return Err(refused("monitor", "ldap", "kea:SOCKET or pid:PID"));
    }
    Ok(run)
}

fn deltas(values: &Values) -> Result<bool, UsageError> {
    let deltas = values.has("deltas");
    if deltas && !values.has("t") {
        return Err(UsageError::new("--deltas needs -t: it adds to the lines of -t"));
    }
    if deltas && values.text("scenario") == Some("avalanche") {
        return Err(UsageError::new(
            "--deltas cannot be used with --scenario avalanche, which has no rate",
        ));
    }
    Ok(deltas)
}

fn diagnostics(values: &Values) -> Result<Diagnostics, UsageError> {
    let mut shown = Diagnostics::default();
    let text = values.text("x").unwrap_or_default();
    for letter in text.chars() {
        *match letter {
            'a' => &mut shown.arguments,
            'e' => &mut shown.exit_reason,
            'i' => &mut shown.rate,
            'l' => &mut shown.leases,
            'r' => &mut shown.randomness,
            's' => &mut shown.server_id,
            't' => &mut shown.timers,
            'T' => &mut shown.templates,
            _ => {
                return Err(refused(
                    "x",
                    text,
                    "one or more of the letters a, e, i, l, r, s, t and T",
                ));
            }
        } = true;
    }
    Ok(shown)
}
