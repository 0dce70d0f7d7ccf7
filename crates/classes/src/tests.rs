//! Tests with real class files, jars and runtime images, built here with `javac` and `jar`.

use super::*;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn run(dir: &Path, program: &str, args: &[&str]) {
    let done = Command::new(program).args(args).current_dir(dir).output().unwrap();
    assert!(done.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|_| matches!(name, "PATH" | "JAVA_HOME"))
}

fn command(cwd: &Path, line: &str) -> Result<JavaCommand, JavaCommandError> {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    match LaunchCommand::parse(&words, cwd, &variable)? {
        LaunchCommand::Java(command) => Ok(*command),
        LaunchCommand::Wrapper { program } => panic!("{} taken for a wrapper", program.display()),
    }
}

fn pool(cwd: &Path, line: &str) -> ClassPool {
    ClassPool::open(&ClassPaths::of(&command(cwd, line).unwrap(), cwd)).unwrap()
}

fn origin(pool: &ClassPool, name: &str) -> String {
    let found = pool.find(name).unwrap().unwrap_or_else(|| panic!("{name} was not found"));
    assert_eq!(found.name, name);
    found.origin.to_string()
}

/// Two packages with inner classes, a second top-level class in one file, and a class without a package.
fn fixture() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(
        &root.join("src/shop/Cart.java"),
        "package shop;\npublic class Cart {\n  class Item { }\n  Runnable r = new Runnable() { public void run() { } };\n\
         }\nclass Till { static class Drawer { } }\n",
    );
    write(&root.join("src/shop/Other.java"), "package shop; class Other { String s = \"Cart.java\"; }\n");
    write(&root.join("src/bank/Cart.java"), "package bank; public class Cart { }\n");
    write(&root.join("Plain.java"), "public class Plain { public static void main(String[] a) { } }\n");
    let files = ["src/shop/Cart.java", "src/shop/Other.java", "src/bank/Cart.java", "Plain.java"];
    run(root, "javac", &[&["-g", "-d", "classes"], &files[..]].concat());
    dir
}

#[test]
fn classes_of_a_folder_with_their_files() {
    let dir = fixture();
    let pool = pool(dir.path(), "java -ea -cp classes:nowhere.jar Plain");
    assert_eq!(origin(&pool, "Plain"), "classes/Plain.class");
    assert_eq!(origin(&pool, "shop.Cart$Item"), "classes/shop/Cart$Item.class");
    assert!(origin(&pool, "java.lang.String").starts_with("jrt:/java.base/java/lang/String.class"));
    assert!(pool.find("shop.Nothing").unwrap().is_none());
    assert_eq!(pool.missing(), [PathBuf::from("nowhere.jar")]);
    assert_eq!(pool.resolve("Till.Drawer"), Resolution::One("shop.Till$Drawer".into()));
    assert_eq!(pool.resolve("shop.Cart.Item"), Resolution::One("shop.Cart$Item".into()));
    assert_eq!(pool.resolve("java.util.Map.Entry"), Resolution::One("java.util.Map$Entry".into()));
    assert_eq!(pool.resolve("Cart"), Resolution::Many(vec!["bank.Cart".into(), "shop.Cart".into()]));
    assert_eq!(
        pool.resolve("shop.Carts"),
        Resolution::None { near: vec!["shop.Cart".into(), "bank.Cart".into()] }
    );
    let file = ["shop.Cart", "shop.Cart$1", "shop.Cart$Item", "shop.Till", "shop.Till$Drawer"];
    assert_eq!(pool.nested("shop.Till").unwrap(), file);
    assert_eq!(pool.user_classes().count(), 8);
}

