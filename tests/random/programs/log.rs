//! The brute-force log: the output of the logging program, line by line.

#[derive(Clone, Debug)]
pub enum Event {
    Enter {
        act: u32,
        parent: u32,
        method: usize,
        thread: String,
        /// `-` in a static method.
        this: String,
        values: Vec<String>,
    },
    /// The first occurrence of an array, with its elements.
    Array {
        id: String,
        values: Vec<String>,
    },
    Leave {
        act: u32,
    },
    Line {
        act: u32,
        line: u32,
    },
    Branch {
        act: u32,
        id: u32,
        way: i64,
    },
    Store {
        act: u32,
        var: u32,
        line: u32,
        value: String,
    },
    /// `initial`: by a field's initialiser.
    Write {
        act: u32,
        owner: String,
        field: usize,
        line: u32,
        old: String,
        new: String,
        initial: bool,
    },
    Read {
        act: u32,
        owner: String,
        field: usize,
        value: String,
    },
    Element {
        act: u32,
        array: String,
        index: usize,
        old: String,
        new: String,
    },
    Handler {
        act: u32,
        id: u32,
    },
}

fn number<T: std::str::FromStr>(text: Option<&&str>) -> T
where
    T::Err: std::fmt::Debug,
{
    text.expect("a field of the log").parse().expect("a number of the log")
}

/// Reads the log; none if it was too long.
pub fn parse(text: &str) -> Option<Vec<Event>> {
    if text.contains("LONG") {
        return None;
    }
    Some(text.lines().map(event).collect())
}

fn event(line: &str) -> Event {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words[0] == "N" {
        let values = words.iter().skip(2).map(|w| (*w).to_owned()).collect();
        return Event::Array { id: words[1].into(), values };
    }
    let act = number(words.get(1));
    match words[0] {
        "E" => Event::Enter {
            act,
            parent: number(words.get(2)),
            method: number(words.get(3)),
            thread: words[4].into(),
            this: words[5].into(),
            values: words.iter().skip(6).map(|w| (*w).to_owned()).collect(),
        },
        "X" => Event::Leave { act },
        "L" => Event::Line { act, line: number(words.get(2)) },
        "B" => Event::Branch { act, id: number(words.get(2)), way: number(words.get(3)) },
        "S" => Event::Store {
            act,
            var: number(words.get(2)),
            line: number(words.get(3)),
            value: words[4].into(),
        },
        "W" | "I" => Event::Write {
            act,
            owner: words[2].into(),
            field: number(words.get(3)),
            line: number(words.get(4)),
            old: words[5].into(),
            new: words[6].into(),
            initial: words[0] == "I",
        },
        "R" => {
            Event::Read { act, owner: words[2].into(), field: number(words.get(3)), value: words[4].into() }
        }
        "A" => Event::Element {
            act,
            array: words[2].into(),
            index: number(words.get(3)),
            old: words[4].into(),
            new: words[5].into(),
        },
        "H" => Event::Handler { act, id: number(words.get(2)) },
        other => panic!("no event of the log: {other} in {line}"),
    }
}
