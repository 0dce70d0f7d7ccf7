//! Generates the code that logs how values are copied.

use crate::steps::{FieldAccess, Weaver, call, initialised, kind_of};
use descriptor::Kind;
use rewrite::{Slot, StackOp, Step};
use wire::{CopyEvent, LocalStore};

impl Weaver {
    /// Logs the copy at an index of the method. `constant` names the static field accessed there, if it is of
    /// another class.
    pub fn copied(&mut self, site: i32, bci: u32, copied: &CopyEvent, constant: Option<u16>) {
        let number = self.numbered();
        let serial = Step::Load(Kind::Long, number);
        let site = Step::Int(site);
        match *copied {
            CopyEvent::Entered(LocalStore { slot, kind }) => {
                let kind = kind_of(kind);
                self.entering([Step::Load(kind, Slot::Own(slot)), serial, site, pass(kind)]);
            }
            CopyEvent::Top { kind } => {
                let kind = kind_of(kind);
                self.ahead(bci, [dup(kind), serial, site, pass(kind)]);
            }
            CopyEvent::Increased { slot, by } => {
                let value = Step::Load(Kind::Int, Slot::Own(slot));
                self.ahead(bci, [value, Step::Int(by), serial, site, call("increased", "(IIJI)V")]);
            }
            CopyEvent::Put { kind, is_static } => {
                let mut steps = initialised(&FieldAccess { is_static, kind, initialises: constant });
                let kind = kind_of(kind);
                let scratch = self.scratch(kind);
                let owner = if is_static { Step::Null } else { Step::Stack(StackOp::Dup) };
                let put = call("copy", format!("(Ljava/lang/Object;{}JI)V", kind.descriptor()));
                let value = Step::Load(kind, scratch);
                steps.extend([Step::Store(kind, scratch), owner, value.clone(), serial, site, put, value]);
                self.ahead(bci, steps);
            }
            CopyEvent::Constructed { behind } => {
                let this = Step::Load(Kind::Reference, Slot::Own(0));
                let steps = [this, serial, site, call("read", "(Ljava/lang/Object;JI)V")];
                self.plan.after.entry(behind).or_default().extend(steps);
            }
            CopyEvent::ElementPut { kind } => {
                let kind = kind_of(kind);
                let scratch = self.scratch(kind);
                let put = call("copy", format!("(Ljava/lang/Object;I{}JI)V", kind.descriptor()));
                let value = Step::Load(kind, scratch);
                let both = Step::Stack(StackOp::Dup2);
                self.ahead(bci, [Step::Store(kind, scratch), both, value.clone(), serial, site, put, value]);
            }
            CopyEvent::Got { kind, is_static } => {
                let mut steps = initialised(&FieldAccess { is_static, kind, initialises: constant });
                let owner = if is_static { Step::Null } else { Step::Stack(StackOp::Dup) };
                steps.extend([owner, serial, site, call("read", "(Ljava/lang/Object;JI)V")]);
                self.ahead(bci, steps);
            }
            CopyEvent::GotElement => {
                let both = Step::Stack(StackOp::Dup2);
                self.ahead(bci, [both, serial, site, call("read", "(Ljava/lang/Object;IJI)V")]);
            }
            CopyEvent::Here => self.ahead(bci, [serial, site, call("come", "(JI)V")]),
            CopyEvent::Behind => {
                let steps = [serial, site, call("come", "(JI)V")];
                self.plan.after.entry(bci).or_default().extend(steps);
            }
        }
    }
}

fn pass(kind: Kind) -> Step {
    call("pass", format!("({}JI)V", kind.descriptor()))
}

fn dup(kind: Kind) -> Step {
    Step::Stack(if kind.slots() == 2 { StackOp::Dup2 } else { StackOp::Dup })
}
