//! Saved answers: they are shown like the original, and a file that cannot be trusted is refused.

use crate::shops::{COMMAND, Version, all, file, json, query, text};
use crate::support::{said, unwrapped};
use serde_json::Value;

#[test]
fn a_saved_answer_is_shown_like_the_original() {
    let trace = all(&Version::Old);
    let goal = "event(I, _, methodcall(L, O, add, A)), write(I), nl";
    let questions: [&[&str]; 4] = [
        &["calls", "Shop.add"],
        &["did", "call", "Shop.pay"],
        &["history", "Shop@4.total", "--limit", "1"],
        &["ask", goal],
    ];
    for words in questions {
        let answer = file("answer.json");
        let asked = query(&[words, &["--save", text(&answer), text(&trace)]].concat());
        let shown = query(&["show", text(&answer)]);
        assert!(answer.exists(), "{words:?}: {}", said(&asked));
        assert_eq!(said(&shown), said(&asked), "{words:?}");
        assert_eq!(shown.status.code(), asked.status.code(), "{words:?}");
        let (_, asked) = json(&[words, &[text(&trace)]].concat());
        let (_, shown) = json(&["show", text(&answer)]);
        assert_eq!(shown, asked, "{words:?}");
    }
}

#[test]
fn a_file_says_what_was_asked_of_which_run() {
    let (trace, answer, rules) = (all(&Version::Old), file("answer.json"), file("rules.pl"));
    std::fs::write(&rules, "adds(I) :- event(I, _, methodcall(_, _, add, _)).\n").expect("written");
    let saved = ["--save", text(&answer), "--rules", text(&rules), text(&trace)];
    query(&[&["ask", "adds(I), event(I, _, methodcall(L, O, _, _))"][..], &saved].concat());
    let saved: Value = serde_json::from_slice(&std::fs::read(&answer).expect("a file")).expect("JSON");
    assert_eq!(saved["format"], 1);
    assert_eq!(saved["recording"]["level"], "all");
    assert_eq!(saved["recording"]["command"], serde_json::json!(COMMAND));
    let goal = &saved["question"]["goal"];
    assert_eq!(goal["rules"][0]["file"], text(&rules));
    assert_eq!(goal["rules"][0]["digest"].as_str().map(str::len), Some(64));
    let first = &saved["reply"]["goal"]["items"][0]["solution"];
    let id = first[0]["term"]["event"].as_u64().expect("the id of an event, by the rules");
    let key = &saved["keys"]["events"][id.to_string()];
    assert_eq!(
        (&key["kind"], &key["of"], &key["ordinal"]),
        (&"methodcall".into(), &"Shop.add(Shop.Item)".into(), &1.into())
    );
    let born = saved["keys"]["objects"].as_object().expect("objects").values().next().expect("an object");
    assert_eq!(
        (&born["class"], &born["born_at"]["text"]),
        (&"Shop".into(), &"Shop shop = new Shop();".into())
    );
    assert_eq!(saved["keys"]["lines"]["Shop.java:18"]["text"], "items.add(item);");
}

#[test]
fn damaged_and_unknown_files_are_refused() {
    let (trace, answer) = (all(&Version::Old), file("answer.json"));
    query(&["calls", "Shop.add", "--save", text(&answer), text(&trace)]);
    let good = std::fs::read_to_string(&answer).expect("a file");
    let cases = [
        (good.replace("\"format\": 1", "\"format\": 7"), "format 7 is not known; this build reads format 1"),
        (good.replace("Item@", "Item@1"), "its content does not fit its digest"),
        (good.replace("\"saved\"", "\"stored\""), "damaged, or written by another version of qp"),
        (good.chars().take(200).collect(), "no saved answer"),
        ("[1, 2]".to_owned(), "it has no `format`"),
    ];
    for (bad, message) in cases {
        std::fs::write(&answer, bad).expect("written");
        let refused = query(&["show", text(&answer)]);
        assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
        assert!(unwrapped(&said(&refused)).contains(message), "{message}: {}", said(&refused));
        assert!(said(&refused).contains("answer.json"));
    }
    let missing = query(&["diff", text(&answer), "no-such.json"]);
    assert_eq!(missing.status.code(), Some(2), "{}", said(&missing));
}

#[test]
fn an_answer_is_written_whole_or_not_at_all() {
    let trace = all(&Version::Old);
    let folder = file("no-such-folder").join("answer.json");
    let failed = query(&["calls", "Shop.add", "--save", text(&folder), text(&trace)]);
    assert_eq!(failed.status.code(), Some(2), "{}", said(&failed));
    assert!(said(&failed).contains("cannot be written"), "{}", said(&failed));
    assert!(!folder.exists());
    // A failing question leaves the earlier file alone.
    let answer = file("answer.json");
    std::fs::write(&answer, "earlier").expect("written");
    query(&["calls", "Shop.nothing", "--save", text(&answer), text(&trace)]);
    assert_eq!(std::fs::read_to_string(&answer).expect("a file"), "earlier");
}
