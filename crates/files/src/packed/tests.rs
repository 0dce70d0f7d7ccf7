//! Archives that come back as they were, and hostile ones.

use super::*;
use std::io::Cursor;

/// An archive of these files, made without any check.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Unpacks an archive two folders below a fresh one. Nothing may be outside of the inner folder.
fn unpacked(bytes: &[u8]) -> Result<Vec<(PathBuf, Vec<u8>)>, PackError> {
    let outer = tempfile::tempdir().unwrap();
    let to = outer.path().join("a/b");
    std::fs::create_dir_all(&to).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let result = unpack(file.path(), &to, &mut || true);
    for (folder, only) in [(outer.path().to_owned(), "a"), (outer.path().join("a"), "b")] {
        let names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, [only]);
    }
    result?;
    let (mut files, mut folders) = (Vec::new(), vec![to.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => files.push((
                    entry.path().strip_prefix(&to).unwrap().to_owned(),
                    std::fs::read(entry.path()).unwrap(),
                )),
            }
        }
    }
    files.sort();
    Ok(files)
}

fn why(bytes: &[u8]) -> String {
    match unpacked(bytes) {
        Err(PackError::Refused(why)) => why,
        other => panic!("{other:?}"),
    }
}

/// An archive with a name replaced by one of the same length.
fn renamed(files: &[(&str, &[u8])], from: &str, to: &str) -> Vec<u8> {
    let mut bytes = archive(files);
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
    }
    bytes
}

#[test]
fn files_come_back_and_an_interrupt_ends_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events");
    let bytes: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
    std::fs::write(&path, &bytes).unwrap();
    let files =
        ["trace/events", "empty/x"].map(|name| PackedFile { name: name.to_owned(), path: path.clone() });
    let to = folder.path().join("packed");
    pack(&files, File::create(&to).unwrap(), &mut || true).unwrap();
    let back = unpacked(&std::fs::read(&to).unwrap()).unwrap();
    assert_eq!(back, [("empty/x".into(), bytes.clone()), ("trace/events".into(), bytes)]);
    let stopped = pack(&files, File::create(folder.path().join("other")).unwrap(), &mut || false);
    assert!(matches!(stopped, Err(PackError::Interrupted)));
    let inside = folder.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    assert!(matches!(unpack(&to, &inside, &mut || false), Err(PackError::Interrupted)));
    // A link is not packed.
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let linked = [PackedFile { name: "x".to_owned(), path: link }];
    assert!(pack(&linked, File::create(folder.path().join("other")).unwrap(), &mut || true).is_err());
}

#[test]
fn names_that_leave_the_folder_are_refused() {
    for name in ["../x", "/etc/x", "a/../../x", "a//x", "./x", "a\\..\\x", "C:x", "a\0b", "1/2/3/4/5/6/7/8/9"]
    {
        let from = "n".repeat(name.len());
        let why = why(&renamed(&[(&from, b"text")], &from, name));
        assert!(why.contains("name"), "{name}: {why}");
    }
}

#[test]
fn links_duplicates_and_crowds_are_refused() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    assert!(why(&zip.finish().unwrap().into_inner()).contains("not a regular file"));
    let twice = renamed(&[("first", b"1"), ("other", b"2")], "other", "first");
    assert!(why(&twice).contains("same name"));
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for n in 0..100_001 {
        zip.start_file(n.to_string(), SimpleFileOptions::default()).unwrap();
    }
    assert!(why(&zip.finish().unwrap().into_inner()).contains("files"));
}

#[test]
fn bombs_are_refused() {
    let zeros = vec![0; 100 << 20];
    let bomb = archive(&[("zeros", &zeros)]);
    assert!(why(&bomb).contains("bomb"));
    // The same with a false size in the list: 10 bytes.
    let mut lying = bomb;
    let list = lying.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    lying[list + 24..list + 28].copy_from_slice(&10_u32.to_le_bytes());
    let lies = why(&lying);
    assert!(lies.contains("larger than its declared"), "{lies}");
}

#[test]
fn damaged_archives_are_refused_or_whole() {
    let text = "some text of a recording, some more of it".repeat(20);
    let files: [(&str, &[u8]); 2] = [("a/events", text.as_bytes()), ("about.json", b"{}")];
    let bytes = archive(&files);
    for part in 0..20 {
        why(&bytes[..bytes.len() * part / 20]);
    }
    let (mut seed, mut refused) = (31_u64, 0);
    for _ in 0..200 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (at, bit) = ((seed >> 33) as usize % bytes.len(), 1 << (seed >> 60 & 7));
        let mut flipped = bytes.clone();
        flipped[at] ^= bit;
        match unpacked(&flipped) {
            // What is neither a name nor content, like a time, may change.
            Ok(back) => assert!(back.iter().all(|(_, read)| files.iter().any(|(_, file)| file == read))),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 100, "{refused}");
}
