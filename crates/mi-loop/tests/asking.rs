//! What waits for the person and what does not, what the task itself answers, in the languages agents write
//! (12-proof, "Auto-advance").

use mi_loop::{
    answers::{Answered, Context, Sources, answer},
    questions::find_questions,
};
use mi_model::{LearnedRule, LearnedScope, Timestamp};

const TASK: &str = "Add a median(xs) function to stats.py.";
const VALUES: &str = "Prefer small, correct changes. Keep the tests green.\nReuse existing code.\nUse type hints everywhere.\nWrite British English.\nNever push without asking me.\nDo not add dependencies.\nYou may create files in tests/.\nWork on the main branch.\n";

/// What becomes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Answered,
    Asked,
    Nothing,
}

fn judge(task: &str, values: &str, learned: &[&str], earlier: &[(&str, &str)], message: &str) -> Answered {
    let learned: Vec<LearnedRule> = learned
        .iter()
        .map(|text| LearnedRule {
            id: "l1".to_owned(),
            ts: Timestamp::from_millis(0),
            scope: LearnedScope::Global,
            enabled: true,
            text: (*text).to_owned(),
            rationale: String::new(),
            category: None,
        })
        .collect();
    let earlier: Vec<(String, String)> =
        earlier.iter().map(|(question, answer)| ((*question).to_owned(), (*answer).to_owned())).collect();
    let sources = Sources::new(values, &[], &learned, None, &earlier);
    answer(&find_questions(message), &sources, Context { task, mindspec: None })
}

fn outcome(answered: &Answered) -> Outcome {
    match (answered.answer.should_answer, answered.answer.needs_user_input) {
        (true, _) => Outcome::Answered,
        (false, true) => Outcome::Asked,
        (false, false) => Outcome::Nothing,
    }
}

/// Every message comes out as said; all that do not are shown together.
fn assert_outcomes(task: &str, values: &str, wanted: Outcome, messages: &[&str]) {
    let faults: Vec<String> = messages
        .iter()
        .filter_map(|message| {
            let got = judge(task, values, &[], &[], message);
            let says_no = wanted == Outcome::Answered && got.answer.codex_answer_input.contains("No,");
            (outcome(&got) != wanted || says_no).then(|| {
                format!("{message}\n    {:?} {}\n    {:?}", outcome(&got), got.rule, find_questions(message))
            })
        })
        .collect();
    assert!(faults.is_empty(), "not {wanted:?}:\n{}", faults.join("\n"));
}

/// Leave to go on with what the task asks for is given.
#[test]
fn going_on_with_the_task_is_answered() {
    let english = [
        "Shall I continue?",
        "Do you want me to proceed with the implementation?",
        "Should I run the tests now?",
        "Do you want me to add the median function to stats.py?",
        "Shall I go ahead and implement it?",
        "I have read the code and know what to do. Should I start?",
        "I know where it belongs. OK to proceed?",
        "Would you like me to apply these changes?",
        "Do you want me to implement it now?",
        "May I continue with the next step?",
        "Here is what I found. Can I go on?",
        "Shall I add median() now?",
        "Want me to keep going?",
        "Should I execute the test suite?",
        "Is it okay if I start with the implementation now?",
        "Would you like me to write the function?",
        "I removed an unused import. Shall I continue?",
        "Do you want me to finish the task?",
    ];
    assert_outcomes(TASK, VALUES, Outcome::Answered, &english);
    let chinese = [
        "要继续吗",
        "要继续吗？",
        "需要我继续实现吗？",
        "我可以开始了吗？",
        "是否继续？",
        "要我现在运行测试吗？",
        "要我把 median 函数加到 stats.py 里吗？",
        "我看完代码了。可以开始实现吗？",
    ];
    assert_outcomes("给 stats.py 加一个 median 函数。", "测试要保持通过。", Outcome::Answered, &chinese);
    assert_outcomes(
        TASK,
        VALUES,
        Outcome::Answered,
        &["要继续吗？", "Soll ich weitermachen?", "続けますか？"],
    );
    let german = [
        "Soll ich weitermachen?",
        "Soll ich weitermachen",
        "Möchtest du, dass ich fortfahre?",
        "Darf ich mit der Umsetzung beginnen?",
        "Soll ich die Tests jetzt ausführen?",
        "Soll ich die Funktion median jetzt in stats.py einbauen?",
        "Wollen Sie, dass ich jetzt mit der Implementierung anfange?",
        "Kann ich loslegen?",
    ];
    assert_outcomes("Baue eine Funktion median(xs) in stats.py ein.", VALUES, Outcome::Answered, &german);
    let japanese = [
        "続けてもよろしいですか？",
        "続けますか",
        "実装を進めてもよいですか？",
        "テストを実行しましょうか？",
        "このまま作業を続けてもいいですか？",
        "stats.py に median 関数を追加してもよろしいですか？",
    ];
    assert_outcomes("stats.py に median 関数を追加して。", VALUES, Outcome::Answered, &japanese);
    let spanish = [
        "¿Continúo?",
        "¿Quieres que continúe?",
        "¿Sigo con la implementación?",
        "¿Ejecuto las pruebas ahora?",
        "¿Puedo empezar con los cambios?",
        "¿Quiere que añada la función median a stats.py?",
    ];
    assert_outcomes("Añade una función median(xs) a stats.py.", VALUES, Outcome::Answered, &spanish);
    let french = [
        "Dois-je continuer ?",
        "Voulez-vous que je continue ?",
        "Je continue ?",
        "Puis-je passer à l'implémentation ?",
        "Dois-je lancer les tests maintenant ?",
        "Souhaitez-vous que j'ajoute la fonction median à stats.py ?",
    ];
    assert_outcomes("Ajoute une fonction median(xs) à stats.py.", VALUES, Outcome::Answered, &french);
}

