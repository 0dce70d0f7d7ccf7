//! Executions of loops as nodes of the execution trees (Insa and Silva's loop expansion). A loop is treated
//! like a method that performs one iteration and calls itself for the rest. So below "from iteration 3" are
//! the calls of iteration 3, and then "from iteration 4".
//!
//! - The path of a call through its code is reconstructed in stretches (`stretch`). An iteration begins when
//!   the path passes the first instruction of a loop. The loop ends when the path reaches an instruction
//!   outside it.
//! - An event's instruction gives its position in the stretch. The event of a nested call has no instruction
//!   in the caller. It is placed at the next instruction of the same line that invokes the method. If there
//!   is none, as for callbacks from the JDK and class initialisers, it stays at the position of the previous
//!   event. Such a call can count for the wrong iteration if a line ends one iteration and begins the next.
//! - An iteration without recorded calls is no node and belongs to the previous one. A loop without any
//!   recorded calls is one node, if it is in no other loop, or in an iteration with calls. So the number of
//!   nodes stays within a small multiple of the number of calls, however often loops turn.

use super::nodes::{LoopExecution, LoopExit, Node, Nodes, ProgramLoop};
use bytecode::loops::Loop;
use bytecode::{Code, MethodRef, Op};
use classes::ClassPool;
use declarative::Forest;
use session::SessionError;
use slice::stretch::{Begins, code_of, stretch};
use std::collections::{BTreeSet, HashMap};
use trace::{Calls, EventPosition, Exit, Method, Traced, TracedEvent, WalkControl};

/// Maximum number of methods that a note names because their loops are unknown.
const NAMED: usize = 3;

/// A method with loops, and its code.
struct LoopMethod {
    code: Code,
    loops: Vec<Loop>,
    /// The index of its first loop among all loops of the program.
    first: usize,
    stretches: HashMap<Begins, Option<usize>>,
}

/// A stretch, as far as loops matter.
struct Stretch {
    /// Its instructions, in execution order.
    instructions: Vec<u32>,
    /// For an endless loop without a branch, the position at which the stretch repeats.
    again: Option<usize>,
    /// The positions at which an iteration begins or a loop can end, with their instructions.
    marks: Vec<(usize, u32)>,
    /// The positions at which lines begin, ascending.
    lines: Vec<usize>,
    /// The positions of the calls, with the called methods.
    invokes: Vec<(usize, MethodRef)>,
}

/// An open call.
struct OpenCall {
    node: u32,
    call: u32,
    /// Its method; `None` if that has no loops.
    method: Option<usize>,
    stretch: Option<usize>,
    /// The first position of the stretch that the call is not known to have reached.
    next: usize,
    /// The position and kind of the last event.
    last: Option<(usize, Traced)>,
    loops: Vec<OpenLoop>,
    executions: u32,
}

/// An open loop.
struct OpenLoop {
    /// Its index among the loops of the method.
    which: usize,
    /// Its index among the loops of the program.
    of_all: usize,
    execution: u32,
    /// The position of its first event.
    first: EventPosition,
    /// The current iteration, and the position of its first event.
    iteration: u32,
    begins: EventPosition,
    /// Whether the current iteration has a node already.
    is_there: bool,
    /// The nodes of this execution.
    nodes: Vec<u32>,
    /// Inner loops without calls that ended in this iteration. They are kept until the iteration makes a
    /// call.
    idle: Vec<LoopExecution>,
}

/// The nodes found so far.
#[derive(Default)]
struct FoundNodes {
    rows: Vec<Node>,
    sizes: Vec<u32>,
    parts: Vec<LoopExecution>,
}

impl FoundNodes {
    fn node(&mut self, row: Node) -> u32 {
        let node = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        self.rows.push(row);
        self.sizes.push(1);
        node
    }

    fn part(&mut self, part: LoopExecution) -> u32 {
        self.parts.push(part);
        self.node(Node::Part(self.parts.len() - 1))
    }

    /// Ends a part. `ends` is `None` if the recording does not show its end.
    fn end(&mut self, node: u32, ends: Option<EventPosition>, left: LoopExit) {
        let row = usize::try_from(node).ok().and_then(|node| self.rows.get(node));
        if let Some(Node::Part(part)) = row
            && let Some(part) = self.parts.get_mut(*part)
        {
            (part.ends, part.left) = (ends, left);
        }
    }

