//! Goes through the events of one thread and finds the hits of TraceQueries. It knows where each call of the
//! stack stands.

use super::flight::Departure;
use super::hit::{ChangePlace, FlightsEnd, Happened, Hit, ObjectPart};
use super::open_call::OpenCall;
use super::search::{Search, argument, changing_method, constructs, makes_rows, writer};
use super::sought::Interest;
use super::stretch::Progress;
use super::thread_stack::ThreadStack;
use model::ActivationKey;
use query::Event;
use std::collections::HashSet;
use trace::{Calls, EventTime, TraceError, Traced, TracedEvent, Value, WalkControl, WalkPosition};

/// Events that are looked at in one go.
const STRETCH: u32 = 1 << 14;

/// The events of a thread, as far as they were gone through.
pub(super) struct ThreadEvents {
    stack: ThreadStack,
    next: Option<WalkPosition>,
    is_over: bool,
    /// The exception on its way.
    flight: Option<Departure>,
    /// Objects of which a constructor was seen.
    made: HashSet<u32>,
}

impl ThreadEvents {
    /// A thread before its first event.
    pub fn new(thread: u32) -> ThreadEvents {
        let stack = ThreadStack::new(thread);
        ThreadEvents { stack, next: None, is_over: false, flight: None, made: HashSet::new() }
    }

    /// The time of the next hit, if one was found.
    pub fn next_hit(&self) -> Option<EventTime> {
        self.stack.found.front().map(|hit| hit.when)
    }

    /// Takes the next hit.
    pub fn take_hit(&mut self) -> Option<Hit> {
        self.stack.found.pop_front()
    }

    /// Whether there are no further hits than those found.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The activations on its stack and of its hits.
    pub fn activations(&self) -> impl Iterator<Item = ActivationKey> {
        self.stack.activations().chain(self.flight.iter().flat_map(Departure::activations))
    }

