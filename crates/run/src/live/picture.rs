//! A [`Picture`]: the input from which all parts of the view are drawn.

use std::time::Duration;

use super::model::{Choice, Model};
use super::theme::Theme;

/// What is shown, and at which time.
pub(super) struct Picture<'a> {
    pub model: &'a Model,
    pub choice: &'a Choice,
    /// On the clock of the view.
    pub now: Duration,
    pub theme: Theme,
}
