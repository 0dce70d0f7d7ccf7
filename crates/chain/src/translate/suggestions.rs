//! Suggestions for a name or line that does not exist (DESIGN §5.20).

use super::classes::{Classes, parameters, readable};
use super::error::{NearLine, Refusal};
use bytecode::class::ACC_PUBLIC;
use bytecode::{ClassFile, Code, Method};
use classes::{FoundClass, SourceText};
use model::{MethodName, Site, short_class_name};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of suggested names.
const OFFERED: usize = 3;
/// Maximum number of listed overloads or variables in scope.
const LISTED: usize = 8;
/// Maximum length of a quoted source line.
const TEXT: usize = 50;

/// Names similar to the written one, best first; names that differ only in case come first.
fn alike<'n, T>(written: &str, names: impl Iterator<Item = (&'n str, T)>) -> Vec<T> {
    within(1 + written.chars().count() / 3, written, names)
}

/// Names within an edit distance, best first.
fn within<'n, T>(limit: usize, written: &str, names: impl Iterator<Item = (&'n str, T)>) -> Vec<T> {
    let wanted = written.to_lowercase();
    let mut scored: Vec<(usize, T)> = names
        .map(|(name, item)| (strsim::damerau_levenshtein(&wanted, &name.to_lowercase()), item))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    scored.sort_by_key(|(distance, _)| *distance);
    scored.into_iter().map(|(_, item)| item).collect()
}

fn first_few(names: Vec<String>, most: usize) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.into_iter().filter(|n| seen.insert(n.clone())).take(most).collect()
}

/// Whether the method exists in the source under this name.
fn is_written(method: &Method) -> bool {
    method.name != "<clinit>" && !method.is_synthetic() && method.access & bytecode::class::ACC_BRIDGE == 0
}

