//! LastChange of fields: the owner, the write, and missed writes (DESIGN §5.1 and §5.2).

use super::fixture::Fixture;

const NO_WRITE: &str = "no write was seen since the class was prepared; it has its default value";

#[test]
fn writes_of_constructors_and_initialisers_count() {
    let points = r#"
        (id: "A", at: Line("Constructors", {A})),
        (id: "B1", at: LastChange("A:made.initialised")), (id: "B2", at: LastChange("A:made.block")),
        (id: "B3", at: LastChange("A:made.delegated")), (id: "B4", at: LastChange("A:made.early")),
        (id: "B5", at: LastChange("A:made.captured")),
    "#;
    for asked in Fixture::new("constructors", "Constructors").and_recorded().ask(points) {
        asked.held().runs(1);
        for (id, old, new) in [
            ("B1", "0", "1"),
            ("B2", "0", "2"),
            ("B3", "1", "3"),
            ("B4", "5", "0"),
            ("B5", "null", "\"text\""),
        ] {
            asked.at(id, id).certain(id).has(id, &[("old", old), ("new", new), ("method", "<init>")]);
        }
        let owners: Vec<_> = ["B1", "B4", "B5"].map(|id| asked.point(id)["owner"].clone()).into();
        assert!(owners.iter().all(|o| *o == owners[0]), "{owners:?}");
    }
}

#[test]
fn inherited_hidden_private_and_outer_fields_are_told_apart() {
    let points = r#"
        (id: "A", at: Line("Fields", {A})),
        (id: "B1", at: LastChange("A:this.inherited")), (id: "B2", at: LastChange("A:this.name")),
        (id: "B3", at: LastChange("A:this.secret")), (id: "B4", at: LastChange("A:outerField")),
        (id: "B5", at: LastChange("A:this.next.inherited")), (id: "N", at: LastChange("A:this.never")),
        (id: "S", at: Line("Fields", {S})), (id: "K", at: LastChange("S:outerField")),
    "#;
    for asked in Fixture::new("fields", "Fields").and_recorded().ask(points) {
        assert_eq!(asked.code, 1, "{:#}", asked.answer);
        for (id, new) in [("B1", "10"), ("B2", "\"lower\""), ("B3", "3"), ("B4", "4"), ("B5", "20")] {
            asked.at(id, id).certain(id).has(id, &[("new", new)]);
        }
        assert_ne!(asked.point("B1")["owner"], asked.point("B5")["owner"]);
        asked.at("K", "B4").certain("K").has("K", &[("new", "4")]);
        asked.missing("N", NO_WRITE);
    }
}

#[test]
fn elements_of_arrays_are_told_apart() {
    let points = r#"
        (id: "A", at: Line("Elements", {A})),
        (id: "C", at: LastChange("A:c[2]")), (id: "G", at: LastChange("A:grid[1][k]")),
        (id: "B", at: LastChange("A:bytes[0]")), (id: "L", at: LastChange("A:longs[3]")),
        (id: "N", at: LastChange("A:same[1]")), (id: "F", at: LastChange("A:filled[0]")),
    "#;
    let fixture = Fixture::new("elements", "Elements").and_recorded();
    for asked in fixture.ask_probes(points) {
        asked.at("C", "C").certain("C").has("C", &[("old", "\"b\""), ("new", "\"z\"")]);
        asked.at("G", "G").certain("G").has("G", &[("old", "499"), ("new", "-1"), ("thread", "writer")]);
        asked.at("B", "B").certain("B").has("B", &[("old", "-13"), ("new", "-7")]);
        asked.at("L", "L").certain("L").has("L", &[("old", "30876L"), ("new", "31375L")]);
        asked.missing("N", "no write was seen");
        asked.at("F", "F").certain("F").has("F", &[("old", "499"), ("new", "9"), ("by", "Arrays.fill")]);
    }
    let refused = fixture.refused_by_jdwp(points);
    assert!(
        refused.contains("C asks for an element of an array") && refused.contains("needs probes"),
        "{refused}"
    );
}

