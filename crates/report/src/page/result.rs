//! What is at the top of the page of a run, for a reader who reads nothing else: its outcome, whether to trust it, the
//! objectives, four figures, and what to do next.
//!
//! Words come before colours: an outcome has a mark of its own shape, and a bar has its limit as a tick.

use super::list::list;
use super::{Block, Verdict};
use crate::escaped::escaped;
use brunt_record::OutcomeTone;
use std::fmt::{Result, Write};

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunResult {
    /// How good that is.
    pub tone: OutcomeTone,
    /// In a word.
    pub word: String,
    /// In a few sentences.
    pub words: String,
    /// In further sentences, in smaller letters; empty for none.
    pub more: String,
}

impl RunResult {
    /// All of it.
    pub fn sentence(&self) -> String {
        format!("{}. {} {}", self.word, self.words, self.more).trim_end().to_owned()
    }
}

/// One of the figures that matter most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Number {
    /// The name that scripts and sites use.
    pub key: &'static str,
    /// What it is.
    pub name: String,
    /// The figure.
    pub value: String,
    /// Its unit.
    pub unit: String,
    /// What a reader should know about it; empty for nothing.
    pub below: String,
    /// Whether it is what was bad about the run.
    pub is_bad: bool,
}

/// An objective, and what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The objective as it was given.
    pub text: String,
    /// What was measured.
    pub found: String,
    /// Its outcome, in a word.
    pub word: String,
    /// How good that is.
    pub tone: OutcomeTone,
    /// What was measured as a share of the limit, if that can be drawn.
    pub share: Option<f64>,
    /// What determines the figure, where that is not obvious.
    pub why: Option<String>,
}

/// What a reader could do next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NextStep {
    /// What.
    pub words: String,
    /// The part of the page with details.
    pub link: Option<&'static str>,
    /// The command that does it.
    pub command: Option<String>,
    /// What it gives.
    pub detail: String,
}

/// A request that failed, and its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedExchange {
    /// Which, and when.
    pub title: String,
    /// What was sent, if the session reported it.
    pub sent: Option<String>,
    /// The same for a shell, if it was sent over HTTP and is all there.
    pub curl: Option<String>,
    /// Its outcome, in a sentence.
    pub message: String,
    /// What was answered, if the session reported it.
    pub answer: Option<String>,
    /// Whether it can be read without being opened.
    pub is_open: bool,
}

/// How long the bar of an objective is, and where its limit is.
const BAR: f64 = 190.0;
const LIMIT_AT: f64 = 148.2;
/// What is between these is never shown to a reader who did not sign in.
const SAMPLE: [&str; 2] = ["<!--sample-->", "<!--/sample-->"];

/// The content of a section without requests and answers, which may contain more about users than a shared page should.
pub fn without_samples(html: &str) -> String {
    let mut left = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, sample)) = rest.split_once(SAMPLE[0]) {
        left.push_str(before);
        rest = sample.split_once(SAMPLE[1]).map_or("", |(_, after)| after);
    }
    left + rest
}

/// The content of a section with words below one of its figures.
pub fn with_words_below(html: &str, key: &str, words: &str) -> String {
    let mark = below(key);
    html.replacen(&mark, &format!("<dd class=\"base\">{}</dd>{mark}", escaped(words)), 1)
}

/// Where more words can be added below a figure.
fn below(key: &str) -> String {
    format!("<!--below {key}-->")
}

/// The class of a mark.
const fn mark(tone: OutcomeTone) -> &'static str {
    match tone {
        OutcomeTone::Plain => "out",
        OutcomeTone::Good => "out good",
        OutcomeTone::Care => "out care",
        OutcomeTone::Bad => "out bad",
    }
}

/// Adds a block of these kinds.
pub(super) fn block(text: &mut String, block: &Block) -> Result {
    match block {
        Block::Result(result) => self::run_result(text, result),
        Block::Trust(verdict) => trust(text, verdict),
        Block::Numbers(numbers) => self::numbers(text, numbers),
        Block::Goals(goals) => self::goals(text, goals),
        Block::Next(steps) => next(text, steps),
        Block::Failed(failed) => self::failed(text, failed),
        _ => Ok(()),
    }
}

fn run_result(text: &mut String, result: &RunResult) -> Result {
    let (mark, word, words) = (mark(result.tone), escaped(&result.word), escaped(&result.words));
    writeln!(text, "<p class=\"lead\"><span class=\"{mark}\">{word}.</span> {words}</p>")?;
    if result.more.is_empty() {
        return Ok(());
    }
    writeln!(text, "<p class=\"also\">{}</p>", escaped(&result.more))
}

fn trust(text: &mut String, verdict: &Verdict) -> Result {
    let (word, meaning) = (escaped(&verdict.word), escaped(&verdict.meaning));
    writeln!(text, "<div class=\"trust\">\n<p><strong>{word}:</strong> {meaning}</p>")?;
    if !verdict.reasons.is_empty() {
        list(text, &verdict.reasons)?;
    }
    writeln!(text, "</div>")
}

fn numbers(text: &mut String, numbers: &[Number]) -> Result {
    text.push_str("<dl class=\"tiles four\">\n");
    for number in numbers {
        let Number { key, name, value, unit, below: words, is_bad } = number;
        let [name, value, unit, words] = [name, value, unit, words].map(|words| escaped(words));
        let class = if *is_bad { " class=\"bad\"" } else { "" };
        write!(
            text,
            "<div><dt>{name}</dt><dd data-figure=\"{key}\"{class}>{value} <small>{unit}</small></dd>"
        )?;
        if !words.is_empty() {
            write!(text, "<dd class=\"base\">{words}</dd>")?;
        }
        writeln!(text, "{}</div>", below(key))?;
    }
    writeln!(text, "</dl>")
}

