//! `Exit("pkg.Class.method")`: the normal return of a method (DESIGN §5.9).

use super::{Complaint, Rule, method_complaints};
use crate::translate::{Ask, PointContext, Stop};
use bytecode::Op;
use expr::{EventTypes, Type, method_types};
use model::Site;
use query::Event;

pub(super) struct Exit<'a> {
    pub(super) method: &'a str,
}

impl Rule for Exit<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        method_complaints(self.method)
    }

    fn translate(&self, point: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let (class, name) = point.classes().method(self.method)?;
        let method = class.method(&name.name, &name.descriptor);
        if method.is_some_and(bytecode::Method::is_abstract) {
            return Err(point.classes().without_code(&class, &name).into());
        }
        let result = method_types(&name.descriptor).map(|(_, result)| result).filter(|r| *r != Type::Void);
        let events = EventTypes { result, ..EventTypes::default() };
        let code = method.and_then(|m| m.code.as_ref());
        let sites = code.map(|code| {
            let returns = code.instructions.iter().filter(|i| matches!(i.op, Op::Return(_)));
            returns.map(|i| Site { method: name.clone(), bci: i.pc }).collect::<Vec<_>>()
        });
        if sites.as_ref().is_some_and(Vec::is_empty) {
            point.warn(format!(
                "{name} never returns normally; an exception that leaves it is an `Exception` point"
            ));
        }
        Ok(Ask::plain(Event::Returned(vec![name]), sites, events))
    }
}
