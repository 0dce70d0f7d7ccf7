//! Describes immutable JDK objects by the values of their fields: dates, numbers, `Optional`. The JDWP back
//! end, the probes and recordings read the fields; only this module interprets them.

use super::content::{LambdaCode, ObjectDescription};
use super::namer::Namer;
use super::names::short_class_name;
use super::numbers::{decimal, integer};
use super::tables::Tables;
use super::value::{ObjectId, Value};
use std::sync::Arc;

/// The kind of immutable object that the instances of a class are.
pub enum Fact {
    /// A box of a primitive value.
    Boxed,
    /// A constant of this enum.
    Enum(Arc<str>),
    /// An `Optional`.
    Optional,
    /// An `OptionalInt`, `OptionalLong` or `OptionalDouble`.
    OptionalNumber,
    /// An exception, with the field that holds its cause.
    Exception(&'static str),
    /// A class.
    Class,
    /// A `BigInteger`.
    BigInteger,
    /// A `BigDecimal`.
    BigDecimal,
    /// A `Locale`.
    Locale,
    /// A lambda or method reference.
    Lambda(Arc<LambdaCode>),
    /// Described by a text computed from these fields.
    Written(&'static [&'static str], fn(&[Value]) -> Option<String>),
    /// Described by the texts of these fields (second) with separators before them (first).
    Joined(&'static [(&'static str, &'static str)]),
}

impl Fact {
    /// The kind of a class, given its name and those of its superclasses.
    pub fn of(names: &[Arc<str>]) -> Option<Fact> {
        // The direct subclass of java.lang.Enum is the enum type. Its constants can have their own classes.
        if let Some(at) = names.iter().position(|name| &**name == "java.lang.Enum") {
            return names.get(at.checked_sub(1)?).map(|name| Fact::Enum(name.clone()));
        }
        if names.iter().any(|name| &**name == "java.lang.Throwable") {
            // Its `getCause` returns a field of its own.
            let wraps = names.iter().any(|name| &**name == "java.lang.reflect.InvocationTargetException");
            return Some(Fact::Exception(if wraps { "target" } else { "cause" }));
        }
        Some(match &**names.first()? {
            "java.lang.Integer"
            | "java.lang.Long"
            | "java.lang.Short"
            | "java.lang.Byte"
            | "java.lang.Character"
            | "java.lang.Boolean"
            | "java.lang.Float"
            | "java.lang.Double" => Fact::Boxed,
            "java.lang.Class" => Fact::Class,
            "java.util.Optional" => Fact::Optional,
            "java.util.OptionalInt" | "java.util.OptionalLong" | "java.util.OptionalDouble" => {
                Fact::OptionalNumber
            }
            "java.math.BigInteger" => Fact::BigInteger,
            "java.math.BigDecimal" => Fact::BigDecimal,
            "java.time.LocalDate" => Fact::Written(&["year", "month", "day"], date),
            "java.time.LocalTime" => Fact::Written(&["hour", "minute", "second", "nano"], time),
            "java.time.Instant" => Fact::Written(&["seconds", "nanos"], instant),
            "java.time.Duration" => Fact::Written(&["seconds", "nanos"], duration),
            "java.time.Period" => Fact::Written(&["years", "months", "days"], period),
            "java.time.Year" => Fact::Written(&["year"], year),
            "java.time.YearMonth" => Fact::Written(&["year", "month"], year_month),
            "java.time.ZoneOffset" | "java.time.ZoneRegion" => Fact::Written(&["id"], text),
            "java.util.UUID" => Fact::Written(&["mostSigBits", "leastSigBits"], uuid),
            "java.util.regex.Pattern" => Fact::Written(&["pattern", "flags"], pattern),
            "java.util.Locale" => Fact::Locale,
            "sun.util.locale.BaseLocale" => {
                Fact::Written(&["language", "region", "variant", "script"], locale)
            }
            "java.time.LocalDateTime" => Fact::Joined(&[("", "date"), ("T", "time")]),
            "java.time.OffsetDateTime" => Fact::Joined(&[("", "dateTime"), ("", "offset")]),
            "java.time.ZonedDateTime" => Fact::Joined(&[("", "dateTime"), ("", "offset"), ("[", "zone")]),
            _ => return None,
        })
    }

