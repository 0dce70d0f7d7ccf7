//! Goes through the events of one thread and finds the hits of TraceQueries. It knows where each call of the
//! stack stands.

use super::change::ChangePlace;
use super::flight::{Departure, FlightsEnd};
use super::hit::{Happened, Hit};
use super::open_call::OpenCall;
use super::search::{Search, argument, at_new, changing_method, constructs, frame, makes_rows, writer};
use super::sought::Interest;
use model::{Activation, ActivationKey, FrameKey, StackKey};
use query::Event;
use std::collections::{HashMap, HashSet, VecDeque};
use trace::{
    Calls, EventPosition, EventTime, TraceError, Traced, TracedEvent, Value, WalkControl, WalkPosition,
};

/// Events that are looked at in one go.
const STRETCH: u32 = 1 << 14;

/// The events of a thread, as far as they were gone through.
pub(super) struct ThreadEvents {
    pub(super) thread: u32,
    next: Option<WalkPosition>,
    is_over: bool,
    stack: Vec<OpenCall>,
    /// Number of hits by query and place.
    counts: HashMap<(u16, FrameKey), u32>,
    /// The hits in their order.
    pub(super) found: VecDeque<Hit>,
    /// The exception on its way.
    pub(super) flight: Option<Departure>,
    /// Objects of which a constructor was seen.
    made: HashSet<u32>,
}

impl ThreadEvents {
    /// A thread before its first event.
    pub fn new(thread: u32) -> ThreadEvents {
        ThreadEvents {
            thread,
            next: None,
            is_over: false,
            stack: Vec::new(),
            counts: HashMap::new(),
            found: VecDeque::new(),
            flight: None,
            made: HashSet::new(),
        }
    }

    /// The time of the next hit, if one was found.
    pub fn next_hit(&self) -> Option<EventTime> {
        self.found.front().map(|hit| hit.when)
    }

    /// Takes the next hit.
    pub fn take_hit(&mut self) -> Option<Hit> {
        self.found.pop_front()
    }

    /// Whether there are no further hits than those found.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The activations on its stack and of its hits.
    pub fn activations(&self) -> impl Iterator<Item = ActivationKey> {
        let flying = self.flight.iter().flat_map(|flight| flight.activations());
        let open = self.stack.iter().filter_map(|call| call.activation);
        open.chain(self.found.iter().filter_map(|hit| hit.activation)).chain(flying)
    }

    /// Goes on through some events.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn read_on(&mut self, calls: &mut Calls, search: &mut Search<'_>) -> Result<(), TraceError> {
        let (from, mut count) = (self.next.take(), 0);
        calls.walk_thread(self.thread, from, |calls, seen| {
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
            self.end_flight(FlightsEnd::Left, search);
        }
        Ok(())
    }