    /// Ends the subtree of a node at the last node so far.
    fn close(&mut self, node: u32) {
        let count = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        if let Some(size) = usize::try_from(node).ok().and_then(|node| self.sizes.get_mut(node)) {
            *size = count.saturating_sub(node);
        }
    }
}

/// Finds the loops in the events of all threads.
struct Finder {
    /// The methods, by number; `None` for a method without loops.
    known: Vec<Option<LoopMethod>>,
    stretches: Vec<Stretch>,
    loops: Vec<ProgramLoop>,
    found: FoundNodes,
    open: Vec<OpenCall>,
    /// Number of calls entered so far.
    calls: u32,
    /// Methods whose class file does not match the recording.
    strange: BTreeSet<usize>,
    /// Whether calls did not come in the order of their numbers.
    is_astray: bool,
}

/// The execution trees with loops, and their nodes. Adds notes about unknown loops. Returns `None` if loops
/// cannot be found.
///
/// # Errors
/// The events cannot be read.
pub fn trees(
    calls: &mut Calls,
    pool: Option<&ClassPool>,
    notes: &mut Vec<String>,
) -> Result<Option<(Forest, Nodes)>, SessionError> {
    let mut unknown: BTreeSet<usize> = BTreeSet::new();
    loop {
        let mut finder = Finder::new(calls.sites.methods(), pool, &mut unknown);
        let mut threads: Vec<u32> = calls.threads().into_iter().map(|(thread, ..)| thread).collect();
        threads.retain(|thread| !calls.of_thread(*thread).is_empty());
        threads.sort_by_key(|thread| calls.of_thread(*thread).start);
        for thread in threads {
            let all = calls.of_thread(thread);
            calls.walk(thread, None, |calls, seen| finder.see(calls, seen))?;
            finder.finish(None);
            finder.is_astray |= finder.calls != all.end;
        }
        if finder.is_astray {
            notes.push("loops are not asked about: not all events of the calls can be read".to_owned());
            return Ok(None);
        }
        if finder.strange.is_empty() {
            if let Some(note) = note(calls.sites.methods(), &unknown) {
                notes.push(note);
            }
            let Finder { found, loops, .. } = finder;
            let forest = forest(calls, &found);
            return Ok(Some((forest, Nodes::new(found.rows, found.parts, loops))));
        }
        // The loops of these methods are wrong: start again without them.
        unknown.extend(finder.strange);
    }
}

fn note(methods: &[Method], unknown: &BTreeSet<usize>) -> Option<String> {
    let names: Vec<String> =
        unknown.iter().filter_map(|number| methods.get(*number)).map(trace::Method::shown).collect();
    let named: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} other methods") };
    let why = "their class files are missing or have changed, or their branches were not recorded";
    (!names.is_empty()).then(|| format!("loops of {}{more} are not known: {why}", named.join(", ")))
}

fn forest(calls: &Calls, found: &FoundNodes) -> Forest {
    let mut forest = Forest::with_capacity(found.rows.len());
    let methods = u32::try_from(calls.sites.methods().len()).unwrap_or(u32::MAX);
    let mut of_calls = Vec::with_capacity(calls.count());
    for ((node, row), size) in (0_u32..).zip(&found.rows).zip(&found.sizes) {
        match row {
            Node::Call(call) => {
                of_calls.push(node);
                let has_ended = matches!(calls.exit(*call), Exit::Returned | Exit::Threw);
                let method = calls.method_number(*call).unwrap_or(methods).min(methods);
                forest.push(*size, method, has_ended);
            }
            Node::Part(part) => {
                forest.push_part(*size, found.parts.get(*part).is_some_and(|part| part.ends.is_some()));
            }
        }
    }
    let node = |call: u32| {
        let node = usize::try_from(call).ok().and_then(|call| of_calls.get(call)).copied();
        node.unwrap_or_else(|| forest.count())
    };
    let threads: Vec<_> = calls.threads().iter().map(|(thread, ..)| calls.of_thread(*thread)).collect();
    let ranges: Vec<_> = threads.into_iter().map(|calls| node(calls.start)..node(calls.end)).collect();
    ranges.into_iter().for_each(|range| forest.thread(range));
    forest
}

