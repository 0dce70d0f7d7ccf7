//! How a test of a recorded run failed.

use classes::ClassPool;
use past::SourceLine;
use session::SessionError;
use trace::{Calls, EventPosition, Exit, Traced, Value, WalkControl};

/// The superclass of what an assertion throws in JUnit 3, 4 and 5 and in TestNG.
const ASSERTION: &str = "java.lang.AssertionError";

/// A test that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FailedTest {
    /// The exception, and the line of the test.
    pub text: String,
    /// Whether it is that of an assertion.
    pub by_assertion: bool,
    /// The last line of its own that the test executed.
    pub line: Option<FailedLine>,
    /// Number of lines of its own that the test executed.
    lines: u64,
}

/// An execution of a line of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FailedLine {
    /// The line.
    pub line: SourceLine,
    /// Where it begins.
    pub at: EventPosition,
}

impl FailedTest {
    /// Whether the test came further than in another run.
    pub fn is_after(&self, other: &FailedTest) -> bool {
        self.lines > other.lines
    }
}

/// The first test of a recorded run that failed, if any.
///
/// # Errors
/// The recording cannot be read.
pub(super) fn failed_test(calls: &mut Calls, pool: &ClassPool) -> Result<Option<FailedTest>, SessionError> {
    for (thread, ..) in calls.threads() {
        for test in calls.roots(thread) {
            let class = calls.method(test).map(|method| method.class.clone());
            if calls.exit(test) != Exit::Threw || !class.is_some_and(|class| pool.is_of_test(&class)) {
                continue;
            }
            let Some(Value::Object(thrown)) = calls.call(test)?.and_then(|call| call.result) else {
                continue;
            };
            let by_assertion =
                calls.objects.class(thrown).is_some_and(|class| pool.is_below(class, ASSERTION));
            let (mut last, mut place, mut lines) = (None, None, 0);
            calls.walk(thread, Some(test), |calls, seen| {
                if matches!(seen.site.what, Traced::Line(_)) && seen.node == Some(test) {
                    let method = seen.method(calls);
                    let line = seen.line().zip(seen.position()).zip(method);
                    last = line.map(|((line, at), method)| {
                        let line = SourceLine { class: method.class.to_string(), line: line.into() };
                        FailedLine { line, at }
                    });
                    place = method.and_then(|method| method.source.clone()).zip(seen.line());
                    lines += 1;
                }
                WalkControl::Next
            })?;
            let at = place.map(|(source, line)| format!(" at {source}:{line}")).unwrap_or_default();
            let text = format!("{}{at}", calls.objects.show(thrown));
            return Ok(Some(FailedTest { text, by_assertion, line: last, lines }));
        }
    }
    Ok(None)
}
