//! Who a member is: a name that is also a folder, `.NAME/private/`.

use std::fmt;

/// A member's name, checked: it cannot lead out of the persona.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member(String);

/// A name that no member can have.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is no member's name: use letters, digits, - and _ (at most 40), such as `self` or `ann`")]
pub struct MemberError(String);

/// Folders with a dot that belong to no member.
const RESERVED: [&str; 2] = ["git", "mi"];

impl Member {
    pub fn new(name: &str) -> Result<Self, MemberError> {
        let fine = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
        let length = name.chars().count();
        let reserved = RESERVED.iter().any(|word| word.eq_ignore_ascii_case(name));
        if length == 0 || length > 40 || reserved || !name.chars().all(fine) {
            return Err(MemberError(name.to_owned()));
        }
        Ok(Self(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The member's own folder, from the persona.
    pub fn private_folder(&self) -> String {
        format!(".{}/private", self.0)
    }

    /// Whether both names are one member's: some disks do not tell `Ann` from `ann`.
    pub fn is(&self, other: &str) -> bool {
        self.0.to_lowercase() == other.trim().to_lowercase()
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No name reaches into another folder (D.4).
    #[test]
    fn d_04_names_are_folders_and_nothing_else() {
        for good in ["self", "Ann", "bob-2", "小明"] {
            assert!(Member::new(good).unwrap().private_folder().ends_with("/private"), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "../bob", "a b", "git", "a\0", ".bob", &"x".repeat(41)] {
            assert!(Member::new(bad).is_err(), "{bad}");
        }
    }
}
