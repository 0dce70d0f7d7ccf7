//! Compares two saved answers.
//!
//! Rows that are the same in both answers are found first, in order. Between them, rows about the same
//! thing are paired, and their differing parts are named. The other rows are only in one answer.

use super::form::{SavedAnswer, SavedQuestion, SavedReply};
use super::keys::{EventKey, Keys, LineKey, ObjectKey};
use super::parts::{ComparedRow, Part, Row, Token, rows};
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What is not compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ignored {
    /// The ordinals of events.
    pub events: bool,
    /// Which objects they are; their classes are compared.
    pub objects: bool,
    /// Lines.
    pub lines: bool,
    /// Threads.
    pub threads: bool,
}

/// The differences of two answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnswerDifference {
    /// Both questions, A first.
    pub questions: [String; 2],
    /// The folders of both recordings.
    pub recordings: [String; 2],
    /// Number of rows that are the same.
    pub same: usize,
    /// Differences of the answers as a whole, such as *yes* and *no*.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub whole: Vec<ChangedPart>,
    /// The rows that differ, in order.
    pub rows: Vec<RowDifference>,
    /// The objects of A with other names in B.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<[String; 2]>,
    /// How the answers were compared, and what they may lack.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl AnswerDifference {
    /// Whether nothing differs.
    pub fn is_equal(&self) -> bool {
        self.whole.is_empty() && self.rows.is_empty()
    }
}

/// A row in one of the answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowSide {
    /// Its number in the answer, from 1.
    pub number: usize,
    /// The row.
    #[serde(flatten)]
    pub row: ComparedRow,
}

/// A difference in rows.
#[allow(clippy::large_enum_variant, reason = "an answer has few of them at a time")]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "difference", rename_all = "snake_case")]
pub enum RowDifference {
    /// Only A has the row.
    OnlyInA {
        /// The row.
        a: RowSide,
    },
    /// Only B has the row.
    OnlyInB {
        /// The row.
        b: RowSide,
    },
    /// Both have a row about the same thing, with different parts.
    Changed {
        /// The row in A.
        a: RowSide,
        /// The row in B.
        b: RowSide,
        /// The parts.
        parts: Vec<ChangedPart>,
    },
}

/// A part that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedPart {
    /// The part.
    pub part: String,
    /// In A; `None` if it has no such part.
    pub a: Option<String>,
    /// In B.
    pub b: Option<String>,
}

/// Compares two answers.
pub fn compare(a: &SavedAnswer, b: &SavedAnswer, ignored: Ignored) -> AnswerDifference {
    let mut comparison = Comparison::new(a, b, ignored);
    let (rows_a, rows_b) = (rows(a), rows(b));
    if a.recording.run != b.recording.run {
        comparison.learn(&rows_a, &rows_b);
    }
    let mut difference = AnswerDifference {
        questions: [a, b].map(|answer| answer.question.text().to_owned()),
        recordings: [a, b].map(|answer| answer.recording.folder.clone()),
        whole: whole(&a.reply, &b.reply),
        ..AnswerDifference::default()
    };
    let (keys_a, keys_b) = comparison.keys(&rows_a, &rows_b);
    let (mut gap_a, mut gap_b) = (0, 0);
    for op in capture_diff_slices(Algorithm::Myers, &keys_a, &keys_b) {
        let DiffOp::Equal { old_index, new_index, len } = op else { continue };
        let in_a = RowsBetween::of(&rows_a, gap_a..old_index);
        comparison.gap(in_a, RowsBetween::of(&rows_b, gap_b..new_index), &mut difference.rows);
        difference.same += len;
        (gap_a, gap_b) = (old_index + len, new_index + len);
    }
    let in_a = RowsBetween::of(&rows_a, gap_a..rows_a.len());
    comparison.gap(in_a, RowsBetween::of(&rows_b, gap_b..rows_b.len()), &mut difference.rows);
    difference.renamed = comparison.renamed();
    difference.notes = comparison.notes();
    difference
}

/// One of the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    A,
    B,
}

/// The rows of an answer between two that both answers have.
struct RowsBetween<'r> {
    /// The index of the first one in the answer.
    first: usize,
    rows: &'r [Row],
}

