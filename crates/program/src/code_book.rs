//! What class files and sources say about a site: its line, its assignment, its condition.

use bytecode::{Cfg, Condition, ControlDependence, EdgeKind, Expressions, Op, Operand};
use classes::{ClassPool, FoundClass, SourceRoots, SourceText};
use model::{Coordinate, Frame, MethodName, Site};
use query::Field;
use std::sync::Arc;

/// Number of source lines to show before and after a point.
const AROUND: u32 = 2;

/// The class files and sources of one run.
pub struct CodeBook<'a> {
    /// The class files.
    pub pool: &'a ClassPool,
    /// The sources.
    pub sources: &'a SourceRoots,
}

/// A decided condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// The whole condition, as source-like text.
    pub whole: String,
    /// The operand whose branch decided, if the condition has several.
    pub decided_by: Option<String>,
    /// The outcome.
    pub taken: String,
    /// The operands by text, each with the source of its value.
    pub operands: Vec<(String, Source)>,
}

/// The source of an operand's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// It was read when the condition was decided.
    Read,
    /// The branch taken implies it.
    Told(String),
    /// It was only on the operand stack.
    Gone,
}

/// The source lines around a line, each with its number.
pub fn around(source: &SourceText, line: u32) -> Vec<(u32, String)> {
    let lines = line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND);
    lines.filter_map(|n| Some((n, source.line(n)?.replace('\t', "    ")))).collect()
}

/// The line of another file from which a compiler copied code (JSR 45).
pub struct CopiedFrom {
    /// Name of the source file.
    pub file: String,
    /// The source line, from 1.
    pub line: u32,
    /// The source line, trimmed, if the source was found.
    pub text: Option<String>,
}

