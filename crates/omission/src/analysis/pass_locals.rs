//! The local variables at the passes of jumps. A call can have millions of events, so the variables at all
//! passes in it are read in one go.

use super::executed::Pass;
use past::PastError;
use past::locals::KnownLocals;
use std::collections::HashMap;
use std::rc::Rc;
use trace::{Calls, EventPosition, Value};

/// Variables by name, in the order of their first values.
pub(super) type Named = Rc<[(Rc<str>, Value)]>;

/// The variables at passes; `None` for a call whose entry was not recorded.
#[derive(Default)]
pub(super) struct PassLocals {
    known: HashMap<EventPosition, Option<Named>>,
    names: HashMap<String, Rc<str>>,
}

impl PassLocals {
    /// Reads the variables at passes.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn read(&mut self, calls: &mut Calls, mut passes: Vec<Pass>) -> Result<(), PastError> {
        passes.retain(|pass| !self.known.contains_key(&pass.at));
        passes.sort_by_key(|pass| (pass.at.node, pass.when));
        let mut before: Option<KnownLocals> = None;
        let mut node = None;
        for pass in passes {
            let of_call = before.take().filter(|_| node == Some(pass.at.node));
            node = Some(pass.at.node);
            before = KnownLocals::before(of_call, calls, pass.at)?;
            let named = before.as_ref().map(|known| {
                let list = known.list().into_iter();
                list.map(|local| (self.name(local.name), local.value)).collect()
            });
            self.known.insert(pass.at, named);
        }
        Ok(())
    }

    fn name(&mut self, name: String) -> Rc<str> {
        self.names.entry(name).or_insert_with_key(|name| name.as_str().into()).clone()
    }

    /// The variables at a pass.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn at(&mut self, calls: &mut Calls, pass: &Pass) -> Result<Option<Named>, PastError> {
        if !self.known.contains_key(&pass.at) {
            self.read(calls, vec![*pass])?;
        }
        Ok(self.known.get(&pass.at).cloned().flatten())
    }
}
