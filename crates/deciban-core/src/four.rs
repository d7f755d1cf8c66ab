//! The numbers of four labels side by side, for arithmetic that a processor does on all four at a time.

use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// Four numbers, in one half of a cache line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(align(32))]
pub(crate) struct Four(pub(crate) [f64; 4]);

impl Four {
    pub(crate) const ZERO: Four = Four::all(0.0);
    pub(crate) const ONE: Four = Four::all(1.0);

    /// The same number four times.
    #[inline(always)]
    pub(crate) const fn all(number: f64) -> Four {
        Four([number; 4])
    }

    /// The first four of some numbers; ones, if they are fewer.
    #[inline(always)]
    pub(crate) fn of(numbers: &[f64]) -> Four {
        match numbers {
            &[a, b, c, d, ..] => Four([a, b, c, d]),
            few => {
                let mut four = Four::ONE;
                four.0.iter_mut().zip(few).for_each(|(to, &number)| *to = number);
                four
            }
        }
    }

    /// Numbers from those of four bytes, or of eight.
    #[inline(always)]
    pub(crate) fn from<N: Copy + Into<f64>>([a, b, c, d]: [N; 4]) -> Four {
        Four([a.into(), b.into(), c.into(), d.into()])
    }

    /// Each number by a function.
    #[inline(always)]
    pub(crate) fn map(self, f: impl Fn(f64) -> f64) -> Four {
        let Four([a, b, c, d]) = self;
        Four([f(a), f(b), f(c), f(d)])
    }

    /// Two numbers at a time by a function.
    #[inline(always)]
    pub(crate) fn with(self, other: Four, f: impl Fn(f64, f64) -> f64) -> Four {
        let (Four([a, b, c, d]), Four([x, y, z, w])) = (self, other);
        Four([f(a, x), f(b, y), f(c, z), f(d, w)])
    }
}

impl Add for Four {
    type Output = Four;

    #[inline(always)]
    fn add(self, other: Four) -> Four {
        self.with(other, |a, b| a + b)
    }
}

impl Sub for Four {
    type Output = Four;

    #[inline(always)]
    fn sub(self, other: Four) -> Four {
        self.with(other, |a, b| a - b)
    }
}

impl Mul for Four {
    type Output = Four;

    #[inline(always)]
    fn mul(self, other: Four) -> Four {
        self.with(other, |a, b| a * b)
    }
}

impl Div for Four {
    type Output = Four;

    #[inline(always)]
    fn div(self, other: Four) -> Four {
        self.with(other, |a, b| a / b)
    }
}

impl AddAssign for Four {
    #[inline(always)]
    fn add_assign(&mut self, other: Four) {
        *self = *self + other;
    }
}
