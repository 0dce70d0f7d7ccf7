//! The names visible at the bytecode index of a frame.

use super::tree::EventPart;
use super::types::Type;
use bytecode::{ClassFile, LocalVariable, Method, stores};
use std::sync::Arc;

/// The names visible in one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Binary name of the class that declares the frame's method, with dots.
    pub class: Arc<str>,
    /// Whether the method is static.
    pub is_static: bool,
    /// The locals and parameters visible at the frame's bytecode index.
    pub locals: Vec<ScopeLocal>,
    /// In code that was copied from an inline function: its variables by the names that they have there.
    pub of_copied: Vec<ScopeLocal>,
    /// Whether the method has a LocalVariableTable. Without one, the names of locals are unknown.
    pub has_variable_table: bool,
}

/// One local variable or parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeLocal {
    /// Its name.
    pub name: String,
    /// Its field descriptor (JVMS §4.3.2).
    pub descriptor: String,
    /// Its index in the frame's local variable array.
    pub slot: u16,
}

impl ScopeLocal {
    /// The variables of an inline function by the names that they have there, of the variables visible in
    /// code that was copied from it.
    pub fn of_copied(locals: &[ScopeLocal]) -> Vec<ScopeLocal> {
        let named = |local: &ScopeLocal| {
            let name = stores::name_in_copied(&local.name)?.to_owned();
            Some(ScopeLocal { name, ..local.clone() })
        };
        locals.iter().filter_map(named).collect()
    }
}

impl Scope {
    /// The names visible at an index of a method.
    pub fn at(class: &ClassFile, method: &Method, bci: u32) -> Scope {
        let code = method.code.as_ref();
        let visible = code.map(|c| stores::variables_at(c, bci)).unwrap_or_default();
        let local = |v: &LocalVariable| ScopeLocal {
            name: v.name.clone(),
            descriptor: v.descriptor.clone(),
            slot: v.slot,
        };
        let locals: Vec<ScopeLocal> = visible.into_iter().filter(|v| v.name != "this").map(local).collect();
        let is_copied = code.is_some_and(|code| stores::copied_at(code, bci).is_some());
        Scope {
            of_copied: if is_copied { ScopeLocal::of_copied(&locals) } else { Vec::new() },
            class: class.name.as_str().into(),
            is_static: method.is_static(),
            locals,
            has_variable_table: code.is_some_and(|c| c.has_variable_table),
        }
    }

    /// The local with this name. If ranges overlap, the last one is the innermost.
    pub fn local(&self, name: &str) -> Option<&ScopeLocal> {
        let named = |l: &&ScopeLocal| l.name == name;
        self.of_copied.iter().rev().find(named).or_else(|| self.locals.iter().rev().find(named))
    }
}

/// The declared types of the parts of an event. `None`: this event has no such part, and using it is an
/// error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventTypes {
    /// The type of `.owner`.
    pub owner: Option<Type>,
    /// The type of `.old`.
    pub old: Option<Type>,
    /// The type of `.new`.
    pub new: Option<Type>,
    /// The type of `.exception`.
    pub exception: Option<Type>,
    /// The type of `.result`.
    pub result: Option<Type>,
    /// The type of `.index`.
    pub index: Option<Type>,
    /// Whether `old(x)` gives the value of `x` at the beginning of the call.
    pub has_old: bool,
}

impl EventTypes {
    /// For an unknown event: every part may exist and have any type.
    pub fn unknown() -> EventTypes {
        let any = Some(Type::Unknown);
        EventTypes {
            owner: any.clone(),
            old: any.clone(),
            new: any.clone(),
            exception: any.clone(),
            result: any.clone(),
            index: any,
            has_old: false,
        }
    }

    /// The type of one part.
    pub fn of(&self, part: EventPart) -> Option<&Type> {
        match part {
            EventPart::Owner => self.owner.as_ref(),
            EventPart::Old => self.old.as_ref(),
            EventPart::New => self.new.as_ref(),
            EventPart::Exception => self.exception.as_ref(),
            EventPart::Result => self.result.as_ref(),
            EventPart::Index => self.index.as_ref(),
        }
    }
}
