//! The code that goes into a method that is recorded, and its sites.

use crate::steps::{kind_of, letter};
use bytecode::Kind;
use bytecode::descriptor;
use bytecode::rewrite::{Deed, Doing, Kept, MethodPlan, MethodShape, Slot, StackOp, Step};
use wire::recording::{LONGEST_REFERENCE, Level, Traced, TracedMethod, TracedSite, Written};
use wire::{TRACE_CLASS, TRACE_WINDOW_CLASS, TRACE_WRITES_CLASS};

/// What goes into a method of which so much is recorded, and its sites. `deeds` are what it does besides being called, `number`
/// gives sites their numbers. With a window a method asks as it is entered whether it is in it, and how much of it.
pub fn weave(
    shape: &MethodShape,
    deeds: &[Deed],
    level: Level,
    has_window: bool,
    number: &mut dyn FnMut(u32, Traced) -> u32,
) -> (MethodPlan, TracedMethod) {
    let mut plan = MethodPlan {
        kept: vec![Kept { kind: Kind::Long, name: "qp:ring".to_owned() }],
        ..MethodPlan::default()
    };
    let mut sites = Vec::new();
    let mut site = |bci, what| {
        let id = number(bci, what);
        sites.push(TracedSite { id, bci, what, line: None, to: None, written: None });
        Step::Int(id.cast_signed())
    };
    let ring = Step::Load(Kind::Long, Slot::Kept(0));
    let mut detail = ring.clone();
    plan.entry = match has_window {
        false => vec![call("ring", "()J"), Step::Store(Kind::Long, Slot::Kept(0))],
        true => {
            plan.kept.push(Kept { kind: Kind::Long, name: "qp:detail".to_owned() });
            detail = Step::Load(Kind::Long, Slot::Kept(1));
            vec![
                window("ring", "()J"),
                Step::Store(Kind::Long, Slot::Kept(0)),
                window("detail", "()J"),
                Step::Store(Kind::Long, Slot::Kept(1)),
            ]
        }
    };
    let is_constructor = shape.name == "<init>";
    let is_static = shape.access & STATIC != 0;
    let mut arguments = descriptor::parameter_slots(&shape.descriptor, is_static);
    if !is_static && !is_constructor {
        arguments.insert(0, (0, "Ljava/lang/Object;".to_owned()));
    }
    let enter = site(0, Traced::Enter);
    match arguments.as_slice() {
        [] => plan.entry.extend([ring.clone(), enter, call("event", "(JI)V")]),
        [(slot, of)] => {
            let kind = Kind::of_descriptor(of);
            plan.entry.extend([Step::Load(kind, Slot::Own(*slot)), ring.clone(), enter, event(kind)]);
        }
        several => {
            let most = several.iter().map(|(_, of)| length(Kind::of_descriptor(of))).sum::<usize>() + 4;
            let most = Step::Int(i32::try_from(most).unwrap_or(i32::MAX));
            plan.scratch.push(Kind::Long);
            let at = Slot::Scratch(0);
            let begin = call("begin", "(JII)J");
            plan.entry.extend([ring.clone(), enter, most, begin, Step::Store(Kind::Long, at)]);
            for (slot, of) in several {
                let kind = Kind::of_descriptor(of);
                let value = call("value", &format!("({}J)J", letter(kind)));
                let next = [Step::Load(kind, Slot::Own(*slot)), Step::Load(Kind::Long, at), value];
                plan.entry.extend(next);
                plan.entry.push(Step::Store(Kind::Long, at));
            }
            plan.entry.extend([Step::Load(Kind::Long, at), ring.clone(), call("end", "(JJ)V")]);
        }
    }
    if let (true, Some(call)) = (is_constructor, shape.constructs_at) {
        let this = Step::Load(Kind::Reference, Slot::Own(0));
        let born = [this, ring.clone(), site(call, Traced::Born), rare()];
        plan.after.insert(call, born.to_vec());
    }
    for handler in &shape.handlers {
        // Before `this` is an object nothing can be caught that the code put in could go on with.
        if shape.initialised_from.is_some_and(|from| *handler >= from) {
            let caught = [Step::Stack(StackOp::Dup), ring.clone(), site(*handler, Traced::Catch)];
            plan.before.insert(*handler, caught.into_iter().chain([rare()]).collect());
        }
    }
    let mut doings = Doings { shape, ring: &detail, plan: &mut plan, scratch: Vec::new() };
    for deed in deeds.iter().filter(|deed| level >= least(&deed.what)) {
        doings.put(deed, &mut site);
    }
    for returns in &shape.returns {
        let id = site(returns.pc, Traced::Return);
        let steps = match returns.kind {
            'V' => vec![ring.clone(), id, call("event", "(JI)V")],
            kind => {
                let kind = kind_of(kind);
                let dup = if kind.slots() == 2 { StackOp::Dup2 } else { StackOp::Dup };
                vec![Step::Stack(dup), ring.clone(), id, event(kind)]
            }
        };
        plan.before.entry(returns.pc).or_default().extend(steps);
    }
    let leave = site(shape.length, Traced::Leave);
    plan.unwind = vec![Step::Stack(StackOp::Dup), ring, leave, rare()];
    let (class, kind) = (TRACE_CLASS.to_owned(), Kind::Int);
    let cut = Step::Set { class, name: "cut".to_owned(), kind, descriptor: "Z".to_owned() };
    plan.guard = vec![Step::Int(1), cut];
    let (name, descriptor, access) = (shape.name.clone(), shape.descriptor.clone(), shape.access);
    for site in &mut sites {
        // The end of the code is the end of no line.
        site.line = line_at(deeds, site.bci).filter(|_| site.bci < shape.length);
        if let Traced::Branch(to) = site.what {
            site.to = line_at(deeds, to.into());
        }
        site.written = match site.what {
            Traced::Put | Traced::PutStatic | Traced::Preset | Traced::Local { .. } => {
                deeds.iter().filter(|deed| deed.pc == site.bci).find_map(|deed| written(&deed.what))
            }
            _ => None,
        };
    }
    (plan, TracedMethod { name, descriptor, access, level, parameters: Vec::new(), sites })
}

