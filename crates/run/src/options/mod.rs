//! The options that commands have in common, and what reading a command line comes to.

pub mod about;
pub mod arrivals;
pub mod base_url;
pub mod count;
pub mod exit;
pub mod exports;
pub mod fault;
pub mod load_options;
pub mod monitor;
pub mod output;
pub mod page;
pub mod prompt;
pub mod quiet;
pub mod refusal;
pub mod resend;
pub mod row;
pub mod run_options;
pub mod secrecy;
pub mod selected;
pub mod server_cpu;
pub mod spelling;
pub mod start_at;
pub mod surroundings;
pub mod view;
pub mod web;
pub mod weights;
