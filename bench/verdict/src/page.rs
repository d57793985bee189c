//! The table of real processes in docs/statistics.md, which stands behind that of the simulator.

use std::io;
use std::path::Path;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/statistics.md");
/// How the table of the simulator begins, which is the first of that form.
const SIMULATED: &str = "| cause | runs | no alarm |";
/// How the paragraph above the table of real processes begins.
const REAL: &str = "The same with real processes";

/// Writes the table of a run of the bench, in which each cause was tried so often.
pub(crate) fn write(kinds: &str, times: u64, machine: &str) -> io::Result<()> {
    let page = Path::new(PAGE);
    let text = std::fs::read_to_string(page)?;
    let changed = replaced(&text, &section(kinds, times, machine));
    let changed = changed.ok_or_else(|| io::Error::other("the page has no simulated table"))?;
    std::fs::write(page, changed)
}

fn section(kinds: &str, times: u64, machine: &str) -> String {
    let often = if times == 1 { "once".to_owned() } else { format!("{times} times") };
    let head = format!("{REAL}, each cause of `bench/verdict` {often}");
    format!("{head} (`bench/verdict/run`), on\n{machine}:\n\n{kinds}")
}

/// The page with this section in the place of its last.
fn replaced(page: &str, section: &str) -> Option<String> {
    let end_of_table = |from: usize| page[from..].find("\n\n").map(|end| from + end + 1);
    let simulated = end_of_table(page.find(SIMULATED)?)?;
    let rest = page.get(simulated + 1..).unwrap_or_default();
    let rest = if rest.starts_with(REAL) {
        let table = simulated + 1 + rest.find(SIMULATED)?;
        &page[end_of_table(table)?..]
    } else {
        &page[simulated..]
    };
    Some(format!("{}\n{section}{rest}", &page[..simulated]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "| cause | runs | no alarm |\n|---|---:|---:|\n| none | 2 | 2 |\n";

    #[test]
    fn section_is_written_behind_the_simulated_table_and_replaced() {
        let page = format!("# Page\n\n{ROWS}\nThe end.\n");
        let one = section(ROWS, 1, "a machine");
        let written = replaced(&page, &one).unwrap();
        assert_eq!(written, format!("# Page\n\n{ROWS}\n{one}\nThe end.\n"));
        let other = section(&ROWS.replace('2', "6"), 3, "another");
        let again = replaced(&written, &other).unwrap();
        assert_eq!(again, format!("# Page\n\n{ROWS}\n{other}\nThe end.\n"));
        assert_eq!(replaced("# Page\n", &one), None);
    }

    #[test]
    fn page_has_a_place_for_the_section() {
        let page = std::fs::read_to_string(PAGE).unwrap();
        let section = section(ROWS, 1, "a machine");
        let written = replaced(&page, &section).unwrap();
        assert!(written.contains(&section));
        // The rest is as it was, whether or not there was such a section.
        assert_eq!(replaced(&written, &section).unwrap(), written);
    }
}
