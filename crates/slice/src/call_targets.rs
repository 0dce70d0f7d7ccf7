//! Finds the targets of calls that no instruction names: lambdas and method references behind interface
//! methods, the callbacks of JDK code, and class initializers. JDK code can call lambdas, method references,
//! and methods that override its own.

use super::code::Codes;
use super::definitions::{CallTargets, Named};
use bytecode::{Constant, MethodRef, Op};
use jdk::Function;
use program::effect::Effect;
use std::collections::HashSet;
use trace::Calls;

/// The key of all implementations of functional interfaces of the JDK.
pub(super) fn functions() -> Named {
    ("functions".to_owned(), String::new())
}

/// The key of all methods that override other methods of the JDK.
pub(super) fn overriding() -> Named {
    ("overriding".to_owned(), String::new())
}

/// The key of all methods behind lambdas and method references.
pub(super) fn referred_to() -> Named {
    ("referred to".to_owned(), String::new())
}

/// Whether a type is a functional interface whose objects only the method that takes them calls.
fn is_called(class: &str) -> bool {
    jdk::class(class).is_some_and(|class| class.function == Some(Function::Called))
}

impl Codes<'_> {
    /// The keys of the initializers of a class and its supertypes.
    pub(super) fn initializers(&mut self, class: &str) -> Vec<Named> {
        self.above(class).iter().map(|class| ("<clinit>".to_owned(), class.clone())).collect()
    }

    /// Whether recorded code creates collections backed by arrays.
    pub fn backs(&mut self, calls: &Calls) -> bool {
        self.find_called(calls);
        self.potential_definitions.called.backs
    }

    /// Whether an instruction can call unrecorded code that calls back the method with this number.
    pub fn may_call(&mut self, op: &Op, number: u32, calls: &Calls) -> bool {
        self.find_called(calls);
        let is_known = match op {
            Op::Invoke { method, .. } => {
                if self.effect(method) == Effect::Computes {
                    return false;
                }
                let found = self.pool.find(&method.class).ok().flatten();
                let facts = jdk::facts(&method.class, &method.name, &method.descriptor);
                found.is_some_and(|found| found.origin.is_runtime())
                    && facts.calls != Some(jdk::Calls::Anything)
            }
            Op::InvokeDynamic { .. } => true,
            _ => return false,
        };
        !is_known || self.potential_definitions.called.called_back.contains(&number)
    }

    /// Whether an interface call can reach an unrecorded method, through a lambda or method reference.
    pub fn may_be_unrecorded(&mut self, method: &MethodRef, calls: &Calls) -> bool {
        self.find_called(calls);
        let unrecorded = &self.potential_definitions.called.unrecorded;
        !unrecorded.is_empty() && unrecorded.contains_key(&(method.name.clone(), method.descriptor.clone()))
    }

    /// Finds the possible targets for each key.
    pub(super) fn find_called(&mut self, calls: &Calls) {
        if std::mem::replace(&mut self.potential_definitions.called.is_found, true) {
            return;
        }
        let mut found = CallTargets { is_found: true, ..CallTargets::default() };
        let begun = self.initialized(calls);
        for (number, method) in (0..).zip(calls.sites.methods()) {
            let named = match method.name.as_str() {
                "<clinit>" if begun.contains(&number) => continue,
                "<clinit>" => (method.name.clone(), method.class.to_string()),
                name => (name.to_owned(), method.descriptor.clone()),
            };
            found.numbers.entry(named).or_default().push(number);
            if !method.is_static
                && !method.name.starts_with('<')
                && let Some(is_function) = self.overrides(&method.class, &method.name)
            {
                let key = if is_function { functions() } else { overriding() };
                found.numbers.entry(key).or_default().push(number);
            }
        }
        for method in calls.sites.methods() {
            let class = self.pool.find(&method.class).ok().flatten();
            let declared =
                class.as_ref().and_then(|class| class.file.method(&method.name, &method.descriptor));
            let Some(code) = declared.and_then(|declared| declared.code.as_ref()) else { continue };
            let mut is_fresh = false;
            for instruction in &code.instructions {
                // An array that the previous instruction created or filled, as for varargs, has no other
                // reference.
                let is_shared = !is_fresh;
                is_fresh = matches!(instruction.op, Op::ArrayStore(_) | Op::NewArray(_));
                match &instruction.op {
                    Op::InvokeDynamic { name, descriptor, bootstrap: Some(bootstrap) } => {
                        let [Constant::MethodType(erased), Constant::MethodHandle(target), ..] =
                            bootstrap.arguments.as_slice()
                        else {
                            continue;
                        };
                        let made = descriptor.rsplit(')').next().unwrap_or_default();
                        let made = made.strip_prefix('L').unwrap_or(made).trim_end_matches(';');
                        let is_function = is_called(made);
                        let key = if is_function { functions() } else { overriding() };
                        self.refer(&mut found, &[(name.clone(), erased.clone()), key, referred_to()], target);
                    }
                    Op::Invoke { method, .. } => {
                        found.backs |= is_shared && self.effect(method) == Effect::Backs;
                    }
                    _ => {}
                }
            }
        }
        let keys = [functions(), overriding(), referred_to()];
        found.called_back = keys.iter().flat_map(|key| found.numbers(key)).collect();
        self.potential_definitions.called = found;
    }

    /// Adds the method behind a lambda or method reference to the targets of some keys.
    fn refer(&mut self, found: &mut CallTargets, names: &[Named], target: &MethodRef) {
        let own = (target.name.clone(), target.descriptor.clone());
        let numbers = found.numbers(&own);
        let at = self.pool.find(&target.class).ok().flatten();
        let is_recorded = !numbers.is_empty() && at.is_some_and(|at| !at.origin.is_runtime());
        let effect = self.effect(target);
        for named in names {
            let all = found.numbers.entry(named.clone()).or_default();
            for number in &numbers {
                if !all.contains(number) {
                    all.push(*number);
                }
            }
            if !is_recorded {
                found.unrecorded.entry(named.clone()).or_default().does(effect);
                found.backs |= effect == Effect::Backs;
            }
        }
        found.referred_to.insert(own);
    }

    /// Whether a method overrides a JDK method: `Some(true)` if that belongs to a functional interface,
    /// `None` if it overrides none.
    fn overrides(&mut self, class: &str, name: &str) -> Option<bool> {
        for above in self.above(class).iter().skip(1) {
            let Some(at) = self.pool.find(above).ok().flatten().filter(|at| at.origin.is_runtime()) else {
                continue;
            };
            // Compares names alone: with generics, the overridden method has another descriptor.
            if at.file.methods.iter().any(|method| method.name == name) {
                return Some(is_called(above));
            }
        }
        None
    }

    /// The class initializers that started before the sliced call.
    fn initialized(&self, calls: &Calls) -> HashSet<u32> {
        let methods = (0..).zip(calls.sites.methods());
        let all: HashSet<u32> =
            methods.filter(|(_, method)| method.name == "<clinit>").map(|(number, _)| number).collect();
        (0..self.root).filter_map(|node| calls.method_number(node)).filter(|n| all.contains(n)).collect()
    }
}
