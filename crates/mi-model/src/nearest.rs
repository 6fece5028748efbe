//! The nearest known name to one that is not known.

/// The candidate that differs by at most a third of its letters, if there is one.
pub fn nearest_name<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    candidates
        .iter()
        .map(|candidate| (distance(name, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 3).max(2))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, remove or replace. Long names are cut: they are near to nothing.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().take(64).enumerate() {
        let mut corner = index;
        row[0] = index + 1;
        for at in 0..right.len() {
            let replaced = corner + usize::from(letter != right[at]);
            corner = row[at + 1];
            row[at + 1] = replaced.min(corner + 1).min(row[at] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slip of the finger is recognised, another word is not.
    #[test]
    fn nearest_name_is_found() {
        assert_eq!(nearest_name("comand", &["command", "write"]), Some("command"));
        assert_eq!(nearest_name("elephant", &["command", "write"]), None);
    }
}
