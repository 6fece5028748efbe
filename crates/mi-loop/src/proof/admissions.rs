//! The agent's own words against its work: "I left it out", "still to do", `TODO` in what it added.

/// Sentences that admit that something is missing, in lower case. Each is said of one's own work and of nothing else.
const ADMISSIONS: [&str; 92] = [
    "i do not know",
    "i don't know",
    "no idea",
    "could not find out",
    "weiß ich nicht",
    "weiß nicht",
    "no lo sé",
    "不知道",
    "i could not",
    "i couldn't",
    "i can not",
    "i was not able",
    "i wasn't able",
    "i was unable",
    "i am unable",
    "i'm unable",
    "left it out",
    "left out",
    "i have not written",
    "i haven't written",
    "i have not added",
    "i haven't added",
    "i have not implemented",
    "i haven't implemented",
    "i did not add",
    "i didn't add",
    "i did not implement",
    "i didn't implement",
    "i did not write",
    "i didn't write",
    "have not been written",
    "has not been implemented",
    "is not implemented",
    "not implemented yet",
    "not yet implemented",
    "isn't implemented",
    "still to do",
    "still to be done",
    "remains to be done",
    "still missing",
    "is still open",
    "phase 1 of",
    "step 1 of",
    "part 1 of",
    "phase one of",
    "only partially",
    "partially implemented",
    "partially done",
    "is a stub",
    "as a stub",
    "stubbed out",
    "a placeholder for",
    "placeholder implementation",
    "todo:",
    "for a later",
    "in a follow-up",
    "skipped it for now",
    "skipped this",
    "did not run",
    "没有完成",
    "还没有",
    "尚未",
    "未实现",
    "未完成",
    "没能",
    "无法完成",
    "暂时没有",
    "留待",
    "后续再",
    "konnte nicht",
    "konnte ich nicht",
    "noch nicht",
    "steht noch aus",
    "fehlt noch",
    "ausgelassen",
    "weggelassen",
    "noch offen",
    "no pude",
    "todavía no",
    "aún no",
    "falta por",
    "queda pendiente",
    "pendiente de",
    "je n'ai pas pu",
    "pas encore",
    "reste à faire",
    "laissé de côté",
    "incomplet",
    "できませんでした",
    "まだ",
    "未対応",
    "未完了",
];
/// Words by which such a sentence speaks of something else, or says the opposite.
const HARMLESS: [&str; 24] = [
    "nothing is left out",
    "nothing left out",
    "not left out",
    "no longer",
    "could not find any other",
    "couldn't find any other",
    "could not find any further",
    "could not reproduce",
    "could not find other",
    "anything else",
    "if you",
    "before this",
    "previously",
    "used to",
    "was still missing",
    "nothing is missing",
    "is not needed",
    "not necessary",
    "没有遗漏",
    "之前",
    "nichts fehlt",
    "vorher",
    "nada pendiente",
    "rien ne manque",
];

/// The sentence in which a message admits that something is missing.
pub fn admission(message: &str) -> Option<String> {
    let cut = |char: char| "\n.!?;。！？；".contains(char);
    let found = message.split(cut).find(|sentence| {
        let lower = sentence.to_lowercase().replace('’', "'");
        ADMISSIONS.iter().any(|words| lower.contains(words))
            && !HARMLESS.iter().any(|words| lower.contains(words))
    })?;
    Some(mi_model::shorten(found.trim(), 200))
}

/// Words by which one says what one is going to do.
const PROMISING: [&str; 12] = [
    "i will",
    "i'll",
    "and will",
    "i am going to",
    "i'm going to",
    "let me",
    "ich werde",
    "voy a",
    "je vais",
    "我将",
    "我会",
    "我稍后",
];

/// Whether a short message promises an answer instead of giving it.
pub fn promises_answer(message: &str) -> bool {
    let lower = message.to_lowercase().replace('’', "'");
    let is_short = message.chars().count() <= 160 && message.trim().lines().count() <= 2;
    is_short && PROMISING.iter().any(|words| lower.contains(words))
}

/// Marks of code that is not finished.
const UNFINISHED: [&str; 7] = [
    "new unsupportedoperationexception",
    "todo!(",
    "unimplemented!(",
    "notimplementederror",
    "not implemented",
    "notimplemented",
    "to be implemented",
];

/// `TODO` and `FIXME` in capitals are reminders; a program about to-do lists has the word in small letters.
fn has_reminder(line: &str) -> bool {
    line.split(|char: char| !char.is_alphanumeric() && char != '_')
        .any(|word| ["TODO", "FIXME"].contains(&word))
}

/// The added line by which code says that it is not finished.
pub fn unfinished_code(added: &str) -> Option<&str> {
    added.lines().find(|line| {
        let lower = line.to_lowercase();
        // A test or a check for the word is no mark.
        !lower.contains("assert")
            && !lower.contains("grep")
            && (UNFINISHED.iter().any(|mark| lower.contains(mark)) || has_reminder(line))
    })
}
