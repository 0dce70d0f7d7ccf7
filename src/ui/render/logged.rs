//! The lines of a log point as text, and how many passes have none.

use super::{Paint, Text, hanging, palette};
use replay::log_point::Logged;
use session::LogLine;
use trace::thousands;

/// Width of a line of text, in columns.
const WIDTH: usize = 80;

/// A line of a log point. Threads other than `main` are named.
pub fn log_line(line: &LogLine) -> String {
    let thread =
        if line.thread == "main" { String::new() } else { format!("[{}] ", printable(&line.thread)) };
    format!("{thread}{}\n", printable(&line.text))
}

/// The text without control characters, which a terminal would obey; a line feed stays.
fn printable(text: &str) -> String {
    let shown = |c: char| match c.is_control() && !matches!(c, '\n' | '\t') {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

impl Text for Logged {
    fn text(&self, color: bool) -> String {
        let paint = Paint { color };
        let mut out: String = self.lines.iter().map(log_line).collect();
        let mut summary = |text: &str| out.push_str(&paint.on(palette::DIM, hanging(text, 0, WIDTH)));
        summary(&in_one_line(self));
        for note in &self.notes {
            summary(&format!("note, {note}"));
        }
        if let Some(why) = &self.incomplete {
            let text = hanging(&format!("lines may be missing: {why}"), 0, WIDTH);
            out.push_str(&paint.on(palette::FAILED, text));
        }
        out
    }
}

fn in_one_line(logged: &Logged) -> String {
    let bound = if logged.at_least { "at least " } else { "" };
    let mut text = match (logged.passes, logged.shown) {
        (0, 0) if logged.incomplete.is_some() => {
            format!("{}: no pass was seen (it ended: {})", logged.at, logged.ended)
        }
        (0, 0) => format!("{}: the program never came there (it ended: {})", logged.at, logged.ended),
        (passes, 0) => format!("{}: no line of {bound}{}", logged.at, counted(passes, "pass", "passes")),
        (passes, shown) => {
            let of = counted(passes, "pass", "passes");
            format!("{}: {} of {bound}{of}", logged.at, counted(shown, "line", "lines"))
        }
    };
    if logged.left_out > 0 {
        let bound = if logged.left_out_at_most { "up to " } else { bound };
        let count = counted(logged.left_out, "line", "lines");
        text.push_str(&format!("; {bound}{count} left out, since --limit is {}", thousands(logged.shown)));
    }
    if let (1.., Some(why)) = (logged.failed, &logged.failure) {
        let times = counted(logged.failed, "time", "times");
        text.push_str(&format!("; the condition could not be evaluated {times}: {why}"));
    }
    text
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_no_text_of_the_program() {
        let line = |thread: &str, text: &str| LogLine { thread: thread.to_owned(), text: text.to_owned() };
        assert_eq!(log_line(&line("main", "a\u{1b}[31m\nb")), "a\\u001b[31m\nb\n");
        assert_eq!(log_line(&line("pool-1", "x")), "[pool-1] x\n");
    }
}
