//! The rules for this project's files: layers, sizes, words, and truthful docs. They read the sources as
//! text.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use querypoint::ui::table::{COMMANDS, Row};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Maximum length of a file, in lines.
const LONGEST: usize = 600;

/// The hosts that the project's files may link to, and the one in the name of SVG's namespace.
const HOSTS: &[&str] = &[
    "127.0.0.1",
    "adoptium.net",
    "checkstyle.org",
    "example.org",
    "docs.oracle.com",
    "github.com",
    "rustup.rs",
    "schemas.microsoft.com",
    "schemas.openxmlformats.org",
    "www.apache.org",
    "www.w3.org",
];

#[test]
fn only_code_of_the_product_is_read() {
    let text = concat!(
        "// a.unwrap()\nlet a = \"x.unwrap() \\\" y\"; /* b.unwrap() */ let c = '\"'; let d = r#\"e.unwrap()\"#;\n",
        "fn f<'a>(x: &'a str) { kept() }\n#[cfg(test)]\nmod tests { fn g() { x.unwrap(); } }\nfn h() { kept() }\n",
    );
    let code = without_test_items(&without_comments_and_texts(text));
    assert!(!code.contains("unwrap"), "{code}");
    assert_eq!(code.matches("kept").count(), 2, "{code}");
    assert_eq!(code.lines().count(), text.lines().count());
}

