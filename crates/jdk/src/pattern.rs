//! The patterns for classes and names in a row. See [`crate::Row`].

/// The pattern for all array types.
const ARRAYS: &str = "[]";

/// Whether a pattern names one class or one method.
pub(crate) fn is_exact(pattern: &str) -> bool {
    !pattern.contains('*') && pattern != ARRAYS
}

/// How precise a pattern is; higher is more precise.
pub(crate) fn precision(pattern: &str) -> usize {
    if is_exact(pattern) {
        return usize::MAX;
    }
    // With equal text, one star matches less than two: `java.util.*` is more precise than `java.util.**`.
    let stars = pattern.matches('*').count();
    2 * (pattern.len() - stars) + usize::from(stars == 1)
}

/// Whether a name matches a pattern.
pub(crate) fn matches_name(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        None => pattern == name,
    }
}

/// Whether a class matches a pattern. The name of the class has dots or slashes, or is that of an array type.
pub(crate) fn matches_class(pattern: &str, class: &str) -> bool {
    if pattern == ARRAYS {
        return is_array(class);
    }
    let Some((begin, rest)) = pattern.split_once('*') else {
        return same(pattern, class);
    };
    let (end, crosses) = match rest.strip_prefix('*') {
        Some(end) => (end, true),
        None => (rest, false),
    };
    let Some(middle) = class.len().checked_sub(begin.len() + end.len()) else { return false };
    let Some((head, behind)) = class.split_at_checked(begin.len()) else { return false };
    let Some((middle, tail)) = behind.split_at_checked(middle) else { return false };
    same(begin, head) && same(end, tail) && (crosses || !middle.contains(['.', '/']))
}

/// Whether a class is an array type.
fn is_array(class: &str) -> bool {
    class.starts_with('[') || class.ends_with(ARRAYS)
}

/// Whether two class names, with dots or slashes, are equal.
pub fn same(one: &str, other: &str) -> bool {
    one.len() == other.len() && letters(one).eq(letters(other))
}

/// Orders class names with dots or slashes.
pub(crate) fn compare(one: &str, other: &str) -> std::cmp::Ordering {
    letters(one).cmp(letters(other))
}

fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().map(|letter| if letter == b'/' { b'.' } else { letter })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_classes() {
        let yes = [
            ("java.util.Arrays", "java/util/Arrays"),
            ("java.util.*", "java.util.Map$Entry"),
            ("java.util.**", "java/util/function/Function"),
            ("java.lang.**Error", "java.lang.invoke.WrongError"),
            ("[]", "[I"),
            ("[]", "int[]"),
        ];
        for (pattern, class) in yes {
            assert!(matches_class(pattern, class), "{pattern} {class}");
        }
        let no = [
            ("java.util.Arrays", "java.util.Array"),
            ("java.util.*", "java.util.function.Function"),
            ("java.util.*", "java/util/function/Function"),
            ("java.util.**", "java.utility.Function"),
            ("java.lang.**Error", "java.lang.Errors"),
            ("java.lang.**Error", "Error"),
            ("[]", "java.util.Arrays"),
        ];
        for (pattern, class) in no {
            assert!(!matches_class(pattern, class), "{pattern} {class}");
        }
    }

    #[test]
    fn precise_patterns_win() {
        let falling = ["java.util.Arrays", "java.util.zip.**", "java.util.*", "java.util.**", "java.**"];
        assert!(falling.windows(2).all(|two| precision(two[0]) > precision(two[1])));
        assert!(precision("getAnd*") > precision("get*") && precision("get*") > precision("*"));
    }
}
