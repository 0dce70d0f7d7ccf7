//! The value of an expression at the current position. No code of the program runs.

use super::RecordedDebugger;
use super::variables::{HeldVariable, VariableGroup};
use crate::error::SessionError;
use crate::recorded::step::Stepper;
use assertions::Moment;
use trace::{EventPosition, Value};

impl RecordedDebugger {
    /// The value of an expression in a frame, with the objects as they are at the current position.
    ///
    /// # Errors
    /// It has no value there, or the events cannot be read.
    pub async fn evaluate(&mut self, frame: EventPosition, text: &str) -> Result<HeldVariable, SessionError> {
        let name = text.trim().to_owned();
        // `Rec@7` is how values are shown; it is no Java.
        if let Some(object) = name.contains('@').then(|| inspect::state::number(&name)).flatten() {
            let own = self.trace.recording.calls.objects.own(object);
            if name.contains(['.', '[']) || self.trace.recording.calls.objects.class(own).is_none() {
                return Err(SessionError::NoStep(format!("`{name}` is no value here")));
            }
            return self.variable(name, Some(Value::Object(own)), false);
        }
        let when = self.now()?;
        let calls = &mut self.trace.recording.calls;
        let nowhere = || SessionError::NoStep("this frame was not recorded".to_owned());
        let index = self.code.index(calls, frame)?.ok_or_else(nowhere)?;
        let compiled = self.code.compile(&name, index, calls).map_err(SessionError::NoStep)?;
        let moment = Moment { at: frame, when };
        let value = compiled.value_after(&mut None, calls, &mut self.code.fields, moment).await?;
        let value =
            value.map_err(|why| SessionError::NoStep(format!("`{name}` has no value here: {why}")))?;
        let shown = match value.object {
            Some(object) => self.variable(name.clone(), Some(Value::Object(object)), false)?,
            None => HeldVariable { name: name.clone(), ..HeldVariable::default() },
        };
        Ok(HeldVariable { value: Some(value.text), expression: Some(name), ..shown })
    }

    /// The names of the fields that the value of a path has in a frame; empty if it has none.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn fields_of(&mut self, frame: EventPosition, path: &str) -> Result<Vec<String>, SessionError> {
        let Ok(shown) = Stepper::over(&mut self.trace, frame).show(path) else { return Ok(Vec::new()) };
        let Some(Value::Object(object)) = shown.held else { return Ok(Vec::new()) };
        let calls = &self.trace.recording.calls;
        let Some(class) = calls.objects.class(object).cloned() else { return Ok(Vec::new()) };
        let fields = self.code.fields.of(&class, calls);
        Ok(fields.fields.iter().map(|field| field.name.clone()).collect())
    }

    /// The name by which a variable of a list can be asked for, and the frame in which it has that name.
    ///
    /// # Errors
    /// The list has no such variable.
    pub fn name_of(
        &mut self,
        group: VariableGroup,
        name: &str,
    ) -> Result<(EventPosition, String), SessionError> {
        let calls = &self.trace.recording.calls;
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
                return Err(SessionError::NoStep("a result is no variable".to_owned()));
            }
            VariableGroup::Parts(object) | VariableGroup::Section(object, ..) => (self.at, of_object(object)),
        })
    }
}
