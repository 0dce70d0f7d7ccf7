//! Tests of all rows.

use crate::row::Descriptor;
use crate::{
    At, Change, Contents, Counts, Facts, Fields, Place, Writes, facts, inherited, of_collection, rows,
};
use std::collections::BTreeSet;

#[test]
fn no_row_is_there_twice() {
    let mut seen = BTreeSet::new();
    for row in rows() {
        let key = (row.class, row.name, row.descriptor);
        assert!(seen.insert(key), "{key:?} is there twice");
    }
}

#[test]
fn each_row_says_something_of_a_well_named_method() {
    for row in rows() {
        assert!(row.facts != Facts::NONE || row.is_inherited, "{}.{}: no facts", row.class, row.name);
        let is_class = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '$');
        let plain = row.class.replacen("**", "", 1).replacen('*', "", 1);
        assert!(row.class == "[]" || plain.contains('.') && plain.chars().all(is_class), "{}", row.class);
        let name = row.name.strip_suffix('*').unwrap_or(row.name);
        let is_name = name == "<init>" || name.chars().all(|c| c.is_ascii_alphanumeric());
        assert!(is_name, "{}.{}", row.class, row.name);
    }
}

#[test]
fn every_descriptor_is_well_formed() {
    for row in rows() {
        match row.descriptor {
            Descriptor::Is(whole) => {
                let rest = parameters(whole);
                let result = rest
                    .and_then(|rest| rest.strip_prefix(')'))
                    .filter(|result| *result == "V" || field(result) == Some(""));
                assert!(result.is_some(), "{}.{}: {whole}", row.class, row.name);
            }
            Descriptor::Begins(begin) => {
                let rest = parameters(begin);
                assert!(matches!(rest, Some("" | ")")), "{}.{}: {begin}", row.class, row.name);
            }
            Descriptor::Any | Descriptor::TakesArray | Descriptor::BeginsWithElement => {}
        }
    }
}

/// The text after the parameters.
fn parameters(descriptor: &str) -> Option<&str> {
    let mut rest = descriptor.strip_prefix('(')?;
    while !rest.is_empty() && !rest.starts_with(')') {
        rest = field(rest)?;
    }
    Some(rest)
}

/// The text after a type. An array type may end after its brackets.
fn field(descriptor: &str) -> Option<&str> {
    let element = descriptor.trim_start_matches('[');
    match element.strip_prefix('L') {
        Some(class) => class.split_once(';').map(|(_, rest)| rest),
        None => element.strip_prefix(|c| "BCDFIJSZ".contains(c)),
    }
}

#[test]
fn the_most_precise_row_wins_for_each_fact() {
    let timer = facts("java.util.Timer", "schedule", "(Ljava/util/TimerTask;J)V");
    assert_eq!((timer.writes, timer.pure), (Some(Writes::Objects), Some(false)));
    let fields = |name, descriptor| facts("java/lang/invoke/VarHandle", name, descriptor).fields;
    assert_eq!(fields("set", "(LShop;I)V"), Some(Fields::OfReceiver));
    assert_eq!(fields("set", "([II)V"), Some(Fields::None));
    assert_eq!(fields("set", "([[Ljava/lang/String;I[Ljava/lang/String;)V"), Some(Fields::None));
    assert_eq!(fields("set", "([I)V"), Some(Fields::OfReceiver));
    assert_eq!(fields("get", "(LShop;)I"), None);
    assert_eq!(facts("com.acme.Shop", "sell", "()V"), Facts::NONE);
}

#[test]
fn collections_have_the_rows_of_their_interfaces() {
    let contents = |class, name, descriptor| of_collection(class, name, descriptor).contents;
    assert_eq!(
        contents("java.util.TreeMap", "floorKey", "(Ljava/lang/Object;)Ljava/lang/Object;"),
        Some(Contents::Kept)
    );
    assert_eq!(contents("java.util.ArrayDeque", "pop", "()Ljava/lang/Object;"), None);
    let put = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
    let key = Contents::Changed(Counts::Put(2, Place::Key(1)));
    assert_eq!(contents("java.util.LinkedHashMap", "put", put), Some(key));
    let removed = facts("java/util/ArrayList", "fastRemove", "([Ljava/lang/Object;I)V").change;
    assert_eq!(removed, Some(Change::Removed(At::Local(2))));
}

#[test]
fn programs_have_methods_of_the_jdk() {
    assert!(inherited("toArray", "()[Ljava/lang/Object;").is_some());
    assert!(inherited("read", "([BII)I").is_some() && inherited("readFully", "([C)V").is_some());
    assert!(inherited("read", "(I)I").is_none());
}
