//! The origin of the figures of a collection: what a reader needs to trust or to reproduce them.

use super::Page;
use crate::cells;
use crate::figure::exact;
use crate::wrapped::command_line;
use brunt_record::{Collection, Environment};

impl Page {
    /// Adds the machine, the facts, and how to reproduce the figures.
    pub fn origin(&mut self, collection: &Collection) {
        self.origin_except(collection, &[]);
    }

    /// The same where facts and figures whose names begin with one of `shown` are elsewhere on the page.
    pub fn origin_except(&mut self, collection: &Collection, shown: &[&str]) {
        self.heading("Where these figures come from");
        self.facts(reproduction(collection));
        let left = |name: &str| !shown.iter().any(|prefix| name.starts_with(prefix));
        let facts = collection.facts.iter().filter(|(name, _)| left(name));
        let facts = facts.map(|(name, value)| (name.clone(), value.clone()));
        let figures = collection.figures.iter().filter(|(name, _)| left(name));
        let figures = figures.map(|(name, value)| (name.clone(), exact(*value)));
        self.facts(facts.chain(figures).collect());
        self.raw("Every cell, as comma-separated values", cells::csv(collection));
    }
}

fn reproduction(collection: &Collection) -> Vec<(String, String)> {
    let tool = &collection.tool;
    let mut facts = vec![
        ("program".to_owned(), format!("{} {}", tool.name, tool.version)),
        ("begun".to_owned(), collection.started.clone()),
    ];
    if !collection.command.is_empty() {
        facts.push(("command".to_owned(), command_line(&collection.command, usize::MAX)));
    }
    let mut seeds: Vec<u64> = Vec::new();
    for record in collection.cells.iter().filter_map(|cell| cell.record.as_ref()) {
        if !seeds.contains(&record.plan.seed) {
            seeds.push(record.plan.seed);
        }
    }
    match seeds.as_slice() {
        [] => {}
        [seed] => facts.push(("seed".to_owned(), seed.to_string())),
        // Each cell's own is in the table of cells.
        [first, .., last] => {
            facts.push(("seeds".to_owned(), format!("{first} to {last}, one a cell")));
        }
    }
    facts.extend(machine(&collection.environment));
    facts
}

/// What is known of a machine.
pub(crate) fn machine(environment: &Environment) -> Vec<(String, String)> {
    let gibibytes = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
    let known = [
        ("machine", Some(environment.host.clone()).filter(|host| !host.is_empty())),
        ("system", environment.os.clone()),
        ("kernel", Some(format!("{} {}", environment.kernel, environment.arch))),
        ("processor", environment.cpu.clone()),
        ("cores", environment.cores.map(|cores| cores.to_string())),
        ("memory", environment.memory_bytes.map(gibibytes)),
        ("processors allowed", environment.cgroup_cpus.map(|cpus| cpus.to_string())),
        ("memory allowed", environment.cgroup_memory_bytes.map(gibibytes)),
    ];
    let known = known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known.filter(|(_, value)| !value.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_facts_omit_unknown_values() {
        let environment = Environment {
            kernel: "Linux 6".to_owned(),
            arch: "x86_64".to_owned(),
            memory_bytes: Some(3 << 29),
            ..Environment::default()
        };
        let facts = machine(&environment);
        let expected = [("kernel", "Linux 6 x86_64"), ("memory", "1.5 GiB")];
        assert_eq!(facts, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
