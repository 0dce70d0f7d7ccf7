//! Builds the answer from the results of a run.

use super::answer_facts::AnswerFacts;
use super::argument::{argument, of_the_call};
use super::contents::{add_contents, name_lambdas};
use super::expectation::compare;
use super::false_conditions::{evaluated_outside, failed_at};
use super::frames::{frame_answer, loader_answer, own_frame};
use super::identity::two_objects;
use super::missed_events::{missable, missed_writes};
use super::stack_values::{GONE, add_stack_values};
use super::steps::steps;
use super::thrown::{thrown_again, thrown_beyond};
use super::unlocated::pending;
use super::unrecorded_callers::conditions_between;
use super::{
    Answer, CopiedAnswer, ExceptionAnswer, FrameAnswer, Outcome, PointAnswer, RejectedAnswer,
    StatementAnswer, arms, unlocated,
};
use bytecode::ValueLines;
use chain::Chain;
use classes::CodeOwner;
use indexmap::IndexMap;
use locate::{Located, PointReport};
use model::{Detail, Frame, Namer, ObjectDescription, Occurrence, Value, is_lambda_class, short_class_name};
use program::code_book::{CodeBook, Source, unique};
use query::{Event, PointIndex, TraceQuery};
use run::Ended;

/// Number of output lines to show if the program failed.
const LAST_OUTPUT: usize = 20;

/// The answer if no point could be queried.
pub fn unasked(name: &str, chain: &Chain, outcome: Outcome) -> Answer {
    let points = chain.points.iter().map(|p| PointAnswer {
        id: p.id.clone(),
        question: p.question(),
        reason: Some("it was never asked".to_owned()),
        ..PointAnswer::default()
    });
    let (chain, points) = (name.to_owned(), points.collect());
    let (earlier, warnings, last_output) = (Vec::new(), Vec::new(), Vec::new());
    Answer {
        chain,
        outcome,
        runs: 0,
        recording: None,
        points,
        earlier,
        queries: Vec::new(),
        warnings,
        last_output,
        ended: None,
        blind_spots: Vec::new(),
    }
}

/// Builds the answer; `namer` numbers its objects.
pub fn assemble(facts: AnswerFacts<'_>, namer: &mut Namer) -> Answer {
    Assembly { facts }.answer(namer)
}

struct Assembly<'a> {
    facts: AnswerFacts<'a>,
}

