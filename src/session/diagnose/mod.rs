//! Declarative debugging of a recorded run (JHyde §2): calls are asked about, one after the other, until one is left.
//!
//! - [`Diagnoser`] leads from question to answer. `question` says what a call was given and what became of it, `shape` what values were,
//!   `fields` which fields objects have; `covered` is what calls have covered of the code, `chains` of the data flow.
//! - A [`Reference`] is a version of the program that is right, and answers for a person.

mod chains;
mod covered;
mod fields;
mod question;
mod reference;
mod shape;

pub use question::{Change, Question};
pub use reference::{Opinion, Reference};
pub use shape::{Bounds, Shape};

use super::error::SessionError;
use super::progress::Progress;
use super::recorded::{RecordedTrace, detail};
use super::workspace::Workspace;
use crate::chain::{Chain, Debuggee};
use crate::declarative::{Coverage, Diagnosis, Forest, Needs, STRATEGIES, Step, Verdict, strategy};
use crate::run::Interrupt;
use crate::trace::{Calls, Exit, Level};
use fields::Fields;
use question::Asked;
use serde::Serialize;
use std::collections::BTreeSet;

/// How calls are asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagnoseOptions {
    /// The name of the strategy; none: the first one.
    pub strategy: Option<String>,
    /// `p` of JHyde §2.4, from 0 to 1.
    pub p: Option<f64>,
    /// Only what is below this call, which is invalid.
    pub node: Option<u32>,
    /// Whether of a recursion only the call that begins it is judged.
    pub compress: bool,
    /// How much is shown of values.
    pub bounds: Bounds,
}

/// The strategies: their names, and what they ask next.
pub fn strategies() -> impl Iterator<Item = (&'static str, &'static str)> {
    STRATEGIES.iter().map(|row| (row.name, row.about))
}

/// How far trust goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The method.
    Method,
    /// All methods of its class.
    Class,
    /// All methods of the classes of its package.
    Package,
}

/// What is said of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It did what it should.
    Valid,
    /// It did not.
    Invalid,
    /// Its method is right for sure, or all of its class or package.
    Trusted(Trust),
    /// Nobody knows.
    Unknown,
    /// What it was given was wrong already.
    Inadmissible,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// This is asked.
    Question(Box<Question>),
    /// This call is buggy.
    Buggy(Buggy),
    /// This call is buggy, or one of these below it that nobody could judge.
    Undecided(Option<Buggy>, Vec<u32>),
    /// The buggy call has not ended yet.
    NotEnded,
    /// No call is buggy.
    NoneLeft,
}

/// The buggy call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Buggy {
    /// The call.
    pub node: u32,
    /// The class of its method.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// The first line of the method, if that is known.
    pub line: Option<u32>,
    /// The file of its source, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its recursive calls were not judged: the method is wrong, in this call or in one of those.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recursive: bool,
}

/// Leads from question to answer.
pub struct Diagnoser {
    trace: RecordedTrace,
    diagnosis: Diagnosis,
    fields: Fields,
    options: DiagnoseOptions,
    /// What is to be said about the way in which it is asked.
    pub notes: Vec<String>,
}

impl Diagnoser {
    /// Begins to ask about a recorded run.
    ///
    /// # Errors
    /// There is no such strategy or call, or the run cannot be read.
    pub fn new(mut trace: RecordedTrace, options: DiagnoseOptions) -> Result<Diagnoser, SessionError> {
        let first = STRATEGIES.first().map_or("", |row| row.name);
        let name = options.strategy.as_deref().unwrap_or(first);
        let Some((strategy, needs)) = strategy(name, options.p) else {
            let there: Vec<&str> = STRATEGIES.iter().map(|row| row.name).collect();
            return Err(SessionError::NoStrategy { name: name.to_owned(), there: there.join(", ") });
        };
        let fields = Fields::new(class_files(&trace));
        let mut notes = Vec::new();
        let coverage = match needs {
            Needs::Nothing => None,
            _ if trace.about.level < Level::All => {
                notes.push(format!(
                    "what calls cover is not recorded at level {}: `{name}` asks by their number",
                    trace.about.level
                ));
                None
            }
            Needs::Edges => Some(covered::edges(&mut trace.calls)?),
            Needs::Chains => Some(chains::chains(&mut trace.calls, fields.pool())?),
        };
        let diagnosis = begun(&trace.calls, strategy, coverage, &options)?;
        Ok(Diagnoser { trace, diagnosis, fields, options, notes })
    }

    /// What calls cover, where the strategy goes by that, and the shape of the trees.
    pub fn diagnosis(&self) -> &Diagnosis {
        &self.diagnosis
    }

    /// What comes next. Where less was recorded of a call than is asked about, the program is run again.
    ///
    /// # Errors
    /// It cannot be read; the program cannot be run again, or did something else this time.
    pub async fn next(
        &mut self,
        progress: &mut dyn Progress,
        interrupt: &mut Interrupt,
    ) -> Result<Next, SessionError> {
        Ok(match self.diagnosis.next() {
            Step::Ask(node) => Next::Question(Box::new(self.question(node, progress, interrupt).await?)),
            Step::Buggy(node) => Next::Buggy(self.buggy(node)),
            Step::Undecided(invalid, unknown) => {
                Next::Undecided(invalid.map(|node| self.buggy(node)), unknown)
            }
            Step::NotEnded => Next::NotEnded,
            Step::NoneLeft => Next::NoneLeft,
        })
    }

