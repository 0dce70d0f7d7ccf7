//! `LastReturn("A(0):order.total(a)")`: the `return` that gave a call its result, as a point sees that call.
//! It must be of the same method, in the same thread, on the same object and with the same arguments.

use super::target_variable::{self, TargetExpression};
use super::{Complaint, Rule};
use crate::translate::classes::{method_name, parameters};
use crate::translate::{Ask, PointContext, Refusal, Stop};
use bytecode::lines::line_of;
use bytecode::{ClassFile, Method, Op};
use expr::{self, EventTypes, Expr, Node, Primitive, Reference, Type, method_types};
use model::{MethodName, Site};
use query::{Constraint, Event, Keep, Pass, Slot};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) struct LastReturn<'a> {
    pub(super) reference: &'a str,
}

/// Whether an expression is a method call. `contents(set)` and `old(x)` are not.
pub fn is_call(text: &str) -> bool {
    Expr::parse(text).is_ok_and(|expr| parts(&expr).is_some())
}

/// The parts of a call: the receiver, the name and the arguments.
fn parts(expr: &Expr) -> Option<(Option<&Node>, &str, &[Node])> {
    let Node::Call { owner, name, arguments } = expr.node() else { return None };
    let is_word = owner.is_none() && matches!(name.as_str(), "contents" | "old");
    (!is_word).then_some((owner.as_deref(), name.as_str(), arguments.as_slice()))
}

impl Rule for LastReturn<'_> {
    fn asks_of(&self) -> Option<(&str, &'static str)> {
        Some((self.reference, "returned"))
    }

    fn complaints(&self) -> Vec<Complaint> {
        let mut complaints = target_variable::complaints(self.reference, "returned");
        if let Ok(Reference { expr, .. }) = Reference::parse(self.reference)
            && parts(&expr).is_none()
        {
            let help = "write it as in `LastReturn(\"A:order.total(a)\")`, or ask for the `LastChange` of a variable";
            complaints.push(Complaint::about(self.reference, format!("`{expr}` is no call"), help));
        }
        complaints
    }

    fn translate(&self, context: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let target = TargetExpression::new(context, self.reference)?;
        let Some((owner, name, arguments)) = parts(&target.expr) else {
            return Err(Refusal::Chain(format!("`{}` is no call", target.expr)).into());
        };
        let called = Called::new(context, &target, owner, name)?;
        let types = arguments
            .iter()
            .map(|argument| type_of(context, &target, &Expr::of_node(argument)))
            .collect::<Result<Vec<Type>, Stop>>()?;
        let (file, method) = called.method(context, name, &types)?;
        let declared = method_name(&file, &method);
        if method.is_abstract() {
            return Err(context.classes().without_code(&file, &declared).into());
        }
        self.tell_own_call(context, &target, &declared);
        let code = method.code.as_ref();
        let sites = code.map(|code| {
            let returns = code.instructions.iter().filter(|i| matches!(i.op, Op::Return(_)));
            returns.map(|i| Site { method: declared.clone(), bci: i.pc }).collect::<Vec<_>>()
        });
        let mut ask = Compared { context, target: &target, keep: Vec::new(), constraints: Vec::new() };
        ask.constraints.extend([Constraint::Before(target.point), Constraint::SameThread(target.point)]);
        if !method.is_static() {
            match &called.receiver {
                Some(receiver) => ask.same("this", receiver)?,
                None => ask.context.warn(format!(
                    "the receiver of `{name}` is not compared: `{}` cannot be evaluated without running code",
                    target.expr
                )),
            }
        }
        ask.arguments(arguments, &types, &method, sites.as_deref().unwrap_or_default())?;
        let Compared { keep, constraints, .. } = ask;
        let result = method_types(&declared.descriptor).map(|(_, result)| result);
        let events = EventTypes { result: result.filter(|of| *of != Type::Void), ..EventTypes::default() };
        Ok(Ask { constraints, keep, ..Ask::plain(Event::Returned(vec![declared]), sites, events) })
    }
}

