//! What a run waits for while nothing becomes due, as text: a run that seems to hang says why, and for how long.

use brunt_engine::Waiting;

use crate::console::Console;

/// Prints what a run waits for.
pub(crate) fn report(waiting: Waiting, console: &Console) {
    console.note(&words(waiting));
}

fn words(waiting: Waiting) -> String {
    match waiting {
        Waiting::ToBegin => {
            "connecting; the run begins when connections are open or have failed".to_owned()
        }
        Waiting::ForAnswers { at_most } => format!(
            "the time is over; waiting up to {:.0} s more for answers; ^C ends it",
            at_most.as_secs_f64()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn waiting_texts_fit_a_terminal_line() {
        let answers = Waiting::ForAnswers { at_most: Duration::from_millis(9_750) };
        assert!(words(answers).contains("up to 10 s more"));
        for waiting in [Waiting::ToBegin, answers] {
            assert!(words(waiting).len() + "note: ".len() <= 80, "{}", words(waiting).len());
        }
    }
}
