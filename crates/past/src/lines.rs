//! The source lines of recorded events, corrected by class files. A recording contains the line table's line
//! of each event. The value of a multi-line expression may come from another line (`bytecode::Arms`), and
//! entering a line is not always a hit of `Line`.

use super::error::PastError;
use super::event::EventShown;
use bytecode::class::ACC_BRIDGE;
use bytecode::lines::{LineEntries, entries_of_line, line_of};
use bytecode::op::Constant;
use bytecode::stores::copied_at;
use bytecode::{ArmLines, Arms, Code, LineEntry, LocalVariable, Op, ValueLines};
use classes::{ClassPool, FoundClass, SourceRoots};
use model::{lambda_in_source, lambda_text};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;
use trace::{Calls, EventPosition, Level, Method, Site, Traced, TracedEvent};

/// Maximum number of events to go back for one value.
const BACK: usize = 10_000;

/// Finds the class files and sources of a recorded program. Returns `None` if they no longer exist.
pub type OpenCode = Box<dyn FnOnce() -> Option<(ClassPool, SourceRoots)> + Send>;

/// The class files of a recorded program, as far as they exist.
pub struct Lines {
    /// Opens them once.
    open: Option<OpenCode>,
    /// `None` if there are no class files, or if they were not opened yet.
    code: Option<(ClassPool, SourceRoots)>,
    /// By method and index: the arms that can have produced the value there.
    known: HashMap<(u32, u32), Option<Arc<ArmLines>>>,
    /// The recorded classes that can write fields without an event, once they were searched for.
    unseen_writers: Option<Vec<String>>,
}

/// The local variables of a method, from its class file.
#[derive(Clone, Debug)]
pub struct MethodVariables {
    variables: Vec<LocalVariable>,
    /// The line table, ordered by index.
    lines: Vec<LineEntry>,
}

impl MethodVariables {
    /// Whether the code has this line at this index: whether it is the code that was recorded.
    pub fn has_line(&self, pc: u32, line: u16) -> bool {
        let first = self.lines.partition_point(|entry| entry.start_pc < pc);
        let mut of_it = self.lines.iter().skip(first).take_while(|entry| entry.start_pc == pc);
        of_it.any(|entry| entry.line == u32::from(line))
    }

    /// Whether a variable of this name has a value before the instruction at this index.
    pub fn covers(&self, name: &str, pc: u32) -> bool {
        self.variables.iter().any(|variable| variable.name == name && variable.covers(pc))
    }

    /// Whether the method has a variable of this name.
    pub fn names(&self, name: &str) -> bool {
        self.variables.iter().any(|variable| variable.name == name)
    }
}

/// A method by class, name and descriptor.
type MethodKey = (Arc<str>, String, String);

/// Recognises passes over a line during a walk, as `Line` counts them.
pub struct LinePasses {
    /// By method: the entries of the line, and the starts of rows in the line table.
    entries: HashMap<MethodKey, (LineEntries, HashSet<u32>)>,
    /// The calls in which a pass is in progress, if the method has several entries of the line.
    on: HashSet<u32>,
}

impl Lines {
    /// Creates the lines of a recording; `open` finds its class files and sources on demand.
    pub fn new(open: OpenCode) -> Lines {
        Lines { open: Some(open), code: None, known: HashMap::new(), unseen_writers: None }
    }

    fn code(&mut self) -> Option<&(ClassPool, SourceRoots)> {
        if let Some(open) = self.open.take() {
            self.code = open();
        }
        self.code.as_ref()
    }

    fn pool(&mut self) -> Option<&ClassPool> {
        self.code().map(|(pool, _)| pool)
    }

