//! What is visible at one frame's bytecode index.

use super::tree::EventPart;
use super::types::Type;
use std::sync::Arc;

/// What names can mean in one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Binary name of the class that declares the frame's method, with dots.
    pub class: Arc<str>,
    /// Whether the method is static.
    pub is_static: bool,
    /// The locals and parameters visible at the frame's bytecode index.
    pub locals: Vec<ScopeLocal>,
    /// Whether the method has a LocalVariableTable. Without one nothing is known of names of locals.
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

impl Scope {
    /// The local of that name. Where ranges overlap the last one counts, which is the innermost.
    pub fn local(&self, name: &str) -> Option<&ScopeLocal> {
        self.locals.iter().rev().find(|l| l.name == name)
    }
}

/// The declared types of what an event knows. `None`: this event has no such part, and asking for it is an
/// error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventTypes {
    /// Of `.owner`.
    pub owner: Option<Type>,
    /// Of `.old`.
    pub old: Option<Type>,
    /// Of `.new`.
    pub new: Option<Type>,
    /// Of `.exception`.
    pub exception: Option<Type>,
    /// Of `.result`.
    pub result: Option<Type>,
    /// Of `.index`.
    pub index: Option<Type>,
    /// Whether `old(x)` tells what `x` was as the call began.
    pub has_old: bool,
}

impl EventTypes {
    /// For an event of which nothing is known: every part may exist, of any type.
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
