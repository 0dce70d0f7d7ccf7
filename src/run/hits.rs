//! What each kind of interruption means for the TraceQueries that asked for it.

use super::error::RunError;
use super::stop::Stop;
use super::vm::bci;
use super::watcher::{Completes, Waiting, Watcher};
use super::watches::Interest;
use crate::model::{
    Catch, Detail, ExceptionDetail, Frame, FrameKey, MethodName, Occurrence, Site, Value, Way,
};
use crate::query::{Event, TraceQuery};
use jdwp::commands::{object_reference, reference_type, stack_frame};
use jdwp::{Location, RequestId, Tag, TaggedObject, ThreadId};

impl Watcher {
    /// A MethodEntry event: used where index 0 is also the target of a jump.
    pub(super) async fn method_entered(&mut self, stop: &mut Stop) -> Result<(), RunError> {
        if self.watched.installed.entries.contains(&(stop.location.class, stop.location.method)) {
            self.enter(stop).await?;
        }
        Ok(())
    }

    async fn enter(&mut self, stop: &mut Stop) -> Result<(), RunError> {
        let depth = stop.depth(&self.watched.vm).await?;
        let Some(method) = self.tracked(&stop.location).await? else { return Ok(()) };
        let state = self.threads.entry(stop.thread).or_default();
        let entered = state.activations.enter(&mut self.watched.tables, method, depth, true);
        // What is newer than the caller on the stack has ended: serials ascend on it.
        match self.watched.tables.activation(entered).and_then(|a| a.caller) {
            Some(caller) => {
                state.passing.split_off(&(caller, u16::MAX, u16::MAX));
                state.turns.split_off(&(caller, u16::MAX, u16::MAX));
            }
            None => {
                state.passing.clear();
                state.turns.clear();
            }
        }
        Ok(())
    }

    /// A breakpoint.
    pub(super) async fn breakpoint(&mut self, stop: &mut Stop, entered: bool) -> Result<(), RunError> {
        let Some(interests) = self.watched.installed.interests(&stop.location) else { return Ok(()) };
        let asker = interests.iter().find_map(|interest| match interest {
            Interest::Pass { query, .. } | Interest::Store { query, .. } | Interest::Branch { query, .. } => {
                Some(*query)
            }
            _ => None,
        });
        if let Some(query) = asker {
            self.collector.prefetch(&mut self.watched, stop, query).await?;
        }
        self.complete(stop).await?;
        let by_event = self.watched.installed.entries.contains(&(stop.location.class, stop.location.method));
        // At index 0 of a method that also jumps there, only the MethodEntry event tells an entry from a
        // jump.
        let enters = stop.location.index == 0 && (!by_event || entered);
        for interest in interests.iter() {
            match *interest {
                Interest::Activation if enters && !by_event => self.enter(stop).await?,
                Interest::Activation | Interest::Completes => {}
                Interest::Redefined => self.redefined().await?,
                Interest::PassEnds { query, pass } => {
                    if let Some(activation) = self.activation(stop).await? {
                        self.state(stop.thread).passing.remove(&(activation, query, pass));
                    }
                }
                Interest::Pass { query, pass } => self.passed(stop, query, pass, enters).await?,
                Interest::Store { query, store } => self.stored(stop, query, store, enters).await?,
                Interest::Made { query } => self.constructed(stop, query).await?,
                Interest::Turn { query, branch } => self.turn(stop, query, branch).await?,
                Interest::Branch { query, branch } => self.branched(stop, query, branch).await?,
                Interest::Mark => self.marked(stop).await?,
            }
        }
        Ok(())
    }

    /// A Java agent has redefined classes.
    async fn redefined(&mut self) -> Result<(), RunError> {
        let lost = self.watched.installed.after_redefinition(&mut self.watched.vm).await?;
        for method in lost {
            self.watched.report.warn_sites_lost(format!(
                "sites lost: {method} was redefined with other code while the program ran; what happens in it from \
                 then on is not seen"
            ));
        }
        Ok(())
    }