impl Assembly<'_> {
    fn answer(&self, namer: &mut Namer) -> Answer {
        let locator = &self.facts.run_facts.locator;
        let book = self.facts.code_book();
        name_lambdas(namer, &self.facts.run_facts.outcome.tables, &book);
        let is_cut_off = self.facts.run_facts.outcome.ended.is_cut_off();
        let solutions = if is_cut_off { &[] } else { locator.solutions() };
        // With `--last`, the newest root hit is the answer itself; earlier ones go to `earlier`.
        let before = solutions.len().saturating_sub(1);
        let mut earlier = Vec::new();
        for solution in solutions.iter().take(before) {
            earlier.push(self.points(namer, &|p| solution.get(usize::from(p.0))?.as_ref()));
        }
        let mut points = self.points(namer, &|p| self.facts.run_facts.located(p));
        for (points, solution) in earlier.iter_mut().zip(solutions) {
            self.contents(namer, points, &|p| solution.get(usize::from(p.0))?.as_ref());
        }
        self.contents(namer, &mut points, &|p| self.facts.run_facts.located(p));
        for (points, solution) in earlier.iter_mut().zip(solutions) {
            self.stack_values(namer, points, &|p| solution.get(usize::from(p.0))?.as_ref());
        }
        self.stack_values(namer, &mut points, &|p| self.facts.run_facts.located(p));
        let outcome = self.outcome(&points);
        let mut warnings = self.facts.run_facts.translation.warnings.clone();
        warnings.extend(self.facts.run_facts.outcome.report.warnings.iter().cloned());
        warnings.extend(self.facts.sources.missing().iter().map(|root| {
            format!(
                "the source folder {} does not exist; correct `sources` (relative to `cwd`)",
                root.display()
            )
        }));
        if self.facts.run_facts.outcome.report.called_methods {
            warnings.push(
                "expressions of this chain call methods of the program, which can change what it does"
                    .to_owned(),
            );
        }
        let (chain, last_output) = (self.facts.name.to_owned(), self.last_output(&points));
        Answer {
            chain,
            outcome,
            runs: self.facts.runs,
            recording: None,
            points,
            earlier,
            queries: Vec::new(),
            warnings,
            last_output,
            ended: Some(self.facts.run_facts.outcome.ended.clone()),
            blind_spots: self.blind_spots(),
        }
    }

    /// Reasons why the run may have missed points.
    fn blind_spots(&self) -> Vec<String> {
        let report = &self.facts.run_facts.outcome.report;
        let mut spots = report.sites_lost.clone();
        spots.extend(report.classes.values().flat_map(|c| c.refused.iter().cloned()));
        for (place, query) in &report.queries {
            if let (true, Some(why)) = (query.condition_failed > 0, query.failure()) {
                let (id, failed) = (self.facts.id(PointIndex(*place)), query.condition_failed);
                let at = hits(failed);
                spots.push(format!("the condition of {id} could not be evaluated at {at}: {why}"));
            }
        }
        for (point, need) in &self.facts.run_facts.translation.pending {
            if self.facts.run_facts.locator.located(need.point()).is_some() {
                spots.push(format!(
                    "{} could not be asked: {}",
                    self.facts.id(*point),
                    pending(&self.facts, *point)
                ));
            }
        }
        spots
    }

    /// The last output of a program that failed before the root was reached; it often tells the reason.
    fn last_output(&self, points: &[PointAnswer]) -> Vec<String> {
        let well = matches!(
            self.facts.run_facts.outcome.ended,
            Ended::Stopped | Ended::Driven | Ended::Exited(Some(0)) | Ended::Interrupted
        );
        if well || points.first().is_none_or(|root| root.located) {
            return Vec::new();
        }
        let lines = self.facts.run_facts.outcome.tail.lines();
        let skipped = lines.len().saturating_sub(LAST_OUTPUT);
        lines.skip(skipped).map(|(_, line)| line.to_owned()).collect()
    }

    fn outcome(&self, points: &[PointAnswer]) -> Outcome {
        let ended = &self.facts.run_facts.outcome.ended;
        let expectations = points.iter().filter_map(|p| p.expectation.as_ref());
        let all_held = expectations.clone().all(|e| e.held);
        // An expected absence is not a missing point.
        let of_recording = |p: &PointAnswer| {
            self.facts.chain.points.iter().any(|point| point.id == p.id && point.at.is_of_recording())
        };
        let missing = |p: &&PointAnswer| {
            !p.located && !of_recording(p) && !p.expectation.as_ref().is_some_and(|e| e.held)
        };
        match ended {
            Ended::Interrupted => Outcome::Interrupted,
            _ if points.iter().all(|p| !missing(&p)) && all_held => Outcome::Held,
            Ended::TimedOut(_) => Outcome::TimedOut,
            _ if points.first().is_some_and(|root| missing(&root)) => Outcome::RootNotReached,
            _ if points.iter().any(|p| missing(&p)) => Outcome::Unlocated,
            _ => Outcome::Differs,
        }
    }

    fn points<'l>(
        &self,
        namer: &mut Namer,
        located: &dyn Fn(PointIndex) -> Option<&'l Located>,
    ) -> Vec<PointAnswer> {
        let reports = self.facts.run_facts.locator.report();
        let mut answers = Vec::new();
        for (number, point) in self.facts.chain.points.iter().enumerate() {
            let index = PointIndex(u16::try_from(number).unwrap_or(u16::MAX));
            let query = self.facts.run_facts.queries.iter().find(|q| q.point == index);
            let mut answer = PointAnswer {
                id: point.id.clone(),
                question: point.question(),
                asked_from: query.map(|q| self.asked_from(q)).unwrap_or_default(),
                ..PointAnswer::default()
            };
            let report = reports.iter().find(|r| r.point == index);
            match (query, located(index)) {
                (Some(query), Some(found)) => {
                    let mut filling = Filling { assembly: self, namer: &mut *namer, query, located };
                    filling.fill(&mut answer, found);
                }
                (query, _) => {
                    let mut reason = unlocated::unlocated(&self.facts, index, query, report, namer, located);
                    if let Some(hits) = self.facts.run_facts.late.get(&index) {
                        reason.push_str(&late(*hits));
                    }
                    answer.reason = Some(reason);
                }
            }
            if let Some(report) = report {
                self.rejected(namer, &mut answer, report);
            }
            let expect = point.expect.as_ref().filter(|_| !point.at.is_of_recording());
            answer.expectation = expect.map(|expect| compare(expect, &answer));
            answers.push(answer);
        }
        answers
    }

    /// Adds the contents of the objects of points.
    fn contents<'l>(
        &self,
        namer: &mut Namer,
        answers: &mut [PointAnswer],
        located: &dyn Fn(PointIndex) -> Option<&'l Located>,
    ) {
        let tables = &self.facts.run_facts.outcome.tables;
        for (answer, query, found) in self.answered(answers, located) {
            add_contents(answer, namer, tables, query, found);
        }
    }

    /// Adds the values that were only on the operand stack.
    fn stack_values<'l>(
        &self,
        namer: &mut Namer,
        answers: &mut [PointAnswer],
        located: &dyn Fn(PointIndex) -> Option<&'l Located>,
    ) {
        let (tables, book) = (&self.facts.run_facts.outcome.tables, self.facts.code_book());
        for (answer, _, found) in self.answered(answers, located) {
            add_stack_values(answer, namer, tables, &book, found);
        }
    }

    /// The located points among these, with their TraceQueries.
    fn answered<'s, 'l: 's>(
        &'s self,
        answers: &'s mut [PointAnswer],
        located: &'s dyn Fn(PointIndex) -> Option<&'l Located>,
    ) -> impl Iterator<Item = (&'s mut PointAnswer, &'s TraceQuery, &'l Located)> {
        answers.iter_mut().enumerate().filter_map(move |(number, answer)| {
            let index = PointIndex(u16::try_from(number).unwrap_or(u16::MAX));
            let query = self.facts.run_facts.queries.iter().find(|q| q.point == index)?;
            Some((answer, query, located(index)?))
        })
    }

    fn asked_from(&self, query: &TraceQuery) -> Vec<String> {
        let mut points: Vec<PointIndex> = query.constraints.iter().map(|c| c.point()).collect();
        points.sort();
        points.dedup();
        points.into_iter().map(|p| self.facts.id(p)).collect()
    }

    fn rejected(&self, namer: &mut Namer, answer: &mut PointAnswer, report: &PointReport) {
        let tables = &self.facts.run_facts.outcome.tables;
        let describe = |reason: &locate::Rejection| reason.describe(|p| self.facts.id(p));
        answer.rejections = report.rejected.iter().map(|(reason, n)| (describe(reason), *n)).collect();
        for (occurrence, reason) in &report.sample {
            let Some(frame) = tables.frame(occurrence.frame) else { continue };
            // A class object is that of a static field.
            let has_owner =
                occurrence.owner.object_id().is_some() && tables.loader(&occurrence.owner).is_none();
            let owner = has_owner.then(|| namer.text(&occurrence.owner, tables));
            let (place, hit, reason) = (frame_answer(frame), occurrence.ordinal.into(), describe(reason));
            let sequence = occurrence.sequence;
            let thread = tables.thread_label(&tables.thread(occurrence.thread)).to_string();
            answer.rejected.push(RejectedAnswer { place, hit, thread, owner, sequence, reason });
        }
    }
}

