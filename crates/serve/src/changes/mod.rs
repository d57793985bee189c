//! What users change on a site, by a page or by the API: one place that validates a change, carries it out and adds it
//! to the audit trail.

pub(crate) mod annotations;
pub(crate) mod hooks;
pub(crate) mod plans;
pub(crate) mod projects;
pub(crate) mod runs;
pub(crate) mod schedules;
pub(crate) mod targets;

/// Whether a text is a name: on one line, and not too long.
fn is_name(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}
