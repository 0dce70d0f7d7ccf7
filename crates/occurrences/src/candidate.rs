//! Makes occurrences of hits: checks the conditions of their queries, and reads the values that they keep.

use super::asked::Asked;
use super::change::{ChangedPart, Changes};
use super::description::{contents_of_values, describe};
use super::event_values::{EventValues, index_of, parts_of};
use super::hit::{FlightsEnd, Happened, Hit};
use super::methods::Methods;
use super::part_read::{PartReader, object_number};
use bytecode::{Op, stores};
use expr::{EventPart, Expr, Scope};
use model::{
    CollectionState, Coordinate, DESCRIBED_HITS, DESCRIBED_OBJECTS, Detail, EventFrame, FlowVisit, FrameKey,
    Occurrence, ShapeKey, StackValue, Tables, ThreadIdentity, ThreadKey, Value, Way,
};
use past::expression::plain::{class_object, plain_value};
use past::expression::{ExpressionAt, StateAt};
use past::{Moment, PastError, Recording};
use program::collected::{VariableNames, branch_operands, fields_read};
use query::{CopyWhat, Event, OPERANDS, QueryReport, Sample, TraceQuery};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Makes the occurrences of a recording.
pub(super) struct Candidates<'q> {
    pub queries: &'q [TraceQuery],
    pub tables: Tables,
    pub reports: BTreeMap<u16, QueryReport>,
    /// By number in the recording.
    threads: HashMap<u32, ThreadKey>,
    /// The expressions by frame and text.
    compiled: HashMap<(FrameKey, String), Rc<ExpressionAt>>,
    /// What a query shows, by frame.
    shown: HashMap<(u16, FrameKey), Rc<Shown>>,
    changes: Changes,
    /// Number of occurrences by query.
    counts: HashMap<u16, u64>,
    /// The steps of known value flows: query, way and number of the hit, with the threads.
    armed: HashMap<(u16, u32, u32), Vec<&'q ThreadIdentity>>,
    /// The steps that were seen.
    pub visits: Vec<FlowVisit>,
}

/// What the occurrences of a query at a place show.
struct Shown {
    shape: ShapeKey,
    exprs: Vec<Expr>,
}

