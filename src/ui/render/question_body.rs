//! What a call was given and did, as text: its outcome, then what it changed, then the rest.

use super::differing::differing;
use super::{Paint, hanging, palette, visible};
use diagnose::{Change, ChangeGroup, LoopExit, Question, change_groups};
use model::short_static_name;
use past::snapshot::Shape;

/// Width of a line, in columns.
const WIDTH: usize = 80;
/// Number of lines of a question in brief, with its head.
const LINES: usize = 20;
/// Number of lines of its notes.
const NOTES: usize = 4;
/// Number of characters of an outcome: three lines.
const OUTCOME: usize = 210;
/// Number of characters of an argument or outcome of a call of a run.
const ARGUMENT: usize = 30;
/// How deep values are shown if they may take several lines.
const DEEP: usize = 6;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What fits 20 lines, together with this number of lines before.
    Brief(usize),
    /// All variables and changes, each on one line.
    Lines,
    /// All variables and changes, with whole values.
    Whole,
}

/// A part of the text: a title, and its entries.
struct Part {
    title: &'static str,
    /// The text of each entry: one line, or several if values are shown in full.
    entries: Vec<String>,
    /// Number of entries that are shown before the other parts get more.
    share: usize,
    /// Number of entries that are shown.
    shown: usize,
}

impl Part {
    fn new(title: &'static str, share: usize, entries: Vec<String>) -> Part {
        Part { title, share, shown: entries.len(), entries }
    }

    fn text(&self, paint: Paint) -> String {
        if self.shown == 0 {
            return String::new();
        }
        let title = match self.entries.len() {
            all if all == self.shown => self.title.to_owned(),
            all => format!("{}, {} of {all}", self.title, self.shown),
        };
        let title = if self.title == CHANGED { title } else { paint.on(palette::DIM, title) };
        self.entries.iter().take(self.shown).fold(format!("{title}\n"), |text, entry| text + entry)
    }
}

const CHANGED: &str = "changed";
/// Changes that did not lead to the failure.
const NOT_USED: &str = "changed, and not used on the way to the failure";

/// The effects of a call and its input.
pub fn given_and_become(question: &Question, extent: Extent, paint: Paint) -> String {
    let rows = Rows { question, is_whole: extent == Extent::Whole, paint };
    let outcome = rows.outcome();
    let mut parts = vec![
        Part::new(CHANGED, 4, rows.changed()),
        Part::new("given", 5, rows.given(false)),
        Part::new("variables at its end", 2, rows.locals()),
        Part::new("static fields", 0, rows.given(true)),
        Part::new(NOT_USED, 1, rows.unused()),
    ];
    let initialised = question.changed.iter().filter(|change| change.by_initialiser);
    let mut notes = String::new();
    match (extent, initialised.clone().count()) {
        (_, 0) => {}
        (Extent::Whole, _) => {
            let entries = initialised.map(|change| rows.pair(&change.path, &change.old, &change.new));
            parts.push(Part::new("changed by class initialisers", 0, entries.collect()));
        }
        (_, count) => {
            let values = if count == 1 { "1 value".to_owned() } else { format!("{count} values") };
            let text = format!("class initialisers that ran in it changed {values}");
            notes = hanging(&paint.on(palette::DIM, text), 0, WIDTH);
        }
    }
    notes.extend(question.notes.iter().map(|note| hanging(&paint.on(palette::DIM, note), 0, WIDTH)));
    let mut more = String::new();
    if let Extent::Brief(before) = extent {
        let is_cut = notes.lines().count() > NOTES;
        if is_cut {
            notes = notes.lines().take(NOTES).fold(String::new(), |text, line| text + line + "\n");
        }
        let room = LINES.saturating_sub(before + outcome.lines().count() + notes.lines().count());
        if is_cut || lines(&parts) > room {
            share(&mut parts, room.saturating_sub(1));
            more = paint.on(palette::DIM, "`more` shows all of it") + "\n";
        }
    }
    let parts = parts.iter().map(|part| part.text(paint));
    outcome + &parts.collect::<String>() + &notes + &more
}

