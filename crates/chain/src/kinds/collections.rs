//! The JDK collections whose contents can be queried, and their methods that can change the contents. Uses
//! the facts of `jdk` and the class files.
//!
//! A method counts as a possible change unless `jdk` lists it as read-only. So new methods of a newer JDK
//! count too. The recorder (`java/recorder`) knows the fields in which each class stores its contents.

use crate::translate::classes::{Classes, method_name};
use bytecode::class::{ACC_BRIDGE, ACC_STATIC};
use bytecode::{ClassFile, Method};
use expr::ClassLookup;
use jdk::{Class, Contents, Facts, Keeps};
use query::{ContentsCall, Counts, PutPosition};

/// `ACC_PRIVATE` (JVMS table 4.6-A).
const ACC_PRIVATE: u16 = 0x0002;

/// How a collection class stores its contents, with the class that `jdk` describes: itself or a superclass.
pub(super) fn keeper(classes: &Classes<'_>, class: &str) -> Option<(&'static Class, Keeps)> {
    let mut next = classes.class(class);
    // A broken class file can be its own superclass, so the loop has a limit.
    for _ in 0..1000 {
        let file = next?;
        if let Some(known) = jdk::class(&file.name)
            && let Some(keeps) = known.keeps
        {
            return Some((known, keeps));
        }
        next = file.super_name.as_ref().and_then(|name| classes.class(name));
    }
    None
}

/// The simple names of all classes that store their contents themselves, for messages.
pub(super) fn names() -> String {
    let keeping = jdk::classes().filter(|class| matches!(class.keeps, Some(Keeps::Itself(_))));
    let names = keeping.map(|class| class.name.rsplit('.').next().unwrap_or(class.name));
    names.collect::<Vec<_>>().join(", ")
}

/// The methods that can change the contents stored by a class.
pub(super) fn calls(of: &Class, classes: &Classes<'_>) -> Vec<ContentsCall> {
    let mut calls = Vec::new();
    for name in [of.name].iter().chain(of.below) {
        let Some(file) = classes.class(name) else { continue };
        calls.extend(file.methods.iter().filter(|m| changes(&file, m)).map(|m| call(&file, m, false)));
    }
    for name in of.views {
        let Some(file) = classes.class(name) else { continue };
        let is_it = |m: &&Method| {
            m.access & ACC_BRIDGE == 0 && matches!(facts(&file, m).contents, Some(Contents::Changed(_)))
        };
        calls.extend(file.methods.iter().filter(is_it).map(|m| call(&file, m, true)));
    }
    calls
}

fn changes(class: &ClassFile, method: &Method) -> bool {
    let is_class_level = method.access & (ACC_STATIC | ACC_BRIDGE) != 0 || method.name == "<clinit>";
    if method.code.is_none() || is_class_level {
        return false;
    }
    let facts = facts(class, method);
    let is_entered = method.access & ACC_PRIVATE == 0 || facts.entered == Some(true);
    is_entered && facts.contents != Some(Contents::Kept)
}

fn facts(class: &ClassFile, method: &Method) -> Facts {
    jdk::of_collection(&class.name, &method.name, &method.descriptor)
}

fn call(class: &ClassFile, method: &Method, is_view: bool) -> ContentsCall {
    let facts = facts(class, method);
    let counts = match facts.contents {
        Some(Contents::Changed(jdk::Counts::May)) => Counts::May,
        Some(Contents::Changed(jdk::Counts::Put(value, place))) => Counts::Put(
            value,
            match place {
                jdk::Place::At(index) => PutPosition::At(index),
                jdk::Place::Key(key) => PutPosition::Key(key),
                jdk::Place::Here => PutPosition::Here,
            },
        ),
        Some(Contents::Changed(jdk::Counts::Differs) | Contents::Kept) | None => Counts::No,
    };
    let calls = facts.calls == Some(jdk::Calls::Functions);
    ContentsCall { method: method_name(class, method), is_view, calls, counts }
}
