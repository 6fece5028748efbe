//! A reviewer's verdict, read off the end of what it said.
//!
//! Holds: what is not said plainly is not an approval; of several verdicts the last counts.

/// What a reviewer found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Review {
    /// `APPROVE`, `REJECT` or `PENDING`.
    pub(super) verdict: &'static str,
    pub(super) score: Option<f64>,
    /// Claims with whether the reviewer's own look supports them.
    pub(super) claims: Vec<(String, bool)>,
    /// Items that are to stay as they are.
    pub(super) approved: Vec<String>,
}

/// Reads lines such as `VERDICT: APPROVE`, `SCORE: 87` and `CLAIM C-1: supported`, however they are decorated.
pub(super) fn read(message: &str) -> Review {
    let mut review = Review { verdict: "PENDING", score: None, claims: Vec::new(), approved: Vec::new() };
    for line in message.lines() {
        let plain = line.trim().trim_matches(['*', '`', '#', '>', '-', '_', ' ']);
        let Some((head, rest)) = plain.split_once(':') else { continue };
        let (head, rest) = (undecorated(head), undecorated(rest));
        let word = rest.split_whitespace().next().unwrap_or_default().trim_matches(['.', ',', '*', '`']);
        match head.to_ascii_uppercase().as_str() {
            "VERDICT" => review.verdict = verdict(word),
            "SCORE" => review.score = score(word),
            "APPROVED" => review.approved.extend(items(rest)),
            other if other.starts_with("CLAIM ") => {
                let claim = head["CLAIM ".len()..].trim().to_owned();
                review.claims.extend(support(word).map(|supports| (claim, supports)));
            }
            _ => {}
        }
    }
    review
}

/// Names between commas, however they are quoted.
fn items(text: &str) -> impl Iterator<Item = String> {
    let names = text.split([',', ';']).map(|name| name.trim_matches([' ', '`', '*', '"', '\'']).to_owned());
    names.filter(|name| !name.is_empty())
}

fn undecorated(text: &str) -> &str {
    text.trim_matches(['*', '`', '_', ' ', '"'])
}

fn verdict(word: &str) -> &'static str {
    match word.to_ascii_uppercase().as_str() {
        "APPROVE" | "APPROVED" => "APPROVE",
        "REJECT" | "REJECTED" => "REJECT",
        _ => "PENDING",
    }
}

/// `87`, `87.5`, `87/100`.
fn score(word: &str) -> Option<f64> {
    let number = word.split('/').next()?;
    number.parse().ok().filter(|number: &f64| number.is_finite())
}

fn support(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "supported" | "confirmed" | "verified" => Some(true),
        "refuted" | "rejected" | "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    /// What each message comes to.
    #[test]
    fn only_a_plain_approval_approves() {
        let cases = [
            ("All good.\nVERDICT: APPROVE", "APPROVE"),
            ("**VERDICT:** `REJECT`", "REJECT"),
            ("> Verdict: approved.", "APPROVE"),
            ("VERDICT: APPROVE\nOn second thought.\nVERDICT: REJECT", "REJECT"),
            ("I would approve this.", "PENDING"),
            ("VERDICT: APPROVE or REJECT?\nVERDICT: undecided", "PENDING"),
            ("", "PENDING"),
        ];
        for (message, expected) in cases {
            assert_eq!(read(message).verdict, expected, "{message}");
        }
    }

    /// Files that are to stay as they are are named one by one.
    #[test]
    fn approved_items_are_read() {
        let review = read("VERDICT: REJECT\nAPPROVED: `a.md`, docs/b.md;c d.md\n- **APPROVED:** e.md");
        assert_eq!(review.approved, ["a.md", "docs/b.md", "c d.md", "e.md"]);
        assert_eq!(read("I approved: everything").approved, [""; 0]);
    }

    /// Scores and claims are read beside the verdict.
    #[test]
    fn scores_and_claims_are_read() {
        let review = read(
            "SCORE: 87.5/100\nCLAIM C-EXT-023: supported by my own run\nCLAIM c2: unknown\nVERDICT: APPROVE",
        );
        assert_eq!(review.score, Some(87.5));
        assert_eq!(review.claims, [("C-EXT-023".to_owned(), true)]);
        assert_eq!(read("SCORE: very high").score, None);
        assert_eq!(read("CLAIM x: refuted").claims, [("x".to_owned(), false)]);
    }
}