impl Finder {
    fn new(methods: &[Method], pool: Option<&ClassPool>, unknown: &mut BTreeSet<usize>) -> Finder {
        let mut loops: Vec<ProgramLoop> = Vec::new();
        let mut known = Vec::with_capacity(methods.len());
        for (number, method) in methods.iter().enumerate() {
            let code = code_of(method, pool).filter(|_| !unknown.contains(&number));
            let Some(code) = code else {
                unknown.insert(number);
                known.push(None);
                continue;
            };
            let own = bytecode::loops::loops(&code);
            let first = loops.len();
            loops.extend(own.iter().map(|of| {
                let has_value = |v: &&bytecode::LocalVariable| (v.start_pc..v.end_pc()).contains(&of.header);
                let variables = code.variables.iter().filter(has_value).map(|v| v.name.clone()).collect();
                ProgramLoop { lines: of.lines, variables }
            }));
            known.push((!own.is_empty()).then(|| LoopMethod {
                code,
                loops: own,
                first,
                stretches: HashMap::new(),
            }));
        }
        Finder {
            known,
            stretches: Vec::new(),
            loops,
            found: FoundNodes::default(),
            open: Vec::new(),
            calls: 0,
            strange: BTreeSet::new(),
            is_astray: false,
        }
    }
    fn see(&mut self, calls: &Calls, seen: &TracedEvent<'_>) -> WalkControl {
        let Some(node) = seen.node else { return WalkControl::Next };
        let is_entry = seen.site.what == Traced::Enter;
        let innermost = if is_entry { seen.around } else { Some(node) };
        self.finish(innermost);
        if let (Some(innermost), Some(mut at)) = (innermost, seen.position()) {
            at.node = innermost;
            self.go_on(calls, seen, at);
        }
        if is_entry {
            if node != self.calls {
                self.is_astray = true;
                return WalkControl::Stop;
            }
            self.calls += 1;
            self.enter(node, seen);
        }
        WalkControl::Next
    }

    fn enter(&mut self, call: u32, seen: &TracedEvent<'_>) {
        let number = usize::try_from(seen.site.method).ok().filter(|_| !seen.is_around);
        let known = number.and_then(|number| self.known.get_mut(number)).and_then(Option::as_mut);
        let begins = known.map(|known| known.stretch(Begins::Entry, &mut self.stretches));
        let node = self.found.node(Node::Call(call));
        self.open.push(OpenCall {
            node,
            call,
            method: number.filter(|_| begins.is_some()),
            stretch: begins.flatten(),
            next: 0,
            last: None,
            loops: Vec::new(),
            executions: 0,
        });
    }

    /// Closes the calls inside this one, which have ended.
    fn finish(&mut self, innermost: Option<u32>) {
        while let Some(mut open) = self.open.pop_if(|open| Some(open.call) != innermost) {
            while open.leave(None, LoopExit::Normally, &mut self.found) {}
            self.found.close(open.node);
        }
    }

    /// Handles an event of a call, or the entry of a call below it.
    fn go_on(&mut self, calls: &Calls, seen: &TracedEvent<'_>, at: EventPosition) {
        let Finder { known, stretches, found, open, strange, .. } = self;
        let Some(open) = open.last_mut().filter(|open| open.call == at.node) else { return };
        let Some(method) = open.method else { return };
        let Some(known) = known.get_mut(method).and_then(Option::as_mut) else { return };
        let what = seen.site.what;
        if let Some(stretch) = open.stretch.and_then(|number| stretches.get(number)) {
            let place = match what {
                Traced::Leave
                | Traced::Catch
                | Traced::Contents
                | Traced::Text
                | Traced::Throw
                | Traced::Raised => None,
                Traced::Enter => {
                    calls.sites.method(seen.site.method).and_then(|callee| open.invoke(stretch, callee))
                }
                _ => open.place(stretch, seen.site.bci, what),
            };
            if place.is_none() && matches!(what, Traced::Branch(_) | Traced::Return) {
                strange.insert(method);
            }
            let (reached, is_anew) = place.unwrap_or((0, false));
            open.reach(stretch, reached, is_anew, at, known, found);
            if let Some((place, _)) = place {
                open.last = Some((place, what));
            }
        }
        match what {
            Traced::Enter => open.make_room(found),
            Traced::Return => while open.leave(Some(at), LoopExit::Return, found) {},
            Traced::Leave => while open.leave(Some(at), LoopExit::Exception, found) {},
            Traced::Catch => {
                let bci = seen.site.bci;
                let stay = open.loops.iter().take_while(|of| known.holds(of.which, bci)).count();
                while open.loops.len() > stay {
                    open.leave(Some(at), LoopExit::Exception, found);
                }
            }
            _ => {}
        }
        if let Some(begins) = Begins::with(seen).filter(|begins| *begins != Begins::Entry) {
            open.stretch = known.stretch(begins, stretches);
            if open.stretch.is_none() {
                strange.insert(method);
            }
            (open.next, open.last) = (0, None);
        }
    }
}

