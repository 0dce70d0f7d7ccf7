//! Where a call on the stack of a recorded thread stands. Events give the code index of most places; that of
//! a call follows from the code after the last event.

use super::search::Search;
use super::stretch::Progress;
use bytecode::{Instruction, Op};
use model::{ActivationKey, StackKey};
use std::collections::HashMap;
use trace::{Calls, Value};

/// A call on the stack of a thread.
pub(super) struct OpenCall {
    /// Its number.
    pub node: u32,
    /// The number of its method.
    pub method: u32,
    /// The code index of its last event.
    last: u32,
    /// Whether the instruction there is still to be executed.
    is_before: bool,
    /// How far it came, if it passes places through which values flow.
    pub progress: Progress,
    /// The methods that it has called since, by number.
    called: Vec<u32>,
    /// Its activation, as soon as an occurrence names it.
    pub activation: Option<ActivationKey>,
    /// The stack from it down, as long as it stands at the call of the next one.
    pub calling: Option<StackKey>,
    /// The queries with the passes that have begun and not ended.
    pub passing: Vec<(u16, u16)>,
    /// The last of the marked instructions that it executed.
    pub arm: Option<u32>,
    /// The last results of calls, by the instruction that made the call.
    pub results: Vec<(u32, Value)>,
    /// The iterations of endless loops since the branch last left them, by query and branch.
    pub turns: HashMap<(u16, u16), u32>,
}

impl OpenCall {
    /// A call that begins.
    pub fn new(node: u32, method: u32) -> OpenCall {
        OpenCall {
            node,
            method,
            last: 0,
            is_before: true,
            progress: Progress::Unknown,
            called: Vec::new(),
            activation: None,
            calling: None,
            passing: Vec::new(),
            arm: None,
            results: Vec::new(),
            turns: HashMap::new(),
        }
    }

    /// It is at a code index: before the instruction there, or behind it.
    pub fn is_at(&mut self, bci: u32, is_before: bool) {
        (self.last, self.is_before, self.calling) = (bci, is_before, None);
        self.called.clear();
    }

    /// A call that it made has ended.
    pub fn has_called(&mut self, method: u32) {
        self.called.push(method);
        self.calling = None;
        if let Progress::Calling(at) = self.progress {
            self.progress = Progress::Returned(at);
        }
    }

    /// Keeps the result of a call of a method that has just returned.
    pub fn keep_result(&mut self, callee: u32, result: Value, search: &mut Search<'_>, calls: &Calls) {
        let at = self.call_site(callee, search, calls);
        if search.sought.keeps_result(self.method, at) {
            self.results.retain(|(known, _)| *known != at);
            self.results.push((at, result));
        }
    }

    /// The code index at which it calls a method. If code that was not recorded is between the two, it is
    /// that of the last event.
    pub fn call_site(&self, callee: u32, search: &mut Search<'_>, calls: &Calls) -> u32 {
        if let Progress::Calling(at) = self.progress {
            return at;
        }
        self.site_of(|instruction| is_call_of(instruction, callee, calls), search, calls).unwrap_or(self.last)
    }

    /// The code index at which an exception came that no recorded code has thrown: the next instruction on
    /// the line that can throw one.
    pub fn raise_site(&self, line: Option<u32>, search: &mut Search<'_>, calls: &Calls) -> u32 {
        let found = search.methods.find(self.method, calls, search.pool);
        let code = found.as_ref().and_then(|found| found.code());
        let is_on_line = |pc| match (line, code) {
            (Some(line), Some(code)) => bytecode::lines::line_of(code, pc) == Some(line),
            _ => true,
        };
        let may_be = |instruction: &Instruction| instruction.op.can_throw() && is_on_line(instruction.pc);
        self.site_of(may_be, search, calls).unwrap_or(self.last)
    }

    /// The code index at which it calls a method that was not recorded, and whether that has one of these
    /// names.
    pub fn library_site(&self, names: &[&str], search: &mut Search<'_>, calls: &Calls) -> (u32, bool) {
        let is_named = |instruction: &Instruction| match &instruction.op {
            Op::Invoke { method, .. } => names.contains(&method.name.as_str()),
            _ => false,
        };
        match self.site_of(is_named, search, calls) {
            Some(at) => (at, true),
            None => (self.last, false),
        }
    }

    /// The next instruction of this kind that follows without a further event: before the next branch and the
    /// next line, after the calls that were made since the last event.
    fn site_of(
        &self,
        is_it: impl Fn(&Instruction) -> bool,
        search: &mut Search<'_>,
        calls: &Calls,
    ) -> Option<u32> {
        let found = search.methods.find(self.method, calls, search.pool)?;
        let code = found.code()?;
        let first = code.index_of(self.last)?;
        let first = if self.is_before { first } else { first + 1 };
        let rest = code.instructions.get(first..).unwrap_or_default();
        let ends = |instruction: &Instruction| instruction.op.is_branch() || instruction.op.ends_flow();
        let begins_line = |(at, instruction): (usize, &Instruction)| {
            (at > 0 || !self.is_before) && search.sought.has_line_event(self.method, instruction.pc)
        };
        let straight = rest.iter().position(ends).map_or(rest.len(), |at| at + 1);
        let line = rest.iter().enumerate().position(begins_line).unwrap_or(rest.len());
        let mut rest = rest.get(..straight.min(line)).unwrap_or_default();
        for called in &self.called {
            let at = rest.iter().position(|instruction| is_call_of(instruction, *called, calls));
            rest = at.and_then(|at| rest.get(at + 1..)).unwrap_or(rest);
        }
        rest.iter().find(|instruction| is_it(instruction)).map(|instruction| instruction.pc)
    }
}

/// Whether an instruction can call a recorded method.
fn is_call_of(instruction: &Instruction, callee: u32, calls: &Calls) -> bool {
    let (Op::Invoke { method, .. }, Some(callee)) = (&instruction.op, calls.sites.method(callee)) else {
        return false;
    };
    method.name == callee.name && method.descriptor == callee.descriptor
}
