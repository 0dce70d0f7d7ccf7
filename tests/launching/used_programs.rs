//! Programs that people use, with questions whose right answers are known: the small ones of
//! `benches/used_programs`.

#[path = "../../benches/used_programs/row.rs"]
mod row;

use row::{Row, Table};
use std::path::Path;

#[test]
fn small_programs_that_people_use_are_asked() {
    let table = Table::read();
    let small: Vec<&Row> = table.rows.iter().filter(|row| row.small).collect();
    assert!(small.len() * 6 > table.rows.len(), "{} of {} are small", small.len(), table.rows.len());
    let ask = |row: &Row| {
        let missing = table.missing(row);
        testing::needs(
            missing.is_empty(),
            &format!("{} ({}: no {})", row.name, row.from, missing.join(", ")),
        );
        if missing.is_empty() {
            is_right(row, &table);
        }
    };
    // Each waits for VMs half of its time.
    std::thread::scope(|scope| {
        for part in small.chunks(small.len().div_ceil(2)) {
            scope.spawn(move || part.iter().for_each(|row| ask(row)));
        }
    });
}

fn is_right(row: &Row, table: &Table) {
    let asked = table.ask(row, Path::new(env!("CARGO_BIN_EXE_qp")), 1);
    for (question, (_, judged)) in row.questions.iter().zip(&asked.questions) {
        if let Err(why) = judged {
            panic!("{}: {}: {why}", row.name, question.typed);
        }
    }
}