impl CodeBook<'_> {
    fn class(&self, site: &Site) -> Option<Arc<FoundClass>> {
        self.pool.find(&site.method.class).ok().flatten()
    }

    /// The source file of a frame.
    pub fn source(&self, frame: &Frame) -> Option<Arc<SourceText>> {
        let class = self.class(&frame.site);
        let origin = class.as_ref().map(|c| &c.origin);
        self.sources.find(&frame.site.method.class, frame.source_file.as_deref(), origin)
    }

    /// The source line of a frame, trimmed.
    pub fn text(&self, frame: &Frame) -> Option<String> {
        let source = self.source(frame)?;
        Some(source.line(frame.line?)?.trim().to_owned())
    }

    /// The source line of an instruction.
    pub fn line(&self, method: &MethodName, bci: u32) -> Option<u32> {
        let class = self.pool.find(&method.class).ok().flatten()?;
        let code = class.file.method(&method.name, &method.descriptor)?.code.as_ref()?;
        bytecode::lines::line_of(code, bci)
    }

    /// The line of another file from which a compiler copied an instruction.
    pub fn copied_from(&self, site: &Site) -> Option<CopiedFrom> {
        let class = self.class(site)?;
        let code = class.file.method(&site.method.name, &site.method.descriptor)?.code.as_ref()?;
        let copied = bytecode::stores::copied_at(code, site.bci)?;
        let of = copied.path.replace('/', ".");
        let source = self.sources.find(&of, Some(&copied.file), Some(&class.origin));
        let text = source.and_then(|source| Some(source.line(copied.line)?.trim().to_owned()));
        Some(CopiedFrom { file: copied.file.clone(), line: copied.line, text })
    }

    /// The source lines around the line of a frame.
    pub fn around(&self, frame: &Frame) -> Vec<(u32, String)> {
        let (Some(source), Some(line)) = (self.source(frame), frame.line) else { return Vec::new() };
        around(&source, line)
    }

    /// Warns that the class file of a frame is older than its source, so that lines may have moved.
    pub fn stale(&self, frame: &Frame) -> Option<String> {
        self.stale_class(&frame.site.method.class)
    }

    /// Like [`CodeBook::stale`], for a class.
    pub fn stale_class(&self, class: &str) -> Option<String> {
        let class = self.pool.find(class).ok().flatten()?;
        let source_file = class.file.source_file.as_deref();
        self.sources.find(&class.name, source_file, Some(&class.origin))?.newer_than(&class)
    }

    /// The source file of a class, or the class itself if the file is unknown.
    pub fn file(&self, class: &str) -> String {
        let found = self.pool.find(class).ok().flatten();
        found.and_then(|f| f.file.source_file.clone()).unwrap_or_else(|| class.to_owned())
    }

    /// The display form of an instruction: `Intro.main@31 line 31`.
    pub fn place(&self, site: &Site) -> String {
        match self.line(&site.method, site.bci) {
            Some(line) => format!("{site} line {line}"),
            None => site.to_string(),
        }
    }

    /// The display form of a hit: `Intro.java:10, hit 2`.
    pub fn hit(&self, at: &Coordinate) -> String {
        let Site { method, bci } = &at.site;
        let place = match self.line(method, *bci) {
            Some(line) => format!("{}:{line}", self.file(&method.class)),
            None => format!("{}.{}", method.class, method.name),
        };
        format!("{place}, hit {}", at.ordinal)
    }

    /// Whether the class file has the method with code.
    pub fn has_code(&self, method: &MethodName) -> bool {
        let class = self.pool.find(&method.class).ok().flatten();
        let found = class.as_ref().and_then(|c| c.file.method(&method.name, &method.descriptor));
        found.is_some_and(|m| m.code.is_some())
    }

    /// Whether the field is a constant, which `javac` copies into its uses (JVMS §4.7.2).
    pub fn is_constant(&self, field: &Field) -> bool {
        let class = self.pool.find(&field.class).ok().flatten();
        let declared = class.as_ref().and_then(|c| c.file.field(&field.name));
        declared.is_some_and(|f| f.constant.is_some())
    }

    /// The places in the field's source file that write or read it.
    pub fn accesses(&self, field: &Field, writes: bool) -> Vec<Site> {
        accesses(self.pool, field, writes)
    }

    /// The conditions that decide whether an instruction of a method is reached, as text and line. If only an
    /// exception leads there, a text says so.
    pub fn deciding(&self, method: &MethodName, bci: u32) -> Vec<(String, Option<u32>)> {
        let Ok(Some(class)) = self.pool.find(&method.class) else { return Vec::new() };
        let Some(method) = class.file.method(&method.name, &method.descriptor) else { return Vec::new() };
        let Some(code) = &method.code else { return Vec::new() };
        let depends = ControlDependence::new(code).of(bci);
        let line = |pc: u32| bytecode::lines::line_of(code, pc);
        let expressions = Expressions::new(&class.file, method);
        let edges = depends.edges.iter().map(|edge| {
            let condition = expressions.as_ref().and_then(|e| e.condition_at(edge.branch_pc));
            let text = condition.map(|c| format!("`{}`", c.whole.unwrap_or(c.text)));
            (text.unwrap_or_else(|| "a condition".to_owned()), line(edge.branch_pc))
        });
        let handlers = depends
            .handlers
            .iter()
            .map(|handler| ("an exception that is caught".to_owned(), line(handler.handler_pc)));
        edges.chain(handlers).collect()
    }

    /// Notes that a throw rethrows a caught exception.
    pub fn thrown_again(&self, site: &Site) -> Option<String> {
        let class = self.class(site)?;
        let method = class.file.method(&site.method.name, &site.method.descriptor)?;
        let code = method.code.as_ref()?;
        let found = bytecode::rethrow(code, site.bci)?;
        let lines = match found.lines {
            Some((first, last)) if first == last => format!("line {first}"),
            Some((first, last)) => format!("lines {first} to {last}"),
            None => "what it protects".to_owned(),
        };
        Some(match found.variable {
            Some(name) => format!("thrown again there: `{name}` was caught from {lines}"),
            None if code.has_variable_table => format!(
                "thrown again there, by the `finally`, `synchronized` or try-with-resources that \
                 protects {lines}"
            ),
            None => format!("thrown again there, by the handler that protects {lines}"),
        })
    }

    /// The assignment at a site, as source-like text.
    pub fn assigned(&self, site: &Site) -> Option<String> {
        let class = self.class(site)?;
        let method = class.file.method(&site.method.name, &site.method.descriptor)?;
        bytecode::expression::stored_expression(&class.file, method, site.bci).map(|s| s.text)
    }

    /// The condition at a branch, and its outcome, which follows from the next executed instruction. `line`
    /// is the source line of the branch.
    pub fn decision(&self, site: &Site, followed_by: u32, line: Option<&str>) -> Option<Decision> {
        let class = self.class(site)?;
        let method = class.file.method(&site.method.name, &site.method.descriptor)?;
        let code = method.code.as_ref()?;
        let mut condition = Expressions::new(&class.file, method)?.condition_at(site.bci)?;
        if let Some(table) = &condition.enum_table
            && let Ok(Some(numbered)) = self.pool.find(&table.class)
        {
            condition = condition.with_enum(&numbered.file);
        }
        condition = read_as(condition, line);
        let cfg = Cfg::new(code);
        let node = cfg.block_at(site.bci)?;
        let followers = cfg.successors(node, false);
        let kind = followers
            .iter()
            .find(|(to, _)| cfg.block(*to).is_some_and(|b| b.start_pc == followed_by))
            .map(|(_, kind)| *kind)?;
        let whole = condition.whole.clone().unwrap_or_else(|| condition.text.clone());
        let part = condition.text != whole && !whole.starts_with("assert ") && !whole.starts_with("switch");
        Some(Decision {
            decided_by: part.then(|| condition.text.clone()),
            taken: condition.outcome(kind).to_string(),
            operands: condition
                .operands
                .iter()
                .filter(|o| !o.is_unnamed())
                .map(|o| (o.text.clone(), source_of(&condition, o, kind)))
                .collect(),
            whole,
        })
    }
}

