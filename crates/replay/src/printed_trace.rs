//! Stack traces as programs, test runners and build tools print them (`Throwable.printStackTrace`).

/// A printed stack trace: an exception with its frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedTrace {
    /// The binary name of the exception's class, if the line before the frames tells.
    pub class: Option<String>,
    /// The frames, newest first.
    pub frames: Vec<PrintedFrame>,
}

/// A frame of a printed stack trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedFrame {
    /// The binary name of the class.
    pub class: String,
    /// The name of the method.
    pub method: String,
    /// The line, if it is printed.
    pub line: Option<u32>,
}

/// The stack traces in a text, in their order. A cause is a trace of its own.
pub fn printed_traces<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<PrintedTrace> {
    let mut found: Vec<PrintedTrace> = Vec::new();
    let (mut class, mut is_open) = (None, false);
    for line in lines {
        match frame(line) {
            Some(frame) => {
                if !is_open {
                    found.push(PrintedTrace { class: class.take(), frames: Vec::new() });
                }
                is_open = true;
                if let Some(open) = found.last_mut() {
                    open.frames.push(frame);
                }
            }
            None => {
                // A message can have several lines. The first one names the class.
                let named = exception_class(line);
                class = if is_open { named } else { named.or(class) };
                is_open = false;
            }
        }
    }
    found
}

/// `at shop.Cart.total(Cart.java:12)`, with a module, a loader or a log's prefix before it. Some test engines
/// print the frame alone.
fn frame(line: &str) -> Option<PrintedFrame> {
    let line = line.trim();
    let after_at = line.split_once("at ").filter(|(before, _)| is_prefix(before)).map(|(_, frame)| frame);
    let (name, place) = after_at.unwrap_or(line).split_once('(')?;
    let (place, rest) = place.split_once(')')?;
    let (class, method) = name.rsplit('/').next()?.rsplit_once('.')?;
    let is_name = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    let line = place.rsplit_once(':').and_then(|(_, line)| line.parse().ok());
    let is_alone = line.is_some() && rest.is_empty() && !name.contains(char::is_whitespace);
    (is_name(class) && is_name(method) && (after_at.is_some() || is_alone)).then(|| PrintedFrame {
        class: class.to_owned(),
        method: method.to_owned(),
        line,
    })
}

/// Whether a text before a frame is only indentation, the mark of a log (`ERROR |`), or the name of what
/// printed it in brackets (`[junit]`).
fn is_prefix(text: &str) -> bool {
    let text = text.trim();
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_word = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '-');
    inner.is_some_and(is_word) || text.trim_end_matches(MARKS).is_empty()
}

/// The characters of the marks of logs.
const MARKS: &[char] = &[' ', '\t', '[', ']', '|', '>', 'E', 'R', 'O', 'A', 'I', 'N', 'F'];

/// The exception's class that a line names: the first word that ends as such classes do. The word alone
/// ("Exception in thread", "Error:") is no class.
fn exception_class(line: &str) -> Option<String> {
    let words = line.split(|c: char| !(c.is_alphanumeric() || "._$".contains(c)));
    let is_class = |word: &&str| {
        let last = word.rsplit(['.', '$']).next().unwrap_or_default();
        THROWN.iter().any(|end| last.ends_with(end)) && !THROWN.contains(word)
    };
    words.map(|word| word.trim_matches('.')).find(is_class).map(str::to_owned)
}

/// How the names of classes that are thrown end.
const THROWN: [&str; 4] = ["Exception", "Error", "Throwable", "Failure"];

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let traces = printed_traces(text.lines());
        let frame = |frame: &PrintedFrame| {
            format!("{}.{}:{}", frame.class, frame.method, frame.line.map_or(0, |line| line))
        };
        let trace = |trace: &PrintedTrace| {
            let frames: Vec<String> = trace.frames.iter().map(frame).collect();
            format!("{}: {}", trace.class.as_deref().unwrap_or("?"), frames.join(" "))
        };
        traces.iter().map(trace).collect()
    }

    #[test]
    fn traces_are_found_with_their_causes() {
        let text = "begin\nException in thread \"main\" shop.Bad$WorseException: a\n  message.\n\
             \tat app//shop.Cart.total(Cart.java:12)\n\tat java.base/java.lang.Thread.run(Thread.java:840)\n\
             Caused by: java.lang.NullPointerException\n\tat shop.Cart$Item.<init>(Cart.java:3)\n\t... 2 more\nend";
        assert_eq!(
            shown(text),
            [
                "shop.Bad$WorseException: shop.Cart.total:12 java.lang.Thread.run:840",
                "java.lang.NullPointerException: shop.Cart$Item.<init>:3",
            ]
        );
    }

    #[test]
    fn build_tools_print_marks_before_frames() {
        let text = "[ERROR] org.opentest4j.AssertionFailedError: expected: <3> but was: <4>\n\
             [ERROR] \tat org.junit.jupiter.api.Assertions.fail(Native Method)\n[ERROR] \tat CartTest.adds(CartTest.java:9)";
        let frames = "org.junit.jupiter.api.Assertions.fail:0 CartTest.adds:9";
        assert_eq!(shown(text), [format!("org.opentest4j.AssertionFailedError: {frames}")]);
        let ant = "[junit] junit.framework.AssertionFailedError: no\n[junit] \tat CartTest.adds(CartTest.java:9)\n[junit]";
        assert_eq!(shown(ant), ["junit.framework.AssertionFailedError: CartTest.adds:9"]);
        let console = "   => org.opentest4j.AssertionFailedError: no\n      CartTest.adds(CartTest.java:9)\n      [...]";
        assert_eq!(shown(console), ["org.opentest4j.AssertionFailedError: CartTest.adds:9"]);
        assert_eq!(shown("look at this (it is text)\nat home (now)\nsee Cart.total(Cart.java:3)"), [""; 0]);
    }
}
