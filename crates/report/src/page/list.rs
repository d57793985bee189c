//! A list in HTML.

use crate::escaped::escaped;
use std::fmt::Write;

pub(super) fn list(text: &mut String, items: &[String]) -> std::fmt::Result {
    text.push_str("<ul>\n");
    for item in items {
        writeln!(text, "<li>{}</li>", escaped(item))?;
    }
    writeln!(text, "</ul>")
}
