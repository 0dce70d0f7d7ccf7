//! Places in a program, as users write them, at which a recording begins and ends.

use descriptor::is_of_file;
use descriptor::written::{self, SOURCE_EXTENSIONS};
use serde::{Deserialize, Serialize};

/// A place in the program, and which time it is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The class or source file.
    pub of: ClassOrFile,
    /// The method or line in it.
    pub at: MethodOrLine,
    /// The number of the hit, from 1.
    pub hit: u32,
}

/// The class or file that contains a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClassOrFile {
    /// A class name, with or without its package. A line may also be in a nested class.
    Class(String),
    /// The name of a source file.
    File(String),
}

/// The method or line of a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MethodOrLine {
    /// The entry of a method: any overload with this name.
    Method(String),
    /// The start of a line.
    Line(u16),
}

/// Where a recording begins and ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    /// `None`: at the start of the program.
    pub from: Option<Place>,
    /// `None`: at the end of the program. Its hits count from the beginning of the recording.
    pub to: Option<Place>,
}

impl Place {
    /// Parses `Class.method`, `Class:line` or `File.java:line`, each optionally followed by `#n` for the n-th
    /// hit. `None` if the text has none of these forms.
    pub fn parse(text: &str) -> Option<Place> {
        let (place, hit) = match text.split_once('#') {
            Some((place, hit)) => (place, hit.parse().ok().filter(|hit| *hit > 0)?),
            None => (text, 1),
        };
        let is_name = |name: &&str| !name.is_empty() && !name.starts_with('.') && !name.ends_with('.');
        if let Some((of, line)) = place.rsplit_once(':') {
            let line = line.parse().ok().filter(|line| *line > 0)?;
            let of = Some(of).filter(is_name)?.to_owned();
            let is_source = |(_, end): (&str, &str)| SOURCE_EXTENSIONS.contains(&end);
            let is_file = of.rsplit_once('.').is_some_and(is_source);
            let of = if is_file { ClassOrFile::File(of) } else { ClassOrFile::Class(of) };
            return Some(Place { of, at: MethodOrLine::Line(line), hit });
        }
        let (class, method) = place.rsplit_once('.')?;
        let class = Some(class).filter(is_name)?.to_owned();
        let method = Some(method).filter(is_name)?.to_owned();
        Some(Place { of: ClassOrFile::Class(class), at: MethodOrLine::Method(method), hit })
    }

    /// Whether the place is in a class, given the class name with dots and its source file.
    pub fn is_in(&self, class: &str, source: Option<&str>) -> bool {
        match (&self.of, &self.at) {
            (ClassOrFile::File(file), _) => is_of_file(class, source, file),
            (ClassOrFile::Class(wanted), MethodOrLine::Method(_)) => is_called(class, wanted),
            (ClassOrFile::Class(wanted), MethodOrLine::Line(_)) => {
                let inside = class.match_indices('$').map(|(end, _)| class.get(..end).unwrap_or(class));
                inside.chain([class]).any(|class| is_called(class, wanted))
            }
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (ClassOrFile::Class(of) | ClassOrFile::File(of)) = &self.of;
        match &self.at {
            MethodOrLine::Method(method) => write!(f, "{of}.{method}")?,
            MethodOrLine::Line(line) => write!(f, "{of}:{line}")?,
        }
        if self.hit > 1 { write!(f, "#{}", self.hit) } else { Ok(()) }
    }
}

/// Whether `wanted` is a suffix of the class name: `Shop` matches `com.acme.Shop`.
fn is_called(class: &str, wanted: &str) -> bool {
    let wanted = wanted.replace('$', ".");
    let ends = |class: &str| {
        let class = class.replace('$', ".");
        class.strip_suffix(&wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    ends(class) || ends(&written::class(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_parse_as_they_are_displayed() {
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
