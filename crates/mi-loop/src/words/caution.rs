//! Words that make a plan grave, in the languages agents write.

use super::{is_han, is_kana};

/// Whether the sentence announces something grave that `task` does not speak of. What was done is no plan.
pub(crate) fn announces_grave(sentence: &str, task: &str) -> bool {
    !tells_past(sentence) && is_grave(sentence, task)
}

/// Whether the text names something that cannot be taken back, leaves the machine or goes against the person, and that
/// the task does not speak of.
fn is_grave(text: &str, task: &str) -> bool {
    let (text, task) = (format!(" {} ", plain_words(text).join(" ")), task.to_lowercase());
    CAUTION.iter().any(|stem| text.contains(stem) && !task.contains(stem.trim()))
}

/// What was done is no plan: "I removed an unused import."
fn tells_past(sentence: &str) -> bool {
    let words = plain_words(sentence);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["i" | "we", verb, ..] if verb.ends_with("ed") => true,
        ["i" | "we", "have" | "ve" | "found" | "ran" | "read" | "did", ..] => true,
        ["ich", "habe", ..] | ["he", ..] | ["j", "ai", ..] => true,
        _ => sentence.contains(['了', '已']) || sentence.trim_end_matches('。').ends_with("ました"),
    }
}

/// Words of letters and digits; Chinese and Japanese text stays together.
pub(crate) fn plain_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for char in text.chars().flat_map(char::to_lowercase) {
        let goes_on = before.is_alphanumeric() && is_unspaced(before) == is_unspaced(char);
        match words.last_mut().filter(|_| goes_on) {
            Some(word) if char.is_alphanumeric() => word.push(char),
            _ if char.is_alphanumeric() => words.push(char.to_string()),
            _ => {}
        }
        before = char;
    }
    words
}

pub(crate) fn is_unspaced(char: char) -> bool {
    is_han(char) || is_kana(char)
}

/// Stems of what cannot be taken back, leaves the machine, costs, or goes against what the person said.
#[rustfmt::skip]
const CAUTION: &[&str] = &[
    " delet", " remov", " drop ", " drops ", " dropped ", " dropping ", " erase", " wipe", " wiping", " purg", " truncat", " destroy", " destruct", " overwrit", " rewrit", " irreversibl", " undone ", " lose ", " loss ", " force", " reset", " rebas",
    " push", " publish", " deploy", " releas", " production", " prod ", " install", " upload", " pay ", " paid ", " cost", " charge", " password", " credential", " secret", " customer", " conflict", " contradict", " violat", " breaking ", " large ",
    " huge ", " risk", " danger", " sudo ", " migrat", " email", " forbid", " values say ", " dollar", " usd ",
    " lösch", " entfern", " überschr", " verwerf", " zerstör", "produktion", " veröffentl", " installier", " kostet ", " kosten ", " passw", " umschreib", " hochlad", " herunterlad", " widersprich", " widerspricht ", " verstöß", " riskant", " unwiderruf", " gefähr",
    " borr", " elimin", " sobrescrib", " sobreescrib", " producción ", " despleg", " instal", " reescrib", " destru", " irreversib", " descarg", " riesg", " peligr", " contraseñ",
    " supprim", " effac", " écras", " déplo", " réécri", " détrui", " irréversib", " télécharg", " risqu", " mot de passe ",
    "删除", "删掉", "清空", "覆盖", "重写", "推送", "发布", "部署", "上线", "生产", "安装", "上传", "付费", "花费", "收费", "密码", "密钥", "客户", "丢失", "不可逆", "强制", "迁移", "冲突", "违反", "风险", "危险", "大规模",
    "削除", "消去", "上書き", "書き換え", "本番", "公開", "デプロイ", "リリース", "インストール", "アップロード", "課金", "費用", "パスワード", "顧客", "失われ", "元に戻せ", "強制", "移行", "矛盾", "違反", "リスク", "危険",
];