    fn see(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        self.follow_flight(seen, search);
        match seen.site.what {
            Traced::Enter => return self.enter(calls, seen, search),
            Traced::Return | Traced::Leave => return self.end(calls, seen, search),
            _ => {}
        }
        let Some(node) = seen.node else { return };
        self.restore(calls, node);
        let (site, values) = (seen.site, seen.values);
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
            Traced::Array => {
                if let Some(Value::Object(array)) = values.first() {
                    let class = calls.objects.class(*array).cloned().unwrap_or_default();
                    let queries = search.sought.of_made(&class.replace('/', ".")).to_vec();
                    for query in queries {
                        let what = Happened::Made { object: *array, constructor: None };
                        self.hit(calls, seen, search, (query, site.bci), what);
                    }
                }
                self.is_at(site.bci, false);
            }
            Traced::Born => self.bear(calls, seen, search),
            Traced::Contents | Traced::Text => self.change(calls, seen, search),
            Traced::Throw => {
                self.is_at(site.bci, true);
                self.depart(calls, seen, search, (site.bci, false));
            }
            Traced::Raised => {
                let line = seen.line().map(u32::from);
                let bci = self.stack.last().map(|call| call.raise_site(line, search, calls));
                self.depart(calls, seen, search, (bci.unwrap_or(0), true));
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

    fn is_at(&mut self, bci: u32, is_before: bool) {
        if let Some(call) = self.stack.last_mut() {
            call.is_at(bci, is_before);
        }
    }

    /// Makes a call the newest one, as the recording says. Events can be missing in between.
    fn restore(&mut self, calls: &Calls, node: u32) {
        if self.stack.last().is_some_and(|call| call.node == node) {
            return;
        }
        if let Some(at) = self.stack.iter().rposition(|call| call.node == node) {
            self.stack.truncate(at + 1);
            return;
        }
        let mut chain: Vec<u32> = std::iter::successors(Some(node), |node| calls.parent(*node)).collect();
        chain.reverse();
        let known = self.stack.iter().zip(&chain).take_while(|(call, node)| call.node == **node).count();
        self.stack.truncate(known);
        for node in chain.into_iter().skip(known) {
            self.stack.push(OpenCall::new(node, calls.method_number(node).unwrap_or(u32::MAX)));
        }
    }

    fn enter(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let Some(node) = seen.node else { return };
        match calls.parent(node) {
            Some(parent) => self.restore(calls, parent),
            None => self.stack.clear(),
        }
        let method = seen.site.method;
        self.stack.push(OpenCall::new(node, method));
        search.entered.insert(method);
        if seen.is_around {
            return;
        }
        let interests = search.sought.at_entry(method).to_vec();
        for interest in interests {
            match interest {
                Interest::Pass { query, .. } => self.hit(calls, seen, search, (query, 0), Happened::Reached),
                Interest::Store { query, store } => {
                    let new = argument(calls, seen, search.queries, query, store);
                    self.hit(calls, seen, search, (query, 0), Happened::Stored { store, new });
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
        self.restore(calls, node);
        if seen.site.what == Traced::Return {
            let queries = search.sought.at_return(seen.site.method).to_vec();
            for query in queries {
                let what = Happened::Returned(seen.values.first().copied());
                self.hit(calls, seen, search, (query, seen.site.bci), what);
            }
        }
        let ended = self.stack.pop();
        if let (Some(ended), Some(caller)) = (ended, self.stack.last_mut()) {
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
        if let Some(call) = self.stack.last_mut() {
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
        let Some(method) = self.stack.last().map(|call| call.method) else { return };
        let interests: Vec<Interest> =
            search.sought.at_place(method, bci).iter().copied().filter(is_meant).collect();
        for interest in interests {
            let Some(call) = self.stack.last_mut() else { return };
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
                    self.hit(calls, seen, search, (query, bci), Happened::Reached);
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
                        self.hit(calls, seen, search, (query, bci), Happened::Stored { store, new });
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
                    self.hit(calls, seen, search, (query, bci), Happened::Branched { to, turns });
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
        let Some((owner, old, new)) = written else { return };
        for query in queries {
            let by = writer(search, seen);
            let what = Happened::Written { owner, old, new, by };
            self.hit(calls, seen, search, (*query, seen.site.bci), what);
        }
    }

    fn write_element(&mut self, calls: &Calls, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let [Value::Object(array), Value::Int(index), old, new] = *seen.values else { return };
        let class = calls.objects.class(array).cloned().unwrap_or_default();
        let queries = search.sought.of_elements(&class).to_vec();
        if queries.is_empty() || makes_rows(search, calls, (seen.site.method, seen.site.bci)) {
            return;
        }
        for query in queries {
            let of = search.queries.get(usize::from(query)).map(|query| &query.event);
            let Some(Event::ElementWritten(element)) = of else { continue };
            if element.index.is_some_and(|wanted| wanted != index) {
                self.pass(calls, search, (query, seen.site.bci));
            } else {
                let by = writer(search, seen);
                let what = Happened::Element { array, index, old, new, by };
                self.hit(calls, seen, search, (query, seen.site.bci), what);
            }
        }
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
            let above = self.stack.iter().rev().take_while(is_constructor).count();
            for query in queries {
                self.made_at(calls, seen, search, (query, object, above));
            }
        }
        self.is_at(bci, false);
    }

    /// The hit of an object that a constructor creates, in the frame of its `new`.
    fn made_at(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        (query, object, above): (u16, u32, usize),
    ) {
        let Some((frames, stack)) = self.frames(calls, search, seen.site.bci) else { return };
        let Some((event_frame, ..)) = frames.first().copied() else { return };
        let ordinal = self.count(query, event_frame);
        let above = above.min(frames.len().saturating_sub(1));
        let Some((frame, node, activation)) = frames.get(above).copied() else { return };
        let at_new = at_new(search, calls, (frame, calls.method_number(node)));
        let below = search.tables.frame_keys(stack).skip(above + 1).collect::<Vec<_>>();
        let keys: Vec<FrameKey> = std::iter::once(at_new).chain(below).collect();
        let stack = search.tables.stack_key(&keys);
        let at = self.position_in(calls, seen, above);
        let newer = u32::try_from(above).unwrap_or(u32::MAX);
        let constructor = (above > 0).then_some((event_frame, newer));
        let (Some(at), what) = (at, Happened::Made { object, constructor }) else { return };
        let (when, thread, activation) = (seen.when(), self.thread, Some(activation));
        self.found.push_back(Hit {
            query,
            when,
            at,
            thread,
            ordinal,
            frame: at_new,
            stack,
            activation,
            arm: None,
            results: Vec::new(),
            what,
        });
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
            let Some(call) = self.stack.last() else { return };
            let (bci, is_named) = call.library_site(&names, search, calls);
            let is_made = is_named && is_listed && constructs(search, calls, (call.method, bci), &class);
            let change = if is_made { ChangePlace::Made } else { change };
            let method = Some((call.method, bci)).filter(|_| is_named);
            let by = method.and_then(|place| changing_method(search, calls, place, &class));
            self.hit(calls, seen, search, (query, bci), Happened::Changed { collection, change, by });
        }
    }

    /// Counts a hit in the newest frame that the query does not ask about.
    fn pass(&mut self, calls: &Calls, search: &mut Search<'_>, (query, bci): (u16, u32)) {
        if let Some((frame, ..)) = self.newest(calls, search, bci) {
            self.count(query, frame);
        }
    }

    /// Adds a hit in the newest frame.
    fn hit(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        (query, bci): (u16, u32),
        what: Happened,
    ) {
        let Some(at) = self.position_in(calls, seen, 0) else { return };
        let Some((frame, stack, activation)) = self.newest(calls, search, bci) else { return };
        let ordinal = self.count(query, frame);
        let (when, thread, activation) = (seen.when(), self.thread, Some(activation));
        let (arm, results) =
            self.stack.last().map(|call| (call.arm, call.results.clone())).unwrap_or_default();
        self.found.push_back(Hit {
            query,
            when,
            at,
            thread,
            ordinal,
            frame,
            stack,
            activation,
            arm,
            results,
            what,
        });
    }

    pub(super) fn count(&mut self, query: u16, frame: FrameKey) -> u32 {
        let count = self.counts.entry((query, frame)).or_insert(0);
        *count = count.saturating_add(1);
        *count
    }

    /// Where the frame with so many newer ones stands at an event.
    pub(super) fn position_in(
        &self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        above: usize,
    ) -> Option<EventPosition> {
        let node = self.stack.iter().rev().nth(above)?.node;
        match above.checked_sub(1) {
            None => seen.position().map(|at| at.in_call(node)),
            Some(newer) => calls.made_at(self.stack.iter().rev().nth(newer)?.node),
        }
    }

    /// The newest frame at a code index, its stack and its activation.
    fn newest(
        &mut self,
        calls: &Calls,
        search: &mut Search<'_>,
        bci: u32,
    ) -> Option<(FrameKey, StackKey, ActivationKey)> {
        let top = self.stack.len().checked_sub(1)?;
        // The frames below the newest one have not moved since they made their calls.
        let known = self.stack.iter().take(top).rposition(|call| call.calling.is_some());
        let mut below = known.and_then(|at| self.stack.get(at)?.calling).unwrap_or(StackKey::EMPTY);
        for at in known.map_or(0, |at| at + 1)..top {
            let (call, callee) = (self.stack.get(at)?, self.stack.get(at + 1)?.method);
            let site = call.call_site(callee, search, calls);
            let frame = frame(search, calls, call.method, site)?;
            below = search.tables.push_frame(below, frame);
            self.stack.get_mut(at)?.calling = Some(below);
        }
        let mut caller = None;
        for at in 0..=top {
            let depth = u32::try_from(at + 1).unwrap_or(u32::MAX);
            let call = self.stack.get_mut(at)?;
            let key = match call.activation {
                Some(key) => key,
                None => {
                    let method = search.tables.method_key(&calls.sites.method_name(call.method)?);
                    let of = Activation { caller, depth, method, certain: true };
                    *call.activation.insert(search.tables.add_activation(of))
                }
            };
            caller = Some(key);
        }
        let newest = frame(search, calls, self.stack.last()?.method, bci)?;
        Some((newest, search.tables.push_frame(below, newest), caller?))
    }

    /// All frames, newest first, with their calls and activations; and the stack.
    pub(super) fn frames(
        &mut self,
        calls: &Calls,
        search: &mut Search<'_>,
        bci: u32,
    ) -> Option<(Vec<(FrameKey, u32, ActivationKey)>, StackKey)> {
        let (_, stack, _) = self.newest(calls, search, bci)?;
        let keys = search.tables.frame_keys(stack);
        let open = self.stack.iter().rev().filter_map(|call| Some((call.node, call.activation?)));
        Some((keys.zip(open).map(|(frame, (node, activation))| (frame, node, activation)).collect(), stack))
    }
}