impl LoopMethod {
    fn holds(&self, which: usize, pc: u32) -> bool {
        self.loops.get(which).is_some_and(|of| of.holds(pc))
    }

    /// The loop whose header is this instruction.
    fn begins_at(&self, pc: u32) -> Option<usize> {
        self.loops.iter().position(|of| of.header == pc)
    }

    /// The stretch that begins there; `None` if the class file has no such place.
    fn stretch(&mut self, begins: Begins, all: &mut Vec<Stretch>) -> Option<usize> {
        if let Some(known) = self.stretches.get(&begins) {
            return *known;
        }
        let number = stretch(&self.code, begins).map(|(instructions, again)| {
            all.push(self.marked(instructions, again));
            all.len() - 1
        });
        self.stretches.insert(begins, number);
        number
    }

    fn marked(&self, instructions: Vec<u32>, again: Option<usize>) -> Stretch {
        let (mut marks, mut invokes) = (Vec::new(), Vec::new());
        let mut before: Option<Vec<bool>> = None;
        for (place, pc) in instructions.iter().enumerate() {
            let around: Vec<bool> = self.loops.iter().map(|of| of.holds(*pc)).collect();
            let is_mark = before.as_ref() != Some(&around) || again == Some(place);
            if is_mark || self.begins_at(*pc).is_some() {
                marks.push((place, *pc));
            }
            before = Some(around);
            if let Some(Op::Invoke { method, .. }) = self.code.at(*pc).map(|instruction| &instruction.op) {
                invokes.push((place, method.clone()));
            }
        }
        let begins_line = |pc: u32| self.code.lines.iter().any(|entry| entry.start_pc == pc);
        let places = instructions.iter().enumerate();
        let lines = places.filter(|(_, pc)| begins_line(**pc)).map(|(place, _)| place).collect();
        Stretch { instructions, again, marks, lines, invokes }
    }
}

impl OpenCall {
    /// The position of an event, and whether an endless loop has started again before it.
    fn place(&self, stretch: &Stretch, bci: u32, what: Traced) -> Option<(usize, bool)> {
        let here = self.next.saturating_sub(1);
        // The same event does not occur twice at an instruction, and the line event comes first.
        let is_over = |(place, last): (usize, Traced)| {
            place == here && (last == what || matches!(what, Traced::Line(_)))
        };
        let from = if self.last.is_some_and(is_over) { here + 1 } else { here };
        stretch.places(from).find(|(place, _)| stretch.instructions.get(*place) == Some(&bci))
    }

    /// The position at which a method is called.
    fn invoke(&self, stretch: &Stretch, callee: &Method) -> Option<(usize, bool)> {
        let here = self.next.saturating_sub(1);
        let is_made = |(place, last): (usize, Traced)| place == here && last == Traced::Enter;
        let from = if self.last.is_some_and(is_made) { here + 1 } else { here };
        let names = |method: &MethodRef| {
            (&method.name, &method.descriptor) == (&callee.name, &callee.descriptor)
                && (callee.name != "<init>" || *method.class == *callee.class)
        };
        // Another line would begin with an event of its own.
        let is_near = |(place, is_anew): &(usize, bool)| {
            (*place == here && !is_anew) || stretch.lines.binary_search(place).is_err()
        };
        let is_it = |place: usize| stretch.invokes.iter().any(|(at, method)| *at == place && names(method));
        stretch.places(from).take_while(is_near).find(|(place, _)| is_it(*place))
    }

