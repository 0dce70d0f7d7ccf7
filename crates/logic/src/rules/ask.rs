//! Asks a goal over a recording.

use super::enclosing::{EventTerm, IdRelation, RELATIONS};
use super::event::{EventRelation, Plans, SharedSource};
use super::library::{FACTS, PAPER, PAPER_NAME, QUERIES as LIBRARY};
use super::predefined::QueryRelation;
use super::state::FieldAt;
use crate::plan::{Needed, plan};
use crate::queries::QUERIES;
use crate::saved::SavedTerm;
use crate::saved::id_types::{IdType, infer};
use prolog::{
    Allowance, ClauseReader, Failure, Limits, Machine, NotRead, Options, Program, Relations, Solution,
    Stopped, SyntaxError, Value, View,
};
use serde::Serialize;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::PoisonError;

/// A failure of rules or of a goal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// The rules or the goal are not valid Prolog.
    #[error("{}", all(.0))]
    Syntax(Vec<SyntaxError>),
    /// The goal failed with an error, or was stopped.
    #[error("{0}")]
    Failed(String),
}

fn all(errors: &[SyntaxError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl From<Vec<SyntaxError>> for RulesError {
    fn from(errors: Vec<SyntaxError>) -> RulesError {
        RulesError::Syntax(errors)
    }
}

impl From<NotRead> for RulesError {
    fn from(failure: NotRead) -> RulesError {
        match failure {
            NotRead::Invalid(errors) => RulesError::Syntax(errors),
            NotRead::Stopped(stopped) => RulesError::Failed(stopped.to_string()),
        }
    }
}

/// Rules: the text of files.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Names and texts.
    pub files: Vec<(String, String)>,
}

/// How a goal is asked.
#[derive(Default)]
pub struct AskOptions {
    /// Maximum number of solutions.
    pub solutions: usize,
    /// Limits of time, steps and memory, and the interrupt.
    pub limits: Limits,
    /// Whether to tell how events were found.
    pub explain: bool,
}

/// A solution: the names of variables and their values as text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AskedSolution {
    /// In the order of their first occurrence.
    pub bindings: Vec<(String, String)>,
    /// The same values as data.
    #[serde(skip)]
    pub terms: Vec<SavedTerm>,
}

/// What a goal wrote or answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AskItem {
    /// What the goal wrote.
    Output(String),
    /// A solution.
    Solution(AskedSolution),
}

/// The answers to a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Asked {
    /// The goal.
    pub goal: String,
    /// What it wrote and answered, in order.
    pub items: Vec<AskItem>,
    /// Number of solutions.
    pub solutions: usize,
    /// Whether there may be more solutions.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// Whether only the plan of a recording is told, and nothing was asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_plan: bool,
    /// The error that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What is allowed but rarely meant in the rules, and what the recording lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How events were found: the goal and the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
}

impl Rules {
    /// Asks a goal over a recording.
    ///
    /// # Errors
    /// The rules or the goal are not valid.
    pub fn ask(&self, source: &SharedSource, goal: &str, options: AskOptions) -> Result<Asked, RulesError> {
        let answers: Rc<RefCell<Asked>> = Rc::default();
        let taken = answers.clone();
        let ended = self.run(source, goal, options, move |item| {
            taken.borrow_mut().push(item);
            ControlFlow::Continue(())
        })?;
        Ok(Asked { items: answers.take().items, ..ended })
    }

    /// Asks a goal over a recording. `take` receives what it writes and answers as it comes, and ends the
    /// goal with `Break`. The returned answers have no items.
    ///
    /// # Errors
    /// The rules or the goal are not valid.
    pub fn run(
        &self,
        source: &SharedSource,
        goal: &str,
        options: AskOptions,
        take: impl FnMut(AskItem) -> ControlFlow<()> + 'static,
    ) -> Result<Asked, RulesError> {
        let plans: Option<Plans> = options.explain.then(Plans::default);
        let relations = relations(source, plans.as_ref());
        let (program, notes) = self.program_within(&mut Allowance::new(options.limits.clone()))?;
        let asked = Rules::run_over(&program, notes, &relations, goal, options, take)?;
        Ok(Asked { plan: plans.map(|plans| shown_plans(&plans)).unwrap_or_default(), ..asked })
    }

