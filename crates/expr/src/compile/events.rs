//! Parts of the event: the owner and the values of a field, the new value of a local variable, and the result
//! of a method.

use super::super::lookup::FieldDeclaration;
use super::super::tree::{EventPart, Node};
use super::super::types::Type;
use super::{Compiler, Held, Outside, TestParameter, TestedEvent};

impl Compiler<'_, '_> {
    pub(super) fn event_part(&mut self, node: &Node, part: EventPart) -> Result<Held, Outside> {
        let Some(of) = self.checker.event.of(part).cloned() else { return Outside::of(node) };
        let is_written =
            matches!(self.event, TestedEvent::Field { writes: true, .. } | TestedEvent::Stored(_));
        match part {
            EventPart::Owner => self.given(node, of, |parameter| *parameter == TestParameter::Owner),
            EventPart::Result => self.given(node, of, |p| matches!(p, TestParameter::Value(_))),
            EventPart::New if is_written => self.given(node, of, |p| matches!(p, TestParameter::Value(_))),
            EventPart::New | EventPart::Old => self.held_before(node),
            EventPart::Exception | EventPart::Index => Outside::of(node),
        }
    }

    fn given(&self, node: &Node, of: Type, is_it: fn(&TestParameter) -> bool) -> Result<Held, Outside> {
        match self.passed.iter().find(|(parameter, _)| is_it(parameter)) {
            Some((_, slot)) => Ok(Held { slot: *slot, of }),
            None => Outside::of(node),
        }
    }

    /// The value of the field before the access.
    fn held_before(&mut self, node: &Node) -> Result<Held, Outside> {
        let TestedEvent::Field { class, name, descriptor, is_static: false, .. } = self.event else {
            return Outside::of(node);
        };
        let owner = self.given(node, Type::class(class), |parameter| *parameter == TestParameter::Owner)?;
        let (class, descriptor) = (class.to_owned(), descriptor.to_owned());
        Ok(self.read(&owner, name, &FieldDeclaration { class, descriptor, is_static: false }))
    }
}
