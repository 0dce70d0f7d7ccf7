//! The result of an alignment.

use super::hashed::NumberSet;
use std::collections::BTreeSet;
use trace::EventTime;

/// What is known of a call of the first run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It is not known whether the inputs are the same.
    #[default]
    NotCompared,
    /// The other run does not make this call.
    NoPartner,
    /// The other run gave it other inputs.
    OtherInput,
    /// With the same inputs, it did the same in both runs.
    Same,
    /// With the same inputs, it did something else, or a call below it did.
    Differs,
}

/// A step in which two aligned calls differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferentStep {
    /// What differs: a callee, the result, the exception, or a changed place.
    pub what: String,
    /// Its value in the first run.
    pub here: String,
    /// Its value in the second run.
    pub there: String,
}

impl DifferentStep {
    /// The same, described by the part in which the values differ, if known. `is_end`: the values leave the
    /// call.
    pub(super) fn by(self, inner: Option<DifferentStep>, is_end: bool) -> DifferentStep {
        let Some(inner) = inner else { return self };
        let what = if is_end { format!("{} of {}", inner.what, self.what) } else { inner.what };
        DifferentStep { what, ..inner }
    }

    /// Adds the steps that changed other places.
    pub(super) fn add_others(differs: &mut Vec<DifferentStep>, steps: Vec<DifferentStep>) {
        let is_known = |step: &DifferentStep| differs.iter().any(|known| known.what == step.what);
        let others: Vec<DifferentStep> = steps.into_iter().filter(|step| !is_known(step)).collect();
        differs.extend(others);
    }
}

/// A call that differs, although no call below it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferingCall {
    /// The call in the first run.
    pub here: u32,
    /// The call in the second run.
    pub there: u32,
    /// When it ended.
    pub ended: EventTime,
    /// Whether its input, or a step below it, varies between runs of one version.
    pub is_in_doubt: bool,
    /// Whether the code of the method differs between the versions, with the methods that only one version
    /// has and that it calls. `None` if class files are missing.
    pub is_changed: Option<bool>,
    /// The differences that were found first.
    pub differs: Vec<DifferentStep>,
}

/// The alignment of two runs.
#[derive(Debug)]
pub struct Alignment {
    /// The calls that differ, in the order in which they ended.
    pub differing: Vec<DifferingCall>,
    /// First calls of a thread of which one returned and the other threw, or did not end, by their numbers.
    pub other_ends: Vec<(u32, u32)>,
    /// Differences among the first calls of a thread. They have no caller that could be named.
    pub among_roots: Vec<DifferentStep>,
    /// Number of calls that do the same.
    pub same: usize,
    /// By call of the first run: what is known of it, and its partner.
    verdicts: Vec<(Verdict, Option<u32>)>,
    /// The calls of the first run that count as compared although not all of what they were given and did is
    /// known; if they differ, of what they were given.
    in_part: NumberSet<u32>,
    /// Fields and methods that only one version has. They are not compared.
    pub only_in_one: BTreeSet<String>,
    /// Up to when the second run was compared: behind that it only goes on where the first one has failed.
    pub there_until: EventTime,
    /// Whether some calls were not judged, because it would have taken too long to look through their inputs.
    pub is_cut: bool,
}

impl Default for Alignment {
    fn default() -> Alignment {
        Alignment {
            differing: Vec::new(),
            other_ends: Vec::new(),
            among_roots: Vec::new(),
            same: 0,
            verdicts: Vec::new(),
            in_part: NumberSet::default(),
            only_in_one: BTreeSet::new(),
            there_until: EventTime::END,
            is_cut: false,
        }
    }
}

impl Alignment {
    /// What is known of a call of the first run, with its partner if it has one.
    pub fn verdict(&self, node: u32) -> (Verdict, Option<u32>) {
        usize::try_from(node).ok().and_then(|at| self.verdicts.get(at)).copied().unwrap_or_default()
    }

    /// Whether a call of the first run was compared only as far as it is known.
    pub fn is_in_part(&self, node: u32) -> bool {
        self.in_part.contains(&node)
    }

    pub(super) fn judge_in_part(&mut self, here: u32) {
        self.in_part.insert(here);
    }

    pub(super) fn judge(&mut self, here: u32, there: Option<u32>, verdict: Verdict) {
        self.same += usize::from(verdict == Verdict::Same);
        let at = usize::try_from(here).unwrap_or(usize::MAX);
        if self.verdicts.len() <= at {
            // Calls end inside out: the outermost ones, with the least numbers, come last.
            self.verdicts.resize(at.saturating_add(1), Default::default());
        }
        if let Some(known) = self.verdicts.get_mut(at) {
            *known = (verdict, there);
        }
    }
}
