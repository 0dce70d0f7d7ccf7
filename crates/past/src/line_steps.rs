//! Steps by source lines: to the neighbouring line of a call, and to an execution of a given line.

use crate::direction::Direction;
use crate::error::PastError;
use bytecode::descriptor::is_of_file;
use bytecode::descriptor::written::Language;
use trace::{Calls, EventPosition, Level, Traced, TracedEvent};

/// A source line as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The class, by its binary or simple name, or the source file without its extension.
    pub class: String,
    /// The line number.
    pub line: u32,
}

impl SourceLine {
    /// Parses a line in the forms in which people find one: `Shop:12`, `shop.Cart:12`, `Shop.java:12`,
    /// `src/shop/Shop.java:12`, each also with a column behind it; or as a frame of a stack trace,
    /// `at shop.Shop.total(Shop.java:12)`.
    pub fn parse(text: &str) -> Option<SourceLine> {
        let text = text.trim();
        let (class, line) = match text.strip_suffix(')') {
            Some(frame) => {
                let (method, place) = frame.split_once('(')?;
                if let Some(file) = clojure_file(method, place) {
                    return Some(file);
                }
                // A module or a loader can stand before the class.
                let method = method.trim_start_matches("at ").rsplit('/').next()?;
                (method.trim().rsplit_once('.')?.0, place.rsplit_once(':')?.1)
            }
            None => {
                let (file, last) = text.rsplit_once(':')?;
                let (file, line) = match file.rsplit_once(':') {
                    Some((file, line)) if is_number(line) && is_number(last) => (file, line),
                    _ => (file, last),
                };
                let name = file.rsplit(['/', '\\']).next()?;
                (name.strip_suffix(".java").unwrap_or(name), line)
            }
        };
        let line = line.parse().ok().filter(|line| *line > 0)?;
        Some(SourceLine { class: class.to_owned(), line }).filter(|of| !of.class.is_empty())
    }

    /// Whether the line begins at an event.
    pub fn is_at(&self, calls: &Calls, seen: &TracedEvent<'_>) -> bool {
        let Traced::Line(line) = seen.site.what else { return false };
        u32::from(line) == self.line
            && calls.sites.method(seen.site.method).is_some_and(|method| {
                self.is_of(&method.class) || is_of_file(&method.class, method.source.as_deref(), &self.class)
            })
    }

    /// Whether a class can contain the line, by its name with dots.
    pub fn is_of(&self, class: &str) -> bool {
        // A nested class is in the file of its outermost class.
        let outermost = class.split('$').next().unwrap_or_default();
        let simple = outermost.rsplit('.').next().unwrap_or_default();
        [class, outermost, simple].contains(&self.class.as_str())
    }
}

/// The line of a frame as Clojure prints it: `shop.core/grant! (core.clj:11)`. Its file is in the folder of
/// its namespace.
fn clojure_file(method: &str, place: &str) -> Option<SourceLine> {
    let (file, line) = place.rsplit_once(':')?;
    let is_it = Language::of(Some(file)) == Some(Language::Clojure);
    let (space, _) = method.trim().trim_start_matches("at ").split_once('/').filter(|_| is_it)?;
    let folder = space.rsplit_once('.').map_or(String::new(), |(folder, _)| folder.replace('.', "/") + "/");
    let line = line.parse().ok().filter(|line| *line > 0)?;
    Some(SourceLine { class: format!("{}{file}", folder.replace('-', "_")), line })
}

fn is_number(text: &str) -> bool {
    text.parse::<u32>().is_ok()
}

/// The next line of the call, or the previous one. If the call has none, that of its caller. `None` if the
/// thread has none.
///
/// # Errors
/// Lines were not recorded, or the events cannot be read.
pub fn neighbour(
    calls: &mut Calls,
    mut at: EventPosition,
    direction: Direction,
) -> Result<Option<EventPosition>, PastError> {
    require_lines(calls, at)?;
    loop {
        let found = match direction {
            Direction::Forward => line_behind(calls, at)?,
            Direction::Back => line_before(calls, at)?,
        };
        if found.is_some() {
            return Ok(found);
        }
        let Some(made) = calls.made_at(at.node) else { return Ok(None) };
        at = made;
    }
}

fn line_behind(calls: &mut Calls, at: EventPosition) -> Result<Option<EventPosition>, PastError> {
    let mut found = None;
    calls.events_after(at, |_, seen| {
        found = line_of(seen, at.node);
        found.is_none()
    })?;
    Ok(found)
}

fn line_before(calls: &mut Calls, at: EventPosition) -> Result<Option<EventPosition>, PastError> {
    let mut found = None;
    calls.events_until(at, |_, seen| found = line_of(seen, at.node).or(found))?;
    Ok(found)
}

/// The next execution of a line in this thread, or the previous one.
///
/// # Errors
/// There is no such execution, lines were not recorded, or the events cannot be read.
pub fn execution(
    calls: &mut Calls,
    at: EventPosition,
    direction: Direction,
    line: &SourceLine,
) -> Result<EventPosition, PastError> {
    require_lines(calls, at)?;
    let found = match direction {
        Direction::Forward => calls.first_event_after(at, |calls, seen| line.is_at(calls, seen))?,
        Direction::Back => calls.last_event_before(at, |calls, seen| line.is_at(calls, seen))?,
    };
    let SourceLine { class, line } = line;
    found.ok_or_else(|| {
        let side = direction.side();
        PastError::NoStep(format!("no execution of {class}:{line} was recorded {side} in this thread"))
    })
}

fn require_lines(calls: &Calls, at: EventPosition) -> Result<(), PastError> {
    match calls.method(at.node).is_none_or(|method| method.level == Level::All) {
        true => Ok(()),
        false => {
            let why = "lines were not recorded here: `--level all` records them";
            Err(PastError::NoStep(why.to_owned()))
        }
    }
}

/// The position of the event, if a line of the call begins there.
fn line_of(seen: &TracedEvent<'_>, node: u32) -> Option<EventPosition> {
    let is_line = matches!(seen.site.what, Traced::Line(_)) && seen.node == Some(node);
    is_line.then(|| seen.position()).flatten()
}

#[cfg(test)]
mod tests {
    use super::SourceLine;

    #[test]
    fn a_line_is_written_as_it_is_shown() {
        let of = |class: &str, line| Some(SourceLine { class: class.to_owned(), line });
        assert_eq!(SourceLine::parse("Shop.java:12"), of("Shop", 12));
        assert_eq!(SourceLine::parse("shop.Cart$Item:3"), of("shop.Cart$Item", 3));
        assert_eq!(SourceLine::parse("src/shop/Shop.java:12"), of("Shop", 12));
        assert_eq!(SourceLine::parse(" src/shop/Shop.java:12:7"), of("Shop", 12));
        assert_eq!(SourceLine::parse("\tat shop.Shop.total(Shop.java:12)"), of("shop.Shop", 12));
        assert_eq!(SourceLine::parse("at app//shop.Shop$Item.<init>(Shop.java:9)"), of("shop.Shop$Item", 9));
        assert_eq!(SourceLine::parse("shop.Shop.total(Native Method)"), None);
        assert_eq!(
            [SourceLine::parse("Shop"), SourceLine::parse(":3"), SourceLine::parse("Shop:0")],
            [None, None, None]
        );
    }
}
