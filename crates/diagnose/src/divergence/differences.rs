//! The differences of two aligned calls as text, in the order of a question.

use super::VersionDifference;
use super::comparison::{ComparableCall, Normalizer, Path, differing_paths, plain, shown};
use crate::question::Question;
use alignment::Lambdas;
use classes::ClassPool;
use indexmap::IndexMap;
use past::snapshot::Shape;

/// How the effects of two calls differ, as far as their questions show it. Each question comes with the class
/// files of its version.
pub fn differences(
    one: &Question,
    one_pool: Option<&ClassPool>,
    other: &Question,
    other_pool: Option<&ClassPool>,
) -> Vec<VersionDifference> {
    let [ours, theirs] = [(one, one_pool), (other, other_pool)]
        .map(|(question, pool)| Normalizer { lambdas: &mut Lambdas::default(), pool }.call(question));
    let compared = differing_paths(&ours.value, &theirs.value);
    let is_given = |path: &Path| path.first().is_some_and(|first| first == "entry");
    let differs: Vec<Path> = compared.into_iter().filter(|path| !is_given(path)).collect();
    departures(&differs, one, &ours, other, &theirs)
}

fn departures(
    differs: &[Path],
    one: &Question,
    our_call: &ComparableCall,
    other: &Question,
    their_call: &ComparableCall,
) -> Vec<VersionDifference> {
    let changes = |question: &Question, call: &ComparableCall| -> IndexMap<String, (String, String)> {
        let key = |path: &str| call.changes.iter().find(|(_, of)| *of == path).map(|(key, _)| key.clone());
        let all = question.changed.iter();
        all.filter_map(|change| Some((key(&change.path)?, (change.path.clone(), change.new.text(1)))))
            .collect()
    };
    let (ours, theirs) = (changes(one, our_call), changes(other, their_call));
    let mut found: Vec<VersionDifference> = Vec::new();
    let nothing = || "as it was".to_owned();
    let keys = ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key)));
    for key in keys.filter(|key| differs.iter().any(|path| is_at(path, &["changed", key.as_str()]))) {
        let (here, there) = (ours.get(key), theirs.get(key));
        let what = here.or(there).map(|(path, _)| path.clone()).unwrap_or_default();
        let text = |side: Option<&(String, String)>| side.map_or_else(nothing, |(_, value)| value.clone());
        found.push(VersionDifference { what, here: text(here), there: text(there) });
    }
    let text = |shape: &Option<Shape>| shape.as_ref().map_or("none".to_owned(), |shape| shape.text(1));
    for (of, here, there) in
        [("result", &one.result, &other.result), ("exception", &one.exception, &other.exception)]
    {
        if differs.iter().any(|path| is_at(path, &[of])) {
            found.push(VersionDifference { what: format!("its {of}"), here: text(here), there: text(there) });
        }
    }
    if found.is_empty()
        && let Some(path) = differs.first()
    {
        let text = |call: &ComparableCall| plain(&call.value, path).unwrap_or("something else".to_owned());
        found.push(VersionDifference { what: shown(path), here: text(our_call), there: text(their_call) });
    }
    found
}

fn is_at(path: &Path, begin: &[&str]) -> bool {
    path.len() >= begin.len() && path.iter().zip(begin).all(|(part, of)| part == of)
        || begin.iter().zip(path).all(|(of, part)| of == part) && path.len() < begin.len()
}