#[test]
fn jars_manifests_wildcards_and_jars_in_jars() {
    let dir = fixture();
    let root = dir.path();
    write(&root.join("m.txt"), "Main-Class: Plain\nClass-Path: libs/shop.jar ./app.jar gone.jar\n");
    std::fs::create_dir_all(root.join("libs")).unwrap();
    run(root, "jar", &["cf", "libs/shop.jar", "-C", "classes", "shop"]);
    run(root, "jar", &["cf", "libs/bank.jar", "-C", "classes", "bank"]);
    run(root, "jar", &["cfm", "app.jar", "m.txt", "-C", "classes", "Plain.class"]);

    let by_manifest = pool(root, "java -cp nothing -jar app.jar libs/bank.jar");
    assert_eq!(origin(&by_manifest, "shop.Cart"), "libs/shop.jar!/shop/Cart.class");
    assert!(by_manifest.find("bank.Cart").unwrap().is_none());
    assert!(by_manifest.missing().is_empty());

    write(&root.join("libs/broken.jar"), "this is no archive");
    let by_wildcard = pool(root, "java -cp libs/* shop.Cart");
    assert_eq!(origin(&by_wildcard, "bank.Cart"), "libs/bank.jar!/bank/Cart.class");
    assert!(by_wildcard.find("Plain").unwrap().is_none());
    assert_eq!(by_wildcard.nested("shop.Cart").unwrap().len(), 5);
    assert_eq!(by_wildcard.unreadable()[0].0, "libs/broken.jar");

    // An executable jar with nested classes and jars, whose main class is a launcher.
    run(
        root,
        "sh",
        &[
            "-c",
            "mkdir -p boot/BOOT-INF/lib boot/BOOT-INF/classes && cp -r classes/bank boot/BOOT-INF/classes",
        ],
    );
    run(root, "sh", &["-c", "cp libs/shop.jar boot/BOOT-INF/lib && cp classes/Plain.class boot"]);
    write(&root.join("b.txt"), "Main-Class: Plain\nStart-Class: bank.Cart\n");
    run(root, "jar", &["c0fm", "boot.jar", "b.txt", "-C", "boot", "."]);
    let boot = pool(root, "java -jar boot.jar");
    assert_eq!(command(root, "java -jar boot.jar").unwrap().main.class(), Some("bank.Cart"));
    assert_eq!(origin(&boot, "bank.Cart"), "boot.jar!/BOOT-INF/classes/bank/Cart.class");
    assert_eq!(origin(&boot, "shop.Till"), "boot.jar!/BOOT-INF/lib/shop.jar!/shop/Till.class");
    assert_eq!(boot.resolve("Till"), Resolution::One("shop.Till".into()));
    assert_eq!(boot.user_classes().count(), 8);
}

#[test]
fn versioned_classes_and_modules() {
    let dir = fixture();
    let root = dir.path();
    write(&root.join("m.txt"), "Multi-Release: true\n");
    run(
        root,
        "sh",
        &[
            "-c",
            "mkdir -p v/META-INF/versions/11/bank v/META-INF/versions/99/bank v/bank && \
        cp classes/bank/Cart.class v/bank && cp classes/bank/Cart.class v/META-INF/versions/11/bank && \
        cp classes/bank/Cart.class v/META-INF/versions/99/bank",
        ],
    );
    run(root, "jar", &["cfm", "multi.jar", "m.txt", "-C", "v", "."]);
    let multi = pool(root, "java -cp multi.jar bank.Cart");
    assert_eq!(origin(&multi, "bank.Cart"), "multi.jar!/META-INF/versions/11/bank/Cart.class");
    assert_eq!(multi.user_classes().collect::<Vec<_>>(), ["bank.Cart"]);

    write(&root.join("mod/module-info.java"), "module m { }\n");
    write(&root.join("mod/m/Main.java"), "package m; class Main { }\n");
    run(root, "javac", &["-d", "mods/m", "mod/module-info.java", "mod/m/Main.java"]);
    let modules = pool(root, "java --module-path=mods -m m/m.Main");
    assert_eq!(origin(&modules, "m.Main"), "mods/m/m/Main.class");
    let patched = pool(root, "java --patch-module java.base=classes -cp mods m.Main");
    assert_eq!(origin(&patched, "shop.Cart"), "classes/shop/Cart.class");
}

#[test]
fn a_class_path_that_points_into_a_package_is_told() {
    let dir = fixture();
    let pool = pool(dir.path(), "java -cp classes/shop Cart");
    let error = pool.find("Cart").unwrap_err().to_string();
    assert!(error.contains("classes/shop/Cart.class holds class `shop.Cart`, not `Cart`"), "{error}");
    write(&dir.path().join("classes/shop/Text.class"), "no class");
    let error = pool.find("Text").unwrap_err().to_string();
    assert!(error.contains("classes/shop/Text.class is not a readable class file"), "{error}");
}

