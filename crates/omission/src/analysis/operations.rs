//! Use sites: the instructions that may use an object (Omission Finder §3.3.2), and whether they can change
//! it.

use super::program::AnalysedProgram;
use super::use_site::{Target, UseSite};
use bytecode::op::{Element, InvokeKind};
use bytecode::{MethodRef, Op, descriptor};
use jdk::Contents;
use program::effect::{Effect, effect};
use std::collections::BTreeSet;

/// The instructions that may use the object, by their types.
pub(super) fn use_sites(program: &AnalysedProgram<'_>, target: &Target) -> Vec<UseSite> {
    let above = program.above(&target.class);
    let mut found = Vec::new();
    for at in program.index.all() {
        let Some(code) = program.index.code(at) else { continue };
        for instruction in &code.instructions {
            let place = (at, instruction.pc);
            found.extend(
                uses(program, &instruction.op, target, &above).into_iter().map(|(above, writes)| UseSite {
                    place,
                    above,
                    writes,
                }),
            );
        }
    }
    found
}

/// The operands of an instruction that may be the object: the slots above each, and whether the instruction
/// can change the object.
fn uses(
    program: &AnalysedProgram<'_>,
    op: &Op,
    target: &Target,
    above: &BTreeSet<String>,
) -> Vec<(Option<u16>, bool)> {
    let is_meant = |field: &bytecode::FieldRef| {
        let is_named = target.field.as_ref().is_none_or(|name| *name == field.name);
        is_named && above.contains(&field.class)
    };
    let is_static = target.object == 0;
    let is_meant_static = |field: &bytecode::FieldRef| {
        is_static
            && target.field.as_ref() == Some(&field.name)
            && program.index.declares(field).is_some_and(|(declares, _)| declares == target.class)
    };
    match op {
        Op::PutStatic(field) if is_meant_static(field) => vec![(None, true)],
        Op::GetStatic(field) if is_meant_static(field) => vec![(None, false)],
        Op::PutField(field) if !is_static && is_meant(field) => {
            vec![(Some(descriptor::slots(&field.descriptor)), true)]
        }
        Op::GetField(field) if !is_static && is_meant(field) => vec![(Some(0), false)],
        // What a call does to a field is in the called method.
        _ if target.field.is_some() => Vec::new(),
        Op::ArrayStore(element) if is_array_of(&target.class, *element) => {
            vec![(Some(1 + element.kind().slots()), true)]
        }
        Op::ArrayLoad(element) if is_array_of(&target.class, *element) => vec![(Some(1), false)],
        Op::Invoke { kind, method } => of_call(program, *kind, method, target, above),
        _ => Vec::new(),
    }
}

fn of_call(
    program: &AnalysedProgram<'_>,
    kind: InvokeKind,
    method: &MethodRef,
    target: &Target,
    above: &BTreeSet<String>,
) -> Vec<(Option<u16>, bool)> {
    if method.name == "<init>" {
        return Vec::new();
    }
    let Some(types) = descriptor::parse_method(&method.descriptor) else { return Vec::new() };
    let mut found = Vec::new();
    let slots: u16 = types.parameters.iter().map(|parameter| descriptor::slots(parameter)).sum();
    if kind != InvokeKind::Static && above.contains(&method.class) {
        // What the program's own methods do with the object is in their code.
        let begin = if kind == InvokeKind::Special { &method.class } else { &target.class };
        if let Some(declares) = program.declares(begin, method) {
            found.push((Some(slots), changes(&declares, method)));
        }
    }
    if !program.index.targets(kind, method).is_empty() {
        return found;
    }
    let is_array = target.class.starts_with('[');
    let of_array = target.class.replace('.', "/");
    let mut behind: u16 = 0;
    for (at, parameter) in types.parameters.iter().enumerate().rev() {
        let name = descriptor::java_type(parameter);
        let fits = if is_array { *parameter == of_array } else { above.contains(&name) };
        // A parameter of type `Object` says nothing.
        if fits && name != "java.lang.Object" {
            let is_first = kind == InvokeKind::Static && at == 0;
            found.push((Some(behind), is_first && may_change(&method.class, method)));
        }
        behind += descriptor::slots(parameter);
    }
    found
}

/// Whether a method that a class of the JDK or of a library declares can change its receiver.
fn changes(class: &str, method: &MethodRef) -> bool {
    let facts = jdk::of_collection(class, &method.name, &method.descriptor);
    match facts.contents {
        Some(Contents::Kept) => return false,
        Some(Contents::Changed(_)) => return true,
        None => {}
    }
    // A copy leaves the original as it was.
    let is_copy = method.name == "clone" && method.descriptor.starts_with("()");
    let text = jdk::facts(class, &method.name, &method.descriptor).text;
    !is_copy && (text.is_some() || may_change(class, method))
}

fn may_change(class: &str, method: &MethodRef) -> bool {
    matches!(effect(class, method), Effect::Changes | Effect::Foreign | Effect::Prints)
}

fn is_array_of(class: &str, element: Element) -> bool {
    let Some(of) = class.strip_prefix('[') else { return false };
    match element {
        Element::Int => of == "I",
        Element::Long => of == "J",
        Element::Float => of == "F",
        Element::Double => of == "D",
        Element::Char => of == "C",
        Element::Short => of == "S",
        Element::ByteOrBoolean => of == "B" || of == "Z",
        Element::Reference => of.starts_with(['L', '[']),
    }
}