impl<'r> RowsBetween<'r> {
    fn of(all: &'r [Row], at: Range<usize>) -> RowsBetween<'r> {
        RowsBetween { first: at.start, rows: all.get(at).unwrap_or_default() }
    }
}

struct Comparison<'a> {
    a: &'a SavedAnswer,
    b: &'a SavedAnswer,
    ignored: Ignored,
    /// Whether ordinals are not compared because the answers are about different points of one run.
    within_run: bool,
    /// Whether every line of both answers has its text.
    by_text: bool,
    /// The number in A of an object of B.
    renaming: HashMap<u32, u32>,
}

impl<'a> Comparison<'a> {
    fn new(a: &'a SavedAnswer, b: &'a SavedAnswer, ignored: Ignored) -> Comparison<'a> {
        let queries = matches!((&a.question, &b.question), (SavedQuestion::Query(a), SavedQuestion::Query(b)) if a != b);
        let within_run = queries && a.recording.run == b.recording.run;
        let by_text = [a, b].iter().all(|answer| has_texts(&answer.keys));
        let born = |key: &'a ObjectKey| Born {
            class: &key.class,
            place: (key.thread.as_deref(), key.born_in.as_deref()),
            line: key.born_at.as_ref().map(|line| line_text(line, by_text)),
            ordinal: key.ordinal,
        };
        let of_a: HashMap<Born<'_>, u32> =
            a.keys.objects.iter().map(|(number, key)| (born(key), *number)).collect();
        let renaming = b.keys.objects.iter();
        let renaming = renaming.filter_map(|(number, key)| Some((*number, *of_a.get(&born(key))?))).collect();
        Comparison { a, b, ignored, within_run, by_text, renaming }
    }

    fn of(&self, side: Side) -> &'a SavedAnswer {
        match side {
            Side::A => self.a,
            Side::B => self.b,
        }
    }

    /// Pairs objects of one class whose births differ, where rows that are otherwise alike name them. Each
    /// object is paired once.
    fn learn(&mut self, a: &[Row], b: &[Row]) {
        let mut taken: HashSet<u32> = self.renaming.values().copied().collect();
        let without_objects = |comparison: &Self, rows: &[Row], side| -> Vec<String> {
            rows.iter().map(|row| comparison.key_with(row, side, &|class, _| format!("{class}@"))).collect()
        };
        let keys_a = without_objects(self, a, Side::A);
        let keys_b = without_objects(self, b, Side::B);
        for op in capture_diff_slices(Algorithm::Myers, &keys_a, &keys_b) {
            let DiffOp::Equal { old_index, new_index, len } = op else { continue };
            let of_a = a.get(old_index..old_index + len).unwrap_or_default();
            let of_b = b.get(new_index..new_index + len).unwrap_or_default();
            let tokens = |rows: &[Row]| -> Vec<Token> {
                let parts = rows.iter().flat_map(|row| &row.parts);
                let all = parts.flat_map(|part| part.tokens.iter().cloned());
                all.filter(|token| matches!(token, Token::Object(..))).collect()
            };
            for pair in tokens(of_a).into_iter().zip(tokens(of_b)) {
                let (Token::Object(_, in_a), Token::Object(_, in_b)) = pair else { continue };
                if !taken.contains(&in_a) && !self.renaming.contains_key(&in_b) {
                    taken.insert(in_a);
                    self.renaming.insert(in_b, in_a);
                }
            }
        }
    }

    /// The keys of rows. Equal rows have equal keys.
    ///
    /// An event has the same ordinal in both answers, or the same ordinal without the events of rows that
    /// only one answer has: one more call shifts all later ones.
    fn keys(&self, a: &[Row], b: &[Row]) -> (Vec<String>, Vec<String>) {
        let of_rows = |rows: &[Row], side, ordinals| -> Vec<String> {
            rows.iter().map(|row| self.row_key(row, side, ordinals)).collect()
        };
        let (keys_a, mut keys_b) = (of_rows(a, Side::A, true), of_rows(b, Side::B, true));
        let (bare_a, bare_b) = (of_rows(a, Side::A, false), of_rows(b, Side::B, false));
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for op in capture_diff_slices(Algorithm::Myers, &bare_a, &bare_b) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                pairs.extend((old_index..old_index + len).zip(new_index..new_index + len));
            }
        }
        let [paired_a, paired_b]: [HashSet<usize>; 2] =
            [pairs.iter().map(|(a, _)| *a).collect(), pairs.iter().map(|(_, b)| *b).collect()];
        let only_a = Shift::of(&self.a.keys, a, &paired_a);
        let only_b = Shift::of(&self.b.keys, b, &paired_b);
        for (at_a, at_b) in pairs {
            let (Some(row_a), Some(row_b)) = (a.get(at_a), b.get(at_b)) else { continue };
            let is_same = events(row_a).zip(events(row_b)).all(|(id_a, id_b)| {
                match (self.a.keys.events.get(&id_a), self.b.keys.events.get(&id_b)) {
                    (Some(a), Some(b)) => a.ordinal == b.ordinal || only_a.without(a) == only_b.without(b),
                    _ => id_a == id_b,
                }
            });
            if let (true, Some(key), Some(own)) = (is_same, keys_a.get(at_a), keys_b.get_mut(at_b)) {
                own.clone_from(key);
            }
        }
        (keys_a, keys_b)
    }

    fn row_key(&self, row: &Row, side: Side, ordinals: bool) -> String {
        self.key_of(row, side, ordinals, &|class, number| self.object(class, number, side))
    }

    fn key_with(&self, row: &Row, side: Side, object: &dyn Fn(&str, u32) -> String) -> String {
        self.key_of(row, side, false, object)
    }

    fn key_of(&self, row: &Row, side: Side, ordinals: bool, object: &dyn Fn(&str, u32) -> String) -> String {
        let mut key = String::new();
        for part in row.parts.iter().filter(|part| self.is_compared(part)) {
            key.push_str(&part.name);
            key.push('\u{1}');
            part.tokens.iter().for_each(|token| key.push_str(&self.token(token, side, ordinals, object)));
            key.push('\u{2}');
        }
        key
    }

    fn is_compared(&self, part: &Part) -> bool {
        !(part.name == "thread" && self.ignored.threads)
    }

    fn object(&self, class: &str, number: u32, side: Side) -> String {
        let number = match side {
            Side::A => Some(number),
            Side::B => self.renaming.get(&number).copied(),
        };
        match number {
            _ if self.ignored.objects => format!("{class}@"),
            Some(number) => format!("{class}@{number}"),
            None => format!("{class}@only in B"),
        }
    }

    fn token(
        &self,
        token: &Token,
        side: Side,
        ordinals: bool,
        object: &dyn Fn(&str, u32) -> String,
    ) -> String {
        let answer = self.of(side);
        match token {
            Token::Text(text) => text.clone(),
            Token::Object(class, number) => object(class, *number),
            Token::Event(id) => match answer.keys.events.get(id) {
                Some(key) => {
                    let thread = if self.ignored.threads { "" } else { key.thread.as_str() };
                    let of = key.of.as_deref().unwrap_or("");
                    let is_compared = ordinals && !self.ignored.events && !self.within_run;
                    let ordinal = if is_compared { key.ordinal } else { 0 };
                    let at = key.at.as_ref().filter(|_| !self.ignored.lines);
                    let at = at.map_or(String::new(), |line| line_text(line, self.by_text));
                    format!("{thread}\u{3}{}\u{3}{of}\u{3}{at}\u{3}{ordinal}", key.kind)
                }
                None => id.to_string(),
            },
            Token::Line(_) if self.ignored.lines => String::new(),
            Token::Line(line) => match answer.keys.lines.get(line) {
                Some(key) if key.text.is_none() && key.offset.is_none() => line.clone(),
                Some(key) => {
                    let method = key.method.as_deref().filter(|_| !self.by_text).unwrap_or("");
                    format!("{method}\u{3}{}", line_text(key, self.by_text))
                }
                None => line.clone(),
            },
        }
    }

    /// Adds the rows between two common ones.
    fn gap(&self, a: RowsBetween<'_>, b: RowsBetween<'_>, differences: &mut Vec<RowDifference>) {
        let RowsBetween { first: first_a, rows: rows_a } = a;
        let RowsBetween { first: first_b, rows: rows_b } = b;
        let side =
            |first: usize, at: usize, row: &Row| RowSide { number: first + at + 1, row: row.row.clone() };
        let likes = |rows: &[Row], side| -> Vec<String> {
            let of_class = |class: &str, _| class.to_owned();
            let like =
                |row: &Row| row.like.iter().map(|token| self.token(token, side, false, &of_class)).collect();
            rows.iter().map(like).collect()
        };
        for op in capture_diff_slices(Algorithm::Myers, &likes(rows_a, Side::A), &likes(rows_b, Side::B)) {
            let (in_a, in_b) = (op.old_range(), op.new_range());
            if let DiffOp::Equal { .. } = op {
                for (at_a, at_b) in in_a.zip(in_b) {
                    let (Some(a), Some(b)) = (rows_a.get(at_a), rows_b.get(at_b)) else { continue };
                    differences.push(RowDifference::Changed {
                        parts: self.changed(a, b),
                        a: side(first_a, at_a, a),
                        b: side(first_b, at_b, b),
                    });
                }
                continue;
            }
            let only =
                |at: usize| rows_a.get(at).map(|row| RowDifference::OnlyInA { a: side(first_a, at, row) });
            differences.extend(in_a.filter_map(only));
            let only =
                |at: usize| rows_b.get(at).map(|row| RowDifference::OnlyInB { b: side(first_b, at, row) });
            differences.extend(in_b.filter_map(only));
        }
    }

    /// The parts in which two rows differ.
    fn changed(&self, a: &Row, b: &Row) -> Vec<ChangedPart> {
        let key = |part: &Part, side| -> String {
            let object = |class: &str, number| self.object(class, number, side);
            part.tokens.iter().map(|token| self.token(token, side, true, &object)).collect()
        };
        let mut changed = Vec::new();
        for part in a.parts.iter().filter(|part| self.is_compared(part)) {
            let other = b.parts.iter().find(|other| other.name == part.name);
            if other.is_none_or(|other| key(other, Side::B) != key(part, Side::A)) {
                changed.push(ChangedPart {
                    part: part.name.clone(),
                    a: Some(self.shown(part, Side::A)),
                    b: other.map(|other| self.shown(other, Side::B)),
                });
            }
        }
        for part in b.parts.iter().filter(|part| self.is_compared(part)) {
            if a.parts.iter().all(|other| other.name != part.name) {
                let (name, b) = (part.name.clone(), Some(self.shown(part, Side::B)));
                changed.push(ChangedPart { part: name, a: None, b });
            }
        }
        // Another ordinal alone is a difference. Beside others it says little.
        let is_event = |part: &ChangedPart| matches!(part.part.as_str(), "event" | "call");
        if !changed.iter().all(is_event) {
            changed.retain(|part| !is_event(part));
        }
        changed
    }

    /// A part for people: an event with its ordinal, a line with its text.
    fn shown(&self, part: &Part, side: Side) -> String {
        let keys = &self.of(side).keys;
        match part.tokens.as_slice() {
            [Token::Event(id)] => match keys.events.get(id) {
                Some(key) => {
                    let of = key.of.as_ref().map(|of| format!(" of {of}")).unwrap_or_default();
                    let at = key.at.as_ref().and_then(|at| at.text.as_ref());
                    let at = at.map(|at| format!(" at `{at}`")).unwrap_or_default();
                    format!("event {id}: {} {}{of}{at} in {}", key.kind, key.ordinal, key.thread)
                }
                None => part.shown.clone(),
            },
            [Token::Line(line)] => match keys.lines.get(line).and_then(|key| key.text.as_ref()) {
                Some(text) => format!("{line}: {text}"),
                None => part.shown.clone(),
            },
            _ => part.shown.clone(),
        }
    }

    /// The objects with other numbers in B.
    fn renamed(&self) -> Vec<[String; 2]> {
        let name = |answer: &SavedAnswer, number: u32| {
            let class = answer.keys.objects.get(&number).map_or("?", |key| key.class.as_str());
            format!("{}@{number}", trace::shown_class(class))
        };
        let mut pairs: Vec<(u32, u32)> = self.renaming.iter().map(|(b, a)| (*a, *b)).collect();
        pairs.retain(|(a, b)| a != b);
        pairs.sort_unstable();
        pairs.into_iter().map(|(a, b)| [name(self.a, a), name(self.b, b)]).collect()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let (a, b) = (&self.a.recording, &self.b.recording);
        if self.within_run {
            notes.push("both answers are about one run: the ordinals of events are not compared".to_owned());
        }
        if a.level != b.level {
            let text = format!("A was recorded at level {}, B at level {}", a.level, b.level);
            notes.push(format!("{text}: objects may not be recognised"));
        }
        if !self.by_text {
            notes.push("lines are compared by their distance from the first line of the method: not all sources were found".to_owned());
        }
        for (answer, name) in [(self.a, "A"), (self.b, "B")] {
            let is_cut = match &answer.reply {
                SavedReply::Rows(answer) => answer.more,
                SavedReply::Goal(goal) => goal.more,
            };
            if is_cut {
                notes.push(format!("{name} was saved with a limit, and may have more rows"));
            }
            if answer.recording.is_partial {
                notes.push(format!("the recording of {name} has only part of the run, so its ordinals differ from those of a whole run"));
            }
        }
        notes
    }
}

