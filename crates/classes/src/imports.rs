//! Reads the imports of a source file (JLS §7.5).

use super::sources::declaration_lines;

/// What a source file imports.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Imports {
    /// Single classes: the simple name, and the full name with dots.
    pub single: Vec<(String, String)>,
    /// Packages, and classes whose nested classes are imported.
    pub on_demand: Vec<String>,
    /// Modules, whose exported packages are imported.
    pub modules: Vec<String>,
    /// Static members: the simple name, and the full name of the class.
    pub members: Vec<(String, String)>,
    /// Classes whose static members are imported.
    pub members_of: Vec<String>,
}

impl Imports {
    /// Reads the imports before the first declaration, in Java and Kotlin. A static import can name a nested
    /// class.
    pub fn of(lines: &[String]) -> Imports {
        let mut imports = Imports::default();
        for line in declaration_lines(lines) {
            for statement in line.split(';') {
                let statement = statement.split("//").next().unwrap_or_default();
                let mut words = statement.split_whitespace();
                if words.next() != Some("import") {
                    continue;
                }
                let mut words: Vec<&str> = words.collect();
                let is_static = words.first() == Some(&"static");
                if is_static {
                    words.remove(0);
                }
                let alias = match words.iter().position(|word| *word == "as") {
                    Some(at) => words.split_off(at).get(1).copied(),
                    None => None,
                };
                if words.first() == Some(&"module") && words.len() > 1 {
                    imports.modules.push(words.split_off(1).concat());
                    continue;
                }
                let name = words.concat();
                if let (true, Some((of, member))) = (is_static, name.rsplit_once('.')) {
                    match member {
                        "*" => imports.members_of.push(of.to_owned()),
                        member => imports.members.push((member.to_owned(), of.to_owned())),
                    }
                }
                match name.rsplit_once('.') {
                    Some((of, "*")) => imports.on_demand.push(of.to_owned()),
                    Some((_, simple)) => {
                        imports.single.push((alias.unwrap_or(simple).to_owned(), name.clone()));
                    }
                    None => {}
                }
            }
        }
        imports
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_read_up_to_the_first_class() {
        let text = "package a;\n/* import no.No;\n */ import java.util.*; import java.math.RoundingMode;\n\
                    import static a.Outer.Inner; // import no.Such\nimport b.C as D\n\
                    import static a.All.*;\n\
                    import module java.base;\nclass A {\n  String s = \"\";\nimport x.Y;";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let imports = Imports::of(&lines);
        assert_eq!(imports.on_demand, ["java.util", "a.All"]);
        assert_eq!(imports.modules, ["java.base"]);
        assert_eq!(imports.members, [("Inner".to_owned(), "a.Outer".to_owned())]);
        assert_eq!(imports.members_of, ["a.All"]);
        let single = [("RoundingMode", "java.math.RoundingMode"), ("Inner", "a.Outer.Inner"), ("D", "b.C")];
        assert_eq!(imports.single, single.map(|(simple, name)| (simple.to_owned(), name.to_owned())));
    }
}
