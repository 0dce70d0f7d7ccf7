//! What a goal asks for of an event, as a pattern.

use crate::log::Kind;
use crate::search::{Owner, Pattern, Wanted};
use prolog::{Call, TermRef, View};

/// The pattern of a goal `event(Id, Thread, Event)`; `None` if no event can fit.
pub(super) fn pattern(call: &Call<'_>) -> Option<Pattern> {
    let mut pattern = Pattern::default();
    match call.view_arg(0) {
        View::Int(id) => {
            let id = u64::try_from(id).ok()?;
            pattern.ids = id..id.saturating_add(1);
        }
        View::Var(_) => {
            let (first, last) = call.int_range(0);
            let last = u64::try_from(last).ok()?;
            pattern.ids = u64::try_from(first).unwrap_or(0)..last.saturating_add(1);
        }
        _ => return None,
    }
    match call.view_arg(1) {
        View::Var(_) => {}
        View::Atom(thread) => pattern.thread = Some(call.atom_text(thread).to_owned()),
        _ => return None,
    }
    let event = call.arg(2);
    match call.view(event) {
        View::Var(_) => {}
        View::Compound { name, arity } => {
            let kind = Kind::named(call.atom_text(name)).filter(|kind| kind.arity() == arity)?;
            pattern.kinds = vec![kind];
            of_kind(call, event, kind, &mut pattern)?;
        }
        _ => return None,
    }
    Some(pattern)
}

/// Adds what a term asks for of an event of this kind; `None` if no event can fit.
fn of_kind(call: &Call<'_>, event: TermRef, kind: Kind, pattern: &mut Pattern) -> Option<()> {
    let argument = |at| call.arg_of(event, at);
    match kind {
        Kind::MethodCall => {
            place(call, argument(0)?, pattern)?;
            pattern.owner = owner(call, argument(1)?)?;
            pattern.name = name(call, argument(2)?)?;
            arguments(call, argument(3)?, pattern);
        }
        Kind::MethodExit => {
            match call.view(argument(0)?) {
                View::Var(_) => {}
                View::Int(id) => pattern.call = Some(u64::try_from(id).ok()?),
                // An exit whose call was not recorded has an atom here.
                View::Atom(_) => {}
                _ => return None,
            }
            place(call, argument(1)?, pattern)?;
            pattern.owner = owner(call, argument(2)?)?;
            pattern.name = name(call, argument(3)?)?;
            // `void` is no value.
            pattern.value = wanted(call, argument(4)?).filter(|_| !is_atom(call, argument(4), "void"));
        }
        Kind::SetField => {
            place(call, argument(0)?, pattern)?;
            pattern.owner = owner(call, argument(1)?)?;
            pattern.name = name(call, argument(2)?)?;
            pattern.value = wanted(call, argument(3)?);
        }
        Kind::Exception => {
            place(call, argument(0)?, pattern)?;
            pattern.object = owner(call, argument(1)?)?;
            pattern.uncaught = is_atom(call, argument(3), "uncaught");
        }
        Kind::DataStructure => {
            place(call, argument(0)?, pattern)?;
            let contents = argument(1)?;
            if let View::Compound { .. } = call.view(contents) {
                pattern.object = owner(call, call.arg_of(contents, 0)?)?;
            }
        }
        Kind::Step => place(call, argument(0)?, pattern)?,
        Kind::MemberFields | Kind::ThreadStart | Kind::ThreadDeath => {}
    }
    Some(())
}

fn is_atom(call: &Call<'_>, term: Option<TermRef>, text: &str) -> bool {
    term.is_some_and(|term| matches!(call.view(term), View::Atom(atom) if call.atom_text(atom) == text))
}