fn hits(count: u64) -> String {
    format!("{count} hit{}", if count == 1 { "" } else { "s" })
}

/// Notes that a point queried during the run may miss earlier events.
fn late(hits: u64) -> String {
    format!(
        "; asked during the run, after hit {hits}: earlier events are unknown, so run again for the full answer"
    )
}

struct Filling<'a, 'l> {
    assembly: &'a Assembly<'a>,
    namer: &'a mut Namer,
    query: &'a TraceQuery,
    located: &'a dyn Fn(PointIndex) -> Option<&'l Located>,
}

impl Filling<'_, '_> {
    fn text(&mut self, value: &Value) -> String {
        self.namer.text(value, &self.assembly.facts.run_facts.outcome.tables)
    }

    /// The class and number of an object.
    fn identity(&mut self, value: &Value) -> Option<String> {
        value.object_id().map(|_| self.namer.identity(value, &self.assembly.facts.run_facts.outcome.tables))
    }

    fn fill(&mut self, answer: &mut PointAnswer, found: &Located) {
        let run_facts = self.assembly.facts.run_facts;
        let tables = &run_facts.outcome.tables;
        let book = CodeBook { pool: &run_facts.pool, sources: self.assembly.facts.sources };
        let occurrence = &found.occurrence;
        let Some(frame) = tables.frame(occurrence.frame) else { return };
        answer.located = true;
        answer.class = Some(frame.site.method.class.to_string());
        answer.method = Some(frame.site.method.name.to_string());
        answer.file = frame.source_file.as_ref().map(ToString::to_string);
        answer.loader = loader_answer(self.assembly.facts, &frame.site.method.class, frame.loader.as_ref());
        answer.own_line = frame.line;
        answer.bci = Some(frame.site.bci);
        let thread = tables.thread(occurrence.thread);
        answer.thread = Some(tables.thread_label(&thread).to_string());
        answer.thread_base = Some(thread.base().to_string());
        answer.thread_number = Some(thread.number);
        // In a method of the JDK, hits of the whole program are counted, not those of the line shown.
        answer.hit = (occurrence.event_frame() == occurrence.frame).then(|| occurrence.ordinal.into());
        answer.sequence = Some(occurrence.sequence);
        let given = self.given(occurrence, frame);
        let shown = Frame { line: given.line.or(frame.line), ..frame.clone() };
        answer.line = shown.line;
        answer.text = book.text(&shown);
        answer.statement = StatementAnswer::of(&book, frame, &given);
        answer.copied_from = CopiedAnswer::of(&book, frame);
        answer.neighbours = book.around(&shown);
        answer.shows_all_frames = self.assembly.facts.all_frames;
        answer.stack = tables.stack(occurrence.stack).map(frame_answer).collect();
        answer.own_frame = own_frame(&book, tables.stack(occurrence.stack), self.begins_in_library());
        if let Some(newest) = answer.stack.first_mut() {
            newest.line = shown.line;
        }
        answer.notes.extend(arms::unknown(&given));
        self.change(answer, occurrence, &book, frame);
        if matches!(self.query.event, Event::Branched(_)) {
            self.condition(answer, occurrence, &book, frame);
        }
        self.collected(answer, occurrence);
        if let Some(detail) = &occurrence.detail {
            self.detail(answer, detail, &book);
        }
        self.value_flow(answer);
        self.notes(answer, found);
        if let Some(hits) = run_facts.late.get(&self.query.point) {
            answer.notes.push(late(*hits).trim_start_matches("; ").to_owned());
        }
        answer.notes.extend(book.stale(frame));
    }