    /// What would be asked of a call.
    ///
    /// # Errors
    /// There is no such call, or it cannot be read; the program cannot be run again, or did something else this time.
    pub async fn question(
        &mut self,
        node: u32,
        progress: &mut dyn Progress,
        interrupt: &mut Interrupt,
    ) -> Result<Question, SessionError> {
        let number = u32::try_from(self.diagnosis.answers().len()).unwrap_or(u32::MAX).saturating_add(1);
        let (remaining, bounds) = (self.diagnosis.remaining(), self.options.bounds);
        let wanted = if self.trace.about.level < Level::Writes { Level::All } else { self.trace.about.level };
        let fields = &mut self.fields;
        match detail(&mut self.trace, node, wanted, progress, interrupt).await? {
            None => Asked { calls: &mut self.trace.calls, node, fields, bounds }.question(number, remaining),
            Some(mut later) => {
                fields.forget();
                let node = later.calls.own(node);
                let asked = Asked { calls: &mut later.calls, node, fields, bounds };
                let question = asked.question(number, remaining);
                fields.forget();
                question
            }
        }
    }

    /// Where the `java` of the program is, and the folder in which it works.
    pub fn java(&self) -> (String, std::path::PathBuf) {
        let about = &self.trace.about;
        let first = about.command.first().cloned().unwrap_or_default();
        let is_java = std::path::Path::new(&first).file_name().is_some_and(|name| name == "java");
        (if is_java { first } else { "java".to_owned() }, about.cwd.clone())
    }

    /// What is said of a call.
    pub fn answer(&mut self, node: u32, judgement: Judgement) {
        let verdict = match judgement {
            Judgement::Valid => Verdict::Valid,
            Judgement::Invalid => Verdict::Invalid,
            Judgement::Unknown => Verdict::Unknown,
            Judgement::Inadmissible => Verdict::Inadmissible,
            Judgement::Trusted(trust) => Verdict::Trusted(self.trusted(node, trust)),
        };
        self.diagnosis.answer(node, verdict);
    }

    /// The methods that are trusted with that of a call.
    fn trusted(&self, node: u32, trust: Trust) -> BTreeSet<u32> {
        let calls = &self.trace.calls;
        let own = calls.method_number(node);
        let Some(method) = calls.method(node) else { return BTreeSet::new() };
        let package =
            |class: &str| class.rsplit_once('.').map_or(String::new(), |(package, _)| package.to_owned());
        let is_meant = |number: u32, other: &crate::trace::Method| match trust {
            // A class can be loaded twice.
            Trust::Method => {
                Some(number) == own
                    || (&other.class, &other.name, &other.descriptor)
                        == (&method.class, &method.name, &method.descriptor)
            }
            Trust::Class => other.class == method.class,
            Trust::Package => package(&other.class) == package(&method.class),
        };
        let all = (0..).zip(calls.sites.methods()).filter(|(number, other)| is_meant(*number, other));
        all.map(|(number, _)| number).collect()
    }

    /// Takes back the last answer: the call that it was of.
    pub fn undo(&mut self) -> Option<u32> {
        let last = self.diagnosis.answers().len().checked_sub(1)?;
        self.diagnosis.retract(last).map(|answered| answered.node)
    }

    /// How many answers there are.
    pub fn answers(&self) -> usize {
        self.diagnosis.answers().len()
    }

    fn buggy(&self, node: u32) -> Buggy {
        let calls = &self.trace.calls;
        let method = calls.method(node);
        let of = |tell: fn(&crate::trace::Method) -> String| method.map(tell).unwrap_or_default();
        let (class, name) = (of(|m| m.class.to_string()), of(|m| m.name.clone()));
        let line = method.and_then(|method| {
            let found = self.fields.pool()?.find(&method.class).ok()??;
            let code = found.file.method(&method.name, &method.descriptor)?.code.as_ref()?;
            code.lines.iter().map(|entry| entry.line).min()
        });
        let first_seen = || {
            let own = calls.method_number(node)?;
            calls.sites.all().filter(|site| site.method == own).filter_map(|site| site.line).min()
        };
        let forest = self.diagnosis.forest();
        let recursive =
            self.options.compress && forest.children(node).any(|child| forest.repeats_its_caller(child));
        Buggy {
            node,
            class,
            method: name,
            line: line.or_else(|| first_seen().map(u32::from)),
            source: method.and_then(|method| method.source.as_deref().map(str::to_owned)),
            recursive,
        }
    }
}

fn begun(
    calls: &Calls,
    strategy: Box<dyn crate::declarative::Strategy>,
    coverage: Option<Coverage>,
    options: &DiagnoseOptions,
) -> Result<Diagnosis, SessionError> {
    let mut diagnosis = Diagnosis::new(forest(calls), strategy, coverage);
    if options.compress {
        diagnosis.compress();
    }
    if let Some(node) = options.node {
        if node >= diagnosis.forest().count() {
            return Err(SessionError::NoSuchCall { node, calls: calls.count() });
        }
        diagnosis.start_below(node);
    }
    Ok(diagnosis)
}

/// The shape of the trees of a recorded run.
fn forest(calls: &Calls) -> Forest {
    let mut forest = Forest::with_room(calls.count());
    let all = u32::try_from(calls.count()).unwrap_or(u32::MAX);
    for node in 0..all {
        let has_ended = matches!(calls.exit(node), Exit::Returned | Exit::Threw);
        forest.push(
            calls.below(node).saturating_add(1),
            calls.method_number(node).unwrap_or(u32::MAX),
            has_ended,
        );
    }
    for (thread, ..) in calls.threads() {
        forest.thread(calls.of_thread(thread));
    }
    forest
}

/// The class files of the program of a recorded run, if they are still there.
fn class_files(trace: &RecordedTrace) -> Option<crate::classes::ClassPool> {
    let about = &trace.about;
    let debuggee =
        Debuggee { command: about.command.clone(), cwd: Some(about.cwd.clone()), ..Debuggee::default() };
    Workspace::open(&Chain::new(debuggee, Vec::new()), None, None).ok()?.pool(None).ok()
}
