//! Where a value lies on an axis: a [`Ruler`] from 0 to 1.
//!
//! A logarithmic axis has no zero. Its bars begin at a power of ten below the least value, so that every bar is
//! visible. Values of zero or less have no position on it.

/// How values lie on an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps for equal differences.
    #[default]
    Linear,
    /// Equal steps for equal ratios.
    Logarithmic,
}

/// An axis whose ends are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ruler {
    scale: Scale,
    from: f64,
    to: f64,
}

/// How many steps a linear axis has, about.
const STEPS: f64 = 6.0;
/// Fewer decades than this need marks between the powers of ten.
const FEW_DECADES: f64 = 2.5;
/// Less of a step than this is an error of rounding.
const ROUNDING: f64 = 1e-6;

impl Ruler {
    /// A ruler for bars: a linear one begins at 0, a logarithmic one below the least value.
    pub fn of_bars(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let (least, greatest) = ends(scale, values);
        match scale {
            Scale::Linear => Self::linear(0.0_f64.min(least), greatest),
            Scale::Logarithmic => {
                let below = least.log10().floor();
                // A value that is a power of ten needs the one below it; otherwise it would have no bar.
                let from = if least.log10() - below < 0.05 { below - 1.0 } else { below };
                Self::decades(from, greatest.log10().ceil())
            }
        }
    }

    /// A ruler for points.
    pub fn of_points(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let (least, greatest) = ends(scale, values);
        match scale {
            // Values near zero are shown better in relation to zero.
            Scale::Linear if least >= 0.0 && least < greatest / 2.0 => Self::linear(0.0, greatest),
            Scale::Linear => Self::linear(least, greatest),
            // Two thirds of a plot would be empty if 11,000 needed an axis up to 100,000.
            Scale::Logarithmic => Self::logarithmic(below(least), above(greatest)),
        }
    }

    /// The position of a value, from 0 to 1, if it has one.
    pub fn at(&self, value: f64) -> Option<f64> {
        let place = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Logarithmic if value > 0.0 => {
                (value.log10() - self.from.log10()) / (self.to.log10() - self.from.log10())
            }
            Scale::Logarithmic => return None,
        };
        place.is_finite().then(|| place.clamp(0.0, 1.0))
    }

    /// The marked values, ascending: round numbers; on a logarithmic axis the powers of ten, and also two and five
    /// times these where there are few.
    pub fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear => {
                let step = step(self.to - self.from);
                let first = (self.from / step).round() as i64;
                let last = (self.to / step).round() as i64;
                (first..=last).map(|tick| tick as f64 * step).collect()
            }
            Scale::Logarithmic if self.decades_long() < FEW_DECADES => {
                self.rounds(&[1.0, 2.0, 5.0])
            }
            Scale::Logarithmic => self.rounds(&[1.0]),
        }
    }

    /// At most `most` of the ticks, at equal distances.
    pub fn some_ticks(&self, most: usize) -> Vec<f64> {
        let mut ticks = self.ticks();
        if ticks.len() > most && self.scale == Scale::Logarithmic {
            ticks = self.rounds(&[1.0]);
        }
        let stride = ticks.len().div_ceil(most.max(1)).max(1);
        ticks.into_iter().step_by(stride).collect()
    }

    /// These multiples of powers of ten, as far as the axis reaches.
    fn rounds(&self, multiples: &[f64]) -> Vec<f64> {
        let [from, to] = [self.from, self.to].map(|end| end.log10().floor() as i32);
        let all =
            (from..=to).flat_map(|power| multiples.iter().map(move |m| m * 10_f64.powi(power)));
        let slack = 1.0 + ROUNDING;
        all.filter(|tick| *tick * slack >= self.from && *tick <= self.to * slack).collect()
    }

    fn decades_long(&self) -> f64 {
        self.to.log10() - self.from.log10()
    }

    fn linear(from: f64, to: f64) -> Self {
        let to = if to > from { to } else { from + from.abs().max(1.0) };
        let step = step(to - from);
        // 0.92 divided by 0.01 is a little less or more than 92.
        let from = (from / step + ROUNDING).floor() * step;
        let to = (to / step - ROUNDING).ceil() * step;
        Self { scale: Scale::Linear, from, to }
    }

    fn decades(from: f64, to: f64) -> Self {
        let to = if to > from { to } else { from + 1.0 };
        Self::logarithmic(10_f64.powf(from), 10_f64.powf(to))
    }

    fn logarithmic(from: f64, to: f64) -> Self {
        let to = if to > from { to } else { from * 10.0 };
        Self { scale: Scale::Logarithmic, from, to }
    }
}

