//! A page as HTML: one file that fetches nothing and can be mailed and printed.
//!
//! A policy within the file forbids a browser to load anything, and to run anything except the one script whose hash it
//! names. So text from a server stays text even if our code forgot to escape it. The script adds moving charts, sorting
//! and copying: words, tables and still pictures are there without it.

use super::list::list;
use super::{Block, Column, Drawing, Page, Side, Table, Tone, Verdict, result, script};
use crate::escaped::escaped;
use crate::wrapped::command_line;
use brunt_exchange::without_directions;
use std::fmt::Write;

const STYLE: &str = concat!(include_str!("page.css"), include_str!("run.css"));
const LICENCE: &str = include_str!("../../vendor/uplot/LICENSE");

/// What a page that is served may do in addition.
#[derive(Clone, Copy, Debug, Default)]
struct Served<'a> {
    /// The code that it runs after the script of every page.
    script: &'a str,
    /// Whether it may connect to its server.
    connects: bool,
}

/// Renders a page.
pub(super) fn render(page: &Page) -> String {
    whole(page, Served::default())
}

/// Renders a page that is served, and runs this script.
pub(super) fn live(page: &Page, script: &str) -> String {
    whole(page, Served { script, connects: true })
}

/// The style of a page with charts.
pub(super) fn style() -> String {
    format!("{}\n{STYLE}", script::UPLOT_STYLE)
}

fn whole(page: &Page, served: Served<'_>) -> String {
    let title = escaped(&page.title);
    let script = script::script(page.view.is_some(), served.script);
    let connect = if served.connects { "; connect-src 'self'" } else { "" };
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src {}{connect}; base-uri 'none'; form-action 'none'",
        script::hash(&script)
    );
    let charts = if page.view.is_some() { script::UPLOT_STYLE } else { "" };
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"brunt {}\">\n\
         <title>{title}</title>\n<style>\n{charts}\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        env!("CARGO_PKG_VERSION")
    );
    let sections = sections(page);
    // Links to sections come after the parts that are read without them.
    let titled = sections.iter().position(|section| !section.title.is_empty());
    let titled = titled.unwrap_or(sections.len());
    if titled > 1 {
        text.push_str("<div class=\"run\">\n");
    }
    for (number, Section { id, html, .. }) in sections.iter().enumerate() {
        if number == titled {
            contents(&mut text, &sections[titled..]);
        }
        let _ = writeln!(text, "<section id=\"{id}\">\n{html}</section>");
    }
    if titled > 1 {
        text.push_str("</div>\n");
    }
    foot(&mut text, page);
    text.push_str("</main>\n");
    if let Some(view) = &page.view {
        let island = island(&serde_json::to_string(view).unwrap_or_default());
        let _ = writeln!(text, "<script type=\"application/json\" id=\"view\">{island}</script>");
    }
    let _ = writeln!(text, "<script>{script}</script>\n</body>\n</html>");
    without_directions(text)
}

