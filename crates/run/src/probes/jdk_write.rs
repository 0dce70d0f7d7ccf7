//! Writes that the JDK makes in a call: the recorder notices them after the call, and tells the values from
//! before it.

use super::agent_report::NumberedSite;
use super::ask::{RecorderStop, elements};
use super::values::value_of;
use crate::error::RunError;
use crate::watched::Watched;
use model::{Detail, Frame, MethodName, Site, Tables, Value};

/// The value before a call wrote, and its detail; none if the hit is no such write. The hit then has its new
/// value only.
pub async fn jdk_write(
    watched: &mut Watched,
    site: &NumberedSite,
    descriptor: &str,
    hit: &mut RecorderStop,
) -> Result<Option<(Value, Detail)>, RunError> {
    let Some(by) = &site.by else { return Ok(None) };
    let told = elements(watched, hit.value).await?;
    let [new, old, bits] = told[..] else { return Ok(None) };
    let bits = match elements(watched, bits).await?.first() {
        Some(jdwp::Value::Long(bits)) => *bits,
        _ => 0,
    };
    hit.value = new;
    let old = value_of(watched, descriptor, bits, old).await?;
    Ok(Some((old, written_by(&mut watched.tables, by.clone()))))
}

/// The detail of a write by a called method.
pub fn written_by(tables: &mut Tables, method: MethodName) -> Detail {
    let called = Frame { site: Site { method, bci: 0 }, line: None, source_file: None, loader: None };
    Detail { by: Some(tables.frame_key(called)), ..Detail::default() }
}