    /// The names of the fields to read, in the order in which [`Fact::description`] takes their values.
    pub fn fields(&self) -> Vec<&'static str> {
        match self {
            Fact::Boxed | Fact::Optional => vec!["value"],
            Fact::Enum(_) => vec!["name"],
            Fact::OptionalNumber => vec!["isPresent", "value"],
            Fact::Exception(cause) => vec!["detailMessage", cause],
            Fact::BigInteger => vec!["signum", "mag"],
            Fact::BigDecimal => vec!["intVal", "scale", "intCompact"],
            Fact::Locale => vec!["baseLocale", "localeExtensions"],
            Fact::Written(fields, _) => fields.to_vec(),
            Fact::Joined(fields) => fields.iter().map(|(_, field)| *field).collect(),
            Fact::Class | Fact::Lambda(_) => Vec::new(),
        }
    }

    /// The description of an object with these field values; for a `BigInteger`, its sign and the words of
    /// its magnitude. `known` describes other objects. `None` if the values are not sufficient.
    pub fn description(
        &self,
        class: &str,
        values: &[Value],
        known: impl Fn(ObjectId) -> Option<ObjectDescription>,
    ) -> Option<ObjectDescription> {
        let class = short_class_name(class);
        let text = |text: String| Some(ObjectDescription::Text(text.into()));
        match (self, values) {
            (Fact::Boxed, [value]) => Some(ObjectDescription::Boxed(value.clone())),
            (Fact::Enum(of), [Value::Str(name)]) => text(format!("{}.{}", short_class_name(of), name.text)),
            (Fact::Optional, [Value::Null]) => text("Optional.empty".to_owned()),
            (Fact::Optional, [value]) => Some(ObjectDescription::Optional(value.clone())),
            (Fact::OptionalNumber, [Value::Boolean(false), _]) => text(format!("{class}.empty")),
            (Fact::OptionalNumber, [_, value]) => {
                let plain = Namer::default().identity(value, &Tables::default());
                text(format!("{class}[{}]", plain.trim_end_matches('L')))
            }
            (Fact::Exception(_), [message, cause]) => {
                let message = match message {
                    Value::Str(message) => Some(message.text.as_str().into()),
                    _ => None,
                };
                Some(ObjectDescription::Exception { message, cause: cause.clone() })
            }
            (Fact::BigInteger, [Value::Int(sign), words @ ..]) => {
                let words = words.iter().map(|word| match word {
                    Value::Int(word) => Some(word.cast_unsigned()),
                    _ => None,
                });
                let words: Option<Vec<u32>> = words.collect();
                text(format!("BigInteger {}", integer(*sign < 0, &words?)))
            }
            (Fact::BigDecimal, [whole, Value::Int(scale), Value::Long(compact)]) => {
                let digits = match (whole, compact) {
                    (_, compact) if *compact != i64::MIN => Some(compact.to_string()),
                    (Value::Object { id, .. }, _) => plain(known(*id).as_ref()),
                    _ => None,
                };
                digits.and_then(|digits| text(format!("BigDecimal {}", decimal(&digits, *scale))))
            }
            // Extensions, such as a calendar, are not described.
            (Fact::Locale, [Value::Object { id, .. }, Value::Null]) => {
                plain(known(*id).as_ref()).and_then(|locale| text(format!("Locale {locale}")))
            }
            (Fact::Lambda(code), _) => Some(ObjectDescription::Lambda(code.clone())),
            (Fact::Written(_, write), values) => {
                write(values).and_then(|written| text(format!("{class} {written}")))
            }
            (Fact::Joined(fields), values) => {
                joined(fields, values, known).and_then(|t| text(format!("{class} {t}")))
            }
            _ => None,
        }
    }
}

