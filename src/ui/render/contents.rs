//! The contents of collections, and the texts of builders and streams.

use super::{Paint, hanging, palette};
use model::quoted;
use past::{ContentsShown, EventShown, HeldContents, ItemShown};

/// Maximum number of items to show per collection.
const FEW: usize = 12;
/// Width of a line, in columns.
const WIDTH: usize = 80;

/// The contents of a collection at a call's entry and at its end. `of_field`: the collection is the value of
/// a field, which may have been null.
pub fn between(contents: &ContentsShown, of_field: bool, paint: Paint) -> String {
    let text = |held: &Option<HeldContents>| held.as_ref().map_or_else(|| "?".to_owned(), held_text);
    let (entry, exit) = (text(&contents.entry), text(&contents.exit));
    let unsure = [&contents.entry, &contents.exit].into_iter().flatten().any(|held| held.unrecorded);
    let unsure = if unsure { " (contents may have changed where it was not recorded)" } else { "" };
    let came = of_field && contents.entry.is_none();
    let change =
        if came || entry == exit { exit } else { format!("{entry} → {}", paint.on(palette::FAILED, exit)) };
    hanging(&format!("holds {change}{unsure}"), if of_field { 6 } else { 4 }, WIDTH)
}

fn held_text(held: &HeldContents) -> String {
    if let Some(text) = &held.text {
        return quoted(text, '"');
    }
    let item = |item: &ItemShown| match item {
        ItemShown::Element(element) => element.clone(),
        ItemShown::Pair { key, value } => format!("{key} = {value}"),
    };
    let mut items: Vec<String> = held.items.iter().take(FEW).map(item).collect();
    if held.size > items.len() {
        items.push(format!("… {} more", held.size - items.len()));
    }
    let items = items.join(", ");
    match held.items.first() {
        Some(ItemShown::Pair { .. }) => format!("{{{items}}}"),
        Some(ItemShown::Element(_)) | None => format!("[{items}]"),
    }
}

/// A change of a text.
pub(super) fn text(event: &EventShown, paint: Paint) -> String {
    let new = paint.on(palette::VALUE, event.new.as_deref().unwrap_or("?"));
    let object = event.stream.or(event.object.as_deref()).unwrap_or("?");
    let (index, removed) = (event.index.unwrap_or_default(), event.removed.unwrap_or_default());
    let inserted = event.inserted.unwrap_or_default();
    match event.name.as_deref().unwrap_or_default() {
        "print" => format!("{object} printed {new}"),
        "same" => format!("{object} has the text of {new}"),
        "whole" => format!("{object} holds {new}"),
        _ if removed == 0 => format!("{object}: {new} put in at [{index}]"),
        _ if inserted == 0 => format!("{object}: {removed} removed at [{index}]"),
        _ => format!("{object}: {removed} replaced by {new} at [{index}]"),
    }
}

/// A change of a collection.
pub(super) fn change(event: &EventShown, paint: Paint) -> String {
    let value = |text: &Option<String>| paint.on(palette::VALUE, text.as_deref().unwrap_or("?"));
    let object = event.object.as_deref().unwrap_or("some map");
    let index = event.index.unwrap_or_default();
    let (name, new) = (event.name.as_deref().unwrap_or_default(), value(&event.new));
    let was = event.old.as_ref().map(|old| format!(" (was {old})")).unwrap_or_default();
    match (name, &event.key, event.index) {
        ("all", ..) => {
            let none = Vec::new();
            let (keys, items) = (event.keys.as_ref(), event.items.as_ref().unwrap_or(&none));
            let key = |at: usize| keys.and_then(|keys| keys.get(at)).map(|key| format!("{key} = "));
            let item = |(at, item): (usize, &String)| key(at).unwrap_or_default() + item;
            let mut shown: Vec<String> = items.iter().enumerate().take(FEW).map(item).collect();
            if items.len() > FEW {
                shown.push(format!("… {} more", items.len() - FEW));
            }
            let from = if index == 0 { "" } else { " too" };
            format!("{object} holds{from} {}", paint.on(palette::VALUE, format!("[{}]", shown.join(", "))))
        }
        ("backed", ..) => format!("{object} holds what {new} holds"),
        ("insert", ..) => format!("{object}: {new} put in at [{index}]"),
        ("set", ..) => format!("{object}[{index}]: {new}{was}"),
        ("remove", Some(key), _) => format!("{object}: key {key} removed{was}"),
        ("remove", None, Some(index)) => format!("{object}: [{index}] removed{was}"),
        ("remove", None, None) => format!("{object}: {} removed", value(&event.old)),
        ("clear", ..) => format!("{object}: all removed"),
        // A map in access order also moves a key to the end when the key is read.
        ("last", Some(key), _) => format!("{object}[{key}]: {new}{was}, now the last one"),
        (_, Some(key), _) => format!("{object}[{key}]: {new}{was}"),
        _ => format!("{object} {name}"),
    }
}