#[test]
fn reads_are_told_apart_by_their_owner() {
    let points = r#"
        (id: "A", at: Line("LastRead", {A})),
        (id: "B", at: LastRead("A:mine.total")), (id: "S", at: LastRead("A:Rates.percent")),
        (id: "N", at: LastRead("A:mine.never"), expect: (located: false)),
    "#;
    let fixture = Fixture::new("last-read", "LastRead");
    for asked in fixture.ask_all(points) {
        asked.held().at("B", "B").certain("B").has("B", &[("new", "7"), ("method", "sum")]);
        asked.at("S", "S").certain("S").has("S", &[("new", "20"), ("method", "net")]);
    }
}

#[test]
fn static_fields_have_no_owner() {
    let points = r#"
        (id: "A", at: Line("StaticField", {A})),
        (id: "B1", at: LastChange("A:counter")), (id: "B2", at: LastChange("A:Other.level")),
        (id: "B3", at: LastChange("A:Child.shared")), (id: "N", at: LastChange("A:never")),
        (id: "L", at: LastChange("A:Late.level")),
    "#;
    for asked in Fixture::new("static-field", "StaticField").ask(points) {
        asked.at("B1", "B1").has("B1", &[("old", "1"), ("new", "2")]);
        asked.at("B2", "B2").has("B2", &[("method", "<clinit>"), ("old", "0"), ("new", "5")]);
        asked.at("B3", "B3").has("B3", &[("old", "\"base\""), ("new", "\"child\"")]);
        for id in ["B1", "B2", "B3"] {
            assert!(asked.certain(id).point(id)["owner"].is_null());
        }
        asked.missing("N", NO_WRITE).missing("L", "class StaticField$Late was not loaded before A");
    }
}

#[test]
fn a_constant_is_never_written() {
    let points = r#"
        (id: "A", at: Line("StaticField", {A})), (id: "F", at: LastChange("A:FIXED"), expect: (located: false)),
    "#;
    for asked in Fixture::new("static-field", "StaticField").ask(points) {
        asked.held();
        let reason = asked.point("F")["reason"].as_str().unwrap_or_default().to_owned();
        assert!(reason.contains("constant"), "{reason}");
        assert!(!reason.contains("missed"), "{reason}");
    }
}

#[test]
fn a_plain_write_is_the_change() {
    let points = r#"(id: "A", at: Line("ReflectiveWrite", {A})), (id: "B", at: LastChange("A:box.value"))"#;
    for asked in Fixture::new("reflective-write", "ReflectiveWrite").args(&["plain"]).ask(points) {
        asked.held().at("B", "B-plain").has("B", &[("old", "2"), ("new", "3")]).certain("B");
    }
}

#[test]
fn a_write_that_raises_no_event_is_noticed() {
    let points = r#"(id: "A", at: Line("ReflectiveWrite", {A})), (id: "B", at: LastChange("A:box.value"))"#;
    for way in ["field", "unsafe", "varhandle", "methodhandle", "updater"] {
        let fixture = Fixture::new("reflective-write", "ReflectiveWrite").args(&[way]);
        for asked in fixture.ask_jdwp(points) {
            asked.held().at("B", "B").has("B", &[("new", "2")]);
            asked.noted("B", "a write was missed: the value seen later is 3");
        }
    }
}

#[test]
fn probes_see_writes_that_raise_no_event() {
    let points = r#"(id: "A", at: Line("ReflectiveWrite", {A})), (id: "B", at: LastChange("A:box.value"))"#;
    for way in ["field", "unsafe", "varhandle", "methodhandle", "updater", "serial"] {
        let fixture = Fixture::new("reflective-write", "ReflectiveWrite").args(&[way]);
        let old = if way == "serial" { "0" } else { "2" };
        for asked in fixture.ask_with(points, &["--backend", "probe"]) {
            asked.held().at("B", &format!("B-{way}")).has("B", &[("old", old), ("new", "3")]).certain("B");
        }
    }
}

#[test]
fn no_event_tells_who_wrote_a_deserialised_object() {
    let points = r#"(id: "A", at: Line("ReflectiveWrite", {A})), (id: "B", at: LastChange("A:box.value")),
        (id: "C", at: LastChange("A:box.made"))"#;
    for asked in Fixture::new("reflective-write", "ReflectiveWrite").args(&["serial"]).ask_jdwp(points) {
        assert_eq!(asked.code, 1, "{:#}", asked.answer);
        asked.missing("B", "a write was missed: no write was seen, yet its value at A is 3");
        asked.missing("C", "deserialisation (readObject in ReflectiveWrite.copy) makes objects without one");
    }
}

