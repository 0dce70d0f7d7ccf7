//! Declarative debugging of a recorded run (JHyde §2): asks about one call after another until one call is
//! left.
//!
//! - [`Diagnoser`] chooses questions and takes answers. `question` describes the inputs and effects of a
//!   call, and `changes` what it changed. `call_runs` are calls that one answer can be about. While a
//!   question is open, `call_views` shows more of its call, and other calls.
//! - [`node_view`] shows any call up to an event, without a diagnosis.
//! - `more_detail` has the recording with all events, if the first one has no writes.
//! - `tree` builds the execution tree. `live` asks while the program still runs.
//! - `generated` recognises members that compilers generate. There are no questions about them.
//!   `initialisers` recognises what only class initialisers changed.
//! - `oracles` answer in place of a person: assertions, earlier answers (`answer_cache`), and a
//!   [`Reference`], which is a correct version of the program.
//!   `typed_conditions` are assertions that a person gives as an answer.
//! - `violations` evaluates all assertions before the first question, and finds the call at which the search
//!   begins.
//! - `failure` begins at an exception that nothing caught, such as that of a failed test. `assertion_site`
//!   is the text of its assertion.
//! - `slice_answer` takes the answer that points at a wrong value. `value_path` finds the value, and the
//!   room `slice` finds the calls that influenced it.
//! - [`find_divergence`] finds where two versions diverge (`divergence`); the room `alignment`
//!   compares their calls. `chance` finds values that vary from run to run.
//! - `buggy` describes the call that is left.
//! - `passing` runs the program so that it passes, and weighs the questions by what those runs covered.
//!   `ranking` ranks the methods of a failed run by that and by what influenced the failure.
//! - `used_changes` finds which changes of a call the failing run used later.
//! - `test_methods` knows the methods of test classes, about which questions are postponed.
//! - `again` tells whether a recorded program can be run again unchanged.

mod again;
mod answer_cache;
mod assertion_site;
mod buggy;
mod call_runs;
mod call_views;
mod chance;
mod change_groups;
mod changes;
mod divergence;
mod edge_suspicion;
mod failure;
mod generated;
mod initialisers;
mod live;
mod more_detail;
mod node_view;
mod oracles;
mod passing;
mod question;
mod ranking;
mod reference;
mod slice_answer;
mod test_methods;
mod tree;
mod typed_conditions;
mod used_changes;
mod value_path;
mod violations;

pub use answer_cache::KeptAnswer;
pub use buggy::Buggy;
pub use change_groups::{ChangeGroup, change_groups};
pub use changes::Change;
pub use divergence::{
    Divergence, KnownVariation, RightVersionRuns, Varying, VersionComparison, VersionDifference,
    check_reference, find_divergence,
};
pub use failure::{Assumption, NamedNode};
pub use node_view::{NodeView, PrintedText, node_view};
pub use oracles::{Confidence, Oracle, OracleAnswer};
pub use passing::PassingTests;
pub use question::Question;
pub use ranking::{EdgeKind, ExceptionPart, FirstOnlyHere, RankedMethod, Ranking, RareEdge};
pub use reference::{Launcher, Opinion, Reference};
pub use tree::nodes::{LoopExit, LoopPart};
pub use violations::{Survey, Violation};

use classes::{LaunchCommand, Main, SourcePaths};
use declarative::{Diagnosis, Needs, STRATEGIES, Step, Verdict, strategy};
use past::PastError;
use past::fields::Fields;
use past::snapshot::Bounds;
use program::purity::Purity;
use recorded::{RecordedTrace, at_level};
use reference::AlignedReference;
use serde::{Deserialize, Serialize};
use session::{Context, SessionError};
use std::collections::BTreeSet;
use trace::{About, EventPosition, Level, RunsCoverage};
use tree::nodes::Nodes;
use tree::shape::{coverage, trees};

/// The options of a diagnosis.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagnoseOptions {
    /// The name of the strategy; by default the first one.
    pub strategy: Option<String>,
    /// `p` of JHyde §2.4, from 0 to 1.
    pub p: Option<f64>,
    /// Search only below this call, which is invalid.
    pub node: Option<u32>,
    /// Whether to judge a recursion by its outermost call alone; by default the strategy decides.
    pub compress: Option<bool>,
    /// Whether to ask about executions of loops too.
    pub loops: bool,
    /// Whether calls of test classes are as suspicious as others; by default they are asked about last.
    pub suspects_tests: bool,
    /// How much a question shows of each value.
    pub bounds: Bounds,
}

