//! `Entry("pkg.Class.method")`: the entry of a method.

use super::{Complaint, Rule, method_complaints};
use crate::translate::classes::Classes;
use crate::translate::{Ask, PointContext, Refusal, Stop};
use bytecode::ClassFile;
use expr::EventTypes;
use model::{MethodName, Site};
use query::{Event, Pass};
use std::sync::Arc;

pub(super) struct Entry<'a> {
    pub(super) method: &'a str,
}

impl Rule for Entry<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        method_complaints(self.method)
    }

    fn translate(&self, point: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let (class, name) = point.classes().method(self.method)?;
        let loops = with_code(point.classes(), &class, &name)?;
        if loops {
            point.warn(format!(
                "{name} begins with a loop, so method entry events, which are slower, distinguish its entries \
                 from the loop's iterations"
            ));
        }
        warn_inherited(point, self.method, &name);
        let site = Site { method: name.clone(), bci: 0 };
        let (exits, gates) = (Vec::new(), Vec::new());
        let pass = Pass { method: name, entries: vec![0], exits, on_entry: true, gates };
        Ok(Ask::plain(Event::Reached(vec![pass]), Some(vec![site]), EventTypes::default()))
    }
}

/// Whether a jump targets index 0; an error for a method without code.
fn with_code(classes: &Classes<'_>, class: &Arc<ClassFile>, name: &MethodName) -> Result<bool, Refusal> {
    let method = class.method(&name.name, &name.descriptor);
    match method.and_then(|m| m.code.as_ref()) {
        Some(code) => Ok(code.is_branch_target(0)),
        None => Err(classes.without_code(class, name)),
    }
}

/// Warns that the declaring class's code is watched, which runs for objects of all subclasses.
fn warn_inherited(point: &mut PointContext<'_, '_>, written: &str, name: &MethodName) {
    let class = written.split('(').next().and_then(|n| n.rsplit_once('.')).map_or("", |(c, _)| c);
    let same = Classes::named(point.classes(), class).is_ok_and(|found| *found.file.name == *name.class);
    let is_function = written.contains('/');
    if !same && !is_function {
        point.warn(format!("{written} is inherited: {name} is watched, for objects of all classes"));
    }
}
