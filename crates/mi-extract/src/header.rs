//! `--- filename: x ---` lines (E19).

/// The name in a header line.
pub(crate) fn read(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix("---")?.strip_suffix("---")?;
    // A fourth dash would become a part of the name.
    let inner = Some(inner).filter(|inner| !inner.ends_with('-'))?.trim();
    let label = inner.get(.."filename:".len())?;
    let name = inner["filename:".len()..].trim();
    let name = name.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(name);
    (label.eq_ignore_ascii_case("filename:") && !name.is_empty()).then_some(name)
}

/// Cuts a content whose first line is a header into its named parts.
pub(crate) fn cut(content: &str) -> Option<Vec<(&str, &str)>> {
    read(content.lines().next()?)?;
    let mut parts: Vec<(&str, usize, usize)> = Vec::new();
    let mut offset = 0;
    for line in content.split_inclusive('\n') {
        let end = offset + line.len();
        match (read(line), parts.last_mut()) {
            (Some(name), _) => parts.push((name, end, end)),
            (None, Some(part)) => part.2 = end,
            (None, None) => {}
        }
        offset = end;
    }
    Some(parts.into_iter().map(|(name, start, end)| (name, &content[start..end])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header has three dashes on both sides and a name; anything else is text.
    #[test]
    fn e_19_headers_are_read_and_cut() {
        assert_eq!(read("--- filename: a/b.py ---"), Some("a/b.py"));
        assert_eq!(read("  ---Filename:`a.py`---\r"), Some("a.py"));
        for line in [
            "--- filename: ---",
            "--- file: a ---",
            "-- filename: a --",
            "--- filename: a",
            "--- filename: a ----",
            "---",
            "--- fileñame: a ---",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
        let cutting = "--- filename: a ---\nx\n\n--- filename: b ---\n--- filename: c ---\ny\n";
        assert_eq!(cut(cutting), Some(vec![("a", "x\n\n"), ("b", ""), ("c", "y\n")]));
        assert_eq!(cut("x\n--- filename: a ---\n"), None);
    }
}
