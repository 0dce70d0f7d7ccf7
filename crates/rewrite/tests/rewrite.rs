//! Tests of rewritten classes. If nothing is inserted, they are identical byte for byte. With calls at every
//! entry, exit, branch, put and array store, a real VM verifies and runs them. The default is a sample of
//! java.base and of the Debian jars; `BYTECODE_SWEEP=all` takes all of the JDK and the jars.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod support;

use bytecode::{ClassFile, Op};
use rewrite::{MethodPlan, NotRewritten, Plan, RewriteError, StackOp, Step, rewrite};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::rewriting::{
    classes, compile, counted, everything, generated, jmods, keeping, nothing, plan, probes, run,
};

fn all() -> bool {
    std::env::var("BYTECODE_SWEEP").is_ok_and(|v| v == "all")
}

#[test]
fn rewriting_without_insertions_is_the_identity() {
    let (mut seen, mut other) = (0, Vec::new());
    for archive in archives() {
        for (name, bytes) in classes(&archive, if all() { 1 } else { 16 }) {
            let class = ClassFile::parse(&bytes).unwrap();
            let rewritten = rewrite(&bytes, &plan(&class, nothing)).unwrap_or_else(|e| panic!("{name}: {e}"));
            seen += 1;
            let alone =
                rewritten.not_rewritten.iter().filter(|(_, _, why)| *why != NotRewritten::EmptyFinalizer);
            assert_eq!(alone.count(), 0, "{name}: {:?}", rewritten.not_rewritten);
            for method in &rewritten.methods {
                assert!(method.moved.iter().all(|(was, now)| was == now), "{name} {}", method.name);
            }
            if rewritten.bytes != bytes {
                other.push(format!("{name} of {}", archive.display()));
            }
        }
    }
    println!("{seen} classes, {} other", other.len());
    assert!(seen > 400, "only {seen} classes");
    assert!(
        other.is_empty(),
        "{} classes are not what they were: {:#?}",
        other.len(),
        &other[..other.len().min(20)]
    );
}

fn archives() -> Vec<PathBuf> {
    let mut modules: Vec<PathBuf> = std::fs::read_dir(jmods()).unwrap().map(|e| e.unwrap().path()).collect();
    modules.sort();
    modules
        .retain(|m| m.extension().is_some_and(|e| e == "jmod") && (all() || m.ends_with("java.base.jmod")));
    modules.into_iter().chain(jars()).collect()
}

/// The installed jars among these Debian packages.
fn jars() -> Vec<PathBuf> {
    let names = [
        "commons-csv.jar",
        "commons-io.jar",
        "commons-lang3.jar",
        "guava.jar",
        "guice.jar",
        "asm.jar",
        "jsoup.jar",
        "htmlcleaner.jar",
        "kxml2.jar",
        "javassist.jar",
        "cglib.jar",
        "ant.jar",
        "junit4.jar",
    ];
    names.iter().map(|n| Path::new("/usr/share/java").join(n)).filter(|p| p.exists()).collect()
}

