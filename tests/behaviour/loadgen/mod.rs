//! Jobs of LoadGen as processes: links, signals, pipes, TLS. What a job does is tested by `tests/in_memory/loadgen`.

mod levels;
mod secured;
mod threads;
