//! Schedules, the clock, workers and phases of a run.
