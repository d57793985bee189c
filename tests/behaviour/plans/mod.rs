//! Plans against the identity API in memory, as processes: signals, standard input, a shell. What a plan does is tested
//! by `tests/in_memory/plans`.

mod around;
mod curl;
mod memory;
mod previews;