    pub(super) async fn passed(
        &mut self,
        stop: &mut Stop,
        number: u16,
        pass: u16,
        enters: bool,
    ) -> Result<(), RunError> {
        let Some(query) = self.query(number) else { return Ok(()) };
        let Event::Reached(passes) = &query.event else { return Ok(()) };
        let Some(place) = passes.get(usize::from(pass)) else { return Ok(()) };
        if place.on_entry && !enters {
            return Ok(());
        }
        if place.entries.len() > 1
            && let Some(activation) = self.activation(stop).await?
            && !self.state(stop.thread).passing.insert((activation, number, pass))
        {
            return Ok(());
        }
        self.offer(stop, &query, None).await
    }

    /// Completes what waited for the thread's next instruction.
    async fn complete(&mut self, stop: &mut Stop) -> Result<(), RunError> {
        let waiting = std::mem::take(&mut self.state(stop.thread).waiting);
        if waiting.is_empty() {
            return Ok(());
        }
        let depth = stop.depth(&self.watched.vm).await?;
        let here = bci(stop.location.index);
        for mut w in waiting {
            let same = w.class == stop.location.class && w.method == stop.location.method && w.depth == depth;
            match &w.completes {
                Completes::Store { at, slot, tag } if same && *at == here => {
                    w.occurrence.new = self.slot(stop, *slot, *tag).await?;
                    self.found.push(w.occurrence);
                }
                Completes::Branch { query, branch } if same && self.leads(*query, *branch, here) => {
                    w.occurrence.way = Way::new(here);
                    self.turned(stop.thread, *query, *branch, &mut w.occurrence);
                    self.found.push(w.occurrence);
                }
                _ => self.watched.report.warn(format!(
                    "the instruction after {} was not seen: one {} there is missing",
                    self.watched
                        .tables
                        .frame(w.occurrence.frame)
                        .map(|f| f.site.to_string())
                        .unwrap_or_default(),
                    if matches!(w.completes, Completes::Store { .. }) { "store" } else { "branch" },
                )),
            }
        }
        Ok(())
    }

    /// Whether a branch can lead to an index.
    fn leads(&self, query: u16, branch: u16, to: u32) -> bool {
        let query = self.query(query);
        let Some(Event::Branched(branches)) = query.as_ref().map(|q| &q.event) else { return false };
        branches.get(usize::from(branch)).is_some_and(|b| b.targets.contains(&to))
    }

    /// A turn of an endless loop begins that a branch can leave.
    async fn turn(&mut self, stop: &mut Stop, query: u16, branch: u16) -> Result<(), RunError> {
        if let Some(activation) = self.activation(stop).await? {
            let turns = self.state(stop.thread).turns.entry((activation, query, branch)).or_default();
            *turns = turns.saturating_add(1);
        }
        Ok(())
    }

    /// Where a branch has left an endless loop: tells how many turns before that did not.
    fn turned(&mut self, thread: ThreadId, number: u16, branch: u16, occurrence: &mut Occurrence) {
        let query = self.query(number);
        let Some(Event::Branched(branches)) = query.as_ref().map(|q| &q.event) else { return };
        let site = branches.get(usize::from(branch)).filter(|b| b.turns.is_some());
        let way = occurrence.way.map(|way| u32::from(way.get()));
        let (Some(site), Some(way), Some(activation)) = (site, way, occurrence.activation) else { return };
        if site.decides(way) {
            let turns = self.state(thread).turns.remove(&(activation, number, branch));
            // Of a call that was on before it was watched, not all turns were seen.
            let certain = self.watched.tables.activation(activation).is_some_and(|a| a.certain);
            tell_turns(occurrence, turns.filter(|_| certain));
        }
    }

    /// The value of a slot of the newest frame.
    pub(super) async fn slot(&mut self, stop: &mut Stop, slot: u16, sigbyte: Tag) -> Result<Value, RunError> {
        if let Some(raw) = stop.local(i32::from(slot)) {
            return self.watched.vm.value(&mut self.watched.tables, raw).await;
        }
        let thread = stop.thread;
        let Some(frame) = stop.newest(&self.watched.vm).await? else { return Ok(Value::Unassigned) };
        let slots = vec![stack_frame::Slot { slot: i32::from(slot), sigbyte }];
        match self.watched.vm.conn().send(stack_frame::GetValues { thread, frame, slots }).await {
            Ok(raw) => {
                let values = self.watched.vm.values(&mut self.watched.tables, &raw).await?;
                Ok(values.into_iter().next().unwrap_or(Value::Unassigned))
            }
            Err(e) if e.is_fatal() => Err(e.into()),
            Err(e) => Ok(Value::Failed(self.watched.tables.reason_key(&e.to_string()))),
        }
    }

