//! A pair of calls that the walk has entered and not finished.

use super::effects::EffectScope;
use super::matching::Matched;
use super::report::{DifferentStep, Verdict};
use super::steps::OwnSteps;
use trace::EventTime;

/// Most differences that are kept for one pair of calls.
const KEPT: usize = 20;

/// A call of each run, aligned and not yet finished. The first calls of a thread have no caller; a pair
/// without calls stands for it.
pub struct OpenPair {
    pub calls: Option<(u32, u32)>,
    pub steps: [OwnSteps; 2],
    /// `None` if the steps are paired one by one.
    pub matched: Option<Vec<Matched>>,
    pub next: usize,
    /// Whether both calls were given the same input.
    pub is_judged: bool,
    /// What is known of the calls if they cannot be judged.
    pub unjudged: Verdict,
    /// Whether the calls initialise a class.
    pub is_initialiser: bool,
    /// Whether the steps of these calls vary in number.
    pub varies: bool,
    pub scope: EffectScope,
    pub differs: Vec<DifferentStep>,
    /// Whether a step differs.
    pub is_off: bool,
    /// Whether a call below differs.
    pub has_differing: bool,
    /// Whether the input or a step, also of a call below, varies between runs of one version.
    pub has_varied: bool,
    /// Whether the input or a step, also of a call below, was compared only as far as it is known.
    pub in_part: bool,
    /// Whether the input alone was.
    pub input_in_part: bool,
    /// Whether something differs that is no change of a place, such as the result.
    pub has_other_result: bool,
    /// Ranges of writes of steps without a partner: the side, from, to.
    pub loose: Vec<(usize, usize, usize)>,
    /// When the next step of each call happens.
    pub reached: [EventTime; 2],
}

impl OpenPair {
    /// Whether a further difference of the calls is kept: they can be blamed, and have few.
    pub fn keeps_differences(&self) -> bool {
        let can_be_blamed = self.calls.is_none() || self.is_judged && !self.has_differing;
        can_be_blamed && self.differs.len() < KEPT
    }
}