#[test]
fn another_thread_can_have_written() {
    let points = r#"
        (id: "A", at: Line("Threads", {A}), thread: "main"),
        (id: "B", at: LastChange("A:shared.value")), (id: "C", at: LastChange("A:mine")),
        (id: "D", at: LastCondition("A")),
    "#;
    for asked in Fixture::new("threads", "Threads").and_recorded().ask(points) {
        asked.held().at("B", "B").has("B", &[("thread", "writer"), ("old", "7"), ("new", "8")]);
        asked.at("C", "C").has("C", &[("thread", "main"), ("new", "7")]);
        asked.at("D", "D").has("D", &[("thread", "main"), ("condition", "mine > 0"), ("taken", "true")]);
    }
}

/// An earlier write, or one of another thread, may leave another value: no write was missed.
#[test]
fn an_earlier_change_is_not_compared_with_what_is_seen() {
    let points = r#"
        (id: "A", at: Line("Threads", {A}), thread: "main"),
        (id: "second", at: LastChange("A:shared.value"), index: -2),
        (id: "first", at: LastChange("A:shared.value"), index: 0),
        (id: "mine", at: LastChange("A:shared.value"), thread: "main"),
        (id: "seven", at: LastChange("A:shared.value"), when: ".new == 7"),
        (id: "none", at: LastChange("A:shared.value"), when: ".new == 9", expect: (located: false)),
    "#;
    for asked in Fixture::new("threads", "Threads").and_recorded().ask(points) {
        asked.held();
        for id in ["second", "first", "mine", "seven"] {
            asked.at(id, "B").has(id, &[("thread", "main"), ("new", "7")]).certain(id);
        }
        // The VM has not told how many more there were until `qp` stopped it.
        asked.missing("none", "its condition was false").missing("none", "2 times (");
    }
}

#[test]
fn of_a_hundred_thousand_owners_the_one_that_is_seen() {
    let points = r#"(id: "A", at: Line("ManyOwners", {A})), (id: "B", at: LastChange("A:chosen.value"))"#;
    // With probes most writes stay in the VM, and none of them counts as rejected.
    for asked in Fixture::new("many-owners", "ManyOwners").args(&["5000"]).ask_jdwp(points) {
        asked.held().at("B", "B").has("B", &[("old", "1"), ("new", "2")]);
        let rejected = asked.point("B")["rejections"].as_object().expect("rejections");
        let rejected: u64 = rejected.values().filter_map(serde_json::Value::as_u64).sum();
        // Two writes per object, except the answer.
        assert_eq!(rejected, 2 * 5000 - 1, "{:#}", asked.point("B"));
    }
}

