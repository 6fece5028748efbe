//! From what a round brought to the next one, or to the end.

/// How much of a check's output goes back to the model: its end says most.
const OUTPUT_BYTES: usize = 12_000;

/// What one round brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Round {
    /// The reply holds no file.
    Nothing,
    /// Files of the reply were refused, each with its reason; none was written.
    Refused { reasons: Vec<String> },
    /// The box would not start, each rule that is against it.
    Denied { rules: Vec<String> },
    /// Files were written and the check ran.
    Checked(CheckRun),
    /// Files were written and there is no check to run.
    Unchecked,
}

/// A check in the box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRun {
    pub command: String,
    pub exit: i32,
    /// Both streams, as they came.
    pub output: String,
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Ask again, with this said about the last reply.
    Again {
        feedback: String,
    },
    Stop(End),
}

/// How it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum End {
    /// The check passed.
    Done,
    /// There are files, and nothing checked them.
    Unchecked,
    /// There was no file in the reply: a person reads it.
    TaskAnalysis,
    /// The last round failed too.
    OutOfRounds,
    /// The task's budget is spent.
    OutOfBudget,
    /// Admission said no.
    Denied,
}

impl End {
    /// The word for programs.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What follows a round; `number` counts from 1.
pub fn next(round: &Round, number: u32, most: u32) -> Next {
    let feedback = match round {
        Round::Nothing => return Next::Stop(End::TaskAnalysis),
        Round::Denied { .. } => return Next::Stop(End::Denied),
        Round::Unchecked => return Next::Stop(End::Unchecked),
        Round::Checked(CheckRun { exit: 0, .. }) => return Next::Stop(End::Done),
        Round::Refused { reasons } => format!(
            "The files of your last reply were not taken. Give all files again, whole:\n{}",
            reasons.join("\n")
        ),
        Round::Checked(run) => format!(
            "Your files were written, and `{}` ended with exit code {}. Its output:\n{}",
            run.command,
            run.exit,
            end_of(&run.output, OUTPUT_BYTES)
        ),
    };
    if number >= most { Next::Stop(End::OutOfRounds) } else { Next::Again { feedback } }
}

/// The last bytes of a text, cut between lines where that is near.
fn end_of(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut from = text.len() - most;
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let from = text[from..].find('\n').filter(|at| *at < 400).map_or(from, |at| from + at + 1);
    format!("[… {from} bytes left out …]\n{}", &text[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(exit: i32, output: &str) -> Round {
        Round::Checked(CheckRun { command: "make test".to_owned(), exit, output: output.to_owned() })
    }

    /// O: no artifact ends in task_analysis, a denial ends, failures go back until the rounds are over.
    #[test]
    fn o_rounds_are_bounded_and_denials_end_them() {
        assert_eq!(next(&Round::Nothing, 1, 3), Next::Stop(End::TaskAnalysis));
        assert_eq!(
            next(&Round::Denied { rules: vec!["F.network".to_owned()] }, 1, 3),
            Next::Stop(End::Denied)
        );
        assert_eq!(next(&checked(0, ""), 1, 3), Next::Stop(End::Done));
        assert_eq!(next(&Round::Unchecked, 1, 3), Next::Stop(End::Unchecked));
        let Next::Again { feedback } = next(&checked(1, "1 failed"), 2, 3) else { panic!("no second try") };
        assert!(
            feedback.contains("`make test`")
                && feedback.contains("exit code 1")
                && feedback.contains("1 failed")
        );
        assert_eq!(next(&checked(1, "1 failed"), 3, 3), Next::Stop(End::OutOfRounds));
        let refused = Round::Refused { reasons: vec!["line 3: climbing_path".to_owned()] };
        assert!(
            matches!(next(&refused, 1, 3), Next::Again { feedback } if feedback.contains("climbing_path"))
        );
        assert_eq!(next(&refused, 1, 1), Next::Stop(End::OutOfRounds));
    }

    /// Long output keeps its end, cut between characters.
    #[test]
    fn o_long_output_keeps_its_end() {
        let output = format!("{}last line", "é".repeat(100_000));
        let Next::Again { feedback } = next(&checked(1, &output), 1, 3) else { panic!("no second try") };
        assert!(feedback.ends_with("last line") && feedback.len() < 13_000);
    }
}
