//! A page as HTML: one file with no script and nothing to fetch, which can be mailed and printed.
//!
//! A policy within the file forbids a browser to load or run anything, so that a text which came
//! from a server stays a text even if one of ours forgot to escape it.

use super::{Block, Page, Side, Table, Tone};
use crate::escaped::escaped;
use std::fmt::Write;

const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const STYLE: &str = include_str!("page.css");

/// Renders a page.
pub(super) fn render(page: &Page) -> String {
    let title = escaped(&page.title);
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"brunt {}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n",
        env!("CARGO_PKG_VERSION")
    );
    contents(&mut text, page);
    let mut section = 0;
    for (number, block) in page.blocks.iter().enumerate() {
        if let Block::Heading(heading) = block {
            section += 1;
            let heading = escaped(heading);
            let _ = writeln!(text, "<h2 id=\"s{section}\">{heading}</h2>");
        } else {
            self::block(&mut text, block, number);
        }
    }
    text.push_str("</main>\n</body>\n</html>\n");
    text
}

/// Links to the sections, where there are enough to look for one.
fn contents(text: &mut String, page: &Page) {
    let headings = page.blocks.iter().filter_map(|block| match block {
        Block::Heading(heading) => Some(escaped(heading)),
        _ => None,
    });
    let headings: Vec<String> = headings.collect();
    if headings.len() < 3 {
        return;
    }
    text.push_str("<nav aria-label=\"Contents\"><ul>");
    for (number, heading) in (1..).zip(headings) {
        let _ = write!(text, "<li><a href=\"#s{number}\">{heading}</a></li>");
    }
    text.push_str("</ul></nav>\n");
}

fn block(text: &mut String, block: &Block, number: usize) {
    let _ = match block {
        // The caller numbers them.
        Block::Heading(_) => Ok(()),
        Block::Paragraph(words) => writeln!(text, "<p>{}</p>", escaped(words)),
        Block::Warning(words) => {
            writeln!(text, "<p class=\"warning\"><strong>Warning:</strong> {}</p>", escaped(words))
        }
        Block::List(items) => {
            text.push_str("<ul>\n");
            for item in items {
                let _ = writeln!(text, "<li>{}</li>", escaped(item));
            }
            writeln!(text, "</ul>")
        }
        Block::Table(table) => {
            self::table(text, table);
            Ok(())
        }
        Block::Chart(chart) => {
            writeln!(text, "<figure>\n{}</figure>", chart.svg(&format!("c{number}")))
        }
        Block::Facts(facts) => {
            text.push_str("<dl>\n");
            for (name, value) in facts {
                let (name, value) = (escaped(name), escaped(value));
                let _ = writeln!(text, "<dt>{name}</dt><dd>{value}</dd>");
            }
            writeln!(text, "</dl>")
        }
        Block::Raw { title, text: raw } => writeln!(
            text,
            "<details><summary>{}</summary><pre tabindex=\"0\">{}</pre></details>",
            escaped(title),
            escaped(raw)
        ),
    };
}

fn table(text: &mut String, table: &Table) {
    let side = |number: usize| match table.columns.get(number).map(|column| column.side) {
        Some(Side::Left) => " class=\"name\"",
        _ => "",
    };
    let caption = escaped(&table.caption);
    let _ = writeln!(
        text,
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n\
         <table>\n<caption>{caption}</caption>\n<thead><tr>"
    );
    for (number, column) in table.columns.iter().enumerate() {
        let _ = write!(text, "<th scope=\"col\"{}>{}</th>", side(number), escaped(&column.title));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        text.push_str(match row.tone {
            Tone::Plain => "<tr>",
            Tone::Beside => "<tr class=\"beside\">",
            Tone::Doubtful => "<tr class=\"doubtful\">",
        });
        for (number, cell) in row.cells.iter().enumerate() {
            let (cell, side) = (escaped(cell), side(number));
            let _ = if number == 0 {
                write!(text, "<th scope=\"row\"{side}>{cell}</th>")
            } else {
                write!(text, "<td{side}>{cell}</td>")
            };
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody>\n</table>\n");
    for note in &table.notes {
        let _ = writeln!(text, "<p class=\"note\">{}</p>", escaped(note));
    }
    text.push_str("</div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Bar, Bars, Chart, Group};

    const EVIL: &str = "</title><script>alert('x')</script>\"&\u{7}";

    #[test]
    fn no_text_becomes_markup_wherever_it_stands() {
        let evil = || EVIL.to_owned();
        let mut page = Page::new(EVIL);
        for _ in 0..3 {
            page.heading(EVIL);
        }
        page.paragraph(EVIL);
        page.warning(EVIL);
        page.list(vec![evil()]);
        let mut table = Table::new(EVIL).names([EVIL]).figures([EVIL]);
        table.row(Tone::Doubtful, [EVIL, EVIL]);
        table.note(EVIL);
        page.table(table);
        page.facts(vec![(evil(), evil())]);
        page.raw(EVIL, EVIL);
        page.chart(Chart::Bars(Bars {
            title: evil(),
            value: Axis::linear(EVIL),
            series: vec![evil()],
            groups: vec![Group {
                name: evil(),
                bars: vec![Bar { value: Some(1.0), published: Some(2.0) }],
            }],
            published: Some(evil()),
        }));
        let html = page.html();
        assert!(!html.contains("<script") && !html.contains("alert('x')"), "{html}");
        assert!(!html.contains('\u{7}'));
        let shown =
            "&lt;/title&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;\u{fffd}";
        // Title twice; headings thrice and as often in the contents; and so on.
        assert!(html.matches(shown).count() >= 2 + 6 + 3 + 6 + 2 + 2 + 6, "{html}");
    }

    #[test]
    fn every_element_that_is_opened_is_closed_and_nothing_is_fetched() {
        let mut page = Page::new("T");
        let mut table = Table::new("Rates").names(["store"]).figures(["create"]);
        table.row(Tone::Plain, ["sqlite", "1.5"]);
        page.table(table);
        page.list(vec!["a".to_owned()]);
        let html = page.html();
        for element in ["html", "head", "body", "main", "table", "tr", "th", "td", "ul", "li", "p"]
        {
            let opened = html.matches(&format!("<{element}>")).count()
                + html.matches(&format!("<{element} ")).count();
            assert_eq!(opened, html.matches(&format!("</{element}>")).count(), "{element}");
        }
        assert!(
            html.contains("<th scope=\"row\" class=\"name\">sqlite</th><td>1.5</td>"),
            "{html}"
        );
        assert!(html.contains("default-src 'none'"));
        let outside = html.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !outside.contains("http:") && !outside.contains("https:") && !html.contains("src=")
        );
    }
}