#[test]
fn sources_in_roots_beside_classes_and_in_archives() {
    let dir = fixture();
    let root = dir.path();
    let pool = pool(root, "java -cp classes Plain");
    let cart = pool.find("shop.Cart$Item").unwrap().unwrap();
    let find = |roots: &[&str], cwd: &Path, name: &str| {
        let roots: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
        let found = pool.find(name).unwrap().unwrap();
        let sources = SourceRoots::open(&roots, cwd, None);
        sources.find(name, found.file.source_file.as_deref(), Some(&found.origin)).map(|s| s.path.clone())
    };
    assert_eq!(find(&["src"], root, "shop.Till").as_deref(), Some("src/shop/Cart.java"));
    assert_eq!(find(&["."], root, "shop.Till").as_deref(), Some("src/shop/Cart.java"));
    assert_eq!(find(&["src/shop"], root, "shop.Cart").as_deref(), Some("src/shop/Cart.java"));
    assert_eq!(find(&["src/bank"], root, "shop.Other").as_deref(), Some("src/shop/Other.java"));
    assert_eq!(find(&["."], root, "Plain").as_deref(), Some("Plain.java"));
    assert_eq!(find(&["."], &root.join("classes"), "Plain").as_deref(), Some("../Plain.java"));
    assert_eq!(find(&[], root, "Plain").as_deref(), Some("Plain.java"));
    run(root, "jar", &["cf", "sources.jar", "-C", "src", "shop"]);
    let sources = SourceRoots::open(&["sources.jar".into()], root, None);
    let text = sources.find(&cart.name, Some("Cart.java"), Some(&cart.origin)).unwrap();
    assert_eq!(text.path, "sources.jar!/shop/Cart.java");
    assert_eq!((text.line(2), text.line(0), text.line(99)), (Some("public class Cart {"), None, None));
    assert!(sources.find("shop.Cart", Some("../../../etc/passwd"), None).is_none());
}

/// The Java homes of this machine: the one on PATH, and its neighbours.
fn java_homes() -> BTreeSet<PathBuf> {
    let mut homes: BTreeSet<PathBuf> =
        command(Path::new("."), "java Main").unwrap().java_home.into_iter().collect();
    let beside =
        homes.iter().filter_map(|h| h.parent()).flat_map(|p| std::fs::read_dir(p).into_iter().flatten());
    let more: Vec<PathBuf> = beside.flatten().filter_map(|e| e.path().canonicalize().ok()).collect();
    homes.extend(more.into_iter().filter(|h| h.join("lib/modules").is_file()));
    homes
}

#[test]
fn classes_of_the_runtime_images_are_found_and_parse() {
    let homes = java_homes();
    assert!(!homes.is_empty());
    for home in homes {
        let pool =
            ClassPool::open(&ClassPaths { java_home: Some(home.clone()), ..ClassPaths::default() }).unwrap();
        let names = pool.runtime_classes();
        assert!(names.len() > 5_000, "{} has {} classes", home.display(), names.len());
        // All classes would take a minute unoptimised: test every class of `java.*` and a sample of the
        // others.
        let sample = names.iter().enumerate().filter(|(i, name)| name.starts_with("java.") || i % 20 == 0);
        for (i, name) in sample {
            let found = pool.read(name).unwrap().unwrap_or_else(|| panic!("{name} of {}", home.display()));
            assert_eq!(found.bytes.get(..4), Some(&[0xca, 0xfe, 0xba, 0xbe][..]), "{name}");
            assert!(found.origin.is_runtime());
            if i % 97 == 0 {
                assert_eq!(&pool.find(name).unwrap().unwrap().name, name);
            }
        }
        let nested = pool.nested("java.util.HashMap").unwrap();
        assert!(nested.contains(&"java.util.HashMap$Node".to_owned()) && nested.len() < 30, "{nested:?}");
    }
}

#[test]
fn a_compressed_runtime_image_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let Some(home) = command(dir.path(), "java Main").unwrap().java_home else { panic!("no Java home") };
    let (jlink, jmods) = (home.join("bin/jlink"), home.join("jmods"));
    if !jlink.is_file() || !jmods.is_dir() {
        return; // This JDK cannot link a runtime image.
    }
    let small = dir.path().join("small");
    let args = ["--add-modules", "java.base", "--compress=2", "--output", small.to_str().unwrap()];
    run(dir.path(), jlink.to_str().unwrap(), &args);
    let pool = ClassPool::open(&ClassPaths { java_home: Some(small), ..ClassPaths::default() }).unwrap();
    assert_eq!(origin(&pool, "java.lang.Object"), "jrt:/java.base/java/lang/Object.class");
}