/// Rewrites classes into a folder. Returns their binary names, and the number of methods not rewritten for
/// each reason.
fn rewrite_all(
    from: Vec<(String, Vec<u8>)>,
    to: &Path,
    planned: impl Fn(&ClassFile) -> Plan,
) -> (Vec<String>, BTreeMap<String, usize>) {
    let (mut names, mut alone) = (Vec::new(), BTreeMap::new());
    for (name, bytes) in from {
        let class = ClassFile::parse(&bytes).unwrap();
        let rewritten = rewrite(&bytes, &planned(&class)).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (_, _, reason) in &rewritten.not_rewritten {
            *alone.entry(format!("{reason:?}").split('(').next().unwrap().to_owned()).or_default() += 1;
        }
        // The rewritten class can be parsed, and the analysis of its original instructions is unchanged.
        let again = ClassFile::parse(&rewritten.bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        for method in &rewritten.methods {
            let of = |class: &ClassFile| {
                class.method(&method.name, &method.descriptor).unwrap().code.clone().unwrap()
            };
            let (old, new) = (of(&class), of(&again));
            for instruction in old.instructions.iter().step_by(7) {
                let now = method.now(instruction.pc).unwrap();
                assert_eq!(method.was(now), Some(instruction.pc), "{name} {}", method.name);
                let same = new.at(now).unwrap_or_else(|| panic!("{name} {}: {now}", method.name));
                let shape = |op: &Op| format!("{op:?}").split([' ', '(', '{']).next().unwrap().to_owned();
                assert_eq!(shape(&same.op), shape(&instruction.op), "{name} {}", method.name);
            }
        }
        let file = to.join(&name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, &rewritten.bytes).unwrap();
        names.push(name.trim_end_matches(".class").replace('/', "."));
    }
    (names, alone)
}

/// Makes a VM load, verify and link the classes.
fn load(java: &str, patches: &[String], class_path: &str, folder: &Path, names: &[String]) -> String {
    let list = folder.join("names");
    std::fs::write(&list, names.join("\n")).unwrap();
    let mut command = Command::new(java);
    command.args([
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:+BytecodeVerificationLocal",
        "-XX:+BytecodeVerificationRemote",
        "-Xmx1g",
    ]);
    for patch in patches {
        command.args(["--patch-module", patch]);
    }
    let modules = if patches.len() > 1 { "ALL-SYSTEM" } else { "java.base" };
    // If the VM crashes, it writes its report there.
    command.current_dir(folder);
    command.args(["--add-modules", modules, "-cp", class_path, "LoadAll"]).arg(&list);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    said
}

fn number(said: &str, word: &str) -> usize {
    let line =
        said.lines().find_map(|l| l.strip_prefix(word)).unwrap_or_else(|| panic!("no `{word}` in {said}"));
    line.trim().parse().unwrap()
}

fn refused(said: &str) -> Vec<&str> {
    said.lines().filter(|l| l.starts_with("refused")).collect()
}

#[test]
fn a_vm_boots_and_verifies_with_calls_everywhere_in_its_own_classes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    probes(folder);
    let mut modules: Vec<PathBuf> = std::fs::read_dir(jmods()).unwrap().map(|e| e.unwrap().path()).collect();
    modules.sort();
    modules
        .retain(|m| m.extension().is_some_and(|e| e == "jmod") && (all() || m.ends_with("java.base.jmod")));
    let (mut names, mut patches) = (Vec::new(), Vec::new());
    for module in modules {
        let name = module.file_stem().unwrap().to_string_lossy().into_owned();
        let to = folder.join(&name);
        std::fs::create_dir_all(&to).unwrap();
        let (more, alone) =
            rewrite_all(classes(&module, if all() { 1 } else { 5 }), &to, |class| plan(class, everything));
        println!("{name}: {} classes, left alone: {alone:?}", more.len());
        names.extend(more);
        patches.push(format!("{name}={}", to.display()));
    }
    let said = load("java", &patches, &folder.display().to_string(), folder, &names);
    let refused = refused(&said);
    assert!(
        refused.is_empty(),
        "{} refused:\n{}",
        refused.len(),
        refused[..refused.len().min(10)].join("\n")
    );
    println!("{} loaded of {}", number(&said, "loaded"), names.len());
    assert!(number(&said, "loaded") > names.len() * 9 / 10, "{said}");
    assert!(number(&said, "entered") > 1000, "the probes ran while the VM booted: {said}");
}

#[test]
fn a_vm_verifies_its_own_classes_with_values_kept_from_the_stack() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    probes(folder);
    let module = jmods().join("java.base.jmod");
    let to = folder.join("kept");
    let (names, alone) = rewrite_all(classes(&module, if all() { 1 } else { 48 }), &to, keeping);
    println!("{} classes, left alone: {alone:?}", names.len());
    let patches = ["java.base", "kept"].map(|of| folder.join(of).display().to_string());
    let patches = [format!("java.base={}", patches.join(":"))];
    let said = load("java", &patches, &folder.display().to_string(), folder, &names);
    let refused = refused(&said);
    assert!(refused.is_empty(), "{} refused:\n{}", refused.len(), refused.join("\n"));
    assert!(number(&said, "loaded") > names.len() * 9 / 10, "{said}");
}

