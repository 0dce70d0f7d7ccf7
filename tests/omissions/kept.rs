//! A kept analysis of a library counts as long as its class files are the same.

use crate::support::javac::Javac;
use crate::support::scratch;
use classes::{ClassPaths, ClassPool};
use omission::AnalysisFolder;
use omission::analysis::analyse;
use pointsto::{Entry, Limits, PointsTo};
use std::path::{Path, PathBuf};

const JSOUP: &str = "/usr/share/java/jsoup.jar";

fn analysed(before: &Path, entry: &str, store: &AnalysisFolder) -> PointsTo {
    let java = std::fs::canonicalize("/usr/bin/java").expect("java");
    let paths = ClassPaths {
        class_path: vec![before.to_owned(), PathBuf::from(JSOUP)],
        java_home: java.parent().and_then(Path::parent).map(Path::to_owned),
        ..ClassPaths::default()
    };
    let pool = ClassPool::open(&paths).expect("a pool");
    let entry = Entry {
        class: "org.jsoup.Jsoup".to_owned(),
        name: entry.to_owned(),
        descriptor: "(Ljava/lang/String;)Lorg/jsoup/nodes/Document;".to_owned(),
    };
    analyse(&pool, &|class| class.starts_with("org.jsoup"), &[entry], Limits::default(), store)
}

/// What an analysis says, without its times.
fn said(found: &PointsTo) -> Vec<String> {
    let mut all = Vec::new();
    for (id, reached) in found.methods() {
        all.push(format!("{}.{}", reached.class.name, reached.method.name));
        let code = reached.method.code.as_ref().expect("code");
        for op in &code.instructions {
            all.push(format!("{:?} {:?}", found.callees(id, op.pc), found.result(id, op.pc)));
            all.push(format!("{:?}", found.allocation_at(id, op.pc)));
        }
        all.push(format!("{:?}", found.callers(id).collect::<Vec<_>>()));
        all.push(format!("{:?}", found.parameter(id, 0)));
    }
    all.extend(found.allocations().map(|(id, one)| format!("{one:?} {:?}", found.use_sites(id))));
    all
}

#[test]
fn a_kept_analysis_is_used_until_a_class_file_changes() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let (store, before) = (AnalysisFolder::at(folder.path().join("kept")), folder.path().join("before"));
    std::fs::create_dir(&before).expect("a folder");
    let cold = analysed(&before, "parse", &store);
    let kept = analysed(&before, "parse", &store);
    // Equal times: it is that analysis.
    assert_eq!(kept.statistics(), cold.statistics());
    assert!(said(&cold) == said(&kept));
    // Another class file.
    let source = before.join("Validate.java");
    let text = "package org.jsoup.helper; public final class Validate { }";
    std::fs::write(&source, text).expect("written");
    Javac::new().arg("-d").arg(&before).arg(&source).run();
    let changed = analysed(&before, "parse", &store);
    assert!(changed.statistics().methods < cold.statistics().methods);
    assert_eq!(analysed(&before, "parse", &store).statistics(), changed.statistics());
    // Another entry method.
    let other = analysed(&before, "parseBodyFragment", &store);
    assert_ne!(other.statistics(), changed.statistics());
    assert_eq!(std::fs::read_dir(folder.path().join("kept")).expect("listed").count(), 2);
}
