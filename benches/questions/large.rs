//! The time of the next question in a tree of ten million calls, for each strategy. The tree has a random
//! shape, its calls cover some hundred sets of edges, and a seed draws the answers.

use declarative::{Coverage, CoverageBuilder, Diagnosis, Forest, Needs, STRATEGIES, Step, Verdict};
use std::time::Instant;

const CALLS: u32 = 10_000_000;
const METHODS: u32 = 300;
const SETS: u32 = 500;

/// A deterministic pseudo-random number from another number.
fn drawn(from: u32) -> u32 {
    let mut x = u64::from(from).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    u32::try_from((x ^ (x >> 31)) >> 32).expect("32 bits")
}

/// Makes a tree in which each call makes up to four others, while any are left.
fn forest() -> Forest {
    let mut sizes = vec![0_u32; usize::try_from(CALLS).expect("a number")];
    let mut open: Vec<(u32, u32)> = vec![(0, CALLS)];
    while let Some((first, size)) = open.pop() {
        let at = usize::try_from(first).expect("a number");
        sizes[at] = size;
        let (mut next, end) = (first + 1, first + size);
        let parts = 1 + drawn(first) % 4;
        for part in 0..parts {
            let left = end - next;
            let share = if part + 1 == parts { left } else { left / (parts - part) };
            if share > 0 {
                open.push((next, share));
                next += share;
            }
        }
    }
    let mut forest = Forest::with_capacity(sizes.len());
    for (node, size) in (0..).zip(sizes) {
        forest.push(size, drawn(node) % METHODS, true);
    }
    forest.thread(0..CALLS);
    forest
}

fn coverage() -> Coverage {
    let mut maker = CoverageBuilder::new(usize::try_from(CALLS).expect("a number"));
    for node in 0..CALLS {
        let set = drawn(node ^ 0x5555) % SETS;
        let covered = (0..8).map(|n| maker.entity(drawn(set * 8 + n) % 2_000)).collect();
        maker.call(node, covered);
    }
    maker.finish()
}

/// Measures, and prints the table.
pub fn measure() {
    let (forest, coverage) = (forest(), coverage());
    println!("{CALLS} calls, ms to the next question: first, median and longest of ten");
    for row in STRATEGIES {
        let coverage = (row.needs != Needs::Nothing).then(|| coverage.clone());
        let mut diagnosis = Diagnosis::new(forest.clone(), row.made(None), coverage);
        if row.compresses {
            diagnosis.compress();
        }
        let mut times = Vec::new();
        for turn in 0..10_u32 {
            let began = Instant::now();
            let Step::Ask(node) = diagnosis.next() else { break };
            times.push(began.elapsed().as_secs_f64() * 1e3);
            let verdict = if drawn(turn).is_multiple_of(3) { Verdict::Invalid } else { Verdict::Valid };
            // The outermost call is invalid, otherwise there would be nothing to find.
            diagnosis.answer(node, if node == 0 { Verdict::Invalid } else { verdict });
        }
        let first = times[0];
        times.sort_by(f64::total_cmp);
        let (median, longest) = (times[times.len() / 2], times[times.len() - 1]);
        println!("{:<26} {first:>8.1} {median:>8.1} {longest:>8.1}", row.name);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: unknown");
    println!(
        "most memory, with the trees of this bench beside those of the diagnosis: {}",
        peak.trim_start_matches("VmHWM:").trim()
    );
}

/// Prints the time of `foremost` where it compares all suspicious calls with each other: for the largest
/// number at which it still does that, each call with different coverage.
pub fn compare() {
    const COMPARED: u32 = 1_000;
    let mut forest = Forest::default();
    let mut maker = CoverageBuilder::new(usize::try_from(COMPARED).expect("a number"));
    for node in 0..COMPARED {
        // Each call makes the next one.
        forest.push(COMPARED - node, node % METHODS, true);
        let covered = (0..8).map(|n| maker.entity(drawn(node * 8 + n) % 2_000)).collect();
        maker.call(node, covered);
    }
    forest.thread(0..COMPARED);
    let row = STRATEGIES.iter().find(|row| row.name == "foremost").expect("a strategy");
    let diagnosis = Diagnosis::new(forest, row.made(None), Some(maker.finish()));
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let began = Instant::now();
            assert!(matches!(diagnosis.next(), Step::Ask(_)));
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("foremost, {COMPARED} calls below each other, each with a set of its own: {:.1} ms", times[2]);
}
