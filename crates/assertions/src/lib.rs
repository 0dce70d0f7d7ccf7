//! Assertions: small Java conditions on methods that answer questions instead of a person
//! (docs/declarative.md).
//!
//! `file` reads them, and `check` checks them against the program's classes. `past::expression` evaluates
//! them on a recorded call.

mod check;
mod error;
mod file;

pub use error::AssertionError;
pub use file::AssertFile;

use check::Rule;
use classes::ClassPool;
use expr::Expr;
use model::Value;
use past::expression::library::RecordedObjects;
use past::expression::machine::CallMachine;
use past::expression::{Unseen, text, value};
use past::fields::Fields;
use trace::{Calls, Exit};

/// The verdict of an assertion on a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssertedAnswer {
    /// The call did everything it should.
    Valid(String),
    /// The call did something wrong, for this reason.
    Invalid(String),
    /// The call violates the precondition, for this reason.
    Inadmissible(String),
    /// The assertion does not judge the call, for this reason.
    Nothing(String),
    /// The assertion has no value for this call, for this reason.
    Unknown(String),
}

impl AssertedAnswer {
    /// The text of the verdict.
    pub fn why(self) -> String {
        match self {
            AssertedAnswer::Valid(why) | AssertedAnswer::Invalid(why) | AssertedAnswer::Inadmissible(why) => {
                why
            }
            AssertedAnswer::Nothing(why) | AssertedAnswer::Unknown(why) => why,
        }
    }
}

/// The assertions about a program.
pub struct Asserts {
    rules: Vec<Rule>,
    /// For each condition that was added, in order, the rule of the same method that it replaced.
    replaced: Vec<Option<Rule>>,
    /// The possible unrecorded writes of the calls read last.
    unseen: Option<Unseen>,
    /// Whether some classes of the program are not recorded.
    has_outside: bool,
}

impl Asserts {
    /// The assertions of a file for a program with these class files. `has_outside` says that some of its
    /// classes are not recorded.
    ///
    /// # Errors
    /// A row does not fit the program.
    pub fn new(
        file: &AssertFile,
        pool: Option<&ClassPool>,
        has_outside: bool,
    ) -> Result<Asserts, AssertionError> {
        let Some(pool) = pool else { return Err(AssertionError::NoClassFiles) };
        Ok(Asserts { rules: check::rules(file, pool)?, replaced: Vec::new(), unseen: None, has_outside })
    }

    /// No assertions.
    pub fn none(has_outside: bool) -> Asserts {
        Asserts { rules: Vec::new(), replaced: Vec::new(), unseen: None, has_outside }
    }

    /// Adds a condition: what all calls of a recorded method must ensure. `complete` says that this is all
    /// that they must do. Returns the row that a file would have for the method.
    ///
    /// # Errors
    /// The condition does not fit the method.
    pub fn add(
        &mut self,
        method: &trace::Method,
        condition: &str,
        complete: bool,
        pool: Option<&ClassPool>,
    ) -> Result<String, AssertionError> {
        let Some(pool) = pool else { return Err(AssertionError::NoClassFiles) };
        let types = expr::method_types(&method.descriptor).map(|(types, _)| types).unwrap_or_default();
        let types: Vec<String> = types.iter().map(ToString::to_string).collect();
        let written = format!("{}.{}({})", method.class, method.name, types.join(", "));
        // The new condition alone is what an error is about.
        let alone = AssertFile::of_condition(&written, condition, complete)?;
        let mut rules = check::rules(&alone, pool)?;
        let at = self.rules.iter().position(|rule| is_of(rule, method));
        if let Some(known) = at.and_then(|at| self.rules.get(at)) {
            let both = known.ensures.as_ref().map(|known| format!("({known}) && ({condition})"));
            let complete = complete || known.complete;
            let joined = AssertFile::of_condition(&written, both.as_deref().unwrap_or(condition), complete)?;
            rules = check::rules(&joined, pool)?;
            rules.iter_mut().for_each(|rule| rule.requires.clone_from(&known.requires));
        }
        let row = rules.first().map_or(String::new(), |rule| row_text(&written, rule));
        self.replaced.push(at.map(|at| self.rules.remove(at)));
        self.rules.extend(rules);
        Ok(row)
    }

