//! Divides an area: some parts have a fixed size, others share what is left.
//!
//! Ratatui's own layout solves constraints, which takes most of the time of a drawing.

use ratatui::layout::Rect;

/// A part of an area.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// This number of rows or columns, as far as available.
    Fixed(u16),
    /// This share of what the fixed parts leave.
    Share(u16),
}

/// The parts of an area from the top to the bottom.
pub(super) fn rows<const N: usize>(area: Rect, parts: [Part; N]) -> [Rect; N] {
    let (mut y, sizes) = (area.y, sizes(area.height, parts));
    sizes.map(|height| {
        y += height;
        Rect { y: y - height, height, ..area }
    })
}

/// The parts of an area from the left to the right.
pub(super) fn columns<const N: usize>(area: Rect, parts: [Part; N]) -> [Rect; N] {
    let (mut x, sizes) = (area.x, sizes(area.width, parts));
    sizes.map(|width| {
        x += width;
        Rect { x: x - width, width, ..area }
    })
}

fn sizes<const N: usize>(whole: u16, parts: [Part; N]) -> [u16; N] {
    let mut left = whole;
    let fixed = parts.map(|part| match part {
        Part::Share(_) => 0,
        Part::Fixed(size) => {
            let size = size.min(left);
            left -= size;
            size
        }
    });
    let share = |part: &Part| if let Part::Share(share) = part { *share } else { 0 };
    let mut shares: u16 = parts.iter().map(share).sum();
    std::array::from_fn(|at| match parts[at] {
        Part::Fixed(_) => fixed[at],
        Part::Share(share) => {
            // A share of what is still left, so that the last part takes all of it.
            let size = (u32::from(left) * u32::from(share) / u32::from(shares.max(1))) as u16;
            (left, shares) = (left - size, shares - share);
            size
        }
    })
}

#[cfg(test)]
mod tests {
    use super::Part::{Fixed, Share};
    use super::*;

    #[test]
    fn parts_fill_an_area_exactly() {
        assert_eq!(sizes(24, [Fixed(4), Share(5), Share(6), Fixed(3)]), [4, 7, 10, 3]);
        assert_eq!(sizes(5, [Fixed(4), Share(1), Fixed(3)]), [4, 0, 1]);
        assert_eq!(sizes(0, [Fixed(4), Share(1)]), [0, 0]);
        let area = Rect::new(3, 2, 10, 9);
        let [top, rest] = rows(area, [Fixed(2), Share(1)]);
        assert_eq!((top, rest), (Rect::new(3, 2, 10, 2), Rect::new(3, 4, 10, 7)));
        let [left, right] = columns(area, [Share(3), Share(2)]);
        assert_eq!((left, right), (Rect::new(3, 2, 6, 9), Rect::new(9, 2, 4, 9)));
    }
}
