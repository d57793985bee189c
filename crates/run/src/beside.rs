//! Runtimes for what is done before a run or after it, and in none of its figures.

use std::io;

use brunt_engine::EngineTime;
use brunt_engine::timer::Time as _;
use tokio::runtime::{Builder, LocalOptions, LocalRuntime};

/// A runtime in the time of a run. One of its own would never wake what waits for a moment of virtual time.
pub fn runtime(time: &EngineTime) -> io::Result<LocalRuntime> {
    let mut builder = Builder::new_current_thread();
    time.prepare(builder.enable_all());
    builder.build_local(LocalOptions::default())
}
