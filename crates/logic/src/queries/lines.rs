//! How often source lines were executed, and what happened on them.

use super::asked::{Asked, Choice, Query, Word};
use crate::answer::{Answer, AnswerRow};
use crate::error::LogicError;
use crate::names::source_file;
use crate::search::Source;
use bytecode::descriptor::written::SOURCE_EXTENSIONS;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use trace::{BlockStep, Calls, EventTime, Level, Method, Traced};

/// Executed lines.
pub const LINES: Query = Query {
    name: "lines",
    about: "How often the lines of a source file were executed, with the first and the last event",
    words: &[Word::new("PLACE", "the file, or one of its lines: `Intro`, `Intro.java:24`")],
    choices: &[Choice::Thread, Choice::Range],
    example: "lines Intro:24",
    ask: lines,
};

fn lines(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let place = Place::parse(asked.word(0).unwrap_or_default())?;
    let executed = executed(source, &place, asked)?;
    let mut answer = Answer { more: executed.len() > asked.limit, ..Answer::default() };
    for ((file, line), passes) in executed.into_iter().take(asked.limit) {
        let first = source.event_before(passes.first.0, passes.first.1)?;
        let last = source.event_before(passes.last.0, passes.last.1)?;
        let what = format!("{file}:{line}");
        answer.rows.push(AnswerRow::Count { what, count: passes.count, first, last });
    }
    Ok(answer)
}

/// A source file, or a line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The file; the class or the file without its ending, if it was named so.
    file: String,
    pub line: Option<u16>,
}

impl Place {
    /// A place as compilers, stack traces and people write it: `Intro:24`, `shop.Intro:24`,
    /// `src/shop/Intro.java:24`, `Intro.kt`.
    pub fn parse(text: &str) -> Result<Place, LogicError> {
        let (file, line) = match text.rsplit_once(':') {
            Some((file, line)) => (file, Some(line)),
            None => (text, None),
        };
        let wrong = || LogicError::NotThis {
            given: text.to_owned(),
            expected: "a place in a source file, such as Intro.java:24".to_owned(),
        };
        let line = line.map(|line| line.parse().map_err(|_| wrong())).transpose()?;
        let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let ending = file.rsplit_once('.').filter(|(_, ending)| SOURCE_EXTENSIONS.contains(ending));
        let name = ending.map_or(file, |(name, _)| name);
        let name = name.rsplit('.').next().unwrap_or(name);
        if name.is_empty() {
            return Err(wrong());
        }
        let file = ending.map_or_else(|| name.to_owned(), |(_, ending)| format!("{name}.{ending}"));
        Ok(Place { file, line })
    }

    /// Whether code of a method stands in this place's file.
    pub fn is_of(&self, method: &Method) -> bool {
        let class = method.class.rsplit('.').next().unwrap_or(&method.class);
        self.is_file(&source_file(method)) || class.split('$').next() == Some(&self.file)
    }

    /// Whether a source file is the one that is meant.
    pub fn is_file(&self, file: &str) -> bool {
        file == self.file || file.rsplit_once('.').is_some_and(|(name, _)| name == self.file)
    }
}

/// How often a line was executed, and when first and last, with the threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passes {
    pub count: u64,
    pub first: (u32, EventTime),
    pub last: (u32, EventTime),
}

/// The threads and the times in question.
pub(super) struct Part {
    thread: Option<String>,
    times: Range<EventTime>,
}

impl Part {
    pub fn of(source: &mut Source, asked: &Asked) -> Result<Part, LogicError> {
        let from = match asked.from {
            Some(id) => source.found(id)?.event.when,
            None => EventTime::BEGIN,
        };
        let times = from..super::object::time_after(source, asked.to)?;
        Ok(Part { thread: asked.thread.clone(), times })
    }

    /// Whether events of a thread are in question, by its number.
    pub fn has_thread(&self, calls: &Calls, thread: u32) -> bool {
        self.thread.as_ref().is_none_or(|wanted| calls.is_named(thread, wanted))
    }

    /// Whether an event is in question, by its time.
    pub fn has_time(&self, when: EventTime) -> bool {
        self.times.contains(&when)
    }
}

/// The executed lines of a place: file and line.
///
/// # Errors
/// Lines were not recorded, or the events cannot be read.
pub(super) fn executed(
    source: &mut Source,
    place: &Place,
    asked: &Asked,
) -> Result<BTreeMap<(String, u16), Passes>, LogicError> {
    let level = source.recording.about.level;
    if level < Level::All {
        return Err(LogicError::NotRecorded { what: "lines", level: level.to_string(), needs: "all" });
    }
    let part = Part::of(source, asked)?;
    let calls = &mut source.recording.calls;
    // By site: its file and line.
    let mut of_sites: BTreeMap<u32, (String, u16)> = BTreeMap::new();
    for site in calls.sites.all() {
        let Traced::Line(line) = site.what else { continue };
        let Some(method) = calls.sites.method(site.method) else { continue };
        if place.is_of(method) && place.line.is_none_or(|wanted| wanted == line) {
            of_sites.insert(site.id, (source_file(method).into_owned(), line));
        } else if let Some((file, line)) = source.recording.lines.copied_from(method, site.bci)
            && place.is_file(&file)
            && place.line.is_none_or(|wanted| u32::from(wanted) == line)
        {
            of_sites.insert(site.id, (file, u16::try_from(line).unwrap_or(u16::MAX)));
        }
    }
    let mut executed: BTreeMap<(String, u16), Passes> = BTreeMap::new();
    let index = source.log.index().clone();
    for number in 0..index.blocks() {
        let Some(block) = index.events(number).filter(|block| part.has_thread(calls, block.thread)) else {
            continue;
        };
        calls.walk_block(block, &mut |_, step| {
            if let BlockStep::Event(seen) = step
                && let Some(place) = of_sites.get(&seen.site.id)
                && part.has_time(seen.when())
            {
                let at = (block.thread, seen.when());
                let passes = executed.entry(place.clone());
                passes
                    .and_modify(|passes| (passes.count, passes.last) = (passes.count + 1, at))
                    .or_insert(Passes { count: 1, first: at, last: at });
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(executed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_in_chains() {
        let parsed = |text: &str| Place::parse(text).ok().map(|place| (place.file, place.line));
        assert_eq!(parsed("Intro:24"), Some(("Intro".to_owned(), Some(24))));
        for text in ["Intro.java:24", "src/shop/Intro.java:24", "shop.Intro.java:24"] {
            assert_eq!(parsed(text), Some(("Intro.java".to_owned(), Some(24))));
        }
        assert_eq!(parsed("src/shop/core.clj"), Some(("core.clj".to_owned(), None)));
        assert_eq!(parsed("com.acme.Shop"), Some(("Shop".to_owned(), None)));
        assert_eq!([parsed(":3"), parsed("Intro:x")], [None, None]);
    }
}
