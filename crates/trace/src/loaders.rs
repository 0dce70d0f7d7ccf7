//! The class loaders of a recording: which class a name means where several loaders define one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use wire::LoaderReport;
use wire::recording::TracedClass;

/// Separates a class name from its loader.
const OF: &str = " (";

/// The class name without the loader that `Loaders::named` adds.
pub fn base_class(class: &str) -> &str {
    class.split_once(OF).map_or(class, |(class, _)| class)
}

/// The loaders, and the classes that they define.
#[derive(Clone, Debug, Default)]
pub(super) struct Loaders {
    /// Name and parent, by number.
    known: BTreeMap<u32, (String, u32)>,
    /// By class name, with dots.
    definitions: HashMap<Arc<str>, Vec<Definition>>,
}

/// A class as one loader defines it.
#[derive(Clone, Debug)]
struct Definition {
    loader: u32,
    statics: Vec<String>,
    superclass: Option<String>,
}

impl Loaders {
    pub(super) fn add(&mut self, LoaderReport { number, class, parent }: LoaderReport) {
        let name = match class.rsplit(['/', '$']).next().unwrap_or_default() {
            "AppClassLoader" => "app".to_owned(),
            "PlatformClassLoader" => "platform".to_owned(),
            other => other.to_owned(),
        };
        let numbered = format!("{name} #");
        let alike = self.known.values().filter(|(l, _)| *l == name || l.starts_with(&numbered)).count();
        let name = if alike == 0 { name } else { format!("{numbered}{}", alike + 1) };
        self.known.insert(number, (name, parent));
    }

    /// Notes a class; its name has dots.
    pub(super) fn define(&mut self, name: &Arc<str>, class: &TracedClass) {
        let definitions = self.definitions.entry(name.clone()).or_default();
        if definitions.iter().all(|known| known.loader != class.loader) {
            definitions.push(Definition {
                loader: class.loader,
                statics: class.fields.iter().filter(|f| f.is_static()).map(|f| f.name.clone()).collect(),
                superclass: class.superclass.as_ref().map(|name| name.replace('/', ".")),
            });
        }
    }

    /// Whether several loaders define a class of this name.
    pub(super) fn is_ambiguous(&self, class: &str) -> bool {
        self.definitions.get(class).is_some_and(|definitions| definitions.len() > 1)
    }

    /// The declaring class of a static field with its loader, if several loaders define that class:
    /// `Shop (URLClassLoader #2)`. The field is named by `class` in code of a loader; `None` if the code's
    /// loader is unknown.
    pub(super) fn named(&self, class: &str, code: Option<u32>, field: &str) -> Option<String> {
        let (mut class, mut code) = (class.to_owned(), code);
        // A damaged file can hold a cycle, so the loop is bounded.
        for _ in 0..=self.definitions.len() {
            let definitions = self.definitions.get(class.as_str())?;
            let Some(found) = self.seen_from(definitions, code) else {
                return Some(format!("{class}{OF}unknown loader)"));
            };
            if found.statics.iter().any(|name| name == field) {
                let name = self.known.get(&found.loader).map_or("bootstrap", |(name, _)| name);
                return (definitions.len() > 1).then(|| format!("{class}{OF}{name})"));
            }
            class = found.superclass.clone()?;
            code = Some(found.loader);
        }
        None
    }

    /// A class with its loader, if several loaders define it, as code of a loader refers to it; `None` if it
    /// is unknown which one is meant.
    pub(super) fn class_named(&self, class: &str, code: u32) -> Option<String> {
        let definitions = self.definitions.get(class).filter(|definitions| definitions.len() > 1);
        let Some(definitions) = definitions else { return Some(class.to_owned()) };
        let found = self.seen_from(definitions, Some(code))?;
        let name = self.known.get(&found.loader).map_or("bootstrap", |(name, _)| name);
        Some(format!("{class}{OF}{name})"))
    }

    /// The definition that code of a loader refers to: that of the loader itself, or else of the nearest
    /// loader to which it delegates.
    fn seen_from<'d>(&self, definitions: &'d [Definition], code: Option<u32>) -> Option<&'d Definition> {
        if let [only] = definitions {
            return Some(only);
        }
        let mut at = code?;
        for _ in 0..=self.known.len() {
            if let Some(found) = definitions.iter().find(|definition| definition.loader == at) {
                return Some(found);
            }
            at = self.known.get(&at)?.1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, loader: u32, superclass: &str, statics: &[&str]) -> TracedClass {
        let field = |name: &&str| serde_json::json!({"name": name, "descriptor": "I", "access": 8});
        let fields: Vec<_> = statics.iter().map(field).collect();
        serde_json::from_value(serde_json::json!({
            "class": name, "loader": loader, "source": null, "superclass": superclass, "access": 1,
            "fields": fields, "methods": [], "left": [],
        }))
        .unwrap()
    }

    #[test]
    fn a_name_means_the_class_of_the_nearest_loader() {
        let mut loaders = Loaders::default();
        let app = "jdk/internal/loader/ClassLoaders$AppClassLoader";
        for (number, class, parent) in [(1, app, 0), (2, "p/Plug", 1), (3, "p/Plug", 1), (4, "p/Plug", 3)] {
            loaders.add(LoaderReport { number, class: class.to_owned(), parent });
        }
        for of in [class("A", 2, "B", &["n"]), class("A", 3, "B", &["n"]), class("B", 1, "", &["b"])] {
            loaders.define(&of.class.as_str().into(), &of);
        }
        let named = |class, code, field| loaders.named(class, code, field);
        assert_eq!(named("A", Some(2), "n").as_deref(), Some("A (Plug)"));
        assert_eq!(named("A", Some(4), "n").as_deref(), Some("A (Plug #2)"));
        assert_eq!(named("A", Some(1), "n").as_deref(), Some("A (unknown loader)"));
        assert_eq!(named("A", None, "n").as_deref(), Some("A (unknown loader)"));
        // The superclass has one definition.
        assert_eq!(
            (named("A", Some(3), "b"), named("B", Some(1), "b"), named("C", Some(1), "c")),
            (None, None, None)
        );
        assert!(loaders.is_ambiguous("A") && !loaders.is_ambiguous("B"));
        assert_eq!((base_class("a.B (Plug #2)"), base_class("a.B")), ("a.B", "a.B"));
    }
}
