//! Overload selection (JLS §15.12.2), given the types of the arguments.

use super::types::{Primitive, Type};
use std::collections::HashMap;
use std::sync::Arc;

/// The direct supertypes of the classes involved in a call.
#[derive(Default)]
pub(super) struct Supertypes(pub(super) HashMap<Arc<str>, Vec<Arc<str>>>);

impl Supertypes {
    /// Whether a value of type `a` is a value of type `b` without conversion (JLS §4.10).
    pub(super) fn is_subtype(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            _ if a == b => true,
            (Type::Null, _) => b.is_reference(),
            (Type::Primitive(a), Type::Primitive(b)) => a.widens_to(*b),
            (Type::Class(_) | Type::Array(_), Type::Class(b)) if &**b == "java.lang.Object" => true,
            (Type::Array(_), Type::Class(b)) => {
                matches!(&**b, "java.lang.Cloneable" | "java.io.Serializable")
            }
            (Type::Array(a), Type::Array(b)) if a.is_reference() && b.is_reference() => self.is_subtype(a, b),
            (Type::Class(a), Type::Class(b)) => self.reaches(a, b),
            _ => false,
        }
    }

    fn reaches(&self, from: &Arc<str>, to: &str) -> bool {
        let mut seen = vec![from.clone()];
        let mut at = 0;
        while let Some(class) = seen.get(at).cloned() {
            if &*class == to {
                return true;
            }
            for above in self.0.get(&class).into_iter().flatten() {
                if !seen.contains(above) {
                    seen.push(above.clone());
                }
            }
            at += 1;
        }
        false
    }
}

/// The parameters of a method.
pub(super) struct Parameters {
    /// Their types.
    pub(super) types: Vec<Type>,
    /// Whether the last one accepts a variable number of arguments.
    pub(super) is_varargs: bool,
}

/// The result of overload selection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// No method accepts these arguments.
    None,
    /// One method. With `expanded` the last arguments are put into an array.
    One {
        /// Index of the method.
        method: usize,
        /// Whether it is called with a variable number of arguments.
        expanded: bool,
    },
    /// Several methods, none of them most specific.
    Several(Vec<usize>),
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Strict,
    Loose,
    Expanded,
}

/// Selects in the three phases of JLS §15.12.2: without boxing, with boxing, with variable arity.
pub(super) fn select(methods: &[Parameters], arguments: &[Type], supertypes: &Supertypes) -> Selection {
    for phase in [Phase::Strict, Phase::Loose, Phase::Expanded] {
        let fitting: Vec<usize> = methods
            .iter()
            .enumerate()
            .filter(|(_, m)| applies(m, arguments, phase, supertypes))
            .map(|(i, _)| i)
            .collect();
        let expanded = phase == Phase::Expanded;
        let parameter = |method: usize, at: usize| -> Option<Type> {
            let m = methods.get(method)?;
            if expanded { expanded_parameter(m, at) } else { m.types.get(at).cloned() }
        };
        let more_specific = |a: usize, b: usize| {
            (0..arguments.len()).all(|at| match (parameter(a, at), parameter(b, at)) {
                (Some(a), Some(b)) => supertypes.is_subtype(&a, &b),
                _ => false,
            })
        };
        let best: Vec<usize> =
            fitting.iter().copied().filter(|a| fitting.iter().all(|b| more_specific(*a, *b))).collect();
        match (fitting.as_slice(), best.first()) {
            ([], _) => {}
            // Methods with equal parameters override each other; the first is the nearest.
            (_, Some(best)) => return Selection::One { method: *best, expanded },
            (_, None) => return Selection::Several(fitting),
        }
    }
    Selection::None
}

/// The type of the parameter for the argument at an index, if the last parameter is repeated.
pub(super) fn expanded_parameter(method: &Parameters, at: usize) -> Option<Type> {
    let last = method.types.len().checked_sub(1)?;
    match method.types.get(at.min(last)) {
        Some(Type::Array(element)) if at >= last => Some((**element).clone()),
        found => found.cloned(),
    }
}

fn applies(method: &Parameters, arguments: &[Type], phase: Phase, supertypes: &Supertypes) -> bool {
    if phase == Phase::Expanded {
        return method.is_varargs
            && arguments.len() + 1 >= method.types.len()
            && arguments.iter().enumerate().all(|(at, argument)| {
                expanded_parameter(method, at).is_some_and(|p| converts(argument, &p, phase, supertypes))
            });
    }
    method.types.len() == arguments.len()
        && method.types.iter().zip(arguments).all(|(p, a)| converts(a, p, phase, supertypes))
}

fn converts(argument: &Type, parameter: &Type, phase: Phase, supertypes: &Supertypes) -> bool {
    if supertypes.is_subtype(argument, parameter) {
        return true;
    }
    if phase == Phase::Strict {
        return false;
    }
    match (argument, parameter) {
        (Type::Primitive(p), Type::Class(class)) => boxes_to(*p, class),
        (Type::Class(class), Type::Primitive(to)) => {
            Primitive::from_box(class).is_some_and(|p| p.widens_to(*to))
        }
        _ => false,
    }
}

/// Whether the boxed value of a primitive type is an instance of the class.
pub(super) fn boxes_to(from: Primitive, class: &str) -> bool {
    match class {
        "java.lang.Object" | "java.io.Serializable" | "java.lang.Comparable" => true,
        "java.lang.constant.Constable" => true,
        "java.lang.Number" => !matches!(from, Primitive::Boolean | Primitive::Char),
        _ => from.box_class() == class,
    }
}