/// The names and descriptions of the strategies.
pub fn strategies() -> impl Iterator<Item = (&'static str, &'static str)> {
    STRATEGIES.iter().map(|row| (row.name, row.about))
}

/// The scope of an answer `trusted`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// The method of the call.
    Method,
    /// All methods of its class.
    Class,
    /// All methods of its package.
    Package,
}

/// The answer to a question about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Judgement {
    /// The call did what it should.
    Valid,
    /// The call did not do what it should.
    Invalid,
    /// The methods in this scope are always correct.
    Trusted(Trust),
    /// The answer is unknown.
    Unknown,
    /// The call was given wrong inputs.
    Inadmissible,
}

/// The next step of a diagnosis.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Ask this question.
    Question(Box<Question>),
    /// This call is buggy.
    Buggy(Buggy),
    /// Either this invalid call is buggy, or one of these calls below it that nobody could judge, the
    /// likeliest first.
    Undecided(Option<Buggy>, Vec<u32>),
    /// No ended call is buggy, but some calls still run.
    NotEnded,
    /// No call is buggy.
    NoneLeft,
}

/// A diagnosis of a recorded run.
pub struct Diagnoser {
    trace: RecordedTrace,
    /// A later recording of a call with all events, for which this one has too little detail.
    later: Option<(u32, RecordedTrace)>,
    diagnosis: Diagnosis,
    /// The call or loop of each node of the trees.
    nodes: Nodes,
    /// The node of the buggy call, once it is found.
    found: Option<u32>,
    fields: Fields,
    options: DiagnoseOptions,
    needs: Needs,
    /// What passing runs covered.
    passing: RunsCoverage,
    /// The program, if it was recorded for this diagnosis and may still run.
    live: Option<live::Live>,
    purity: Purity,
    asserts: Option<assertions::Asserts>,
    surveyed: violations::SurveyProgress,
    failure: failure::FailureStart,
    reference: Option<Reference>,
    aligned: Option<AlignedReference>,
    /// What the methods do to objects whose state was not recorded, once it is wanted.
    unseen: Option<divergence::UnseenState>,
    /// Answers of oracles that were not reported yet.
    referred: Vec<OracleAnswer>,
    /// The nodes about which assertions have answered, in order.
    by_assertion: Vec<u32>,
    /// The conditions that were given as answers, in order.
    conditions: Vec<typed_conditions::TypedCondition>,
    /// Number of answers from the reference.
    by_reference: usize,
    /// Number of questions that nobody answered.
    left_open: usize,
    /// The calls that a kept answer answered, with the digests that identify them.
    unasked: Vec<(u32, Option<String>)>,
    kept: answer_cache::AnswerCache,
    /// The questions that a person or program has answered, in order, with their nodes.
    asked: Vec<(u32, Question)>,
    /// The answers among `asked` that were given together, about the calls of a run.
    asked_runs: Vec<std::ops::Range<usize>>,
    /// Remarks about the choice of questions, for the user.
    pub notes: Vec<String>,
}

impl Diagnoser {
    /// Starts a diagnosis of a recorded run.
    ///
    /// # Errors
    /// The strategy or the call does not exist, or the recording cannot be read.
    pub fn new(trace: RecordedTrace, options: DiagnoseOptions) -> Result<Diagnoser, SessionError> {
        let first = STRATEGIES.first().map_or("", |row| row.name);
        let name = options.strategy.as_deref().unwrap_or(first);
        let Some(row) = strategy(name) else {
            let there: Vec<&str> = STRATEGIES.iter().map(|row| row.name).collect();
            return Err(SessionError::NoStrategy { name: name.to_owned(), there: there.join(", ") });
        };
        let fields = Fields::new(trace.class_files());
        let mut trace = trace.with_code(&SourcePaths::default());
        let mut notes: Vec<String> = trace.about.whose_code.iter().cloned().collect();
        let (forest, nodes) = trees(&mut trace, options.loops, fields.pool(), &mut notes)?;
        let passing = RunsCoverage::default();
        let coverage = coverage(&mut trace, &nodes, row.needs, fields.pool(), &passing)?;
        if coverage.is_none() && row.needs != Needs::Nothing {
            let level = trace.about.level;
            notes.push(format!("coverage is not recorded at level {level}: `{name}` counts calls instead"));
        }
        let mut diagnosis = Diagnosis::new(forest, row.made(options.p), coverage);
        diagnosis.trust(&generated::methods(&trace.calls, fields.pool()));
        if !options.suspects_tests {
            diagnosis.postpone(test_methods::of_tests(&trace.calls, fields.pool()));
        }
        if options.compress.unwrap_or(row.compresses) {
            diagnosis.compress();
        }
        if let Some(node) = options.node {
            let there = nodes.of_call(node);
            if there >= diagnosis.forest().count() {
                return Err(PastError::NoSuchCall { node, calls: trace.calls.count() }.into());
            }
            diagnosis.start_below(there);
        }
        Ok(Diagnoser {
            trace,
            later: None,
            diagnosis,
            nodes,
            found: None,
            fields,
            options,
            needs: row.needs,
            passing,
            live: None,
            purity: Purity::default(),
            asserts: None,
            surveyed: violations::SurveyProgress::default(),
            failure: failure::FailureStart::default(),
            reference: None,
            aligned: None,
            unseen: None,
            referred: Vec::new(),
            by_assertion: Vec::new(),
            conditions: Vec::new(),
            by_reference: 0,
            left_open: 0,
            unasked: Vec::new(),
            kept: answer_cache::AnswerCache::default(),
            asked: Vec::new(),
            asked_runs: Vec::new(),
            notes,
        })
    }