/// JSON within a page: nothing in it can close the element that contains it.
fn island(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// The content under one heading.
pub(super) struct Section {
    /// The name that links use: its heading in small letters.
    pub(super) id: String,
    /// Its heading, escaped; empty for the parts above the first.
    title: String,
    /// Its content.
    pub(super) html: String,
}

/// The page in pieces: the content above the first heading, then the content under each.
pub(super) fn sections(page: &Page) -> Vec<Section> {
    let mut top = String::new();
    let is_lead = |block: &Block| matches!(block, Block::Lead(_) | Block::Result(_));
    let large = !page.blocks.iter().any(is_lead);
    let class = if large { " class=\"large\"" } else { "" };
    let _ = writeln!(top, "<h1{class}>{}</h1>", escaped(&page.title));
    if !page.about.is_empty() {
        let _ = writeln!(top, "<p class=\"meta\">{}</p>", escaped(&page.about));
    }
    let mut sections = vec![Section { id: "top".to_owned(), title: String::new(), html: top }];
    for (number, block) in page.blocks.iter().enumerate() {
        if let Block::Heading(heading) = block {
            let (id, title) = (named(heading, &sections), escaped(heading));
            sections.push(Section { html: format!("<h2>{title}</h2>\n"), id, title });
        } else if let Block::Part(id, heading) = block {
            let (id, title) = ((*id).to_owned(), String::new());
            let html = heading.as_ref().map(|heading| format!("<h2>{}</h2>\n", escaped(heading)));
            sections.push(Section { html: html.unwrap_or_default(), id, title });
        } else if let Some(section) = sections.last_mut() {
            self::block(&mut section.html, block, number);
        }
    }
    sections
}

/// A name for links that no earlier section has.
fn named(heading: &str, before: &[Section]) -> String {
    let words = heading.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-").to_lowercase();
    let name = if name.is_empty() { "section".to_owned() } else { name };
    let taken = |name: &str| before.iter().any(|section| section.id == name);
    if !taken(&name) {
        return name;
    }
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    numbered.into_iter().find(|name| !taken(name)).unwrap_or(name)
}

/// Links to the sections, where there are enough to be useful.
fn contents(text: &mut String, sections: &[Section]) {
    if sections.len() < 3 {
        return;
    }
    text.push_str("<nav aria-label=\"Contents\"><ul>");
    for Section { id, title, .. } in sections {
        let _ = write!(text, "<li><a href=\"#{id}\">{title}</a></li>");
    }
    text.push_str("</ul></nav>\n");
}

/// The program that made the page, and the licence of its contents.
fn foot(text: &mut String, page: &Page) {
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(text, "<footer>\n<p>Made by brunt {version}.</p>");
    if page.view.is_some() {
        let _ = writeln!(
            text,
            "<details><summary>Charts are drawn by uPlot 1.6.32: its licence</summary>\
             <pre tabindex=\"0\">{}</pre></details>",
            escaped(LICENCE)
        );
    }
    text.push_str("</footer>\n");
}

fn block(text: &mut String, block: &Block, number: usize) {
    let _ = match block {
        // The caller makes sections from them.
        Block::Heading(_) | Block::Part(..) => Ok(()),
        Block::Columns(blocks) => columns(text, blocks, number),
        Block::Lead(words) => writeln!(text, "<p class=\"lead\">{}</p>", escaped(words)),
        Block::Verdict(verdict) => self::verdict(text, verdict),
        Block::Paragraph(words) => writeln!(text, "<p>{}</p>", escaped(words)),
        Block::Note(words) => writeln!(text, "<p class=\"note\">{}</p>", escaped(words)),
        Block::Warning(words) => {
            writeln!(text, "<p class=\"warning\"><strong>Warning:</strong> {}</p>", escaped(words))
        }
        Block::List(items) => list(text, items),
        Block::Table(table) => {
            self::table(text, table);
            Ok(())
        }
        Block::Tree(tree) => {
            tree.html(text);
            Ok(())
        }
        Block::Chart(chart) => {
            // A small screen shows a part of it, since all of it would be too small to read.
            writeln!(
                text,
                "<figure>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{}</div>\n\
                 </figure>",
                escaped(chart.title()),
                chart.svg(&format!("c{number}"))
            )
        }
        Block::Drawing(drawing) => self::drawing(text, drawing),
        Block::Choice => writeln!(text, "<div class=\"choice\" data-choice></div>"),
        Block::Facts(facts) => self::facts(text, facts),
        Block::Command(words) => {
            writeln!(
                text,
                "<pre class=\"command\" tabindex=\"0\">{}</pre>",
                escaped(&command_line(words, usize::MAX))
            )
        }
        Block::Folded { title, blocks } => {
            let _ = writeln!(text, "<details><summary>{}</summary>", escaped(title));
            within(text, blocks, number);
            writeln!(text, "</details>")
        }
        Block::Raw { title, text: raw } => writeln!(
            text,
            "<details><summary>{}</summary><pre tabindex=\"0\">{}</pre></details>",
            escaped(title),
            escaped(raw)
        ),
        of_run => result::block(text, of_run),
    };
}

/// Blocks of a block. Charts name their parts by the number of their block, which must be unique.
fn within(text: &mut String, blocks: &[Block], number: usize) {
    for (inner, block) in blocks.iter().enumerate() {
        self::block(text, block, (number + 1) * 1_000 + inner);
    }
}

fn columns(text: &mut String, blocks: &[Block], number: usize) -> std::fmt::Result {
    text.push_str("<div class=\"cols\">\n");
    within(text, blocks, number);
    writeln!(text, "</div>")
}

fn facts(text: &mut String, facts: &[(String, String)]) -> std::fmt::Result {
    text.push_str("<dl class=\"facts\">\n");
    for (name, value) in facts {
        writeln!(text, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value))?;
    }
    writeln!(text, "</dl>")
}

