//! Times on pages: one way to show them.
//!
//! The server does not know the time zone of the reader. So a page shows times in UTC, marked as such; a script shows
//! it in the time zone of the browser, and the title keeps UTC.

use jiff::Timestamp;
use maud::{Markup, Render, html};

/// A time, given in RFC 3339.
pub(super) fn moment(text: &str) -> Markup {
    let Ok(at) = text.parse::<Timestamp>() else { return html! { (text) } };
    html! {
        time datetime=(at) title=(at.strftime("%Y-%m-%d %H:%M:%S UTC")) { (at.strftime("%Y-%m-%d %H:%M UTC")) }
    }
}

/// A time, given in seconds since 1970.
pub(super) fn moment_of(seconds: i64) -> Markup {
    let text = Timestamp::from_second(seconds).map(|at| at.to_string()).unwrap_or_default();
    moment(&text)
}

/// How much of a time is shown where there is little room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    Day,
    Minute,
    Second,
    Clock,
}

impl Grain {
    /// The word for the script, and the format of UTC.
    const fn named(self) -> (&'static str, &'static str) {
        match self {
            Self::Day => ("day", "%-d %b"),
            Self::Minute => ("minute", "%-d %b, %H:%M"),
            Self::Second => ("second", "%-d %b, %H:%M:%S"),
            Self::Clock => ("clock", "%H:%M"),
        }
    }
}

/// A time where there is little room: in a heading, a legend, a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Brief {
    pub(super) at: Timestamp,
    pub(super) grain: Grain,
}

impl Brief {
    /// The time in UTC, without its zone.
    pub(super) fn text(&self) -> String {
        self.at.strftime(self.grain.named().1).to_string()
    }

    fn whole(&self) -> String {
        self.at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
    }

    /// The time as a text of a drawing, in the middle above this place.
    pub(super) fn drawn(&self, (x, y): (f64, f64)) -> Markup {
        html! {
            text.m x=(x) y=(y) data-time=(self.at) data-as=(self.grain.named().0) {
                (self.text()) title { (self.whole()) }
            }
        }
    }
}

impl Render for Brief {
    fn render(&self) -> Markup {
        html! {
            time datetime=(self.at) title=(self.whole()) data-as=(self.grain.named().0) { (self.text()) }
        }
    }
}

/// Says in which time zone times are shown.
pub(super) fn zone() -> Markup {
    html! { span data-zone { "Times are in UTC." } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_shows_its_zone_without_scripts() {
        let shown = moment("2026-11-27T13:32:07.5Z").into_string();
        let wanted = "<time datetime=\"2026-11-27T13:32:07.5Z\" title=\"2026-11-27 13:32:07 UTC\">\
                      2026-11-27 13:32 UTC</time>";
        assert_eq!(shown, wanted);
        assert_eq!(moment("yesterday").into_string(), "yesterday");
        assert_eq!(
            moment_of(1_795_786_327).into_string(),
            moment("2026-11-27T13:32:07Z").into_string()
        );
        let at = "2026-11-27T13:32:07Z".parse().unwrap();
        let brief = Brief { at, grain: Grain::Minute }.render().into_string();
        assert!(brief.contains("title=\"2026-11-27 13:32:07 UTC\" data-as=\"minute\""), "{brief}");
        assert!(brief.contains(">27 Nov, 13:32<"), "{brief}");
    }
}