/// `l(File, Line)`
fn place(call: &Call<'_>, term: TermRef, pattern: &mut Pattern) -> Option<()> {
    let View::Compound { name, arity: 2 } = call.view(term) else {
        return matches!(call.view(term), View::Var(_)).then_some(());
    };
    if call.atom_text(name) != "l" {
        return None;
    }
    match call.view(call.arg_of(term, 0)?) {
        View::Var(_) => {}
        View::Atom(file) => pattern.file = Some(call.atom_text(file).to_owned()),
        _ => return None,
    }
    match call.view(call.arg_of(term, 1)?) {
        View::Int(line) => pattern.line = Some(u16::try_from(line).ok()?),
        // A line that is not known is an atom.
        View::Var(_) | View::Atom(_) => {}
        _ => return None,
    }
    Some(())
}

/// `o(Class, Number)` or `c(Class)`
fn owner(call: &Call<'_>, term: TermRef) -> Option<Owner> {
    let (name, arity) = match call.view(term) {
        View::Var(_) => return Some(Owner::Any),
        View::Compound { name, arity } => (call.atom_text(name).to_owned(), arity),
        _ => return None,
    };
    let class = |at: usize| match call.arg_of(term, at).map(|class| call.view(class)) {
        Some(View::Var(_)) => Some(None),
        Some(View::Atom(class)) => Some(Some(call.atom_text(class).to_owned())),
        _ => None,
    };
    match (name.as_str(), arity) {
        ("c", 1) => Some(Owner::Class(class(0)?)),
        ("o", 2) => {
            let number = match call.view(call.arg_of(term, 1)?) {
                View::Var(_) => None,
                View::Int(number) => Some(u32::try_from(number).ok()?),
                _ => return None,
            };
            Some(Owner::Object { class: class(0)?, number })
        }
        _ => None,
    }
}

/// The name of a method or field: `Some(None)` if any will do.
fn name(call: &Call<'_>, term: TermRef) -> Option<Option<String>> {
    match call.view(term) {
        View::Var(_) => Some(None),
        View::Atom(name) => Some(Some(call.atom_text(name).to_owned())),
        _ => None,
    }
}

/// A value; `None` if any will do.
fn wanted(call: &Call<'_>, term: TermRef) -> Option<Wanted> {
    Some(match call.view(term) {
        View::Var(_) => return None,
        View::Int(value) => Wanted::Integer(value),
        View::Float(value) => Wanted::Float(value),
        View::Str(text) => Wanted::Text(text.to_owned()),
        View::Atom(atom) => match call.atom_text(atom) {
            "null" => Wanted::Null,
            "true" => Wanted::Boolean(true),
            "false" => Wanted::Boolean(false),
            text => {
                let mut characters = text.chars();
                match (characters.next(), characters.next()) {
                    // `?` stands for a value that was not recorded, too.
                    (Some('?'), None) => return None,
                    (Some(c), None) => Wanted::Char(c),
                    _ => Wanted::Nothing,
                }
            }
        },
        View::Compound { name, arity } => match (call.atom_text(name), arity) {
            ("o", 2) => match call.arg_of(term, 1).map(|number| call.view(number)) {
                Some(View::Int(number)) => Wanted::Object(u32::try_from(number).ok()?),
                _ => return None,
            },
            // A text that was cut off, or a character that is none.
            _ => return None,
        },
        #[allow(unreachable_patterns, reason = "the engine may have further kinds of terms")]
        _ => return None,
    })
}

/// The arguments of a call, as far as they are bound.
fn arguments(call: &Call<'_>, term: TermRef, pattern: &mut Pattern) {
    let (mut at, mut rest) = (0, term);
    loop {
        match call.view(rest) {
            View::Compound { name, arity: 2 } if call.atom_text(name) == "[|]" => {
                let (Some(head), Some(tail)) = (call.arg_of(rest, 0), call.arg_of(rest, 1)) else { return };
                pattern.arguments.extend(wanted(call, head).map(|wanted| (at, wanted)));
                (at, rest) = (at + 1, tail);
            }
            View::Atom(atom) if call.atom_text(atom) == "[]" => {
                pattern.arity = Some(at);
                return;
            }
            _ => return,
        }
    }
}
