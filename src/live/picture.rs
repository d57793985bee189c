//! A [`Picture`]: the input from which all parts of the view are drawn.

use std::time::Duration;

use super::model::{Choice, Model};
use super::theme::Theme;

/// What is shown, and at which time.
pub(super) struct Picture<'a> {
    pub(super) model: &'a Model,
    pub(super) choice: &'a Choice,
    /// On the clock of the view.
    pub(super) now: Duration,
    pub(super) theme: Theme,
}
