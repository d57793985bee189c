//! The Universal Scalability Law beside the steps to which it was fitted: in words, and as a line of the chart. It is a
//! description, and is shown with the arguments against it.

use crate::chart::Line;
use crate::figure::fixed;
use brunt_capacity::{Usl, UslBetween, UslError, rate};

/// Points of the line.
const POINTS: u32 = 40;

/// The result of the fit, or why there is none.
pub(super) fn words(fit: &Result<Usl, UslError>) -> Vec<String> {
    let usl = match fit {
        Ok(usl) => usl,
        Err(why) => return vec![format!("No Universal Scalability Law: {why}.")],
    };
    let (least, greatest) = usl.measured;
    let mut lines = vec![format!(
        "Universal Scalability Law (--usl), fitted to {} steps with {least:.2} to {greatest:.2} requests in the \
         system at a time, by Little's law: lambda {}, sigma {}, kappa {} (90%). The mean response time of a step is \
         up to {:.0}% away from it.",
        usl.steps,
        between(usl.lambda, 1),
        between(usl.sigma, 4),
        between(usl.kappa, 6),
        100.0 * usl.apart
    )];
    let limit = match (usl.peak, usl.approaches) {
        (Some(peak), _) => format!(
            "Its highest rate is {} with {} in the system",
            rate(peak.rate),
            fixed(Some(peak.concurrency), 1)
        ),
        (None, Some(approaches)) => format!("It approaches {}", rate(approaches)),
        (None, None) => "It has no highest rate".to_owned(),
    };
    lines.push(format!("{limit}. This describes the measured steps and is no claim."));
    lines.extend(usl.doubts.iter().map(|doubt| format!("Do not trust it: {doubt}.")));
    lines
}

fn between(of: UslBetween, digits: usize) -> String {
    let [value, least, most] = [of.value, of.least, of.most].map(|it| fixed(Some(it), digits));
    format!("{value} ({least} to {most})")
}

/// Mean response time over the rate, from the least concurrency that was measured to the greatest.
pub(super) fn line(usl: &Usl, series: usize) -> Line {
    let (least, greatest) = usl.measured;
    let points = (0..=POINTS).map(|number| {
        let n = least * (greatest / least).powf(f64::from(number) / f64::from(POINTS));
        let (mean_s, rate) = usl.at(n);
        (rate, 1e3 * mean_s)
    });
    let points = points.filter(|(rate, millis)| rate.is_finite() && *rate > 0.0 && *millis > 0.0);
    Line { name: "mean by the USL".to_owned(), points: points.collect(), published: true, series }
}
