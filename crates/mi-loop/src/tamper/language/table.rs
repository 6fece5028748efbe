//! The words of each language: what asserts, what asserts nothing, what skips.

use super::Language;

/// Whether a line is the attribute that makes the next function a test.
pub(super) fn announces(language: Language, line: &str) -> bool {
    let marks: &[&str] = match language {
        Language::Rust => &[
            "#[test]",
            "::test]",
            "::test(",
            "#[rstest",
            "#[test_case",
            "#[test_log",
            "#[wasm_bindgen_test",
            "#[quickcheck",
        ],
        Language::Jvm => &["@Test", "@ParameterizedTest", "@RepeatedTest", "@Property"],
        Language::Dotnet => &["[Fact", "[Theory", "[Test", "[TestMethod", "[TestCase"],
        _ => &[],
    };
    let made_up = ["[TestFixture", "[TestClass", "@TestInstance", "@TestMethodOrder", "@TestFactory("];
    marks.iter().any(|mark| line.contains(mark)) && !made_up.iter().any(|mark| line.contains(mark))
}

/// How many assertions a line has.
pub(super) fn assertions(language: Language, line: &str) -> u32 {
    let (starts, exact): (&[&str], &[&str]) = match language {
        Language::Rust => (&["assert", "prop_assert"], &["should_panic", "unreachable", "panic"]),
        Language::Python => (&["assert"], &["raises", "warns", "fail"]),
        Language::Script => (&["assert", "expect"], &["should", "rejects", "throws"]),
        Language::Go => (&["assert", "require"], &["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"]),
        Language::Jvm => (&["assert", "verify", "expect"], &["should", "shouldBe", "fail"]),
        Language::Ruby => {
            (&["assert", "refute", "must_", "wont_"], &["expect", "should", "is_expected", "flunk"])
        }
        Language::Php => (&["assert", "expect"], &["fail"]),
        Language::Dotnet => (&["Assert"], &["Should", "Verify"]),
        Language::Swift => (&["XCTAssert"], &["expect", "require", "XCTFail", "XCTUnwrap"]),
        Language::Shell => (&["assert", "refute"], &["[", "[["]),
        Language::Cpp => {
            (&["EXPECT_", "ASSERT_", "REQUIRE", "CHECK", "BOOST_CHECK", "BOOST_REQUIRE", "assert"], &[])
        }
    };
    if language == Language::Shell
        && (line.starts_with("[ ") || line.starts_with("[[ ") || line.starts_with("test "))
    {
        return 1;
    }
    if language == Language::Script && asserts_on_context(line) {
        return 1;
    }
    if language == Language::Cpp && decides_exit(line) {
        return 1;
    }
    let used = |rest: &str| rest.starts_with(['(', '!', '.', '{', ':', ' ', '=']) || rest.is_empty();
    let mut count = 0_u32;
    let mut rest = line;
    let mut before_dot = "";
    while let Some(at) = rest.find(|char: char| char.is_alphabetic() || char == '_') {
        let separator = &rest[..at];
        let word_and_rest = &rest[at..];
        let end = word_and_rest
            .find(|char: char| !char.is_alphanumeric() && char != '_')
            .unwrap_or(word_and_rest.len());
        let word = &word_and_rest[..end];
        rest = &word_and_rest[end..];
        let chained = separator == "." || separator == "->" || separator == "::";
        // `assert.equal(…)` and `self.assertEqual(…)` are one assertion each.
        let continues = chained && is_assertion_word(before_dot, starts, exact);
        if is_assertion_word(word, starts, exact) && used(rest) && !continues && !is_declaration(line, word) {
            count = count.saturating_add(1);
        }
        before_dot = word;
    }
    count
}

/// AVA, tape and tap assert on what they hand to the test: `t.is(a, b)`.
fn asserts_on_context(line: &str) -> bool {
    const METHODS: [&str; 26] = [
        "is",
        "not",
        "deepEqual",
        "notDeepEqual",
        "like",
        "true",
        "false",
        "truthy",
        "falsy",
        "regex",
        "notRegex",
        "throws",
        "throwsAsync",
        "notThrows",
        "notThrowsAsync",
        "snapshot",
        "assert",
        "equal",
        "equals",
        "notEqual",
        "same",
        "strictEqual",
        "ok",
        "notOk",
        "match",
        "rejects",
    ];
    let called = line.find("t.").filter(|at| *at == 0 || line[..*at].ends_with([' ', '(', '{']));
    called.is_some_and(|at| {
        let rest = &line[at + 2..];
        let end = rest.find(|char: char| !char.is_alphanumeric()).unwrap_or(rest.len());
        rest[end..].starts_with('(') && METHODS.contains(&&rest[..end])
    })
}

