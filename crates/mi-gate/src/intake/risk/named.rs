//! How much a message says that it changes: "across 20 files and 500 lines", 改 500 行.

use std::sync::LazyLock;

use regex::Regex;

/// Files and lines, as far as they are named.
pub(super) struct Size {
    pub(super) files: u64,
    pub(super) lines: u64,
}

impl Size {
    /// More than five files or 150 lines (D.14).
    pub(super) fn is_significant(&self) -> bool {
        self.files > 5 || self.lines > 150
    }
}

/// What follows a word of change or of measure: "the log has 5000 lines" names no change.
pub(super) fn size(plain: &str) -> Size {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"\b(?:add|adds|change|changes|edit|touch|touches|modify|write|rewrite|refactor|migrate|about|around|roughly|over|across|and|all|these|the)",
            r"\s+(\d{1,6})\s+(?:\w+\s+)?(files|lines)\b",
            r"|(?:改|改动|修改|约|大约|大概|共|写|新增|重写|重构|迁移|涉及)了?\s*(\d{1,6})\s*(行|个文件)",
        ))
        .expect("a fixed pattern compiles")
    });
    let mut size = Size { files: 0, lines: 0 };
    if !["files", "lines", "行", "个文件"].iter().any(|word| plain.contains(word)) {
        return size;
    }
    for found in NAMED.captures_iter(plain) {
        let mut parts = found.iter().skip(1).flatten().map(|part| part.as_str());
        let (Some(number), Some(unit)) = (parts.next(), parts.next()) else { continue };
        let number = number.parse().unwrap_or(0);
        match unit {
            "files" | "个文件" => size.files = size.files.max(number),
            _ => size.lines = size.lines.max(number),
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is to change is counted, not what is there.
    #[test]
    fn d_14_sizes_are_read() {
        for (text, files, lines) in [
            ("implement it across 20 files and 500 lines", 20, 500),
            ("build the importer, about 800 lines", 0, 800),
            ("改 300 行", 0, 300),
            ("重构 12 个文件", 12, 0),
            ("the log has 5000 lines, read it", 0, 0),
            ("fix the typo on line 500", 0, 0),
        ] {
            let size = size(text);
            assert_eq!((size.files, size.lines), (files, lines), "{text}");
        }
    }
}