impl Classes<'_> {
    /// The refusal of a method that the class does not have.
    pub(crate) fn no_such_method(&self, class: &Arc<ClassFile>, name: &str, types: bool) -> Refusal {
        let line = self.lineage(class);
        let simple = short_class_name(&class.name);
        let simple = simple.rsplit('.').next().unwrap_or(&simple);
        let of = |file: &Arc<ClassFile>, m: &Method| {
            if types { readable(file, m) } else { format!("{}.{}", file.name, m.name) }
        };
        let methods = || {
            line.iter().flat_map(|file| file.methods.iter().filter(|m| is_written(m)).map(move |m| (file, m)))
        };
        let constructors = || class.methods.iter().filter(|m| m.name == "<init>").map(|m| of(class, m));
        let mut near: Vec<String> = if name == simple || name == "new" {
            constructors().collect()
        } else {
            alike(name, methods().map(|(file, m)| (m.name.as_str(), of(file, m))))
        };
        if near.is_empty() {
            let others = self.neighbours(class);
            near.extend(others.iter().flat_map(|file| file.methods_named(name).map(move |m| of(file, m))));
        }
        let field = line.iter().any(|file| file.field(name).is_some());
        let mut note = field.then(|| {
            format!("`{name}` is a field: ask for `Watch(\"{}\", \"{name}\")`, or `Read`", class.name)
        });
        if near.is_empty() && note.is_none() {
            let own = class.methods.iter().filter(|m| is_written(m));
            note = listed("methods", own.map(|m| m.name.as_str()));
        }
        let method = name.to_owned();
        Refusal::NoSuchMethod { class: class.name.clone(), method, near: first_few(near, OFFERED), note }
    }

    /// The refusal of parameter types that no overload has.
    pub(super) fn no_such_overload(&self, class: &Arc<ClassFile>, name: &str, written: &str) -> Refusal {
        let line = self.lineage(class);
        let overloads = line.iter().flat_map(|file| {
            file.methods_named(name).filter(|m| is_written(m)).map(move |m| readable(file, m))
        });
        let near = first_few(overloads.collect(), LISTED);
        Refusal::NoSuchMethod { class: class.name.clone(), method: written.to_owned(), near, note: None }
    }

    /// The refusal of a field that the class does not have.
    pub(super) fn no_such_field(&self, class: &Arc<ClassFile>, name: &str) -> Refusal {
        let line = self.lineage(class);
        let shown = |file: &Arc<ClassFile>, field: &str| {
            if file.name == class.name { format!("`{field}`") } else { format!("`{field}` of {}", file.name) }
        };
        let fields = line.iter().flat_map(|file| file.fields.iter().map(move |f| (file, f)));
        let fields = fields.filter(|(_, f)| !f.is_synthetic());
        let mut near: Vec<String> =
            alike(name, fields.map(|(file, f)| (f.name.as_str(), shown(file, &f.name))));
        let mut note = None;
        if line.iter().any(|file| file.methods_named(name).next().is_some()) {
            note =
                Some(format!("`{name}` is a method: ask for `Entry(\"{}.{name}\")`, or `Exit`", class.name));
        } else if let Some(method) = holder_of_local(class, name) {
            near.clear();
            note = Some(format!(
                "`{name}` is a local variable of {}.{}: ask for its `LastChange` from a point there",
                class.name, method.name
            ));
        } else if near.is_empty() {
            let others = self.neighbours(class);
            near.extend(
                others.iter().filter(|file| file.field(name).is_some()).map(|file| shown(file, name)),
            );
        }
        if near.is_empty() && note.is_none() {
            let all = line.iter().flat_map(|file| &file.fields).filter(|f| !f.is_synthetic());
            note = listed("fields", all.map(|f| f.name.as_str()));
        }
        let (class, field) = (class.name.clone(), name.to_owned());
        Refusal::NoSuchField { class, field, near: first_few(near, OFFERED), note }
    }

    /// The other classes of the same source file.
    fn neighbours(&self, class: &Arc<ClassFile>) -> Vec<Arc<ClassFile>> {
        let names = self.pool.nested(&class.name).unwrap_or_default();
        let others = names.iter().filter(|name| **name != class.name);
        others
            .filter_map(|name| self.pool.find(name).ok().flatten().map(|found| found.file.clone()))
            .collect()
    }

    /// Adds similar JDK classes to `near`. Returns a note if the source of the class exists but its class
    /// file does not.
    pub(super) fn near_class(&self, written: &str, near: &mut Vec<String>) -> Option<String> {
        let top = written.split('$').next().unwrap_or(written);
        let compiled = self.pool.find(top).is_ok_and(|found| found.is_some());
        if !compiled && let Some(source) = self.sources.find(written, None, None) {
            return Some(format!("its source {} is there, so compile it", source.path));
        }
        if near.is_empty() {
            let simple = written.rsplit('.').next().unwrap_or(written);
            let classes = self.pool.runtime_classes();
            let api = classes.iter().filter(|name| name.starts_with("java.") && !name.contains('$'));
            let named = api.map(|name| (name.rsplit('.').next().unwrap_or(name), name));
            // There are thousands of them, so accept only one or two wrong letters.
            let limit = simple.chars().count() / 6;
            let public = |name: &&String| {
                let found = self.pool.find(name).ok().flatten();
                found.is_some_and(|class| class.file.access & ACC_PUBLIC != 0)
            };
            let alike = within(limit.min(2), simple, named).into_iter().filter(public);
            near.extend(alike.take(OFFERED).cloned());
        }
        None
    }

    /// The refusal of a method without code, with an alternative question.
    pub fn without_code(&self, class: &ClassFile, name: &MethodName) -> Refusal {
        let declared = class.method(&name.name, &name.descriptor);
        if declared.is_some_and(Method::is_native) {
            let instead = "ask for the line that calls it".to_owned();
            return Refusal::NoCode { method: name.to_string(), what: "native", instead };
        }
        let parameters = declared.map(|m| parameters(m).join(",")).unwrap_or_default();
        let classes = self.pool.overriding(&name.class, &name.name, &name.descriptor);
        let written = classes.iter().map(|class| format!("`{class}.{}({parameters})`", name.name));
        let written = first_few(written.collect(), OFFERED);
        let instead = match written.as_slice() {
            [] => "name a class that implements it".to_owned(),
            _ => format!("name a class that implements it: {}", written.join(" or ")),
        };
        Refusal::NoCode { method: name.to_string(), what: "abstract", instead }
    }

    /// A note about the variables that are in scope at a site, for an expression with an unknown name.
    pub(super) fn scope_note(&self, site: &Site, name: &str) -> String {
        self.at(&site.method, |_, method| method.code.as_ref().map(|code| in_scope(code, site.bci, name)))
            .flatten()
            .unwrap_or_default()
    }

    /// A note if the class file is older than its source.
    pub(super) fn stale(&self, class: &FoundClass) -> Option<String> {
        let source_file = class.file.source_file.as_deref();
        self.sources.find(&class.name, source_file, Some(&class.origin))?.newer_than(class)
    }
}

/// A list of all existing names, for use when none is similar.
fn listed<'n>(what: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let names = first_few(names.map(|name| format!("`{name}`")).collect(), LISTED + 1);
    let shown = names.get(..LISTED.min(names.len())).unwrap_or_default().join(", ");
    let more = if names.len() > LISTED { ", …" } else { "" };
    (!names.is_empty()).then(|| format!("its {what} are {shown}{more}"))
}