    /// Takes back the condition that was added last.
    pub fn take_back(&mut self) {
        if let Some(replaced) = self.replaced.pop() {
            self.rules.pop();
            self.rules.extend(replaced);
        }
    }

    /// The asserted methods without a recorded call.
    pub fn unmet(&self, calls: &Calls) -> Vec<String> {
        self.rules.iter().filter(|rule| !is_met(rule, calls)).map(|rule| rule.method.to_string()).collect()
    }

    /// Checks that every asserted method has a recorded call.
    ///
    /// # Errors
    /// The methods without one.
    pub fn are_met(&self, file: &AssertFile, calls: &Calls) -> Result<(), AssertionError> {
        let unmet = self.rules.iter().enumerate().filter(|(_, rule)| !is_met(rule, calls));
        let faults: Vec<_> = unmet.map(|(at, rule)| file.unmet(at, &rule.method)).collect();
        if faults.is_empty() { Ok(()) } else { Err(file.wrong(faults)) }
    }

    /// Call this when the recording has grown.
    pub fn grown(&mut self) {
        self.unseen = None;
    }

    /// Computes once which values the calls of a whole run may have written without an event.
    pub fn look_at(&mut self, calls: &Calls, pool: Option<&ClassPool>) {
        self.unseen.get_or_insert_with(|| Unseen::of(calls, pool, self.has_outside));
    }

    /// The methods with an assertion, by their numbers in a recording.
    pub fn methods(&self, calls: &Calls) -> Vec<u32> {
        let numbered = (0..).zip(calls.sites.methods());
        let asserted = numbered.filter(|(_, method)| self.rules.iter().any(|rule| is_of(rule, method)));
        asserted.map(|(number, _)| number).collect()
    }

    /// The values that calls may have written without an event; the same for all calls of a recording.
    pub fn unseen(&self, calls: &Calls, pool: Option<&ClassPool>) -> Unseen {
        self.unseen.clone().unwrap_or_default().with_less(calls, pool)
    }

    /// Judges a call; none if no assertion is about its method. A recording with only a part of the run's
    /// writes gives no verdict.
    ///
    /// # Errors
    /// The recording or a class file cannot be read.
    pub async fn judge(
        &self,
        calls: &mut Calls,
        node: u32,
        fields: &mut Fields,
        is_part: bool,
    ) -> Result<Option<AssertedAnswer>, AssertionError> {
        if !is_part {
            let unseen = self.unseen(calls, fields.pool());
            return self.judge_with(&unseen, calls, node, fields).await;
        }
        let is_asserted = self.rule_of(calls, node).is_some();
        let call = if is_asserted { calls.call(node)? } else { None };
        let has_ended = call.is_some_and(|call| matches!(call.exit, Exit::Returned | Exit::Threw));
        let why = "only a part of the run was recorded, and unrecorded code may have written too: \
            record it with --level all";
        Ok(has_ended.then(|| AssertedAnswer::Unknown(cannot_tell(why))))
    }

    fn rule_of(&self, calls: &Calls, node: u32) -> Option<&Rule> {
        calls.method(node).and_then(|method| self.rules.iter().find(|rule| is_of(rule, method)))
    }