#[test]
fn damaged_runtime_images_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let home = command(dir.path(), "java Main").unwrap().java_home.unwrap();
    let mut start = Vec::new();
    std::fs::File::open(home.join("lib/modules")).unwrap().take(100_000).read_to_end(&mut start).unwrap();
    let texts: [&[u8]; 4] = [b"", b"short", b"not an image, but long enough to hold a header of one", &start];
    std::fs::create_dir_all(dir.path().join("lib")).unwrap();
    for text in texts {
        std::fs::write(dir.path().join("lib/modules"), text).unwrap();
        let paths = ClassPaths { java_home: Some(dir.path().to_owned()), ..ClassPaths::default() };
        let error = ClassPool::open(&paths).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("lib/modules") && error.contains("JDK 9 or later"), "{error}");
    }
}

#[test]
fn java_commands_are_read_as_the_launcher_reads_them() {
    let dir = fixture();
    let root = dir.path();
    write(&root.join("args"), "-cp \"classes:lib\" # the class path\n-ea\n");
    write(&root.join("all.args"), "-cp classes Plain @none");
    let class = |name: &str| Main::Class(name.to_owned());
    let table: Vec<(&str, Main, &[&str], &[&str])> = vec![
        ("java -ea -cp classes Intro a -jar b", class("Intro"), &["classes"], &[]),
        ("java -classpath a:b::c -Xmx1g pkg/Main -cp x", class("pkg.Main"), &["a", "b", ".", "c"], &[]),
        ("java --class-path=a Main", class("Main"), &["a"], &[]),
        (
            "java --add-opens java.base/java.lang=ALL-UNNAMED -XX:+UseSerialGC Main",
            class("Main"),
            &["."],
            &[],
        ),
        ("java @args Main @none", class("Main"), &["classes", "lib"], &[]),
        ("java @all.args", class("Plain"), &["classes"], &[]),
        (
            "java -p mods -m m/m.Main x",
            Main::Module { module: "m".into(), class: Some("m.Main".into()) },
            &[],
            &["mods"],
        ),
        (
            "java --module-path=a:b --module=m",
            Main::Module { module: "m".into(), class: None },
            &[],
            &["a", "b"],
        ),
        ("java -cp lib Plain.java x", Main::SourceFile("Plain.java".into()), &["lib"], &[]),
        ("java --source 17 tool", Main::SourceFile("tool".into()), &["."], &[]),
        ("java -Xbootclasspath/a:boot.jar -cp c Main", class("Main"), &["boot.jar", "c"], &[]),
    ];
    for (line, main, class_path, module_path) in table {
        let read = command(root, line).unwrap_or_else(|e| panic!("{line}: {e}"));
        let paths = |p: &[&str]| p.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!((&read.main, &read.class_path), (&main, &paths(class_path)), "{line}");
        assert_eq!((read.module_path, read.options_at), (paths(module_path), 1), "{line}");
        let home = read.java_home.unwrap_or_else(|| panic!("{line}: no Java home"));
        assert!(home.join("lib/modules").is_file());
    }
    let env = |name: &str| match name {
        "CLASSPATH" => Some("from/env".to_owned()),
        "JDK_JAVA_OPTIONS" => Some("-ea '-Da=b c'".to_owned()),
        other => variable(other),
    };
    let words = ["java".to_owned(), "Main".to_owned()];
    let LaunchCommand::Java(read) = LaunchCommand::parse(&words, root, &env).unwrap() else {
        panic!("a wrapper")
    };
    assert_eq!(read.class_path, [PathBuf::from("from/env")]);
}

#[test]
fn bad_commands_say_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), "sh", &["-c", "echo hi > f && jar cf nomain.jar f"]);
    for (line, expected) in [
        ("java", "names no class to run"),
        ("java -version", "names no class to run"),
        ("java -cp", "`-cp` at the end"),
        ("java @missing Main", "argument file `@missing`"),
        ("java -jar missing.jar", "`missing.jar` of `-jar`"),
        ("java -jar nomain.jar", "no `Main-Class`"),
        ("java -agentlib:jdwp=transport=dt_socket,server=y Main", "remove it"),
        ("/nowhere/java Main", "install a JDK 17"),
        ("no-such-program-here x", "install it, or write its path"),
        ("./run", "`./run` was not found"),
    ] {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let error = LaunchCommand::parse(&words, dir.path(), &variable).unwrap_err().to_string();
        assert!(error.contains(expected), "{line}: {error}");
    }
    assert!(matches!(LaunchCommand::parse(&[], dir.path(), &variable), Err(JavaCommandError::Empty)));
    let words = ["sh".to_owned(), "-c".to_owned()];
    assert!(matches!(LaunchCommand::parse(&words, dir.path(), &variable), Ok(LaunchCommand::Wrapper { .. })));
}