impl<'q> Candidates<'q> {
    /// Without occurrences so far. The occurrences refer to these tables.
    pub fn new(asked: Asked<'q>, tables: Tables) -> Candidates<'q> {
        let mut armed: HashMap<_, Vec<_>> = HashMap::new();
        for step in asked.armed {
            let way = step.way.map_or(u32::MAX, |way| way.get().into());
            armed.entry((step.query, way, step.ordinal)).or_default().push(&step.thread);
        }
        Candidates {
            queries: asked.queries,
            tables,
            reports: BTreeMap::new(),
            threads: HashMap::new(),
            compiled: HashMap::new(),
            shown: HashMap::new(),
            changes: Changes::default(),
            counts: HashMap::new(),
            armed,
            visits: Vec::new(),
        }
    }

    /// The occurrence of a hit, if its query admits it. Its number is still 0, and of the values it has only
    /// those that constraints compare ([`Candidates::show`]).
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn occurrence(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
    ) -> Result<Option<Occurrence>, PastError> {
        let Some(query) = self.queries.get(usize::from(hit.query)) else { return Ok(None) };
        if !self.visit(recording, hit, query)? {
            return Ok(None);
        }
        let thread = self.thread(recording, hit.thread);
        let is_other = query
            .local
            .site
            .as_ref()
            .is_some_and(|site| self.tables.frame(hit.frame).is_none_or(|frame| frame.site != *site));
        if is_other || !self.is_meant(recording, hit, &query.event)? {
            return Ok(None);
        }
        let Some(values) = self.event_values(recording, hit, query)? else { return Ok(None) };
        self.report(hit.query).events += 1;
        if !self.admits(recording, hit, query, thread, &values)? {
            return Ok(None);
        }
        let parts = values.parts();
        let mut kept = Vec::new();
        for keep in &query.keep {
            kept.push(self.read(recording, hit, keep.frame, &keep.expr, &parts)?);
        }
        let mut occurrence = Occurrence {
            sequence: 0,
            query: hit.query,
            ordinal: hit.ordinal,
            thread,
            frame: hit.frame,
            stack: hit.stack,
            activation: hit.activation,
            owner: values.owner,
            old: values.old,
            new: values.new,
            way: values.way,
            shape: ShapeKey::NONE,
            kept: kept.into_boxed_slice(),
            detail: None,
        };
        let mut detail = Detail { arm: hit.arm, ..values.detail };
        for (pc, result) in &hit.results {
            let descriptor = self.result_of(recording, hit.frame, *pc);
            let value = self.plain(recording, *result, &descriptor);
            detail.stack_values.push(StackValue { pc: *pc, is_before: false, value });
        }
        let (queries, tables) = (self.queries, &mut self.tables);
        detail.sights.extend(self.changes.states(recording, hit, queries, tables, &occurrence.kept)?);
        if detail != Detail::default() {
            occurrence.detail = Some(Box::new(detail));
        }
        Ok(Some(occurrence))
    }

    /// Adds to an occurrence of a hit what it shows: values, the identity of objects, and contents.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn show(
        &mut self,
        recording: &mut Recording,
        methods: &mut Methods,
        hit: &Hit,
        occurrence: &mut Occurrence,
    ) -> Result<(), PastError> {
        let Some(query) = self.queries.get(usize::from(hit.query)) else { return Ok(()) };
        let parts = parts_of(occurrence, &hit.what);
        let shown = self.shown(recording, methods, hit, query);
        let mut kept = std::mem::take(&mut occurrence.kept).into_vec();
        for expr in &shown.exprs {
            kept.push(self.read(recording, hit, 0, expr, &parts)?);
        }
        (occurrence.shape, occurrence.kept) = (shown.shape, kept.into_boxed_slice());
        self.describe(recording, hit, query, occurrence)
    }

    /// Notes a step of a known value flow. Returns whether the hit can be an occurrence: of a value flow,
    /// only its steps can.
    fn visit(&mut self, recording: &mut Recording, hit: &Hit, query: &TraceQuery) -> Result<bool, PastError> {
        let (Event::Copied(copies), Happened::Copied { way, part, value }) = (&query.event, &hit.what) else {
            return Ok(true);
        };
        let identity = recording.calls.identity(hit.thread);
        let threads = self.armed.get(&(hit.query, *way, hit.ordinal));
        let is_armed = threads.is_some_and(|threads| threads.contains(&&identity));
        let Some(place) = copies.site(*way).filter(|_| is_armed) else { return Ok(false) };
        let is_read = matches!(place.what, CopyWhat::Got { .. } | CopyWhat::GotElement);
        let object = match hit.copy().filter(|_| is_read) {
            Some(got) => {
                let mut parts = PartReader::new(copies, &mut self.tables);
                parts.part_read(recording, &got, hit.when)?.ok().map(|(object, _)| object)
            }
            None => part.map(|part| part.object),
        };
        let owner = object.filter(|object| *object != 0);
        let owner = owner.map(|owner| self.plain(recording, trace::Value::Object(owner), ""));
        let value = match (value, place.what.value_descriptor()) {
            (Some(value), Some(descriptor)) => Some(self.plain(recording, *value, &descriptor)),
            _ => None,
        };
        let unboxed = value.as_ref().and_then(object_number).and_then(|object| {
            let objects = &recording.calls.objects;
            objects.boxed(object, objects.class(object)?)
        });
        let site = place.site.clone();
        let at = Coordinate {
            query: hit.query,
            site,
            thread: identity,
            ordinal: hit.ordinal,
            way: Way::new(*way),
        };
        let caller = self.tables.frame_keys(hit.stack).nth(1);
        let (arm, frame) = (hit.arm, hit.frame);
        self.visits.push(FlowVisit { at, value, unboxed, owner, arm, frame, caller });
        Ok(!is_read)
    }

