//! The runs of the right version. The first of them may have been kept from an earlier comparison.

use crate::Diagnoser;
use crate::divergence::KnownVariation;
use recorded::KeptRun;

/// The runs of the right version.
pub struct RightVersionRuns {
    /// The runs, the first one at least.
    pub runs: Vec<Diagnoser>,
    /// The place for a run that is kept.
    place: Option<KeptRun>,
    /// Whether the first run comes from there.
    is_kept: bool,
}

impl RightVersionRuns {
    /// The first run, which may be the kept one.
    pub fn of(first: Diagnoser, place: Option<KeptRun>) -> RightVersionRuns {
        let is_kept = place.as_ref().is_some_and(|place| place.is_at(first.folder()));
        RightVersionRuns { runs: vec![first], place, is_kept }
    }

    /// If a further run does not repeat the kept one, discards that and what is known of it: something has
    /// changed since, or varies. Returns whether it did.
    pub fn discards_kept(&mut self, known: &mut KnownVariation) -> bool {
        if !self.is_kept || self.runs.len() < 2 || known.right_version_repeats() {
            return false;
        }
        self.place.iter().for_each(KeptRun::discard);
        self.runs.remove(0);
        self.is_kept = false;
        *known = KnownVariation::default();
        true
    }

    /// Keeps the first run for later comparisons, if a further one has repeated it.
    pub fn keep(self, known: &KnownVariation) {
        let RightVersionRuns { runs, place, is_kept } = self;
        let place = place.filter(|_| !is_kept && known.right_version_repeats());
        let first = runs.first().map(|run| run.folder().to_owned());
        // The files are moved, so nobody may read them.
        drop(runs);
        place.zip(first).iter().for_each(|(place, first)| place.keep(first));
    }
}