impl LastReturn<'_> {
    /// Warns if the point's line makes such a call itself: the point stands before that call.
    fn tell_own_call(
        &self,
        context: &mut PointContext<'_, '_>,
        target: &TargetExpression,
        called: &MethodName,
    ) {
        let Ok((Event::Reached(passes), ..)) = context.event_of(target.point) else { return };
        let calls = |pass: &Pass| {
            let line = context.classes().at(&pass.method, |_, method| {
                let code = method.code.as_ref()?;
                let line = line_of(code, *pass.entries.first()?)?;
                let mut calls = code.instructions.iter().filter(|i| match &i.op {
                    Op::Invoke { method, .. } => {
                        *method.name == *called.name && *method.descriptor == *called.descriptor
                    }
                    _ => false,
                });
                calls.any(|i| line_of(code, i.pc) == Some(line)).then_some(line)
            });
            line.flatten()
        };
        let own = passes.iter().filter(|pass| target.frame == 0 && !pass.on_entry).find_map(calls);
        if let (Some(line), Ok(Reference { point: Some(id), .. })) = (own, Reference::parse(self.reference)) {
            let (class, name) = (&called.class, &called.name);
            context.warn(format!(
                "line {line} calls `{name}` too, and {id} stands before that: this is the last call before the \
                 line. For a call that the line makes, ask `Exit(\"{class}.{name}\")` with `after: \"{id}\"`"
            ));
        }
    }
}

/// The receiver of a call.
struct Called {
    class: Arc<ClassFile>,
    /// The object, if the point can evaluate it.
    receiver: Option<Expr>,
}

impl Called {
    fn new(
        context: &mut PointContext<'_, '_>,
        target: &TargetExpression,
        owner: Option<&Node>,
        name: &str,
    ) -> Result<Called, Stop> {
        let Some(owner) = owner else { return Called::unqualified(context, target, name) };
        let object = Expr::of_node(owner);
        let found = type_of(context, target, &object);
        let text = object.text().to_owned();
        let is_name = text.chars().all(|c| c.is_alphanumeric() || "_$.".contains(c));
        // A variable shadows a class of the same name (JLS §6.4.2).
        if is_name
            && matches!(found, Err(Stop::Refuse(_)) | Ok(Type::Unknown))
            && let Ok(class) = context.classes().named(&text)
        {
            return Ok(Called { class: class.file.clone(), receiver: None });
        }
        match found? {
            Type::Class(class) if object.has_calls() => {
                Ok(Called { class: context.classes().named(&class)?.file.clone(), receiver: None })
            }
            _ => {
                let class = context.class_of(target.point, target.frame, &object)?;
                let class = context.classes().named(&class)?.file.clone();
                Ok(Called { class, receiver: Some(object) })
            }
        }
    }

    /// A method of the frame's class, or of the innermost enclosing class that has such a method (JLS
    /// §15.12.1).
    fn unqualified(
        context: &mut PointContext<'_, '_>,
        target: &TargetExpression,
        name: &str,
    ) -> Result<Called, Stop> {
        let sites = context.sites_of(target.point, target.frame)?;
        let method = sites.first().map(|site| site.method.clone());
        let Some(method) = method else {
            return Err(Refusal::Chain(format!("`{}`: its point is in no method", target.expr)).into());
        };
        let own = context.classes().named(&method.class)?.file.clone();
        let mut class = own.clone();
        loop {
            let line = context.classes().lineage(&class);
            if let Some(found) = line.iter().find_map(|file| file.methods_named(name).next()) {
                let is_own = class.name == own.name && !found.is_static();
                let stands_in_object = context.classes().at(&method, |_, m| !m.is_static());
                if !is_own || stands_in_object != Some(true) {
                    return Ok(Called { class, receiver: None });
                }
                let this = Expr::parse("this").map_err(Refusal::from)?;
                let runtime = context.class_of(target.point, target.frame, &this)?;
                let class = context.classes().named(&runtime)?.file.clone();
                return Ok(Called { class, receiver: Some(this) });
            }
            let outer = class.name.rsplit_once('$').map(|(outer, _)| outer.to_owned());
            match outer.and_then(|outer| context.classes().named(&outer).ok()) {
                Some(outer) => class = outer.file.clone(),
                None => return Err(context.classes().no_such_method(&own, name, true).into()),
            }
        }
    }

