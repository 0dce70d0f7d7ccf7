//! The divergence of two versions as text.

use super::question::named;
use super::question_body::{Extent, given_and_become};
use super::{Paint, Text, hanging, hanging_at, lacks, palette};
use command::diff::Parting;
use diagnose::Divergence;

/// Width of a line, in columns.
const WIDTH: usize = 80;
/// Most members of one version that are named.
const NAMED: usize = 8;
/// Most suspects that are shown.
const SUSPECTS: usize = 10;

impl Text for Parting {
    fn text(&self, color: bool) -> String {
        parting(self, color)
    }
}

/// The divergence, and what varies from run to run.
fn parting(parting: &Parting, color: bool) -> String {
    let mut out = match &parting.parted {
        Some(found) => parted(found, Paint { color }),
        None if parting.ends_vary => {
            "no call differs for certain: runs of the same version end differently\n".to_owned()
        }
        None if !parting.uncompared.is_empty() || !parting.missing.is_empty() => {
            "all calls that were compared behave the same\n".to_owned()
        }
        None if parting.varies.is_empty() => "all calls behave the same in both runs\n".to_owned(),
        None => "all calls behave the same, apart from what varies between runs\n".to_owned(),
    };
    match (parting.further_count, parting.further.is_empty()) {
        (0, _) => {}
        (1, true) => out.push_str("1 more call differs with the same input: --all shows it\n"),
        (many, true) => {
            out.push_str(&format!("{many} more calls differ with the same input: --all shows them\n"));
        }
        (_, false) => {
            out.push_str("these calls differ too, with the same input:\n");
            parting.further.iter().for_each(|call| out.push_str(&hanging(&named(call), 2, WIDTH)));
        }
    }
    if !parting.only_in_one.is_empty() {
        let names = parting.only_in_one.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        let more = match parting.only_in_one.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let text = format!("only in one version, and not compared by itself: {names}{more}");
        out.push_str(&hanging(&text, 0, WIDTH));
    }
    for what in &parting.uncompared {
        out.push_str(&hanging(&format!("not compared: {what}"), 0, WIDTH));
    }
    out.push_str(&varying(parting));
    if let Some(whose) = &parting.whose_code {
        out.push_str(&hanging(whose, 0, WIDTH));
    }
    if let Some(why) = &parting.unconfirmed {
        let text = format!("it may vary from run to run: the program was not run again, since {why}");
        out.push_str(&hanging(&text, 0, WIDTH));
    }
    out + &lacks(&parting.missing, color)
}

/// What varies between runs of the same version.
fn varying(parting: &Parting) -> String {
    let mut out = String::new();
    if !parting.varies.is_empty() {
        out.push_str(&format!(
            "varies between {} runs of the same version, and is not compared:\n",
            parting.runs
        ));
    }
    for varying in &parting.varies {
        let values = match varying.values.is_empty() {
            true => String::new(),
            false => format!(": {}, …", varying.values.join(", ")),
        };
        out.push_str(&hanging(&format!("{}  {}{values}", varying.place, varying.what), 2, WIDTH));
    }
    match parting.more {
        0 => {}
        1 => out.push_str("  and 1 more place\n"),
        more => out.push_str(&format!("  and {more} more places\n")),
    }
    out
}

fn parted(parted: &Divergence, paint: Paint) -> String {
    let mut out = match &parted.call {
        Some(call) => format!("{} {}\n", paint.on(palette::FAILED, "the runs diverge in"), named(call)),
        None if parted.at_end => format!("{}\n", paint.on(palette::FAILED, "the runs end differently")),
        None => format!("{}\n", paint.on(palette::FAILED, "the runs diverge at the first calls of a thread")),
    };
    if parted.at_end {
        let other = match (&parted.call, parted.suspects.is_empty()) {
            (Some(_), _) => "no other method that ran has other code in the reference",
            (None, true) => "no recorded method that ran is known to have other code in the reference",
            (None, false) => "methods with other code in the reference that ran:",
        };
        out.push_str(&hanging(&format!("no recorded call with the same input differs; {other}"), 2, WIDTH));
    } else if parted.same_code && parted.suspects.is_empty() {
        let text = "its own code is the same in both versions, and no recorded method with other code ran \
            before: data, or code that was not recorded, made it differ";
        out.push_str(&hanging(text, 2, WIDTH));
    }
    if let Some(seen) = &parted.seen_in {
        let text = format!(
            "no other method that ran before has other code in the reference; the difference was seen in {}",
            named(seen)
        );
        out.push_str(&hanging(&text, 2, WIDTH));
    }
    if !parted.suspects.is_empty() {
        if !parted.at_end {
            let text = "its own code is the same in both versions; methods with other code that ran before:";
            out.push_str(&hanging(text, 2, WIDTH));
        }
        for suspect in parted.suspects.iter().take(SUSPECTS) {
            out.push_str(&hanging(&named(suspect), 4, WIDTH));
        }
        if parted.suspects.len() > SUSPECTS {
            out.push_str(&format!("    and {} more\n", parted.suspects.len() - SUSPECTS));
        }
    }
    out.push_str(&match (parted.at_end, parted.same) {
        (true, 1) => "1 call behaves the same\n".to_owned(),
        (true, same) => format!("{same} calls behave the same\n"),
        (false, 1) => "1 call before behaves the same\n".to_owned(),
        (false, same) => format!("{same} calls before behave the same\n"),
    });
    for difference in &parted.differs {
        out.push_str(&format!("  {}\n", difference.what));
        for (side, style, value) in [
            ("here     ", palette::FAILED, &difference.here),
            ("reference", palette::HELD, &difference.there),
        ] {
            let text = format!("{} {}", side.replace(' ', "\u{a0}"), paint.on(style, value));
            out.push_str(&hanging_at(&text, 4, 14, WIDTH).replace('\u{a0}', " "));
        }
    }
    if let Some(here) = &parted.here {
        out.push_str(&given_and_become(here, Extent::Lines, paint));
    }
    out
}
