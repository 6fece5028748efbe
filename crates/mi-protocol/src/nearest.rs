//! The known name that was probably meant.

/// The known name with the fewest typing errors between it and `name`, if that is few enough to be one.
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let typed: Vec<char> = name.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
    let allowed = (typed.len() / 3).clamp(1, 4);
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let wanted: Vec<char> = candidate.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
        if wanted.len().abs_diff(typed.len()) > allowed {
            continue;
        }
        let distance = distance(&typed, &wanted);
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// Names longer than this are compared by their beginning.
const LONGEST: usize = 64;

/// Insertions, deletions, replacements and swaps of neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &left) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &right) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(left != right);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && left == b[j - 1] && a[i - 1] == right {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    /// One or two slips are forgiven, another word is not.
    #[test]
    fn slips_are_forgiven() {
        let known = ["gate_passed", "tool_calls", "score", "APPROVE", "P5"];
        let cases = [
            ("gate_pased", Some("gate_passed")),
            ("tool_call", Some("tool_calls")),
            ("socre", Some("score")),
            ("APROVED", Some("APPROVE")),
            ("approve", Some("APPROVE")),
            ("P6", Some("P5")),
            ("completely_different", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(nearest(name, known.into_iter()), expected, "{name}");
        }
    }
}
