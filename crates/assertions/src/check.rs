//! Checks assertions against class files: their methods exist, their conditions have types, and they call no
//! method whose code would have to run.

use super::error::AssertionError;
use super::file::{AssertFile, RowPart};
use chain::{Classes, Fault};
use classes::{ClassPool, SourceRoots};
use expr::{EventPart, EventTypes, Expr, Node, Scope, ScopeLocal, Type, TypeError, check, check_condition};
use model::{MethodName, Site};
use past::expression::library;
use past::expression::machine::{EXCEPTION, NO_SLOT, Names, RESULT};
use std::path::Path;

/// The checked conditions of a method.
pub struct Rule {
    /// The method.
    pub method: MethodName,
    /// The precondition: qp judges only calls that meet it at their entry.
    pub requires: Option<Expr>,
    /// The postcondition: it holds at the end of a correct call.
    pub ensures: Option<Expr>,
    /// Whether the postcondition describes everything that the method should do.
    pub complete: bool,
    /// Whether it judges calls that end with an exception.
    pub tells_of_exceptions: bool,
    /// The meaning of names.
    pub names: Names,
}

/// Checks the rows of a file against the class files of a program.
///
/// # Errors
/// All faults of the file.
pub fn rules(file: &AssertFile, pool: &ClassPool) -> Result<Vec<Rule>, AssertionError> {
    let sources = SourceRoots::open(&[], Path::new("."), None);
    let classes = Classes { pool, sources: &sources };
    let (mut found, mut faults): (Vec<Rule>, Vec<Fault>) = (Vec::new(), Vec::new());
    for (at, said) in file.rows.iter().enumerate() {
        let names = match names(&classes, &said.method) {
            Ok(named) => named,
            Err(why) => {
                let message = format!("{why} (in the row of {})", file.conditions(at));
                faults.push(file.fault(at, RowPart::Method, message));
                continue;
            }
        };
        let (method, names, written_result) = names;
        if found.iter().any(|other: &Rule| other.method == method) {
            let message = format!("`{method}` already has a row: join their conditions with `&&`");
            faults.push(file.fault(at, RowPart::Method, message));
            continue;
        }
        let checked = Checked { classes: &classes, names: &names, result: written_result };
        let mut complain = |part, condition: &Expr, wrong: Option<TypeError>| {
            if let Some(TypeError { text, problem }) = wrong {
                let message = format!("`{}`: `{condition}`: `{text}`{}", said.method, told(&problem));
                faults.push(file.fault(at, part, message));
            }
        };
        if let Some(condition) = &said.requires {
            complain(RowPart::Requires, condition, checked.requires(condition).err());
        }
        if let Some(condition) = &said.ensures {
            complain(RowPart::Ensures, condition, checked.ensures(condition).err());
        }
        let names_exception = |condition: &Expr| {
            names_outside_old(condition.node()).contains(&EXCEPTION) || condition.uses(EventPart::Exception)
        };
        found.push(Rule {
            method,
            requires: said.requires.clone(),
            ensures: said.ensures.clone(),
            complete: said.complete,
            tells_of_exceptions: said.ensures.as_ref().is_some_and(names_exception),
            names,
        });
    }
    if faults.is_empty() { Ok(found) } else { Err(file.wrong(faults)) }
}

/// Joins a problem to the text it is about.
fn told(problem: &str) -> String {
    let goes_on = ["is ", "names "].iter().any(|begin| problem.starts_with(begin));
    if goes_on { format!(" {problem}") } else { format!(": {problem}") }
}

/// The method of a row, the meaning of names in its conditions, and the type of its result if it has one.
fn names(classes: &Classes<'_>, written: &str) -> Result<(MethodName, Names, Option<Type>), String> {
    let (file, method) = classes.method(written).map_err(|refusal| refusal.to_string())?;
    let declared = file.method(&method.name, &method.descriptor);
    let Some(code) = declared.and_then(|declared| declared.code.as_ref()) else {
        return Err(classes.without_code(&file, &method).to_string());
    };
    let Some(at_begin) = classes.scope(&Site { method: method.clone(), bci: 0 }) else {
        return Err(format!("there is no code of `{written}`"));
    };
    let result = expr::method_types(&method.descriptor).map(|(_, result)| result);
    let result = result.filter(|result| *result != Type::Void);
    let mut at_end = at_begin.clone();
    let told =
        |name: &str, descriptor: String| ScopeLocal { name: name.to_owned(), descriptor, slot: NO_SLOT };
    if let Some(descriptor) = result.as_ref().and_then(Type::descriptor) {
        at_end.locals.push(told(RESULT, descriptor));
    }
    at_end.locals.push(told(EXCEPTION, "Ljava/lang/Throwable;".to_owned()));
    let written = code.instructions.iter().filter_map(|instruction| instruction.op.stored_slot());
    let names = Names { at_begin, at_end, written: written.map(|(slot, _)| slot).collect() };
    Ok((method, names, result))
}

