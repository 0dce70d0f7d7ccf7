//! Makes the corpus: downloads source packages, and compiles the libraries and those of their tests that
//! compile.

use super::process::run;
use super::projects::{Project, corpus, projects};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(600);
/// Number of lines of errors to show.
const SHOWN: usize = 30;

/// Makes what is missing of the corpus.
pub fn make() {
    runners();
    for project in projects() {
        if project.folder().join("made").exists() {
            continue;
        }
        download(&project);
        compile_main(&project);
        let (compiled, left_out) = compile_tests(&project);
        println!("{}: {compiled} files of tests, {left_out} do not compile", project.name);
        std::fs::write(project.folder().join("made"), "").expect("written");
    }
}

/// Compiles the classes that run tests. The jar has the same classes: what is in a jar is not recorded.
fn runners() {
    const SOURCES: [(&str, &str, u8); 2] =
        [("One4", include_str!("One4.java"), 4), ("One5", include_str!("One5.java"), 5)];
    let (to, texts) = (corpus().join("runner"), corpus().join("texts"));
    let is_made = |(name, text, _): &(&str, &str, u8)| {
        std::fs::read_to_string(texts.join(format!("{name}.java"))).is_ok_and(|made| made == *text)
    };
    if SOURCES.iter().all(is_made) && corpus().join("runner.jar").exists() {
        return;
    }
    let projects = projects();
    std::fs::create_dir_all(&to).and_then(|()| std::fs::create_dir_all(&texts)).expect("folders");
    for (name, text, junit) in SOURCES {
        let jars = projects.iter().find(|p| p.junit == junit).map(Project::jars).unwrap_or_default();
        let file = texts.join(format!("{name}.java"));
        std::fs::write(&file, text).expect("written");
        let (to, file) = (to.display().to_string(), file.display().to_string());
        done(&["javac", "-g", "-cp", &jars, "-d", &to, &file], &texts);
    }
    done(&["jar", "--create", "--file", "../runner.jar", "."], &to);
}

/// Runs a command that must succeed.
fn done(command: &[&str], folder: &Path) -> String {
    let words: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
    let ended = run(&words, folder, LIMIT);
    let errors: Vec<&str> = ended.errors.lines().take(SHOWN).collect();
    assert!(ended.code == Some(0), "{}\n{}", command.join(" "), errors.join("\n"));
    ended.output
}

fn download(project: &Project) {
    let archives = corpus().join("archives");
    std::fs::create_dir_all(&archives).expect("a folder");
    let begins = format!("{}_", project.package);
    let archive = || {
        let files = std::fs::read_dir(&archives).expect("read").map(|f| f.expect("read").path());
        files.into_iter().find(|f| {
            let name = f.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            name.starts_with(&begins) && name.contains(".orig.tar.")
        })
    };
    if archive().is_none() {
        // It fails if any file of the package is missing; only the upstream archive is needed.
        let words = ["apt-get", "source", "--download-only", "-q", &project.package].map(str::to_owned);
        let ended = run(&words, &archives, LIMIT);
        assert!(
            archive().is_some(),
            "{}: no source package. The package sources of apt must say `deb-src`.\n{}",
            project.package,
            ended.errors
        );
    }
    let (archive, source) = (archive().expect("it is there"), project.source());
    std::fs::create_dir_all(&source).expect("a folder");
    let (archive, to) = (archive.display().to_string(), source.display().to_string());
    done(&["tar", "-xf", &archive, "-C", &to, "--strip-components=1"], &source);
}

/// The files below a folder, sorted.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.expect("read").path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// The Java files below a folder, without those that hold no class.
pub fn java_files(folder: &Path) -> Vec<PathBuf> {
    let is_java = |f: &PathBuf| f.extension().is_some_and(|e| e == "java");
    let holds = |f: &PathBuf| !f.ends_with("package-info.java") && !f.ends_with("module-info.java");
    files(folder).into_iter().filter(|f| is_java(f) && holds(f)).collect()
}

/// Copies the files that are not Java from one folder to another.
fn copy_resources(from: &Path, to: &Path) {
    for file in files(from).into_iter().filter(|f| f.extension().is_none_or(|e| e != "java")) {
        let target = to.join(file.strip_prefix(from).expect("below it"));
        std::fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        std::fs::copy(&file, &target).expect("copied");
    }
}

/// Makes Java files of those that the build of the library fills.
fn fill(project: &Project, folder: &Path) {
    for file in files(folder).into_iter().filter(|f| f.to_string_lossy().ends_with(".java.in")) {
        let mut text = std::fs::read_to_string(&file).expect("UTF-8");
        for (word, replacement) in &project.filled {
            text = text.replace(word, replacement);
        }
        std::fs::write(file.with_extension(""), text).expect("written");
    }
}

fn compile_main(project: &Project) {
    let (right, source) = (project.right(), project.source());
    std::fs::create_dir_all(&right).expect("a folder");
    let from = source.join(&project.main);
    fill(project, &from);
    let (_, errors) = compile(&java_files(&from), &project.jars(), &right, project);
    assert!(errors.is_empty(), "{}: {errors:?}", project.name);
    copy_resources(&from, &right);
    project.resources.iter().for_each(|folder| copy_resources(&source.join(folder), &right));
    if let Some((class, arguments)) = project.prepared.split_first() {
        let class_path = format!(".:{}", project.jars());
        let mut command = vec!["java", "-cp", &class_path, class];
        command.extend(arguments.iter().map(String::as_str));
        done(&command, &right);
    }
}

/// Number of test files that compile, and of those that do not.
fn compile_tests(project: &Project) -> (usize, usize) {
    let tests = project.tests();
    std::fs::create_dir_all(&tests).expect("a folder");
    let from = project.source().join(&project.tests);
    let class_path = format!("{}:{}", project.right().display(), project.jars());
    let all = java_files(&from);
    let mut rest = all.clone();
    loop {
        let (compiled, wrong) = compile(&rest, &class_path, &tests, project);
        if compiled {
            break;
        }
        let before = rest.len();
        rest.retain(|file| !wrong.contains(file));
        assert!(rest.len() < before && !rest.is_empty(), "{}: no test compiles", project.name);
    }
    copy_resources(&from, &tests);
    (rest.len(), all.len() - rest.len())
}

/// Compiles files. Returns whether they compile, and those with errors.
fn compile(files: &[PathBuf], class_path: &str, to: &Path, project: &Project) -> (bool, BTreeSet<PathBuf>) {
    let work = project.folder();
    let list = work.join("files");
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    std::fs::write(&list, names.join("\n")).expect("written");
    let (to, list) = (to.display().to_string(), format!("@{}", list.display()));
    let words =
        ["javac", "-J-Xmx1g", "-g", "-proc:none", "-nowarn", "-encoding", "UTF-8", "-Xmaxerrs", "100000"];
    let release = project.release.to_string();
    let release = if project.release > 0 { vec!["--release", &release] } else { Vec::new() };
    let words =
        words.into_iter().chain(release).chain(["-cp", class_path, "-d", &to, &list]).map(str::to_owned);
    let ended = run(&words.collect::<Vec<_>>(), &work, LIMIT);
    let wrong = ended.errors.lines().filter_map(|line| {
        let (place, _) = line.split_once(": error:")?;
        Some(PathBuf::from(place.rsplit_once(':')?.0))
    });
    (ended.code == Some(0), wrong.collect())
}
