//! Rewrites one method.

use super::Map;
use super::MethodPlan;
use super::error::{NotRewritten, RewriteError};
use super::frames::{self, Frame, Type};
use super::guards::{Guards, Resume};
use super::instructions::{self, ATHROW, INVOKESPECIAL, NEW, RETURN, Raw};
use super::layout::{self, Parts, Placed};
use super::pool::Pool;
use super::reader::{ClassLayout, CodeAt, MethodAt, Reader, attributes, slice};
use super::steps::{Assembled, Kept, Slots, Step, assemble};
use super::tables;
use super::uninitialised::References;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The first class file version whose methods are verified with a StackMapTable (JVMS §4.10).
const WITH_FRAMES: u16 = 50;

/// The result for one method: its `Code` attribute including the header, and the old and new index of each
/// instruction.
type Method = Result<(Vec<u8>, Vec<(u32, u32)>), NotRewritten>;

/// StackOverflowError and its superclasses.
const CAUGHT_BY: [&str; 4] = [
    "java/lang/Throwable",
    "java/lang/Error",
    "java/lang/VirtualMachineError",
    "java/lang/StackOverflowError",
];

/// Abandons the method, but not the class.
macro_rules! or_leave {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(reason) => return Ok(Err(reason)),
        }
    };
}

/// Rewrites a method with code.
pub fn rewrite(
    class: &ClassLayout<'_>,
    pool: &mut Pool,
    method: &MethodAt,
    at: CodeAt,
    plan: &MethodPlan,
) -> Result<Method, RewriteError> {
    let old = Old::read(class, method, at)?;
    if old.is_empty_finalizer(&class.utf8(method.descriptor)?) {
        return Ok(Err(NotRewritten::EmptyFinalizer));
    }
    let slots = or_leave!(Slots::new(old.max_locals, &plan.kept, &plan.scratch));
    let mut steps = or_leave!(Steps::assemble(plan, &slots, pool)?);
    or_leave!(old.has_instructions(plan));
    let mut unwind = steps.unwind.bytes.clone();
    let mut unwinds_from = 0;
    if !plan.unwind.is_empty() {
        unwind.push(ATHROW);
        if old.is_constructor(class)? {
            unwinds_from = or_leave!(old.after_super_call(class)?);
        } else if old.name == "<init>" {
            return Ok(Err(NotRewritten::ObjectConstructor));
        }
    }
    let guards = or_leave!(old.guards(class, &steps, plan)?);
    let resumes = old.resumes(&mut steps, &slots);
    let guard = [steps.guard.bytes.as_slice(), &[ATHROW]].concat();
    let parts = Parts {
        code: old.code,
        instructions: &old.instructions,
        entry: &steps.entry.bytes,
        before: steps.before,
        after: steps.after,
        taken: steps.taken,
        guard: (&guard, guards.all().len()),
        resumes: resumes.iter().map(|resume| (resume.handler, resume.code.as_slice())).collect(),
        unwind: &unwind,
    };
    let placed = or_leave!(layout::place(&parts)?);
    let mut out = Vec::with_capacity((at.end - at.start) * 2);
    // An exception that leaves the method needs a stack slot, even if the method needs none.
    let least = u16::from(!plan.unwind.is_empty() || !plan.guard.is_empty());
    let deepest = u16::try_from(steps.deepest.max(0)).unwrap_or(u16::MAX).saturating_add(plan.spare);
    let max_stack = or_leave!(old.max_stack.max(least).checked_add(deepest).ok_or(NotRewritten::TooWide));
    out.extend_from_slice(&max_stack.to_be_bytes());
    let kept = u16::from(!resumes.is_empty());
    let max_locals = or_leave!(slots.max_locals.checked_add(kept).ok_or(NotRewritten::TooWide));
    out.extend_from_slice(&max_locals.to_be_bytes());
    let length = u32::try_from(placed.code.len()).unwrap_or(u32::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(&placed.code);
    let around = Around {
        guards: &guards,
        resumes: &resumes,
        unwinds_from: (!plan.unwind.is_empty()).then_some(unwinds_from),
    };
    old.write_handlers(&mut out, &placed, &around)?;
    old.write_attributes(&mut out, class, pool, &Written { placed: &placed, slots: &slots, plan, around })?;
    let mut attribute = slice(class.bytes, at.start, at.start + 2)?.to_vec();
    let length = u32::try_from(out.len()).unwrap_or(u32::MAX);
    attribute.extend_from_slice(&length.to_be_bytes());
    attribute.extend_from_slice(&out);
    Ok(Ok((attribute, placed.moved())))
}

/// The index from which `this` is initialised; `None` if that is unknown.
pub fn initialised_from(
    class: &ClassLayout<'_>,
    method: &MethodAt,
    at: CodeAt,
) -> Result<Option<u32>, RewriteError> {
    if !class.is(method.name, "<init>") {
        return Ok(Some(0));
    }
    let old = Old::read(class, method, at)?;
    if !old.is_constructor(class)? {
        return Ok(Some(0));
    }
    Ok(old.after_super_call(class)?.ok())
}

/// The references that the method stores, or through which it writes fields.
pub fn references(
    class: &ClassLayout<'_>,
    method: &MethodAt,
    at: CodeAt,
) -> Result<References, RewriteError> {
    let mut references = References::new(initialised_from(class, method, at)?);
    if class.is(method.name, "<init>") {
        let old = Old::read(class, method, at)?;
        references.follow(class, old.code, &old.instructions, &old.frames)?;
    }
    Ok(references)
}

/// A plan, assembled to bytes.
struct Steps {
    entry: Assembled,
    before: BTreeMap<u32, Vec<u8>>,
    after: BTreeMap<u32, Vec<u8>>,
    taken: BTreeMap<(u32, u32), Vec<u8>>,
    guard: Assembled,
    unwind: Assembled,
    deepest: i32,
}

/// The added handlers.
#[derive(Clone, Copy)]
struct Around<'a> {
    guards: &'a Guards,
    resumes: &'a [Resume],
    unwinds_from: Option<u32>,
}