    /// Goes on through some events.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn read_on(&mut self, calls: &mut Calls, search: &mut Search<'_>) -> Result<(), TraceError> {
        let (from, mut count) = (self.next.take(), 0);
        calls.walk_thread(self.stack.thread, from, |calls, seen| {
            if count == STRETCH {
                self.next = Some(seen.walk_position());
                return WalkControl::Stop;
            }
            count += 1;
            self.see(calls, seen, search);
            WalkControl::Next
        })?;
        if self.next.is_none() {
            self.is_over = true;
            if let Some(flight) = self.flight.take() {
                flight.end(FlightsEnd::Left, search, &mut self.stack);
            }
        }
        Ok(())
    }

    /// Goes on through one event.
    fn see(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        if let Some(ended) = self.flight.as_mut().and_then(|flight| flight.follow(seen))
            && let Some(flight) = self.flight.take()
        {
            flight.end(ended, search, &mut self.stack);
        }
        match seen.site.what {
            Traced::Enter => return self.enter(calls, seen, search),
            Traced::Return | Traced::Leave => return self.end(calls, seen, search),
            _ => {}
        }
        let Some(node) = seen.node else { return };
        self.stack.restore(calls, node);
        let executed = self.come_to(calls, seen, search);
        self.handle(calls, seen, search);
        if executed {
            let (part, value) = copied(calls, seen);
            self.stack.copies_of(calls, seen, search, part, value);
        }
        if let Traced::Branch(to) = seen.site.what {
            self.stack.go_on(Progress::Before(to.into()));
        }
    }

    /// Handles an event inside the newest call, by its kind.
    fn handle(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let site = seen.site;
        match site.what {
            Traced::Line(_) => self.reach(calls, seen, search, site.bci),
            Traced::Branch(to) => {
                self.interests(calls, seen, search, site.bci, |interest| {
                    matches!(interest, Interest::Branch { .. })
                });
                self.is_at(u32::from(to), true);
                // Where a line begins, its own event follows.
                if !search.sought.has_line_event(site.method, u32::from(to)) {
                    self.reach(calls, seen, search, to.into());
                }
            }
            Traced::Local { .. } => {
                self.interests(calls, seen, search, site.bci, |interest| {
                    matches!(interest, Interest::Store { .. })
                });
                self.is_at(site.bci, false);
            }
            Traced::Put | Traced::PutStatic | Traced::Preset => {
                let queries = search.sought.of_field(site, calls).to_vec();
                if !queries.is_empty() {
                    self.write(calls, seen, search, &queries);
                }
                self.is_at(site.bci, false);
            }
            Traced::Element(_) => {
                self.write_element(calls, seen, search);
                self.is_at(site.bci, false);
            }
            Traced::Array => self.make_array(calls, seen, search),
            Traced::Born => self.bear(calls, seen, search),
            Traced::Contents | Traced::Text => self.change(calls, seen, search),
            Traced::Throw => {
                self.is_at(site.bci, true);
                self.depart(calls, seen, search, site.bci, false);
            }
            Traced::Raised => {
                let line = seen.line().map(u32::from);
                let bci = self.stack.open.last().map(|call| call.raise_site(line, search, calls));
                self.depart(calls, seen, search, bci.unwrap_or(0), true);
            }
            Traced::Catch => {
                self.is_at(site.bci, true);
                if !search.sought.has_line_event(site.method, site.bci) {
                    self.reach(calls, seen, search, site.bci);
                }
            }
            Traced::Lock | Traced::Unlock => self.is_at(site.bci, false),
            Traced::Start | Traced::Enter | Traced::Return | Traced::Leave => {}
        }
    }

    /// The newest call comes to the code index of an event. Returns whether it executes the instruction.
    fn come_to(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) -> bool {
        let site = seen.site;
        match site.what {
            Traced::Catch => self.stack.go_on(Progress::Before(site.bci)),
            // A method of the JDK wrote, which this call called.
            _ if site.by.is_some() => {}
            Traced::Line(_) | Traced::Throw => self.stack.copies_until(calls, seen, search, site.bci),
            Traced::Branch(_)
            | Traced::Local { .. }
            | Traced::Put
            | Traced::PutStatic
            | Traced::Preset
            | Traced::Element(_)
            | Traced::Array
            | Traced::Lock
            | Traced::Unlock
            | Traced::Return => {
                self.stack.copies_until(calls, seen, search, site.bci);
                return true;
            }
            Traced::Born
            | Traced::Contents
            | Traced::Text
            | Traced::Raised
            | Traced::Start
            | Traced::Enter
            | Traced::Leave => {}
        }
        false
    }

    fn is_at(&mut self, bci: u32, is_before: bool) {
        if let Some(call) = self.stack.open.last_mut() {
            call.is_at(bci, is_before);
        }
    }

    fn enter(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let Some(node) = seen.node else { return };
        match calls.parent(node) {
            Some(parent) => {
                self.stack.restore(calls, parent);
                self.stack.copies_until_call(calls, seen, search);
            }
            None => self.stack.open.clear(),
        }
        let method = seen.site.method;
        self.stack.open.push(OpenCall::new(node, method));
        search.entered.insert(method);
        if seen.is_around {
            return;
        }
        self.stack.go_on(Progress::Before(0));
        self.stack.copies_of_entry(calls, seen, search);
        let interests = search.sought.at_entry(method).to_vec();
        for interest in interests {
            match interest {
                Interest::Pass { query, .. } => {
                    self.stack.hit(calls, seen, search, query, 0, Happened::Reached)
                }
                Interest::Store { query, store } => {
                    let new = argument(calls, seen, search.queries, query, store);
                    self.stack.hit(calls, seen, search, query, 0, Happened::Stored { store, new });
                }
                _ => {}
            }
        }
        if !search.sought.has_line_event(method, 0) {
            self.reach(calls, seen, search, 0);
        }
    }

    fn end(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let Some(node) = seen.node else { return };
        self.stack.restore(calls, node);
        let executed = self.come_to(calls, seen, search);
        if seen.site.what == Traced::Return {
            let queries = search.sought.at_return(seen.site.method).to_vec();
            for query in queries {
                let what = Happened::Returned(seen.values.first().copied());
                self.stack.hit(calls, seen, search, query, seen.site.bci, what);
            }
        }
        if executed {
            self.stack.copies_of(calls, seen, search, None, seen.values.first().copied());
        }
        let ended = self.stack.open.pop();
        if let (Some(ended), Some(caller)) = (ended, self.stack.open.last_mut()) {
            if let (Traced::Return, Some(result)) = (seen.site.what, seen.values.first())
                && search.sought.keeps_results_of(caller.method)
            {
                caller.keep_result(ended.method, *result, search, calls);
            }
            caller.has_called(ended.method);
        }
    }

    /// The newest call comes to a code index at which a line or a block begins.
    fn reach(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>, bci: u32) {
        self.is_at(bci, true);
        self.interests(calls, seen, search, bci, |interest| {
            matches!(interest, Interest::Pass { .. } | Interest::PassEnds { .. } | Interest::Turn { .. })
        });
        if let Some(call) = self.stack.open.last_mut() {
            call.arm = search.sought.marked_from(call.method, bci).or(call.arm);
        }
    }

    /// Handles what is asked about a code index of the newest call.
    fn interests(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        bci: u32,
        is_meant: impl Fn(&Interest) -> bool,
    ) {
        let Some(method) = self.stack.open.last().map(|call| call.method) else { return };
        let interests: Vec<Interest> =
            search.sought.at_place(method, bci).iter().copied().filter(is_meant).collect();
        for interest in interests {
            let Some(call) = self.stack.open.last_mut() else { return };
            match interest {
                Interest::PassEnds { query, pass } => call.passing.retain(|of| *of != (query, pass)),
                Interest::Pass { query, pass } => {
                    let queries = search.queries.get(usize::from(query));
                    let Some(Event::Reached(passes)) = queries.map(|query| &query.event) else { continue };
                    let has_several =
                        passes.get(usize::from(pass)).is_some_and(|pass| pass.entries.len() > 1);
                    if has_several && call.passing.contains(&(query, pass)) {
                        continue;
                    }
                    if has_several {
                        call.passing.push((query, pass));
                    }
                    self.stack.hit(calls, seen, search, query, bci, Happened::Reached);
                }
                Interest::Turn { query, branch } => *call.turns.entry((query, branch)).or_default() += 1,
                Interest::Store { query, store } => {
                    let slot = match seen.site.what {
                        Traced::Local { slot, .. } => Some(slot),
                        _ => None,
                    };
                    let queries = search.queries.get(usize::from(query));
                    let Some(Event::Stored(stores)) = queries.map(|query| &query.event) else { continue };
                    if stores.get(usize::from(store)).map(|store| store.slot) == slot {
                        let new = seen.values.first().copied();
                        self.stack.hit(calls, seen, search, query, bci, Happened::Stored { store, new });
                    }
                }
                Interest::Branch { query, branch } => {
                    let Traced::Branch(to) = seen.site.what else { continue };
                    let to = u32::from(to);
                    let queries = search.queries.get(usize::from(query));
                    let Some(Event::Branched(all)) = queries.map(|query| &query.event) else { continue };
                    let leaves = all
                        .get(usize::from(branch))
                        .is_some_and(|branch| branch.turns.is_some() && branch.decides(to));
                    let turns = if leaves { call.turns.remove(&(query, branch)) } else { None };
                    self.stack.hit(calls, seen, search, query, bci, Happened::Branched { to, turns });
                }
            }
        }
    }

    fn write(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>, queries: &[u16]) {
        let written = match (seen.site.what, seen.values) {
            (Traced::Put, [Value::Object(owner), old, new]) => Some((Some(*owner), Some(*old), *new)),
            (Traced::PutStatic, [old, new]) => Some((None, Some(*old), *new)),
            (Traced::Preset, [new]) => {
                Some((seen.node.and_then(|node| calls.born(node)).or(Some(0)), None, *new))
            }
            _ => None,
        };
        let (Some((owner, old, new)), Some(variable)) = (written, &seen.site.written) else { return };
        for query in queries {
            let (class, by) = (calls.sites.declares(variable), writer(search, seen));
            let what = Happened::Written { class, owner, old, new, by };
            self.stack.hit(calls, seen, search, *query, seen.site.bci, what);
        }
    }

    fn write_element(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let [Value::Object(array), Value::Int(index), old, new] = *seen.values else { return };
        let class = calls.objects.class(array).cloned().unwrap_or_default();
        let queries = search.sought.of_elements(&class).to_vec();
        if queries.is_empty() || makes_rows(search, calls, seen.site.method, seen.site.bci) {
            return;
        }
        for query in queries {
            let of = search.queries.get(usize::from(query)).map(|query| &query.event);
            let Some(Event::ElementWritten(element)) = of else { continue };
            if element.index.is_some_and(|wanted| wanted != index) {
                self.stack.pass(calls, search, query, seen.site.bci);
            } else {
                let by = writer(search, seen);
                let what = Happened::Element { array, index, old, new, by };
                self.stack.hit(calls, seen, search, query, seen.site.bci, what);
            }
        }
    }

    /// An instruction has created an array.
    fn make_array(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let bci = seen.site.bci;
        if let Some(Value::Object(array)) = seen.values.first() {
            let class = calls.objects.class(*array).cloned().unwrap_or_default();
            let queries = search.sought.of_made(&class.replace('/', ".")).to_vec();
            for query in queries {
                let what = Happened::Made { object: *array, constructor: None };
                self.stack.hit(calls, seen, search, query, bci, what);
            }
        }
        self.is_at(bci, false);
    }

    /// A constructor has called another one, which initialised the object.
    fn bear(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let Some(Value::Object(object)) = seen.values.first().copied() else { return };
        let bci = seen.site.bci;
        let class = calls.objects.class(object).cloned().unwrap_or_default();
        let queries = search.sought.of_made(&class).to_vec();
        if !queries.is_empty() && self.made.insert(object) {
            let is_constructor = |call: &&OpenCall| {
                let method = calls.sites.method(call.method);
                method.is_some_and(|method| method.name == "<init>")
                    && calls.born(call.node).is_none_or(|born| born == object)
            };
            let above = self.stack.open.iter().rev().take_while(is_constructor).count();
            for query in queries {
                self.stack.made_at(calls, seen, search, query, object, above);
            }
        }
        self.is_at(bci, false);
    }

    /// The contents of a collection, builder or stream may have changed, by a call of the newest frame.
    fn change(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let Some(Value::Object(collection)) = seen.values.first().copied() else { return };
        let change = match seen.site.what {
            Traced::Text => Some(ChangePlace::Any),
            _ => seen.collection_change().as_ref().and_then(ChangePlace::of),
        };
        let is_listed = change == Some(ChangePlace::Listed);
        let Some(change) = change else { return };
        let class = calls.objects.class(collection).cloned().unwrap_or_default();
        let queries = search.sought.of_contents(&class, search.pool).to_vec();
        for query in queries {
            let of = search.queries.get(usize::from(query)).map(|query| &query.event);
            let Some(Event::Changed(contents)) = of else { continue };
            let names: Vec<&str> = match is_listed {
                true => vec!["<init>"],
                false => contents.calls.iter().map(|call| &*call.method.name).collect(),
            };
            let Some(call) = self.stack.open.last() else { return };
            let (bci, is_named) = call.library_site(&names, search, calls);
            let is_made = is_named && is_listed && constructs(search, calls, call.method, bci, &class);
            let change = if is_made { ChangePlace::Made } else { change };
            let method = Some(call.method).filter(|_| is_named);
            let by = method.and_then(|method| changing_method(search, calls, method, bci, &class));
            self.stack.hit(calls, seen, search, query, bci, Happened::Changed { collection, change, by });
        }
    }

    /// An exception is thrown at a code index of the newest frame.
    fn depart(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        bci: u32,
        is_raised: bool,
    ) {
        if search.sought.has_exceptions() {
            self.flight = Departure::new(calls, seen, search, &mut self.stack, bci, is_raised);
        }
    }
}

/// The part that an event writes, and the value that it stores.
fn copied(calls: &Calls, seen: &TracedEvent<'_>) -> (Option<ObjectPart>, Option<Value>) {
    let part = |object, index| Some(ObjectPart { object, index });
    match (seen.site.what, seen.values) {
        (Traced::Put, [Value::Object(owner), _, new]) => (part(*owner, 0), Some(*new)),
        (Traced::PutStatic, [_, new]) => (None, Some(*new)),
        (Traced::Preset, [new]) => {
            (seen.node.and_then(|node| calls.born(node)).and_then(|born| part(born, 0)), Some(*new))
        }
        (Traced::Element(_), [Value::Object(array), Value::Int(index), _, new]) => {
            (part(*array, *index), Some(*new))
        }
        (Traced::Local { .. }, [new]) => (None, Some(*new)),
        _ => (None, None),
    }
}
