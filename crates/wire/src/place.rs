//! Places of a program as people name them, where a recording begins and ends.

use serde::{Deserialize, Serialize};

/// A place, and which time it is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The class, or the file of the source.
    pub of: Of,
    /// What of it.
    pub at: At,
    /// Which time it is reached: from 1 on.
    pub hit: u32,
}

/// What a place is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Of {
    /// A class, with its package or without; a line may be in one inside of it.
    Class(String),
    /// A file of the source.
    File(String),
}

/// What of a class is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum At {
    /// A method, as it is entered: any of this name.
    Method(String),
    /// A line, as it begins.
    Line(u16),
}

/// Where a recording begins, and where it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    /// None: with the program.
    pub from: Option<Place>,
    /// None: with the program. It is counted from the beginning of the recording on.
    pub to: Option<Place>,
}

impl Place {
    /// `Class.method`, `Class:line` or `File.java:line`, each with `#n` for the n-th time; none if it is none
    /// of these.
    pub fn parse(text: &str) -> Option<Place> {
        let (place, hit) = match text.split_once('#') {
            Some((place, hit)) => (place, hit.parse().ok().filter(|hit| *hit > 0)?),
            None => (text, 1),
        };
        let is_name = |name: &&str| !name.is_empty() && !name.starts_with('.') && !name.ends_with('.');
        if let Some((of, line)) = place.rsplit_once(':') {
            let line = line.parse().ok().filter(|line| *line > 0)?;
            let of = Some(of).filter(is_name)?.to_owned();
            let is_file = [".java", ".kt", ".scala", ".groovy"].iter().any(|end| of.ends_with(end));
            let of = if is_file { Of::File(of) } else { Of::Class(of) };
            return Some(Place { of, at: At::Line(line), hit });
        }
        let (class, method) = place.rsplit_once('.')?;
        let class = Some(class).filter(is_name)?.to_owned();
        let method = Some(method).filter(is_name)?.to_owned();
        Some(Place { of: Of::Class(class), at: At::Method(method), hit })
    }

    /// Whether it is in a class, by its name with dots and the file of its source.
    pub fn is_in(&self, class: &str, source: Option<&str>) -> bool {
        match (&self.of, &self.at) {
            (Of::File(file), _) => source == Some(file),
            (Of::Class(wanted), At::Method(_)) => is_called(class, wanted),
            (Of::Class(wanted), At::Line(_)) => {
                let inside = class.match_indices('$').map(|(end, _)| class.get(..end).unwrap_or(class));
                inside.chain([class]).any(|class| is_called(class, wanted))
            }
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Of::Class(of) | Of::File(of)) = &self.of;
        match &self.at {
            At::Method(method) => write!(f, "{of}.{method}")?,
            At::Line(line) => write!(f, "{of}:{line}")?,
        }
        if self.hit > 1 { write!(f, "#{}", self.hit) } else { Ok(()) }
    }
}

/// Whether a class is named by how its name ends: `Shop` is `com.acme.Shop`.
fn is_called(class: &str, wanted: &str) -> bool {
    let (class, wanted) = (class.replace('$', "."), wanted.replace('$', "."));
    class.strip_suffix(&wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_they_are_shown() {
        for text in ["Shop.open", "com.acme.Shop.open#3", "Shop:31", "com.acme.Shop$Item:31#2", "Shop.java:7"]
        {
            assert_eq!(Place::parse(text).map(|place| place.to_string()).as_deref(), Some(text));
        }
        for none in [
            "",
            "open",
            "Shop:",
            ":3",
            "Shop:0",
            "Shop:x",
            "Shop.open#0",
            "Shop.open#",
            "Shop.",
            ".open",
            "12",
        ] {
            assert_eq!(Place::parse(none), None, "{none}");
        }
    }

    #[test]
    fn a_place_is_in_the_classes_that_it_names() {
        let is_in = |place: &str, class: &str| {
            Place::parse(place).is_some_and(|place| place.is_in(class, Some("Shop.java")))
        };
        for (place, class, is) in [
            ("Shop.open", "com.acme.Shop", true),
            ("acme.Shop.open", "com.acme.Shop", true),
            ("Shop.open", "com.acme.WorkShop", false),
            ("Shop.open", "com.acme.Shop$Item", false),
            ("Shop.Item.open", "com.acme.Shop$Item", true),
            ("Shop:3", "com.acme.Shop$Item$1", true),
            ("Item:3", "com.acme.Shop$Item", true),
            ("Shop:3", "com.acme.Till", false),
            ("Shop.java:3", "com.acme.Till", true),
            ("Till.java:3", "com.acme.Till", false),
        ] {
            assert_eq!(is_in(place, class), is, "{place} {class}");
        }
    }
}
