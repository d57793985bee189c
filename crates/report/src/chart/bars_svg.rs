//! Bars as SVG: horizontal, so that their names can be read, with hollow ones below for published figures.

use super::svg::{Entry, WIDTH, fill, framed, length};
use super::{Bar, Bars, Ruler};
use crate::escaped::escaped;
use crate::figure::{exact, short};
use std::fmt::Write;

const BAR: f64 = 13.0;
const HOLLOW: f64 = 5.0;
const GAP: f64 = 4.0;
const HEADING: f64 = 22.0;
/// Room for the figure after the longest bar.
const FIGURE: f64 = 62.0;
const FOOT: f64 = 44.0;

/// The positions of the parts.
struct Frame {
    ruler: Ruler,
    left: f64,
    room: f64,
    height: f64,
}

/// Draws the bars.
pub(super) fn draw(bars: &Bars, id: &str) -> String {
    let longest = bars.series.iter().map(|name| length(name)).fold(0.0, f64::max);
    let left = longest.clamp(40.0, 200.0) + 18.0;
    let pitch = BAR + GAP + if bars.published.is_some() { HOLLOW } else { 0.0 };
    let lines: usize = bars.groups.iter().map(|group| group.bars.len()).sum();
    let height = bars.groups.len() as f64 * HEADING + lines as f64 * pitch;
    let frame = Frame { ruler: bars.ruler(), left, room: WIDTH - left - FIGURE, height };
    let description = description(bars);
    let patterns = bars.series.len();
    framed(id, patterns, [&bars.title, &description], &legend(bars, id), height + FOOT, |text| {
        axis(text, bars, &frame);
        let mut y = 0.0;
        for group in &bars.groups {
            let at = y + HEADING - 7.0;
            let name = escaped(&group.name);
            let _ = writeln!(text, "<text class=\"name\" x=\"0\" y=\"{at:.1}\">{name}</text>");
            y += HEADING;
            for (series, (name, bar)) in bars.series.iter().zip(&group.bars).enumerate() {
                let about = format!("{}, {name}", group.name);
                let fill = fill(id, series);
                row(text, &frame, y, [name, &about, &fill], *bar, bars);
                y += pitch;
            }
        }
    })
}

fn legend<'a>(bars: &'a Bars, id: &str) -> Vec<Entry<'a>> {
    let series = bars.series.iter().enumerate().map(|(series, name)| Entry {
        name,
        picture: format!(
            "<rect class=\"bar\" width=\"22\" height=\"13\" fill=\"{}\"/>",
            fill(id, series)
        ),
    });
    let published = bars.published.iter().map(|name| Entry {
        name,
        picture: format!("<rect class=\"hollow\" y=\"4\" width=\"22\" height=\"{HOLLOW}\"/>"),
    });
    series.chain(published).collect()
}

fn axis(text: &mut String, bars: &Bars, frame: &Frame) {
    let Frame { ruler, left, room, height, .. } = frame;
    for tick in ruler.some_ticks(10) {
        let Some(at) = ruler.at(tick) else { continue };
        let x = left + at * room;
        let (to, below) = (height + 4.0, height + 18.0);
        let _ = writeln!(
            text,
            "<path class=\"grid\" d=\"M{x:.2} 4V{to:.1}\"/>\
             <text class=\"faint middle\" x=\"{x:.2}\" y=\"{below:.1}\">{}</text>",
            short(tick)
        );
    }
    let (middle, below) = (left + room / 2.0, height + 35.0);
    let _ = writeln!(
        text,
        "<path class=\"axis\" d=\"M{left:.1} 4V{height:.1}\"/>\
         <text class=\"faint middle\" x=\"{middle:.1}\" y=\"{below:.1}\">{}</text>",
        escaped(&bars.value.described())
    );
}