/// The calls of a run, a line for each: what it was given, its outcome, and how much it changed.
pub fn call_run(run: &[Question], paint: Paint) -> String {
    let mut out = String::new();
    for question in run {
        let rows = Rows { question, is_whole: false, paint };
        let given = question.entry.iter().filter(|(name, _)| !question.statics.contains(name));
        let given = given.map(|(name, shape)| format!("{name} = {}", shape.fitting(ARGUMENT)));
        let outcome = match (&question.result, &question.exception) {
            (_, Some(exception)) => format!("threw {}", exception.fitting(ARGUMENT)),
            (Some(result), None) => format!("returned {}", result.fitting(ARGUMENT)),
            (None, None) => String::new(),
        };
        let changed = match rows.changed() {
            all if all.is_empty() => String::new(),
            all if all.len() == 1 => all.concat().trim().to_owned(),
            all => format!("changed {} values", all.len()),
        };
        let parts = [given.collect::<Vec<_>>().join(", "), outcome, changed];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let call = paint.on(palette::POINT, format!("#{}", question.node));
        out.push_str(&hanging(&format!("{call} {}", parts.join("; ")), 0, WIDTH));
    }
    out
}

/// Number of lines of all parts, with their titles.
fn lines(parts: &[Part]) -> usize {
    let shown = parts.iter().filter(|part| part.shown > 0);
    shown
        .map(|part| {
            1 + part.entries.iter().take(part.shown).map(|entry| entry.lines().count()).sum::<usize>()
        })
        .sum()
}

/// Shares out a number of lines: a few for each part, and the rest in the order of the parts.
fn share(parts: &mut [Part], room: usize) {
    for part in &mut *parts {
        part.shown = 0;
    }
    for is_first in [true, false] {
        for at in 0..parts.len() {
            let mut free = room.saturating_sub(lines(parts));
            let Some(part) = parts.get_mut(at) else { continue };
            let most = if is_first { part.share } else { usize::MAX };
            for entry in part.entries.iter().take(most).skip(part.shown) {
                // The first entry needs a line for the title too.
                let needed = entry.lines().count() + usize::from(part.shown == 0);
                let Some(left) = free.checked_sub(needed) else { break };
                free = left;
                part.shown += 1;
            }
        }
    }
}

/// Writes the entries of a question.
struct Rows<'a> {
    question: &'a Question,
    is_whole: bool,
    paint: Paint,
}

