use std::io::Write;
const PIECES: &[&str] = &[
    "echo ",
    "a",
    " ",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "${",
    "`",
    "'",
    "\"",
    "\\",
    "$",
    "<",
    ">",
    "<<",
    "<<<",
    "EOF",
    ">&",
    "2>&1",
    "if ",
    "then ",
    "fi",
    "for ",
    "in ",
    "do ",
    "done",
    "case ",
    "esac",
    "while ",
    "[[ ",
    " ]]",
    "((",
    "))",
    "[",
    "]",
    "!",
    "=",
    "x=",
    "~",
    "~9",
    "*",
    "?",
    "{1..9}",
    "{a,b}",
    "#",
    "bash -c ",
    "eval ",
    "sudo ",
    "env ",
    "xargs ",
    "find . -exec ",
    "git -c ",
    "python -c ",
    "é",
    "\u{200b}",
    "\0",
    "\r",
    "$'\\x",
    "$((",
    "1",
    "99999999999",
    "-",
    "--",
    "sed ",
    "awk ",
    "ssh h ",
    "timeout ",
    "@(",
    "$\"",
    "<(",
    ">(",
    "|&",
    ";;",
    "coproc ",
    "function f ",
    "trap ",
    "alias x=",
    "time ",
    "\u{1F600}",
];
fn main() {
    let mut state: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut slow = std::time::Duration::ZERO;
    for i in 0..n {
        let len = next() % 40;
        let script: String = (0..len).map(|_| PIECES[(next() as usize) % PIECES.len()]).collect();
        if std::env::args().len() > 3 {
            let mut f = std::fs::File::create("/tmp/fuzz_last.txt").unwrap();
            f.write_all(script.as_bytes()).unwrap();
        }
        let t = std::time::Instant::now();
        let a = mi_gate::command::analyze(&script);
        mi_gate::command::risk(&a);
        if t.elapsed() > slow {
            slow = t.elapsed();
            println!("{i} slowest {slow:?} {script:?}");
        }
    }
}