/// The layout of the new method.
struct Written<'a> {
    placed: &'a Placed,
    slots: &'a Slots,
    plan: &'a MethodPlan,
    around: Around<'a>,
}

impl Steps {
    fn assemble(
        plan: &MethodPlan,
        slots: &Slots,
        pool: &mut Pool,
    ) -> Result<Result<Steps, NotRewritten>, RewriteError> {
        let mut deepest = 0;
        let mut one =
            |steps: &[Step], pool: &mut Pool| -> Result<Result<Assembled, NotRewritten>, RewriteError> {
                let assembled = assemble(steps, slots, pool)?;
                if let Ok(assembled) = &assembled {
                    deepest = deepest.max(assembled.deepest);
                }
                Ok(assembled)
            };
        let entry = or_leave!(one(&plan.entry, pool)?);
        let unwind = or_leave!(one(&plan.unwind, pool)?);
        let guard = or_leave!(one(&plan.guard, pool)?);
        let (mut before, mut after, mut taken) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (pc, steps) in &plan.before {
            before.insert(*pc, or_leave!(one(steps, pool)?).bytes);
        }
        for (pc, steps) in &plan.after {
            after.insert(*pc, or_leave!(one(steps, pool)?).bytes);
        }
        for (way, steps) in &plan.taken {
            taken.insert(*way, or_leave!(one(steps, pool)?).bytes);
        }
        Ok(Ok(Steps { entry, before, after, taken, guard, unwind, deepest }))
    }
}

/// The kept locals as entries of a LocalVariableTable.
fn named(
    class: &ClassLayout<'_>,
    pool: &mut Pool,
    kept: &[Kept],
    slots: &Slots,
) -> Result<Vec<tables::Variable>, RewriteError> {
    let rows = kept.iter().zip(&slots.kept).map(|(kept, slot)| {
        let name = pool.utf8(&kept.name_in(class.major).into())?;
        let descriptor = pool.utf8(&kept.kind.descriptor().into())?;
        Ok(tables::Variable { name, descriptor, slot: *slot })
    });
    rows.collect()
}

/// The original `Code` attribute.
struct Old<'a> {
    max_stack: u16,
    max_locals: u16,
    code: &'a [u8],
    instructions: Vec<Raw>,
    handlers: Vec<tables::Handler>,
    attributes: Vec<(u16, &'a [u8])>,
    initial: Frame,
    frames: Vec<Frame>,
    name: String,
}