    fn thread(&mut self, recording: &Recording, number: u32) -> ThreadKey {
        let tables = &mut self.tables;
        *self.threads.entry(number).or_insert_with(|| tables.thread_key(recording.calls.identity(number)))
    }

    fn report(&mut self, query: u16) -> &mut QueryReport {
        self.reports.entry(query).or_default()
    }

    /// Whether an exception is of the class that the query names.
    fn is_meant(&mut self, recording: &mut Recording, hit: &Hit, event: &Event) -> Result<bool, PastError> {
        let (Event::Thrown { class, caught }, Happened::Thrown(flight, _)) = (event, &hit.what) else {
            return Ok(true);
        };
        let is_caught = !matches!(flight.ended, FlightsEnd::Left);
        let Recording { calls, code, .. } = recording;
        let is_of_class = match class {
            Some(class) => code.is_kind_of(calls, flight.exception, class),
            None => true,
        };
        if is_of_class && caught.is_some_and(|caught| caught != is_caught) {
            self.report(hit.query).left_out.get_or_insert(flight.thrown);
            return Ok(false);
        }
        Ok(is_of_class)
    }

    /// Whether a query admits a hit by its thread, callers and condition.
    fn admits(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
        query: &TraceQuery,
        key: ThreadKey,
        values: &EventValues,
    ) -> Result<bool, PastError> {
        let thread = self.tables.thread(key);
        if let Some(wanted) = &query.local.thread
            && !recording.calls.is_named(hit.thread, wanted)
        {
            let label = self.tables.thread_label(&thread);
            self.report(hit.query).count_other_thread(&label);
            return Ok(false);
        }
        if let Some(from) = &query.local.from {
            let stack: Vec<_> = self.tables.stack(hit.stack).map(|frame| frame.site.method.clone()).collect();
            let mut callers = stack.iter().skip(1);
            if !callers.any(|method| wire::is_method(&method.class, &method.name, from)) {
                self.report(hit.query).count_other_caller(stack.get(1));
                return Ok(false);
            }
        }
        let Some(when) = &query.local.when else { return Ok(true) };
        let parts = values.parts();
        self.report(hit.query).evaluated += 1;
        let why = match self.value(recording, hit, 0, when, &parts)? {
            Ok(Value::Boolean(true)) => return Ok(true),
            Ok(Value::Boolean(false)) => None,
            Ok(_) => Some(format!("`{when}` is no boolean")),
            Err(why) => Some(why),
        };
        if let Some(why) = why {
            if self.report(hit.query).condition_failed == 0 {
                let values = self.operands(recording, hit, when.variables(), &parts)?;
                self.report(hit.query).failed_at = values;
            }
            self.report(hit.query).count_failure(&why);
        } else if let Some(number) = self.report(hit.query).count_false() {
            let operands = when.operands().into_iter().filter(|operand| !operand.has_calls()).collect();
            let operands = self.operands(recording, hit, operands, &parts)?;
            if !operands.is_empty() {
                self.report(hit.query).samples.push(Sample { number, operands });
            }
        }
        Ok(false)
    }

    fn operands(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
        exprs: Vec<Expr>,
        parts: &[(EventPart, Value)],
    ) -> Result<Vec<(String, Value)>, PastError> {
        let mut operands = Vec::new();
        for expr in exprs.into_iter().take(OPERANDS) {
            operands.push((expr.to_string(), self.read(recording, hit, 0, &expr, parts)?));
        }
        describe(&recording.calls, operands.iter().map(|(_, value)| value), &mut self.tables);
        Ok(operands)
    }

    /// As [`Candidates::value`]; without a value, why.
    fn read(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
        frame: i32,
        expr: &Expr,
        parts: &[(EventPart, Value)],
    ) -> Result<Value, PastError> {
        let value = self.value(recording, hit, frame, expr, parts)?;
        Ok(value.unwrap_or_else(|why| Value::Failed(self.tables.reason_key(&why))))
    }