    /// The recorded classes whose code names something that writes fields without an event.
    pub fn unseen_writers(&mut self, calls: &Calls) -> &[String] {
        const WRITERS: [&str; 5] =
            ["sun/misc/Unsafe", "internal/misc/Unsafe", "findSetter", "findStaticSetter", "unreflectSetter"];
        if self.unseen_writers.is_none() {
            let pool = self.pool();
            let is_one = |class: &str| {
                let read = pool.and_then(|pool| pool.read(class).ok().flatten());
                let names =
                    |bytes: &[u8], writer: &str| memchr::memmem::find(bytes, writer.as_bytes()).is_some();
                read.is_some_and(|read| WRITERS.iter().any(|writer| names(&read.bytes, writer)))
            };
            let classes = calls.sites.classes().filter(|(name, _)| is_one(name));
            let mut found: Vec<String> = classes.map(|(name, _)| name.to_string()).collect();
            found.sort_unstable();
            self.unseen_writers = Some(found);
        }
        self.unseen_writers.as_deref().unwrap_or_default()
    }

    /// Displays the lambdas of a recording by their source text. Ignores sources modified after the
    /// recording.
    pub fn name_lambdas(&mut self, calls: &mut Calls, recorded: Option<SystemTime>) {
        for (class, mut code) in calls.lambdas().into_iter().filter(|(_, code)| code.is_body()) {
            let Some((pool, sources)) = self.code() else { return };
            let found = pool.find(&code.class).ok().flatten();
            if code.place.is_none() {
                code.place = found.as_ref().and_then(|found| place(found, &code.method));
            }
            let origin = found.as_ref().map(|found| &found.origin);
            let text = lambda_in_source(&code, |file, line| {
                let source = sources.find(&code.class, Some(file.as_ref()), origin)?;
                let is_older = source.modified.zip(recorded).is_none_or(|(source, then)| source <= then);
                is_older.then(|| source.line(line).map(|text| text.trim().to_owned())).flatten()
            });
            calls.objects.name_lambda(class, text.unwrap_or_else(|| lambda_text(&code)));
        }
    }

    /// The file and line from which a compiler copied an instruction into a method; `None` if it did not, or
    /// without a class file.
    pub fn copied_from(&mut self, method: &Method, pc: u32) -> Option<(String, u32)> {
        let class = self.class(&method.class)?;
        class.file.source_map.as_ref()?;
        let copied = copied_at(code(&class, method)?, pc)?;
        Some((copied.file.clone(), copied.line))
    }

    /// The local variables of a method; `None` without a class file or a table of variables in it.
    pub fn variables(&mut self, method: &Method) -> Option<MethodVariables> {
        let class = self.class(&method.class)?;
        let code = code(&class, method).filter(|code| code.has_variable_table)?;
        Some(MethodVariables { variables: code.variables.clone(), lines: code.lines.clone() })
    }

    /// The value of a field's ConstantValue attribute (JVMS §4.7.2); `None` without one or a class file.
    pub fn constant(&mut self, class: &str, field: &str) -> Option<Constant> {
        let class = self.class(class)?;
        class.file.fields.iter().find(|of| of.name == field)?.constant.clone()
    }

    /// The trimmed text of a source line of a class. `None` if the source is missing, or was modified after
    /// the recording.
    pub fn text(
        &mut self,
        class: &str,
        file: Option<&str>,
        line: u32,
        recorded: Option<SystemTime>,
    ) -> Option<String> {
        let (pool, sources) = self.code()?;
        let found = pool.find(class).ok().flatten();
        let source = sources.find(class, file, found.as_ref().map(|found| &found.origin))?;
        let is_older = source.modified.zip(recorded).is_none_or(|(source, then)| source <= then);
        is_older.then(|| source.line(line).map(|text| text.trim().to_owned())).flatten()
    }

    /// The superclass and the interfaces that a class file names; `None` without one.
    pub fn supertypes(&mut self, class: &str) -> Option<(Option<String>, Vec<String>)> {
        let class = self.class(class)?;
        Some((class.file.super_name.clone(), class.file.interfaces.clone()))
    }

    /// The methods of a name in a class file: descriptor and access flags.
    pub fn methods(&mut self, class: &str, name: &str) -> Vec<(String, u16)> {
        let class = self.class(class);
        let all = class.iter().flat_map(|class| &class.file.methods).filter(|method| method.name == name);
        all.map(|method| (method.descriptor.clone(), method.access)).collect()
    }