/// Whether every line has its text.
fn has_texts(keys: &Keys) -> bool {
    let lines = keys.lines.values();
    let lines = lines.chain(keys.events.values().filter_map(|key| key.at.as_ref()));
    let mut lines = lines.chain(keys.objects.values().filter_map(|key| key.born_at.as_ref()));
    lines.all(|line| line.text.is_some())
}

/// A line by its text, or by its distance from the first line of its method.
fn line_text(line: &LineKey, by_text: bool) -> String {
    match (&line.text, line.offset) {
        (Some(text), _) if by_text => text.clone(),
        (_, Some(offset)) => format!("line +{offset}"),
        (text, None) => text.clone().unwrap_or_default(),
    }
}

/// The birth of an object.
#[derive(PartialEq, Eq, Hash)]
struct Born<'a> {
    class: &'a str,
    /// Thread and method.
    place: (Option<&'a str>, Option<&'a str>),
    line: Option<String>,
    ordinal: u64,
}

/// The events that a row names.
fn events(row: &Row) -> impl Iterator<Item = u64> {
    let tokens = row.parts.iter().flat_map(|part| &part.tokens);
    tokens.filter_map(|token| match token {
        Token::Event(id) => Some(*id),
        _ => None,
    })
}

/// The events of rows that only one answer has.
struct Shift<'a> {
    ordinals: HashMap<EventSubject<'a>, Vec<u64>>,
}