    async fn stored(
        &mut self,
        stop: &mut Stop,
        number: u16,
        store: u16,
        enters: bool,
    ) -> Result<(), RunError> {
        let Some(query) = self.query(number) else { return Ok(()) };
        let Event::Stored(stores) = &query.event else { return Ok(()) };
        let Some(site) = stores.get(usize::from(store)) else { return Ok(()) };
        let at_entry = site.value_at == site.site.bci;
        if at_entry && !enters {
            return Ok(());
        }
        let tag = Tag::of_signature(&site.descriptor).unwrap_or(Tag::Object);
        if site.old_readable {
            stop.parts.old = Some(self.slot(stop, site.slot, tag).await?);
        }
        if at_entry {
            stop.parts.new = Some(self.slot(stop, site.slot, tag).await?);
        }
        let Some(ordinal) = self.admits(stop, &query).await? else { return Ok(()) };
        let mut occurrence = self.candidate(stop, &query, ordinal).await?;
        occurrence.way = Way::new(store);
        if at_entry {
            self.found.push(occurrence);
            return Ok(());
        }
        let completes = Completes::Store { at: site.value_at, slot: site.slot, tag };
        self.wait(stop, occurrence, completes).await
    }

    async fn branched(&mut self, stop: &mut Stop, number: u16, branch: u16) -> Result<(), RunError> {
        let Some(query) = self.query(number) else { return Ok(()) };
        let Event::Branched(branches) = &query.event else { return Ok(()) };
        if branches.get(usize::from(branch)).is_none() {
            return Ok(());
        }
        let Some(ordinal) = self.admits(stop, &query).await? else { return Ok(()) };
        let occurrence = self.candidate(stop, &query, ordinal).await?;
        let completes = Completes::Branch { query: number, branch };
        self.wait(stop, occurrence, completes).await
    }

    async fn wait(
        &mut self,
        stop: &mut Stop,
        occurrence: Occurrence,
        completes: Completes,
    ) -> Result<(), RunError> {
        let depth = stop.depth(&self.watched.vm).await?;
        let (class, method) = (stop.location.class, stop.location.method);
        self.state(stop.thread).waiting.push(Waiting { occurrence, depth, class, method, completes });
        Ok(())
    }

    /// A field is about to be written (`new` is the value) or read.
    pub(super) async fn field(
        &mut self,
        stop: &mut Stop,
        request: RequestId,
        object: Option<TaggedObject>,
        new: Option<jdwp::Value>,
    ) -> Result<(), RunError> {
        let Some(watch) = self.watched.installed.fields.get(&request).cloned() else { return Ok(()) };
        let conn = self.watched.vm.conn().clone();
        let fields = vec![watch.field];
        // The frames and locals are needed in any case; asking for all at once saves round trips.
        let current = match object {
            Some(object) => conn.send(object_reference::GetValues { object: object.id, fields }),
            None => conn.send(reference_type::GetValues { ref_type: watch.class, fields }),
        };
        if let Some(first) = watch.queries.first() {
            self.collector.prefetch(&mut self.watched, stop, *first).await?;
        }
        let current = current.await?.into_iter().next().unwrap_or(jdwp::Value::NULL);
        let mut raw = vec![current];
        raw.extend(object.map(jdwp::Value::from));
        raw.extend(new);
        let mut values = self.watched.vm.values(&mut self.watched.tables, &raw).await?.into_iter();
        stop.parts.old = values.next();
        stop.parts.owner = object.and_then(|_| values.next());
        stop.parts.new = if new.is_some() { values.next() } else { stop.parts.old.clone() };
        for number in watch.queries {
            if let Some(query) = self.query(number) {
                self.offer(stop, &query, None).await?;
            }
        }
        Ok(())
    }