    /// The called method: among the methods that accept these arguments, the one that runs for an object of
    /// the class.
    fn method(
        &self,
        context: &PointContext<'_, '_>,
        name: &str,
        given: &[Type],
    ) -> Result<(Arc<ClassFile>, Method), Stop> {
        let line = context.classes().lineage(&self.class);
        let all: Vec<(&Arc<ClassFile>, &Method)> = line
            .iter()
            .flat_map(|file| file.methods_named(name).map(move |method| (file, method)))
            .filter(|(_, method)| method.access & bytecode::class::ACC_BRIDGE == 0)
            .collect();
        let fits = |method: &Method, exact: bool| {
            let takes = method_types(&method.descriptor).map(|(takes, _)| takes).unwrap_or_default();
            takes.len() == given.len()
                && takes
                    .iter()
                    .zip(given)
                    .all(|(takes, given)| if exact { takes == given } else { may(given, takes) })
        };
        let chosen = |exact: bool| all.iter().filter(|(_, m)| fits(m, exact)).copied().collect::<Vec<_>>();
        let exact = chosen(true);
        let mut fitting = if exact.is_empty() { chosen(false) } else { exact };
        if fitting.is_empty() {
            fitting.clone_from(&all);
        }
        let distinct: BTreeSet<Vec<String>> = fitting.iter().map(|(_, method)| parameters(method)).collect();
        if distinct.len() > 1 {
            let overloads = distinct.iter().map(|p| format!("`{}.{name}({})`", self.class.name, p.join(",")));
            return Err(Refusal::AmbiguousMethod {
                class: self.class.name.clone(),
                name: name.to_owned(),
                overloads: overloads.collect(),
            }
            .into());
        }
        let runs = fitting.iter().find(|(_, method)| !method.is_abstract()).or(fitting.first());
        match runs {
            Some((file, method)) => Ok(((*file).clone(), (*method).clone())),
            None => Err(context.classes().no_such_method(&self.class, name, true).into()),
        }
    }
}

/// Collects the values by which candidates are compared.
struct Compared<'c, 't, 'a> {
    context: &'c mut PointContext<'t, 'a>,
    target: &'c TargetExpression,
    keep: Vec<Keep>,
    constraints: Vec<Constraint>,
}

