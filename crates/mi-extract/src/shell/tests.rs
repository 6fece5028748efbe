//! What a shell would write, and what is refused, one script each.

use super::*;

fn read(script: &str) -> Vec<(usize, String, Result<String, &'static str>)> {
    let found = here_files(script);
    found.into_iter().map(|file| (file.line, file.target, file.content.map_err(Reason::as_str))).collect()
}

fn one(script: &str) -> (String, Result<String, &'static str>) {
    let mut found = read(script);
    assert_eq!(found.len(), 1, "{script}\n{found:?}");
    let (_, target, content) = found.remove(0);
    (target, content)
}

/// `cat` and `tee` in any word order, as commands of their own or in a list.
#[test]
fn e_21_here_documents_are_taken() {
    for command in [
        "cat > f <<EOF",
        "cat >f<<EOF",
        "cat << 'EOF' > f",
        "cat <<\"EOF\" >f",
        "cat <<\\EOF > f",
        "> f cat <<EOF",
        "<<EOF cat > f",
        "cat >| f <<EOF",
        "cat 1> f <<EOF",
        "cat - > f <<EOF",
        "cat > f 2>/dev/null <<EOF",
        "cat > 'f' <<EOF",
        "cat > \"f\" <<EOF # comment",
        "tee f <<EOF",
        "tee f > /dev/null <<EOF",
        "tee -- f <<EOF >/dev/null",
        "tee > f <<EOF",
        "mkdir -p a && cat > f <<EOF",
        "mkdir a; cat > f <<EOF",
        "cat > f <<EOF && chmod +x f",
        "X=1 cat > f <<EOF",
        "$ cat > f <<EOF",
        "cat \\\n > f <<EOF",
        "echo $((1 << 3)); cat > f <<EOF",
        "echo \"it's $(date) (\"; cat > f <<EOF",
        "git commit -m \"$(cat <<'M'\nit's (\nM\n)\"; cat > f <<EOF",
        "a=(1 2 3); cat > f <<EOF",
        "if true; then echo; fi; cat > f <<EOF",
        "f() { echo x; }; cat > f <<EOF",
        "(true); cat > f <<EOF",
    ] {
        assert_eq!(
            one(&format!("{command}\nbody\nEOF\nls\n")),
            ("f".to_owned(), Ok("body\n".to_owned())),
            "{command}"
        );
    }
}

/// Where a here-document goes anywhere else, nothing is made of it.
#[test]
fn e_21_other_here_documents_give_nothing() {
    for command in [
        "cat <<EOF",
        "python3 <<EOF",
        "cat <<EOF | tee f",
        "cat > f <<EOF | wc",
        "sudo tee f <<EOF",
        "tee a b <<EOF",
        "tee a > b <<EOF",
        "cat x > f <<EOF",
        "cat -n > f <<EOF",
        "cat > f > g <<EOF",
        "cat > /dev/null <<EOF",
        "cat > f <<A <<EOF\nA",
        "cat > f <<< EOF; true <<EOF",
        "cat > f < g <<EOF",
        "ssh host 'cat > f' <<EOF",
        "echo 'cat > f <<EOF'",
        "# cat > f <<EOF",
        "$CAT > f <<EOF",
    ] {
        assert_eq!(read(&format!("{command}\nbody\nEOF\n")), [], "{command}");
    }
}