    /// The call has reached a position of its stretch, in another turn of an endless loop if `is_anew`.
    fn reach(
        &mut self,
        stretch: &Stretch,
        place: usize,
        is_anew: bool,
        at: EventPosition,
        known: &LoopMethod,
        found: &mut FoundNodes,
    ) {
        if let (true, Some(again)) = (is_anew, stretch.again) {
            self.pass(stretch, stretch.instructions.len(), at, known, found);
            (self.next, self.last) = (again, None);
        }
        self.pass(stretch, place + 1, at, known, found);
    }

    /// The call has passed all positions before `end`.
    fn pass(
        &mut self,
        stretch: &Stretch,
        end: usize,
        at: EventPosition,
        known: &LoopMethod,
        found: &mut FoundNodes,
    ) {
        let from = stretch.marks.partition_point(|(place, _)| *place < self.next);
        for (_, pc) in stretch.marks.iter().skip(from).take_while(|(place, _)| *place < end) {
            let mut stay = self.loops.iter().take_while(|of| known.holds(of.which, *pc)).count();
            let header = known.begins_at(*pc);
            let turns = header.and_then(|which| self.loops.iter().position(|of| of.which == which));
            if let Some(turns) = turns {
                stay = stay.min(turns + 1);
            }
            while self.loops.len() > stay {
                self.leave(Some(at), LoopExit::Normally, found);
            }
            match (header, self.loops.last_mut().filter(|of| Some(of.which) == header)) {
                (Some(_), Some(of)) => {
                    of.iteration = of.iteration.saturating_add(1);
                    (of.begins, of.is_there) = (at, false);
                    of.idle.clear();
                }
                (Some(which), None) => {
                    self.executions = self.executions.saturating_add(1);
                    self.loops.push(OpenLoop {
                        which,
                        of_all: known.first + which,
                        execution: self.executions,
                        first: at,
                        iteration: 1,
                        begins: at,
                        is_there: false,
                        nodes: Vec::new(),
                        idle: Vec::new(),
                    });
                }
                (None, _) => {}
            }
        }
        self.next = self.next.max(end);
    }

    /// The call makes a call: gives the open iterations their nodes.
    fn make_room(&mut self, found: &mut FoundNodes) {
        let call = self.call;
        for of in self.loops.iter_mut().filter(|of| !of.is_there) {
            if of.nodes.is_empty() && of.iteration > 1 {
                of.nodes.push(found.part(of.part(call, 1, of.first)));
            }
            of.nodes.push(found.part(of.part(call, of.iteration, of.begins)));
            for idle in of.idle.drain(..) {
                found.part(idle);
            }
            of.is_there = true;
        }
    }

    /// Closes the innermost loop. Returns false if no loop is open.
    fn leave(&mut self, ends: Option<EventPosition>, left: LoopExit, found: &mut FoundNodes) -> bool {
        let Some(of) = self.loops.pop() else { return false };
        for node in &of.nodes {
            found.close(*node);
            found.end(*node, ends, left);
        }
        if of.nodes.is_empty() {
            let part = LoopExecution { ends, left, ..of.part(self.call, 1, of.first) };
            match self.loops.last_mut() {
                Some(around) if !around.is_there => around.idle.push(part),
                _ => drop(found.part(part)),
            }
        }
        true
    }
}

impl OpenLoop {
    fn part(&self, call: u32, iteration: u32, begins: EventPosition) -> LoopExecution {
        let (which, execution) = (self.of_all, self.execution);
        LoopExecution { call, which, execution, iteration, begins, ends: None, left: LoopExit::Normally }
    }
}

impl Stretch {
    /// The positions from `from` on. In an endless loop, those from its start follow.
    fn places(&self, from: usize) -> impl Iterator<Item = (usize, bool)> {
        let anew = self.again.unwrap_or(from)..from;
        (from..self.instructions.len()).map(|place| (place, false)).chain(anew.map(|place| (place, true)))
    }
}
