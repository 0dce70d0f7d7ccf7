//! Reads the runtime image `lib/modules` of a Java home with the crate `jimage-rs`.
//!
//! Rejected: `ristretto_jimage` reads the images of JDK 17 and 25 too, but ends the process on an image that
//! `jlink --compress` made. `jimage-rs` reads those as well (`compact-cp` gives a typed error).

use super::error::ClassesError;
use super::origin::{ClassBytes, Origin};
use jimage_rs::JImage;
use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

/// An opened runtime image.
pub(super) struct Runtime {
    path: PathBuf,
    image: JImage,
    modified: Option<SystemTime>,
    /// Maps a package (`java/lang`) to its module. In an image, a package belongs to one module.
    modules: OnceLock<HashMap<String, String>>,
}

impl Runtime {
    /// Opens `lib/modules` of a Java home.
    pub fn open(java_home: &Path) -> Result<Runtime, ClassesError> {
        let path = java_home.join("lib").join("modules");
        let failed = |reason: String| ClassesError::RuntimeImage { path: path.clone(), reason };
        if !is_whole(&path).map_err(|e| failed(e.to_string()))? {
            return Err(failed("it is no image, or not all of one".to_owned()));
        }
        let image = JImage::open(&path).map_err(|e| failed(e.to_string()))?;
        let modified = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
        Ok(Runtime { path, image, modified, modules: OnceLock::new() })
    }

    fn modules(&self) -> &HashMap<String, String> {
        self.modules.get_or_init(|| {
            let classes = self.image.resource_names_iter().flatten().filter(|r| r.extension == "class");
            classes.map(|r| (r.parent.into_owned(), r.module.into_owned())).collect()
        })
    }

    /// The packages of a module whose names begin with `java.` or `javax.`: a module exports these.
    pub fn exported_packages(&self, module: &str) -> Vec<String> {
        let is_api = |package: &str| package.starts_with("java/") || package.starts_with("javax/");
        let of_module = self.modules().iter().filter(|(package, of)| *of == module && is_api(package));
        of_module.map(|(package, _)| package.replace('/', ".")).collect()
    }

    /// Reads a class file such as `java/lang/String.class`; `None` if it does not exist.
    pub fn find(&self, file: &str) -> Result<Option<ClassBytes>, ClassesError> {
        let package = file.rsplit_once('/').map_or("", |(package, _)| package);
        let Some(module) = self.modules().get(package) else { return Ok(None) };
        match self.image.find_resource(&format!("/{module}/{file}")) {
            Ok(None) => Ok(None),
            Ok(Some(bytes)) => Ok(Some(ClassBytes {
                bytes: bytes.into_owned(),
                origin: Origin::Runtime { module: module.clone(), entry: file.to_owned() },
                modified: self.modified,
            })),
            Err(e) => Err(ClassesError::RuntimeImage { path: self.path.clone(), reason: e.to_string() }),
        }
    }

    /// The binary names of all classes in the image, or in one package (`java.util`).
    pub fn class_names(&self, package: Option<&str>) -> BTreeSet<String> {
        let wanted = package.map(|p| p.replace('.', "/"));
        let classes = self.image.resource_names_iter().flatten();
        classes
            .filter(|r| r.extension == "class" && r.base != "module-info" && !r.parent.is_empty())
            .filter(|r| wanted.as_deref().is_none_or(|p| p == r.parent))
            .map(|r| format!("{}.{}", r.parent.replace('/', "."), r.base))
            .collect()
    }
}

/// Whether the file is as long as its header announces; the library trusts the header. The header has seven
/// four-byte words in the machine's byte order: magic, version, flags, number of resources, table length,
/// size of the locations and size of the strings. Two tables of words precede the locations.
fn is_whole(path: &Path) -> std::io::Result<bool> {
    let mut file = std::fs::File::open(path)?;
    let mut header = [0; 28];
    if let Err(e) = file.read_exact(&mut header) {
        return if e.kind() == std::io::ErrorKind::UnexpectedEof { Ok(false) } else { Err(e) };
    }
    let big = header.starts_with(&[0xca, 0xfe, 0xda, 0xda]);
    let word = |bytes: &[u8]| {
        let bytes: [u8; 4] = bytes.try_into().unwrap_or_default();
        u64::from(if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    };
    let words: Vec<u64> = header.chunks_exact(4).map(word).collect();
    let [magic, _, _, _, table, locations, strings] = words[..] else { return Ok(false) };
    Ok(magic == 0xcafe_dada && table > 0 && file.metadata()?.len() >= 28 + 8 * table + locations + strings)
}

/// The feature version of a Java home (17, 25), from its `release` file; 8 for `1.8.0`.
pub(super) fn feature_version(java_home: &Path) -> Option<u32> {
    let text = std::fs::read_to_string(java_home.join("release")).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("JAVA_VERSION="))?;
    let version = line.trim_matches(|c: char| c == '"' || c.is_whitespace());
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match numbers.next()?.ok()? {
        1 => numbers.next()?.ok(),
        feature => Some(feature),
    }
}
