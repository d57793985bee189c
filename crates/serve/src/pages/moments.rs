//! Times on pages: one way to show them.
//!
//! A page is made before it is known in which time zone its reader is. So it shows a time in UTC and says so; a script
//! shows it in the time zone of the browser, and the title keeps UTC.

use jiff::Timestamp;
use maud::{Markup, html};

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

/// Says in which time zone times are shown.
pub(super) fn zone() -> Markup {
    html! { span data-zone { "Times are in UTC." } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_says_its_zone_without_scripts_and_keeps_it_with_them() {
        let shown = moment("2026-11-27T13:32:07.5Z").into_string();
        let wanted = "<time datetime=\"2026-11-27T13:32:07.5Z\" title=\"2026-11-27 13:32:07 UTC\">\
                      2026-11-27 13:32 UTC</time>";
        assert_eq!(shown, wanted);
        assert_eq!(moment("yesterday").into_string(), "yesterday");
        assert_eq!(
            moment_of(1_795_786_327).into_string(),
            moment("2026-11-27T13:32:07Z").into_string()
        );
    }
}