fn verdict(text: &mut String, verdict: &Verdict) -> std::fmt::Result {
    let class = match verdict.tone {
        Tone::Plain => "verdict",
        Tone::Beside => "verdict care",
        Tone::Doubtful => "verdict bad",
    };
    let (word, meaning) = (escaped(&verdict.word), escaped(&verdict.meaning));
    writeln!(text, "<div class=\"{class}\">\n<p><strong>{word}.</strong> {meaning}</p>")?;
    if !verdict.reasons.is_empty() {
        list(text, &verdict.reasons)?;
    }
    writeln!(text, "</div>")
}

fn drawing(text: &mut String, drawing: &Drawing) -> std::fmt::Result {
    let [id, title, unit, note] =
        [&drawing.id, &drawing.title, &drawing.unit, &drawing.note].map(|words| escaped(words));
    let unit = if unit.is_empty() { unit } else { format!(" <span class=\"unit\">{unit}</span>") };
    writeln!(
        text,
        "<figure data-plot=\"{id}\">\n<figcaption>{title}{unit}</figcaption>\n<div class=\"drawn\"></div>\n\
         <div class=\"still\">{}</div>",
        drawing.still
    )?;
    if !note.is_empty() {
        writeln!(text, "<p class=\"note\">{note}</p>")?;
    }
    writeln!(text, "</figure>")
}

fn table(text: &mut String, table: &Table) {
    table_begins(text, table, "data");
    for row in &table.rows {
        text.push_str(match row.tone {
            Tone::Plain => "<tr>",
            Tone::Beside => "<tr class=\"beside\">",
            Tone::Doubtful => "<tr class=\"doubtful\">",
        });
        cells(text, &table.columns, &row.cells);
        text.push_str("</tr>\n");
    }
    table_ends(text, table);
}

/// Everything above the rows of a table of this class.
pub(super) fn table_begins(text: &mut String, table: &Table, class: &str) {
    let caption = escaped(&table.caption);
    let _ = writeln!(
        text,
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n\
         <table class=\"{class}\">\n<caption>{caption}</caption>\n<thead><tr>"
    );
    for column in &table.columns {
        let (side, title) = (side(Some(column)), escaped(&column.title));
        let _ = write!(text, "<th scope=\"col\"{side}>{title}</th>");
    }
    text.push_str("</tr></thead>\n<tbody>\n");
}

/// The cells of a row. The first names it.
pub(super) fn cells(text: &mut String, columns: &[Column], cells: &[String]) {
    for (number, cell) in cells.iter().enumerate() {
        let (cell, side) = (escaped(cell), side(columns.get(number)));
        let _ = if number == 0 {
            write!(text, "<th scope=\"row\"{side}>{cell}</th>")
        } else {
            write!(text, "<td{side}>{cell}</td>")
        };
    }
}

/// Everything below the rows of a table.
pub(super) fn table_ends(text: &mut String, table: &Table) {
    text.push_str("</tbody>\n</table>\n</div>\n");
    for note in &table.notes {
        let _ = writeln!(text, "<p class=\"note\">{}</p>", escaped(note));
    }
}

