//! The frames of a stack: whose code each is in, and the newest one in the user's own code.

use super::answer_facts::AnswerFacts;
use super::{FrameAnswer, LoaderAnswer, OwnFrame};
use bytecode::descriptor::generated::is_generated;
use classes::{CodeOwner, is_of_harness};
use model::Frame;
use program::code_book::CodeBook;
use std::sync::Arc;

/// Beginnings of the names of classes that only pass calls on.
const PASSING_ON: [&str; 3] = ["java.lang.reflect.", "jdk.internal.reflect.", "java.lang.invoke."];

/// Converts a frame for display.
pub fn frame_answer(frame: &Frame) -> FrameAnswer {
    let class = &*frame.site.method.class;
    FrameAnswer {
        class: class.to_owned(),
        method: frame.site.method.name.to_string(),
        file: frame.source_file.as_ref().map(ToString::to_string),
        line: frame.line,
        is_machinery: PASSING_ON.iter().any(|begin| class.starts_with(begin))
            || is_generated(class)
            || is_of_harness(class),
        is_suspended: false,
    }
}

/// A class and its loader, if several loaders define classes of this name.
pub fn loader_answer(
    facts: AnswerFacts<'_>,
    class: &Arc<str>,
    loader: Option<&Arc<str>>,
) -> Option<LoaderAnswer> {
    let report = facts.run_facts.outcome.report.classes.get(class)?;
    let others = report.loaders.len().checked_sub(1).filter(|others| *others > 0)?;
    Some(LoaderAnswer { name: loader?.to_string(), class: class.to_string(), others })
}

/// The newest frame in the user's own code that has a line, unless the point itself is there. A compiler can
/// add methods without lines to own classes, such as Groovy's accessors. If no own frame has a line: the
/// newest own frame. Without own code on the stack: the newest frame of a library, unless the point is there.
/// If the chain begins in a library, that is the code in question: libraries then count as own code.
pub fn own_frame<'f>(
    book: &CodeBook<'_>,
    newest_first: impl Iterator<Item = &'f Frame>,
    begins_in_library: bool,
) -> Option<OwnFrame> {
    let (mut without_line, mut of_library) = (None, None);
    for (index, frame) in newest_first.enumerate() {
        match book.pool.owner_of(&frame.site.method.class) {
            CodeOwner::Own if frame.line.is_some() => return shown(book, index, frame),
            CodeOwner::Own => _ = without_line.get_or_insert((index, frame)),
            CodeOwner::Library if begins_in_library => return shown(book, index, frame),
            CodeOwner::Library => _ = of_library.get_or_insert((index, frame)),
            CodeOwner::Harness | CodeOwner::Jdk => {}
        }
    }
    without_line.or(of_library).and_then(|(index, frame)| shown(book, index, frame))
}

fn shown(book: &CodeBook<'_>, index: usize, frame: &Frame) -> Option<OwnFrame> {
    (index > 0).then(|| OwnFrame { frame: frame_answer(frame), index, text: book.text(frame) })
}