    /// A method returns normally.
    pub(super) async fn returned(&mut self, stop: &mut Stop, value: jdwp::Value) -> Result<(), RunError> {
        let key = (stop.location.class, stop.location.method);
        let Some(queries) = self.watched.installed.returns.get(&key).cloned() else { return Ok(()) };
        let result = self.watched.vm.value(&mut self.watched.tables, value).await?;
        stop.parts.result = Some(result.clone());
        for number in queries {
            if let Some(query) = self.query(number) {
                let detail = Detail { result: Some(result.clone()), ..Detail::default() };
                self.offer(stop, &query, Some(detail)).await?;
            }
        }
        Ok(())
    }

    /// An exception is thrown.
    pub(super) async fn exception(
        &mut self,
        stop: &mut Stop,
        request: RequestId,
        thrown: TaggedObject,
        caught_at: Option<Location>,
    ) -> Result<(), RunError> {
        let Some(wanted) = self.watched.installed.exceptions.get(&request).cloned() else { return Ok(()) };
        let catcher = match caught_at {
            Some(at) => Some((self.watched.vm.method(at.class, at.method).await?, at)),
            None => None,
        };
        for (number, caught) in wanted {
            let Some(query) = self.query(number) else { continue };
            if caught.is_some_and(|c| c != caught_at.is_some()) {
                // Another query wanted this half. To this one it tells that there are some.
                if matches!(query.event, Event::Thrown { .. }) {
                    let watched = &mut self.watched;
                    let place = watched.vm.frame_key(&mut watched.tables, stop.location).await?;
                    watched.report.query(number).left_out.get_or_insert(place);
                }
                continue;
            }
            if !matches!(query.event, Event::Thrown { .. })
                && !catcher.as_ref().is_some_and(|(m, at)| concerns(&query, &m.name, bci(at.index)))
            {
                continue;
            }
            let value = self.watched.vm.value(&mut self.watched.tables, thrown.into()).await?;
            stop.parts.exception = Some(value.clone());
            let (_, frames) = stop.stack(&mut self.watched.vm, &mut self.watched.tables).await?;
            let Some(place) = frames.first().copied() else { continue };
            let caught = match caught_at {
                Some(at) => self.catch(stop, at).await?,
                None => None,
            };
            let exception = Some(ExceptionDetail { caught, thrown: place });
            let detail = Detail { exception, thrown: Some(value), ..Detail::default() };
            match &query.event {
                Event::Thrown { .. } => self.offer(stop, &query, Some(detail)).await?,
                _ => self.caught(stop, &query, detail).await?,
            }
        }
        Ok(())
    }

    /// The frame that catches: the newest of the handler's method that stands inside the handler's range.
    async fn catch(&mut self, stop: &mut Stop, at: Location) -> Result<Option<Catch>, RunError> {
        let method = self.watched.vm.method(at.class, at.method).await?;
        let handler = bci(at.index);
        let file = self.watched.pool().find(&method.name.class).ok().flatten();
        let code = file
            .as_ref()
            .and_then(|f| f.file.method(&method.name.name, &method.name.descriptor))
            .and_then(|m| m.code.as_ref());
        let covers = |pc: u32| match code {
            Some(code) => {
                code.handlers.iter().any(|h| h.handler_pc == handler && h.start_pc <= pc && pc < h.end_pc)
            }
            // Without a class file there is no exception table to look into: the newest frame it is.
            None => true,
        };
        let frames = stop.frames(&mut self.watched.vm).await?;
        let found = frames.iter().position(|f| {
            f.location.class == at.class && f.location.method == at.method && covers(bci(f.location.index))
        });
        let Some(above) = found else { return Ok(None) };
        let total = frames.len();
        let (_, keys) = stop.stack(&mut self.watched.vm, &mut self.watched.tables).await?;
        let Some(frame) = keys.get(above).copied() else { return Ok(None) };
        let depth = u32::try_from(total - above).unwrap_or(u32::MAX);
        let tracked = self.watched.tracked(&method.name);
        if tracked.is_some() && self.watched.vm.is_probed() {
            self.numbered(stop).await?;
        }
        let state = self.threads.entry(stop.thread).or_default();
        let activation = tracked.and_then(|t| state.activations.lookup(&mut self.watched.tables, t, depth));
        let above = u32::try_from(above).unwrap_or(u32::MAX);
        Ok(Some(Catch { frame, handler, above, activation }))
    }

