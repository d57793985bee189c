//! Jobs of LoadGen against the identity API: the output is compared with the server's log, and the table with the
//! formulas, calculated here again from its own counts and times.

mod answers;
mod compatible;
mod examples;
mod levels;
mod likeness;
mod mistakes;
mod mixes;
mod plans;
mod platform;
mod previews;
mod seeds;
mod wildcards;
