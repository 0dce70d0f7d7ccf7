//! The places through which values flow, as the calls of a thread pass them. Most have no event of their own:
//! they lie between two events.

use super::copy_places::{CopyPlace, MethodPlaces, PassedWhen};
use super::hit::{Happened, ObjectPart};
use super::search::{Search, argument_in};
use super::stretch::{Progress, straight};
use super::thread_stack::ThreadStack;
use bytecode::Op;
use std::rc::Rc;
use trace::{Calls, TracedEvent, Value};

/// All that an executed instruction passes.
const WHOLE: [PassedWhen; 3] = [PassedWhen::Before, PassedWhen::During, PassedWhen::Behind];

impl ThreadStack {
    /// The newest call comes to the code index of an event, whose instruction is next.
    pub fn copies_until(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>, bci: u32) {
        let Some((method, places)) = self.copying(search) else { return };
        let from = self.progress();
        self.end_call(calls, seen, search, &places);
        if from != Progress::Before(bci)
            && let Some(found) = search.methods.find(method, calls, search.pool)
            && let Some(code) = found.code()
            // Where another way leads there, what lies between is unknown.
            && straight(code, from).any(|at| at == bci)
        {
            for at in straight(code, from).take_while(|at| *at != bci) {
                self.pass_places(calls, seen, search, &places, at, &WHOLE);
            }
        }
        self.go_on(Progress::Before(bci));
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
        let Some((_, places)) = self.copying(search) else { return };
        let bci = seen.site.bci;
        for place in places.at(bci) {
            match place.when {
                PassedWhen::Before => self.copy(calls, seen, search, place, None, None),
                PassedWhen::During => self.copy(calls, seen, search, place, part, value),
                PassedWhen::Entry | PassedWhen::Behind => {}
            }
        }
        self.go_on(Progress::Behind(bci));
    }

    /// The newest call calls a method.
    pub fn copies_until_call(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let Some((method, places)) = self.copying(search) else { return };
        let Some(found) = search.methods.find(method, calls, search.pool) else { return };
        let (Some(code), from, callee) = (found.code(), self.progress(), seen.site.method) else { return };
        let name =
            calls.sites.method(callee).map(|method| (method.name.as_str(), method.descriptor.as_str()));
        let begins_line = |at: u32| search.sought.has_line_event(method, at) && from != Progress::Before(at);
        let calls_it = |at: u32| match code.at(at).map(|instruction| &instruction.op) {
            Some(Op::Invoke { method: called, .. }) => {
                search.sought.copies.can_enter(callee, method, at)
                    || name == Some((called.name.as_str(), called.descriptor.as_str()))
            }
            _ => false,
        };
        let call = straight(code, from).take_while(|at| !begins_line(*at)).find(|at| calls_it(*at));
        let Some(call) = call else { return };
        self.end_call(calls, seen, search, &places);
        for at in straight(code, from).take_while(|at| *at != call) {
            self.pass_places(calls, seen, search, &places, at, &WHOLE);
        }
        self.pass_places(calls, seen, search, &places, call, &[PassedWhen::Before]);
        self.go_on(Progress::Calling(call));
    }

    /// The newest call, which has just begun, has its parameters.
    pub fn copies_of_entry(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let Some((_, places)) = self.copying(search) else { return };
        for place in places.at(0).filter(|place| place.when == PassedWhen::Entry) {
            let value = place.slot.and_then(|slot| argument_in(calls, seen, slot));
            self.copy(calls, seen, search, place, None, value);
        }
    }

    /// The newest call goes on from here, wherever it was.
    pub fn go_on(&mut self, progress: Progress) {
        if let Some(call) = self.open.last_mut() {
            call.progress = progress;
        }
    }

    fn progress(&self) -> Progress {
        self.open.last().map_or(Progress::Unknown, |call| call.progress)
    }

    /// The method of the newest call with its places, if it has any.
    fn copying(&self, search: &Search<'_>) -> Option<(u32, Rc<MethodPlaces>)> {
        let method = self.open.last()?.method;
        Some((method, search.sought.copies.of_method(method)?.clone()))
    }

    /// If the newest call has made a call, that has returned.
    fn end_call(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        places: &MethodPlaces,
    ) {
        if let Progress::Calling(at) | Progress::Returned(at) = self.progress() {
            self.pass_places(calls, seen, search, places, at, &[PassedWhen::Behind]);
        }
    }

    /// The newest call passes the places at a code index that has no event of its own.
    fn pass_places(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        places: &MethodPlaces,
        bci: u32,
        when: &[PassedWhen],
    ) {
        for place in places.at(bci).filter(|place| when.contains(&place.when)) {
            self.copy(calls, seen, search, place, None, None);
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
        self.hit(calls, seen, search, place.query, place.bci, what);
    }
}
