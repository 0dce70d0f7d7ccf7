//! The report about a recorded method: its sites with their lines, and what they write.

use rewrite::{Effect, MethodShape, RecordedEffect};
use wire::recording::{Level, Traced, TracedMethod, TracedSite, WrittenVariable};

/// The report about a method: its sites with their lines and what they write.
pub fn traced(
    shape: &MethodShape,
    effects: &[RecordedEffect],
    level: Level,
    mut sites: Vec<TracedSite>,
) -> TracedMethod {
    let (name, descriptor, access) = (shape.name.clone(), shape.descriptor.clone(), shape.access);
    for site in &mut sites {
        // The end of the code belongs to no line.
        site.line = line_at(effects, site.bci).filter(|_| site.bci < shape.length);
        if let Traced::Branch(to) = site.what {
            site.to = line_at(effects, to.into());
        }
        if let Traced::Element(_) | Traced::Array = site.what {
            site.by =
                effects.iter().filter(|effect| effect.pc == site.bci).find_map(|effect| called(&effect.what));
        }
        site.written = match site.what {
            Traced::Put | Traced::PutStatic | Traced::Preset | Traced::Local { .. } => {
                effects.iter().filter(|effect| effect.pc == site.bci).find_map(|effect| written(&effect.what))
            }
            _ => None,
        };
    }
    TracedMethod { name, descriptor, access, level, parameters: Vec::new(), sites }
}

/// The source line of an instruction.
fn line_at(effects: &[RecordedEffect], pc: u32) -> Option<u16> {
    let line = |effect: &RecordedEffect| match effect.what {
        Effect::Line(line) if effect.pc <= pc => Some(line),
        _ => None,
    };
    effects.iter().filter_map(line).next_back()
}

/// The name of a called method.
fn called(what: &Effect) -> Option<String> {
    match what {
        Effect::Call { class, name, .. } => Some(format!("{}.{name}", descriptor::class_name(class))),
        _ => None,
    }
}

fn written(what: &Effect) -> Option<WrittenVariable> {
    match what.clone() {
        Effect::Put { class, name, descriptor, .. } => Some(WrittenVariable { class, name, descriptor }),
        Effect::Local { named: Some((name, descriptor)), .. } => {
            Some(WrittenVariable { class: String::new(), name, descriptor })
        }
        _ => None,
    }
}
