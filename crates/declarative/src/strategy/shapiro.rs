//! Divide & query as in Shapiro 1983: chooses the heaviest call whose tree has at most half of the suspicious
//! calls.

use super::{Situation, Strategy, Weights};

/// Chooses the heaviest call of at most half the weight.
pub struct Shapiro;

impl Strategy for Shapiro {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let weights = Weights::of(situation, |_| 1.0);
        let half = weights.all() / 2.0;
        let mut best: Option<(f64, u32)> = None;
        let mut lightest: Option<(f64, u32)> = None;
        weights.around(half, |node, weight| {
            let is_more = best.is_none_or(|(most, first)| weight > most || weight >= most && node < first);
            if weight <= half && is_more {
                best = Some((weight, node));
            }
            if lightest.is_none_or(|(least, first)| weight < least || weight <= least && node < first) {
                lightest = Some((weight, node));
            }
        });
        best.or(lightest).map(|(_, node)| node)
    }
}
