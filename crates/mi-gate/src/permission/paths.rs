//! Paths of a call, made comparable: absolute, without `.` and `..`, links followed as far as the world knows.

use super::world::World;

/// How far a path is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    /// This path.
    Exact(String),
    /// Something in this folder, or all of it.
    Below(String),
    Unknown,
}

/// A path as written, and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) shown: String,
    pub(super) reach: Reach,
}

/// Where paths begin.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    pub(super) world: &'a dyn World,
    pub(super) cwd: &'a str,
    pub(super) home: Option<&'a str>,
}

impl Start<'_> {
    /// The absolute path behind `written`, seen from `folder`; none if it cannot be known.
    pub(super) fn resolve(&self, folder: &str, written: &str) -> Option<String> {
        let written = match written.strip_prefix('~') {
            Some("") => self.home?.to_owned(),
            Some(rest) if rest.starts_with('/') => format!("{}{rest}", self.home?),
            Some(_) => return None,
            None => written.to_owned(),
        };
        let mut path = if written.starts_with('/') { String::new() } else { self.real(folder) };
        // Below what is not there nothing is: the world is not asked again for every name.
        let mut missing = None;
        for name in written.split('/') {
            match name {
                "" | "." => {}
                // The kernel goes up from where the link led, not from where it stands.
                ".." => {
                    path.truncate(path.rfind('/').unwrap_or(0));
                    missing = missing.filter(|length| path.len() >= *length);
                }
                name => {
                    path.push('/');
                    path.push_str(name);
                    match door(&path) {
                        Door::None => {}
                        Door::Root => {
                            path.clear();
                            missing = None;
                            continue;
                        }
                        Door::Elsewhere => return None,
                    }
                    if missing.is_some() {
                        continue;
                    }
                    match self.world.real_path(&path) {
                        Some(real) => real.trim_end_matches('/').clone_into(&mut path),
                        None => missing = Some(path.len()),
                    }
                }
            }
        }
        Some(if path.is_empty() { "/".to_owned() } else { path })
    }

    fn real(&self, path: &str) -> String {
        let real = self.world.real_path(path).unwrap_or_else(|| path.to_owned());
        real.trim_end_matches('/').to_owned()
    }

    /// A target that is known exactly.
    pub(super) fn exact(&self, written: &str) -> Target {
        let reach = self.resolve(self.cwd, written).map_or(Reach::Unknown, Reach::Exact);
        Target { shown: written.to_owned(), reach }
    }

    /// A folder of which anything may be meant.
    pub(super) fn below(&self, written: &str) -> Target {
        let reach = self.resolve(self.cwd, written).map_or(Reach::Unknown, Reach::Below);
        Target { shown: written.to_owned(), reach }
    }
}

/// Where a name of `/proc` leads.
enum Door {
    None,
    Root,
    /// To a place of another process: ours is not the one that will go through.
    Elsewhere,
}

/// `/proc/self/root/x` is `/x`; other doors of `/proc` lead to unknown places.
fn door(path: &str) -> Door {
    let Some(rest) = path.strip_prefix("/proc/") else { return Door::None };
    match rest.split('/').nth(1) {
        Some("root") => Door::Root,
        Some("cwd" | "fd" | "task" | "map_files" | "exe") => Door::Elsewhere,
        _ => Door::None,
    }
}

/// The path relative to `root`; none if it lies elsewhere.
pub(super) fn relative<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let root = root.trim_end_matches('/');
    let rest = path.strip_prefix(root)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::NoWorld;

    struct Linked;

    impl World for Linked {
        fn real_path(&self, absolute: &str) -> Option<String> {
            match absolute {
                "/p" | "/p/d" => Some(absolute.to_owned()),
                "/p/d/l" => Some("/p/d".to_owned()),
                _ => None,
            }
        }
    }

    /// Dots, tildes, links and doors of `/proc` lead where the kernel would go.
    #[test]
    fn d_19_paths_are_followed() {
        let start = Start { world: &Linked, cwd: "/p", home: Some("/home/a") };
        let cases = [
            ("/p", "./a/../M", Some("/p/M")),
            ("/p/d/l", "../M", Some("/p/M")),
            ("/p", "d/l/../M", Some("/p/M")),
            ("/p", "~/M", Some("/home/a/M")),
            ("/p", "~bob/M", None),
            ("/p", "/proc/self/root/p/M", Some("/p/M")),
            ("/p", "/proc/self/root/proc/1/root/p/M", Some("/p/M")),
            ("/p", "/proc/self/cwd/M", None),
            ("/p", "//proc/self/./cwd/M", None),
            ("/p", "../proc//self/cwd/M", None),
            ("/p", "/../proc/self/root/./p/M", Some("/p/M")),
            ("/p", "../../../../M", Some("/M")),
            // Nothing is below what is not there; above it there is.
            ("/p", "no/such/l/../../../d/l/../M", Some("/p/M")),
            ("/p", "/", Some("/")),
        ];
        for (folder, written, expected) in cases {
            assert_eq!(start.resolve(folder, written).as_deref(), expected, "{written} in {folder}");
        }
        assert_eq!(Start { world: &NoWorld, cwd: "/p", home: None }.resolve("/p", "~/x"), None);
        assert_eq!(relative("/p/a/b", "/p"), Some("a/b"));
        assert_eq!(relative("/pa/b", "/p"), None);
    }
}
