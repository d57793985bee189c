//! [`Searching`]: reads the progress of a search for the highest rate, and sends it to the watchers.
//!
//! The search replaces its file as a whole, so reading the newest version is enough, and a server that was paused or
//! restarted misses nothing. A run writes no such file.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use brunt_envelope::SearchProgress;
use brunt_history::{PAGE_MAX, PROGRESS, RunFiles};
use brunt_report::run::LiveUpdate;
use brunt_web::watch::{Watch, json};

use super::state::{Reached, State};

/// Follows the progress of one search.
pub(super) struct Searching<'a> {
    files: &'a RunFiles,
    /// The file that was read last: its inode, and when it was written.
    seen: Option<(u64, i64, i64)>,
}

impl<'a> Searching<'a> {
    /// A follower that has read nothing yet.
    pub(super) const fn new(files: &'a RunFiles) -> Self {
        Self { files, seen: None }
    }

    /// Sends new progress to the watchers. Returns the progress, if it is new.
    pub(super) fn poll(&mut self, watch: &Watch) -> Option<Reached> {
        let found = fs::metadata(self.files.path(PROGRESS)).ok()?;
        let seen = Some((found.ino(), found.mtime(), found.mtime_nsec()));
        if seen == self.seen {
            return None;
        }
        self.seen = seen;
        let text = self.files.text(PROGRESS, PAGE_MAX).ok().flatten()?;
        let SearchProgress { seconds, sections } = serde_json::from_str(&text).ok()?;
        let content = json(&LiveUpdate { sections, spectra: Vec::new() });
        watch.change(|history| history.report("sections", &content));
        Some(Reached { state: Some(State::Searching), seconds, figures: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_web::watch::{Audience, Cursor};

    #[test]
    fn search_progress_is_sent_once_and_never_partially() {
        let directory = tempfile::tempdir().unwrap();
        let files = RunFiles::new(directory.path().to_owned());
        let watch = Watch::new(Audience::default());
        let mut searching = Searching::new(&files);
        assert_eq!(searching.poll(&watch), None);
        let sent = |watch: &Watch| {
            let mut message = String::new();
            watch.change(|history| {
                let mut cursor = Cursor::default();
                while let Some(event) = history.next(&mut cursor) {
                    message.push_str(&String::from_utf8_lossy(&event));
                }
            });
            message
        };
        let sections = vec![("top".to_owned(), "<h1>400/s</h1>".to_owned())];
        files.write(PROGRESS, &SearchProgress { seconds: 3.5, sections }).unwrap();
        let reached = Reached { state: Some(State::Searching), seconds: 3.5, figures: None };
        assert_eq!(searching.poll(&watch), Some(reached));
        assert_eq!(searching.poll(&watch), None);
        assert!(sent(&watch).contains("<h1>400/s</h1>"), "{}", sent(&watch));
        files.write_text(PROGRESS, "{\"seconds\": 4").unwrap();
        assert_eq!(searching.poll(&watch), None);
        assert!(sent(&watch).contains("<h1>400/s</h1>"));
    }
}
