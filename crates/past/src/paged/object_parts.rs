//! The parts of an object at the selected event, for values that are too large to be shown at once.

use crate::error::PastError;
use crate::event_ref::EventRef;
use crate::recording::Recording;
use crate::variables::{HeldVariable, VariableGroup};
use serde::Serialize;

/// The parts of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartsShown {
    /// Number of elements of an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// The parts.
    pub rows: Vec<PartRow>,
}

/// A part of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartRow {
    /// The name of the field, or the index.
    pub name: String,
    /// Its value after the event; `None` if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// Whether it differs from the value at the entry of the call.
    pub changed: bool,
    /// The object to which it refers, by its number, if that has parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<u32>,
    /// Number of elements of that object, if they are many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<usize>,
    /// What selects it: `.name` or `[3]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}

impl Recording {
    /// Some parts of an object after the selected event: at most `limit` from the first one on.
    ///
    /// # Errors
    /// There is no such call or event, or the events cannot be read.
    pub fn parts_shown(
        &mut self,
        selection: EventRef,
        object: u32,
        from: usize,
        limit: usize,
    ) -> Result<PartsShown, PastError> {
        let at = self.position_after(selection)?;
        let moment = self.moment(at)?;
        let calls = &self.calls;
        let own = calls.objects.own(object);
        let count = calls.objects.length_of(own).and_then(|length| usize::try_from(length).ok());
        let found = self.variables(moment, VariableGroup::Parts(own), Some((from, limit)))?;
        let numbers = &self.calls.objects;
        let row = |part: HeldVariable| PartRow {
            name: part.name,
            new: part.value,
            changed: part.changed,
            object: match part.leads_to {
                Some(VariableGroup::Parts(object)) => Some(numbers.number(object)),
                _ => None,
            },
            elements: part.elements,
            selector: part.selector,
        };
        Ok(PartsShown { count, rows: found.into_iter().map(row).collect() })
    }
}
