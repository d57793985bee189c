//! Duels as tables of Markdown.

use crate::duel::Duel;

/// Prints what ours costs over theirs; no more than `most` was asked for, where anything was.
#[expect(clippy::print_stdout, reason = "the table is the product")]
pub fn overhead(title: &str, theirs: &str, duels: &[Duel], most: Option<f64>) {
    println!("### {title}\n");
    println!(
        "| phase | operations | {theirs} us | brunt us | ratio | rounds | best/best | asked | met |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---|");
    for duel in duels {
        let (low, high) = duel.spread();
        let (requested, met) =
            most.map_or(("-".to_owned(), "-"), |most| (format!("< {most:.2}"), duel.met(most)));
        println!(
            "| {} | {} | {:.3} | {:.3} | **{:.3}** | {low:.3}-{high:.3} | {:.3} | {requested} | {met} |",
            duel.phase,
            duel.operations,
            duel.theirs_us(),
            duel.ours_us(),
            duel.ratio(),
            duel.best(),
        );
    }
    println!();
}

/// Prints how often ours does what theirs does once; in these phases at least so often was asked for.
#[expect(clippy::print_stdout, reason = "the table is the product")]
pub fn speed(title: &str, theirs: &str, duels: &[Duel], requested: &[(&str, f64)]) {
    println!("### {title}\n");
    println!(
        "| phase | operations | {theirs} us | brunt us | times as fast | rounds | asked | met |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---|");
    for duel in duels {
        let (low, high) = duel.spread();
        let least =
            requested.iter().find(|(phase, _)| *phase == duel.phase).map(|(_, least)| *least);
        let (requested, met) = least.map_or(("-".to_owned(), "-"), |least| {
            (format!(">= {least:.1}"), duel.met(1.0 / least))
        });
        println!(
            "| {} | {} | {:.3} | {:.3} | **{:.2}** | {:.2}-{:.2} | {requested} | {met} |",
            duel.phase,
            duel.operations,
            duel.theirs_us(),
            duel.ours_us(),
            duel.faster(),
            1.0 / high,
            1.0 / low,
        );
    }
    println!();
}
