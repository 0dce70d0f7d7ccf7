//! The text of a log point: its parts, which are checked and read as the values that a point collects.

use super::classes::Classes;
use super::{Learned, TranslateError, Translation, translate};
use crate::chain::Chain;
use crate::classes::{ClassPool, SourceRoots};
use crate::expr::{Expr, Scope, TextPart, text_parts};
use crate::query::{Event, TraceQuery};

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
    let scope = point.queries.first().and_then(|query| scope(query, pool));
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
    let translation = translate(&chain, pool, sources, &learned)?;
    let query = translation.queries.first().cloned();
    Ok((translation, query.map(|query| TraceQuery { text: Some(parts.into()), ..query })))
}

/// The names that are visible at the first place of a query.
fn scope(query: &TraceQuery, pool: &ClassPool) -> Option<Scope> {
    let Event::Reached(passes) = &query.event else { return None };
    let pass = passes.first()?;
    let found = pool.find(&pass.method.class).ok().flatten()?;
    let method = found.file.method(&pass.method.name, &pass.method.descriptor)?;
    Some(Scope::at(&found.file, method, *pass.entries.first()?))
}