impl Rows<'_> {
    /// The changes that are shown.
    fn changes(&self) -> impl Iterator<Item = &Change> {
        self.question.changed.iter().filter(|change| !change.by_initialiser)
    }

    /// Whether a change has this path.
    fn is_listed(&self, name: &str) -> bool {
        self.question.changed.iter().any(|change| change.path == name)
    }

    /// The values of a variable at the entry and the exit, if they differ.
    fn differing<'b>(&'b self, name: &str, entry: &'b Shape) -> Option<(&'b Shape, &'b Shape)> {
        let exit = self.question.exit.get(name)?;
        (one_value(entry) != one_value(exit)).then_some((entry, exit))
    }

    /// The variables that have another value at the exit, and the changes.
    fn changed(&self) -> Vec<String> {
        let variables = self.question.entry.iter().filter(|(name, _)| !self.is_listed(name));
        let variables = variables.filter_map(|(name, entry)| {
            self.differing(name, entry).map(|(old, new)| self.pair(name, old, new))
        });
        let used = self.question.changes_by_use().0.into_iter().filter(|change| !change.by_initialiser);
        variables.chain(change_groups(used).iter().map(|group| self.group(group))).collect()
    }

    /// The changes that the failing run did not use later, if that is known.
    fn unused(&self) -> Vec<String> {
        let unused = self.question.changes_by_use().1.into_iter().filter(|change| !change.by_initialiser);
        change_groups(unused).iter().map(|group| self.group(group)).collect()
    }

    fn group(&self, group: &ChangeGroup<'_>) -> String {
        match group {
            ChangeGroup::One(change) => self.pair(&change.path, &change.old, &change.new),
            ChangeGroup::Elements { path, count, old, new } => {
                let painted = self.paint.on(palette::FAILED, self.shown(path));
                let before = format!("  {painted}: {count} elements: ");
                if self.is_whole {
                    let new = self.paint.on(palette::FAILED, new);
                    return self.in_full(&format!("{before}{old} → {new}"));
                }
                let room = WIDTH.saturating_sub(visible(&before) + 3);
                let (old, new) = differing(old, new, room / 2);
                format!("{before}{old} → {}\n", self.paint.on(palette::FAILED, new))
            }
        }
    }

    /// The name of a variable or the path of a change, without the package of a static field's class.
    fn shown(&self, path: &str) -> String {
        let statics = self.question.statics.iter();
        let rest_of = |name: &String| {
            let rest = path.strip_prefix(name.as_str())?;
            (rest.is_empty() || rest.starts_with(['.', '[', '{'])).then_some((name.clone(), rest))
        };
        match statics.filter_map(rest_of).max_by_key(|(name, _)| name.len()) {
            Some((name, rest)) if !self.is_whole => format!("{}{rest}", short_static_name(&name)),
            _ => path.to_owned(),
        }
    }

    /// The other variables at the entry: static fields, or `this` and the arguments.
    fn given(&self, is_static: bool) -> Vec<String> {
        let reaches = |name: &str| {
            self.changes()
                .any(|change| change.path.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', '['])))
        };
        let same = self.question.entry.iter();
        let same = same.filter(|(name, entry)| self.differing(name, entry).is_none());
        let same = same.filter(|(name, _)| self.question.statics.contains(name) == is_static);
        same.map(|(name, entry)| {
            let shown = self.shown(name);
            let name = if reaches(name) { self.paint.on(palette::VALUE, shown) } else { shown };
            self.one(&format!("  {name} = "), entry)
        })
        .collect()
    }

    /// The local variables at the exit that did not exist at the entry.
    fn locals(&self) -> Vec<String> {
        let new = self.question.exit.iter().filter(|(name, _)| !self.question.entry.contains_key(*name));
        new.map(|(name, shape)| self.one(&format!("  {name} = "), shape)).collect()
    }

    /// The result or the exception.
    fn outcome(&self) -> String {
        match (&self.question.result, &self.question.exception) {
            (_, Some(exception)) => {
                self.some_lines(&format!("{} ", self.paint.on(palette::FAILED, "threw")), exception)
            }
            (Some(result), None) => self.some_lines("returned ", result),
            (None, None) => {
                let left = self.question.part.as_ref().and_then(|part| part.left);
                if left == Some(LoopExit::Return) { "returned\n".to_owned() } else { String::new() }
            }
        }
    }

    /// A value on at most three lines. A string stays on one.
    fn some_lines(&self, before: &str, shape: &Shape) -> String {
        match shape {
            Shape::Object { .. } | Shape::Array { .. } if !self.is_whole => {
                self.in_full(&format!("{before}{}", shape.fitting(OUTCOME)))
            }
            _ => self.one(before, shape),
        }
    }

    fn one(&self, before: &str, shape: &Shape) -> String {
        if self.is_whole {
            return self.in_full(&format!("{before}{}", shape.text(DEEP)));
        }
        let room = WIDTH.saturating_sub(visible(before));
        format!("{before}{}\n", shape.fitting(room))
    }

    fn pair(&self, name: &str, old: &Shape, new: &Shape) -> String {
        let red = |text: &str| self.paint.on(palette::FAILED, text);
        let name = &*self.shown(name);
        let painted = red(name);
        let room = WIDTH.saturating_sub(visible(name) + 8);
        match (old, new) {
            (_, Shape::Printed { .. }) if self.is_whole => {
                self.in_full(&format!("  {painted} printed {}", red(&new.text(DEEP))))
            }
            (_, Shape::Printed { .. }) => {
                let printed = new.quoted_within(room.saturating_sub(3)).unwrap_or_default();
                format!("  {painted} printed {}\n", red(&printed))
            }
            _ if self.is_whole => {
                self.in_full(&format!("  {painted}: {} → {}", old.text(DEEP), red(&new.text(DEEP))))
            }
            (Shape::Plain { .. }, Shape::Plain { .. })
                if visible(&old.text(0)) + visible(&new.text(0)) > room =>
            {
                let (before, after) = differing(&old.text(0), &new.text(0), room / 2);
                format!("  {painted}: {before} → {}\n", red(&after))
            }
            (Shape::Text { .. }, Shape::Text { .. }) => {
                let before = old.quoted_within(room / 2).unwrap_or_default();
                let after = new.quoted_within(room.saturating_sub(visible(&before))).unwrap_or_default();
                format!("  {painted}: {before} → {}\n", red(&after))
            }
            _ => {
                let old = old.fitting(room / 3);
                let new = new.fitting(room.saturating_sub(visible(&old)));
                // A long path leaves too little room even for names.
                self.in_full(&format!("  {painted}: {old} → {}", red(&new)))
            }
        }
    }

    /// A text over as many lines as it takes.
    fn in_full(&self, text: &str) -> String {
        let indent = text.len() - text.trim_start().len();
        hanging(text.trim_start(), indent, WIDTH)
    }
}

/// The identity of a value: an object is itself, whatever its contents.
fn one_value(shape: &Shape) -> String {
    shape.text(0)
}
