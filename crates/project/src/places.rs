//! The module of a test class, by the place of its source.

use super::error::ProjectError;
use super::tools::Tool;
use super::walk::files;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Extensions of sources.
const SOURCES: [&str; 4] = ["java", "kt", "groovy", "scala"];

/// The module of a test class; `None` if no file is named like the class.
///
/// # Errors
/// Several modules have such a file, and the folder where the user stands is in none of them.
pub fn module_of_test(
    tool: &Tool,
    root: &Path,
    here: &Path,
    test: &str,
) -> Result<Option<PathBuf>, ProjectError> {
    let class = test.split('#').next().unwrap_or(test);
    // The last name may be that of a nested class.
    let outer = class.split('$').next().unwrap_or(class);
    let names: Vec<&str> = outer.split('.').collect();
    for nested in 0..names.len() {
        let (packages, name) = match names.split_at(names.len() - nested) {
            ([packages @ .., name], _) => (packages, *name),
            _ => continue,
        };
        let found = modules_with(tool, root, packages, name);
        let own: Vec<&PathBuf> = found.iter().filter(|module| here.starts_with(module)).collect();
        // The user may stand in a module inside another one.
        if let Some(own) = own.into_iter().max_by_key(|module| module.components().count()) {
            return Ok(Some(own.clone()));
        }
        let below: Vec<&PathBuf> = found.iter().filter(|module| module.starts_with(here)).collect();
        match below.as_slice() {
            [one] => return Ok(Some((*one).clone())),
            [] if found.len() < 2 => {
                if let Some(one) = found.first() {
                    return Ok(Some(one.clone()));
                }
            }
            _ => {
                let found = found.iter().map(|module| module.display().to_string()).collect();
                let advice = "go to the folder of one of these modules, or write the package of the class";
                return Err(ProjectError::Several { test: test.to_owned(), found, advice });
            }
        }
    }
    Ok(None)
}

/// The modules with a source file of this name in a folder of these packages.
fn modules_with(tool: &Tool, root: &Path, packages: &[&str], name: &str) -> BTreeSet<PathBuf> {
    let folder: PathBuf = packages.iter().collect();
    let is_named = |file: &PathBuf| {
        file.file_stem().is_some_and(|stem| stem == name)
            && file.extension().and_then(|end| end.to_str()).is_some_and(|end| SOURCES.contains(&end))
            && file.parent().is_some_and(|inside| inside.ends_with(&folder))
    };
    files(root).filter(is_named).filter_map(|file| module_of_file(tool, root, &file)).collect()
}

/// The innermost folder around a file that is a module: by a file of the tool, or because it has a `src`.
fn module_of_file(tool: &Tool, root: &Path, file: &Path) -> Option<PathBuf> {
    let inside = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    let is_module = |folder: &&Path| {
        tool.has_module(folder) || file.starts_with(folder.join("src")) && !folder.ends_with("src")
    };
    inside.into_iter().find(is_module).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::module_of;

    #[test]
    fn the_module_of_a_test_is_where_its_source_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for file in [
            "pom.xml",
            "core/pom.xml",
            "core/src/test/java/shop/CartTest.java",
            "core/target/copy/src/test/java/shop/CartTest.java",
            "till/pom.xml",
            "till/src/test/java/till/CartTest.java",
            "till/src/test/java/till/target/DeepTest.java",
        ] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "<project/>").unwrap();
        }
        let (tool, module) = module_of(&root.join("core/src/test")).unwrap();
        assert_eq!((tool.name, module), ("Maven", root.join("core")));
        let of = |here: &str, test: &str| module_of_test(tool, root, &root.join(here), test);
        assert_eq!(of("", "shop.CartTest#adds").unwrap(), Some(root.join("core")));
        assert_eq!(of("core", "till.CartTest.Inner#adds").unwrap(), Some(root.join("till")));
        assert_eq!(of("till/src", "CartTest").unwrap(), Some(root.join("till")));
        assert_eq!(of("core", "DeepTest").unwrap(), Some(root.join("till")));
        assert_eq!(of("", "Nowhere").unwrap(), None);
        let error = of("", "CartTest").unwrap_err().to_string();
        assert!(error.contains("/core, ") && error.contains("write the package"), "{error}");
    }
}