#[test]
fn e_21_e_22_refusals_have_their_reasons() {
    for (script, reason) in [
        ("cat >> f <<EOF\nx\nEOF\n", "split"),
        ("tee -a f <<EOF\nx\nEOF\n", "split"),
        ("cd src\ncat > f <<EOF\nx\nEOF\n", "context"),
        ("cd src && cat > f <<EOF\nx\nEOF\n", "context"),
        ("pushd src; cat > f <<EOF\nx\nEOF\n", "context"),
        ("(cat > f <<EOF\nx\nEOF\n)\n", "context"),
        ("if true; then\ncat > f <<EOF\nx\nEOF\nfi\n", "context"),
        ("for a in 1; do cat > f <<EOF\nx\nEOF\ndone\n", "context"),
        ("while :; do\n  cat > f <<EOF\nx\nEOF\ndone\n", "context"),
        ("f() {\ncat > f <<EOF\nx\nEOF\n}\n", "context"),
        ("function f {\ncat > f <<EOF\nx\nEOF\n}\n", "context"),
        ("{ cat > f <<EOF\nx\nEOF\n}\n", "context"),
        ("test -f f || cat > f <<EOF\nx\nEOF\n", "context"),
        ("cat > f <<EOF &\nx\nEOF\n", "context"),
        ("x=$(cat > f <<EOF\nx\nEOF\n)\n", "context"),
        ("case $x in\na) cat > f <<EOF\nx\nEOF\n;; esac\n", "context"),
        ("cat > f <<EOF\nx\n", "unterminated"),
        ("cat > f <<EOF", "unterminated"),
        ("cat > f <<EOF\n EOF\nEOF2\n", "unterminated"),
        ("cat > f <<EOF\nx \\\nEOF\n", "unterminated"),
        ("cat > f <<EOF\n$HOME\nEOF\n", "expansion"),
        ("cat > f <<EOF\n${x}\nEOF\n", "expansion"),
        ("cat > f <<EOF\n$(x)\nEOF\n", "expansion"),
        ("cat > f <<EOF\n`x`\nEOF\n", "expansion"),
        ("cat > f <<EOF\n$1 \nEOF\n", "expansion"),
        ("cat > f <<EOF\n$@\nEOF\n", "expansion"),
        ("cat > \"$DIR/f\" <<'EOF'\nx\nEOF\n", "expansion"),
        ("cat > f*.txt <<'EOF'\nx\nEOF\n", "expansion"),
        ("cat > {a,b} <<'EOF'\nx\nEOF\n", "expansion"),
    ] {
        assert_eq!(one(script).1, Err(reason), "{script}");
    }
}

#[test]
fn e_22_bodies_are_resolved_as_the_shell_does() {
    for (script, content) in [
        ("cat > f <<'EOF'\n$HOME `x` \\$\nEOF\n", "$HOME `x` \\$\n"),
        ("cat > f <<EOF\n\\$HOME \\`x\\` \\\\ \\n \\\"\nEOF\n", "$HOME `x` \\ \\n \\\"\n"),
        ("cat > f <<EOF\none \\\ntwo\nEOF\n", "one two\n"),
        ("cat > f <<EOF\n5$ $ $. cost\nEOF\n", "5$ $ $. cost\n"),
        ("cat > f <<-EOF\n\t\ta\n\t b\n\tEOF\n", "a\n b\n"),
        // Lines are joined before tabs are taken off and the delimiter is looked for, in bash and in dash.
        ("cat > f <<-EOF\n\tone\\\n\ttwo\nEOF\n", "one\ttwo\n"),
        ("cat > f <<-'EOF'\n\tone\\\n\ttwo\nEOF\n", "one\\\ntwo\n"),
        ("cat > f <<EOF\none\n\\\nEOF\ntwo\n", "one\n"),
        ("cat > f <<EOF\none\n\\\\\nEOF\ntwo\n", "one\n\\\n"),
        ("cat > f <<EOF\nEOF\n", ""),
    ] {
        assert_eq!(one(script).1, Ok(content.to_owned()), "{script}");
    }
}

/// Several files in one script, each with the line of its own command.
#[test]
fn e_04_here_documents_know_their_lines() {
    let script = "set -e\ncat > a <<EOF\n1\nEOF\n\necho x\ncat > b <<EOF\n2\nEOF\n";
    let expected = [(1, "a".to_owned(), Ok("1\n".to_owned())), (6, "b".to_owned(), Ok("2\n".to_owned()))];
    assert_eq!(read(script), expected);
}
