//! The places through which values flow, as the calls of a thread pass them. Most have no event of their own:
//! they lie between two events.

use super::copy_places::{CopyPlace, PassedWhen};
use super::hit::{Happened, ObjectPart};
use super::search::{Search, argument_in};
use super::stretch::{Progress, straight};
use super::thread_stack::ThreadStack;
use bytecode::Op;
use trace::{Calls, TracedEvent, Value};

/// All that an executed instruction passes.
const WHOLE: [PassedWhen; 3] = [PassedWhen::Before, PassedWhen::During, PassedWhen::Behind];

impl ThreadStack {
    /// The newest call comes to the code index of an event, whose instruction is next.
    pub fn copies_until(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>, bci: u32) {
        let Some((method, from)) = self.copying(search) else { return };
        let found = search.methods.find(method, calls, search.pool);
        let Some(code) = found.as_ref().and_then(|found| found.code()) else { return };
        self.end_call(calls, seen, search, from);
        let way = straight(code, from);
        // Where another way leads there, what lies between is unknown.
        let reached = way.iter().position(|at| *at == bci).unwrap_or(0);
        for at in way.into_iter().take(reached) {
            self.copies_at(calls, seen, search, at, &WHOLE);
        }
        self.set_progress(Progress::Before(bci));
    }

    /// The instruction of an event of the newest call is executed: with this part and value.
    pub fn copies_of(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        part: Option<ObjectPart>,
        value: Option<Value>,
    ) {
        let Some((method, _)) = self.copying(search) else { return };
        let bci = seen.site.bci;
        let places: Vec<CopyPlace> = search.sought.copies.at(method, bci).copied().collect();
        for place in places {
            let (part, value) = match place.when {
                PassedWhen::Before => (None, None),
                PassedWhen::During => (part, value),
                PassedWhen::Entry | PassedWhen::Behind => continue,
            };
            self.copy(calls, seen, search, &place, part, value);
        }
        self.set_progress(Progress::Behind(bci));
    }

    /// The newest call calls a method.
    pub fn copies_until_call(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let Some((method, from)) = self.copying(search) else { return };
        let found = search.methods.find(method, calls, search.pool);
        let Some(code) = found.as_ref().and_then(|found| found.code()) else { return };
        let callee = seen.site.method;
        let name =
            calls.sites.method(callee).map(|method| (method.name.as_str(), method.descriptor.as_str()));
        let way = straight(code, from);
        let begins_line = |at: u32| search.sought.has_line_event(method, at) && from != Progress::Before(at);
        let calls_it = |at: u32| match code.at(at).map(|instruction| &instruction.op) {
            Some(Op::Invoke { method: called, .. }) => {
                search.sought.copies.can_enter(callee, method, at)
                    || name == Some((called.name.as_str(), called.descriptor.as_str()))
            }
            _ => false,
        };
        let call = way.iter().take_while(|at| !begins_line(**at)).position(|at| calls_it(*at));
        let Some(call) = call else { return };
        self.end_call(calls, seen, search, from);
        for (number, at) in way.into_iter().take(call + 1).enumerate() {
            if number == call {
                self.copies_at(calls, seen, search, at, &[PassedWhen::Before]);
                self.set_progress(Progress::Calling(at));
            } else {
                self.copies_at(calls, seen, search, at, &WHOLE);
            }
        }
    }

    /// The newest call, which has just begun, has its parameters.
    pub fn copies_of_entry(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let Some((method, _)) = self.copying(search) else { return };
        let places = search.sought.copies.at(method, 0);
        let places: Vec<CopyPlace> =
            places.filter(|place| place.when == PassedWhen::Entry).copied().collect();
        for place in places {
            let value = place.slot.and_then(|slot| argument_in(calls, seen, slot));
            self.copy(calls, seen, search, &place, None, value);
        }
    }

    /// The newest call goes on at a code index, wherever it was.
    pub fn goes_on_at(&mut self, bci: u32) {
        self.set_progress(Progress::Before(bci));
    }

    /// The method of the newest call and its progress, if values can flow through it.
    fn copying(&self, search: &Search<'_>) -> Option<(u32, Progress)> {
        let call = self.open.last().filter(|_| !search.sought.copies.is_empty())?;
        (!search.sought.copies.of_method(call.method).is_empty()).then_some((call.method, call.progress))
    }

    fn set_progress(&mut self, progress: Progress) {
        if let Some(call) = self.open.last_mut() {
            call.progress = progress;
        }
    }

    /// A call that the newest call made has returned.
    fn end_call(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>, from: Progress) {
        if let Progress::Calling(at) | Progress::Returned(at) = from {
            self.copies_at(calls, seen, search, at, &[PassedWhen::Behind]);
        }
    }

    /// The newest call passes the places at a code index that have no event of their own.
    fn copies_at(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        bci: u32,
        when: &[PassedWhen],
    ) {
        let Some((method, _)) = self.copying(search) else { return };
        let places = search.sought.copies.at(method, bci);
        let places: Vec<CopyPlace> = places.filter(|place| when.contains(&place.when)).copied().collect();
        for place in places {
            self.copy(calls, seen, search, &place, None, None);
        }
    }

    fn copy(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        place: &CopyPlace,
        part: Option<ObjectPart>,
        value: Option<Value>,
    ) {
        let what = Happened::Copied { way: place.way, part, value };
        self.hit(calls, seen, search, (place.query, place.bci), what);
    }
}