    /// The value of an expression in a frame of a hit's stack: 0 is the newest, -1 the oldest.
    fn value(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
        frame: i32,
        expr: &Expr,
        parts: &[(EventPart, Value)],
    ) -> Result<Result<Value, String>, PastError> {
        let place = match usize::try_from(frame) {
            Ok(frame) => Some(frame),
            Err(_) => {
                let from_oldest = usize::try_from(frame.unsigned_abs()).unwrap_or(usize::MAX);
                self.tables.frame_keys(hit.stack).count().checked_sub(from_oldest)
            }
        };
        let key = place.and_then(|place| self.tables.frame_keys(hit.stack).nth(place));
        let mut positions = std::iter::successors(Some(hit.at), |at| recording.calls.made_at(at.node));
        let at = place.and_then(|place| positions.nth(place));
        let (Some(key), Some(at)) = (key, at) else {
            return Ok(Err(format!("the stack has no frame {frame}")));
        };
        let id = (key, expr.to_string());
        let compiled = match self.compiled.get(&id) {
            Some(known) => known.clone(),
            None => {
                let Some(scope) = self.scope(recording, key) else {
                    return Ok(Err("the class file of the frame is not there".to_owned()));
                };
                let unseen = recording.code.unseen(&recording.calls);
                let compiled = Rc::new(ExpressionAt::unchecked(expr.clone(), scope, unseen));
                self.compiled.insert(id, compiled.clone());
                compiled
            }
        };
        let locals = recording.named_locals(at)?;
        let state = StateAt { moment: Moment { at, when: hit.when }, locals, parts: parts.to_vec() };
        let Recording { calls, code, .. } = recording;
        compiled.read(calls, &mut code.fields, state, &mut self.tables)
    }

    /// The names that are visible in a frame.
    fn scope(&self, recording: &Recording, frame: FrameKey) -> Option<Scope> {
        let site = &self.tables.frame(frame)?.site;
        past::expression::scope_of(site, recording.code.fields.pool()?)
    }

    /// The names and expressions that an occurrence of a query shows (DESIGN §6).
    fn shown(
        &mut self,
        recording: &Recording,
        methods: &mut Methods,
        hit: &Hit,
        query: &TraceQuery,
    ) -> Rc<Shown> {
        if let Some(known) = self.shown.get(&(hit.query, hit.frame)) {
            return known.clone();
        }
        let frame = self.tables.frame(hit.frame).cloned();
        let pool = recording.code.fields.pool();
        let mut exprs: Vec<Expr> = Vec::new();
        match (&query.collect, &frame, pool) {
            (Some(wanted), ..) => exprs.extend(wanted.iter().map(|expr| (**expr).clone())),
            (None, Some(frame), Some(pool)) => {
                let number = recording.calls.method_number(hit.at.node);
                let found = number.and_then(|number| methods.find(number, &recording.calls, Some(pool)));
                let code = found.as_ref().and_then(|found| found.code());
                let visible = code.map(|code| stores::variables_at(code, frame.site.bci)).unwrap_or_default();
                let names = |all: &mut dyn Iterator<Item = &bytecode::LocalVariable>| {
                    let all = all.filter(|variable| variable.name != "this");
                    all.map(|variable| Arc::from(variable.name.as_str())).collect::<Vec<Arc<str>>>()
                };
                let visible = names(&mut visible.into_iter());
                let all = names(&mut code.iter().flat_map(|code| &code.variables));
                exprs.extend(visible.iter().filter_map(|name| Expr::parse(name).ok()));
                if let Some(line) = frame.line {
                    let in_scope = VariableNames { visible: &visible, all: &all };
                    exprs.extend(fields_read(pool, &frame.site, line, in_scope));
                }
            }
            _ => {}
        }
        if let (Event::Branched(_), Some(frame), Some(pool)) = (&query.event, &frame, pool) {
            exprs.extend(branch_operands(pool, &frame.site));
        }
        let mut seen = HashSet::new();
        exprs.retain(|expr| seen.insert(expr.text().to_owned()));
        let names: Vec<Arc<str>> = exprs.iter().map(|expr| expr.text().into()).collect();
        let shown = Rc::new(Shown { shape: self.tables.shape_key(&names), exprs });
        self.shown.insert((hit.query, hit.frame), shown.clone());
        shown
    }

