//! What editors ask about expressions and names at a moment.

use crate::moment::Moment;
use crate::variables::{HeldVariable, VariableGroup};
use crate::{PastError, Recording};
use trace::{EventPosition, Value};

impl Recording {
    /// The value of an expression at a moment, as a variable of the tree.
    ///
    /// # Errors
    /// It has no value there, or the events cannot be read.
    pub fn evaluated(&mut self, moment: Moment, text: &str) -> Result<HeldVariable, PastError> {
        let name = text.trim().to_owned();
        let value = self.evaluate(moment, &name)?;
        let shown = match value.object {
            Some(object) => self.with_value(name.clone(), Some(Value::Object(object)), false)?,
            None => HeldVariable { name: name.clone(), ..HeldVariable::default() },
        };
        let expression = (!name.contains('@')).then_some(name);
        Ok(HeldVariable { value: Some(value.text), expression, ..shown })
    }

    /// The names of the fields that the value of a path has at a moment; empty if it has none.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn fields_of(&mut self, moment: Moment, path: &str) -> Result<Vec<String>, PastError> {
        let object = match self.evaluate(moment, path) {
            Ok(value) => value.object,
            Err(PastError::Trace(error)) => return Err(error.into()),
            Err(_) => None,
        };
        let Some(object) = object else { return Ok(Vec::new()) };
        let Some(class) = self.calls.objects.class(object).cloned() else { return Ok(Vec::new()) };
        let fields = self.code.fields.of(&class, &self.calls);
        Ok(fields.fields.iter().map(|field| field.name.clone()).collect())
    }

    /// The name by which a variable of a list can be asked for, and the frame in which it has that name.
    ///
    /// # Errors
    /// The list has no such variable.
    pub fn name_of(
        &mut self,
        moment: Moment,
        group: VariableGroup,
        name: &str,
    ) -> Result<(EventPosition, String), PastError> {
        let calls = &self.calls;
        let of_object = |object: u32| {
            let shown = calls.objects.name(object);
            let is_array = calls.objects.is_array(object);
            match name.strip_prefix('[') {
                Some(_) if is_array => format!("{shown}{name}"),
                Some(_) => shown,
                None if name == "text" && calls.objects.class(object).is_some() && !is_array => shown,
                None => format!("{shown}.{name}"),
            }
        };
        Ok(match group {
            VariableGroup::Locals(at) | VariableGroup::Arguments(at) => (at, name.to_owned()),
            VariableGroup::Statics(at) => {
                let class = calls.method(at.node).map(|method| method.class.to_string()).unwrap_or_default();
                (at, format!("{class}.{name}"))
            }
            VariableGroup::Changed(at) => (at, name.to_owned()),
            VariableGroup::Returned(_) => {
                return Err(PastError::NoStep("a result is no variable".to_owned()));
            }
            VariableGroup::Parts(object) | VariableGroup::Section(object, ..) => {
                (moment.at, of_object(object))
            }
        })
    }
}
