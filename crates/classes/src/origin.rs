//! The origin of a class: folder, jar or runtime image.

use std::fmt;
use std::path::PathBuf;
use std::time::SystemTime;

/// The origin of a class. Displayed as `classes/Intro.class`, `lib.jar!/a/B.class`,
/// `app.jar!/BOOT-INF/lib/x.jar!/a/B.class` or `jrt:/java.base/java/lang/String.class`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A file below a folder of the class path or module path; the path begins as that element was written.
    Folder(PathBuf),
    /// An entry of a jar.
    Jar {
        /// The file on disk, as the user wrote it.
        jar: PathBuf,
        /// The nested jars, outermost first.
        inside: Vec<String>,
        /// The entry of the innermost jar.
        entry: String,
    },
    /// A class of the JDK.
    Runtime {
        /// Its module.
        module: String,
        /// `java/lang/String.class`
        entry: String,
    },
    /// No file: a dynamic language made the class of its source while the program ran.
    Source,
}

impl Origin {
    /// Whether the class belongs to the JDK.
    pub fn is_runtime(&self) -> bool {
        matches!(self, Origin::Runtime { .. })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Folder(file) => write!(f, "{}", file.strip_prefix(".").unwrap_or(file).display()),
            Origin::Jar { jar, inside, entry } => {
                write!(f, "{}", jar.strip_prefix(".").unwrap_or(jar).display())?;
                inside.iter().try_for_each(|inner| write!(f, "!/{inner}"))?;
                write!(f, "!/{entry}")
            }
            Origin::Runtime { module, entry } => write!(f, "jrt:/{module}/{entry}"),
            Origin::Source => f.write_str("the class in the VM"),
        }
    }
}

/// The bytes of a class file and their origin.
#[derive(Debug)]
pub struct ClassBytes {
    /// The class file.
    pub bytes: Vec<u8>,
    /// The class's origin.
    pub origin: Origin,
    /// Modification time of the file, the jar or the image.
    pub modified: Option<SystemTime>,
}