#[test]
fn files_are_rooms_of_one_purpose() {
    let mut wrong = Vec::new();
    for file in files(&["src", "crates", "tests", "benches"], &["rs"]) {
        let text = read(&file);
        let lines = text.lines().count();
        if lines > LONGEST {
            wrong.push(format!("{}: {lines} lines, more than {LONGEST}", file.display()));
        }
        // A crate with its README as front page describes itself there.
        if !text.starts_with("//!") && !text.starts_with("#![doc = include_str!(") {
            wrong.push(format!("{}: its first line does not say (`//!`) what room it is", file.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn product_code_does_not_panic() {
    let panics = Regex::new(
        r"\.(unwrap|unwrap_err|expect_err)\(\)|\.expect\(|\b(panic|unreachable|todo|unimplemented)!|\bdbg!",
    )
    .unwrap();
    let mut wrong = Vec::new();
    for (file, code) in product_code() {
        for (number, line) in code.lines().enumerate() {
            if panics.is_match(line) {
                wrong.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn no_file_names_a_machine() {
    let url = Regex::new(r"https?://([A-Za-z0-9.-]+)").unwrap();
    let address = Regex::new(r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b").unwrap();
    let private = Regex::new(r#"(?:^|[\s"'`(=:])/(?:home|root|Users|mnt|media)/\w"#).unwrap();
    let here = env!("CARGO_MANIFEST_DIR");
    let home = std::env::var("HOME").unwrap_or_default();
    let mut wrong = Vec::new();
    for file in files(&["."], &[]) {
        // Skip binary files, such as jars.
        let Ok(text) = std::fs::read_to_string(root().join(&file)) else { continue };
        let mut add = |what: &str| wrong.push(format!("{}: {what}", file.display()));
        for found in url.captures_iter(&text) {
            let host = found.get(1).map_or("", |m| m.as_str());
            if !HOSTS.contains(&host) {
                add(&format!("points to {host}, which is not in the list of hosts"));
            }
        }
        for found in address.find_iter(&text) {
            if !["127.0.0.1", "0.0.0.0"].contains(&found.as_str()) {
                add(&format!("names the address {}", found.as_str()));
            }
        }
        if let Some(found) = private.find(&text)
            && file != Path::new("tests/docs/house.rs")
        {
            add(&format!("names a folder of one machine: {}", found.as_str()));
        }
        for folder in [here, &home] {
            if folder.matches('/').count() > 1 && text.contains(folder) {
                add(&format!("names {folder}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn links_of_the_docs_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)#\s]+)").unwrap();
    let mut seen = 0;
    for file in docs() {
        let text = read(&file);
        let folder = root().join(&file).parent().map(Path::to_owned).unwrap_or_default();
        for found in link.captures_iter(&text) {
            let target = found.get(1).map_or("", |m| m.as_str());
            if !target.starts_with("http") {
                seen += 1;
                assert!(folder.join(target).exists(), "{}: no file {target}", file.display());
            }
        }
    }
    assert!(seen > 4, "only {seen} links found");
}

#[test]
fn citations_of_the_design_lead_to_a_section() {
    let headings = Regex::new(r"(?m)^#+ (\d+(?:\.\d+)?)[. ]").unwrap();
    let design = read("docs/DESIGN.md");
    let sections: BTreeSet<&str> =
        headings.captures_iter(&design).map(|c| c.get(1).unwrap().as_str()).collect();
    let cited = Regex::new(r"DESIGN §(\d+(?:\.\d+)?)").unwrap();
    let (mut found, mut wrong) = (0, Vec::new());
    for file in files(&["src", "crates", "java", "tests", "benches", "docs"], &["rs", "md", "java"]) {
        let text = read(&file);
        for citation in cited.captures_iter(&text) {
            found += 1;
            if !sections.contains(&citation[1]) {
                wrong.push(format!("{}: {}", file.display(), &citation[0]));
            }
        }
    }
    assert!(found > 50, "only {found} citations found");
    assert!(wrong.is_empty(), "no such section in docs/DESIGN.md:\n{}", wrong.join("\n"));
}

/// A folder whose prefix is not listed stays for ever when its `qp` is killed.
#[test]
fn abandoned_folders_of_each_prefix_are_removed() {
    let listed = read(Path::new("crates/files/src/temporary.rs"));
    let made = Regex::new(r#"TemporaryFolder::new\(\s*"([^"]*)""#).expect("a pattern");
    let mut prefixes = BTreeSet::new();
    for file in files(&["src", "crates"], &["rs"]) {
        let text = read(&file);
        prefixes.extend(made.captures_iter(&text).map(|found| found[1].to_owned()));
    }
    assert!(prefixes.len() > 5, "{prefixes:?}");
    let covers = |prefix: &&String| {
        let known = Regex::new(r#""((?:querypoint|qp)-[a-z-]*)","#).expect("a pattern");
        known.captures_iter(&listed).any(|known| prefix.starts_with(&known[1]))
    };
    let left: Vec<&String> = prefixes.iter().filter(|prefix| !covers(prefix)).collect();
    assert!(left.is_empty(), "PREFIXES in crates/files/src/temporary.rs lacks {left:?}");
}

/// Maximum width of a line: longer ones are hard to read side by side with other text.
const WIDEST: usize = 110;

/// Applies to code, comments and prose. Tables, blocks in pages, string literals, and the test programs,
/// whose lines are numbered, may be wider.
#[test]
fn lines_are_not_wider_than_a_page() {
    let mut wrong = Vec::new();
    let all = files(&["src", "crates", "java", "tests", "benches", "docs"], &["rs", "md", "java"]);
    for file in all.into_iter().chain([PathBuf::from("README.md")]) {
        if file.iter().any(|part| part == "fixtures") {
            continue;
        }
        let is_page = file.extension().is_some_and(|e| e == "md");
        let mut in_block = false;
        for (number, line) in (1..).zip(read(&file).lines()) {
            let start = line.trim_start();
            in_block ^= is_page && start.starts_with("```");
            let is_prose = match is_page {
                true => !in_block && !start.starts_with('|'),
                false => start.starts_with("//") || start.starts_with("* ") || start.starts_with("/*"),
            };
            if is_prose && line.chars().count() > WIDEST {
                wrong.push(format!("{}:{number}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "wider than {WIDEST} columns:\n{}", wrong.join("\n"));
}

#[test]
fn the_formats_are_described() {
    let page = read("docs/formats.md");
    let field = Regex::new(r"(?m)((?:^ *#\[[^\n]*\n)*)^ *pub (\w+): ").unwrap();
    let words: BTreeSet<String> =
        Regex::new(r"`(\w+)`").unwrap().captures_iter(&page).map(|c| c[1].to_owned()).collect();
    let mut fields = 0;
    for source in [
        "crates/answer/src/lib.rs",
        "crates/replay/src/cost.rs",
        "crates/chain/src/format.rs",
        "crates/chain/src/chain_query.rs",
        "crates/chain/src/explain.rs",
        "crates/logic/src/saved/form.rs",
        "crates/logic/src/saved/keys.rs",
        "crates/logic/src/saved/compare.rs",
    ] {
        for found in field.captures_iter(&read(source)) {
            let (attributes, name) = (&found[1], &found[2]);
            if !attributes.contains("serde(skip)") {
                fields += 1;
                assert!(words.contains(name), "docs/formats.md does not describe `{name}` of {source}");
            }
        }
    }
    assert!(fields > 70, "only {fields} fields found");
    let kind = Regex::new(r#"(?m)^ +\w+\([^"\n]*\) "(`.*`)" =>"#).unwrap();
    let kinds = read("crates/chain/src/kinds/mod.rs");
    let mut seen = 0;
    for found in kind.captures_iter(&kinds) {
        let name = found[1].replace("\\\"", "\"");
        let name = name.trim_start_matches('`').split('(').next().unwrap_or_default().to_owned();
        assert!(page.contains(&format!("| `{name}(")), "docs/formats.md does not describe the kind {name}");
        seen += 1;
    }
    assert!(seen >= 9, "only {seen} kinds found");
}

#[test]
fn flags_of_the_docs_exist() {
    let mut help = String::new();
    // A command can have subcommands of its own.
    let nested = |row: &Row| -> Vec<String> {
        let line = row.line();
        line.get_subcommands().map(|inner| format!("{} {}", row.path(), inner.get_name())).collect()
    };
    let paths = COMMANDS.iter().flat_map(|row| std::iter::once(row.path()).chain(nested(row)));
    for path in paths.chain([String::new()]) {
        let words = path.split_whitespace().chain(["--help"]);
        let output = Command::new(env!("CARGO_BIN_EXE_qp")).args(words).output().unwrap();
        assert!(output.status.success());
        help.push_str(&String::from_utf8_lossy(&output.stdout));
    }
    let flag = Regex::new(r"`(?:qp [^`]*?)?(--[a-z][a-z-]+)").unwrap();
    let mut seen = 0;
    for file in [
        "README.md",
        "docs/guide.md",
        "docs/sessions.md",
        "docs/formats.md",
        "docs/trace.md",
        "docs/declarative.md",
        "docs/security.md",
    ] {
        for found in flag.captures_iter(&read(file)) {
            seen += 1;
            let flag = &found[1];
            assert!(
                [" ", "\n", "["].iter().any(|behind| help.contains(&format!("{flag}{behind}"))),
                "{file}: {flag}"
            );
        }
    }
    assert!(seen > 10, "only {seen} flags found");
}

/// Runs every `console` block of the docs in a copy of the examples, as a reader would. Pages are independent
/// of each other.
#[test]
fn commands_of_the_docs_do_what_they_show() {
    let pages = Mutex::new(docs());
    let next = || pages.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let read_pages = || std::iter::from_fn(next).map(|page| commands_of(&page)).sum::<usize>();
    let commands: usize = std::thread::scope(|scope| {
        let readers = [(); 3].map(|()| scope.spawn(read_pages));
        readers.into_iter().map(|reader| reader.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).sum()
    });
    assert!(commands > 8, "only {commands} commands found");
}

/// Runs the `console` blocks of a page, and counts their commands.
fn commands_of(file: &Path) -> usize {
    let found = console_commands(&read(file));
    let folder = tempfile::tempdir().unwrap();
    for part in ["examples", "querypoints"] {
        copy(&root().join(part), &folder.path().join(part));
    }
    for (line, command, expected) in &found {
        let (shown, success) = run(command, folder.path());
        let place = format!("{}:{line}: {command}", file.display());
        assert!(success, "{place}\nfailed:\n{shown}");
        let (shown, expected) = (tolerant(&shown), tolerant(expected));
        if let Err(missing) = agrees(&expected, &shown) {
            panic!("{place}\ndoes not print\n    {missing}\nwhere it should. It prints:\n{shown}");
        }
    }
    found.len()
}

#[test]
fn elisions_stand_for_lines_and_for_characters() {
    assert_eq!(agrees("a\n...\nc\n", "a\nb\nb\nc\n"), Ok(()));
    assert_eq!(agrees("a\n...\n", "a\n"), Ok(()));
    assert_eq!(agrees("hit [..] of A", "hit 12 of A"), Ok(()));
    assert_eq!(agrees("a\n...\nc\nd\n", "a\nc\nx\nc\nd\n"), Ok(()));
    assert!(agrees("a\nc\n", "a\nb\nc\n").is_err());
    assert!(agrees("a\n", "a\nb\n").is_err());
    assert!(agrees("...\nc\n", "a\nb\n").is_err());
}

/// The commands of the `console` blocks: line number, command, and expected output.
fn console_commands(text: &str) -> Vec<(usize, String, String)> {
    let mut commands: Vec<(usize, String, String)> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((number + 1, command.to_owned(), String::new())),
                (None, Some((_, _, output))) => {
                    output.push_str(line);
                    output.push('\n');
                }
                (None, None) => panic!("line {}: a console block begins with a command", number + 1),
            },
            (false, _) => {}
        }
    }
    commands
}

/// Runs a shell command with the built `qp` first on the path. Returns its whole output, and whether it
/// succeeded.
fn run(command: &str, folder: &Path) -> (String, bool) {
    let programs = Path::new(env!("CARGO_BIN_EXE_qp")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env("XDG_DATA_HOME", folder.join("data"))
        // The reader has already allowed the commands once.
        .env("QUERYPOINT_TRUST", folder)
        .env_remove("JAVA_TOOL_OPTIONS")
        .output()
        .unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
}

/// Removes line numbers of foreign files, such as the JDK's, which differ between versions.
fn tolerant(text: &str) -> String {
    let ours = files(&["examples"], &["java"]);
    let ours: BTreeSet<_> = ours.iter().filter_map(|f| f.file_name()?.to_str()).collect();
    let place = Regex::new(r"\b(\w+\.java):\d+\b").unwrap();
    let shown = |found: &regex::Captures<'_>| {
        let file = found.get(1).map_or("", |m| m.as_str());
        if ours.contains(file) { found[0].to_owned() } else { file.to_owned() }
    };
    place.replace_all(text, shown).into_owned()
}

/// Compares a text with the expected one, in which a line `...` stands for any lines and `[..]` for any
/// characters.
fn agrees(expected: &str, text: &str) -> Result<(), String> {
    let line = |l: &str| regex::escape(l.trim_end()).replace(r"\[\.\.\]", ".*");
    let shown: String = text.lines().map(|l| format!("{}\n", l.trim_end())).collect();
    let mut pattern = String::from(r"\A");
    for wanted in expected.trim_end().lines() {
        if wanted == "..." {
            pattern.push_str(r"(?:.*\n)*?");
        } else {
            pattern.push_str(&format!("{}\n", line(wanted)));
        }
        if !Regex::new(&pattern).unwrap().is_match(&shown) {
            return Err(wanted.to_owned());
        }
    }
    pattern.push_str(r"\n*\z");
    let whole = Regex::new(&pattern).unwrap().is_match(&shown);
    whole.then_some(()).ok_or_else(|| "the end of the output".to_owned())
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn read(file: impl AsRef<Path>) -> String {
    let file = root().join(file);
    std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn docs() -> Vec<PathBuf> {
    let mut all = vec![PathBuf::from("README.md")];
    all.extend(files(&["docs", "examples"], &["md"]));
    all
}

/// The files below these folders, relative to the root, without build products.
pub fn files(folders: &[&str], extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|f| root().join(f)).collect();
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let made = ["target", ".git", "corpus", "artifacts", "node_modules"].contains(&name.as_str())
                || (name == "classes" && folder != root().join("crates"));
            if path.is_dir() {
                if !made {
                    open.push(path);
                }
            } else if extensions.is_empty()
                || path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x))
            {
                found.push(path.strip_prefix(root()).unwrap_or(&path).to_owned());
            }
        }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            if entry.file_name() != "classes" {
                copy(&entry.path(), &target);
            }
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The folders with the code of the product.
pub fn product_sources() -> Vec<String> {
    let crates = std::fs::read_dir(root().join("crates")).unwrap().flatten();
    let names = crates.map(|entry| entry.file_name().to_string_lossy().into_owned());
    // What only tests use is no part of it.
    let names = names.filter(|name| name != "testing");
    let mut sources: Vec<String> = names.map(|name| format!("crates/{name}/src")).collect();
    sources.push("src".to_owned());
    sources.sort();
    sources
}

/// The code of the product, file by file: without comments, string literals and test code. Line numbers stay
/// the same.
pub fn product_code() -> Vec<(PathBuf, String)> {
    let test_module = Regex::new(r"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;").unwrap();
    let mut code: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut tests: Vec<PathBuf> = Vec::new();
    let sources = product_sources();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    for file in files(&sources, &["rs"]) {
        let plain = without_comments_and_texts(&read(&file));
        for found in test_module.captures_iter(&plain) {
            let is_root = ["mod.rs", "lib.rs", "main.rs"].iter().any(|n| file.ends_with(n));
            let folder = if is_root { file.with_file_name("") } else { file.with_extension("") };
            let module = folder.join(&found[1]);
            tests.push(module.with_extension("rs"));
            tests.push(module);
        }
        code.insert(file, without_test_items(&plain));
    }
    assert!(code.len() > 100, "only {} files found", code.len());
    code.retain(|file, _| !tests.iter().any(|t| file.starts_with(t)));
    code.into_iter().collect()
}

/// Replaces comments, strings and character literals by blanks.
pub fn without_comments_and_texts(text: &str) -> String {
    // Line and block comments, raw strings with one hash or none, strings, characters (not lifetimes).
    let token = Regex::new(
        r##"(?s)//[^\n]*|/\*.*?\*/|b?r#".*?"#|b?r"[^"]*"|b?"(?:\\.|[^"\\])*"|b?'(?:\\'|\\[^']+|[^'\\\n])'"##,
    )
    .unwrap();
    let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
    token
        .replace_all(text, |found: &regex::Captures<'_>| found[0].chars().map(blank).collect::<String>())
        .into_owned()
}

/// Replaces items under `#[cfg(test)]` by blanks.
pub fn without_test_items(code: &str) -> String {
    let mut out = code.to_owned();
    let mut from = 0;
    while let Some(start) = out[from..].find("#[cfg(test)]").map(|at| from + at) {
        let mut depth = 0usize;
        let mut end = out.len();
        for (at, c) in out[start..].char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && (c == '}' || c == ';') {
                end = start + at + 1;
                break;
            }
        }
        let blanks: String = out[start..end].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        out.replace_range(start..end, &blanks);
        from = start;
    }
    out
}
