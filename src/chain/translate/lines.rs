//! From a source line to the methods that hold it (DESIGN §5.8), found again by its text when it moved (DESIGN §6).

use super::classes::{Classes, method_name};
use super::error::Refusal;
use crate::classes::SourceText;
use crate::model::MethodName;
use bytecode::lines::{entries_of_line, lines_with_code};
use bytecode::{ClassFile, Code};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A line of one source file, with the classes that come from that file.
pub(crate) struct SourceLine {
    /// The line, where it stands now.
    pub(crate) line: u32,
    /// The source file's name, or the class's.
    pub(crate) file: String,
    classes: Vec<Arc<ClassFile>>,
    /// What the user should know of how it was found.
    pub(crate) warning: Option<String>,
}

/// The part of one method that a line stands for.
pub(crate) struct LinePart<'a> {
    pub(crate) method: MethodName,
    pub(crate) code: &'a Code,
    pub(crate) entries: Vec<u32>,
    pub(crate) exits: Vec<u32>,
}

impl SourceLine {
    /// Finds a line by the class that holds it and, where it is given, its text.
    pub(crate) fn find(
        classes: &Classes<'_>,
        class: &str,
        line: u32,
        text: Option<&str>,
    ) -> Result<SourceLine, Refusal> {
        let found = classes.named(class)?;
        let names = classes.pool.nested(&found.file.name)?;
        let mut files = vec![found.file.clone()];
        for name in names.iter().filter(|n| **n != found.file.name) {
            files.extend(classes.pool.find(name)?.map(|f| f.file.clone()));
        }
        let file = found.file.source_file.clone().unwrap_or_else(|| found.file.name.clone());
        let mut at = SourceLine { line, file, classes: files, warning: None };
        let with_code: BTreeSet<u32> = at.classes.iter().flat_map(|f| lines_with_code(f)).collect();
        if with_code.is_empty() {
            return Err(Refusal::NoLines { class: found.file.name.clone() });
        }
        if let Some(text) = text {
            let source = classes.sources.find(
                &found.file.name,
                found.file.source_file.as_deref(),
                Some(&found.origin),
            );
            match source {
                Some(source) => at.find_again(&source, text, &with_code)?,
                None => {
                    at.warning = Some(format!(
                        "{} was not found, so line {line} is taken without looking at its text",
                        at.file
                    ));
                }
            }
        }
        if !with_code.contains(&at.line) {
            let nearest = [with_code.range(..at.line).next_back(), with_code.range(at.line..).next()];
            let nearest = nearest.into_iter().flatten().copied().collect();
            return Err(Refusal::NoCodeOnLine { file: at.file, line: at.line, nearest });
        }
        Ok(at)
    }

    /// Keeps the line if it holds the text, else goes to the only line with code that does.
    fn find_again(
        &mut self,
        source: &SourceText,
        text: &str,
        with_code: &BTreeSet<u32>,
    ) -> Result<(), Refusal> {
        let wanted = text.trim();
        let actual = source.line(self.line).map(str::trim).unwrap_or("");
        if actual == wanted {
            return Ok(());
        }
        let holds = |line: &&u32| source.line(**line).is_some_and(|l| l.trim() == wanted);
        let elsewhere: Vec<u32> = with_code.iter().filter(holds).copied().collect();
        if let [one] = elsewhere.as_slice() {
            self.warning =
                Some(format!("`{wanted}` has moved from line {} to line {one} of {}", self.line, self.file));
            self.line = *one;
            return Ok(());
        }
        Err(Refusal::TextMoved {
            file: self.file.clone(),
            line: self.line,
            actual: actual.to_owned(),
            text: wanted.to_owned(),
            elsewhere,
        })
    }

    /// The methods that hold the line: nested classes, lambdas and copied initialisers too, but no bridges.
    pub(crate) fn parts(&self) -> Vec<LinePart<'_>> {
        let mut parts = Vec::new();
        for class in &self.classes {
            for method in &class.methods {
                let Some(code) = &method.code else { continue };
                let found = entries_of_line(code, self.line);
                if method.access & bytecode::class::ACC_BRIDGE != 0 || found.pcs.is_empty() {
                    continue;
                }
                let (entries, exits) = (found.pcs, found.exits);
                parts.push(LinePart { method: method_name(class, method), code, entries, exits });
            }
        }
        parts
    }
}