    /// The answers, the shape of the trees, and the coverage if the strategy uses it.
    pub fn diagnosis(&self) -> &Diagnosis {
        &self.diagnosis
    }

    /// The folder of the recording.
    pub fn folder(&self) -> &std::path::Path {
        self.trace.folder.path()
    }

    /// What the folder of the recording says of it.
    pub fn about(&self) -> &About {
        &self.trace.about
    }

    /// The level of the recording.
    pub fn level(&self) -> Level {
        self.trace.about.level
    }

    /// The verdicts so far, about calls as they are shown, in words.
    pub fn verdicts(&self) -> Vec<(u32, &'static str)> {
        let judged = self.diagnosis.answers().iter();
        judged
            .map(|judged| {
                let word = match judged.verdict {
                    Verdict::Valid => "valid",
                    Verdict::Invalid | Verdict::Wrong(_) => "invalid",
                    Verdict::Failed(..) => "assumed",
                    Verdict::Trusted(_) => "trusted",
                    Verdict::Unknown => "unknown",
                    Verdict::Inadmissible => "inadmissible",
                };
                (self.trace.calls.shown(self.nodes.call(judged.node)), word)
            })
            .collect()
    }

    /// The reasons why parts of the run are missing. The end is not missing while the program runs.
    pub fn missing(&self) -> Vec<String> {
        if self.goes_on() { self.trace.not_recorded() } else { self.trace.missing() }
    }

    /// Lets the oracles answer until a person must answer a question, or a result is found. Runs the program
    /// again if the recording has too little detail for a question.
    ///
    /// # Errors
    /// The recording cannot be read, or the program cannot be run again or behaves differently this time.
    pub async fn next(&mut self, context: &Context) -> Result<Next, SessionError> {
        self.catch_up(false, context).await?;
        self.blame_by_reference(context).await?;
        let step = loop {
            self.begin_at_failure(context).await?;
            let known = self.innermost_violation(context).await?.or_else(|| self.thrower());
            match known.map_or_else(|| self.diagnosis.next(), Step::Ask) {
                Step::Ask(node) => {
                    let (mut question, asserted) = self.look_at(node, context).await?;
                    if !self.answered(node, &mut question, asserted, context).await? {
                        return Ok(Next::Question(Box::new(question)));
                    }
                }
                Step::NotEnded | Step::NoneLeft if self.catch_up(true, context).await? => {}
                step => break step,
            }
        };
        Ok(match step {
            // The loop above answers `Step::Ask`.
            Step::Ask(_) | Step::NoneLeft => Next::NoneLeft,
            Step::Buggy(node) => match self.in_place_of(node)? {
                Some(suspects) => {
                    let invalid = suspects.is_empty().then(|| self.buggy(node));
                    Next::Undecided(invalid, suspects)
                }
                None => {
                    self.found = Some(node);
                    Next::Buggy(self.buggy(node))
                }
            },
            Step::Undecided(invalid, unknown) => {
                let unknown = self.diagnosis.likeliest_first(&unknown);
                let mut known = BTreeSet::new();
                // Several loops of one call have its number.
                let calls = unknown.into_iter().map(|node| self.nodes.call(node));
                let calls = calls.filter(|call| known.insert(*call)).collect();
                Next::Undecided(invalid.map(|node| self.buggy(node)), calls)
            }
            // A call that ended the program never ended itself.
            Step::NotEnded if let Some(call) = self.blamed_at_end() => {
                let node = self.nodes.of_call(call);
                self.found = Some(node);
                Next::Buggy(self.buggy(node))
            }
            Step::NotEnded => Next::NotEnded,
        })
    }