/// A C program without a framework asserts by what it returns: a comparison, or a failure.
fn decides_exit(line: &str) -> bool {
    let packed: String = line.chars().filter(|char| !char.is_whitespace()).collect();
    let returned = packed.split_once("return").map(|(_, rest)| rest.trim_end_matches([';', '}']));
    let compares = |value: &str| ["==", "!=", "<", ">", "?", "!"].iter().any(|sign| value.contains(sign));
    let fails = |value: &str| {
        value.starts_with(|char: char| ('1'..='9').contains(&char))
            || value == "EXIT_FAILURE"
            || value == "-1"
    };
    returned.is_some_and(|value| {
        compares(value) || fails(value) || value.contains("fail") || value.contains("err")
    }) || ["exit(1)", "abort()", "exit(EXIT_FAILURE)"].iter().any(|call| packed.contains(call))
}

fn is_assertion_word(word: &str, starts: &[&str], exact: &[&str]) -> bool {
    starts.iter().any(|start| word.starts_with(start)) || exact.contains(&word)
}

/// Imports and definitions of assertion helpers assert nothing.
fn is_declaration(line: &str, word: &str) -> bool {
    let imports =
        ["import ", "from ", "use ", "using ", "require ", "const ", "#include", "package ", "load "];
    let defines = ["def ", "fn ", "func ", "function ", "fun "];
    let defined = defines.iter().any(|keyword| line.contains(&format!("{keyword}{word}")));
    let imported = imports.iter().any(|start| line.starts_with(start))
        && !line.contains("expect(")
        && !line.contains("assert(");
    imported || defined
}

/// Assertions that cannot fail, without blanks.
const TRIVIAL: [&str; 38] = [
    "assert!(true)",
    "assert!(true,",
    "assert_eq!(1,1)",
    "assert_eq!(true,true)",
    "expect(true).toBe(true)",
    "expect(true).toBeTruthy()",
    "expect(true).toEqual(true)",
    "expect(1).toBe(1)",
    "expect(1).toEqual(1)",
    "expect(true).to.be.true",
    "expect(true).to.equal(true)",
    "assert.ok(true)",
    "assert(true)",
    "assert.equal(1,1)",
    "assert.strictEqual(1,1)",
    "assert.strictEqual(true,true)",
    "assertTrue(true)",
    "assertTrue(True)",
    "assertEqual(1,1)",
    "assertEquals(1,1)",
    "assertEquals(true,true)",
    "assertEqual(True,True)",
    "assert.True(t,true)",
    "require.True(t,true)",
    "Assert.True(true)",
    "Assert.IsTrue(true)",
    "XCTAssertTrue(true)",
    "XCTAssert(true)",
    "XCTAssertEqual(1,1)",
    "#expect(true)",
    "#expect(Bool(true))",
    "expect(true).tobe(true)",
    "expect(true).toeq(true)",
    "expect(true).tobe_truthy",
    "EXPECT_TRUE(true)",
    "ASSERT_TRUE(true)",
    "REQUIRE(true)",
    "CHECK(true)",
];
/// Each of them has one of these, and hardly another line has.
const PARTS_OF_TRIVIAL: [&str; 3] = ["rue", "1,1", "(1)"];

/// How many assertions of a line cannot fail.
pub(super) fn trivial(language: Language, line: &str) -> u32 {
    let packed: String = line.chars().filter(|char| !char.is_whitespace()).collect();
    let found: usize = match PARTS_OF_TRIVIAL.iter().any(|part| packed.contains(part)) {
        true => TRIVIAL.iter().map(|text| packed.matches(text).count()).sum(),
        false => 0,
    };
    let whole = match language {
        Language::Python => {
            ["assertTrue", "assert1", "assert1==1", "assertTrue==True", "assertnotFalse", "assert(True)"]
                .contains(&packed.as_str())
        }
        Language::Ruby => ["asserttrue", "assert(true)"].contains(&packed.as_str()),
        Language::Shell => {
            ["true", "[1-eq1]", "[true]", "[[true]]", ":", "[0-eq0]"].contains(&packed.as_str())
                || packed.ends_with("||true")
        }
        _ => false,
    };
    let asserts = || assertions(language, line) > 0;
    let anyway = ["orTrue", "||true)"].iter().any(|end| packed.trim_end_matches(';').ends_with(end));
    let cannot_fail = anyway || is_unreached(line, &packed) || compares_with_itself(&packed);
    u32::try_from(found).unwrap_or(u32::MAX).max(u32::from(whole || cannot_fail && asserts()))
}

/// Whether the assertion of a line is never come to: a branch that is not taken, a function that nobody calls.
fn is_unreached(line: &str, packed: &str) -> bool {
    let starts = ["Trueor", "Falseand", "true||", "false&&", "lambda:", "()=>expect(", "()=>assert"];
    starts.iter().any(|start| packed.starts_with(start)) || is_never(line)
}

/// Whether a line begins a branch that is never taken.
pub(super) fn is_never(line: &str) -> bool {
    let packed: String = line.chars().take(24).filter(|char| !char.is_whitespace()).collect();
    let starts =
        ["ifFalse:", "if0:", "whileFalse:", "iffalse{", "if(false)", "if(0)", "whilefalse{", "while(false)"];
    starts.iter().any(|start| packed.starts_with(start))
}