    /// Whether the first point of the chain names a place in a library. An exception names none.
    fn begins_in_library(&self) -> bool {
        let run_facts = self.assembly.facts.run_facts;
        if run_facts.queries.first().is_some_and(|first| matches!(first.event, Event::Thrown { .. })) {
            return false;
        }
        let first = run_facts.located(PointIndex(0)).map(|found| found.occurrence.frame);
        let frame = first.and_then(|frame| run_facts.outcome.tables.frame(frame));
        frame.is_some_and(|frame| run_facts.pool.owner_of(&frame.site.method.class) == CodeOwner::Library)
    }

    /// The source lines of the value stored or returned there.
    fn given(&self, o: &Occurrence, frame: &Frame) -> ValueLines {
        let is_entry = match &self.query.event {
            Event::Stored(_) => self.assigned_on_entry(o).is_some(),
            Event::Copied(copies) => {
                let place = o.way.and_then(|way| copies.site(way.get().into()));
                !place.is_some_and(|place| arms::uses(&place.what))
            }
            event => !event.gives(),
        };
        if is_entry {
            return ValueLines::default();
        }
        let arm = o.detail.as_ref().and_then(|detail| detail.arm);
        arms::given(&self.assembly.facts.run_facts.pool, &frame.site, arm).unwrap_or_default()
    }