    /// The question about a node. Without loops, a node is a call.
    ///
    /// # Errors
    /// There is no such call, the recording cannot be read, or the program cannot be run again or behaves
    /// differently this time.
    pub async fn question(&mut self, node: u32, context: &Context) -> Result<Question, SessionError> {
        Ok(self.look_at(node, context).await?.0)
    }

    /// The outermost caller of a call. The state of objects before a call is known only if everything before
    /// the call was recorded in the same detail.
    fn outermost(&self, node: u32) -> u32 {
        let mut outermost = node;
        while let Some(around) = self.trace.calls.parent(outermost) {
            outermost = around;
        }
        outermost
    }

    /// Asks the user for permission to run the `java` of the recorded program, unless the recording is the
    /// user's own.
    ///
    /// # Errors
    /// The user refused.
    pub fn allow(&mut self, context: &Context) -> Result<(), SessionError> {
        self.trace.allow(context)
    }

    /// The launch data of the program, to launch a correct version of it alike.
    pub fn launcher(&self) -> Launcher {
        let about = &self.trace.about;
        let variable = |name: &str| std::env::var(name).ok();
        match LaunchCommand::parse(&about.command, &about.cwd, &variable) {
            Ok(LaunchCommand::Java(java)) => {
                let paths = java.class_path.iter().chain(&java.module_path).chain(&java.patches);
                let absolute = paths.map(|path| about.cwd.join(path));
                let is_source = matches!(java.main, Main::SourceFile(_));
                let own = std::env::join_paths(absolute).ok().filter(|_| !is_source);
                Launcher {
                    java: about.cwd.join(&java.java),
                    options: java.options,
                    cwd: about.cwd.clone(),
                    own,
                }
            }
            _ => Launcher { java: "java".into(), options: Vec::new(), cwd: about.cwd.clone(), own: None },
        }
    }

    fn take(&mut self, node: u32, judgement: Judgement) {
        let verdict = match judgement {
            Judgement::Valid => Verdict::Valid,
            Judgement::Invalid => Verdict::Invalid,
            Judgement::Unknown => Verdict::Unknown,
            Judgement::Inadmissible => Verdict::Inadmissible,
            Judgement::Trusted(trust) => {
                let method = self.trace.calls.method_number(self.nodes.call(node));
                Verdict::Trusted(method.map(|method| self.trusted(method, trust)).unwrap_or_default())
            }
        };
        self.diagnosis.answer(node, verdict);
    }

    /// Takes the answer of a person or program to a question.
    ///
    /// # Errors
    /// The answer cannot be written to the answer file.
    pub fn answer(&mut self, question: &Question, judgement: Judgement) -> Result<(), SessionError> {
        self.asked.push((question.at, question.clone()));
        self.take(question.at, judgement);
        self.kept.keep(question, judgement, None)
    }

    /// Leaves a question without an answer: nobody is there who could give one. The search continues with
    /// other calls.
    pub fn leave_open(&mut self, question: &Question) {
        self.left_open += 1;
        self.take(question.at, Judgement::Unknown);
    }

    /// Keeps answers in a file, and reuses the answers in it for calls that behave alike.
    ///
    /// # Errors
    /// The file cannot be read, or is no answer file.
    pub fn keep_in(&mut self, file: &std::path::Path) -> Result<(), SessionError> {
        self.kept = answer_cache::AnswerCache::of(file)?;
        let mut trusted = BTreeSet::new();
        for (method, trust) in self.kept.trusted() {
            let of = |m: &trace::Method| format!("{}.{}{}", m.class, m.name, m.descriptor) == method;
            let number =
                (0..).zip(self.trace.calls.sites.methods()).find(|(_, m)| of(m)).map(|(number, _)| number);
            trusted.extend(number.map(|number| self.trusted(number, trust)).unwrap_or_default());
        }
        self.diagnosis.trust(&trusted);
        Ok(())
    }

    /// The kept answers.
    pub fn kept(&self) -> impl ExactSizeIterator<Item = &KeptAnswer> {
        self.kept.answers()
    }

