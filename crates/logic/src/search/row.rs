//! Events as rows of an answer.

use super::found::Found;
use super::source::Source;
use crate::answer::EventRow;
use crate::error::LogicError;
use crate::log::{Caught, Kind};
use crate::names::{java_name, source_file};
use past::values::{shown, shown_name};
use trace::{Field, Value, shown_class};

impl Source {
    /// An event as a row.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn row(&mut self, found: &Found) -> Result<EventRow, LogicError> {
        let Found { id, block, event } = found;
        let calls = &mut self.recording.calls;
        let thread = calls.sites.threads.get(&block.thread).map(|(name, _)| name.clone());
        let method = event.method(calls).cloned();
        let place = method.as_ref().filter(|_| event.line != 0);
        let mut row = EventRow {
            id: *id,
            thread: thread.unwrap_or_default(),
            kind: event.kind.functor(),
            call: event.call().map(|node| calls.shown(node)),
            place: place.map(|method| format!("{}:{}", source_file(method), event.line)),
            method: method.as_ref().map(trace::Method::short),
            ..EventRow::default()
        };
        let values = block.values(event);
        let object = match values.first() {
            Some(Value::Object(object)) => *object,
            _ => 0,
        };
        let named = (object != 0).then(|| shown_name(&Value::Object(object), &calls.objects));
        match event.kind {
            Kind::MethodCall | Kind::MethodExit => {
                row.object = named.or_else(|| method.as_ref().map(|of| shown_class(&of.class)));
                row.name = method.as_ref().map(|of| of.name.clone());
                self.add_values(&mut row, found)?;
            }
            Kind::SetField => {
                let written = calls.sites.site(event.site).and_then(|site| site.written.clone());
                row.object = named.or_else(|| Some(shown_class(&calls.sites.declares(written.as_ref()?))));
                row.name = written.map(|written| written.name.clone());
                row.value = values.get(1).map(|value| shown(value, &calls.objects));
            }
            Kind::DataStructure => row.object = named,
            Kind::Exception => {
                row.object = named;
                self.add_exception(&mut row, found, object)?;
            }
            Kind::MemberFields => {
                let class = self.log.index().class(event.site).unwrap_or_default();
                let fields = calls.sites.fields(class);
                let field = |field: &Field| {
                    (field.name.clone(), if field.is_static { "static" } else { "" }.to_owned())
                };
                row.variables = fields.iter().map(field).collect();
                row.name = Some(java_name(class).into_owned());
            }
            Kind::ThreadStart | Kind::ThreadDeath => {
                row.name = calls.sites.thread_group(block.thread).map(str::to_owned);
            }
            Kind::Step => {
                if let Some(node) = event.call() {
                    let locals = self.locals_at(node, event)?;
                    let objects = &self.recording.calls.objects;
                    let local = |(name, value): (String, Value)| (name, shown(&value, objects));
                    row.variables = locals.into_iter().map(local).collect();
                }
            }
        }
        Ok(row)
    }

    /// Adds the arguments or the result of a call.
    fn add_values(&mut self, row: &mut EventRow, found: &Found) -> Result<(), LogicError> {
        let Found { block, event, .. } = found;
        let (values, objects) = (block.values(event), &self.recording.calls.objects);
        if event.kind == Kind::MethodCall {
            let arguments = values.iter().skip(1).map(|value| shown(value, objects));
            row.arguments = (!event.is_around).then(|| arguments.collect());
            return Ok(());
        }
        row.value = Some(match values.get(1) {
            Some(value) => shown(value, objects),
            None => "void".to_owned(),
        });
        if let Some(node) = event.call() {
            row.of = self.log.id_of_call(&mut self.recording.calls, block.thread, node)?;
        }
        Ok(())
    }

    /// Adds what is known of an exception, and where it was caught.
    fn add_exception(&mut self, row: &mut EventRow, found: &Found, exception: u32) -> Result<(), LogicError> {
        let calls = &mut self.recording.calls;
        row.value = calls.objects.message(exception).map(|text| text.begins);
        row.causes = calls.objects.causes(exception);
        let place = |(file, line): (String, u16)| match line {
            0 => file,
            line => format!("{file}:{line}"),
        };
        let caught = self.log.caught(calls, found.block.thread, &found.event, exception)?;
        row.caught = Some(match caught {
            Caught::At(file, line) => place((file, line)),
            Caught::Elsewhere => "unrecorded".to_owned(),
            Caught::Nowhere(handler) => {
                row.handler = handler.map(place);
                "uncaught".to_owned()
            }
        });
        Ok(())
    }

    /// The event with an id, as a row.
    ///
    /// # Errors
    /// There is no such event, or the events cannot be read.
    pub fn row_of(&mut self, id: u64) -> Result<EventRow, LogicError> {
        let found = self.found(id)?;
        self.row(&found)
    }

    /// The event with an id.
    ///
    /// # Errors
    /// There is no such event, or the events cannot be read.
    pub fn found(&mut self, id: u64) -> Result<Found, LogicError> {
        let count = self.log.index().count();
        let (block, event) = self.event(id)?.ok_or(LogicError::NoSuchEvent { id, count })?;
        Ok(Found { id, block, event })
    }
}
