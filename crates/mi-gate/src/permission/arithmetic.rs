//! Arithmetic of the shell, which runs what a variable holds: `x='a[$(touch M)]'; echo $((x))` runs `touch`.
//!
//! Holds: an expression is harmless only if it names nothing but numbers; an indirect or prompt expansion never is.

use std::sync::LazyLock;

use regex::Regex;

/// Why the arithmetic of a script may run something. `whole`: quoted text is a script of its own and counts too.
pub(super) fn doubt(script: &str, whole: bool) -> Option<String> {
    if !may_compute(script) {
        return None;
    }
    let data = !whole && has_plain_quotes(script);
    let text = if data { without_single_quotes(script) } else { script.to_owned() };
    if let Some(found) = pattern(&INDIRECT).find(&text) {
        let found = mi_model::shorten(found.as_str(), 40);
        return Some(format!("`{found}` may run what a variable holds"));
    }
    if pattern(&STARTS).find_iter(&text).chain(pattern(&PARTS).find_iter(&text)).nth(MOST).is_some() {
        return Some("it computes more than can be looked at".to_owned());
    }
    let regions = regions(&text);
    let unknown = regions.iter().find_map(|region| first_name(region))?;
    let unknown = mi_model::shorten(unknown, 40);
    Some(format!("`{unknown}` is not known to be a number, and arithmetic runs what it holds"))
}

/// Whether there is anything that the patterns below could find: compiling them costs more than all the rest of a hook.
fn may_compute(script: &str) -> bool {
    let subscript = |pair: &[u8]| {
        pair[1] == b'['
            && matches!(pair[0], b'$' | b'[' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | 0x80..)
    };
    ["((", "${!", "@P}", "]=", "]+="].iter().any(|sign| script.contains(sign))
        || script.as_bytes().windows(2).any(subscript)
        || script.match_indices("${").any(|(at, _)| takes_part(&script[at + 2..]))
}

/// Behind `${`: a name or a number, and then a colon that begins no other value.
fn takes_part(inner: &str) -> bool {
    let name = inner.find(|char: char| !char.is_alphanumeric() && !"_#!@*".contains(char));
    let mut rest = name.map_or("", |at| &inner[at..]).chars();
    rest.next() == Some(':') && !rest.next().is_some_and(|char| "-=?+".contains(char))
}

/// Expressions that are looked at; each costs a walk over the script.
const MOST: usize = 50;

