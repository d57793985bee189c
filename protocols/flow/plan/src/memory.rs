//! Estimates the memory of a plan, so that a plan of thousands of steps or users is no surprise.
//!
//! The figures were measured, and a test compares them with the memory of a run. They are for an hour with a typical
//! spread of latencies; a busier run needs more, a quieter one less.

use brunt_engine::{Plan, Settings};
use brunt_flow_driver::{Content, FileChoice, Flow, PartContent, Payload, Step};
use std::collections::BTreeMap;

/// The program itself.
const PROGRAM: u64 = 20_000_000;
/// One user with its connection and its buffers.
const USER: u64 = 8_000;
/// One operation in the sums of a run, its series and its record.
const OPERATION: u64 = 50_000;
/// One operation in the intervals of a worker.
const OPERATION_OF_WORKER: u64 = 5_000;

/// The estimate, as text.
pub fn about(flow: &Flow, settings: &Settings) -> String {
    let operations = flow.operations.len() as u64;
    let workers = Plan::new(settings.clone(), 1).map_or(1, |plan| plan.workers() as u64);
    let figures = operations * (OPERATION + workers * OPERATION_OF_WORKER);
    let (files, body) = uploads(flow);
    let users = u64::from(settings.sessions) * (USER + body);
    let all = PROGRAM + users + figures + files;
    let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
    let of = if operations == 1 { "operation" } else { "operations" };
    let sent = if files == 0 {
        String::new()
    } else {
        format!(", and {} MB for files to send", megabytes(files))
    };
    format!(
        "Memory: about {} MB, of which {} MB for the figures of {operations} {of}{sent}.",
        megabytes(all),
        megabytes(figures)
    )
}

/// The bytes of all files that steps send, each counted once, and those of the longest body that is made of files anew
/// for each request.
fn uploads(flow: &Flow) -> (u64, u64) {
    let mut files: BTreeMap<*const u8, u64> = BTreeMap::new();
    let mut longest = 0;
    let mut held = |bytes: &[u8]| {
        files.insert(bytes.as_ptr(), bytes.len() as u64);
        bytes.len() as u64
    };
    let of_choice = |choice: &FileChoice, held: &mut dyn FnMut(&[u8]) -> u64| -> u64 {
        choice.files.values().map(|bytes| held(bytes)).max().unwrap_or_default()
    };
    for step in flow.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        let Step::Exchange(act) = step else { continue };
        let Payload::Http(http) = &act.payload else { continue };
        match &http.body {
            Content::Fixed(body) => drop(body.bytes().map(&mut held)),
            Content::File(choice) => drop(of_choice(choice, &mut held)),
            Content::Upload(upload) => {
                let parts = upload.parts.iter().map(|part| match &part.content {
                    PartContent::Text(_) => 0,
                    PartContent::File(bytes) => held(bytes),
                    PartContent::Varying(choice) => of_choice(choice, &mut held),
                });
                let all = parts.sum::<u64>();
                match &upload.constant {
                    Some((_, body)) => drop(held(body)),
                    None => longest = longest.max(all),
                }
            }
            Content::None | Content::Text(_) | Content::Json(_) => {}
        }
    }
    (files.values().sum(), longest)
}