fn goals(text: &mut String, goals: &[Goal]) -> Result {
    text.push_str("<ul class=\"slo\">\n");
    for goal in goals {
        let [what, found, word] = [&goal.text, &goal.found, &goal.word].map(|words| escaped(words));
        writeln!(text, "<li><span>{what}</span><span class=\"v\">{found}</span>{}", bar(goal))?;
        writeln!(
            text,
            "<span class=\"w\"><span class=\"{}\">{word}</span></span>",
            mark(goal.tone)
        )?;
        if let Some(why) = &goal.why {
            writeln!(text, "<small>{}</small>", escaped(why))?;
        }
        text.push_str("</li>\n");
    }
    writeln!(text, "</ul>")
}

/// What was measured, beside the limit. It has an element of its size where there is nothing to draw.
fn bar(goal: &Goal) -> String {
    let Some(share) = goal.share else { return "<span></span>".to_owned() };
    let wide = (share * LIMIT_AT).clamp(1.5, BAR);
    let bad = if goal.tone == OutcomeTone::Bad { " bad" } else { "" };
    format!(
        "<svg viewBox=\"0 0 190 14\" width=\"190\" height=\"14\" aria-hidden=\"true\"><rect class=\"trk\" y=\"5\" \
         width=\"190\" height=\"5\" rx=\"2.5\"/><rect class=\"fil{bad}\" y=\"5\" width=\"{wide:.1}\" height=\"5\" \
         rx=\"2.5\"/><path class=\"tick\" d=\"M{LIMIT_AT} 1v13\"/></svg>"
    )
}

fn next(text: &mut String, steps: &[NextStep]) -> Result {
    text.push_str("<ul class=\"next\">\n");
    for NextStep { words, link, command, detail } in steps {
        let (words, detail) = (escaped(words), escaped(detail));
        match link {
            Some(link) => write!(text, "<li><a href=\"#{link}\">{words}</a>")?,
            None => write!(text, "<li><b>{words}</b>")?,
        }
        if !detail.is_empty() {
            write!(text, "<small>{detail}</small>")?;
        }
        if let Some(command) = command {
            write!(text, "<pre class=\"command\" tabindex=\"0\">{}</pre>", escaped(command))?;
        }
        text.push_str("</li>\n");
    }
    writeln!(text, "</ul>")
}

fn failed(text: &mut String, failed: &FailedExchange) -> Result {
    let FailedExchange { title, sent, curl, message, answer, is_open } = failed;
    let [from, to] = SAMPLE;
    let open = if *is_open { " open" } else { "" };
    let part = |name: &str, words: &str| {
        format!("<div><p>{name}</p><pre tabindex=\"0\">{}</pre></div>", escaped(words))
    };
    let optional = |name: &str, words: &Option<String>| {
        words.as_deref().map_or_else(String::new, |words| part(name, words))
    };
    writeln!(
        text,
        "{from}<details class=\"sample\"{open}><summary>{}</summary><p>{}</p>\
         <div class=\"ex\">{}{}</div>{}</details>{to}",
        escaped(title),
        escaped(message),
        optional("sent", sent),
        optional("answered", answer),
        optional("the request for a shell", curl)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_page_omits_requests_and_answers() {
        let mut text = "before".to_owned();
        for secret in ["uid=user.17", "<!--/sample--> uid=user.18"] {
            let one = FailedExchange {
                title: secret.to_owned(),
                sent: Some(secret.to_owned()),
                curl: Some(secret.to_owned()),
                message: secret.to_owned(),
                answer: Some(secret.to_owned()),
                is_open: false,
            };
            failed(&mut text, &one).unwrap();
            text.push_str("between");
        }
        assert!(text.contains("uid=user.18"));
        assert_eq!(without_samples(&text).replace('\n', ""), "beforebetweenbetween");
        assert_eq!(without_samples("nothing"), "nothing");
        // One that was cut in its middle is left out to the end.
        assert_eq!(without_samples("a<!--sample-->b"), "a");
    }

    #[test]
    fn words_are_added_only_below_their_figure() {
        let mut text = String::new();
        let number = |key| Number { key, value: "7".to_owned(), ..Number::default() };
        numbers(&mut text, &[number("p50"), number("p99")]).unwrap();
        let added = with_words_below(&text, "p99", "baseline < 8");
        let (before, after) = added.split_once("<dd class=\"base\">baseline &lt; 8</dd>").unwrap();
        assert!(before.contains("data-figure=\"p99\"") && !after.contains("data-figure"));
        assert_eq!(with_words_below(&text, "p98", "nothing"), text);
    }

    #[test]
    fn bar_length_is_limited_to_its_track() {
        let goal = |share, tone| Goal {
            text: String::new(),
            found: String::new(),
            word: String::new(),
            tone,
            share,
            why: None,
        };
        assert!(bar(&goal(Some(0.5), OutcomeTone::Good)).contains("width=\"74.1\""));
        let over = bar(&goal(Some(40.0), OutcomeTone::Bad));
        assert!(over.contains("class=\"fil bad\" y=\"5\" width=\"190.0\""), "{over}");
        assert_eq!(bar(&goal(None, OutcomeTone::Care)), "<span></span>");
    }
}
