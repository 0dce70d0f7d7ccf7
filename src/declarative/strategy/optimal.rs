//! Optimal divide & query (Insa & Silva 2011): if a call is valid, the calls outside its tree are left; if it is invalid, it is known and
//! those below it are left to be judged. The call where these two numbers are nearest to each other.

use super::{Situation, Strategy};

/// Takes what leaves as many either way.
pub struct Optimal;

impl Strategy for Optimal {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        // What is known to be invalid need not be judged.
        let own = |node| if situation.suspects.is_answered(node) { 0.0 } else { 1.0 };
        let mut all = 0.0;
        situation.each(|node| all += own(node));
        let mut best: Option<(f64, u32)> = None;
        situation.weigh(own, |node, weight| {
            let (outside, below) = (all - weight, weight - 1.0);
            let distance = (outside - below).abs();
            if best.is_none_or(|(least, first)| (distance, node) < (least, first)) {
                best = Some((distance, node));
            }
        });
        best.map(|(_, node)| node)
    }
}
