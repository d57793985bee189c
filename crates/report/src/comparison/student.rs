//! Student's t distribution, for degrees of freedom that need not be whole: [`quantile`].
//!
//! The distribution function is a regularized incomplete beta function, evaluated as a continued fraction (Lentz's
//! method, as in Press et al., Numerical Recipes, section 6.4); the quantile is found by bisection, which needs no
//! derivative and cannot diverge.

/// The t below which the share `probability` of the distribution lies.
pub(super) fn quantile(probability: f64, freedom: f64) -> f64 {
    if probability < 0.5 {
        return -quantile(1.0 - probability, freedom);
    }
    let mut greatest = 1.0;
    while below(greatest, freedom) < probability && greatest < 1e12 {
        greatest *= 2.0;
    }
    let mut least = 0.0;
    for _ in 0..100 {
        let middle = f64::midpoint(least, greatest);
        if below(middle, freedom) < probability { least = middle } else { greatest = middle }
    }
    greatest
}

/// The share of the distribution below this t, which is not negative.
fn below(t: f64, freedom: f64) -> f64 {
    1.0 - 0.5 * beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// The regularized incomplete beta function.
fn beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (gamma(a + b) - gamma(a) - gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    // The fraction converges fast on this side of the mean; the function is symmetric.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(1.0 - x, b, a) / b
    }
}

fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let not_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut above = 1.0;
    let mut below = 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut product = below;
    for step in 1..=300 {
        let step = f64::from(step);
        let twice = a + 2.0 * step;
        let even = step * (b - step) * x / ((twice - 1.0) * twice);
        let odd = -(a + step) * (a + b + step) * x / (twice * (twice + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            below = 1.0 / not_zero(1.0 + term * below);
            above = not_zero(1.0 + term / above);
            change = below * above;
            product *= change;
        }
        if (change - 1.0).abs() < 1e-14 {
            break;
        }
    }
    product
}

/// The logarithm of the gamma function of a positive number (Lanczos).
fn gamma(x: f64) -> f64 {
    const TERMS: [f64; 6] = [
        76.180_091_729_471_46,
        -86.505_320_329_416_77,
        24.014_098_240_830_91,
        -1.231_739_572_450_155,
        0.120_865_097_386_617_9e-2,
        -0.539_523_938_495_3e-5,
    ];
    let base = x + 5.5;
    let front = (x + 0.5) * base.ln() - base;
    let series = (1..).zip(TERMS).map(|(place, term)| term / (x + f64::from(place)));
    let sum: f64 = 1.000_000_000_190_015 + series.sum::<f64>();
    front + (2.506_628_274_631_000_5 * sum / x).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t_quantiles_equal_printed_tables() {
        for (probability, freedom, expected) in [
            (0.975, 1.0, 12.706),
            (0.975, 4.0, 2.776),
            (0.975, 10.0, 2.228),
            (0.995, 8.0, 3.355),
            (0.9995, 5.0, 6.869),
            (0.95, 30.0, 1.697),
            (0.975, 1e7, 1.960),
        ] {
            let found = quantile(probability, freedom);
            assert!((found - expected).abs() < 6e-4, "{probability} {freedom}: {found}");
            assert!((quantile(1.0 - probability, freedom) + found).abs() < 1e-6);
        }
    }

    #[test]
    fn t_quantile_accepts_fractional_freedom() {
        let [low, middle, high] = [4.0, 4.5, 5.0].map(|freedom| quantile(0.99, freedom));
        assert!(low > middle && middle > high);
    }
}
