//! [`Renderer`]: knows what the terminal shows, so that only changes are drawn and written.
//!
//! Of four draws a second, three find the model unchanged: only the clock has advanced. They draw the two rows that
//! show the time and compare only those, so most of the cost of a view is paid once an interval.

use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw::{CLOCK_ROWS, clock, draw};
use super::model::Choice;
use super::picture::Picture;

/// Clears the screen.
const CLEAR: &[u8] = b"\x1b[0m\x1b[2J";

/// The input of a whole drawing, except for the time.
#[derive(Clone, Debug, PartialEq)]
struct Source {
    revision: u64,
    choice: Choice,
    message: Option<String>,
}

/// What the terminal shows.
#[derive(Default)]
pub(super) struct Renderer {
    shown: Buffer,
    /// The input of the last whole drawing.
    drawn: Option<Source>,
}

impl Renderer {
    /// The bytes to write to a terminal of this size; the whole picture if the content of the screen is unknown.
    pub(super) fn draw(
        &mut self,
        (width, height): (u16, u16),
        afresh: bool,
        picture: &Picture<'_>,
    ) -> Vec<u8> {
        let area = Rect::new(0, 0, width, height);
        let mut written = Vec::new();
        if afresh || area != self.shown.area {
            self.shown = Buffer::empty(area);
            self.drawn = None;
            written.extend_from_slice(CLEAR);
        }
        let source = Source {
            revision: picture.model.revision(),
            choice: picture.choice.clone(),
            message: picture.model.message.clone(),
        };
        // The help on keys covers other content, on small screens the clock's rows too.
        if !source.choice.help && self.drawn.as_ref() == Some(&source) {
            self.tick(picture, &mut written);
        } else {
            let mut next = Buffer::empty(area);
            draw(picture, &mut next);
            write(&self.shown, &next, &mut written);
            self.shown = next;
            self.drawn = Some(source);
        }
        written
    }

    /// Draws what changes only with the time.
    fn tick(&mut self, picture: &Picture<'_>, written: &mut Vec<u8>) {
        let area = self.shown.area;
        let top = Rect { height: area.height.min(CLOCK_ROWS), ..area };
        let cells = usize::from(top.width) * usize::from(top.height);
        let before = Buffer { area: top, content: self.shown.content[..cells].to_vec() };
        let mut next = Buffer::empty(top);
        clock(picture, top, &mut next);
        write(&before, &next, written);
        self.shown.content[..cells].clone_from_slice(&next.content);
    }
}

/// Writes the cells of `next` that differ from `before`.
fn write(before: &Buffer, next: &Buffer, written: &mut Vec<u8>) {
    let changed = before.diff(next);
    if !changed.is_empty() {
        // Writing to memory cannot fail.
        let _ = CrosstermBackend::new(written).draw(changed.into_iter());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use brunt_record::{Counts, Phase};
    use ratatui::buffer::Cell;

    use super::super::digest::Digest;
    use super::super::keys::Key;
    use super::super::model::{About, Model};
    use super::super::theme::Theme;
    use super::*;

    const THEME: Theme = Theme { colour: true, unicode: true };

    fn picture<'a>(model: &'a Model, choice: &'a Choice, millis: u64) -> Picture<'a> {
        Picture { model, choice, now: Duration::from_millis(millis), theme: THEME }
    }

    /// A second in which this number of exchanges became due.
    fn second(index: u64, planned: u64) -> Digest {
        Digest {
            phase: Phase::Steady,
            from: Duration::from_secs(index),
            to: Duration::from_secs(index + 1),
            counts: Counts { planned, ..Counts::default() },
            ..Digest::default()
        }
    }

    fn after(seconds: u64, planned: u64) -> Model {
        let lasting = Some(Duration::from_secs(60));
        let operations = vec!["\u{67e5}\u{8be2}".to_owned()];
        let title = "run \u{767b}\u{5f55}".to_owned();
        let mut model = Model::new(About { title, operations, lasting, ..About::default() });
        for index in 0..seconds {
            model.add(second(index, planned), Duration::from_secs(index + 1));
        }
        model
    }

    #[test]
    fn renderer_writes_only_changes() {
        let (model, choice) = (after(3, 100), Choice::default());
        let mut renderer = Renderer::default();
        let mut written = |afresh, size, millis| {
            renderer.draw(size, afresh, &picture(&model, &choice, millis)).len()
        };
        let whole = written(true, (80, 24), 3_000);
        assert!(whole > 500, "{whole}");
        assert_eq!(written(false, (80, 24), 3_000), 0);
        // A digit of the clock, and one of what is left.
        let ticked = written(false, (80, 24), 4_000);
        assert!(ticked > 0 && ticked < 100, "{ticked}");
        assert!(written(true, (80, 24), 4_000) >= whole);
        assert!(written(false, (100, 24), 4_000) >= whole);
    }

    #[test]
    fn renderer_draws_only_the_clock_between_intervals() {
        let (model, other, choice) = (after(3, 100), after(3, 900), Choice::default());
        let all = |buffer: &Buffer| buffer.content.iter().map(Cell::symbol).collect::<String>();
        let mut renderer = Renderer::default();
        renderer.draw((80, 24), true, &picture(&model, &choice, 3_000));
        assert!(all(&renderer.shown).contains("offered 100"));
        // The number of intervals is the same as before: their content is not compared.
        renderer.draw((80, 24), false, &picture(&other, &choice, 4_000));
        let shown = all(&renderer.shown);
        assert!(shown.contains("offered 100") && shown.contains("4 s of 1:00"), "{shown}");
        renderer.draw((80, 24), false, &picture(&after(4, 900), &choice, 4_000));
        assert!(all(&renderer.shown).contains("offered 900"));
    }

    #[test]
    fn renderer_output_equals_a_full_redraw() {
        for size in [(80, 24), (200, 50), (30, 9), (50, 12), (7, 1), (0, 0)] {
            let (mut model, mut choice) = (after(2, 100), Choice::default());
            let (mut renderer, mut before) = (Renderer::default(), Vec::new());
            for step in 0..60_u64 {
                let millis = 2_000 + step * 250;
                match step % 15 {
                    0 | 4 | 8 => {
                        model.add(second(2 + step / 4, step), Duration::from_millis(millis));
                    }
                    5 => drop(choice.press(Key::Window, &model)),
                    9 | 11 => drop(choice.press(Key::Help, &model)),
                    12 | 14 => drop(choice.press(Key::Pause, &model)),
                    13 => model.message = Some(format!("said at {step}")),
                    _ => {}
                }
                let picture = picture(&model, &choice, millis);
                let written = renderer.draw(size, step == 0, &picture);
                let mut all = Buffer::empty(Rect::new(0, 0, size.0, size.1));
                draw(&picture, &mut all);
                assert_eq!(renderer.shown, all, "{size:?}, step {step}");
                // Every change was written.
                assert_eq!(before == all.content, written.is_empty() || step == 0 && size.0 == 0);
                before = all.content;
            }
        }
    }
}
