//! Source maps of class files (JSR 45, "Debugging Support for Other Languages", and JVMS §4.7.11): which
//! file and line an instruction was written in, where the line table does not say it.
//!
//! A compiler that copies code from another place into a method (an `inline` function of Kotlin), or that
//! translates a source twice (a JSP), gives such code line numbers of its own. The map takes these back. It
//! has strata, one for each language; a stratum has files and rows.

/// The stratum of Kotlin that maps copied code to the line of the call that it was copied for.
const CALLS: &str = "KotlinDebug";

/// The source map of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMap {
    files: Vec<File>,
    /// The class's own file.
    own: File,
    /// The rows of the default stratum, by the number in the line table.
    rows: Vec<Row>,
    /// Rows that map copied code to lines of the class's own file.
    calls: Vec<Row>,
}

/// A source file of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    id: u32,
    /// Its name, without a folder.
    pub name: String,
    /// Its path, as the compiler wrote it; Kotlin writes the internal name of the file's class.
    pub path: String,
}

/// Lines of a source, and the numbers that a line table has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    file: u32,
    source: u32,
    /// Number of source lines.
    count: u32,
    number: u32,
    /// How many numbers each source line has; 0: all of them have one.
    each: u32,
}

/// A stratum.
#[derive(Default)]
struct Stratum<'t> {
    name: &'t str,
    files: Vec<File>,
    rows: Vec<Row>,
}

impl Row {
    /// The source line of a number in the line table.
    fn source(&self, number: u32) -> Option<u32> {
        let after = number.checked_sub(self.number)?;
        let line = match self.each {
            0 => (after == 0).then_some(0)?,
            each => after / each,
        };
        (line < self.count).then(|| self.source.saturating_add(line))
    }
}

/// The row of a number, and the line.
fn found(rows: &[Row], number: u32) -> Option<(&Row, u32)> {
    let after = rows.partition_point(|row| row.number <= number);
    let before = rows.get(..after)?.iter().rev();
    before.take(NEAR).find_map(|row| Some((row, row.source(number)?)))
}

/// How many rows that begin before a number are looked at: rows seldom overlap.
const NEAR: usize = 8;

impl SourceMap {
    /// The map of a class with the name of its source file (JVMS §4.7.10); `None` if the text is no map, or
    /// maps nothing.
    pub fn parse(text: &str, source_file: Option<&str>) -> Option<SourceMap> {
        let mut lines = text.lines();
        if lines.next()?.trim() != "SMAP" {
            return None;
        }
        let (_generated, wanted) = (lines.next()?, lines.next()?.trim());
        let mut strata = strata(lines);
        let at = |strata: &[Stratum<'_>], name: &str| strata.iter().position(|stratum| stratum.name == name);
        let default = at(&strata, wanted).map(|at| strata.swap_remove(at))?;
        let named = default.files.iter().find(|file| Some(file.name.as_str()) == source_file);
        let own = named.or_else(|| default.files.iter().min_by_key(|file| file.id))?.clone();
        let mut map = SourceMap { files: default.files, own, rows: default.rows, calls: Vec::new() };
        if let Some(calls) = at(&strata, CALLS).map(|at| strata.swap_remove(at)) {
            let is_own =
                |row: &Row| calls.files.iter().any(|file| file.id == row.file && file.name == map.own.name);
            map.calls = calls.rows.into_iter().filter(is_own).collect();
        }
        Some(map)
    }

    /// The name of the source file of the class.
    pub fn source_file(&self) -> &str {
        &self.own.name
    }

    /// The line of the class's own file that a number in the line table means: where the call stands for
    /// which the code was copied, or else where the code stands. `None` for code that stands in no line of
    /// it.
    pub fn line(&self, number: u32) -> Option<u32> {
        let here = || found(&self.rows, number).filter(|(row, _)| row.file == self.own.id);
        found(&self.calls, number).or_else(here).map(|(_, line)| line)
    }

    /// The file and its line from which code was copied: another file, or another method of this one.
    pub fn copied(&self, number: u32) -> Option<(&File, u32)> {
        let (row, line) = found(&self.rows, number)?;
        if row.file == self.own.id && found(&self.calls, number).is_none() {
            return None;
        }
        let file = self.files.iter().find(|file| file.id == row.file)?;
        Some((file, line))
    }
}

/// The strata of a map. Sections that are not known are passed over, as the specification asks.
fn strata<'t>(mut lines: impl Iterator<Item = &'t str>) -> Vec<Stratum<'t>> {
    let mut all: Vec<Stratum<'t>> = Vec::new();
    let (mut section, mut file) = ("", 0);
    while let Some(line) = lines.next() {
        let line = line.trim_end();
        if let Some(begun) = line.strip_prefix('*') {
            match begun.split_at_checked(1) {
                Some(("S", name)) => all.push(Stratum { name: name.trim(), ..Stratum::default() }),
                Some(("E", _)) | None => break,
                _ => {}
            }
            (section, file) = (begun.trim(), 0);
            continue;
        }
        let Some(stratum) = all.last_mut() else { continue };
        match section {
            "F" => stratum.files.extend(file_of(line, &mut lines)),
            "L" => {
                if let Some(row) = row(line, file) {
                    file = row.file;
                    stratum.rows.push(row);
                }
            }
            _ => {}
        }
    }
    for stratum in &mut all {
        stratum.rows.sort_by_key(|row| row.number);
    }
    all
}

