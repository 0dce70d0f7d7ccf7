//! The kinds of events.

/// A kind of event of the log (JavaTA §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A class with its fields, before the first recorded call of one of its methods.
    MemberFields,
    /// A thread starts.
    ThreadStart,
    /// A method is entered.
    MethodCall,
    /// A field is written.
    SetField,
    /// The contents of an array or collection, after an event that names it.
    DataStructure,
    /// A line begins, or continues after a call.
    Step,
    /// An exception is thrown.
    Exception,
    /// A method returns.
    MethodExit,
    /// A thread ends.
    ThreadDeath,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 9] = [
        Kind::MemberFields,
        Kind::ThreadStart,
        Kind::MethodCall,
        Kind::SetField,
        Kind::DataStructure,
        Kind::Step,
        Kind::Exception,
        Kind::MethodExit,
        Kind::ThreadDeath,
    ];

    /// The functor of its term.
    pub fn functor(self) -> &'static str {
        match self {
            Kind::MemberFields => "memberfields",
            Kind::ThreadStart => "threadstart",
            Kind::MethodCall => "methodcall",
            Kind::SetField => "setfield",
            Kind::DataStructure => "datastructure",
            Kind::Step => "step",
            Kind::Exception => "exception",
            Kind::MethodExit => "methodexit",
            Kind::ThreadDeath => "threaddeath",
        }
    }

    /// The number of arguments of its term.
    pub fn arity(self) -> usize {
        match self {
            Kind::ThreadStart | Kind::ThreadDeath => 1,
            Kind::MemberFields | Kind::DataStructure | Kind::Step => 2,
            Kind::MethodCall | Kind::SetField | Kind::Exception => 4,
            Kind::MethodExit => 5,
        }
    }

    /// The kind with this functor.
    pub fn named(functor: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.functor() == functor)
    }

    /// Its bit in a mask of kinds.
    pub fn bit(self) -> u16 {
        1 << (self as u16)
    }
}