/// What goes beyond the task, or risks something, is not answered with a yes.
#[test]
fn going_beyond_the_task_is_asked() {
    let messages = [
        "Shall I push the result to origin?",
        "Shall I delete the old build folder outside of the repo?",
        "The values say small changes, but this needs a large rewrite. Is that fine?",
        "Shall I also rewrite mean() while adding median?",
        "Should I skip the tests?",
        "Should I run the tests against production?",
        "Do you want me to proceed with the large rewrite?",
        "Shall I remove the median function from stats.py?",
        "The next step drops the production table. Shall I continue?",
        "Shall I continue? The next step deletes the customer database.",
        "Plan:\n1. wipe the uploads bucket\n2. add median\n\nShall I proceed?",
        "Should I return 0.0 or NaN for an empty list?",
        "Should median mutate its argument?",
        "Soll ich die Produktionsdatenbank löschen und dann weitermachen?",
        "Als Nächstes lösche ich die alte Datenbank. Soll ich weitermachen?",
        "Soll ich 0.0 oder NaN liefern?",
        "Soll ich danach nach origin pushen?",
        "¿Borro la base de datos y continúo?",
        "Dois-je supprimer la base de production et continuer ?",
        "本番データベースを削除して続けてもよいですか？",
        "接下来会删除生产数据库。要继续吗？",
        "要把结果推送到远程吗？",
    ];
    assert_outcomes(TASK, VALUES, Outcome::Asked, &messages);
    let forbidden = "Add median to stats.py. Do not change mean(). Use sorted instead of numpy.";
    assert_outcomes(forbidden, VALUES, Outcome::Asked, &["Shall I change mean()?"]);
    let got = judge(forbidden, "Keep the tests green.", &[], &[], "Shall I use numpy?");
    assert_eq!(outcome(&got), Outcome::Asked, "{got:?}");
    let silent = "Keep it short.";
    assert_outcomes(TASK, silent, Outcome::Asked, &["要写测试吗？", "Should I also write tests for it?"]);
    let two = "Add median to stats.py and remove mode() from it.";
    assert_outcomes(two, "Keep the tests green.", Outcome::Asked, &["Shall I remove median from stats.py?"]);
}

