//! Variables, expressions and completions.

use serde::{Deserialize, Serialize};

/// How to write values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ValueFormat {
    /// Whether to write numbers in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hex: Option<bool>,
}

/// The arguments of `variables`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VariablesArguments {
    /// The container, a scope or variable.
    pub variables_reference: i64,
    /// Which children are asked for; all by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<VariableFilter>,
    /// The index of the first child.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// The number of children. Absent or 0 means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// How to write values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ValueFormat>,
}

/// A choice of children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum VariableFilter {
    /// The elements.
    Indexed,
    /// The fields.
    Named,
}

/// The answer to `variables`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VariablesBody {
    /// The children.
    pub variables: Vec<Variable>,
}

/// A variable: a name with a value, and perhaps children.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The value for the user.
    pub value: String,
    /// The type for the user.
    #[serde(rename = "type")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// How to show the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<VariablePresentationHint>,
    /// An expression that yields the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate_name: Option<String>,
    /// The number by which to ask for the children, or 0 if there are none.
    pub variables_reference: i64,
    /// The number of named children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<i64>,
    /// The number of indexed children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<i64>,
}

/// How to show a variable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VariablePresentationHint {
    /// What the variable is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<VariableKind>,
    /// More about the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<Vec<VariableAttribute>>,
    /// Which code may use the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<VariableVisibility>,
    /// Whether the value is read only when the user asks. If so, it is the only child.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lazy: Option<bool>,
}

/// What a variable is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum VariableKind {
    /// A property.
    Property,
    /// A method.
    Method,
    /// A class.
    Class,
    /// Data.
    Data,
    /// An event.
    Event,
    /// The superclass.
    BaseClass,
    /// An inner class.
    InnerClass,
    /// An interface.
    Interface,
    /// The most specific class.
    MostDerivedClass,
    /// A variable that the adapter made up.
    Virtual,
    /// A variable with a data breakpoint.
    DataBreakpoint,
    /// Another one, for which the protocol has no name.
    #[serde(untagged)]
    Other(String),
}

/// Something about a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum VariableAttribute {
    /// The variable is static.
    Static,
    /// The variable is constant.
    Constant,
    /// The variable cannot be set.
    ReadOnly,
    /// The value is a text as it is, without escapes.
    RawString,
    /// The value has an object id.
    HasObjectId,
    /// The value can get an object id.
    CanHaveObjectId,
    /// The evaluation had side effects.
    HasSideEffects,
    /// The variable has a data breakpoint.
    HasDataBreakpoint,
    /// Another one, for which the protocol has no name.
    #[serde(untagged)]
    Other(String),
}

/// Which code may use a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum VariableVisibility {
    /// All code.
    Public,
    /// Code of the class.
    Private,
    /// Code of subclasses too.
    Protected,
    /// Code of the package or module.
    Internal,
    /// The variable is final.
    Final,
    /// Another one, for which the protocol has no name.
    #[serde(untagged)]
    Other(String),
}

/// The arguments of `evaluate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvaluateArguments {
    /// The expression.
    pub expression: String,
    /// The frame in which to evaluate it. Absent means the global scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_id: Option<i64>,
    /// What the result is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<EvaluateContext>,
    /// How to write the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ValueFormat>,
}

/// What the result of an evaluation is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EvaluateContext {
    /// A watch.
    Watch,
    /// The console.
    Repl,
    /// A hover over the source.
    Hover,
    /// The clipboard.
    Clipboard,
    /// The view of variables.
    Variables,
    /// Another one, for which the protocol has no name.
    #[serde(untagged)]
    Other(String),
}

/// The answer to `evaluate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvaluateBody {
    /// The result for the user.
    pub result: String,
    /// The type of the result, for the user.
    #[serde(rename = "type")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// How to show the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<VariablePresentationHint>,
    /// The number by which to ask for the children of the result, or 0 if there are none.
    pub variables_reference: i64,
    /// The number of named children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<i64>,
    /// The number of indexed children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<i64>,
}

/// The arguments of `completions`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionsArguments {
    /// The frame in which the expression will be evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_id: Option<i64>,
    /// The text up to now; it may have several lines.
    pub text: String,
    /// The column of the caret, in UTF-16 code units.
    pub column: i64,
    /// The line of the caret, by default the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
}

/// The answer to `completions`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionsBody {
    /// The completions.
    pub targets: Vec<CompletionItem>,
}

/// A completion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionItem {
    /// The name for the user, and the text to insert unless `text` is given.
    pub label: String,
    /// The text to insert.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The text by which to sort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort_text: Option<String>,
    /// More about the completion, such as its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What the completion is.
    #[serde(rename = "type")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<CompletionKind>,
    /// The start of the text to replace, in UTF-16 code units. By default, that is the caret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// The length of the text to replace, in UTF-16 code units; 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<i64>,
    /// The start of the selection in the inserted text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection_start: Option<i64>,
    /// The length of the selection; 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection_length: Option<i64>,
}

/// What a completion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CompletionKind {
    /// A method.
    Method,
    /// A function.
    Function,
    /// A constructor.
    Constructor,
    /// A field.
    Field,
    /// A local or parameter.
    Variable,
    /// A class.
    Class,
    /// An interface.
    Interface,
    /// A module.
    Module,
    /// A property.
    Property,
    /// A unit.
    Unit,
    /// A value.
    Value,
    /// An enumeration.
    Enum,
    /// A keyword.
    Keyword,
    /// A snippet.
    Snippet,
    /// Plain text.
    Text,
    /// A colour.
    Color,
    /// A file.
    File,
    /// A reference.
    Reference,
    /// A colour that the user defined.
    #[serde(rename = "customcolor")]
    CustomColor,
}
