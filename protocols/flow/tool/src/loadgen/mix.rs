//! The mix: the order in which a thread performs its workloads.
//!
//! With R rounds, round r runs a workload of L loops floor((r + 1) L / R) - floor(r L / R) times, which sums to exactly
//! L. LoadGen takes floor(L / R) for every round and so loses the remainder.

use brunt_flow_driver::Repeat;

use crate::options::loadgen::Mixing;

/// The most entries of all rounds together; if there would be more, rounds are longer and the totals the same.
const ENTRIES_MAX: u64 = 1 << 20;

/// The rounds of workloads with these loops. `floored` drops remainders of the division.
pub(super) fn rounds(loops: &[u64], mixing: Mixing, floored: bool) -> Vec<Vec<Repeat>> {
    let requested = loops.iter().copied().filter(|loops| *loops > 0);
    let rounds = match mixing {
        Mixing::Rounds => requested.min(),
        Mixing::Smooth => requested.max(),
    };
    let Some(rounds) = rounds else { return Vec::new() };
    let performed: Vec<u64> =
        loops.iter().map(|loops| if floored { loops / rounds * rounds } else { *loops }).collect();
    let several = performed.iter().filter(|loops| **loops > 0).count() > 1;
    let most = if several { ENTRIES_MAX / loops.len() as u64 } else { 1 };
    let rounds = rounds.min(most.max(1));
    (0..rounds).map(|round| entries(&performed, round, rounds)).collect()
}

fn entries(loops: &[u64], round: u64, rounds: u64) -> Vec<Repeat> {
    let upto = |loops: u64, round: u64| {
        (u128::from(loops) * u128::from(round) / u128::from(rounds)) as u64
    };
    let entry = |(scenario, loops): (usize, &u64)| Repeat {
        scenario,
        times: upto(*loops, round + 1) - upto(*loops, round),
    };
    loops.iter().enumerate().map(entry).filter(|repeat| repeat.times > 0).collect()
}

/// Whether the division into rounds leaves a remainder that LoadGen drops.
pub(super) fn has_remainder(loops: &[u64]) -> bool {
    let rounds = loops.iter().copied().filter(|loops| *loops > 0).min().unwrap_or(1);
    loops.iter().any(|loops| loops % rounds != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(loops: &[u64], mixing: Mixing, floored: bool) -> String {
        let name =
            |repeat: &Repeat| format!("{}{}", repeat.times, ['A', 'B', 'C'][repeat.scenario]);
        let round = |round: &Vec<Repeat>| round.iter().map(name).collect::<String>();
        rounds(loops, mixing, floored).iter().map(round).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn mix_of_ten_and_two_has_two_rounds() {
        assert_eq!(spelled(&[10, 2], Mixing::Rounds, false), "5A1B 5A1B");
        assert_eq!(spelled(&[10, 2], Mixing::Rounds, true), "5A1B 5A1B");
        assert_eq!(spelled(&[0, 3], Mixing::Rounds, false), "3B");
    }

    #[test]
    fn mix_drops_a_remainder_only_in_compat() {
        assert_eq!(spelled(&[10, 2, 7], Mixing::Rounds, true), "5A1B3C 5A1B3C");
        assert_eq!(spelled(&[10, 2, 7], Mixing::Rounds, false), "5A1B3C 5A1B4C");
        assert!(has_remainder(&[10, 2, 7]) && !has_remainder(&[10, 2, 0]));
    }

    #[test]
    fn mix_smooth_spreads_a_rare_workload() {
        assert_eq!(spelled(&[6, 1, 3], Mixing::Rounds, false), "6A1B3C");
        assert_eq!(spelled(&[6, 1, 3], Mixing::Smooth, false), "1A 1A1C 1A 1A1C 1A 1A1B1C");
    }

    #[test]
    fn mix_totals_are_exact() {
        for loops in
            [[7_u64, 0, 3], [40_000, 4_000, 40], [2_000_000_000, 1_999_999_999, 1_000_000_000]]
        {
            for mixing in [Mixing::Rounds, Mixing::Smooth] {
                let all = rounds(&loops, mixing, false);
                let sum = |at: usize| -> u64 {
                    let entries = all.iter().flatten().filter(|repeat| repeat.scenario == at);
                    entries.map(|repeat| repeat.times).sum()
                };
                assert_eq!([0, 1, 2].map(sum), loops);
                assert!(all.len() as u64 <= ENTRIES_MAX);
            }
        }
        assert_eq!(rounds(&[2_000_000_000], Mixing::Smooth, false).len(), 1);
        assert!(rounds(&[0, 0], Mixing::Rounds, true).is_empty());
    }
}
