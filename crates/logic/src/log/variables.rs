//! The local variables of a call that are visible at one of its events.

use past::{Lines, MethodVariables};
use std::collections::HashMap;
use std::sync::Arc;
use trace::{Calls, Site, Traced, TracedEvent, Value};

/// The variables of one call, as its events tell them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    held: Vec<Variable>,
    /// The current line, and the index of its first instruction.
    line: Option<(u32, u16)>,
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    value: Value,
    /// Whether it was written since the current line began.
    is_fresh: bool,
}

impl Variables {
    /// Takes over what an event of the call says.
    pub fn take(&mut self, calls: &Calls, seen: &TracedEvent<'_>) {
        match seen.site.what {
            Traced::Enter if !seen.is_around => {
                let Some(method) = calls.sites.method(seen.site.method) else { return };
                let first = seen.values.len().saturating_sub(method.parameters.len());
                let values = seen.values.iter().skip(first);
                let one = |(at, (name, value)): (usize, (&Option<String>, &Value))| Variable {
                    name: name.clone().unwrap_or_else(|| format!("argument {}", at + 1)),
                    value: *value,
                    is_fresh: false,
                };
                self.held = method.parameters.iter().zip(values).enumerate().map(one).collect();
            }
            Traced::Line(_) => self.enter_line(seen.site),
            Traced::Local { .. } => {
                let (Some(written), Some(value)) = (&seen.site.written, seen.values.first()) else { return };
                match self.held.iter_mut().find(|held| held.name == written.name) {
                    Some(held) => (held.value, held.is_fresh) = (*value, true),
                    None => {
                        let name = written.name.clone();
                        self.held.push(Variable { name, value: *value, is_fresh: true });
                    }
                }
            }
            _ => {}
        }
    }

    /// Begins the line of a site.
    pub fn enter_line(&mut self, site: &Site) {
        let Traced::Line(line) = site.what else { return };
        self.line = Some((site.bci, line));
        for held in &mut self.held {
            held.is_fresh = false;
        }
    }

    /// The visible variables in the order of their first values. A variable is visible where the class file
    /// says that it has a value (JVMS §4.7.13), and after a write on the current line. Without a class file,
    /// all variables with a value are visible.
    pub fn visible(&self, of: Option<&MethodVariables>) -> Vec<(String, Value)> {
        let of = of.zip(self.line).filter(|(of, (pc, line))| of.has_line(*pc, *line));
        let is_visible = |held: &&Variable| {
            of.is_none_or(|(of, (pc, _))| of.covers(&held.name, pc) || held.is_fresh && of.names(&held.name))
        };
        self.held.iter().filter(is_visible).map(|held| (held.name.clone(), held.value)).collect()
    }
}

/// The tables of local variables of methods, by the numbers of the methods.
#[derive(Default)]
pub(crate) struct VariableTables {
    known: HashMap<u32, Option<Arc<MethodVariables>>>,
}

impl VariableTables {
    /// The table of the method of a call; `None` if no class file has it.
    pub fn of(&mut self, node: u32, calls: &Calls, lines: &mut Lines) -> Option<Arc<MethodVariables>> {
        let number = calls.method_number(node)?;
        let found = self.known.entry(number);
        found.or_insert_with(|| lines.variables(calls.sites.method(number)?).map(Arc::new)).clone()
    }
}