/// A sample of the classes of a VM's own modules, by module.
fn own_classes(java: &str, stride: usize, folder: &Path) -> BTreeMap<String, Vec<(String, Vec<u8>)>> {
    compile(folder, "Extract.java", ".");
    let to = folder.join("own");
    let output = Command::new(java)
        .arg("-cp")
        .arg(folder)
        .arg("Extract")
        .arg(&to)
        .arg(stride.to_string())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut found: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    let mut open = vec![to.clone()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(&to).unwrap().to_string_lossy().into_owned();
            let (module, class) = name.split_once('/').unwrap();
            let bytes = std::fs::read(&path).unwrap();
            found.entry(module.to_owned()).or_default().push((class.to_owned(), bytes));
        }
    }
    found
}

#[test]
fn a_newer_vm_verifies_its_own_classes_too() {
    let Some(java) = testing::named("QP_TEST_JAVA25") else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    probes(folder);
    let (mut names, mut patches) = (Vec::new(), Vec::new());
    for (module, classes) in own_classes(&java, if all() { 1 } else { 16 }, folder) {
        let to = folder.join(&module);
        let (more, alone) = rewrite_all(classes, &to, |class| plan(class, everything));
        println!("{module}: {} classes, left alone: {alone:?}", more.len());
        names.extend(more);
        patches.push(format!("{module}={}", to.display()));
    }
    let said = load(&java, &patches, &folder.display().to_string(), folder, &names);
    let refused = refused(&said);
    assert!(
        refused.is_empty(),
        "{} refused:\n{}",
        refused.len(),
        refused[..refused.len().min(10)].join("\n")
    );
    println!("{} loaded of {}", number(&said, "loaded"), names.len());
    assert!(number(&said, "loaded") > names.len() * 9 / 10, "{said}");
}

#[test]
fn debian_jars_are_verified_with_calls_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    probes(folder);
    let javas = ["java".to_owned()].into_iter().chain(testing::named("QP_TEST_JAVA25"));
    let javas: Vec<String> = javas.collect();
    let mut checked = 0;
    for jar in jars() {
        let to = folder.join(jar.file_stem().unwrap());
        let (names, alone) =
            rewrite_all(classes(&jar, if all() { 1 } else { 3 }), &to, |class| plan(class, everything));
        let patch = [format!("java.base={}", folder.join("java.base").display())];
        let class_path = format!("{}:{}:{}:/usr/share/java/*", folder.display(), to.display(), jar.display());
        for java in &javas {
            let said = load(java, &patch, &class_path, folder, &names);
            let refused = refused(&said);
            assert!(refused.is_empty(), "{}: {}", jar.display(), refused.join("\n"));
            println!(
                "{}: {} loaded of {}, left alone: {alone:?}",
                jar.display(),
                number(&said, "loaded"),
                names.len()
            );
            checked += number(&said, "loaded");
        }
    }
    assert!(checked > 0 || jars().is_empty());
}

#[test]
fn a_method_that_cannot_be_rewritten_is_reported_and_unchanged() {
    let text = "class Big { static int f(int x) { int a = x; return a + 1; } }";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Big.java");
    std::fs::write(&file, text).unwrap();
    let bytes = support::compile_to_bytes(&support::javac(17).unwrap(), &[&file], &["-g"]).remove(0);
    let with = |plan: MethodPlan| {
        let methods = [(("f".to_owned(), "(I)I".to_owned()), plan)].into();
        rewrite(&bytes, &Plan { methods }).unwrap()
    };
    let long = MethodPlan { entry: vec![Step::Stack(StackOp::Dup); 66_000], ..MethodPlan::default() };
    let rewritten = with(long);
    assert!(
        matches!(rewritten.not_rewritten[0].2, NotRewritten::TooLong(_)),
        "{:?}",
        rewritten.not_rewritten
    );
    assert_eq!(rewritten.bytes, bytes, "no constant stays behind either");
    let nowhere = MethodPlan { before: [(1000, counted("put"))].into(), ..MethodPlan::default() };
    let rewritten = with(nowhere);
    assert_eq!(rewritten.not_rewritten[0].2, NotRewritten::NoInstruction(1000));
    assert_eq!(rewritten.bytes, bytes);
    assert_eq!(rewrite(b"hello, world", &Plan::default()), Err(RewriteError::NoClassFile));
    for cut in 0..bytes.len() {
        let everywhere = plan(&ClassFile::parse(&bytes).unwrap(), everything);
        assert!(rewrite(&bytes[..cut], &everywhere).is_err(), "cut at {cut}");
    }
}

