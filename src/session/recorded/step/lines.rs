//! Steps by lines: to the next or last line of a call, and to an execution of a line of the program.

use super::{Stepper, Way};
use crate::session::error::SessionError;
use crate::trace::{Calls, EventPosition, Level, Traced, TracedEvent};

/// A line of the program, as a person names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineOf {
    /// The class, by its binary or simple name, or the source file without its ending.
    pub class: String,
    /// Its number.
    pub line: u32,
}

impl LineOf {
    /// `Shop:12` or `Shop.java:12`.
    pub fn parse(text: &str) -> Option<LineOf> {
        let (class, line) = text.trim().rsplit_once(':')?;
        let class = class.strip_suffix(".java").unwrap_or(class);
        let line = line.parse().ok().filter(|line| *line > 0)?;
        Some(LineOf { class: class.to_owned(), line }).filter(|of| !of.class.is_empty())
    }

    /// Whether an event is the beginning of the line.
    fn is_at(&self, calls: &Calls, seen: &TracedEvent<'_>) -> bool {
        let Traced::Line(line) = seen.site.what else { return false };
        u32::from(line) == self.line
            && calls.sites.method(seen.site.method).is_some_and(|method| {
                // A nested class is in the file of the outermost one.
                let outermost = method.class.split('$').next().unwrap_or_default();
                let simple = outermost.rsplit('.').next().unwrap_or_default();
                [&*method.class, outermost, simple].contains(&self.class.as_str())
            })
    }
}

impl Stepper<'_> {
    /// To the line of this call that begins next, or that began last before; where there is none, in the call
    /// around it.
    ///
    /// # Errors
    /// There is none, lines were not recorded, or the events cannot be read.
    pub fn line(&mut self, way: Way) -> Result<(), SessionError> {
        self.has_lines()?;
        let mut at = self.at;
        loop {
            let found = match way {
                Way::Forward => self.line_behind(at)?,
                Way::Back => self.line_before(at)?,
            };
            if let Some(found) = found {
                self.at = found;
                return Ok(());
            }
            let side = if way == Way::Back { "before this" } else { "behind this" };
            at =
                self.trace.calls.made_at(at.node).ok_or_else(|| {
                    Stepper::no_further(&format!("no line of this thread was recorded {side}"))
                })?;
        }
    }

    fn line_behind(&mut self, at: EventPosition) -> Result<Option<EventPosition>, SessionError> {
        let mut found = None;
        self.trace.calls.events_after(at, |_, seen| {
            found = line_of(seen, at.node);
            found.is_none()
        })?;
        Ok(found)
    }

    fn line_before(&mut self, at: EventPosition) -> Result<Option<EventPosition>, SessionError> {
        let mut found = None;
        self.trace.calls.events_until(at, |_, seen| found = line_of(seen, at.node).or(found))?;
        Ok(found)
    }

    /// To the execution of a line that comes next in this thread, or came last.
    ///
    /// # Errors
    /// There is none, lines were not recorded, or the events cannot be read.
    pub fn to_line(&mut self, way: Way, line: &LineOf) -> Result<(), SessionError> {
        self.has_lines()?;
        let at = self.at;
        let found = match way {
            Way::Forward => self.trace.calls.first_event_after(at, |calls, seen| line.is_at(calls, seen))?,
            Way::Back => self.trace.calls.last_event_before(at, |calls, seen| line.is_at(calls, seen))?,
        };
        let side = if way == Way::Back { "before this" } else { "behind this" };
        let LineOf { class, line } = line;
        self.at = found.ok_or_else(|| {
            Stepper::no_further(&format!("no execution of {class}:{line} was recorded {side} in this thread"))
        })?;
        Ok(())
    }

    fn has_lines(&self) -> Result<(), SessionError> {
        match self.trace.calls.method(self.at.node).is_none_or(|method| method.level == Level::All) {
            true => Ok(()),
            false => Err(Stepper::no_further("lines were not recorded here: `--level all` records them")),
        }
    }
}

/// Where a line of the call begins.
fn line_of(seen: &TracedEvent<'_>, node: u32) -> Option<EventPosition> {
    let is_line = matches!(seen.site.what, Traced::Line(_)) && seen.node == Some(node);
    is_line.then(|| seen.position()).flatten()
}

#[cfg(test)]
mod tests {
    use super::LineOf;

    #[test]
    fn a_line_is_written_as_it_is_shown() {
        let of = |class: &str, line| Some(LineOf { class: class.to_owned(), line });
        assert_eq!(LineOf::parse("Shop.java:12"), of("Shop", 12));
        assert_eq!(LineOf::parse("shop.Cart$Item:3"), of("shop.Cart$Item", 3));
        assert_eq!([LineOf::parse("Shop"), LineOf::parse(":3"), LineOf::parse("Shop:0")], [None, None, None]);
    }
}