/// The text of an object without its class name: the part after `LocalDate `.
fn plain(description: Option<&ObjectDescription>) -> Option<String> {
    match description? {
        ObjectDescription::Text(text) => text.split_once(' ').map(|(_, plain)| plain.to_owned()),
        _ => None,
    }
}

fn joined(
    fields: &[(&str, &str)],
    values: &[Value],
    known: impl Fn(ObjectId) -> Option<ObjectDescription>,
) -> Option<String> {
    let mut out = String::new();
    let mut before: Option<String> = None;
    for ((with, _), value) in fields.iter().zip(values) {
        let part = plain(known(value.object_id()?).as_ref())?;
        if *with == "[" {
            // A zone that equals its offset is not repeated.
            if before.as_deref() != Some(part.as_str()) {
                out.push_str(&format!("[{part}]"));
            }
        } else {
            out.push_str(with);
            out.push_str(&part);
        }
        before = Some(part);
    }
    Some(out)
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Byte(v) => Some((*v).into()),
        Value::Short(v) => Some((*v).into()),
        Value::Int(v) => Some((*v).into()),
        Value::Long(v) => Some(*v),
        _ => None,
    }
}

fn numbers<const N: usize>(values: &[Value]) -> Option<[i64; N]> {
    let all: Option<Vec<i64>> = values.iter().map(number).collect();
    all?.try_into().ok()
}

fn text(values: &[Value]) -> Option<String> {
    match values {
        [Value::Str(text)] => Some(text.text.clone()),
        _ => None,
    }
}

/// A pattern between slashes, then its flags (`Pattern.flags()`), if there are any.
fn pattern(values: &[Value]) -> Option<String> {
    match values {
        [Value::Str(pattern), Value::Int(0)] => Some(format!("/{}/", pattern.text)),
        [Value::Str(pattern), Value::Int(flags)] => Some(format!("/{}/{flags}", pattern.text)),
        _ => None,
    }
}

/// Formats like `java.util.Locale.toString`, except that a variant or script can follow an empty language.
/// `-` stands for the locale without any of them.
fn locale(values: &[Value]) -> Option<String> {
    let parts: Option<Vec<&str>> = values
        .iter()
        .map(|value| match value {
            Value::Str(text) => Some(text.text.as_str()),
            _ => None,
        })
        .collect();
    let [language, region, variant, script] = parts?.try_into().ok()?;
    let script = if script.is_empty() { String::new() } else { format!("_#{script}") };
    let text = match (region, variant, script.as_str()) {
        ("", "", "") => language.to_owned(),
        (region, "", "") => format!("{language}_{region}"),
        (region, "", script) => format!("{language}_{region}{script}"),
        (region, variant, script) => format!("{language}_{region}_{variant}{script}"),
    };
    Some(if text.is_empty() { "-".to_owned() } else { text })
}

fn year_text(year: i64) -> String {
    match year {
        0..=9999 => format!("{year:04}"),
        ..0 => format!("-{:04}", -year),
        _ => format!("+{year}"),
    }
}

fn year(values: &[Value]) -> Option<String> {
    numbers(values).map(|[year]| year.to_string())
}

fn year_month(values: &[Value]) -> Option<String> {
    numbers(values).map(|[year, month]| format!("{}-{month:02}", year_text(year)))
}

fn date(values: &[Value]) -> Option<String> {
    numbers(values).map(|[year, month, day]| format!("{}-{month:02}-{day:02}", year_text(year)))
}

fn time(values: &[Value]) -> Option<String> {
    let [hour, minute, second, nano] = numbers(values)?;
    let mut out = format!("{hour:02}:{minute:02}");
    if second > 0 || nano > 0 {
        out.push_str(&format!(":{second:02}{}", fraction(nano)));
    }
    Some(out)
}