    /// The descriptor of the method that a bridge calls; `None` for other methods.
    pub fn bridged(&mut self, method: &Method) -> Option<String> {
        if method.access & ACC_BRIDGE == 0 {
            return None;
        }
        let class = self.class(&method.class)?;
        code(&class, method)?.instructions.iter().find_map(|instruction| match &instruction.op {
            Op::Invoke { method: called, .. } if called.name == method.name => {
                Some(called.descriptor.clone())
            }
            _ => None,
        })
    }

    /// The field of `this` that a method returns and does nothing else: the class by which its code names the
    /// field, and the field's name.
    pub fn returned_field(&mut self, method: &Method) -> Option<(String, String)> {
        if method.is_static {
            return None;
        }
        let class = self.class(&method.class)?;
        match code(&class, method)?.instructions.as_slice() {
            [this, get, end] => match (&this.op, &get.op, &end.op) {
                (Op::Load { slot: 0, .. }, Op::GetField(field), Op::Return(Some(_))) => {
                    Some((field.class.clone(), field.name.clone()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn class(&mut self, class: &str) -> Option<Arc<FoundClass>> {
        self.pool()?.find(class).ok().flatten()
    }

    /// The arms that can have produced the value written or returned at a site. `None` if the class file is
    /// missing or contains other code.
    fn arms(&mut self, method: &Method, site: &Site) -> Option<Arc<ArmLines>> {
        let key = (site.method, site.bci);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let class = self.class(&method.class);
        let code = class.as_ref().and_then(|class| code(class, method));
        let found = code.and_then(|code| {
            let is_same = line_of(code, site.bci) == site.line.map(u32::from);
            Arms::new(code).filter(|_| is_same)?.of(site.bci)
        });
        let found = found.map(Arc::new);
        self.known.insert(key, found.clone());
        found
    }

    /// The lines that produced the value written or returned at an event.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn given(&mut self, calls: &mut Calls, at: EventPosition) -> Result<Option<ValueLines>, PastError> {
        let method_and_site = calls.event_at(at, |calls, seen| {
            let gives = matches!(
                seen.site.what,
                Traced::Put
                    | Traced::Preset
                    | Traced::PutStatic
                    | Traced::Element(_)
                    | Traced::Local { .. }
                    | Traced::Return
            );
            let own =
                gives && seen.site.by.is_none() && !seen.site.is_nowhere() && seen.node == Some(at.node);
            let method = calls.sites.method(seen.site.method).filter(|_| own)?;
            Some((method.clone(), seen.site.clone()))
        })?;
        let Some((method, site)) = method_and_site.flatten() else { return Ok(None) };
        let Some(lines) = self.arms(&method, &site) else { return Ok(None) };
        let arm = match lines.is_open() && method.level == Level::All {
            true => self.arm(calls, at, &method, &site, &lines)?,
            false => None,
        };
        Ok(Some(lines.value_lines(arm)))
    }

    /// The last mark executed before an event. The code between two recorded branches has no decisions.
    fn arm(
        &mut self,
        calls: &mut Calls,
        at: EventPosition,
        method: &Method,
        site: &Site,
        lines: &ArmLines,
    ) -> Result<Option<u32>, PastError> {
        let Some(class) = self.class(&method.class) else { return Ok(None) };
        let Some(code) = code(&class, method) else { return Ok(None) };
        let (mut here, mut until) = (at, site.bci);
        for _ in 0..BACK {
            let Some(before) = calls.preceding(here)? else { return Ok(None) };
            let seen = calls.event_at(before, |_, seen| {
                (seen.node == Some(at.node)).then_some((seen.site.what, seen.site.bci))
            })?;
            let from = match seen.flatten() {
                Some((Traced::Branch(to), bci)) => Some((u32::from(to), Some(bci))),
                Some((Traced::Catch, bci)) => Some((bci, None)),
                Some((Traced::Enter, _)) => Some((0, None)),
                _ => None,
            };
            if let Some((from, branch)) = from {
                let Some(passed) = straight(code, from, until) else { return Ok(None) };
                let mark = passed.into_iter().rev().find(|pc| lines.marks.contains_key(pc));
                let mark = mark.or(branch.filter(|pc| lines.marks.contains_key(pc)));
                match (mark, branch) {
                    (Some(mark), _) => return Ok(Some(mark)),
                    (None, Some(branch)) => until = branch,
                    (None, None) => return Ok(None),
                }
            }
            here = before;
        }
        Ok(None)
    }

    /// Replaces the line of a displayed event by the line that produced its value.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn correct(
        &mut self,
        calls: &mut Calls,
        at: EventPosition,
        shown: &mut EventShown,
    ) -> Result<(), PastError> {
        let Some(given) = self.given(calls, at)? else { return Ok(()) };
        let small = |line: u32| u16::try_from(line).ok();
        shown.line = given.line.and_then(small).or(shown.line);
        shown.statement = given.statement.and_then(small).filter(|line| Some(*line) != shown.line);
        shown.lines = given.open.into_iter().filter_map(small).collect();
        Ok(())
    }

    /// The passes over a line of a class and of the classes in its file. `None` without class files, or if no
    /// code is on the line.
    pub fn passes(&mut self, class: &str, line: u32) -> Option<LinePasses> {
        let pool = self.pool()?;
        let mut entries = HashMap::new();
        for name in pool.nested(class).unwrap_or_default() {
            let Some(found) = pool.find(&name).ok().flatten() else { continue };
            for method in &found.file.methods {
                let Some(code) = &method.code else { continue };
                let of_line = entries_of_line(code, line);
                if of_line.pcs.is_empty() {
                    continue;
                }
                let rows = code.lines.iter().map(|row| row.start_pc).collect();
                let key = (found.file.name.as_str().into(), method.name.clone(), method.descriptor.clone());
                entries.insert(key, (of_line, rows));
            }
        }
        (!entries.is_empty()).then(|| LinePasses { entries, on: HashSet::new() })
    }
}

impl LinePasses {
    /// Whether a pass over the line begins at an event.
    pub fn begins(&mut self, calls: &Calls, seen: &TracedEvent<'_>) -> bool {
        let (at, is_row) = match seen.site.what {
            Traced::Line(_) => (seen.site.bci, true),
            Traced::Branch(to) => (to.into(), false),
            _ => return false,
        };
        let Some(method) = calls.sites.method(seen.site.method) else { return false };
        let key = (method.class.clone(), method.name.clone(), method.descriptor.clone());
        let Some((line, rows)) = self.entries.get(&key) else { return false };
        let node = seen.node.unwrap_or(u32::MAX);
        if !line.inside.contains(&at) {
            self.on.remove(&node);
            return false;
        }
        // After a jump to the start of a row, the row's own line event follows.
        let begins = line.pcs.contains(&at) && (is_row || !rows.contains(&at));
        begins && (line.pcs.len() < 2 || self.on.insert(node))
    }
}

fn code<'c>(class: &'c FoundClass, method: &Method) -> Option<&'c Code> {
    class.file.method(&method.name, &method.descriptor)?.code.as_ref()
}

/// The file and the first line of a lambda's body.
fn place(class: &FoundClass, method: &str) -> Option<(Arc<str>, u32)> {
    let body = class.file.methods.iter().find(|body| body.name == method)?;
    let line = body.code.as_ref()?.lines.first()?.line;
    Some((class.file.source_file.as_deref()?.into(), line))
}

/// The instructions from `from` up to, excluding, `until`; `None` if there is a decision in between.
fn straight(code: &Code, from: u32, until: u32) -> Option<Vec<u32>> {
    let mut passed = Vec::new();
    let mut at = from;
    while at != until {
        let instruction = code.at(at)?;
        passed.push(at);
        at = match &instruction.op {
            Op::Goto { target } => *target,
            Op::If { .. } | Op::Switch { .. } => return None,
            op if op.ends_flow() => return None,
            _ => instruction.next_pc(),
        };
        if passed.len() > code.instructions.len() {
            return None;
        }
    }
    Some(passed)
}
