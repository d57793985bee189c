//! What must hold of any input to a decoder: a module for each fuzz target, of the target's name.
//!
//! Each check is written once and compiled twice: into libFuzzer's programs (`fuzz/fuzz_targets`), which look for new
//! inputs with nightly Rust, and into `tests/replay.rs`, which gives it all stored inputs on any Rust. It knows neither
//! where its inputs come from nor what finds them.

#![expect(clippy::missing_panics_doc, reason = "a check panics if something does not hold")]

pub mod ber;
pub mod cluster_messages;
pub mod dhcp4_draft;
pub mod dhcp4_reply;
pub mod dhcp6_draft;
pub mod dhcp6_reply;
pub mod flow_extract;
pub mod flow_json_set;
pub mod flow_page;
pub mod flow_plan;
pub mod http2_fields;
pub mod http2_frames;
pub mod http_cookies;
pub mod http_parts;
pub mod http_request;
pub mod http_response;
pub mod http_target;
pub mod import_curl;
pub mod import_har;
pub mod import_openapi;
pub mod ldap_control_option;
pub mod ldap_dn;
pub mod ldap_filter;
pub mod ldap_frame_scan;
pub mod ldap_request;
pub mod ldap_response;
pub mod nscd_reply;
pub mod nslcd_reply;
pub mod record_events;
pub mod serve_cookie;
pub mod serve_envelope;
pub mod serve_oidc;