/// The fraction of a second: three, six or nine digits.
fn fraction(nano: i64) -> String {
    match nano {
        0 => String::new(),
        n if n % 1_000_000 == 0 => format!(".{:03}", n / 1_000_000),
        n if n % 1_000 == 0 => format!(".{:06}", n / 1_000),
        n => format!(".{n:09}"),
    }
}

fn instant(values: &[Value]) -> Option<String> {
    let [seconds, nanos] = numbers(values)?;
    Some(instant_text(seconds, nanos))
}

/// Formats seconds since 1970 as an ISO 8601 instant in UTC.
pub fn instant_text(seconds: i64, nanos: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let date = format!("{}-{month:02}-{day:02}", year_text(year));
    format!("{date}T{:02}:{:02}:{:02}{}Z", rest / 3600, rest / 60 % 60, rest % 60, fraction(nanos))
}

/// Converts days since 1970 to a date of the proleptic Gregorian calendar (Howard Hinnant, "chrono-compatible
/// low-level date algorithms").
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Formats like `java.time.Duration.toString`.
fn duration(values: &[Value]) -> Option<String> {
    let [seconds, nanos] = numbers(values)?;
    if seconds == 0 && nanos == 0 {
        return Some("PT0S".to_owned());
    }
    let borrows = seconds < 0 && nanos > 0;
    let whole = seconds + i64::from(borrows);
    let (hours, minutes, secs) = (whole / 3600, whole % 3600 / 60, whole % 60);
    let mut out = "PT".to_owned();
    if hours != 0 {
        out.push_str(&format!("{hours}H"));
    }
    if minutes != 0 {
        out.push_str(&format!("{minutes}M"));
    }
    if secs == 0 && nanos == 0 {
        return Some(out);
    }
    let secs = if borrows && secs == 0 { "-0".to_owned() } else { secs.to_string() };
    let part = if borrows { 1_000_000_000 - nanos } else { nanos };
    let part = if part == 0 { String::new() } else { format!(".{part:09}") };
    Some(format!("{out}{secs}{}S", part.trim_end_matches('0')))
}

fn period(values: &[Value]) -> Option<String> {
    let [years, months, days] = numbers(values)?;
    let parts = [(years, 'Y'), (months, 'M'), (days, 'D')].into_iter().filter(|(n, _)| *n != 0);
    let text: String = parts.map(|(n, unit)| format!("{n}{unit}")).collect();
    Some(if text.is_empty() { "P0D".to_owned() } else { format!("P{text}") })
}

fn uuid(values: &[Value]) -> Option<String> {
    let [most, least] = numbers(values)?.map(i64::cast_unsigned);
    Some(format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        most >> 32,
        most >> 16 & 0xffff,
        most & 0xffff,
        least >> 48,
        least & 0xffff_ffff_ffff
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_read_as_java_writes_them() {
        let written = |write: fn(&[Value]) -> Option<String>, numbers: &[i64]| {
            write(&numbers.iter().map(|n| Value::Long(*n)).collect::<Vec<_>>()).unwrap()
        };
        assert_eq!(written(date, &[2024, 2, 29]), "2024-02-29");
        assert_eq!(written(date, &[-5, 12, 1]), "-0005-12-01");
        assert_eq!(written(time, &[9, 5, 0, 0]), "09:05");
        assert_eq!(written(time, &[9, 5, 7, 120_000_000]), "09:05:07.120");
        assert_eq!(written(instant, &[1_709_197_507, 120_000_000]), "2024-02-29T09:05:07.120Z");
        assert_eq!(written(instant, &[-1, 0]), "1969-12-31T23:59:59Z");
        assert_eq!(written(duration, &[90, 500_000_000]), "PT1M30.5S");
        assert_eq!(written(duration, &[-1, 500_000_000]), "PT-0.5S");
        assert_eq!(written(duration, &[3600, 0]), "PT1H");
        assert_eq!(written(period, &[1, 0, -3]), "P1Y-3D");
    }
}
