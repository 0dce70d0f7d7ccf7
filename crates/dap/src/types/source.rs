//! Sources, and the requests for them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A source: a file, or a text that the adapter supplies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// The name for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The path of the file. With a reference, it only names the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The number by which to ask the adapter for the text. Absent or 0 means that the text is in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_reference: Option<i64>,
    /// How to show the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<SourceHint>,
    /// Where the source comes from, for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The sources from which this one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<Source>>,
    /// Data of the adapter, which the client returns unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter_data: Option<Value>,
    /// The checksums of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksums: Option<Vec<Checksum>>,
}

/// How to show a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SourceHint {
    /// As usual.
    Normal,
    /// With emphasis.
    Emphasize,
    /// As unavailable, or as of little interest.
    Deemphasize,
}

/// A checksum of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checksum {
    /// The algorithm.
    pub algorithm: ChecksumAlgorithm,
    /// The value, in hexadecimal digits.
    pub checksum: String,
}

/// An algorithm for checksums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChecksumAlgorithm {
    /// MD5.
    #[serde(rename = "MD5")]
    Md5,
    /// SHA-1.
    #[serde(rename = "SHA1")]
    Sha1,
    /// SHA-256.
    #[serde(rename = "SHA256")]
    Sha256,
    /// The time of the last change.
    #[serde(rename = "timestamp")]
    Timestamp,
}

/// The arguments of `source`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceArguments {
    /// The source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The number of the source. The same number in `source` has precedence.
    pub source_reference: i64,
}

/// The answer to `source`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceBody {
    /// The text.
    pub content: String,
    /// The type of the text, for example `text/x-java`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
}

/// The answer to `loadedSources`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadedSourcesBody {
    /// The loaded sources.
    pub sources: Vec<Source>,
}
