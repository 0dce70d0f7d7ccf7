//! The text of a log point: its parts, which are checked and read as the values that a point collects.

use super::classes::Classes;
use super::{Learned, TranslateError, Translation, translate};
use crate::Chain;
use classes::{ClassPool, SourceRoots};
use expr::{self, EventTypes, Expr, Scope, TextPart, text_parts};
use query::{Event, Pass, TraceQuery};

/// Translates the only point of a chain to a TraceQuery with a text: that of the one expression that the
/// point collects. There is no TraceQuery if a run must learn something first.
///
/// # Errors
/// The point or the text cannot be translated.
pub fn translate_log(
    chain: &Chain,
    pool: &ClassPool,
    sources: &SourceRoots,
) -> Result<(Translation, Option<TraceQuery>), TranslateError> {
    let learned = Learned::default();
    let classes = Classes { pool, sources };
    let mut chain = chain.clone();
    let mut texts = Vec::new();
    for point in &mut chain.points {
        texts.extend(point.collect.take().into_iter().flatten());
    }
    // A chain that was read has only valid expressions.
    let text = texts.first().and_then(|text| Expr::parse(text).ok());
    let point = translate(&chain, pool, sources, &learned)?;
    let known = |translation: Translation| {
        let mut query = translation.queries.first().cloned();
        if let (Some(TraceQuery { event: Event::Reached(passes), .. }), Some(text)) = (&mut query, &text) {
            let is_known = |pass: &Pass| {
                scope(pass, pool)
                    .is_none_or(|scope| expr::check(text, &scope, &classes, &EventTypes::default()).is_ok())
            };
            // A line can have code in several methods, which have different names.
            if passes.iter().any(is_known) {
                passes.retain(is_known);
            }
        }
        (translation, query)
    };
    let (_, query) = known(point);
    let scope = query.as_ref().and_then(|query| match &query.event {
        Event::Reached(passes) => scope(passes.first()?, pool),
        _ => None,
    });
    let parts = match (scope, &text) {
        (Some(scope), Some(text)) => text_parts(text, &scope, &classes),
        (None, Some(text)) => vec![TextPart::Value(text.clone())],
        (_, None) => Vec::new(),
    };
    let values = parts.iter().filter_map(|part| match part {
        TextPart::Value(expr) => Some(expr.text().to_owned()),
        TextPart::Constant(_) => None,
    });
    let values: Vec<String> = values.collect();
    for point in &mut chain.points {
        point.collect = Some(values.clone());
    }
    let (translation, query) = known(translate(&chain, pool, sources, &learned)?);
    Ok((translation, query.map(|query| TraceQuery { text: Some(parts.into()), ..query })))
}

/// The names that are visible at the first place of a pass.
fn scope(pass: &Pass, pool: &ClassPool) -> Option<Scope> {
    let found = pool.find(&pass.method.class).ok().flatten()?;
    let method = found.file.method(&pass.method.name, &pass.method.descriptor)?;
    Some(Scope::at(&found.file, method, *pass.entries.first()?))
}
