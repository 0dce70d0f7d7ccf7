//! The values of an event, from which its occurrence and the parts of expressions are made.

use super::hit::{Flight, FlightEnd, FlightsEnd, Happened, Hit};
use expr::EventPart;
use model::{BypassedFrame, Catch, Detail, ExceptionDetail, Occurrence, Value, Way};

/// What is said of an exception that no recorded code has thrown.
const RAISED: &str = "the exception comes from code that was not recorded, or from the VM: the place is where \
     it came into recorded code";

/// The values of an event.
pub(super) struct EventValues {
    /// The object or array.
    pub owner: Value,
    /// The value before.
    pub old: Value,
    /// The value after.
    pub new: Value,
    /// The index of an element.
    pub index: Option<Value>,
    /// Which of several ways the event is.
    pub way: Option<Way>,
    /// What else it tells.
    pub detail: Detail,
}

impl Default for EventValues {
    fn default() -> EventValues {
        EventValues {
            owner: Value::Null,
            old: Value::Unassigned,
            new: Value::Unassigned,
            index: None,
            way: None,
            detail: Detail::default(),
        }
    }
}

/// The parts of an occurrence that expressions name with a leading dot.
pub(super) fn parts_of(occurrence: &Occurrence, what: &Happened) -> Vec<(EventPart, Value)> {
    let (detail, index) = (occurrence.detail.as_deref().cloned(), index_of(what));
    let (owner, old, new) = (occurrence.owner.clone(), occurrence.old.clone(), occurrence.new.clone());
    EventValues { owner, old, new, index, way: occurrence.way, detail: detail.unwrap_or_default() }.parts()
}

/// The index of the element that was written.
pub(super) fn index_of(what: &Happened) -> Option<Value> {
    match what {
        Happened::Element { index, .. } => Some(Value::Int(*index)),
        _ => None,
    }
}

impl EventValues {
    /// The parts that expressions name with a leading dot.
    pub fn parts(&self) -> Vec<(EventPart, Value)> {
        let known = |value: &Value| (*value != Value::Unassigned).then(|| value.clone());
        let owner = self.owner.object_id().map(|_| self.owner.clone());
        let all = [
            (EventPart::Owner, owner),
            (EventPart::Old, known(&self.old)),
            (EventPart::New, known(&self.new)),
            (EventPart::Exception, self.detail.thrown.clone()),
            (EventPart::Result, self.detail.result.clone()),
            (EventPart::Index, self.index.clone()),
        ];
        all.into_iter().filter_map(|(part, value)| Some((part, value?))).collect()
    }

    /// Adds what an exception tells that comes to this end.
    pub fn throw(&mut self, hit: &Hit, flight: &Flight, end: FlightEnd, exception: Value) {
        let caught = match flight.ended {
            FlightsEnd::Caught { frame, handler, above, activation } => {
                Some(Catch { frame, handler, above, activation })
            }
            FlightsEnd::Left | FlightsEnd::Elsewhere => None,
        };
        let bypassed = match end {
            FlightEnd::Bypassed(above) => Some(BypassedFrame { above, activation: hit.activation }),
            FlightEnd::Thrown | FlightEnd::Caught(_) => None,
        };
        if let FlightEnd::Caught(left) = end {
            self.way = Way::new(left);
        }
        self.detail.thrown = Some(exception);
        self.detail.exception = Some(ExceptionDetail { caught, thrown: flight.thrown, bypassed });
        if flight.is_raised {
            self.detail.notes.push(RAISED.to_owned());
        }
        match flight.ended {
            FlightsEnd::Left => self.detail.notes.push("it left all recorded code".to_owned()),
            FlightsEnd::Elsewhere => {
                self.detail.notes.push("code that was not recorded caught it".to_owned());
            }
            FlightsEnd::Caught { .. } => {}
        }
    }
}
