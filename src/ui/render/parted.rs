//! Where two runs part, as text.

use super::question::{given_and_become, named};
use super::{Paint, palette};
use crate::session::Parted;

/// Where they part.
pub fn parted(parted: Option<&Parted>, color: bool) -> String {
    let paint = Paint { color };
    let Some(parted) = parted else { return "all calls do the same in both runs\n".to_owned() };
    let mut out = match &parted.call {
        Some(call) => format!("{} {}\n", paint.on(palette::FAILED, "the runs part in"), named(call)),
        None => format!("{}\n", paint.on(palette::FAILED, "the runs part at the first calls of a thread")),
    };
    out.push_str(&match parted.same {
        1 => "1 call before does the same\n".to_owned(),
        same => format!("{same} calls before do the same\n"),
    });
    for difference in &parted.differs {
        out.push_str(&format!("  {}\n", difference.what));
        out.push_str(&format!("    here      {}\n", paint.on(palette::FAILED, &difference.here)));
        out.push_str(&format!("    reference {}\n", paint.on(palette::HELD, &difference.there)));
    }
    if let Some(here) = &parted.here {
        out.push_str(&given_and_become(here, paint));
    }
    out
}