impl<'a> Old<'a> {
    fn read(
        class: &ClassLayout<'a>,
        method: &MethodAt,
        CodeAt { start, end }: CodeAt,
    ) -> Result<Old<'a>, RewriteError> {
        let mut reader = Reader::at(slice(class.bytes, 0, end)?, start + 6);
        let (max_stack, max_locals) = (reader.u2()?, reader.u2()?);
        let length = reader.length()?;
        let code = reader.take(length)?;
        let handlers = tables::handlers(&mut reader)?;
        let found = attributes(&mut reader)?;
        let contents = found.iter().map(|a| Ok((a.name, slice(class.bytes, a.start, a.end)?)));
        let attributes = contents.collect::<Result<Vec<_>, RewriteError>>()?;
        let (name, descriptor) = (class.owned(method.name)?, class.owned(method.descriptor)?);
        let initial = frames::initial(class, method.access, &name, &descriptor)?;
        let mut frames = Vec::new();
        for (attribute, contents) in &attributes {
            if class.is(*attribute, "StackMapTable") {
                frames = frames::read(class, &mut Reader::new(contents), &initial)?;
            }
        }
        let instructions = instructions::read(code)?;
        Ok(Old { max_stack, max_locals, code, instructions, handlers, attributes, initial, frames, name })
    }

    /// Checks that an instruction begins at each index of the plan.
    fn has_instructions(&self, plan: &MethodPlan) -> Result<(), NotRewritten> {
        let by_pc: Map<u32, &Raw> = self.instructions.iter().map(|raw| (raw.pc, raw)).collect();
        for pc in plan.before.keys().chain(plan.after.keys()) {
            by_pc.get(pc).ok_or(NotRewritten::NoInstruction(*pc))?;
        }
        for (branch, target) in plan.taken.keys() {
            let raw = by_pc.get(branch).ok_or(NotRewritten::NoInstruction(*branch))?;
            if !raw.targets().contains(target) {
                return Err(NotRewritten::NoInstruction(*target));
            }
        }
        Ok(())
    }

    fn is_empty_finalizer(&self, descriptor: &str) -> bool {
        (self.name.as_str(), descriptor, self.code) == ("finalize", "()V", &[RETURN])
    }

    /// Whether the method must call another constructor. Only the constructor of `java.lang.Object` calls
    /// none.
    fn is_constructor(&self, class: &ClassLayout<'_>) -> Result<bool, RewriteError> {
        Ok(self.name == "<init>" && class.class_name(class.this_class)? != "java/lang/Object")
    }

    /// The index after the call of another constructor of the class or its superclass. Before it, `this` is
    /// uninitialised, and no handler can cover both parts (JVMS §4.10.1). For each `new` of such a class, one
    /// constructor call initialises that object instead.
    fn after_super_call(&self, class: &ClassLayout<'_>) -> Result<Result<u32, NotRewritten>, RewriteError> {
        let own = [class.this_class, class.super_class].map(|index| class.class_name(index));
        let own = own.into_iter().filter_map(Result::ok).collect::<Vec<_>>();
        let mut pending: Map<Cow<'_, str>, u32> = Map::default();
        let mut found = None;
        for raw in &self.instructions {
            if !matches!(raw.opcode, NEW | INVOKESPECIAL) {
                continue;
            }
            let operand = Reader::at(self.code, raw.pc as usize + 1).u2()?;
            if raw.opcode == NEW {
                *pending.entry(class.class_name(operand)?).or_default() += 1;
                continue;
            }
            let [of, name, _] = class.method_ref(operand)?;
            if name != "<init>" {
                continue;
            }
            match pending.get_mut(&of) {
                Some(count) if *count > 0 => *count -= 1,
                _ if own.contains(&of) && found.is_none() => found = Some(raw.pc + raw.length),
                _ => return Ok(Err(NotRewritten::NoSuperCall)),
            }
        }
        let Some(behind) = found else { return Ok(Err(NotRewritten::NoSuperCall)) };
        // The order of the code array may differ from that of execution. The frames reveal that: `this` must
        // be uninitialised in exactly those before `behind`.
        let in_order = self.frames.iter().all(|frame| {
            let is_none_yet = frame.locals.contains(&Type::UninitializedThis);
            is_none_yet == (frame.pc < behind)
        });
        Ok(if in_order { Ok(behind) } else { Err(NotRewritten::NoSuperCall) })
    }

    /// The guards for the inserted steps. None if it is unknown from which index `this` is initialised.
    fn guards(
        &self,
        class: &ClassLayout<'_>,
        steps: &Steps,
        plan: &MethodPlan,
    ) -> Result<Result<Guards, NotRewritten>, RewriteError> {
        if plan.guard.is_empty() || self.name == "<init>" && !self.is_constructor(class)? {
            return Ok(Ok(Guards::default()));
        }
        let mut from = 0;
        if self.is_constructor(class)? {
            match self.after_super_call(class)? {
                Ok(behind) => from = behind,
                Err(_) => return Ok(Ok(Guards::default())),
            }
        }
        let mut catching = vec![0];
        for row in &self.handlers {
            if row.class != 0 && CAUGHT_BY.contains(&&*class.class_name(row.class)?) {
                catching.push(row.class);
            }
        }
        // Without a frame, the guard's types are unknown to the verifier.
        let known = |row: &tables::Handler| {
            class.major < WITH_FRAMES || self.frames.iter().any(|frame| frame.pc == row.handler)
        };
        let catches = |class: u16| catching.contains(&class);
        if self.handlers.iter().any(|row| catches(row.class) && !known(row)) {
            return Ok(Ok(Guards::default()));
        }
        let has = |steps: &BTreeMap<u32, Vec<u8>>, pc: u32| steps.get(&pc).is_some_and(|s| !s.is_empty());
        let before = self.instructions.iter().filter(|raw| has(&steps.before, raw.pc)).map(|raw| raw.pc);
        let after = self.instructions.iter().filter(|raw| has(&steps.after, raw.pc));
        let at = before.chain(after.map(layout::covered_as));
        let at = at.chain(steps.taken.keys().map(|(branch, _)| *branch));
        Ok(Ok(Guards::new(at, from, &self.handlers, catches)))
    }

    /// Lets each handler go on that begins with inserted steps. The steps are changed to keep the caught
    /// exception.
    fn resumes(&self, steps: &mut Steps, slots: &Slots) -> Vec<Resume> {
        let mut resumes = Vec::new();
        for frame in self.frames.iter().filter(|frame| !frame.locals.contains(&Type::UninitializedThis)) {
            let is_handler =
                !steps.guard.bytes.is_empty() && self.handlers.iter().any(|row| row.handler == frame.pc);
            let Some(bytes) = steps.before.get_mut(&frame.pc).filter(|bytes| is_handler && !bytes.is_empty())
            else {
                continue;
            };
            let frame = frame.with_kept(self.max_locals, &slots.kept_kinds);
            if let Some(resume) = Resume::new(&frame, slots.max_locals, &steps.guard.bytes) {
                bytes.splice(0..0, resume.keeps.iter().copied());
                resumes.push(resume);
            }
        }
        resumes
    }

    fn write_handlers(
        &self,
        out: &mut Vec<u8>,
        placed: &Placed,
        around: &Around<'_>,
    ) -> Result<(), RewriteError> {
        let mut rows = Vec::new();
        // The VM uses the first matching row (JVMS §2.10).
        for (resume, at) in around.resumes.iter().zip(&placed.resumes) {
            let kept = u32::try_from(resume.keeps.len()).unwrap_or(u32::MAX);
            let (from, to) = (placed.lands(resume.handler)? + kept, placed.at(resume.handler)?);
            rows.push((from, to, *at, 0));
        }
        for (start, end, target) in around.guards.rows(placed, &self.handlers) {
            let handler = target.now.map_or_else(|| placed.lands(target.handler), Ok)?;
            rows.push((start, end, handler, target.class));
        }
        for row in &self.handlers {
            rows.push((
                placed.lands(row.start)?,
                placed.lands(row.end)?,
                placed.lands(row.handler)?,
                row.class,
            ));
        }
        if let Some(from) = around.unwinds_from {
            let (from, to) = (placed.lands(from)?, placed.end());
            // If an endless loop follows the call, the range can be empty.
            if from < to {
                rows.push((from, to, placed.unwind_at, 0));
            }
            // Exceptions rethrown by guards also leave the method, unless a row above catches them.
            if let (Some((from, _)), Some((_, to))) = (placed.guards.first(), placed.guards.last()) {
                rows.push((*from, *to, placed.unwind_at, 0));
            }
        }
        out.extend_from_slice(&u16::try_from(rows.len()).unwrap_or(u16::MAX).to_be_bytes());
        for (start, end, handler, class) in rows {
            for index in [start, end, handler] {
                out.extend_from_slice(&tables::two(index)?);
            }
            out.extend_from_slice(&class.to_be_bytes());
        }
        Ok(())
    }

    fn write_attributes(
        &self,
        out: &mut Vec<u8>,
        class: &ClassLayout<'_>,
        pool: &mut Pool,
        now: &Written<'_>,
    ) -> Result<(), RewriteError> {
        let Written { placed, slots, plan, .. } = now;
        let mut written: Vec<(u16, Vec<u8>)> = Vec::new();
        let mut has_frames = false;
        let mut unnamed = plan.kept.as_slice();
        for (name, contents) in &self.attributes {
            let is = |text: &str| class.is(*name, text);
            let moved = if is("StackMapTable") {
                has_frames = true;
                self.stack_map(pool, now)?
            } else if is("LineNumberTable") {
                tables::lines(contents, placed)?
            } else if is("LocalVariableTable") {
                let mut rows = tables::variables(contents, placed)?;
                // A method can have several of these tables; the new entries go into the first.
                tables::add_variables(&mut rows, &named(class, pool, unnamed, slots)?, placed)?;
                unnamed = &[];
                rows
            } else if is("LocalVariableTypeTable") {
                tables::variables(contents, placed)?
            } else if is("RuntimeVisibleTypeAnnotations") || is("RuntimeInvisibleTypeAnnotations") {
                tables::annotations(contents, placed)?
            } else {
                contents.to_vec()
            };
            written.push((*name, moved));
        }
        let needs_frames = !plan.unwind.is_empty() || !placed.guards.is_empty() || !placed.resumes.is_empty();
        if needs_frames && !has_frames && class.major >= WITH_FRAMES {
            let name = pool.utf8(&"StackMapTable".into())?;
            written.push((name, self.stack_map(pool, now)?));
        }
        out.extend_from_slice(&u16::try_from(written.len()).unwrap_or(u16::MAX).to_be_bytes());
        for (name, contents) in written {
            out.extend_from_slice(&name.to_be_bytes());
            out.extend_from_slice(&u32::try_from(contents.len()).unwrap_or(u32::MAX).to_be_bytes());
            out.extend_from_slice(&contents);
        }
        Ok(())
    }

    fn stack_map(&self, pool: &mut Pool, now: &Written<'_>) -> Result<Vec<u8>, RewriteError> {
        let Written { placed, slots, plan, around } = now;
        let kept = &slots.kept_kinds;
        let mut frames = Vec::with_capacity(self.frames.len() + placed.stubs.len() + 1);
        for frame in &self.frames {
            let pc = placed.lands(frame.pc)?;
            frames.push(Frame { pc, ..frame.with_kept(self.max_locals, kept) });
        }
        let by_pc: Map<u32, &Frame> = self.frames.iter().map(|f| (f.pc, f)).collect();
        for ((_, target), at) in &placed.stubs {
            // A branch target has a frame, and its stub has the same one.
            let frame = by_pc.get(target).copied().unwrap_or(&self.initial);
            frames.push(Frame { pc: *at, ..frame.with_kept(self.max_locals, kept) });
        }
        let thrown = |pc: u32, locals: &[Type]| {
            let stack = vec![Type::Object("java/lang/Throwable".to_owned())];
            Frame { pc, locals: locals.to_vec(), stack }.with_kept(self.max_locals, kept)
        };
        for (next, (at, _)) in around.guards.all().into_iter().zip(&placed.guards) {
            let row = next.and_then(|row| self.handlers.get(row));
            let frame = row.and_then(|row| by_pc.get(&row.handler));
            frames.push(thrown(*at, frame.map_or(&[], |frame| &frame.locals)));
        }
        for (resume, at) in around.resumes.iter().zip(&placed.resumes) {
            let stack = vec![Type::Object("java/lang/Throwable".to_owned())];
            frames.push(Frame { pc: *at, locals: resume.locals.clone(), stack });
            if let Some(frame) = by_pc.get(&resume.handler) {
                let pc = placed.at(resume.handler)?;
                frames.push(Frame { pc, ..frame.with_kept(self.max_locals, kept) });
            }
        }
        if !plan.unwind.is_empty() {
            frames.push(thrown(placed.unwind_at, &[]));
        }
        frames.sort_by_key(|f| f.pc);
        // Inserted code and stubs have distinct indices, so duplicates can only be equal frames.
        frames.dedup_by_key(|f| f.pc);
        frames::write(&frames, &self.initial, pool, &|was| placed.at(was))
    }
}