/// Whether an assertion of equality has the same on both sides. `packed` has no blanks.
fn compares_with_itself(packed: &str) -> bool {
    let calls = [
        "assertEqual(",
        "assertEquals(",
        "assert_eq!(",
        "assert_equal(",
        "assertSame(",
        "assertIs(",
        "strictEqual(",
        "deepEqual(",
    ];
    let arguments = calls.iter().find_map(|call| packed.split_once(call).map(|(_, rest)| rest));
    let sides = match arguments {
        Some(rest) => rest.trim_end_matches(';').strip_suffix(')').map(halves),
        None => packed
            .strip_prefix("assert")
            .and_then(|rest| rest.split_once("=="))
            .map(|sides| vec![sides.0, sides.1]),
    };
    sides.is_some_and(|sides| matches!(sides.as_slice(), [left, right] if left == right && left.len() > 1))
}

/// The arguments of a call, cut at commas that are not in brackets.
fn halves(arguments: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_i32, 0, Vec::new());
    for (at, char) in arguments.char_indices() {
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&arguments[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&arguments[start..]);
    found
}

/// Whether a line catches what an assertion throws and lets it go; `next` is the line after it.
pub(super) fn swallows(language: Language, line: &str, next: &str) -> u32 {
    let lets_go = ["pass", "return", "continue", "..."].contains(&next) || next.starts_with('}');
    let found = match language {
        Language::Python => {
            let catches = line.starts_with("except AssertionError")
                || ["except:", "except Exception:", "except BaseException:"].contains(&line);
            catches && lets_go
                || line.contains("suppress(AssertionError")
                || line.contains("assertRaises(AssertionError")
                || line.contains("pytest.raises(AssertionError")
                || line.contains("suppress(Exception")
        }
        Language::Script => {
            line.contains("catch {}") || line.contains("catch (e) {}") || line.contains(".catch(() => {})")
        }
        Language::Jvm => line.contains("catch (AssertionError") && lets_go,
        _ => false,
    };
    u32::from(found)
}

/// Whether a line at the outermost level keeps all tests of its file from running as they stand.
pub(super) fn ends_file(language: Language, line: &str) -> bool {
    let statements = || line.split(';').map(str::trim);
    let ends = ["def load_tests(", "sys.exit(", "os._exit(", "exit(", "quit(", "raise SystemExit"];
    language == Language::Python && statements().any(|part| ends.iter().any(|end| part.starts_with(end)))
}

/// How many skips a line adds.
pub(super) fn skips(language: Language, line: &str) -> u32 {
    let marks: &[&str] = match language {
        Language::Rust => &["#[ignore", "#[cfg(any())]", "#![cfg(any())]", "#[cfg(FALSE)]", "#[cfg(never)]"],
        Language::Python => &[
            "mark.skip",
            "mark.xfail",
            "pytest.skip(",
            "pytest.xfail(",
            "unittest.skip",
            "@skip",
            "skipTest(",
            "SkipTest",
            "__test__ = False",
            "expectedFailure",
            "importorskip(",
        ],
        Language::Script => &[
            ".skip(",
            ".skip.",
            ".todo(",
            ".only(",
            ".only.",
            ".failing(",
            ".fixme(",
            ".skipIf(",
            "this.skip()",
            "skip: true",
            "todo: true",
            "only: true",
            "t.skip(",
        ],
        Language::Go => &["t.Skip(", "t.Skipf(", "t.SkipNow(", "b.Skip("],
        Language::Jvm => {
            &["@Disabled", "@Ignore", "assumeTrue(", "assumeFalse(", "Assume.", "enabled = false"]
        }
        Language::Ruby => &[".skip", "skip:"],
        Language::Php => &["markTestSkipped(", "markTestIncomplete(", "->skip(", "->todo("],
        Language::Dotnet => &["Skip =", "Skip=", "[Ignore", "Assert.Ignore(", "Assert.Inconclusive("],
        Language::Swift => &["XCTSkip", ".disabled(", ".disabled"],
        Language::Shell => &[],
        Language::Cpp => &["GTEST_SKIP", "DISABLED_", "[!shouldfail]", "[!mayfail]", "SUCCEED()"],
    };
    let found = u32::from(marks.iter().any(|mark| line.contains(mark)));
    let word = line.split(|char: char| !char.is_alphanumeric() && char != '_').next().unwrap_or_default();
    let leading: &[&str] = match language {
        Language::Script => &["xit", "xtest", "xdescribe", "fit", "fdescribe", "ftest"],
        Language::Ruby => {
            &["xit", "xdescribe", "xcontext", "skip", "pending", "fit", "fdescribe", "fcontext"]
        }
        Language::Shell => &["skip"],
        _ => &[],
    };
    found + u32::from(leading.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines without these parts are not searched for any of the others.
    #[test]
    fn every_trivial_assertion_has_a_part_that_is_looked_for_first() {
        for text in TRIVIAL {
            assert!(PARTS_OF_TRIVIAL.iter().any(|part| text.contains(part)), "{text}");
        }
    }
}
