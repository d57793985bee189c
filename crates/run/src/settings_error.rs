//! [`SettingsError`] and [`JobError`]: why the options of a load make no run.

use brunt_engine::PlanError;

use super::objectives::ObjectivesError;
use super::share::ShareError;
use crate::options::run_options::NodeError;
use crate::schedules::LoadError;

/// Why the options of a load make no settings of the engine.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// When exchanges begin.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Which machine this is.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The part of this machine.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// The engine does not take them.
    #[error("failed to {0}")]
    Plan(#[from] PlanError),
}

/// Why the options of a load make no job.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The settings of the engine.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The objectives.
    #[error(transparent)]
    Objectives(#[from] ObjectivesError),
}