#[test]
fn the_golden_class_matches_its_snapshot_and_behaves_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    probes(folder);
    compile(folder, "Golden.java", ".");
    let class_path = folder.display().to_string();
    compile(folder, "Run.java", &class_path);
    let before = run(folder, &["Run"], &class_path);
    let file = folder.join("Golden.class");
    let bytes = std::fs::read(&file).unwrap();
    let rewritten = rewrite(&bytes, &plan(&ClassFile::parse(&bytes).unwrap(), everything)).unwrap();
    assert!(rewritten.not_rewritten.is_empty(), "{:?}", rewritten.not_rewritten);
    std::fs::write(&file, &rewritten.bytes).unwrap();
    let after = run(folder, &["Run"], &class_path);
    let first = |said: &str| said.lines().next().unwrap().to_owned();
    assert_eq!(first(&before), first(&after), "the same results, and the same line in the stack trace");
    // Counted by hand: 12 calls, one of them left by an exception; `count`, `total`, `count`; 11 branch edges
    // in `branches` and 3 in the loop; two stores, and one that fails after its probe.
    let counts = after.lines().nth(1).unwrap();
    assert_eq!(counts, "entered 12, left 11, unwound 1, put 3, branched 14, stored 3");
    let listing = Command::new("javap").args(["-v", "-p"]).arg(&file).output().unwrap();
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rewrite"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("Golden", without_constants(&listing)));
}

/// The methods of a listing without constant numbers, which depend on the version of javac.
fn without_constants(listing: &str) -> String {
    let methods = listing.split_once("\n{\n").map_or(listing, |(_, methods)| methods);
    let methods = methods.split_once("\n}\n").map_or(methods, |(methods, _)| methods);
    let mut out = String::new();
    for line in methods.lines() {
        let mut words = line.split('#');
        out.push_str(words.next().unwrap_or_default());
        for rest in words {
            out.push('#');
            out.push_str(rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        }
        out.push('\n');
    }
    out
}

#[test]
fn a_class_of_an_old_version_keeps_its_subroutines() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some((bytes, class_path)) = generated(folder, "Old", "Subroutine.class") else { return };
    let file = folder.join("Subroutine.class");
    let rewritten = rewrite(&bytes, &plan(&ClassFile::parse(&bytes).unwrap(), everything)).unwrap();
    assert!(rewritten.not_rewritten.is_empty(), "{:?}", rewritten.not_rewritten);
    assert_ne!(rewritten.bytes, bytes);
    std::fs::write(&file, &rewritten.bytes).unwrap();
    let main = "public class Main { public static void main(String[] a) { System.out.print(Subroutine.twice(1) + \" \" \
                + Subroutine.twice(-30) + \" \" + QpProbe.entered + QpProbe.left); } }";
    let source = folder.join("Main.java");
    std::fs::write(&source, main).unwrap();
    let patch = format!("java.base={}", folder.join("java.base").display());
    let javac = Command::new(support::javac(17).unwrap())
        .args(["--patch-module", &patch, "-cp", &class_path, "-d"])
        .arg(folder)
        .arg(&source)
        .output()
        .unwrap();
    assert!(javac.status.success(), "{}", String::from_utf8_lossy(&javac.stderr));
    assert_eq!(run(folder, &["Main"], &class_path), "21 -20 22");
}