/// A row of a file section: `1 Cart.kt`, or `+ 1 Cart.kt` and its path on the next line.
fn file_of<'t>(line: &str, lines: &mut impl Iterator<Item = &'t str>) -> Option<File> {
    let (line, has_path) = match line.trim_start().strip_prefix('+') {
        Some(line) => (line.trim_start(), true),
        None => (line.trim_start(), false),
    };
    let path = if has_path { lines.next() } else { None };
    let (id, name) = line.split_once(' ')?;
    let path = path.unwrap_or(name).trim().to_owned();
    Some(File { id: id.parse().ok()?, name: name.trim().to_owned(), path })
}

/// A row of a line section: `InputStartLine#LineFileID,RepeatCount:OutputStartLine,OutputLineIncrement`.
fn row(line: &str, last_file: u32) -> Option<Row> {
    let (source, numbers) = line.split_once(':')?;
    let (source, count) = source.split_once(',').map_or((source, "1"), |(source, count)| (source, count));
    let (source, file) = match source.split_once('#') {
        Some((source, file)) => (source, file.trim().parse().ok()?),
        None => (source, last_file),
    };
    let (number, each) = numbers.split_once(',').map_or((numbers, "1"), |(number, each)| (number, each));
    let parsed = |text: &str| text.trim().parse::<u32>().ok();
    Some(Row {
        file,
        source: parsed(source)?,
        count: parsed(count)?,
        number: parsed(number)?,
        each: parsed(each)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Kotlin writes it: line 5 of another file of the program, and a library's `forEach`, are copied.
    const KOTLIN: &str = "SMAP\nMain.kt\nKotlin\n*S Kotlin\n*F\n+ 1 Main.kt\nshop/MainKt\n\
        + 2 Inl.kt\nshop/InlKt\n\
        + 3 _Collections.kt\nkotlin/collections/CollectionsKt___CollectionsKt\n\
        *L\n1#1,20:1\n5#2,2:21\n1869#3,2:23\n\
        *S KotlinDebug\n*F\n+ 1 Main.kt\nshop/MainKt\n*L\n8#1:21,2\n11#1:23,2\n*E\n";

    #[test]
    fn copied_code_has_the_line_of_its_call() {
        let map = SourceMap::parse(KOTLIN, Some("Main.kt")).expect("a map");
        assert_eq!(map.source_file(), "Main.kt");
        let lines: Vec<Option<u32>> = [1, 20, 21, 22, 23, 24, 25].map(|number| map.line(number)).into();
        assert_eq!(lines, [Some(1), Some(20), Some(8), Some(8), Some(11), Some(11), None]);
        let copied = |number| map.copied(number).map(|(file, line)| format!("{} {line}", file.path));
        let all = [20, 21, 22, 24].map(copied);
        let library = "kotlin/collections/CollectionsKt___CollectionsKt 1870";
        assert_eq!(
            all,
            [None, Some("shop/InlKt 5"), Some("shop/InlKt 6"), Some(library)].map(|t| t.map(str::to_owned))
        );
    }

    /// As Kotlin writes it where a method of the same file is copied.
    #[test]
    fn code_copied_within_a_file_has_the_line_of_its_call_too() {
        let text = "SMAP\nShop.kt\nKotlin\n*S Kotlin\n*F\n+ 1 Shop.kt\nshop/ShopKt\n*L\n1#1,29:1\n16#1,5:30\n\
                    *S KotlinDebug\n*F\n+ 1 Shop.kt\nshop/ShopKt\n*L\n25#1:30,5\n*E\n";
        let map = SourceMap::parse(text, Some("Shop.kt")).expect("a map");
        let copied = |number| map.copied(number).map(|(file, line)| (file.name.as_str(), line));
        assert_eq!((map.line(32), copied(32)), (Some(25), Some(("Shop.kt", 18))));
        assert_eq!((map.line(18), copied(18)), (Some(18), None));
    }

    #[test]
    fn a_page_has_several_numbers_for_a_line() {
        let text = "SMAP\nindex_jsp.java\nJSP\n*S JSP\n*F\n+ 0 index.jsp\nindex.jsp\n\
            + 1 head.jsp\npart/head.jsp\n\
            *L\n1,3:60,2\n7#1:70,3\n9:80\n4#0:90,0\n*E\n";
        let map = SourceMap::parse(text, Some("index_jsp.java")).expect("a map");
        assert_eq!(map.source_file(), "index.jsp");
        let lines = [59, 60, 61, 62, 65, 66, 70, 80, 90, 91].map(|number| map.line(number));
        let wanted = [None, Some(1), Some(1), Some(2), Some(3), None, None, None, Some(4), None];
        assert_eq!(lines, wanted);
        // Without a file of its own, a row has that of the row before it.
        let copied =
            [70, 72, 80].map(|number| map.copied(number).map(|(file, line)| (file.name.as_str(), line)));
        assert_eq!(copied, [Some(("head.jsp", 7)), Some(("head.jsp", 7)), Some(("head.jsp", 9))]);
    }

    #[test]
    fn other_texts_are_no_maps() {
        for text in ["", "SMAP", "SMAP\na\nb\n*E", "text", "SMAP\nA\nX\n*S X\n*F\n*L\n1:1\n*E"] {
            assert_eq!(SourceMap::parse(text, Some("A")), None, "{text}");
        }
        let odd =
            "SMAP\nA\nX\n*S X\n*F\n1 A\n*V\nvendor\n*L\n1#1:1\nx:y\n4294967295,2:4294967295,4294967295\n*E";
        let map = SourceMap::parse(odd, Some("A")).expect("a map");
        assert_eq!(map.line(1), Some(1));
        assert_eq!(map.line(u32::MAX), Some(u32::MAX));
    }
}
