//! Asks a goal over a recording.

use super::enclosing::{EventTerm, IdRelation, RELATIONS};
use super::event::{EventRelation, Plans, SharedSource};
use super::library::{PAPER, PAPER_NAME, QUERIES as LIBRARY};
use super::predefined::QueryRelation;
use super::state::FieldAt;
use crate::logic::plan::{Needed, plan};
use crate::logic::queries::QUERIES;
use crate::logic::search::Source;
use prolog::{Failure, Limits, Machine, Options, Program, Relations, SyntaxError, Value, View};
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

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
    /// The rules with the library, and what is allowed in them but rarely meant.
    fn program(&self) -> Result<(Program, Vec<String>), RulesError> {
        let mut program = Program::new();
        program.consult("queries.pl", LIBRARY)?;
        let mut own = Program::new();
        for (name, text) in &self.files {
            own.consult(name, text)?;
        }
        let notes = own.warnings().iter().map(ToString::to_string).collect();
        // The user's predicates replace those of the library.
        let own_predicates: Vec<(String, usize)> =
            own.predicates().map(|(name, arity)| (name.to_owned(), arity)).collect();
        for (name, arity) in &own_predicates {
            program.remove(name, *arity);
        }
        for (name, text) in &self.files {
            program.consult(name, text)?;
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

    /// Asks a goal over a recording.
    ///
    /// # Errors
    /// The rules or the goal are not valid.
    pub fn ask(&self, source: Source, goal: &str, options: AskOptions) -> Result<Asked, RulesError> {
        let source: SharedSource = Arc::new(Mutex::new(source));
        let plans: Option<Plans> = options.explain.then(Plans::default);
        let relations = relations(&source, plans.as_ref());
        let (program, notes) = self.program()?;
        let items: Rc<RefCell<Vec<AskItem>>> = Rc::default();
        let written = items.clone();
        let output = move |text: &str| {
            let mut items = written.borrow_mut();
            match items.last_mut() {
                Some(AskItem::Output(before)) => before.push_str(text),
                _ => items.push(AskItem::Output(text.to_owned())),
            }
        };
        let machine_options = Options { limits: options.limits, output: Some(Box::new(output)) };
        let mut machine = Machine::new(&program, &relations, machine_options)?;
        let mut asked = Asked { goal: goal.to_owned(), notes, ..Asked::default() };
        {
            let mut query = machine.query(goal).map_err(failure)?;
            loop {
                if asked.solutions == options.solutions {
                    // Whoever wants the first solution does not ask for more.
                    asked.more = options.solutions > 1;
                    break;
                }
                match query.next() {
                    Ok(None) => break,
                    Ok(Some(solution)) => {
                        asked.solutions += 1;
                        // A variable that stays unbound says nothing.
                        let is_bound =
                            |(_, value): &&(String, Value)| !matches!(value.cursor().view(), View::Var(_));
                        let bindings = solution.bindings.iter().filter(is_bound);
                        let bindings = bindings.map(|(name, value)| (name.clone(), value.to_string()));
                        let solution = AskedSolution { bindings: bindings.collect() };
                        items.borrow_mut().push(AskItem::Solution(solution));
                    }
                    Err(failed) => {
                        asked.error = Some(failed.to_string());
                        break;
                    }
                }
            }
        }
        drop(machine);
        asked.items = items.take();
        if let Some(plans) = plans {
            asked.plan = shown_plans(&plans);
        }
        Ok(asked)
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
