//! Which requests a rule of an identity API selects, and what it does to them.

use std::time::Duration;

use brunt_embedded::script::rules;

use super::action::{Action, ActionError};
use super::login_fault::{LoginFault, ScimFault};

brunt_embedded::rule!(Action {
    /// Any method, if it is empty.
    #[serde(default)]
    method: Vec<String>,
    /// A pattern of the path, without the query, in which a star is any text.
    path: Option<String>,
    /// The numbers of the connections, counted from 1; any if it is empty.
    #[serde(default)]
    connection: Vec<u64>,
});

/// The facts about a request that rules select by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) connection: u64,
}

/// What is done to one request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    pub(crate) delay: Duration,
    pub(crate) status: Option<u16>,
    /// The action on the answer, with a random number. The last of several rules wins.
    pub(crate) done: Option<(Action, u64)>,
    /// What the provider does differently, and what that of SCIM does.
    pub(crate) login_fault: Option<LoginFault>,
    pub(crate) scim: Option<ScimFault>,
}

/// Why a rule can never apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleError {
    #[error("its path begins with neither a slash nor a star")]
    Path,
    #[error(transparent)]
    Action(#[from] ActionError),
}

impl rules::Rule for Rule {
    type Facts<'a> = Facts<'a>;
    type Faults = Faults;
    type Error = RuleError;

    fn check(&self) -> Result<(), RuleError> {
        if self.path.as_ref().is_some_and(|path| !path.starts_with(['/', '*'])) {
            return Err(RuleError::Path);
        }
        Ok(self.action.check()?)
    }

    fn selects(&self, facts: &Facts<'_>) -> bool {
        (self.method.is_empty() || self.method.iter().any(|method| method == facts.method))
            && self.path.as_ref().is_none_or(|path| fits(path, facts.path))
            && (self.connection.is_empty() || self.connection.contains(&facts.connection))
            && self.action.concerns(facts.path)
    }

    fn action(&self) -> &'static str {
        self.action.name()
    }

    fn hold(faults: &mut Faults, time: Duration) {
        faults.delay += time;
    }

    fn refuse(faults: &mut Faults) {
        faults.status = Some(503);
    }

    fn apply(&self, random: u64, faults: &mut Faults) {
        match self.action {
            Action::Delay(range) => faults.delay += range.choose(random),
            Action::Status(status) => faults.status = Some(status),
            Action::Idp(login_fault) => faults.login_fault = Some(login_fault),
            Action::Scim(fault) => faults.scim = Some(fault),
            action => faults.done = Some((action, random)),
        }
    }
}

/// Whether a text matches a pattern in which a star is any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    // The first match of a part leaves the most text for the later parts.
    while let Some((part, behind)) = rest.split_once('*') {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
        rest = behind;
    }
    text.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{Rules, Script};

    fn rules(text: &str) -> Rules {
        Rules::new(Script::parse(text).unwrap().0)
    }

    const fn at(path: &str) -> Facts<'_> {
        Facts { method: "GET", path, connection: 2 }
    }

    fn faults(rules: &Rules, facts: &Facts<'_>) -> Faults {
        rules.faults(facts, Duration::ZERO)
    }

    #[test]
    fn rule_selects_by_method_path_and_connection() {
        let rules = rules(
            "[[rule]]\nmethod = ['GET']\npath = '/users/*'\nconnection = [2]\nevery = 2\n\
             action = { status = 503 }",
        );
        for n in 1..=4 {
            assert!(faults(&rules, &at("/user")).status.is_none());
            assert!(faults(&rules, &Facts { method: "PUT", ..at("/users/1") }).status.is_none());
            assert!(faults(&rules, &Facts { connection: 1, ..at("/users/1") }).status.is_none());
            let expected = (n % 2 == 0).then_some(503);
            assert_eq!(faults(&rules, &at("/users/1")).status, expected);
        }
        assert_eq!(rules.done(), [("status", 2)]);
    }

    #[test]
    fn rule_delays_add_up_and_the_last_action_wins() {
        let rules = rules(
            "[[rule]]\naction = { delay = '2ms' }\n[[rule]]\naction = { delay = '3ms' }\n\
             [[rule]]\naction = 'drop'\n[[rule]]\nfirst = 2\naction = 'reset'",
        );
        let first = faults(&rules, &at("/"));
        assert_eq!(first.delay, Duration::from_millis(5));
        assert!(matches!(first.done, Some((Action::Drop, _))));
        assert!(matches!(faults(&rules, &at("/")).done, Some((Action::Reset, _))));
    }

    #[test]
    fn rule_probability_selects_a_fraction() {
        let text = "[[rule]]\nprobability = 0.25\naction = { status = 500 }";
        let rules = rules(text);
        let count = (0..4000).filter(|_| faults(&rules, &at("/")).status.is_some()).count();
        // A binomial of 4000 at a quarter has a standard deviation of 27.
        assert!((865..1135).contains(&count), "{count}");
    }

    #[test]
    fn rule_wildcard_matches_any_text() {
        for (pattern, text, expected) in [
            ("/a", "/a", true),
            ("/a", "/ab", false),
            ("/a/*", "/a/", true),
            ("/a/*", "/a/b/c", true),
            ("/a/*", "/a", false),
            ("*/users/*.7", "/api/users/user.7", true),
            ("*/users/*.7", "/api/users/user.70", false),
            ("/a*a", "/a", false),
            ("/a*b*c", "/abcbc", true),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn rule_errors_name_line_and_reason() {
        for (text, expected) in [
            ("[[rule]]\naction = 'explode'", "line 2"),
            ("[[rule]]\naction = { delay = '5' }", "is not a time"),
            ("[[rule]]\npath = 'users'\naction = 'drop'", "neither a slash nor a star"),
            ("[[rule]]\naction = { status = 101 }", "from 200 to 599"),
            ("[[rule]]\naction = { interim = 101 }", "not 101"),
            ("[[rule]]\naction = { wrong-length = 0 }", "must differ"),
            ("[[rule]]\naction = { garbage = 0 }", "from 1 to"),
        ] {
            let error = Script::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error} instead of {expected}");
        }
    }
}