    /// Takes back a kept answer, by its position from 0. The diagnosis then asks again about its calls.
    ///
    /// # Errors
    /// There is no such answer, or the file cannot be written.
    pub fn retract(&mut self, at: usize) -> Result<(), SessionError> {
        let Some(kept) = self.kept.answers().nth(at).cloned() else {
            return Err(SessionError::NoStep(format!("there is no answer {}", at + 1)));
        };
        self.kept.remove(at)?;
        // Calls with the same digest share this answer.
        let call = Some(kept.call);
        let asked =
            self.asked.iter().filter(|(_, question)| question.digest() == call).map(|(node, _)| *node);
        let unasked = self.unasked.iter().filter(|(_, of)| *of == call).map(|(node, _)| *node);
        let nodes: Vec<u32> = asked.chain(unasked).collect();
        self.asked.retain(|(node, _)| !nodes.contains(node));
        self.unasked.retain(|(node, _)| !nodes.contains(node));
        self.diagnosis.retract_all(|answered| nodes.contains(&answered.node));
        Ok(())
    }

    /// The methods in a scope around a method, by number.
    fn trusted(&self, own: u32, trust: Trust) -> BTreeSet<u32> {
        let calls = &self.trace.calls;
        let Some(method) = calls.sites.method(own) else { return BTreeSet::new() };
        let package =
            |class: &str| class.rsplit_once('.').map_or(String::new(), |(package, _)| package.to_owned());
        let is_meant = |number: u32, other: &trace::Method| match trust {
            // Two class loaders can define the same class, so one method can have two numbers.
            Trust::Method => {
                number == own
                    || (&other.class, &other.name, &other.descriptor)
                        == (&method.class, &method.name, &method.descriptor)
            }
            Trust::Class => other.class == method.class,
            Trust::Package => package(&other.class) == package(&method.class),
        };
        let all = (0..).zip(calls.sites.methods()).filter(|(number, other)| is_meant(*number, other));
        all.map(|(number, _)| number).collect()
    }

    /// Takes back the last answer or condition of a person or program; without one, what was taken for
    /// granted. Returns its node.
    ///
    /// # Errors
    /// The answer file cannot be written.
    pub fn undo(&mut self) -> Result<Option<u32>, SessionError> {
        if let Some(node) = self.take_back_condition() {
            return Ok(Some(node));
        }
        let run = self.asked_runs.pop_if(|run| run.end >= self.asked.len()).map(|run| run.start);
        let from = run.unwrap_or(self.asked.len().saturating_sub(1)).min(self.asked.len());
        let last = self.asked.split_off(from);
        if last.is_empty() {
            return Ok(self.retract_assumption());
        }
        for (_, question) in &last {
            self.kept.retract(question)?;
        }
        self.diagnosis.retract_all(|answered| last.iter().any(|(node, _)| *node == answered.node));
        Ok(last.first().map(|(node, _)| *node))
    }

    /// Number of answers and conditions that a person or program gave.
    pub fn answers(&self) -> usize {
        let by_others =
            self.by_assertion() + self.by_reference + self.unasked.len() + self.left_open + self.assumed();
        let by_person = self.diagnosis.answers().len().saturating_sub(by_others + self.answered_together());
        by_person + self.conditions.len()
    }

    /// Number of answers that were taken for granted.
    fn assumed(&self) -> usize {
        usize::from(self.failure.taken.is_some())
    }

    /// The recording, and the entry of the buggy call. If the recording has no writes, records the call again
    /// in full. If the bug is in a loop, the position is the begin of the iteration that was found.
    ///
    /// # Errors
    /// No buggy call was found, or the call cannot be recorded again.
    pub async fn walk(
        mut self,
        sources: &SourcePaths,
        context: &Context,
    ) -> Result<(RecordedTrace, EventPosition), SessionError> {
        let wanted = Some(Level::All).filter(|_| self.trace.about.level < Level::Writes);
        let found = self.found.unwrap_or(u32::MAX);
        let (node, part) = (self.nodes.call(found), self.nodes.part(found));
        let begins = part.map(|part| part.begins);
        let known = wanted.and_then(|level| self.known_detail(self.outermost(node), level));
        let trace = match known {
            Some(later) => later,
            None => Box::pin(at_level(self.trace, node, wanted, context)).await?,
        };
        let trace = trace.with_code(sources);
        let at = match begins {
            Some(begins) => begins,
            None => trace.entry_of(node)?,
        };
        Ok((trace, at))
    }
}