struct Checked<'a> {
    classes: &'a Classes<'a>,
    names: &'a Names,
    result: Option<Type>,
}

fn wrong<T>(node: &Node, problem: impl Into<String>) -> Result<T, TypeError> {
    Err(TypeError { text: node.to_string(), problem: problem.into() })
}

impl Checked<'_> {
    fn requires(&self, condition: &Expr) -> Result<(), TypeError> {
        let scope = &self.names.at_begin;
        self.calls(condition.node(), scope)?;
        if let Some(old) = condition.node().all().into_iter().find(|node| node.old().is_some()) {
            return wrong(old, "is only for `ensures`: `requires` reads the state at the call's entry");
        }
        check_condition(condition, scope, self.classes, &EventTypes::default())
    }

    fn ensures(&self, condition: &Expr) -> Result<(), TypeError> {
        let Names { at_begin, at_end, .. } = self.names;
        for old in condition.node().all().into_iter().filter_map(Node::old) {
            if let Some(inner) = old.all().into_iter().find(|node| node.old().is_some()) {
                return wrong(inner, "is inside another `old`");
            }
            self.calls(old, at_begin)?;
            check(&Expr::of_node(old), at_begin, self.classes, &EventTypes::default())?;
        }
        for name in names_outside_old(condition.node()) {
            let is_told = name == EXCEPTION || name == RESULT && self.result.is_some();
            if is_told && self.is_variable(name) {
                let problem = format!(
                    "names a variable too: write `.{name}` for the call's outcome, `this.{name}` for a field, \
                     `old({name})` for a parameter"
                );
                return Err(TypeError { text: name.to_owned(), problem });
            }
            if name == RESULT && self.result.is_none() && !self.is_variable(name) {
                return Err(TypeError {
                    text: name.to_owned(),
                    problem: "is only for methods that return something".to_owned(),
                });
            }
        }
        self.calls(condition.node(), at_end)?;
        check_condition(condition, at_end, self.classes, &self.events())
    }

    fn events(&self) -> EventTypes {
        let exception = Some(Type::class("java.lang.Throwable"));
        EventTypes { result: self.result.clone(), exception, has_old: true, ..EventTypes::default() }
    }

    /// Whether a name is a parameter or field.
    fn is_variable(&self, name: &str) -> bool {
        let expr = Expr::of_node(&Node::Name(name.to_owned()));
        let of = check(&expr, &self.names.at_begin, self.classes, &EventTypes::default());
        of.is_ok_and(|of| of != Type::Unknown)
    }

    /// Refuses calls of methods whose code would have to run, and boxes that the program did not create.
    fn calls(&self, node: &Node, scope: &Scope) -> Result<(), TypeError> {
        for part in node.all().into_iter().filter(|part| part.old().is_none()) {
            match part {
                Node::Call { owner: None, name, .. } if name == "old" => {
                    return wrong(part, "is written with one expression: `old(x)`");
                }
                Node::Call { owner, name, arguments }
                    if owner.is_none() || !library::can_be_called(name, arguments.len()) =>
                {
                    let problem =
                        "is a call, but conditions run no code; they can call these methods of the JDK";
                    return wrong(part, format!("{problem}: {}", library::called()));
                }
                Node::Cast { to, operand } if to.primitive().is_none() => {
                    let of = check(&Expr::of_node(operand), scope, self.classes, &self.events())?;
                    if matches!(of, Type::Primitive(_)) {
                        return wrong(part, "is a box that the program did not create");
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The simple names in an expression that refer to the state at the call's end.
fn names_outside_old(node: &Node) -> Vec<&str> {
    match node {
        Node::Name(name) => vec![name],
        _ if node.old().is_some() => Vec::new(),
        _ => node.children().into_iter().flat_map(names_outside_old).collect(),
    }
}