/// A method of the class with a local variable of this name.
fn holder_of_local<'c>(class: &'c ClassFile, name: &str) -> Option<&'c Method> {
    let has = |m: &&Method| m.code.iter().flat_map(|c| &c.variables).any(|v| v.name == name);
    class.methods.iter().filter(|m| is_written(m)).find(has)
}

/// The lines where the method's variable of this name is in scope, or the variables in scope at this index.
fn in_scope(code: &Code, bci: u32, name: &str) -> String {
    let line = |pc: u32| bytecode::lines::line_of(code, pc);
    let ranges = code.variables.iter().filter(|v| v.name == name);
    let mut lines: Vec<(u32, u32)> = ranges
        .filter_map(|v| {
            let inside = |i: &&bytecode::Instruction| v.start_pc <= i.pc && i.pc < v.start_pc + v.length;
            let covered = code.instructions.iter().filter(inside).filter_map(|i| line(i.pc));
            let covered: Vec<u32> = covered.collect();
            Some((*covered.iter().min()?, *covered.iter().max()?))
        })
        .collect();
    lines.sort_unstable();
    lines.dedup();
    // A point stands before the first instruction of its line.
    if let Some(own) = line(bci)
        && lines.iter().any(|(from, to)| (*from..=*to).contains(&own))
    {
        let behind = lines.iter().map(|(_, to)| *to).max().filter(|to| *to > own);
        let behind = behind.map(|_| "; ask at a later line").unwrap_or_default();
        return format!(
            "; the variable `{name}` of this method gets its value within line {own}, and the point stands \
             before the line's first instruction{behind}"
        );
    }
    if !lines.is_empty() {
        let shown: Vec<String> = lines
            .iter()
            .take(OFFERED)
            .map(|(from, to)| if from == to { from.to_string() } else { format!("{from} to {to}") })
            .collect();
        let lines_are = if matches!(lines.as_slice(), [(from, to)] if from == to) { "line" } else { "lines" };
        return format!(
            "; the variable `{name}` of this method has a value only before {lines_are} {}",
            shown.join(", ")
        );
    }
    let visible = bytecode::stores::variables_at(code, bci);
    let mut names: Vec<String> =
        visible.iter().filter(|v| v.name != "this").map(|v| format!("`{}`", v.name)).collect();
    let hidden = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    match (code.has_variable_table, names.is_empty()) {
        (false, _) => String::new(),
        (true, true) => "; no local variable is in scope there".to_owned(),
        (true, false) if hidden > 0 => format!("; in scope there: {} and {hidden} more", names.join(", ")),
        (true, false) => format!("; in scope there: {}", names.join(", ")),
    }
}

/// The refusal of a line without code: its text, and the nearest lines with code.
pub(super) fn no_code_on_line(
    file: String,
    line: u32,
    with_code: &BTreeSet<u32>,
    source: Option<&SourceText>,
) -> Refusal {
    let text = |line: u32| source.and_then(|s| s.line(line)).map(|text| shortened(text.trim()));
    let near = |line: u32| NearLine { line, text: text(line).filter(|text| !text.is_empty()) };
    let before = with_code.range(..line).next_back().copied();
    let after = with_code.range(line..).next().copied();
    let length = source.map(|s| u32::try_from(s.lines().len()).unwrap_or(u32::MAX));
    let what = match (length, text(line)) {
        (Some(length), _) if line > length => Some(format!("the file ends with line {length}")),
        (_, Some(text)) if text.is_empty() => Some("it is blank".to_owned()),
        (_, Some(text)) if ["//", "/*", "*"].iter().any(|start| text.starts_with(start)) => {
            Some("it is a comment".to_owned())
        }
        (_, Some(text)) => Some(format!("it is `{text}`")),
        (_, None) => None,
    };
    Refusal::NoCodeOnLine {
        file,
        line,
        what,
        nearest: [before, after].into_iter().flatten().map(near).collect(),
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= TEXT {
        text.to_owned()
    } else {
        text.chars().take(TEXT).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_and_the_best_comes_first() {
        let of = |written: &str| {
            alike(written, ["total", "Total", "totals", "finish"].into_iter().map(|n| (n, n)))
        };
        assert_eq!(of("TOTAL"), ["total", "Total", "totals"]);
        assert_eq!(of("fnish"), ["finish"]);
        assert_eq!(of("elephant"), [""; 0]);
    }

    #[test]
    fn a_line_without_code_shows_its_neighbours_as_far_as_they_are_known() {
        let lines = BTreeSet::from([3, 7]);
        let said = |line| no_code_on_line("X.java".into(), line, &lines, None).to_string();
        assert_eq!(said(5), "line 5 of X.java has no code; the nearest lines with code are 3 and 7");
        assert_eq!(said(9), "line 9 of X.java has no code; the nearest line with code is 7");
    }
}