    /// Adds the identity and the contents of the objects.
    fn describe(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
        query: &TraceQuery,
        occurrence: &mut Occurrence,
    ) -> Result<(), PastError> {
        let values = occurrence.values().chain([&occurrence.owner]);
        describe(&recording.calls, values, &mut self.tables);
        let count = self.counts.entry(hit.query).or_insert(0);
        *count += 1;
        if *count > DESCRIBED_HITS {
            return Ok(());
        }
        let has_changed = matches!(query.event, Event::Changed(_));
        let shown: Vec<Value> = occurrence.shown(query.keep.len(), has_changed).cloned().collect();
        // The values of a call that ends are those behind the event.
        let when = if has_changed { hit.when.after() } else { hit.when };
        let contents = contents_of_values(recording, &shown, when, &mut self.tables, DESCRIBED_OBJECTS)?;
        if !contents.is_empty() {
            occurrence.detail.get_or_insert_default().contents = contents;
        }
        Ok(())
    }

    fn plain(&mut self, recording: &Recording, value: trace::Value, descriptor: &str) -> Value {
        let plain = plain_value(&recording.calls, &mut self.tables, value, descriptor);
        plain.unwrap_or_else(|why| Value::Failed(self.tables.reason_key(&why)))
    }

    /// The values of the event itself.
    fn event_values(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
        query: &TraceQuery,
    ) -> Result<Option<EventValues>, PastError> {
        let mut values = EventValues::default();
        let object = trace::Value::Object;
        match &hit.what {
            Happened::Reached => {}
            Happened::Returned(result) => {
                let descriptor = self.result_type(hit);
                let result = result.map(|result| self.plain(recording, result, &descriptor));
                values.detail.result = Some(result.unwrap_or(Value::Void));
            }
            Happened::Written { class, owner, old, new, by } => {
                values.detail.by = *by;
                let descriptor = self.field_type(recording, query);
                values.owner = match owner {
                    Some(owner) => self.plain(recording, object(*owner), ""),
                    None => class_object(&mut self.tables, class),
                };
                values.old = old.map_or(Value::Unassigned, |old| self.plain(recording, old, &descriptor));
                values.new = self.plain(recording, *new, &descriptor);
            }
            Happened::Element { array, old, new, by, .. } => {
                values.detail.by = *by;
                let class = recording.calls.objects.class(*array).cloned().unwrap_or_default();
                let descriptor = class.get(1..).unwrap_or_default().to_owned();
                values.owner = self.plain(recording, object(*array), "");
                values.index = index_of(&hit.what);
                values.old = self.plain(recording, *old, &descriptor);
                values.new = self.plain(recording, *new, &descriptor);
            }
            Happened::Stored { store, new } => {
                self.stored(recording, hit, query, *store, *new, &mut values)?
            }
            Happened::Branched { to, turns } => {
                values.way = Way::new(*to);
                // The iteration that left the loop is counted too.
                let others = turns.and_then(|turns| turns.checked_sub(1)).filter(|others| *others > 0);
                values.detail.turns = others;
            }
            Happened::Made { object: made, constructor } => {
                values.owner = self.plain(recording, object(*made), "");
                values.detail.happened = constructor.map(|(frame, above)| EventFrame { frame, above });
            }
            Happened::Changed { collection, change, by } => {
                let changed = ChangedPart { collection: *collection, change: *change };
                let tables = &mut self.tables;
                let Some(changed) = self.changes.of(recording, hit, query, tables, &changed)? else {
                    return Ok(None);
                };
                values.owner = self.plain(recording, object(*collection), "");
                values.detail.by = *by;
                values.detail.happened = by.map(|frame| EventFrame { frame, above: 1 });
                if changed.new != Value::Unassigned {
                    let value = changed.new.clone();
                    values.detail.sights.push(CollectionState { query: hit.query, value, print: 0 });
                }
                values.detail.unchanged = changed.unchanged;
                (values.old, values.new) = (changed.old, changed.new);
            }
            Happened::Copied { way, part, value } => {
                values.way = Way::new(*way);
                values.owner = match part.filter(|part| part.object != 0) {
                    Some(part) => self.plain(recording, object(part.object), ""),
                    None => Value::Null,
                };
                let descriptor = match &query.event {
                    Event::Copied(copies) => {
                        copies.site(*way).and_then(|place| place.what.value_descriptor())
                    }
                    _ => None,
                };
                if let (Some(value), Some(descriptor)) = (value, descriptor) {
                    values.new = self.plain(recording, *value, &descriptor);
                }
            }
            Happened::Thrown(flight, end) => {
                let exception = self.plain(recording, object(flight.exception), "");
                values.throw(hit, flight, *end, exception);
            }
        }
        Ok(Some(values))
    }

