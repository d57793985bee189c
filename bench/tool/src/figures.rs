//! The result of several rounds, and the ratio of two figures.

/// The middle of the values: a neighbour who wakes up spoils one round, not the figure.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    assert!(!values.is_empty(), "there is no middle of nothing");
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

/// How one's figure stands to another's, in the words one would use.
pub fn share(ours: f64, theirs: f64) -> String {
    if ours > theirs { format!("{:.2}x", ours / theirs) } else { format!("1/{:.1}", theirs / ours) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle_value() {
        assert!((median([3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median([4.0, 1.0, 2.0, 100.0]) - 3.0).abs() < 1e-9);
    }

    #[test]
    fn ratios_are_written_readably() {
        assert_eq!(share(3.0, 2.0), "1.50x");
        assert_eq!(share(4.0, 48.0), "1/12.0");
    }
}
