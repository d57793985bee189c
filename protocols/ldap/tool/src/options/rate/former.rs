//! Names that options had in OpenDJ 2 and 3: the message about one names the option that took its place.

use super::{Tool, UsageError};

/// The fault, with what a former option of the line is now.
pub(super) fn explained(fault: UsageError, words: &[String], tool: Tool) -> UsageError {
    let now = words.iter().find_map(|word| now(word, tool));
    match now.filter(|_| fault.reason.contains("is not allowed for use with this program")) {
        Some(now) => {
            let reason = fault.reason.split(".  Did you mean").next().unwrap_or_default();
            UsageError::new(format!("{reason}.  {now}"))
        }
        None => fault,
    }
}

/// What a former option is now.
fn now(word: &str, tool: Tool) -> Option<&'static str> {
    let name = word.split('=').next().unwrap_or_default().to_ascii_lowercase();
    match (word, name.as_str()) {
        ("-A", _) | (_, "--asynchronous") => Some(
            "In OpenDJ 2 and 3 it sent requests without waiting for answers: use -F and --numConcurrentRequests (-t)",
        ),
        (_, "--numconcurrenttasks") => {
            Some("OpenDJ 2 and 3 had this option: it is now --numConcurrentRequests (-t), with -F")
        }
        (_, "--basedn") if tool == Tool::Modrate => {
            Some("OpenDJ 2 and 3 had this option: it is now --targetDn (-b)")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_option_name_suggests_the_present_one() {
        let of = |line: &str, tool| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let reason = "Argument X is not allowed for use with this program.  Did you mean --y?";
            explained(UsageError::new(reason), &words, tool).reason
        };
        for (line, tool, now) in [
            ("-h a -A -c 5", Tool::Modrate, "use -F and --numConcurrentRequests"),
            ("--asynchronous", Tool::Modrate, "use -F and --numConcurrentRequests"),
            ("--numConcurrentTasks 5", Tool::Searchrate, "it is now --numConcurrentRequests"),
            ("--baseDN=dc=x", Tool::Modrate, "it is now --targetDn"),
        ] {
            let reason = of(line, tool);
            assert!(reason.contains(now) && !reason.contains("Did you mean"), "{line}: {reason}");
        }
        assert!(of("--baseDN dc=x", Tool::Searchrate).ends_with("Did you mean --y?"));
    }
}