    /// Asks a goal over the facts of a text. Errors call the text by its name.
    ///
    /// # Errors
    /// The facts, the rules or the goal are not valid.
    pub fn ask_facts(
        &self,
        name: &str,
        text: &str,
        goal: &str,
        options: AskOptions,
    ) -> Result<Asked, RulesError> {
        let mut allowance = Allowance::new(options.limits.clone());
        let library = [("facts.pl", FACTS), ("queries.pl", LIBRARY)];
        let (mut program, notes) = self.program_over(&library, &mut allowance)?;
        program.consult_within(name, text, &mut allowance)?;
        let answers: Rc<RefCell<Asked>> = Rc::default();
        let taken = answers.clone();
        let take = move |item| {
            taken.borrow_mut().push(item);
            ControlFlow::Continue(())
        };
        let ended = Rules::run_over(&program, notes, &Relations::new(), goal, options, take)?;
        Ok(Asked { items: answers.take().items, ..ended })
    }

    fn run_over(
        program: &Program,
        notes: Vec<String>,
        relations: &Relations,
        goal: &str,
        options: AskOptions,
        take: impl FnMut(AskItem) -> ControlFlow<()> + 'static,
    ) -> Result<Asked, RulesError> {
        let read = ClauseReader::new("goal", &ended(goal), program.atoms()).next();
        let types = read.and_then(Result::ok).map(|goal| infer(program, &goal)).unwrap_or_default();
        let take = Rc::new(RefCell::new(take));
        let written = take.clone();
        let is_ended = Rc::new(Cell::new(false));
        let ends = is_ended.clone();
        let output = move |text: &str| {
            if (written.borrow_mut())(AskItem::Output(text.to_owned())).is_break() {
                ends.set(true);
            }
        };
        let mut allowance = Allowance::new(options.limits.clone());
        let machine_options = Options { limits: options.limits, output: Some(Box::new(output)) };
        let mut machine = Machine::new(program, relations, machine_options)?;
        let mut asked = Asked { goal: goal.to_owned(), notes, ..Asked::default() };
        let mut query = machine.query(goal).map_err(failure)?;
        loop {
            if asked.solutions == options.solutions || is_ended.get() {
                // Whoever wants the first solution does not ask for more.
                asked.more = options.solutions > 1;
                break;
            }
            match query.next() {
                Ok(None) => break,
                Ok(Some(solution)) => {
                    let solution = match AskedSolution::of(&solution, &types, &mut allowance) {
                        Ok(solution) => AskItem::Solution(solution),
                        Err(stopped) => {
                            asked.error = Some(stopped.to_string());
                            break;
                        }
                    };
                    asked.solutions += 1;
                    if (take.borrow_mut())(solution).is_break() {
                        asked.more = true;
                        break;
                    }
                }
                Err(failed) => {
                    asked.error = Some(failed.to_string());
                    break;
                }
            }
        }
        Ok(asked)
    }

    /// The predicates of the files: `login/0`.
    ///
    /// # Errors
    /// The rules are not valid.
    pub fn predicates(&self) -> Result<Vec<String>, RulesError> {
        let mut own = Program::new();
        for (name, text) in &self.files {
            own.consult(name, text)?;
        }
        Ok(own.predicates().map(|(name, arity)| format!("{name}/{arity}")).collect())
    }

    /// The clauses of the library and of the files, and warnings.
    ///
    /// # Errors
    /// The rules are not valid.
    pub fn program(&self) -> Result<(Program, Vec<String>), RulesError> {
        self.program_within(&mut Allowance::default())
    }

    fn program_within(&self, allowance: &mut Allowance) -> Result<(Program, Vec<String>), RulesError> {
        self.program_over(&[("queries.pl", LIBRARY)], allowance)
    }

    fn program_over(
        &self,
        library: &[(&str, &str)],
        allowance: &mut Allowance,
    ) -> Result<(Program, Vec<String>), RulesError> {
        let mut program = Program::new();
        for (name, text) in &self.files {
            program.consult_within(name, text, allowance)?;
        }
        let notes = program.warnings().iter().map(ToString::to_string).collect();
        // The user's predicates replace those of the library.
        let own: Vec<(String, usize)> =
            program.predicates().map(|(name, arity)| (name.to_owned(), arity)).collect();
        for (name, text) in library {
            program.consult_library(name, text, &own)?;
        }
        Ok((program, notes))
    }