/// The least and the greatest of the values that have a position.
fn ends(scale: Scale, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let placed = values.filter(|value| {
        value.is_finite() && (scale == Scale::Linear || *value >= f64::MIN_POSITIVE)
    });
    placed
        .fold(None, |ends: Option<(f64, f64)>, value| {
            let (least, greatest) = ends.unwrap_or((value, value));
            Some((least.min(value), greatest.max(value)))
        })
        .unwrap_or((1.0, 10.0))
}

/// The greatest of 1, 2 or 5 times a power of ten that is not above the value.
fn below(value: f64) -> f64 {
    let power = 10_f64.powf((value.log10() + ROUNDING).floor());
    let fits = [5.0, 2.0].into_iter().find(|factor| factor * power <= value * (1.0 + ROUNDING));
    fits.unwrap_or(1.0) * power
}

/// The least of 1, 2 or 5 times a power of ten that is not below the value.
fn above(value: f64) -> f64 {
    let power = 10_f64.powf((value.log10() - ROUNDING).floor());
    let fits =
        [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power * (1.0 + ROUNDING) >= value);
    fits.unwrap_or(10.0) * power
}

/// 1, 2 or 5 times a power of ten, so that there are about [`STEPS`] of them.
fn step(length: f64) -> f64 {
    let rough = length / STEPS;
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| rough <= factor * power * 1.000_001);
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: Option<f64>, b: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() < 1e-9)
    }

    #[test]
    fn ruler_logarithmic_has_equal_decades() {
        let ruler = Ruler::of_bars(Scale::Logarithmic, [31.64, 2_542_588.35].into_iter());
        assert_eq!(ruler.ticks(), [1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7]);
        for value in [16.28, 31.64, 9_447.47, 76_944.27] {
            let step = ruler.at(value * 10.0).unwrap() - ruler.at(value).unwrap();
            assert!((step - 1.0 / 6.0).abs() < 1e-9, "{value}: {step}");
        }
        assert_eq!((ruler.at(0.0), ruler.at(-1.0), ruler.at(f64::NAN)), (None, None, None));
        assert!(near(ruler.at(1e99), 1.0) && near(ruler.at(1e-99), 0.0));
    }

    #[test]
    fn ruler_gives_every_bar_a_length() {
        let ruler = Ruler::of_bars(Scale::Logarithmic, [1_000.0, 1_000.0].into_iter());
        assert!(near(ruler.at(1_000.0), 1.0), "{ruler:?}");
        let ruler = Ruler::of_bars(Scale::Linear, [20.0, 70.0].into_iter());
        assert_eq!(ruler.ticks(), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert!(near(ruler.at(20.0), 0.25));
        assert_eq!(
            Ruler::of_bars(Scale::Logarithmic, [].into_iter()).ticks(),
            [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
        );
    }

    #[test]
    fn ruler_places_points_by_value() {
        let ruler = Ruler::of_points(Scale::Logarithmic, [1_000.0, 11_000.0].into_iter());
        assert_eq!(ruler.ticks(), [1e3, 2e3, 5e3, 1e4, 2e4]);
        assert!(near(ruler.at(1e4), 1.0 / 20_f64.log10()), "{ruler:?}");
        assert_eq!(ruler.some_ticks(3), [1e3, 1e4]);
        let ruler = Ruler::of_points(Scale::Logarithmic, [0.0115, 500.0].into_iter());
        assert_eq!(ruler.ticks().first(), Some(&0.01), "{ruler:?}");
        assert!(near(ruler.at(0.01), 0.0) && near(ruler.at(500.0), 1.0), "{ruler:?}");
        // 0.92 to 0.98 are not squeezed into the upper corner.
        let ruler = Ruler::of_points(Scale::Linear, [0.92, 0.98].into_iter());
        assert!(near(ruler.at(0.95), 0.5), "{ruler:?}");
        let one = Ruler::of_points(Scale::Linear, [7.0].into_iter());
        assert!(one.at(7.0).is_some() && one.ticks().len() > 1, "{one:?}");
        let decades = Ruler::of_points(Scale::Logarithmic, [1.0, 1e8].into_iter());
        assert_eq!(decades.some_ticks(4), [1.0, 1e3, 1e6]);
    }
}