    /// Adds the value and the steps of its flow.
    fn value_flow(&mut self, answer: &mut PointAnswer) {
        let Event::Copied(copies) = &self.query.event else { return };
        let run_facts = self.assembly.facts.run_facts;
        let book = CodeBook { pool: &run_facts.pool, sources: self.assembly.facts.sources };
        answer.new = unlocated::value_seen(self.query, self.located)
            .map(|value| self.namer.text(value, &run_facts.outcome.tables));
        let Some(flow) = run_facts.value_flows.of(&run_facts.queries, self.query.point) else { return };
        answer.steps = steps(run_facts, copies, flow, &book);
        answer.notes.extend(flow.end.as_ref().map(|why| format!("it is not followed further: {why}")));
    }

    fn change(&mut self, answer: &mut PointAnswer, o: &Occurrence, book: &CodeBook<'_>, frame: &Frame) {
        let is_change = matches!(
            self.query.event,
            Event::Written(_) | Event::Stored(_) | Event::ElementWritten(_) | Event::Changed(_)
        );
        match &self.query.event {
            // The owner is the class object.
            Event::Written(field) | Event::Read(field) if field.is_static => {
                let loader = self.assembly.facts.run_facts.outcome.tables.loader(&o.owner);
                answer.loader = loader_answer(self.assembly.facts, &field.class, loader);
            }
            _ if o.owner.object_id().is_some() => answer.owner = Some(self.text(&o.owner)),
            _ => {}
        }
        let is_printed = matches!(&self.query.event, Event::Changed(contents) if contents.is_stream);
        if is_printed || !is_change && !matches!(self.query.event, Event::Read(_)) {
            return;
        }
        if is_change {
            answer.old = Some(self.text(&o.old));
            answer.identities = [&o.old, &o.new].map(|value| self.identity(value));
            if !matches!(self.query.event, Event::Changed(_)) {
                answer.assigned = book.assigned(&frame.site);
            }
        }
        if let Some(slot) = self.assigned_on_entry(o) {
            let mut callers = answer.stack.iter().enumerate().skip(1);
            let place =
                callers.find(|(_, frame)| !is_lambda_class(&frame.class)).map_or(1, |(place, _)| place);
            let tables = &self.assembly.facts.run_facts.outcome.tables;
            let passed = tables.stack(o.stack).nth(1).and_then(|caller| argument(book, caller, frame, slot));
            answer.notes.push(of_the_call(&frame.site.method.name, passed, &answer.id, place));
        }
        answer.new = Some(self.text(&o.new));
        if let (Some(line), Some(assigned)) = (&answer.text, &answer.assigned) {
            answer.mark = unique(line, assigned);
        }
    }

    /// The slot of the parameter, if the occurrence is a method entry, which assigns the parameters.
    fn assigned_on_entry(&self, o: &Occurrence) -> Option<u16> {
        let Event::Stored(stores) = &self.query.event else { return None };
        let store = o.way.and_then(|way| stores.get(usize::from(way.get())))?;
        (store.value_at == store.site.bci).then_some(store.slot)
    }

    fn condition(&mut self, answer: &mut PointAnswer, o: &Occurrence, book: &CodeBook<'_>, frame: &Frame) {
        if o.detail.as_ref().is_some_and(|d| d.exception.is_some()) {
            answer.condition = Some("an exception caught here".to_owned());
            answer.taken = Some("caught".to_owned());
            return;
        }
        let line = answer.text.as_deref();
        let Some(decision) = o.way.and_then(|way| book.decision(&frame.site, way.get().into(), line)) else {
            return;
        };
        if let Some(line) = &answer.text {
            let part = decision.decided_by.as_ref().and_then(|part| unique(line, part));
            answer.mark = part.or_else(|| unique(line, &decision.whole));
        }
        let tables = &self.assembly.facts.run_facts.outcome.tables;
        let names = tables.shape(o.shape);
        let values = o.kept.get(self.query.keep.len()..).unwrap_or_default();
        let value = |text: &str| names.iter().zip(values).find(|(name, _)| ***name == *text).map(|(_, v)| v);
        for (text, source) in decision.operands {
            let shown = match (source, value(&text)) {
                (Source::Told(value), _) => value,
                (Source::Read, Some(value)) => self.text(&value.clone()),
                (Source::Read, None) | (Source::Gone, _) => GONE.to_owned(),
            };
            answer.operands.insert(text, shown);
        }
        let part = decision.decided_by.as_deref().unwrap_or(&decision.whole);
        answer.notes.extend(two_objects(part, value, self.namer, tables));
        answer.condition = Some(decision.whole);
        answer.decided_by = decision.decided_by;
        answer.taken = Some(decision.taken);
        answer.turns = o.detail.as_ref().and_then(|d| d.turns);
    }

