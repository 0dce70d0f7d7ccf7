//! Maps a source line to the methods that contain it (DESIGN §5.8), and finds a moved line again by its text
//! (DESIGN §6).

use super::classes::{Classes, method_name};
use super::error::Refusal;
use super::moved::{MethodLines, Remembered};
use super::suggestions::no_code_on_line;
use bytecode::lines::{entries_of_copied_line, entries_of_line, lines_with_code};
use bytecode::{ClassFile, Code};
use classes::SourceText;
use model::MethodName;
use std::sync::Arc;

/// A line of a source file, with the classes compiled from that file.
pub(crate) struct SourceLine {
    /// The current number of the line.
    pub(crate) line: u32,
    /// The name of the source file, or of the class.
    pub(crate) file: String,
    classes: Vec<Arc<ClassFile>>,
    /// Classes of other files into which the compiler has copied code of this file.
    copying: Vec<Arc<ClassFile>>,
    /// A warning about how the line was found.
    pub(crate) warning: Option<String>,
}

/// The code of a line in one method.
pub(crate) struct LinePart<'a> {
    pub(crate) method: MethodName,
    pub(crate) code: &'a Code,
    pub(crate) entries: Vec<u32>,
    pub(crate) exits: Vec<u32>,
}

impl SourceLine {
    /// Finds a line by a class of its file and the data remembered about it.
    pub(crate) fn find(
        classes: &Classes<'_>,
        class: &str,
        line: u32,
        remembered: &Remembered,
    ) -> Result<SourceLine, Refusal> {
        let (mut at, source) = SourceLine::unchecked(classes, class, line)?;
        let methods = MethodLines::of(at.classes.iter().map(|c| &**c));
        let with_code = methods.lines();
        if let Some(text) = &remembered.text {
            match &source {
                Some(source) => at.find_again(source, text, &methods, remembered)?,
                None => {
                    at.warning = Some(format!(
                        "{} was not found, so line {line} is taken without looking at its text",
                        at.file
                    ));
                }
            }
        }
        if !with_code.contains(&at.line) {
            return Err(no_code_on_line(at.file, at.line, &with_code, source.as_deref()));
        }
        if let Some(class) = at.classes.first() {
            at.copying = classes.pool.copying(class)?;
        }
        Ok(at)
    }

    /// The data by which a line can be found again; none without source.
    pub(crate) fn remember(
        classes: &Classes<'_>,
        class: &str,
        line: u32,
    ) -> Result<Option<Remembered>, Refusal> {
        let (at, source) = SourceLine::unchecked(classes, class, line)?;
        let Some(source) = source else { return Ok(None) };
        let Some(text) = source.line(line).map(str::trim).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let methods = MethodLines::of(at.classes.iter().map(|c| &**c));
        Ok(Some(methods.remember(line, &holding(&source, text, &methods), text)))
    }

    /// The classes of the line's source file, and the source if it is found.
    fn unchecked(
        classes: &Classes<'_>,
        class: &str,
        line: u32,
    ) -> Result<(SourceLine, Option<Arc<SourceText>>), Refusal> {
        let found = classes.named(class)?;
        let names = classes.pool.nested(&found.file.name)?;
        let mut files = vec![found.file.clone()];
        for name in names.iter().filter(|n| **n != found.file.name) {
            files.extend(classes.pool.find(name)?.map(|f| f.file.clone()));
        }
        if files.iter().all(|f| lines_with_code(f).is_empty()) {
            return Err(Refusal::NoLines { class: found.file.name.clone() });
        }
        let file = found.file.source_file.clone().unwrap_or_else(|| found.file.name.clone());
        let source =
            classes.sources.find(&found.file.name, found.file.source_file.as_deref(), Some(&found.origin));
        Ok((SourceLine { line, file, classes: files, copying: Vec::new(), warning: None }, source))
    }

    /// Keeps the line if it is the remembered one; otherwise moves to the line that certainly is.
    fn find_again(
        &mut self,
        source: &SourceText,
        text: &str,
        methods: &MethodLines,
        remembered: &Remembered,
    ) -> Result<(), Refusal> {
        let wanted = text.trim();
        let elsewhere = holding(source, wanted, methods);
        let here = source.line(self.line).map(str::trim).unwrap_or("");
        // If the line has the text but no code, keep it: `find` then reports the missing code.
        let is_here = here == wanted && !elsewhere.contains(&self.line);
        if is_here && elsewhere.is_empty() {
            return Ok(());
        }
        let Some(meant) = methods.meant(self.line, &elsewhere, remembered) else {
            let (file, line) = (self.file.clone(), self.line);
            let (actual, text) = (here.to_owned(), wanted.to_owned());
            return Err(Refusal::TextMoved { file, line, actual, text, elsewhere });
        };
        if meant != self.line {
            self.warning = Some(format!(
                "`{wanted}` has moved from line {} to line {meant} of {}",
                self.line, self.file
            ));
            self.line = meant;
        }
        Ok(())
    }

    /// The methods that contain the line: also in nested classes, lambdas and copied initialisers, and where
    /// the compiler has copied it, but no bridge methods.
    pub(crate) fn parts(&self) -> Vec<LinePart<'_>> {
        let mut parts = Vec::new();
        let package = self.classes.first().map_or("", |class| class.package());
        // A compiler also copies from one method to another of the same class.
        let written = self.classes.iter().map(|class| (class, false));
        let copied = self.classes.iter().chain(&self.copying).map(|class| (class, true));
        for (class, is_copy) in written.chain(copied) {
            for method in &class.methods {
                let Some(code) = &method.code else { continue };
                let found = match is_copy {
                    true => entries_of_copied_line(code, &self.file, package, self.line),
                    false => entries_of_line(code, self.line),
                };
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

/// The lines with code that have the text.
fn holding(source: &SourceText, text: &str, methods: &MethodLines) -> Vec<u32> {
    let holds = |line: &u32| source.line(*line).is_some_and(|l| l.trim() == text);
    methods.lines().into_iter().filter(holds).collect()
}
