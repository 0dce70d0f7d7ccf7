//! The right version answers by its own run. Both versions run again, and their calls are aligned with those
//! of the diagnosis.

use crate::divergence::{
    ComparedCode, ComparedVersions, KnownVariation, RightVersionRuns, UnseenState, compare_versions,
};
use crate::{DiagnoseOptions, Diagnoser};
use alignment::{Alignment, Verdict};
use chain::Chain;
use classes::DefaultScope;
use files::TemporaryFolder;
use recorded::{KeptRun, RecordOptions, RecordedTrace, beside, can_run_beside, default_scope, record};
use session::class_path::{class_path, with_class_path};
use session::{Context, SessionError};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use trace::{Calls, Level, TraceError};

/// How long to wait for the end of the program.
const WAIT: Duration = Duration::from_secs(60);
/// Time limit of each further run, in seconds.
const TIMEOUT_S: u64 = 300;
/// Most differences that a reason names.
const NAMED: usize = 2;

/// What the runs of the right version show.
#[derive(Debug)]
pub enum AlignedReference {
    /// The right version has not run yet. The class path stands before the command's own.
    Due(String),
    /// The calls are aligned.
    Aligned(Box<AlignedRuns>),
    /// The runs cannot be compared, for this reason.
    Impossible(String),
}

/// The runs of both versions, aligned.
#[derive(Debug)]
pub struct AlignedRuns {
    alignment: Arc<Alignment>,
    /// The call to blame and why, if the runs differ. `None` too if its method has the same code in both
    /// versions.
    pub blamed: Option<(u32, String)>,
    /// The calls below it.
    below_blamed: std::ops::Range<u32>,
    /// Whether the runs differ.
    has_difference: bool,
    /// Whether only their ends differ, as far as recorded.
    pub is_at_end: bool,
    /// The methods of both versions.
    code: ComparedCode,
    /// What methods with other code did to objects whose state was not recorded.
    unseen: UnseenState,
}

impl AlignedRuns {
    /// What the comparison of both versions says about the calls of the program.
    fn of(compared: ComparedVersions, calls: &Calls) -> AlignedRuns {
        let at_end = &compared.ends.ends.differs;
        let is_at_end = !at_end.is_empty();
        let has_difference = compared.blamed.is_some() || is_at_end;
        let blamed = match compared.blamed {
            Some(blamed) => {
                let differs = compared.alignment.differing.get(blamed.at).map(|call| &call.differs);
                let differs = differs.into_iter().flatten();
                let why = reason(differs.map(|of| (&*of.what, &*of.here, &*of.there)));
                Some((blamed.call, why))
            }
            None => {
                let why = reason(at_end.iter().map(|of| (&*of.what, &*of.here, &*of.there)));
                compared.ends.call.map(|call| (call, why))
            }
        };
        let blamed = blamed.filter(|(call, _)| !compared.code.is_same(calls, *call));
        let below = |node: u32| node + 1..node.saturating_add(calls.below(node)) + 1;
        let below_blamed = blamed.as_ref().map_or(0..0, |(node, _)| below(*node));
        AlignedRuns {
            alignment: compared.alignment,
            blamed,
            below_blamed,
            has_difference,
            is_at_end,
            code: compared.code,
            unseen: compared.unseen,
        }
    }
}

/// The first differences as text.
fn reason<'a>(differs: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> String {
    let texts = differs
        .take(NAMED)
        .map(|(what, here, there)| format!("{what}: {here}; in the right version: {there}"));
    texts.collect::<Vec<_>>().join("; ")
}

/// What the aligned runs tell about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlignedOpinion {
    /// The right version does the same.
    Valid,
    /// The right version does something else, given the same input.
    Invalid,
    /// The right version gives the call other input, or does not make it.
    Inadmissible(&'static str),
}

impl AlignedRuns {
    /// Whether a call was compared only as far as it is known.
    pub fn is_in_part(&self, node: u32) -> bool {
        self.alignment.is_in_part(node) || self.alignment.verdict(node).0 == Verdict::NotCompared
    }

