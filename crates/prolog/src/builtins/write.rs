//! Writing terms.

use crate::atoms::known;
use crate::machine::{DetFn, Engine, Outcome};
use crate::store::Tag;
use crate::write::Style;

pub(super) const TABLE: &[(&str, usize, DetFn)] = &[
    ("write", 1, |e, b| write(e, b, Style::PLAIN)),
    ("print", 1, |e, b| write(e, b, Style::QUOTED)),
    ("writeq", 1, |e, b| write(e, b, Style::QUOTED)),
    ("write_canonical", 1, |e, b| write(e, b, Style::CANONICAL)),
    ("writeln", 1, |e, b| {
        write(e, b, Style::PLAIN)?;
        e.print("\n");
        Ok(true)
    }),
    ("nl", 0, |e, _| {
        e.print("\n");
        Ok(true)
    }),
    ("tab", 1, |e, b| {
        let value = e.evaluate(e.arg(b, 0))?;
        let crate::arith::Num::Int(count) = value else {
            let cell = e.number_cell(value);
            return Err(e.type_error(known::INTEGER, cell));
        };
        let count = usize::try_from(count).unwrap_or(0);
        e.afford(count)?;
        e.print(&" ".repeat(count));
        Ok(true)
    }),
    ("flush_output", 0, |_, _| Ok(true)),
];

fn write(e: &mut Engine, b: usize, style: Style) -> Outcome {
    let term = e.arg(b, 0);
    debug_assert!(term.tag() != Tag::Functor);
    let text = e.show(term, style)?;
    e.print(&text);
    Ok(true)
}