/// The line that an instruction is in.
fn line_at(deeds: &[Deed], pc: u32) -> Option<u16> {
    let line = |deed: &Deed| match deed.what {
        Doing::Line(line) if deed.pc <= pc => Some(line),
        _ => None,
    };
    deeds.iter().filter_map(line).next_back()
}

fn written(what: &Doing) -> Option<Written> {
    match what.clone() {
        Doing::Put { class, name, descriptor, .. } => Some(Written { class, name, descriptor }),
        Doing::Local { named: Some((name, descriptor)), .. } => {
            Some(Written { class: String::new(), name, descriptor })
        }
        _ => None,
    }
}

/// From which level on something is recorded.
fn least(what: &Doing) -> Level {
    match what {
        Doing::Put { .. } | Doing::Element(_) | Doing::Array => Level::Writes,
        Doing::Line(_) | Doing::Local { .. } | Doing::Branch { .. } | Doing::Lock | Doing::Unlock => {
            Level::All
        }
    }
}

/// Puts in what tells of what a method does.
struct Doings<'a> {
    shape: &'a MethodShape,
    ring: &'a Step,
    plan: &'a mut MethodPlan,
    /// By kind, the scratch local of that kind.
    scratch: Vec<(Kind, usize)>,
}

impl Doings<'_> {
    fn put(&mut self, deed: &Deed, site: &mut dyn FnMut(u32, Traced) -> Step) {
        let pc = deed.pc;
        // Before `this` is an object no reference can be told of: it may be that.
        let is_early = self.shape.initialised_from.is_none_or(|from| pc < from);
        match &deed.what {
            Doing::Line(line) => {
                let steps = [self.ring.clone(), site(pc, Traced::Line(*line)), call("event", "(JI)V")];
                self.before(pc, steps.to_vec());
            }
            Doing::Branch { to, or } => {
                // A jump to where execution goes on anyway is none.
                for target in to.iter().filter(|to| Some(**to) != *or).chain(or) {
                    let Ok(at) = u16::try_from(*target) else { continue };
                    let steps = [self.ring.clone(), site(pc, Traced::Branch(at)), call("event", "(JI)V")];
                    match Some(*target) == *or {
                        true => self.after(pc, steps.to_vec()),
                        false => self.plan.taken.entry((pc, *target)).or_default().extend(steps),
                    }
                }
            }
            Doing::Put { descriptor, constant: None, is_preset, .. } if is_early => {
                if *is_preset {
                    let kind = Kind::of_descriptor(descriptor);
                    let dup = if kind.slots() == 2 { StackOp::Dup2 } else { StackOp::Dup };
                    let id = site(pc, Traced::Preset);
                    self.before(pc, vec![Step::Stack(dup), self.ring.clone(), id, event(kind)]);
                }
            }
            Doing::Put { descriptor, constant: None, .. } => {
                let kind = Kind::of_descriptor(descriptor);
                let name = match descriptor.as_str() {
                    "Z" | "B" => "putByte",
                    "C" => "putChar",
                    "S" => "putShort",
                    _ => "put",
                };
                let told = write(name, &format!("(Ljava/lang/Object;{}JI)V", letter(kind)));
                let id = site(pc, Traced::Put);
                let steps = if kind.slots() == 1 {
                    vec![Step::Stack(StackOp::Dup2), self.ring.clone(), id, told]
                } else {
                    let [store, load] = self.scratch(kind);
                    vec![store, Step::Stack(StackOp::Dup), load.clone(), self.ring.clone(), id, told, load]
                };
                self.before(pc, steps);
            }
            Doing::Put { descriptor, constant: Some(constant), .. } => {
                let kind = Kind::of_descriptor(descriptor);
                let [store, load] = self.scratch(kind);
                let told = write("putStatic", &format!("({0}{0}JI)V", letter(kind)));
                let old = Step::Static { constant: *constant, kind };
                let id = site(pc, Traced::PutStatic);
                self.before(pc, vec![store, old, load.clone(), self.ring.clone(), id, told, load]);
            }
            Doing::Element(of) => {
                let kind = kind_of(*of);
                let [store, load] = self.scratch(kind);
                let array = match of {
                    'L' => "[Ljava/lang/Object;".to_owned(),
                    'B' => "Ljava/lang/Object;".to_owned(),
                    of => format!("[{of}"),
                };
                let told = write("element", &format!("({array}I{}JI)V", letter(kind)));
                let id = site(pc, Traced::Element(*of));
                let dup = Step::Stack(StackOp::Dup2);
                self.before(pc, vec![store, dup, load.clone(), self.ring.clone(), id, told, load]);
            }
            Doing::Array => {
                let id = site(pc, Traced::Array);
                self.after(pc, vec![Step::Stack(StackOp::Dup), self.ring.clone(), id, rare()]);
            }
            Doing::Local { kind: Kind::Reference, .. } if is_early => {}
            Doing::Local { slot, kind, .. } => {
                let letter = kind.descriptor().chars().next().unwrap_or('L');
                let id = site(pc, Traced::Local { slot: *slot, kind: letter });
                let load = Step::Load(*kind, Slot::Own(*slot));
                self.after(pc, vec![load, self.ring.clone(), id, event(*kind)]);
            }
            Doing::Lock | Doing::Unlock if is_early => {}
            Doing::Lock => {
                let [store, load] = self.scratch(Kind::Reference);
                self.before(pc, vec![Step::Stack(StackOp::Dup), store]);
                let id = site(pc, Traced::Lock);
                self.after(pc, vec![load, self.ring.clone(), id, rare()]);
            }
            Doing::Unlock => {
                let id = site(pc, Traced::Unlock);
                self.before(pc, vec![Step::Stack(StackOp::Dup), self.ring.clone(), id, rare()]);
            }
        }
    }

    fn before(&mut self, pc: u32, steps: Vec<Step>) {
        self.plan.before.entry(pc).or_default().extend(steps);
    }

    fn after(&mut self, pc: u32, steps: Vec<Step>) {
        self.plan.after.entry(pc).or_default().extend(steps);
    }

    /// How the scratch local of a kind is written and read.
    fn scratch(&mut self, kind: Kind) -> [Step; 2] {
        let known = self.scratch.iter().find(|(of, _)| *of == kind).map(|(_, at)| *at);
        let at = known.unwrap_or_else(|| {
            self.plan.scratch.push(kind);
            self.scratch.push((kind, self.plan.scratch.len() - 1));
            self.plan.scratch.len() - 1
        });
        [Step::Store(kind, Slot::Scratch(at)), Step::Load(kind, Slot::Scratch(at))]
    }
}