    /// An exception caught where a `SkippedLine` or a `LastCondition` asks for it: its place is in the frame
    /// that catches (DESIGN §5.10).
    async fn caught(&mut self, stop: &mut Stop, query: &TraceQuery, detail: Detail) -> Result<(), RunError> {
        let Some(catch) = detail.exception.as_ref().and_then(|e| e.caught.clone()) else { return Ok(()) };
        let Some(place) = self.watched.tables.frame(catch.frame).cloned() else { return Ok(()) };
        let is_handler = matches!(query.event, Event::Branched(_));
        if let Event::Skipped(lines) = &query.event {
            let bypassed = lines.iter().any(|line| {
                line.method == place.site.method
                    && line
                        .bypassed_from
                        .get(&catch.handler)
                        .is_some_and(|from| from.contains(&place.site.bci))
            });
            if !bypassed {
                return Ok(());
            }
        }
        let Some(ordinal) = self.admits(stop, query).await? else { return Ok(()) };
        let newest = usize::try_from(catch.above).unwrap_or(usize::MAX);
        let (_, keys) = stop.stack(&mut self.watched.vm, &mut self.watched.tables).await?;
        let mut keys = keys.get(newest..).unwrap_or_default().to_vec();
        let location = stop.frames(&mut self.watched.vm).await?.get(newest).map(|f| f.location);
        let Some(location) = location else { return Ok(()) };
        let mut older = stop.at_frame(newest, location);
        let (shape, kept) = self.collector.collect(&mut self.watched, &mut older, query).await?;
        let mut frame = catch.frame;
        if is_handler {
            // A condition stands at the handler: what it decides depends on entering it.
            frame = self.handler_frame(&place, catch.handler, location).await?;
            if let Some(first) = keys.first_mut() {
                *first = frame;
            }
        }
        let stack = self.watched.tables.stack_key(&keys);
        let occurrence = Occurrence {
            sequence: 0,
            query: query.point.0,
            thread: stop.key,
            frame,
            stack,
            activation: catch.activation,
            owner: Value::Null,
            old: Value::Unassigned,
            new: Value::Unassigned,
            way: if is_handler { Way::new(place.site.bci) } else { None },
            ordinal,
            shape,
            kept,
            detail: Some(Box::new(detail)),
        };
        self.remember_arrival(&occurrence);
        self.found.push(occurrence);
        Ok(())
    }

    async fn handler_frame(
        &mut self,
        place: &Frame,
        handler: u32,
        at: Location,
    ) -> Result<FrameKey, RunError> {
        let method = self.watched.vm.method(at.class, at.method).await?;
        let site = Site { method: place.site.method.clone(), bci: handler };
        let line = method.line(u64::from(handler));
        Ok(self.watched.tables.frame_key(Frame { site, line, source_file: place.source_file.clone() }))
    }
}

/// Keeps how many turns of an endless loop did not leave it, of the turns that were counted with the one that
/// did.
pub(super) fn tell_turns(occurrence: &mut Occurrence, turns: Option<u32>) {
    if let Some(others) = turns.and_then(|turns| turns.checked_sub(1)).filter(|others| *others > 0) {
        occurrence.detail.get_or_insert_default().turns = Some(others);
    }
}

/// Whether a query asks about exceptions caught at this handler.
fn concerns(query: &TraceQuery, method: &MethodName, handler: u32) -> bool {
    match &query.event {
        Event::Skipped(lines) => {
            lines.iter().any(|l| l.method == *method && l.bypassed_from.contains_key(&handler))
        }
        Event::Branched(branches) => {
            branches.iter().any(|b| b.is_handler() && b.site.bci == handler && b.site.method == *method)
        }
        _ => false,
    }
}
