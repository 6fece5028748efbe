//! What a diff is about: by the names of its files and by the statements of databases in it.
//!
//! Holds: what is staged is read here alone, so `mi intake` and the hook before a commit say the same of it.

use super::text::{Text, document_ending};
use crate::change_unit::{ChangeUnits, FileUnits};

/// The words of the names (`auth_token.py` is about an auth token) and the statements, a line each.
pub(super) fn words(diff: Option<&ChangeUnits>) -> Text {
    let files = || diff.into_iter().flat_map(|diff| &diff.files).filter(|file| !is_document(&file.path));
    let names = files().map(|file| words_of(&file.path));
    let statements = files().flat_map(|file| file.statements.iter().cloned());
    Text::new(&names.chain(statements).collect::<Vec<_>>().join("\n"))
}

/// Whether the structure of a database changes.
pub(super) fn changes_schema(diff: &ChangeUnits) -> bool {
    let changes = |file: &&FileUnits| is_schema(&file.path) || !file.statements.is_empty();
    diff.files.iter().filter(|file| !is_document(&file.path)).any(|file| changes(&file))
}

/// Whether a file holds a schema or an interface and nothing else: whatever changes in it is no trifle.
pub(super) fn changes_interface(diff: &ChangeUnits) -> bool {
    changes_schema(diff) || diff.files.iter().any(|file| is_interface(&file.path))
}

fn is_document(path: &str) -> bool {
    path.rfind('.').is_some_and(|dot| document_ending(&path[dot..]).is_some())
}

fn is_schema(path: &str) -> bool {
    let path = path.to_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    [".sql", ".prisma"].iter().any(|ending| name.ends_with(ending))
        || matches!(name, "schema.rb" | "schema.rs" | "schema.py")
        || folders.split('/').any(|folder| matches!(folder, "migrations" | "migration" | "migrate"))
}

fn is_interface(path: &str) -> bool {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    let endings = [".proto", ".graphql", ".graphqls", ".gql", ".avsc", ".thrift", ".xsd", ".wsdl"];
    endings.iter().any(|ending| name.ends_with(ending))
        || matches!(name.split('.').next().unwrap_or_default(), "schema" | "openapi" | "swagger")
}

/// `src/AuthToken.java` as `src auth token java`.
fn words_of(path: &str) -> String {
    let mut words = String::with_capacity(path.len() + 8);
    let mut small = false;
    for letter in path.chars() {
        if letter.is_uppercase() && small {
            words.push(' ');
        }
        small = letter.is_lowercase();
        words.push(if letter.is_alphanumeric() { letter } else { ' ' });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change_unit;

    /// A name is read as the words it is made of; a document about something does not touch it.
    #[test]
    fn d_06_names_are_read_as_words() {
        assert_eq!(words_of("src/AuthToken_v2.java"), "src Auth Token v2 java");
        for (path, schema) in [
            ("db/migrations/1.py", true),
            ("a/b.SQL", true),
            ("schema.json", false),
            ("api/openapi.yaml", false),
            ("docs/migrations/guide.md", false),
        ] {
            let diff = format!("diff --git a/{path} b/{path}\nnew file mode 100644\n");
            assert_eq!(changes_schema(&change_unit::count(&diff, &|_| false).unwrap()), schema, "{path}");
        }
    }
}
