//! Reads the main attributes of a jar's manifest (JAR File Specification, "JAR Manifest").

/// The attributes of `META-INF/MANIFEST.MF` that decide where classes are found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    pub main_class: Option<String>,
    /// The program's own main class in a Spring Boot jar, whose `Main-Class` is a launcher.
    pub start_class: Option<String>,
    /// Relative URLs of further jars and folders, in order.
    pub class_path: Vec<String>,
    pub multi_release: bool,
}

impl Manifest {
    /// Parses the main section. Ignores unknown attributes and malformed lines, as `java` does.
    pub fn parse(bytes: &[u8]) -> Manifest {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
        let mut lines: Vec<String> = Vec::new();
        for line in text.split('\n') {
            if line.is_empty() {
                if lines.is_empty() {
                    continue;
                }
                break; // The main section ends at the first empty line.
            }
            // A line that begins with a space continues the previous one (a line has at most 72 bytes).
            match (line.strip_prefix(' '), lines.last_mut()) {
                (Some(rest), Some(last)) => last.push_str(rest),
                _ => lines.push(line.to_owned()),
            }
        }
        let mut manifest = Manifest::default();
        for line in &lines {
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "main-class" => manifest.main_class = Some(value.to_owned()),
                "start-class" => manifest.start_class = Some(value.to_owned()),
                "class-path" => manifest.class_path = value.split_whitespace().map(str::to_owned).collect(),
                "multi-release" => manifest.multi_release = value.eq_ignore_ascii_case("true"),
                _ => {}
            }
        }
        manifest
    }
}

/// Converts a `Class-Path` element to a path relative to the jar's folder; `None` for URLs that are not
/// files.
pub(super) fn class_path_element(url: &str) -> Option<String> {
    let path = match url.split_once(':') {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => rest,
        Some((scheme, _)) if scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric()) => {
            return None;
        }
        _ => url,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(b) = rest.next() {
        if b != b'%' {
            bytes.push(b);
            continue;
        }
        let mut ahead = rest.clone();
        let hex = ahead.next().zip(ahead.next()).and_then(|(hi, lo)| {
            let digit = |c: u8| char::from(c).to_digit(16);
            u8::try_from(digit(hi)? * 16 + digit(lo)?).ok()
        });
        match hex {
            Some(byte) => {
                bytes.push(byte);
                rest = ahead;
            }
            None => bytes.push(b),
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continued_lines_and_several_elements() {
        let text = b"Manifest-Version: 1.0\r\nmain-class: shop.Main\r\nClass-Path: lib/a.jar lib/\r\n b.jar  c%20d.jar\r\n\
            Multi-Release: TRUE\r\n\r\nName: shop/\r\nMain-Class: other\r\n";
        let manifest = Manifest::parse(text);
        assert_eq!(manifest.main_class.as_deref(), Some("shop.Main"));
        assert_eq!(manifest.class_path, ["lib/a.jar", "lib/b.jar", "c%20d.jar"]);
        assert!(manifest.multi_release);
        assert_eq!(Manifest::parse(b""), Manifest::default());
    }

    #[test]
    fn elements_are_urls() {
        assert_eq!(class_path_element("c%20d.jar").as_deref(), Some("c d.jar"));
        assert_eq!(class_path_element("file:/opt/x.jar").as_deref(), Some("/opt/x.jar"));
        assert_eq!(class_path_element("100%.jar").as_deref(), Some("100%.jar"));
        assert_eq!(class_path_element("http://example.org/x.jar"), None);
    }
}
