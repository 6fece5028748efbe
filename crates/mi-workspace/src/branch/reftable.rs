//! HEAD in git's other reference store, where the file `HEAD` says nothing.
//!
//! A table's records are sorted by name and `HEAD` comes before `refs/…`, so it is the first record or not there.
//! Format: <https://git-scm.com/docs/reftable>.

use std::{fs, path::Path};

/// What HEAD says, in the words of the file `HEAD`; the newest table that has it decides.
pub(super) fn head(git: &Path) -> Option<String> {
    let folder = git.join("reftable");
    let list = fs::read_to_string(folder.join("tables.list")).ok()?;
    let names: Vec<&str> = list.lines().filter(|name| !name.contains('/')).collect();
    names.iter().rev().find_map(|name| in_table(&fs::read(folder.join(name)).ok()?))
}

fn in_table(table: &[u8]) -> Option<String> {
    let version = *table.strip_prefix(b"REFT")?.first()?;
    let (header, id_length) = match version {
        1 => (24, 20),
        2 if table.get(24..28)? == b"s256" => (28, 32),
        2 => (28, 20),
        _ => return None,
    };
    let mut rest = table.get(header..)?.strip_prefix(b"r")?.get(3..)?;
    let shared = number(&mut rest)?;
    let packed = number(&mut rest)?;
    let (name, mut rest) = rest.split_at_checked(usize::try_from(packed >> 3).ok()?)?;
    if shared != 0 || name != b"HEAD" {
        return None;
    }
    let _update = number(&mut rest)?;
    match packed & 7 {
        1 | 2 => Some(rest.get(..id_length)?.iter().map(|byte| format!("{byte:02x}")).collect()),
        3 => {
            let length = usize::try_from(number(&mut rest)?).ok()?;
            Some(format!("ref: {}", std::str::from_utf8(rest.get(..length)?).ok()?))
        }
        _ => None,
    }
}

/// Seven bits a byte, the highest first; each but the last counts one more.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    loop {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f);
        if first & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?.checked_mul(128)?;
    }
}
