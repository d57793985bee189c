//! The kernel's counts of what daemons use, nscd's own statistics, and the cost of a durable write.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use brunt_exchange::{Clock as _, Monotonic};

use super::request::{NscdTable, ProcessUsage};

/// Blocks that are written durably, one after the other.
const SYNCS: usize = 40;
const BLOCK: [u8; 4096] = [0; 4096];
const PAGE_KIB: u64 = 4;

/// The fields of one process in `/proc/PID/stat` (proc(5)).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Stat {
    parent: u32,
    /// Its own, in clock ticks.
    ticks: u64,
    /// That of children it waited for.
    children_ticks: u64,
    pages: u64,
}

/// What a process and all its descendants use.
pub(super) fn usage(process: u32) -> ProcessUsage {
    let all: BTreeMap<u32, Stat> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, stat(pid)?)))
        .collect();
    let belongs = |mut pid: u32| {
        // A chain of parents is finite; one that changes while it is read is cut short.
        for _ in 0..32 {
            if pid == process {
                return true;
            }
            match all.get(&pid) {
                Some(stat) if stat.parent != pid => pid = stat.parent,
                _ => return false,
            }
        }
        false
    };
    let whole = all.iter().filter(|(pid, _)| belongs(**pid));
    let (ticks, pages) = whole.fold((0, 0), |(ticks, pages), (_, stat)| {
        (ticks + stat.ticks + stat.children_ticks, pages + stat.pages)
    });
    ProcessUsage { cpu_s: seconds(ticks), rss_kib: pages * page_kib() }
}

/// Processor time of this process and of every child that it has waited for.
pub(super) fn own_cpu_s() -> f64 {
    let stat = stat(std::process::id()).unwrap_or_default();
    seconds(stat.ticks + stat.children_ticks)
}

fn seconds(ticks: u64) -> f64 {
    ticks as f64 / rustix::param::clock_ticks_per_second() as f64
}

fn page_kib() -> u64 {
    (rustix::param::page_size() as u64 / 1024).max(PAGE_KIB)
}

fn stat(pid: u32) -> Option<Stat> {
    parsed(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name of a program is in brackets and may contain any character, so fields are counted from the last bracket.
fn parsed(text: &str) -> Option<Stat> {
    let rest = text.get(text.rfind(')')? + 2..)?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field).and_then(|text| text.parse::<u64>().ok());
    Some(Stat {
        parent: u32::try_from(number(1)?).ok()?,
        ticks: number(11)? + number(12)?,
        children_ticks: number(13)? + number(14)?,
        pages: number(21)?,
    })
}

/// The times to write a block durably in a directory, in microseconds.
pub(super) fn synced(directory: &Path) -> std::io::Result<Vec<f64>> {
    let path = directory.join("sync-probe");
    let mut file = File::create(&path)?;
    let clock = Monotonic::new();
    let mut each = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        let before = clock.now();
        file.write_all(&BLOCK)?;
        file.sync_data()?;
        each.push((clock.now() - before).as_nanos() as f64 / 1000.0);
    }
    drop(file);
    fs::remove_file(path)?;
    Ok(each)
}

/// The load average over one minute.
pub(super) fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|figure| figure.parse().ok()).unwrap_or_default()
}

/// The tables in what `nscd -g` prints.
pub(super) fn nscd_tables(text: &str) -> BTreeMap<String, NscdTable> {
    let mut tables = BTreeMap::new();
    let mut current: Option<(String, NscdTable)> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_suffix(" cache:") {
            tables.extend(current.take());
            current = Some((name.trim().to_owned(), NscdTable::default()));
        }
        let Some((_, table)) = &mut current else { continue };
        let Some((figure, what)) = line.trim().split_once("  ") else { continue };
        let Ok(figure) = figure.parse::<u64>() else { continue };
        match what.trim() {
            "suggested size" => table.suggested_size = figure,
            "cache hits on positive entries" => table.positive_hits = figure,
            "cache hits on negative entries" => table.negative_hits = figure,
            "cache misses on positive entries" => table.positive_misses = figure,
            "cache misses on negative entries" => table.negative_misses = figure,
            "current number of cached values" => table.values = figure,
            "maximum chain length searched" => table.longest_chain = figure,
            _ => {}
        }
    }
    tables.extend(current);
    // A table that is off has no buckets.
    tables.retain(|_, table| table.suggested_size > 0);
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_is_parsed_with_any_program_name() {
        let text = "42 (a) b) (c) S 7 42 42 0 -1 4194304 100 0 0 0 15 5 30 40 20 0 1 0 100 1000000 250 1844 1 1";
        let stat = parsed(text).unwrap();
        assert_eq!(stat, Stat { parent: 7, ticks: 20, children_ticks: 70, pages: 250 });
        assert_eq!(parsed("42 (cut) S 7"), None);
        assert_eq!(parsed(""), None);
    }

    #[test]
    fn process_usage_includes_children() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        // Before the child executes another program, its memory is that of this one, or none.
        let path = format!("/proc/{}/comm", child.id());
        while std::fs::read_to_string(&path).unwrap().trim() != "sleep" {
            std::thread::yield_now();
        }
        let (own, alone) = (usage(std::process::id()), usage(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(alone.rss_kib > 0 && own.rss_kib > alone.rss_kib, "{own:?} {alone:?}");
        assert_eq!(usage(u32::MAX - 1), ProcessUsage::default());
    }

    #[test]
    fn nscd_statistics_are_parsed() {
        let text = "nscd configuration:\n\n              0  server debug level\n\npasswd cache:\n\n            yes  \
            cache is enabled\n          32011  suggested size\n         256104  total data pool size\n             12  \
            cache hits on positive entries\n              3  cache misses on positive entries\n              1  \
            maximum chain length searched\n           1000  current number of cached values\n\ngroup cache:\n\n     \
            211  suggested size\n             7  cache hits on negative entries\n\nhosts cache:\n\n              0  \
            suggested size\n";
        let tables = nscd_tables(text);
        let passwd = tables["passwd"];
        assert_eq!(
            (passwd.suggested_size, passwd.positive_hits, passwd.positive_misses),
            (32_011, 12, 3)
        );
        assert_eq!((passwd.longest_chain, passwd.values), (1, 1000));
        assert_eq!((tables["group"].suggested_size, tables["group"].negative_hits), (211, 7));
        assert_eq!(tables.len(), 2);
    }

    #[test]
    fn synced_write_is_measured() {
        let directory = tempfile::tempdir().unwrap();
        let each = synced(directory.path()).unwrap();
        assert!(each.len() == SYNCS && each.iter().all(|one| *one > 0.0));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
