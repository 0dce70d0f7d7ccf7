//! What class files and sources say of a located site: its line, what it assigns, what it decides.

use crate::classes::{ClassPool, FoundClass, SourceRoots, SourceText};
use crate::model::{Frame, MethodName, Site};
use bytecode::{Cfg, Expressions};
use std::sync::Arc;

/// How many lines around a point are shown on each side.
const AROUND: u32 = 2;

/// Class files and sources of one run.
pub struct CodeBook<'a> {
    /// The class files.
    pub pool: &'a ClassPool,
    /// The sources.
    pub sources: &'a SourceRoots,
}

/// A condition that decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// The whole condition, as source-like text.
    pub whole: String,
    /// The operand whose branch decided, where the condition has several.
    pub decided_by: Option<String>,
    /// The way it went.
    pub taken: String,
    /// Operands by text, with whether they can be read back.
    pub operands: Vec<(String, bool)>,
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

    /// The lines around a frame's.
    pub fn around(&self, frame: &Frame) -> Vec<(u32, String)> {
        let (Some(source), Some(line)) = (self.source(frame), frame.line) else { return Vec::new() };
        let lines = line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND);
        lines.filter_map(|n| Some((n, source.line(n)?.replace('\t', "    ")))).collect()
    }

    /// Says so when the class file is older than its source: its lines may be other ones.
    pub fn stale(&self, frame: &Frame) -> Option<String> {
        let class = self.class(&frame.site)?;
        let source = self.source(frame)?;
        (class.modified? < source.modified?).then(|| {
            format!("{} is older than {}: build again, lines may have moved", class.origin, source.path)
        })
    }

    /// The assignment at a site, as source-like text.
    pub fn assigned(&self, site: &Site) -> Option<String> {
        let class = self.class(site)?;
        let method = class.file.method(&site.method.name, &site.method.descriptor)?;
        bytecode::expression::stored_expression(&class.file, method, site.bci).map(|s| s.text)
    }

    /// The condition at a branch, and the way it went to the instruction that followed.
    pub fn decision(&self, site: &Site, followed_by: u32) -> Option<Decision> {
        let class = self.class(site)?;
        let method = class.file.method(&site.method.name, &site.method.descriptor)?;
        let code = method.code.as_ref()?;
        let mut condition = Expressions::new(&class.file, method)?.condition_at(site.bci)?;
        if let Some(numbered) = condition.enum_table.as_ref().map(|table| self.pool.find(&table.class))
            && let Ok(Some(numbered)) = numbered
        {
            condition = condition.with_enum(&numbered.file);
        }
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
            taken: condition.way(kind).to_string(),
            operands: condition.operands.iter().map(|o| (o.text.clone(), o.readable.is_some())).collect(),
            whole,
        })
    }
}

/// Where a text stands in a line, if it stands there once: offset and length in characters.
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
