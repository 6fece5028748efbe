//! Disguised commands: every form in the list really runs `touch M` or writes M.

use mi_gate::command::{Analysis, analyze, written_paths};

/// What a rule that bans `touch` and writes to M would go by.
fn shows_it(analysis: &Analysis) -> bool {
    analysis.commands.iter().any(|command| {
        command.program == "touch"
            || written_paths(command).iter().any(|path| path.trim_start_matches("./") == "M")
            || command.bodies.iter().any(|body| body.text.contains("touch") || body.text.contains("\"M\""))
    })
}

/// None of the forms passes as understood without showing what it does.
#[test]
fn every_form_is_shown_or_doubted() {
    let list = include_str!("data/runs_touch.tsv");
    let missed: Vec<_> = list
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, form)| (name, form.replace('⏎', "\n")))
        .filter(|(_, form)| {
            let analysis = analyze(form);
            analysis.understood && !shows_it(&analysis)
        })
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Most forms are shown outright, so that risk finds them too.
#[test]
fn most_forms_are_shown() {
    let list = include_str!("data/runs_touch.tsv");
    let forms: Vec<_> = list.lines().filter_map(|line| line.split_once('\t')).collect();
    let hidden: Vec<_> = forms
        .iter()
        .filter(|(_, form)| !shows_it(&analyze(&form.replace('⏎', "\n"))))
        .map(|(name, _)| *name)
        .collect();
    assert!(
        hidden.len() * 5 <= forms.len(),
        "{} of {} are only doubted: {hidden:?}",
        hidden.len(),
        forms.len()
    );
}