    /// The calls that may have the bug in place of an invalid call: the last calls of methods with other
    /// code, if its method has the same code in the right version; those that may have changed objects that
    /// it uses and whose state was not recorded. `None` if there are none.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn in_place_of(&self, calls: &mut Calls, node: u32) -> Result<Option<Vec<u32>>, TraceError> {
        if self.code.is_same(calls, node) {
            return self.code.suspects(calls, node).map(Some);
        }
        let before = self.unseen.before(calls, node)?;
        Ok((!before.is_empty()).then(|| std::iter::once(node).chain(before).collect()))
    }

    /// What is known of a call. `None` if the runs do not tell.
    pub fn opinion(&self, calls: &Calls, node: u32) -> Option<AlignedOpinion> {
        // Without a difference there is nothing to explain what went wrong. Nobody can call an initialiser.
        if !self.has_difference {
            let is_initialiser = calls.method(node).is_some_and(|method| method.name == "<clinit>");
            return (is_initialiser && self.code.is_same_below(calls, node)).then_some(AlignedOpinion::Valid);
        }
        match self.alignment.verdict(node).0 {
            _ if self.blamed.as_ref().is_some_and(|(blamed, _)| node == *blamed) => {
                Some(AlignedOpinion::Invalid)
            }
            // Something that was not recorded came from one of the methods with other code.
            Verdict::Same if self.blamed.is_none() && self.code.is_other(calls, node) => None,
            // It may have changed something that was not recorded.
            Verdict::Same if self.code.is_other(calls, node) && self.has_unseen(calls, node) => None,
            // Something that was not recorded came from the blamed call.
            Verdict::Differs if self.below_blamed.contains(&node) => {
                Some(AlignedOpinion::Inadmissible("what differs came to it from its caller"))
            }
            Verdict::Same => Some(AlignedOpinion::Valid),
            Verdict::Differs => Some(AlignedOpinion::Invalid),
            Verdict::NoPartner => {
                Some(AlignedOpinion::Inadmissible("the right version does not make this call"))
            }
            Verdict::OtherInput => {
                Some(AlignedOpinion::Inadmissible("the right version gives it other input"))
            }
            Verdict::NotCompared if self.below_blamed.contains(&node) => {
                Some(AlignedOpinion::Inadmissible("what it can reach differs already in the right version"))
            }
            // The right version does the same, whatever the call was given.
            Verdict::NotCompared => self.code.is_same_below(calls, node).then_some(AlignedOpinion::Valid),
        }
    }

    /// Whether the method of a call may have changed objects whose state was not recorded.
    fn has_unseen(&self, calls: &Calls, node: u32) -> bool {
        self.unseen.changed_by(calls.method_number(node)).is_some()
    }

    /// Those objects as text, for a call of these methods.
    pub fn unseen_of(&self, methods: &HashSet<u32>) -> Option<String> {
        self.unseen.changed_by(methods.iter().copied())
    }
}

impl Diagnoser {
    /// Lets the right version run, if that is due. Returns the call to blame, with the reason.
    ///
    /// # Errors
    /// The recording cannot be read, or the user interrupts.
    pub(crate) async fn run_reference(
        &mut self,
        context: &Context,
    ) -> Result<Option<(u32, String)>, SessionError> {
        let Some(AlignedReference::Due(class_path)) = &self.aligned else { return Ok(None) };
        let class_path = class_path.clone();
        let (aligned, blamed) = match self.align_with(&class_path, context).await? {
            Ok(runs) => {
                let blamed = runs.blamed.clone();
                (AlignedReference::Aligned(Box::new(runs)), blamed)
            }
            Err(why) => (AlignedReference::Impossible(why), None),
        };
        if let AlignedReference::Impossible(why) = &aligned {
            self.notes.push(format!("the right version answers by calls only: {why}"));
        }
        self.aligned = Some(aligned);
        Ok(blamed)
    }

