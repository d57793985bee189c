//! A [`Picture`]: what all parts of the view are drawn from.

use std::time::Duration;

use super::model::{Choice, Model};
use super::theme::Theme;

/// What is shown, and when.
pub(super) struct Picture<'a> {
    pub(super) model: &'a Model,
    pub(super) choice: &'a Choice,
    /// By the clock of the view.
    pub(super) now: Duration,
    pub(super) theme: Theme,
}