static INDIRECT: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\$\{![A-Za-z_0-9]+(?:\[[^\]@*]*\])?(?:[-}:#%/^,+=?]|@[A-Za-z])|@P\}"));
static STARTS: LazyLock<Regex> = LazyLock::new(|| {
    // Substitution, command, old form, numeric comparison, subscript in an expansion, an assignment or a list of values.
    compile(
        r"\$\(\(|(?:^|[\s;&|(!{])\(\(|\$\[|\[\[|\$\{[#!]?[A-Za-z_]\w*\[|(?:^|[\s;&|({])(?:[A-Za-z_]\w*)?\[[^\]]*\]\+?=",
    )
});
/// The part of a value that `${x:3:2}` stands for; `${x:-y}` and its kind name a value instead.
static PARTS: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\$\{[#!]?(?:[A-Za-z_]\w*|[@*]|[0-9]+)(?:\[[^\]]*\])?:(?:[^-=?+]|$)"));
static NAMES: LazyLock<Regex> =
    LazyLock::new(|| compile(r"`|\$\(|\$\{[^}]*\}?|\$[A-Za-z_]\w*|\$[0-9@*]|\b[A-Za-z_]\w*"));
static COMPARES: LazyLock<Regex> = LazyLock::new(|| compile(r"\s-(?:eq|ne|lt|le|gt|ge)\s"));

fn compile(text: &str) -> Regex {
    Regex::new(text).expect("a fixed pattern compiles")
}

fn pattern(regex: &'static LazyLock<Regex>) -> &'static Regex {
    regex
}

/// Quotes can be told apart by counting only where nothing nests or escapes them.
fn has_plain_quotes(script: &str) -> bool {
    static NESTS: LazyLock<Regex> = LazyLock::new(|| compile(r"[\\#\n`]|\$'|<<|\$\([^(]|\$\($"));
    !pattern(&NESTS).is_match(script)
}

/// What stands between single quotes is data.
fn without_single_quotes(script: &str) -> String {
    let mut text = String::with_capacity(script.len());
    let (mut single, mut double) = (false, false);
    for char in script.chars() {
        let quote = char == '\'' && !double;
        double ^= char == '"' && !single;
        single ^= quote;
        text.push(if single && !quote { ' ' } else { char });
    }
    text
}

/// The texts that the shell computes.
fn regions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for start in pattern(&STARTS).find_iter(text) {
        let opening = start.as_str();
        let rest = &text[start.end()..];
        if opening.ends_with('=') {
            found.extend(opening.split(['[', ']']).nth(1).map(str::to_owned));
        } else if opening.ends_with("[[") {
            let inner = rest.split("]]").next().unwrap_or(rest);
            found.extend(pattern(&COMPARES).is_match(inner).then(|| operands(inner)));
        } else if opening.ends_with('[') {
            let inner = rest.split(']').next().unwrap_or(rest);
            found.extend((!matches!(inner, "@" | "*")).then(|| inner.to_owned()));
        } else {
            found.push(balanced(rest).to_owned());
        }
    }
    // The last letter of a match already belongs to the expression.
    let parts = pattern(&PARTS).find_iter(text).map(|start| &text[..start.end()]);
    found.extend(parts.map(|before| {
        let from = before.rfind(':').map_or(before.len(), |at| at + 1);
        closed(&text[from..]).to_owned()
    }));
    found
}

/// Up to the brace that closes the one that was opened.
fn closed(text: &str) -> &str {
    let mut depth = 1;
    for (at, char) in text.char_indices() {
        depth += i32::from(char == '{') - i32::from(char == '}');
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

/// Words beside a numeric comparison; its sign and other tests are no names.
fn operands(inner: &str) -> String {
    inner.split_whitespace().filter(|word| !word.starts_with('-')).collect::<Vec<_>>().join(" ")
}

/// Up to the bracket that closes the two that were opened.
fn balanced(text: &str) -> &str {
    let mut depth = 2;
    for (at, char) in text.char_indices() {
        depth += i32::from(char == '(') - i32::from(char == ')');
        if depth <= 1 {
            return &text[..at];
        }
    }
    text
}

/// The first name in an expression: a variable, an argument or a substitution. The length of a value is a number.
fn first_name(region: &str) -> Option<&str> {
    pattern(&NAMES).find_iter(region).map(|found| found.as_str()).find(|name| !name.starts_with("${#"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a variable, a file or a substitution holds is not known to be a number.
    #[test]
    fn d_19_arithmetic_over_unknown_values_is_doubted() {
        let cases = [
            "i=1; echo $((i+1))",
            "for ((i=0; i<3; i++)); do echo $i; done",
            "x=$(cat f); echo $((x))",
            "x=$(cat f); (( x > 1 )) && ls",
            "x=$(cat f); [[ $x -eq 1 ]] && ls",
            "[[ $(cat f) -eq 1 ]]",
            "for n in *; do echo $((n)); done",
            "for n in 'a[$(touch M)]'; do echo $((n)); done",
            "set -- $(cat f); echo $(($1))",
            "echo $(($(cat f)))",
            "echo $((HOME))",
            "echo $[x]",
            "x=$(cat f); echo ${a[$x]}",
            "x=1; x=$(cat f); echo $((x))",
            "x=$(cat f); echo \"${!x}\"",
            "echo \"${x@P}\"",
            "a[$x]=1",
            "x='a[$(touch M)]'; echo \"$((x+1))\"",
            "n=$(cat f | tee wc -l); echo $((n))",
            "n=\"1|a[$(touch M)]\"; echo $((n))",
            "n=$((1))\"|a[$(touch M)]\"; echo $((n))",
            "n=\"$((1))|a[$(touch M)]\"; echo $((n))",
            "n=$(ls | wc -l)\"|a[$(touch M)]\"; echo $((n))",
            "echo ${n:=$(cat f)}; ((n+=0))",
            "echo ${n:=$(cat f)} $((n)); ((n=0))",
            "echo \"\\\"'\" $((x))",
            "echo $'\\'' $((x))",
            "true # it's\necho $((x))",
            "echo \"$(echo \"'\")\" $((x))",
            "cat <<E\nit's\nE\necho $((x))",
            "x=$(cat f); echo ${PATH:x}",
            "x=$(cat f); echo \"${PATH:0:$x}\"",
            "echo ${PATH:$(cat f)}",
            "x=$(cat f); echo ${@:x} ${a[@]:x:1} ${1: -x}",
            "x=$(cat f); a=([x]=1)",
            "x=$(cat f); a+=(1 [ x ]+=1)",
            "x=$(cat f); echo ${!x:-y} ${!x@Q}",
            "n=1; read n < f; echo $((n))",
            "n=1; read 'n' < f; echo $((n))",
            "n=1; x=n; read $x < f; echo $((n))",
            "n=1; n[0]=$(cat f); echo $((n))",
            "n=1; for n; do echo $((n)); done",
            "n=1; while read -r a n; do echo ${x:n}; done < f",
        ];
        for script in cases {
            assert!(doubt(script, false).is_some(), "{script}");
        }
        assert!(doubt("bash -c 'x=$(cat f); echo $((x))'", true).is_some());
    }

    /// Long names and many expressions are doubted, not computed.
    #[test]
    fn d_19_arithmetic_is_bounded() {
        assert!(doubt(&format!("echo $(({}))", "a".repeat(1 << 20)), false).is_some());
        assert!(doubt(&format!("i=1; {}", "echo $((i)); ".repeat(50_000)), false).is_some());
    }

    /// Numbers and lengths are numbers, and quoted brackets are text.
    #[test]
    fn d_19_ordinary_arithmetic_is_understood() {
        let cases = [
            "echo $((1+2))",
            "[[ -f x && $y == z ]]",
            "echo ${#x} ${a[@]} ${!a[@]} ${!x*} ${a[0]}",
            "grep '((' x",
            "awk '{ if ((a+b) > 1) print }' x",
            "echo $((${#x} + $#))",
            "echo ${x:-y} ${x:=1} ${x:+z} ${x:?no} ${x:0:3} ${x: -4} ${@:2}",
            "echo ${x:${#y}}",
        ];
        for script in cases {
            assert_eq!(doubt(script, false), None, "{script}");
        }
    }
}