    /// Judges a call of a whole run, with the values that may have been written without an event.
    ///
    /// # Errors
    /// The recording or a class file cannot be read.
    pub async fn judge_with(
        &self,
        unseen: &Unseen,
        calls: &mut Calls,
        node: u32,
        fields: &mut Fields,
    ) -> Result<Option<AssertedAnswer>, AssertionError> {
        let Some(rule) = self.rule_of(calls, node) else { return Ok(None) };
        let Some(call) = calls.call(node)?.filter(|call| matches!(call.exit, Exit::Returned | Exit::Threw))
        else {
            return Ok(None);
        };
        let has_thrown = call.exit == Exit::Threw;
        let descriptor = &rule.method.descriptor;
        let mut machine = CallMachine::new(calls, fields, &rule.names, unseen, call, descriptor)?;
        if let Some(requires) = &rule.requires {
            machine.stand_at_the_begin(true);
            match holds(requires, &mut machine).await? {
                Ok(true) => {}
                Ok(false) => {
                    let why = why_not(requires, &mut machine).await?;
                    return Ok(Some(AssertedAnswer::Inadmissible(why)));
                }
                Err(why) => return Ok(Some(AssertedAnswer::Unknown(cannot_tell(&why)))),
            }
            machine.stand_at_the_begin(false);
        }
        let Some(ensures) = &rule.ensures else {
            let why = "the assertion has no `ensures`; the call meets its `requires`";
            return Ok(Some(AssertedAnswer::Nothing(why.to_owned())));
        };
        if has_thrown && !rule.tells_of_exceptions {
            let why =
                "the assertion does not judge calls that end with an exception: it does not name `exception`";
            return Ok(Some(AssertedAnswer::Nothing(why.to_owned())));
        }
        Ok(Some(match holds(ensures, &mut machine).await? {
            Err(why) => AssertedAnswer::Unknown(cannot_tell(&why)),
            Ok(false) => AssertedAnswer::Invalid(why_not(ensures, &mut machine).await?),
            Ok(true) if rule.complete => AssertedAnswer::Valid(format!("`{ensures}` is true")),
            Ok(true) => {
                AssertedAnswer::Nothing(format!("the assertion holds, but it is not `complete`: `{ensures}`"))
            }
        }))
    }
}

/// Whether a text is a condition: an expression that compares or calls something.
pub fn is_condition(text: &str) -> bool {
    let compares = ["==", "!=", "<", ">", "!", "&&", "||", "instanceof", "("];
    compares.iter().any(|sign| text.contains(sign)) && Expr::parse(text.trim()).is_ok()
}

/// The row of a file for a rule.
fn row_text(method: &str, rule: &Rule) -> String {
    let condition = |key: &str, of: &Option<Expr>| {
        of.as_ref().map_or(String::new(), |of| format!(", {key}: {:?}", of.to_string()))
    };
    let (requires, ensures) = (condition("requires", &rule.requires), condition("ensures", &rule.ensures));
    let complete = if rule.complete { ", complete: true" } else { "" };
    format!("(method: {method:?}{requires}{ensures}{complete})")
}

fn cannot_tell(why: &str) -> String {
    format!("the assertion cannot tell: {why}")
}

fn is_met(rule: &Rule, calls: &Calls) -> bool {
    let threads: Vec<u32> = calls.threads().into_iter().map(|(thread, ..)| thread).collect();
    let numbered = (0..).zip(calls.sites.methods());
    let mut own = numbered.filter(|(_, method)| is_of(rule, method)).map(|(number, _)| number);
    own.any(|number| threads.iter().any(|thread| !calls.of_method(number, *thread).is_empty()))
}

fn is_of(rule: &Rule, method: &trace::Method) -> bool {
    let of = &rule.method;
    (&*of.class, &*of.name, &*of.descriptor) == (&*method.class, &*method.name, &*method.descriptor)
}

/// Whether a condition holds, or the reason why that is unknown.
async fn holds(
    condition: &Expr,
    machine: &mut CallMachine<'_>,
) -> Result<Result<bool, String>, AssertionError> {
    Ok(match value(condition, machine).await? {
        Ok(Value::Boolean(holds)) => Ok(holds),
        Ok(Value::Object { id, .. }) => match machine.boxed(id) {
            Ok(Some(Value::Boolean(holds))) => Ok(holds),
            _ => Err(format!("`{condition}` is not a boolean")),
        },
        Ok(_) => Err(format!("`{condition}` is not a boolean")),
        Err(why) => Err(why),
    })
}

/// Explains a false condition by the values it compares.
async fn why_not(condition: &Expr, machine: &mut CallMachine<'_>) -> Result<String, AssertionError> {
    let mut parts = Vec::new();
    for operand in condition.operands_with_calls() {
        if let Ok(value) = value(&operand, machine).await? {
            parts.push(format!("{operand} is {}", text(&value, machine)));
        }
    }
    let parts = if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) };
    Ok(format!("`{condition}` is false{parts}"))
}