impl Compared<'_, '_, '_> {
    /// Requires that a variable of the method holds the value that an expression has at the point.
    fn same(&mut self, variable: &str, theirs: &Expr) -> Result<(), Stop> {
        let (point, frame) = (self.target.point, self.target.frame);
        let theirs = Slot::Kept(self.context.keep(point, frame, theirs));
        let mine = Expr::parse(variable).map_err(Refusal::from)?;
        let constraint = Constraint::SameValue { mine: Slot::Kept(self.keep.len()), point, theirs };
        self.keep.push(Keep { frame: 0, expr: Arc::new(mine) });
        self.constraints.push(constraint);
        Ok(())
    }

    /// Compares the arguments with those parameters that still hold them when the method returns.
    fn arguments(
        &mut self,
        arguments: &[Node],
        given: &[Type],
        method: &Method,
        returns: &[Site],
    ) -> Result<(), Stop> {
        let takes = method_types(&method.descriptor).map(|(takes, _)| takes).unwrap_or_default();
        let mut slot = u16::from(!method.is_static());
        for (at, argument) in arguments.iter().enumerate() {
            let argument = Expr::of_node(argument);
            let of = takes.get(at).filter(|_| takes.len() == arguments.len());
            let theirs = match (of, given.get(at)) {
                (Some(of), Some(given)) => self.comparable(&argument, given, of),
                _ => Err("the method takes a variable number of arguments".to_owned()),
            };
            let named = theirs.and_then(|theirs| Ok((self.parameter(slot, method, returns)?, theirs)));
            match named {
                Ok((variable, theirs)) => self.same(&variable, &theirs)?,
                Err(why) => self.context.warn(format!(
                    "returns are accepted for any value of `{argument}`, which cannot be compared: {why}"
                )),
            }
            let wide = matches!(of, Some(Type::Primitive(Primitive::Long | Primitive::Double)));
            slot = slot.saturating_add(1 + u16::from(wide));
        }
        Ok(())
    }

    /// Converts an argument to the value of its parameter, or says why that is impossible.
    fn comparable(&self, argument: &Expr, given: &Type, takes: &Type) -> Result<Expr, String> {
        if argument.has_calls() {
            return Err("it calls code".to_owned());
        }
        match (given, takes) {
            (Type::Primitive(_), Type::Primitive(_)) if given == takes => Ok(argument.clone()),
            (_, Type::Primitive(_)) => {
                Expr::parse(&format!("({takes})({argument})")).map_err(|error| error.to_string())
            }
            (Type::Primitive(_), _) => Err("the call boxes it".to_owned()),
            _ => Ok(argument.clone()),
        }
    }

    /// The name of a parameter that its method never assigns.
    fn parameter(&self, slot: u16, method: &Method, returns: &[Site]) -> Result<String, String> {
        let mut code = method.code.iter().flat_map(|code| &code.instructions);
        let covers = |(first, count): (u16, u16)| (first..first.saturating_add(count)).contains(&slot);
        if code.any(|instruction| instruction.op.stored_slot().is_some_and(covers)) {
            return Err("the method assigns its parameter".to_owned());
        }
        let mut names = BTreeSet::new();
        for site in returns {
            let scope = self.context.classes().scope(site);
            let local = scope.and_then(|scope| scope.locals.into_iter().find(|local| local.slot == slot));
            names.extend([local.map(|local| local.name)]);
        }
        match (names.pop_first(), names.pop_first()) {
            (Some(Some(name)), None) => Ok(name),
            _ => {
                Err("the class file names no variables of the method: compile it with `javac -g`".to_owned())
            }
        }
    }
}

/// The type of an expression at the point, if it is the same at all possible places of the point where its
/// names exist. Restricts a point of frame 0 to those places.
fn type_of(context: &mut PointContext<'_, '_>, target: &TargetExpression, expr: &Expr) -> Result<Type, Stop> {
    let sites = context.sites_of(target.point, target.frame)?;
    let events = context.events_of(target.point);
    let types = context.at_sites(&sites, |_, scope, classes| expr::check(expr, scope, classes, &events))?;
    if target.frame == 0 {
        context.only_where_known(target.point, &types);
    }
    let mut types = types.into_iter().map(|(_, of)| of);
    let first = types.next().unwrap_or(Type::Unknown);
    Ok(if types.all(|of| of == first) { first } else { Type::Unknown })
}

/// Whether a parameter may accept a value of a static type; the runtime class of an object can be narrower.
fn may(given: &Type, takes: &Type) -> bool {
    match (given, takes) {
        (Type::Void, _) => false,
        (Type::Primitive(given), Type::Primitive(takes)) => given.widens_to(*takes),
        (Type::Class(given), Type::Primitive(takes)) => {
            Primitive::from_box(given).is_none_or(|given| given.widens_to(*takes))
        }
        (Type::Array(_), Type::Primitive(_)) | (Type::Primitive(_), Type::Array(_)) => false,
        _ => true,
    }
}