    /// What has to be recorded for a goal.
    ///
    /// # Errors
    /// The rules or the goal are not valid.
    pub fn plan(&self, goal: &str) -> Result<Needed, RulesError> {
        let (program, _) = self.program()?;
        let goal = Value::read(goal, program.atoms()).map_err(|error| vec![error])?;
        Ok(plan(&program, &goal))
    }
}

/// A goal with its final `.`.
fn ended(goal: &str) -> String {
    let goal = goal.trim_end();
    if goal.ends_with('.') { format!("{goal} ") } else { format!("{goal} . ") }
}

impl AskedSolution {
    /// A solution with the types of its variables.
    fn of(
        solution: &Solution,
        types: &[(String, IdType)],
        allowance: &mut Allowance,
    ) -> Result<AskedSolution, Stopped> {
        let of_type = |name: &str| types.iter().find(|(of, _)| of == name).map(|(_, of_type)| of_type);
        let mut of = AskedSolution { bindings: Vec::new(), terms: Vec::new() };
        // All values of a solution share their nodes.
        let nodes = solution.bindings.first().map_or(0, |(_, value)| value.term().len());
        let size = nodes.saturating_mul(size_of::<SavedTerm>());
        allowance.take(size, || "while an answer was written".to_owned())?;
        for (name, value) in &solution.bindings {
            // A variable that stays unbound says nothing.
            if matches!(value.cursor().view(), View::Var(_)) {
                continue;
            }
            let text = value.text_within(allowance)?;
            of.terms.push(SavedTerm::of(value, of_type(name).unwrap_or(&IdType::Unknown)));
            of.bindings.push((name.clone(), text));
        }
        Ok(of)
    }
}

impl Asked {
    /// Adds what the goal wrote or answered.
    pub fn push(&mut self, item: AskItem) {
        match (self.items.last_mut(), item) {
            (Some(AskItem::Output(before)), AskItem::Output(text)) => before.push_str(&text),
            (_, item) => {
                self.solutions += usize::from(matches!(item, AskItem::Solution(_)));
                self.items.push(item);
            }
        }
    }
}

fn failure(failure: Failure) -> RulesError {
    RulesError::Failed(failure.to_string())
}

/// The ways with the numbers of goals that took them.
fn shown_plans(plans: &Plans) -> Vec<String> {
    let plans = plans.lock().unwrap_or_else(PoisonError::into_inner);
    let mut shown: Vec<(String, usize)> = Vec::new();
    for (goal, way) in plans.iter() {
        let line = format!("{goal}: {way}");
        match shown.iter_mut().find(|(known, _)| *known == line) {
            Some((_, count)) => *count += 1,
            None => shown.push((line, 1)),
        }
    }
    let line =
        |(line, count): (String, usize)| if count == 1 { line } else { format!("{line} ({count} times)") };
    shown.into_iter().map(line).collect()
}

/// The relations over a recording.
fn relations(source: &SharedSource, plans: Option<&Plans>) -> Relations {
    let mut relations = Relations::new();
    relations.add(EventRelation { source: source.clone(), plans: plans.cloned() });
    relations.add(EventTerm { source: source.clone() });
    relations.add(FieldAt { source: source.clone() });
    for (name, ids) in RELATIONS {
        relations.add(IdRelation { name, source: source.clone(), ids: *ids });
    }
    for query in QUERIES {
        let needed = query.words.iter().filter(|word| !word.is_optional).count();
        for words in needed..=query.words.len() {
            let name = query.name.replace('-', "_");
            relations.add(QueryRelation { query, words, source: source.clone(), name });
        }
    }
    relations
}

impl Rules {
    /// Adds the rules that the paper prints, if a file of this name is asked for that does not exist.
    pub fn paper(name: &str) -> Option<(String, String)> {
        (name == PAPER_NAME).then(|| (name.to_owned(), PAPER.to_owned()))
    }
}