/// The calls of a method in the code of another one, on a line or anywhere: the instruction, and the
/// expressions of the arguments. `None` without the class file.
pub fn calls_in(
    pool: &ClassPool,
    caller: &MethodName,
    called: &str,
    descriptor: &str,
    line: Option<u32>,
) -> Option<Vec<(u32, Vec<String>)>> {
    let class = pool.find(&caller.class).ok()??;
    let found = class.file.method(&caller.name, &caller.descriptor)?;
    let (code, expressions) = (found.code.as_ref()?, Expressions::new(&class.file, found)?);
    let is_it = |op: &Op| match op {
        Op::Invoke { method, .. } => method.name == called && method.descriptor == descriptor,
        _ => false,
    };
    let is_there = |pc: u32| line.is_none_or(|line| bytecode::lines::line_of(code, pc) == Some(line));
    let calls = code.instructions.iter().filter(|one| is_it(&one.op) && is_there(one.pc));
    let texts = calls.map(|one| {
        let call = expressions.call_at(one.pc);
        let arguments = call.map(|call| call.arguments).unwrap_or_default();
        (one.pc, arguments.into_iter().map(|argument| argument.text).collect())
    });
    Some(texts.collect())
}

/// The position of the parameter in a slot.
pub fn parameter_in(descriptor: &str, is_static: bool, slot: u16) -> Option<usize> {
    let types = bytecode::descriptor::parse_method(descriptor)?.parameters;
    let mut at = u16::from(!is_static);
    for (position, of) in types.iter().enumerate() {
        if at == slot {
            return Some(position);
        }
        at = at.saturating_add(if matches!(of.as_str(), "J" | "D") { 2 } else { 1 });
    }
    None
}

/// The places in the field's source file that write or read it.
pub fn accesses(pool: &ClassPool, field: &Field, writes: bool) -> Vec<Site> {
    let accesses = |op: &Op| {
        op.field_access().is_some_and(|(r, is_write)| {
            is_write == writes && r.class == *field.class && r.name == *field.name
        })
    };
    let mut sites = Vec::new();
    for name in pool.nested(&field.class).unwrap_or_default() {
        let Ok(Some(class)) = pool.find(&name) else { continue };
        for method in &class.file.methods {
            let found = method.code.iter().flat_map(|c| &c.instructions).filter(|i| accesses(&i.op));
            let name =
                || MethodName::new(class.name.as_str(), method.name.as_str(), method.descriptor.as_str());
            sites.extend(found.map(|i| Site { method: name(), bci: i.pc }));
        }
    }
    sites
}

/// Chooses between `if` and `do` by the source line, since their bytecode can be equal.
fn read_as(mut condition: Condition, line: Option<&str>) -> Condition {
    let Some(as_if) = condition.as_if.take() else { return condition };
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let line = squeezed(line.unwrap_or_default());
    let holds = |c: &Condition| c.whole.as_ref().is_some_and(|whole| line.contains(&squeezed(whole)));
    let is_if = line.starts_with("if(") || line.contains("elseif(");
    if is_if || (holds(&as_if) && !holds(&condition)) { *as_if } else { condition }
}

fn source_of(condition: &Condition, operand: &Operand, edge: &EdgeKind) -> Source {
    match condition.implied_value(operand, edge) {
        _ if operand.readable.is_some() => Source::Read,
        Some(value) => Source::Told(value),
        None => Source::Gone,
    }
}

/// The position of a text in a line, if it occurs there exactly once: offset and length in characters.
pub fn unique(line: &str, text: &str) -> Option<(usize, usize)> {
    let first = line.find(text)?;
    let again = line.get(first + text.len()..)?.contains(text);
    (!text.is_empty() && !again).then(|| (line[..first].chars().count(), text.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::unique;

    #[test]
    fn a_text_is_marked_only_where_it_is_unique() {
        assert_eq!(unique("if (record.bar || cond) {", "record.bar"), Some((4, 10)));
        assert_eq!(unique("x = x + 1;", "x"), None);
        assert_eq!(unique("ä = b;", "b"), Some((4, 1)));
    }
}