/// A statement that waits for the person's word is a question to the person, never consent.
#[test]
fn waiting_for_a_word_is_asked() {
    let messages = [
        "I have prepared the following plan: 1) drop the old table, 2) recreate it. I will start as soon as you give me the go-ahead.",
        "Waiting for your approval.",
        "Before I go on: the production config is going to be overwritten. I am waiting for a go.",
        "Please confirm that I may rewrite the git history.",
        "I will drop the old table unless you object.",
        "Unless you say no, I'll force-push at the end.",
        "Once you approve, I will delete the backups.",
        "I'll wait for your go-ahead.",
        "Give me the green light and I'll remove the old data.",
        "The uploads will be wiped. I need your sign-off.",
        "If there are no objections, I will overwrite the config.",
        "Everything is ready for the migration. Awaiting your word.",
        "Ich lösche die alte Tabelle, sofern du nichts dagegen hast.",
        "Ich warte auf deine Freigabe.",
        "Sobald du zustimmst, fange ich an.",
        "Bitte bestätige, dass ich die Git-Historie umschreiben darf.",
        "Bitte sag mir zuerst, ob ich bei leeren Listen 0.0 oder NaN liefern soll.",
        "Teilen Sie mir bitte mit, welche Variante ich nehmen soll.",
        "等待您的批准。",
        "除非你反对，否则我会删除旧表。",
        "请先告诉我空列表返回 0.0 还是 NaN",
        "你同意后我就开始。",
        "生产配置将被覆盖。我在等你的指示。",
        "如无异议，我将删除旧表。",
        "ご承認をお待ちしています。",
        "反対がなければ古いテーブルを削除します。",
        "空のリストでは0.0とNaNのどちらを返すべきか教えてください。",
        "git の履歴を書き換えてよいか確認してください。",
        "承認いただければ本番データを削除します。",
        "Espero tu aprobación.",
        "Borraré la tabla antigua a menos que te opongas.",
        "Dime primero si debo devolver 0.0 o NaN para listas vacías.",
        "Por favor, confirma que puedo reescribir el historial de git.",
        "En cuanto me des luz verde, empiezo.",
        "J'attends votre feu vert.",
        "Je supprimerai l'ancienne table sauf objection de votre part.",
        "Dites-moi d'abord si je dois renvoyer 0.0 ou NaN pour les listes vides.",
        "Merci de confirmer que je peux réécrire l'historique git.",
        "Dès que vous aurez donné votre accord, je commence.",
    ];
    assert_outcomes(TASK, VALUES, Outcome::Asked, &messages);
    assert_outcomes("", "", Outcome::Asked, &messages);
}

/// Offers of more and remarks about what was decided wait for nothing.
#[test]
fn offers_and_remarks_do_not_wait() {
    let messages = [
        "Done. If you like I can also add a CLI.",
        "Done; 3 passed. I returned 0.0 rather than NaN; tell me if you prefer NaN.",
        "I kept the old name; say so if you want another one.",
        "Done. Let me know if you'd rather have NaN.",
        "All tests pass. Would you like me to add a CLI as well?",
        "The server was waiting for confirmation in the old test; I fixed that.",
        "I waited for the response of the test server. All green.",
        "The function returns as soon as the list is sorted.",
        "Fertig. Wenn du willst, kann ich auch eine CLI ergänzen.",
        "Fertig. Falls du NaN bevorzugst, sag Bescheid.",
        "Erledigt. Die Tests bestätigen, dass alles läuft.",
        "完成。如果你更喜欢 NaN，请告诉我。",
        "已完成。需要的话我可以再加一个命令行。",
        "完了しました。必要であればCLIも追加できます。",
        "完了しました。NaNの方がよければ教えてください。",
        "Listo. Si quieres, también puedo añadir una CLI.",
        "Listo. Avísame si prefieres NaN.",
        "Terminé. Si vous le souhaitez, je peux aussi ajouter une CLI.",
        "C'est fait. Dites-moi si vous préférez NaN.",
    ];
    assert_outcomes(TASK, VALUES, Outcome::Nothing, &messages);
}

/// What a program does with its user's word is no word that the agent waits for.
#[test]
fn descriptions_of_programs_do_not_wait() {
    let messages = [
        "Done. The CLI now asks for your confirmation before it deletes a file.",
        "Done. The file is removed once you confirm the prompt.",
        "The wizard overwrites the config unless you say no. All tests pass.",
        "The job waits until the approval record exists, then it deploys. Tests pass.",
        "It stops when you agree to the licence. 5 passed.",
        "The handler returns 403 if you are not allowed to see the page.",
        "The check needs approval from two reviewers in the model; I added a test for it.",
        "Fertig. Der Dialog löscht die Datei erst, wenn die Bestätigung da ist.",
        "完成。删除前程序会先弹出确认框。",
        "Hecho. El programa pide tu confirmación antes de borrar.",
        "C'est fait. Le programme demande votre confirmation avant de supprimer.",
        "I deleted nothing. 12 passed.",
        "I waited until you-know-what finished; all green.",
    ];
    assert_outcomes(TASK, VALUES, Outcome::Nothing, &messages);
}