    async fn align_with(
        &mut self,
        class_path: &str,
        context: &Context,
    ) -> Result<Result<AlignedRuns, String>, SessionError> {
        if self.trace.about.level < Level::Writes {
            return Ok(Err(format!("the run was recorded at level {}", self.trace.about.level)));
        }
        if with_class_path(&self.trace.about.command, class_path).is_none() {
            return Ok(Err("the command has no -cp in which its classes could come first".to_owned()));
        }
        if !self.wait_for_end(WAIT, context).await? {
            return Ok(Err("the program still runs".to_owned()));
        }
        let work = match TemporaryFolder::new("qp-reference-") {
            Ok(work) => work,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let run = |side: &str, count: usize| work.path().join(format!("{side}-{count}"));
        // The run of the diagnosis is the first one of its version.
        let mut here = Vec::new();
        let kept = self.run_again(run("there", 0), Some(class_path))?;
        let kept = kept.ok().and_then(|(chain, options)| KeptRun::of(&chain, &options));
        let found = kept.as_ref().and_then(|kept| kept.found(self.trace.folder.path()));
        let first = match found {
            Some(kept) => self.opened(kept, context).await.map(Ok),
            None => self.further_run(run("there", 0), Some(class_path), context).await,
        };
        let mut there = match first? {
            Ok(first) => RightVersionRuns::of(first, kept),
            Err(why) => return Ok(Err(why)),
        };
        let (mut known, mut count) = (KnownVariation::default(), 0);
        loop {
            let compared = {
                let mut here: Vec<&mut Diagnoser> = std::iter::once(&mut *self).chain(&mut here).collect();
                let mut there: Vec<&mut Diagnoser> = there.runs.iter_mut().collect();
                compare_versions(&mut here, &mut there, &mut known, context)?
            };
            if there.discards_kept(&mut known) {
                continue;
            }
            if compared.wanted <= there.runs.len() {
                let aligned = AlignedRuns::of(compared, &self.trace.calls);
                there.keep(&known);
                return Ok(Ok(aligned));
            }
            count += 1;
            let at_once = there.runs.first().is_some_and(|first| can_run_beside(self.about(), first.about()));
            let own = self.further_run(run("here", count), None, context);
            let other = self.further_run(run("there", count), Some(class_path), context);
            let (own, other) = Box::pin(beside(at_once, own, other)).await;
            for (runs, further) in [(&mut here, own?), (&mut there.runs, other?)] {
                match further {
                    Ok(run) => runs.push(run),
                    Err(why) => return Ok(Err(why)),
                }
            }
        }
    }

    /// What records another run, with entries before the class path; why that is impossible, if it is.
    fn run_again(
        &self,
        out: PathBuf,
        before: Option<&str>,
    ) -> Result<Result<(Chain, RecordOptions), String>, SessionError> {
        let (mut chain, mut options) = match self.again(out) {
            Ok(again) => again,
            Err(why) => return Ok(Err(why)),
        };
        if let Some(changed) = before.and_then(|before| with_class_path(&chain.debuggee.command, before)) {
            options.class_path_property = class_path(&chain.debuggee.command);
            chain.debuggee.command = changed;
            if self.trace.about.whose_code.is_some() {
                let there = default_scope(&chain)?.unwrap_or_default();
                let here =
                    DefaultScope { scope: options.scope, trust: options.trust, ..DefaultScope::default() };
                let both = here.union(there);
                (options.scope, options.trust) = (both.scope, both.trust);
            }
        }
        Ok(Ok((chain, RecordOptions { timeout_s: Some(TIMEOUT_S), ..options })))
    }

    /// Records another run, with entries before the class path.
    async fn further_run(
        &self,
        out: PathBuf,
        before: Option<&str>,
        context: &Context,
    ) -> Result<Result<Diagnoser, String>, SessionError> {
        let (chain, options) = match self.run_again(out.clone(), before)? {
            Ok(again) => again,
            Err(why) => return Ok(Err(why)),
        };
        match record(&chain, &options, context).await {
            Ok(_) => self.opened(&out, context).await.map(Ok),
            Err(SessionError::Interrupted) => Err(SessionError::Interrupted),
            Err(error) => Ok(Err(error.to_string())),
        }
    }

    /// Opens a recording of another run.
    async fn opened(&self, folder: &Path, context: &Context) -> Result<Diagnoser, SessionError> {
        let trace = RecordedTrace::open(folder, self.trace.memory, context).await?;
        let options = DiagnoseOptions {
            strategy: Some("top-down".to_owned()),
            p: None,
            node: None,
            compress: None,
            loops: false,
            suspects_tests: true,
            bounds: self.options.bounds,
        };
        Diagnoser::new(trace, options)
    }
}
