//! The types shared by every layer: sites, values, stacks and occurrences (DESIGN §2).
//!
//! This is the lowest room of the package. It uses no other room and does no I/O. It describes an execution
//! independently of the back end that observed it.

mod content;
mod coordinate;
mod escapes;
mod fact;
mod keys;
mod lambda_source;
mod namer;
mod names;
mod numbers;
mod occurrence;
mod site;
mod tables;
mod thread_identity;
mod value;
mod way;

pub use ::descriptor::written;
pub use content::{
    ContentsByObject, DESCRIBED_HITS, DESCRIBED_OBJECTS, LambdaCode, MOST_ITEMS, ObjectContents,
    ObjectDescription,
};
pub use coordinate::{Coordinate, FlowStep, FlowVisit, Forecast, LastHit, ValueFlow};
pub use escapes::{units, unquoted};
pub use fact::{Fact, instant_text};
pub use keys::{ActivationKey, ClassKey, FrameKey, ReasonKey, ShapeKey, StackKey, ThreadKey};
pub use lambda_source::lambda_in_source;
pub use namer::{
    ExceptionCause, Namer, boxed, causes, exception_text, lambda_text, message_text, optional, quoted,
};
pub use names::{
    call_on, hidden_field_name, is_lambda_class, method_text, short_class_name, short_method_name,
    short_static_name,
};
pub use occurrence::{
    BypassedFrame, Catch, CollectionState, Detail, EventFrame, ExceptionDetail, Occurrence, StackValue,
};
pub use site::{MethodName, Site};
pub use tables::{Activation, Frame, Tables};
pub use thread_identity::ThreadIdentity;
pub use value::{JavaString, ObjectId, Value};
pub use way::Way;