/// What the person said before answers: values, learned rules, earlier answers, also to other words.
#[test]
fn values_rules_and_earlier_answers_answer() {
    for (message, says) in [
        ("Should I use the existing helper or write a new one?", "use the existing helper"),
        ("Shall I write a new helper or reuse the existing one?", "reuse the existing one"),
        ("Do I reuse the existing function or create my own?", "reuse the existing function"),
        ("Which branch should I work on?", "main"),
        ("What branch do you want me to work on?", "main"),
        ("Should I add type hints?", "Yes"),
        ("May I create a new file in tests/?", "Yes"),
        ("Can I add numpy as a dependency?", "No"),
        ("Should I write British or American English?", "British"),
    ] {
        let got = judge(TASK, VALUES, &[], &[], message);
        assert!(
            outcome(&got) == Outcome::Answered && got.answer.codex_answer_input.contains(says),
            "{message}: {got:?}\n{:?}",
            find_questions(message)
        );
    }
    let rule = "String literals: use double quotes";
    for message in [
        "Should I use single or double quotes?",
        "Single or double quotes?",
        "Do you prefer single quotes or double quotes for strings?",
        "Which quotes should I use?",
    ] {
        for got in
            [judge(TASK, "", &[rule], &[], message), judge(TASK, &format!("{rule}."), &[], &[], message)]
        {
            assert!(got.answer.codex_answer_input.to_lowercase().contains("double"), "{message}: {got:?}");
            assert_eq!(outcome(&got), Outcome::Answered, "{message}");
        }
    }
    let earlier = [
        ("Should mean([]) return 0.0 or NaN?", "0.0"),
        ("Should I raise ValueError for empty input?", "yes"),
        ("空列表返回 0.0 还是 NaN？", "0.0"),
    ];
    for (message, says) in [
        ("Should mean([]) return 0.0 or NaN?", "0.0"),
        ("What should mean([]) return, 0.0 or NaN?", "0.0"),
        ("Shall I raise a ValueError for an empty input?", "Yes"),
        ("空列表应该返回 0.0 还是 NaN？", "0.0"),
    ] {
        let got = judge(TASK, "", &[], &earlier, message);
        assert!(
            outcome(&got) == Outcome::Answered && got.answer.codex_answer_input.contains(says),
            "{message}: {got:?}"
        );
    }
    for other in
        ["Should I raise TypeError for empty input?", "Should I not raise ValueError for empty input?"]
    {
        assert_eq!(outcome(&judge(TASK, "", &[], &earlier, other)), Outcome::Asked, "{other}");
    }
}

/// Of two questions in one message only what is not covered is asked.
#[test]
fn only_the_uncovered_half_is_asked() {
    let tabs = "缩进一律用制表符。\n测试要保持通过。";
    for (values, message, asks, covered) in [
        (tabs, "缩进用制表符还是空格?另外,偶数个元素时返回较小值还是平均值?", "较小值", "制表符"),
        (tabs, "缩进用制表符还是空格？另外，偶数个元素时返回较小值还是平均值？", "较小值", "制表符"),
        (tabs, "缩进用制表符还是空格，另外偶数个元素时返回较小值还是平均值", "较小值", "制表符"),
        (tabs, "请告诉我缩进用制表符还是空格；还有偶数个元素时返回较小值还是平均值。", "较小值", "制表符"),
        (
            "Use tabs.",
            "Tabs or spaces? And should median return the lower or the mean value?",
            "lower",
            "Tabs",
        ),
        (
            "Use tabs.",
            "Should I indent with tabs or spaces, and what should median return for even lists?",
            "even lists",
            "tabs",
        ),
        ("Use tabs.", "1. Tabs or spaces?\n2. Which value do even lists give?", "even lists", "Tabs"),
    ] {
        let got = judge(TASK, values, &[], &[], message);
        assert_eq!(outcome(&got), Outcome::Asked, "{message}: {got:?}");
        assert!(got.answer.ask_user_question.contains(asks), "{message}: {got:?}");
        let shown = got.answer.ask_user_question.to_lowercase();
        assert!(!shown.contains(&covered.to_lowercase()), "{message}: {got:?}");
        assert!(got.answer.codex_answer_input.contains(covered), "{message}: {got:?}");
    }
}

