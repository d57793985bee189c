//! Which data have reached the disk when a store answers, in its own words, and how fast the disk
//! is.

use super::runs::Naming;
use brunt_record::Collection;
use brunt_report::figure::fixed;
use brunt_report::page::Page;

/// The prefixes of the names of those facts and figures.
pub(super) const SHOWN: &[&str] = &["durability/", "version/", "directory", "filesystem", "fsync_"];

/// Adds the versions of the stores, what sync and async mean for each, and the delay of an fsync.
pub(super) fn add(page: &mut Page, collection: &Collection, naming: &Naming<'_>) {
    let fact = |key: String| collection.facts.get(&key).cloned();
    let mut facts = Vec::new();
    for store in collection.values("store") {
        let name = naming.store(store);
        facts.extend(fact(format!("version/{store}")).map(|version| (name.to_owned(), version)));
        for durability in collection.values("durability") {
            let meaning = fact(format!("durability/{store}/{durability}"));
            facts.extend(meaning.map(|meaning| (format!("{name}, {durability}"), meaning)));
        }
    }
    for place in ["directory", "filesystem"] {
        facts.extend(fact(place.to_owned()).map(|value| (place.to_owned(), value)));
    }
    let [p50, p99, max] = ["p50", "p99", "max"]
        .map(|quantile| collection.figures.get(&format!("fsync_{quantile}_us")).copied());
    if facts.is_empty() && p50.is_none() {
        return;
    }
    page.heading("What is on the disk when a change is acknowledged");
    page.facts(facts);
    let Some(median) = p50.filter(|micros| *micros > 0.0) else { return };
    page.paragraph(format!(
        "Writing and flushing a block in that directory took {} us at the median, {} us at the 99th percentile \
         and {} us at most, measured before the runs. A store that waits for one flush before each answer makes \
         at most {:.0} changes a second over one connection.",
        fixed(p50, 0),
        fixed(p99, 0),
        fixed(max, 0),
        1e6 / median
    ));
}