/// The access flag of static methods (JVMS §4.6).
const STATIC: u16 = 0x0008;

/// How many bytes a value takes at most.
fn length(kind: Kind) -> usize {
    match kind {
        Kind::Int | Kind::Float => 4,
        Kind::Long | Kind::Double => 8,
        Kind::Reference => LONGEST_REFERENCE,
    }
}

fn event(kind: Kind) -> Step {
    call("event", &format!("({}JI)V", letter(kind)))
}

/// An event with a reference, where methods should not grow by it.
fn rare() -> Step {
    call("rare", "(Ljava/lang/Object;JI)V")
}

fn call(name: &str, descriptor: &str) -> Step {
    Step::Call { class: TRACE_CLASS.to_owned(), name: name.to_owned(), descriptor: descriptor.to_owned() }
}

/// A call that asks about the window.
fn window(name: &str, descriptor: &str) -> Step {
    let class = TRACE_WINDOW_CLASS.to_owned();
    Step::Call { class, name: name.to_owned(), descriptor: descriptor.to_owned() }
}

/// A call that tells of a write.
fn write(name: &str, descriptor: &str) -> Step {
    let class = TRACE_WRITES_CLASS.to_owned();
    Step::Call { class, name: name.to_owned(), descriptor: descriptor.to_owned() }
}