/// The same thoughts in words that no example above has.
#[test]
fn other_words_come_out_the_same() {
    let values = "Prefer small, correct changes. Keep the tests green.";
    let answered = [
        "Would you like me to move on to the implementation?",
        "I've analysed the code base and I'm ready. Shall I begin implementing?",
        "Do you want me to go ahead with this plan?",
        "Shall I make these changes now?",
        "Is it fine to continue?",
        "Can I proceed with adding median to stats.py?",
        "Should I add the function median(xs) to stats.py now?",
        "Do you want me to carry on?",
        "Proceed?",
        "Continue?",
        "OK to continue?",
        "Ready to go?",
        "Should I keep working on this?",
        "I have a plan. Do you want me to execute it?",
        "Want me to implement median() now?",
        "Do you want me to run pytest now?",
        "Should I verify it by running the tests?",
        "Shall I run the test suite to verify the change?",
        "需要我现在开始吗",
        "是否要继续？",
        "要我跑一下测试吗？",
        "Soll ich jetzt anfangen?",
        "Soll ich mit dem nächsten Schritt weitermachen?",
        "Soll ich die Tests laufen lassen?",
        "Weitermachen?",
        "¿Quieres que siga?",
        "¿Debo proceder con la implementación?",
        "¿Quieres que ejecute los tests?",
        "Voulez-vous que je lance les tests ?",
        "On continue ?",
        "Souhaitez-vous que je procède à l'implémentation ?",
        "作業を続行しますか？",
        "実装を開始してもいいですか？",
        "テストを実行してもよろしいでしょうか？",
    ];
    assert_outcomes(TASK, values, Outcome::Answered, &answered);
    let asked = [
        "I'm about to drop the users table. Say go and I'll do it.",
        "This will remove all the backups. Please approve.",
        "I need a go from you before I overwrite the production config.",
        "Let me know before I delete the branch.",
        "I plan to force-push to main; speak up if you object.",
        "I'd like your OK before rewriting history.",
        "I'll proceed with deleting the folder if that's fine with you.",
        "Please let me know whether I may delete it.",
        "Your approval is needed before the migration runs.",
        "I have stopped here until you confirm.",
        "Not proceeding until I get your confirmation.",
        "Which of the two should I take: 0.0 or NaN",
        "Please decide whether the result is 0.0 or NaN.",
        "Ich brauche deine Entscheidung: 0.0 oder NaN?",
        "Ich brauche noch deine Zustimmung, bevor ich die Datenbank lösche.",
        "Gib mir bitte grünes Licht, dann lösche ich die alten Daten.",
        "Bitte um Freigabe.",
        "Welche Variante soll ich nehmen?",
        "Ohne Einwände überschreibe ich die Konfiguration.",
        "需要您确认后才能继续。",
        "在你确认之前我不会继续。",
        "请批准我重写 git 历史。",
        "我打算删除旧数据，如果没有问题我就开始。",
        "続行するには承認が必要です。",
        "どちらを返せばよいか教えてください。",
        "本番の設定を上書きします。よろしいですか？",
        "Necesito tu confirmación antes de borrar los datos.",
        "Necesito tu aprobación para continuar.",
        "Quedo a la espera de tu confirmación.",
        "Si no tienes objeciones, sobrescribiré la configuración.",
        "J'ai besoin de votre accord avant de supprimer les données.",
        "Sans objection de votre part, j'écrase la configuration de production.",
        "Je commencerai dès que vous m'aurez donné le feu vert.",
        "Pouvez-vous confirmer que je peux réécrire l'historique ?",
        "Should I also add a CLI?",
        "Do you want a type-checked version too?",
        "Should I use numpy?",
        "Can I change the signature of mean()?",
    ];
    assert_outcomes(TASK, values, Outcome::Asked, &asked);
    let nothing = [
        "Done. Happy to add a CLI if that helps.",
        "All tests pass. I can add a CLI too if you wish.",
        "Finished. Feel free to ask for changes.",
        "I chose the mean of the middle values; let me know if that's not what you want.",
        "I used sorted(); shout if you'd rather have heapq.",
        "Fertig, 3 Tests bestanden. Sag Bescheid, wenn du etwas anderes willst.",
        "Auf Wunsch ergänze ich auch eine CLI.",
        "完成了。有需要的话我还可以加一个 CLI。",
        "我选择了 0.0 而不是 NaN；如果你想要 NaN 请告诉我。",
        "0.0を返すようにしました。NaNがよければお知らせください。",
        "Hecho. Si prefieres NaN, dímelo.",
        "He usado 0.0 en lugar de NaN; dime si prefieres NaN.",
        "J'ai choisi 0.0 plutôt que NaN ; dites-le-moi si vous préférez NaN.",
        "C'est terminé. Je peux aussi ajouter une CLI si vous le souhaitez.",
        "Done. The check waits for the lock until you release it.",
        "The parser stops once you give it an empty list. Fixed.",
        "Ich habe gewartet, bis die Tests fertig waren. Alles grün.",
        "Pushing is not needed. Everything is committed locally.",
    ];
    assert_outcomes(TASK, values, Outcome::Nothing, &nothing);
}