/// The class of a cell in a column.
fn side(column: Option<&Column>) -> &'static str {
    match column.map(|column| column.side) {
        Some(Side::Left) => " class=\"name\"",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Bar, Bars, Chart, Group};
    use crate::page::{FailedExchange, Goal, NextStep, Number, RunResult, Sparkline, Tree};
    use brunt_record::OutcomeTone;

    const EVIL: &str = "</title><script>alert('x')</script>\"&\u{7}\u{202e}";

    /// The page without our own script, which is known.
    fn words(page: &Page) -> String {
        let script = script::script(page.view.is_some(), "");
        let html = page.html();
        assert_eq!(html.matches(&script).count(), 1);
        html.replace(&format!("<script>{script}</script>"), "")
    }

    /// Adds the blocks of the page of a run.
    fn what_is_of_a_run(page: &mut Page) {
        let evil = || EVIL.to_owned();
        page.push(Block::Result(RunResult {
            tone: OutcomeTone::Bad,
            word: evil(),
            words: evil(),
            more: evil(),
        }));
        page.push(Block::Numbers(vec![Number {
            key: "p50",
            name: evil(),
            value: evil(),
            unit: evil(),
            below: evil(),
            is_bad: false,
        }]));
        page.push(Block::Goals(vec![Goal {
            text: evil(),
            found: evil(),
            word: evil(),
            tone: OutcomeTone::Bad,
            share: None,
            why: Some(evil()),
        }]));
        page.push(Block::Next(vec![NextStep {
            words: evil(),
            link: None,
            command: Some(evil()),
            detail: evil(),
        }]));
        page.push(Block::Columns(vec![Block::Failed(FailedExchange {
            title: evil(),
            sent: Some(evil()),
            curl: Some(evil()),
            message: evil(),
            answer: Some(evil()),
            is_open: true,
        })]));
        page.part("result", Some(EVIL));
    }

    #[test]
    fn html_escapes_text_everywhere() {
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
        let mut table = Table::new(EVIL).names([EVIL]);
        table.row(Tone::Plain, [EVIL]);
        let sparklines = vec![Sparkline { values: vec![Some(1.0)], words: evil() }];
        page.push(Block::Tree(Tree { table, levels: vec![1], sparklines, course: evil() }));
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
        page.about = evil();
        page.folded(evil(), vec![Block::Note(evil())]);
        page.push(Block::Lead(evil()));
        page.push(Block::Note(evil()));
        page.push(Block::Command(vec![evil()]));
        what_is_of_a_run(&mut page);
        page.push(Block::Verdict(Verdict {
            tone: Tone::Plain,
            word: evil(),
            meaning: evil(),
            reasons: vec![evil()],
        }));
        let still = String::new();
        page.push(Block::Drawing(Drawing {
            id: evil(),
            title: evil(),
            unit: evil(),
            note: evil(),
            still,
        }));
        let html = words(&page);
        assert!(!html.contains("<script") && !html.contains("alert('x')"), "{html}");
        assert!(!html.contains('\u{7}') && !html.contains('\u{202e}'));
        let shown = "&lt;/title&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;\u{fffd}\u{fffd}";
        // The title twice; headings three times and as often in the contents; and so on.
        assert!(
            html.matches(shown).count() >= 2 + 6 + 3 + 6 + 2 + 2 + 6 + 3 + 3 + 15 + 4 + 2,
            "{html}"
        );
        let sections = page.sections();
        assert!(sections.iter().all(|(_, html)| !html.contains("<script")));
    }

    #[test]
    fn html_view_data_cannot_close_its_element() {
        let mut page = Page::new("T");
        let operations = vec![EVIL.to_owned(), "<!--".to_owned()];
        page.view = Some(crate::view::View { operations, ..crate::view::View::default() });
        let html = words(&page);
        let island = html.split_once("id=\"view\">").unwrap().1.split_once("</script>").unwrap().0;
        assert!(!island.contains('<'), "{island}");
        let read: crate::view::View = serde_json::from_str(island).unwrap();
        // A mark that turns the text around it is the only thing that is not as it was.
        let operations = vec![EVIL.replace('\u{202e}', "\u{fffd}"), "<!--".to_owned()];
        assert_eq!(read, crate::view::View { operations, ..crate::view::View::default() });
    }

    #[test]
    fn html_policy_allows_only_its_own_script() {
        let mut page = Page::new("T");
        let named = |html: &str| {
            let policy = html.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
            policy.split('"').next().unwrap().to_owned()
        };
        for with_charts in [false, true] {
            page.view = with_charts.then(crate::view::View::default);
            let html = page.html();
            let run = html.rsplit_once("<script>").unwrap().1.split_once("</script>").unwrap().0;
            let policy = named(&html);
            assert!(policy.contains(&format!("script-src {};", script::hash(run))), "{policy}");
            assert!(!policy.contains("connect-src") && policy.starts_with("default-src 'none'"));
            assert_eq!(run.contains("uPlot=function"), with_charts);
        }
        let html = page.live_html("brunt.append([]);");
        assert!(named(&html).contains("connect-src 'self'"));
        assert!(html.contains("brunt.append([]);\n</script>"));
    }

    #[test]
    fn html_sections_have_unique_ids() {
        let mut page = Page::new("T");
        for heading in ["Heat map", "Heat map", "…", "top"] {
            page.heading(heading);
        }
        let names: Vec<String> = page.sections().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["top", "heat-map", "heat-map-2", "section", "top-2"]);
    }

    #[test]
    fn html_is_well_formed_and_fetches_nothing() {
        let mut page = Page::new("T");
        let mut table = Table::new("Rates").names(["store"]).figures(["create"]);
        table.row(Tone::Plain, ["sqlite", "1.5"]);
        page.table(table);
        page.list(vec!["a".to_owned()]);
        let html = words(&page);
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