    fn collected(&mut self, answer: &mut PointAnswer, o: &Occurrence) {
        let tables = &self.assembly.facts.run_facts.outcome.tables;
        let values = o.kept.get(self.query.keep.len()..).unwrap_or_default();
        let mut collected = IndexMap::new();
        for (name, value) in tables.shape(o.shape).iter().zip(values) {
            collected.insert(name.to_string(), self.text(value));
        }
        answer.collected = collected;
    }

    fn detail(&mut self, answer: &mut PointAnswer, detail: &Detail, book: &CodeBook<'_>) {
        let tables = &self.assembly.facts.run_facts.outcome.tables;
        answer.by = detail
            .by
            .and_then(|by| tables.frame(by))
            .map(|by| format!("{}.{}", short_class_name(&by.site.method.class), by.site.method.name));
        answer.unchanged = detail.unchanged;
        answer.result = detail.result.as_ref().map(|v| self.text(v));
        answer.notes.extend(detail.notes.iter().cloned());
        let (Some(exception), Some(thrown)) = (&detail.exception, &detail.thrown) else { return };
        answer.notes.extend(thrown_again(&self.assembly.facts, self.query, exception, thrown));
        let caught = exception.caught.as_ref().and_then(|c| {
            // The frame is at the instruction that threw or called; the catch is shown at the start of the
            // handler.
            let frame = tables.frame(c.frame)?;
            let line = book.line(&frame.site.method, c.handler);
            Some(FrameAnswer { line: line.or(frame.line), ..frame_answer(frame) })
        });
        answer.exception = tables.frame(exception.thrown).map(|place| ExceptionAnswer {
            object: self.text(thrown),
            class: tables.class_name(thrown).map(|c| c.to_string()).unwrap_or_default(),
            message: thrown.object_id().and_then(|id| tables.description(id)).and_then(|description| {
                match description {
                    ObjectDescription::Exception { message, .. } => message.as_deref().map(str::to_owned),
                    _ => None,
                }
            }),
            causes: self.namer.causes(thrown, tables),
            thrown: frame_answer(place),
            thrown_again: book.thrown_again(&place.site).is_some(),
            caught,
        });
    }

    fn notes(&mut self, answer: &mut PointAnswer, found: &Located) {
        if found.uncertain {
            answer
                .notes
                .push("it may be of another activation of the method than the one asked for".to_owned());
        }
        let is_copied = matches!(self.query.event, Event::Copied(_));
        if let Some(seen) = unlocated::value_seen(self.query, self.located).filter(|_| !is_copied)
            && !matches!(seen, Value::Failed(_) | Value::Unassigned)
            && !(seen.same(&found.occurrence.new)
                && unlocated::holds_the_same(self.query, &found.occurrence, self.located))
        {
            let seen = self.text(seen);
            let missed = missed_writes(&self.assembly.facts, &self.query.event);
            let what = missable(&self.query.event);
            answer.notes.push(format!("a {what} was missed: the value seen later is {seen}. {missed}"));
        }
        answer.notes.extend(thrown_beyond(&self.assembly.facts, self.query, self.located));
        let frame = self.assembly.facts.run_facts.outcome.tables.frame(found.occurrence.frame);
        answer.notes.extend(conditions_between(&self.assembly.facts, self.query, frame));
        let report = self.assembly.facts.run_facts.outcome.report.queries.get(&self.query.point.0);
        if let Some(report) = report {
            if let Some(why) = report.failure() {
                let count = hits(report.condition_failed);
                let at = failed_at(&self.assembly.facts, report, self.namer);
                answer.notes.push(format!("its condition could not be evaluated at {count}: {why}{at}"));
            }
            answer.notes.extend(evaluated_outside(report));
        }
    }
}