/// One bar, the hollow one below it, its name and its figure.
fn row(
    text: &mut String,
    frame: &Frame,
    y: f64,
    [name, about, fill]: [&str; 3],
    bar: Bar,
    bars: &Bars,
) {
    let Frame { ruler, left, room, .. } = frame;
    let (label, base) = (left - 8.0, y + BAR - 3.0);
    let _ = writeln!(
        text,
        "<text class=\"end\" x=\"{label:.1}\" y=\"{base:.1}\">{}</text>",
        escaped(name)
    );
    let length = |value: Option<f64>| value.and_then(|value| ruler.at(value)).map(|at| at * room);
    let unit = escaped(&bars.value.title);
    if let (Some(value), Some(length)) = (bar.value, length(bar.value)) {
        let end = left + length + 5.0;
        let _ = writeln!(
            text,
            "<rect class=\"bar\" x=\"{left:.2}\" y=\"{y:.1}\" width=\"{length:.2}\" height=\"{BAR}\" \
             fill=\"{fill}\"><title>{}: {} {unit}</title></rect>\
             <text x=\"{end:.1}\" y=\"{base:.1}\">{}</text>",
            escaped(about),
            exact(value),
            short(value)
        );
    }
    if let (Some(value), Some(length)) = (bar.published, length(bar.published)) {
        let _ = writeln!(
            text,
            "<rect class=\"hollow\" x=\"{left:.2}\" y=\"{:.1}\" width=\"{length:.2}\" height=\"{HOLLOW}\">\
             <title>{}, {}: {} {unit}</title></rect>",
            y + BAR,
            escaped(about),
            escaped(bars.published.as_deref().unwrap_or("published")),
            exact(value)
        );
    }
}

/// The figures in words, for readers who cannot see the bars.
fn description(bars: &Bars) -> String {
    let mut text = format!("{}.", bars.value.described());
    for group in &bars.groups {
        let figures = bars.series.iter().zip(&group.bars).filter_map(|(name, bar)| {
            let measured = bar.value.map(|value| format!("{name} {}", exact(value)));
            let published = bar.published.map(|value| format!(" (published {})", exact(value)));
            measured.map(|text| text + &published.unwrap_or_default())
        });
        let _ = write!(text, " {}: {}.", group.name, figures.collect::<Vec<_>>().join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Group};

    fn lengths(svg: &str, class: &str) -> Vec<f64> {
        let tag = format!("<rect class=\"{class}\" x=");
        let rects = svg.split(&tag).skip(1);
        rects
            .map(|rest| rest.split("width=\"").nth(1).unwrap().split('"').next().unwrap())
            .map(|width| width.parse().unwrap())
            .collect()
    }

    fn bars(values: &[f64]) -> Bars {
        Bars {
            title: "<Rates>".to_owned(),
            value: Axis::logarithmic("operations a second"),
            series: vec!["create".to_owned()],
            groups: values
                .iter()
                .map(|value| Group {
                    name: format!("a&b {value}"),
                    bars: vec![Bar { value: Some(*value), published: Some(value * 10.0) }],
                })
                .collect(),
            published: Some("2012".to_owned()),
        }
    }

    #[test]
    fn bars_svg_logarithmic_scale_is_even() {
        let svg = draw(&bars(&[26.16, 261.6, 2_616.0]), "c1");
        let measured = lengths(&svg, "bar");
        // From 10 to 100,000: four decades over what the name and the figure leave of 800.
        let decade = (800.0 - (40.0 + 18.0) - 62.0) / 4.0;
        assert_eq!(measured.len(), 3, "{svg}");
        for pair in measured.windows(2) {
            assert!((pair[1] - pair[0] - decade).abs() < 0.02, "{measured:?}");
        }
        assert!((measured[0] - decade * 26.16_f64.log10().fract()).abs() < 0.02, "{measured:?}");
        let hollow = lengths(&svg, "hollow");
        assert!((hollow[0] - measured[1]).abs() < 0.02, "{hollow:?}");
    }

    #[test]
    fn bars_svg_escapes_names_and_describes_figures() {
        let svg = draw(&bars(&[26.16]), "c1");
        assert!(svg.contains("<title>&lt;Rates&gt;</title>") && !svg.contains("<Rates>"), "{svg}");
        assert!(svg.contains("a&amp;b 26.16: create 26.1600 (published 261.60)."), "{svg}");
        assert!(svg.contains("<title>a&amp;b 26.16, create: 26.1600 operations a second</title>"));
        assert!(!svg.contains("<script") && !svg.contains("href"), "{svg}");
    }
}
