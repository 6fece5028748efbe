//! Which files a command writes, as far as its words say: redirects, and tools whose operands are outputs.

use super::types::{RedirectKind, SimpleCommand};

/// Paths that `command` creates, changes or removes, as written.
pub fn written_paths(command: &SimpleCommand) -> Vec<&str> {
    let mut paths: Vec<&str> = command
        .redirects
        .iter()
        .filter(|redirect| {
            matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite)
        })
        .map(|redirect| redirect.target.text.as_str())
        .collect();
    let args: Vec<&str> = command.arg_texts().collect();
    let operands = || args.iter().copied().filter(|arg| !arg.starts_with('-') || *arg == "-");
    match command.program.as_str() {
        "touch" | "tee" | "truncate" | "rm" | "rmdir" | "unlink" | "shred" | "mkdir" | "mkfifo" | "mknod"
        | "chmod" | "chown" | "mv" | "ln" | "sponge" => {
            paths.extend(operands());
        }
        "cp" | "install" | "rsync" | "scp" | "gcp" | "ditto" => paths.extend(operands().next_back()),
        "dd" => paths.extend(args.iter().filter_map(|arg| arg.strip_prefix("of="))),
        "sed" | "gsed" | "perl"
            if args.iter().any(|arg| {
                arg.starts_with("-i") || arg.starts_with("--in-place") || arg.starts_with("-pi")
            }) =>
        {
            paths.extend(operands().skip(1))
        }
        "curl" => paths.extend(values(&args, &["-o", "--output"])),
        "wget" => paths.extend(values(&args, &["-O", "--output-document"])),
        "sort" | "gcc" | "cc" | "clang" | "ld" | "pandoc" => paths.extend(values(&args, &["-o", "--output"])),
        _ => {}
    }
    paths
}

fn values<'a>(args: &[&'a str], options: &[&str]) -> Vec<&'a str> {
    args.iter()
        .zip(args.iter().skip(1))
        .filter(|(option, _)| options.contains(option))
        .map(|(_, value)| *value)
        .collect()
}