    fn result_type(&self, hit: &Hit) -> String {
        let method = self.tables.frame(hit.frame).map(|frame| frame.site.method.descriptor.clone());
        let types = method.and_then(|descriptor| bytecode::descriptor::parse_method(&descriptor));
        types.map(|types| types.result).unwrap_or_default()
    }

    /// The type of the result of a call in a frame.
    fn result_of(&self, recording: &Recording, frame: FrameKey, pc: u32) -> String {
        let called = || {
            let site = &self.tables.frame(frame)?.site;
            let class = recording.code.fields.pool()?.find(&site.method.class).ok()??;
            let code = class.file.method(&site.method.name, &site.method.descriptor)?.code.as_ref()?;
            match &code.at(pc)?.op {
                Op::Invoke { method, .. } => bytecode::descriptor::parse_method(&method.descriptor),
                _ => None,
            }
        };
        called().map(|types| types.result).unwrap_or_default()
    }

    fn field_type(&self, recording: &Recording, query: &TraceQuery) -> String {
        let Event::Written(field) = &query.event else { return String::new() };
        let class = recording.code.fields.pool().and_then(|pool| pool.find(&field.class).ok().flatten());
        let declared = class.as_ref().and_then(|class| class.file.field(&field.name));
        declared.map(|field| field.descriptor.clone()).unwrap_or_default()
    }

    fn stored(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
        query: &TraceQuery,
        number: u16,
        new: Option<trace::Value>,
        values: &mut EventValues,
    ) -> Result<(), PastError> {
        let Event::Stored(stores) = &query.event else { return Ok(()) };
        let Some(store) = stores.get(usize::from(number)) else { return Ok(()) };
        values.way = Way::new(number);
        values.new = new.map_or(Value::Unassigned, |new| self.plain(recording, new, &store.descriptor));
        let is_entry = store.value_at == store.site.bci;
        if store.old_readable && !is_entry {
            let name = self.variable_in(recording, hit.frame, store.slot);
            let locals = recording.named_locals(hit.at)?;
            let old = locals.into_iter().rev().find(|(of, _)| name.as_ref() == Some(of));
            values.old =
                old.map_or(Value::Unassigned, |(_, old)| self.plain(recording, old, &store.descriptor));
        }
        Ok(())
    }

    /// The name of the variable in a slot of a frame.
    fn variable_in(&self, recording: &Recording, frame: FrameKey, slot: u16) -> Option<String> {
        let scope = self.scope(recording, frame)?;
        scope.locals.into_iter().rev().find(|local| local.slot == slot).map(|local| local.name)
    }
}
