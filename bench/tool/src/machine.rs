//! The machine on which a figure was measured, without which the figure has no meaning.

use std::fs;
use std::thread::available_parallelism;

/// The processor, how many of it, and the kernel, in one line.
pub fn machine() -> String {
    let processors = available_parallelism().map_or(1, std::num::NonZero::get);
    let list = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{processors} x {}, Linux {}", model(&list), kernel.trim())
}

fn model(list: &str) -> &str {
    let line = list.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split_once(':')).map_or("an unnamed processor", |(_, it)| it.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_model_is_found() {
        let list = "processor\t: 0\nmodel name\t: Some CPU @ 3.0GHz\nprocessor\t: 1\n";
        assert_eq!(model(list), "Some CPU @ 3.0GHz");
        assert_eq!(model("processor\t: 0\nBogoMIPS\t: 50\n"), "an unnamed processor");
    }
}