/// Thread, kind, method or field or class, and line of an event.
type EventSubject<'a> = (&'a str, &'a str, Option<&'a str>, Option<&'a LineKey>);

fn subject(key: &EventKey) -> EventSubject<'_> {
    (&key.thread, &key.kind, key.of.as_deref(), key.at.as_ref())
}

impl<'a> Shift<'a> {
    fn of(keys: &'a Keys, rows: &[Row], paired: &HashSet<usize>) -> Shift<'a> {
        let mut ordinals: HashMap<EventSubject<'a>, Vec<u64>> = HashMap::new();
        for (_, row) in rows.iter().enumerate().filter(|(at, _)| !paired.contains(at)) {
            for key in events(row).filter_map(|id| keys.events.get(&id)) {
                ordinals.entry(subject(key)).or_default().push(key.ordinal);
            }
        }
        for of_subject in ordinals.values_mut() {
            of_subject.sort_unstable();
            of_subject.dedup();
        }
        Shift { ordinals }
    }

    /// The ordinal of an event without those events.
    fn without(&self, key: &EventKey) -> u64 {
        let before =
            self.ordinals.get(&subject(key)).map_or(0, |all| all.partition_point(|one| *one < key.ordinal));
        key.ordinal.saturating_sub(u64::try_from(before).unwrap_or(0))
    }
}

/// The differences of the answers as a whole.
fn whole(a: &SavedReply, b: &SavedReply) -> Vec<ChangedPart> {
    let yes = |reply: &SavedReply| match reply {
        SavedReply::Rows(answer) => answer.yes.map(|yes| if yes { "yes" } else { "no" }.to_owned()),
        SavedReply::Goal(_) => None,
    };
    let error = |reply: &SavedReply| match reply {
        SavedReply::Goal(goal) => goal.error.clone(),
        SavedReply::Rows(_) => None,
    };
    let parts = [("answer", yes(a), yes(b)), ("error", error(a), error(b))];
    let parts = parts.into_iter().filter(|(_, a, b)| a != b);
    parts.map(|(part, a, b)| ChangedPart { part: part.to_owned(), a, b }).collect()
}