/// The recorder finds the last of very many owners by different paths, depending on their order.
#[test]
fn whatever_way_owners_follow_each_other_no_last_write_is_lost() {
    let ranges = [
        10..11,
        100..120,
        2000..2008,
        2100..2110,
        2200..2224,
        2300..2304,
        2400..2403,
        2950..2952,
        1600..1601,
    ];
    let asked_for: Vec<u32> = ranges.into_iter().flatten().collect();
    let texts: Vec<String> =
        asked_for.iter().flat_map(|n| [format!("all[{n}].value"), format!("cells[{n}]")]).collect();
    let fixture = Fixture::new("phases", "Phases");
    // Several queries of one field use other code than a single one.
    let alone = ["all[2003].value", "all[2210].value", "all[2302].value", "all[2599].value", "cells[2205]"]
        .map(str::to_owned);
    // If the VM does not number objects in sequence, the recorder keeps hits by hash code.
    let by_chance =
        Fixture::new("phases", "Phases").vm("-XX:+UnlockExperimentalVMOptions").vm("-XX:hashCode=5");
    let numbered = alone.chunks(1).chain([texts.as_slice()]).map(|texts| (&fixture, texts));
    for (fixture, texts) in numbered.chain([(&by_chance, &alone[..1]), (&by_chance, &texts)]) {
        let mut points = format!(r#"(id: "A", at: Line("Phases", {{A}}), collect: {texts:?}),"#);
        for (place, text) in texts.iter().enumerate() {
            points += &format!(r#"(id: "Q{place}", at: LastChange("A:{text}")),"#);
        }
        for asked in fixture.ask_with(&points, &["--backend", "probe", "--eager", "0"]) {
            for (place, text) in texts.iter().enumerate() {
                let (id, seen) = (format!("Q{place}"), &asked.point("A")["collected"][text]);
                asked.has(&id, &[("new", seen.as_str().expect("a value"))]).certain(&id);
            }
            // A further run would have found what the first one lost.
            assert_eq!(asked.answer["runs"], 2, "{texts:?}");
        }
    }
}

/// The recorder frees memory; to do so it asks the VM which objects are alive.
#[test]
fn what_was_kept_of_those_that_are_gone_is_forgotten() {
    let points = r#"
        (id: "A", at: Line("Mortals", {A}), collect: ["peak", "kept[5].value", "rows[7][at]", "rows[5][at]"]),
        (id: "V", at: LastChange("A:kept[5].value")), (id: "W", at: LastChange("A:kept[4].value")),
        (id: "R", at: LastChange("A:rows[8][at]")), (id: "T", at: LastChange("A:rows[3][at]")),
    "#;
    for asked in Fixture::new("mortals", "Mortals").vm("-Xmx128m").ask_with(points, &["--backend", "probe"]) {
        asked.held().at("V", "V").at("W", "W").at("R", "R").at("T", "T");
        asked.has("V", &[("new", "5500000")]).has("W", &[("old", "4500000"), ("new", "-4")]);
        asked.has("R", &[("new", "8500000")]).has("T", &[("old", "3500000"), ("new", "-3")]);
        let peak = asked.point("A")["collected"]["peak"].as_str().expect("peak").to_owned();
        assert!(peak.trim_end_matches('L').parse::<u64>().is_ok_and(|mb| mb < 400), "{peak}");
    }
}

#[test]
fn threads_of_one_name_keep_what_each_has_written() {
    let points = r#"
        (id: "A", at: Line("Twins", {A})), (id: "B", at: LastChange("A:first.value")),
        (id: "C", at: LastChange("A:second.value")), (id: "D", at: LastChange("A:both.value")),
    "#;
    for asked in Fixture::new("twins", "Twins").ask(points) {
        asked.held();
        for (id, old, new) in [("B", "2", "3"), ("C", "-2", "-3"), ("D", "3", "-3")] {
            asked.at(id, "W").has(id, &[("old", old), ("new", new)]).certain(id);
        }
        let threads =
            ["B", "C", "D"].map(|id| asked.point(id)["thread"].as_str().unwrap_or_default().to_owned());
        assert!(threads.iter().all(|thread| thread.starts_with("twin #")), "{threads:?}");
        assert!(threads[0] != threads[1], "{threads:?}");
    }
}

#[test]
fn each_loader_has_a_class_of_its_own() {
    let points = r#"
        (id: "A", at: Line("Counted", {A}), when: "name.equals(\"first\")"),
        (id: "B", at: LastChange("A:Counted.count"), collect: ["name"]), (id: "C", at: LastChange("A:this.own")),
        (id: "T", at: Line("Counted", {T})), (id: "D", at: LastCondition("T")),
    "#;
    let fixture = Fixture::built("two-loaders", "TwoLoaders")
        .source_root("loaded")
        .debuggee(r#"classes: ["classes/loaded"],"#);
    for asked in fixture.ask(points) {
        asked.held().at("A", "A").at("B", "B").has("B", &[("old", "0"), ("new", "1")]).certain("B");
        // Both classes write the same values.
        assert_eq!(asked.point("B")["collected"]["name"], "\"first\"");
        asked.at("C", "C").has("C", &[("new", "\"first\"")]);
        for id in ["A", "B"] {
            let loader = serde_json::json!({"name": "URLClassLoader", "class": "Counted", "others": 1});
            assert_eq!(asked.point(id)["loader"], loader);
        }
        asked.at("D", "D").has("D", &[("taken", "false")]).noted("D", "that of the loader URLClassLoader #2");
    }
}

#[test]
fn a_simple_name_of_two_classes_is_refused() {
    let fixture = Fixture::new("same-names", "SameNames");
    let points = r#"(id: "A", at: Line("south.Station", {A})), (id: "B", at: LastChange("A:this.count")),
        (id: "T", at: Line("SameNames", {T})), (id: "D", at: LastCondition("T"))"#;
    for asked in fixture.ask(points) {
        asked.held().at("B", "B").has("B", &[("class", "south.Station"), ("old", "5"), ("new", "6")]);
        assert_eq!(asked.at("D", "D").point("D")["operands"]["Station.limit"], "3", "{:#}", asked.answer);
    }
    let said = fixture.refused(r#"(id: "A", at: Line("Station", {A}))"#);
    assert!(said.contains("north.Station") && said.contains("south.Station"), "{said}");
}

#[test]
fn the_copies_of_a_finally_block_are_one_place() {
    let fixture = Fixture::new("inlined-finally", "InlinedFinally").and_recorded();
    let points = r#"
        (id: "A", at: Line("InlinedFinally", {A}), index: -1), (id: "B", at: LastChange("A:count")),
        (id: "P", at: LastCondition("A")),
    "#;
    for asked in fixture.ask(points) {
        asked.held().at("A", "A").at("B", "B").has("B", &[("old", "1"), ("new", "2")]);
        assert_ne!(asked.point("A")["bci"], asked.point("B")["bci"]);
        // The third copy is the handler's: the exception led there.
        asked.has("P", &[("condition", "an exception caught here")]);
        assert_eq!(asked.point("P")["exception"]["class"], "java.lang.IllegalStateException");
    }
    for (index, count) in [("0", "0"), ("1", "1"), ("2", "2"), ("-1", "2"), ("-3", "0")] {
        let points = format!(
            r#"(id: "A", at: Line("InlinedFinally", {{A}}), index: {index}, collect: ["count", "way"])"#
        );
        for asked in fixture.ask(&points) {
            asked.held().has("A", &[("collected.count", count), ("collected.way", count)]);
        }
    }
    for asked in fixture.ask(r#"(id: "A", at: Line("InlinedFinally", {A}), index: 3)"#) {
        assert_eq!(asked.code, 3, "{:#}", asked.answer);
        asked.missing("A", "it occurred 3 times");
    }
}

#[test]
fn where_objects_were_made_is_told() {
    let points = r#"
        (id: "A", at: Line("Created", {A})),
        (id: "M", at: Created("A:mine"), collect: ["round"]), (id: "Q", at: LastCondition("M")),
        (id: "S", at: Created("A:inner")), (id: "B", at: Created("A:sub")), (id: "L", at: Created("A:looping")),
        (id: "T", at: Created("A:threaded")), (id: "J", at: Created("A:list")),
        (id: "R", at: Created("A:reflected")), (id: "E", at: Created("A:thrown")),
        (id: "C", at: Created("A:cloned")), (id: "X", at: Created("A:text")), (id: "K", at: Created("A:task")),
        (id: "N", at: Created("A:nothing")),
    "#;
    let fixture = Fixture::new("created", "Created");
    let mut hits = Vec::new();
    for asked in fixture.ask_all(points) {
        assert_eq!(asked.code, 1, "{}: {:#}", asked.java, asked.answer);
        for id in ["S", "B", "L", "J", "E"] {
            asked.at(id, id).certain(id).has(id, &[("method", "main")]);
        }
        asked
            .at("M", "M")
            .certain("M")
            .has("M", &[("owner", "Created.Shape@1"), ("collected.round", "true")]);
        asked.at("Q", "Q").certain("Q").has("Q", &[("taken", "true")]);
        asked.at("T", "T").certain("T").has("T", &[("thread", "maker")]);
        let stack = asked.point("R")["stack"].as_array().expect("a stack").clone();
        asked.place(stack.iter().find(|f| f["method"] == "main").expect("the program's frame"), "R");
        assert_eq!(asked.point("R")["located"], true, "{:#}", asked.answer);
        asked.missing("C", "its creation was not seen: clone");
        asked.missing("X", "is of class java.lang.String, whose objects the VM");
        asked
            .missing("K", "which has no class file with a constructor")
            .missing("N", "`nothing` is null at A");
        hits.push(["M", "S", "B", "L", "T", "E"].map(|id| asked.point(id)["hit"].clone()));
    }
    assert!(hits.windows(2).all(|two| two[0] == two[1]), "{hits:?}");
}

#[test]
fn where_arrays_were_made_is_told_by_probes() {
    let points = r#"
        (id: "A", at: Line("Created", {A})),
        (id: "G", at: Created("A:row")), (id: "O", at: Created("A:grid")), (id: "P", at: Created("A:plain")),
        (id: "C", at: Created("A:copied")), (id: "M", at: Created("A:args")),
    "#;
    let fixture = Fixture::new("created", "Created");
    for asked in fixture.ask_probes(points) {
        assert_eq!(asked.code, 1, "{}: {:#}", asked.java, asked.answer);
        asked.at("G", "G").certain("G").has("G", &[("owner", "int[]@1")]);
        asked.at("O", "G").certain("O").has("O", &[("owner", "int[][]@1")]);
        asked.at("P", "P").certain("P");
        for id in ["C", "M"] {
            asked.missing(id, "its creation was not seen: arrays that the JDK or native code creates");
        }
    }
    let refused = fixture.refused_by_jdwp(points);
    assert!(
        refused.contains("asks for the creation of an array") && refused.contains("needs probes"),
        "{refused}"
    );
}

#[test]
fn an_object_that_is_still_being_made_was_made_where_its_new_is() {
    let points = r#"
        (id: "A", at: Line("Created", {N})),
        (id: "I", at: Line("Created", {I}), after: "A"), (id: "N", at: Created("I:this")),
        (id: "U", at: Line("Created", {U}), after: "A", when: "name.equals(\"last\")"),
        (id: "V", at: Created("U:this")), (id: "W", at: Created("U:inside")),
    "#;
    let fixture = Fixture::new("created", "Created");
    for asked in fixture.ask_all(points) {
        asked.held().at("N", "N").certain("N").at("V", "N").certain("V").at("W", "W").certain("W");
        asked.has("N", &[("owner", "Created.Square@2")]).has("V", &[("owner", "Created.Square@2")]);
    }
}

#[test]
fn what_collections_hold_is_followed_through_wrappers_views_and_calls() {
    let points = r#"
        (id: "A", at: Line("Shelf", {A})),
        (id: "S", at: LastChange("A:shelf[0]")), (id: "W", at: LastChange("A:read[0]")),
        (id: "K", at: LastChange("A:map{key}")), (id: "T", at: LastChange("A:map{at}")),
        (id: "C", at: LastChange("A:contents(set)")), (id: "P", at: LastChange("A:contents(tree)")),
        (id: "E", at: LastChange("A:entries{\"a\"}")), (id: "X", at: LastChange("A:copy[0]")),
        (id: "N", at: LastChange("A:empty[0]")), (id: "O", at: LastChange("A:map{set}")),
    "#;
    let fixture = Fixture::new("collections", "Shelf");
    for asked in fixture.ask_probes(points) {
        assert_eq!(asked.code, 1, "{}: {:#}", asked.java, asked.answer);
        for id in ["S", "W", "K", "T", "C", "P"] {
            asked.at(id, id).certain(id);
        }
        asked.has("S", &[("method", "add"), ("new", "\"two\""), ("by", "ArrayList.add")]);
        asked.has("W", &[("old", "\"a\""), ("new", "\"c\""), ("by", "LinkedList.set")]);
        asked.has("K", &[("old", "\"v983\""), ("new", "\"v993\""), ("owner", "HashMap@1")]);
        asked.has("T", &[("old", "\"n997\""), ("new", "\"threaded\""), ("thread", "other")]);
        asked.has("C", &[("old", "1"), ("new", "2"), ("by", "HashSet.<init>")]);
        asked.noted(
            "E",
            "a change was missed: the value seen later is \"2\". No event tells what the program's calls of \
             setValue in Shelf.main",
        );
        asked.missing("X", "a change was missed: no change was seen, yet its value at A is \"two\"");
        asked
            .missing("N", "no call that changed it was seen")
            .missing("O", "a key is found without running code");
    }
    let refused = fixture.refused_by_jdwp(
        r#"(id: "A", at: Line("Shelf", {A})), (id: "S", at: LastChange("A:contents(set)")),"#,
    );
    assert!(refused.contains("asks for the contents of a collection"), "{refused}");
}
