//! Sentences without a question mark that still turn to the person, in the languages agents write.
//!
//! Three thoughts are told apart, each by two parts that stand in one sentence: the speaker waits for the person's
//! word ("waiting for" … "approval"), makes what they do hang on it ("unless you" … "object"), or asks to be told
//! ("tell me" … "whether"). A wish of the person that would change what is already decided ("tell me if you prefer
//! NaN") is a remark, and nobody waits for it.
//! Elsewhere: phrases of English and Chinese questions are `cues`; what is answered is `answers`.

use super::shape::has_any;
use crate::words::is_unspaced;

/// Whether the sentence waits for the person's word or makes what comes next hang on it.
pub(super) fn waits_for_word(plain: &str) -> bool {
    has_any(plain, WAITING)
        || needs_consent(plain)
        || joins(plain, WAITS_FOR)
        || joins(plain, HANGS_ON)
        || is_personal(plain) && joins(plain, HANGS_ON_PERSONALLY)
        || takes_silence(plain)
        || starts_waiting(plain)
}

/// Whether the sentence takes silence for consent: "I will do it unless you object".
pub(super) fn takes_silence(plain: &str) -> bool {
    joins(plain, UNLESS) || is_personal(plain) && joins(plain, UNLESS_PERSONALLY)
}

/// "The dialog asks for your confirmation before it deletes" tells of a program; the speaker must be in the sentence.
fn needs_consent(plain: &str) -> bool {
    let pairs = NEEDS_CONSENT.iter();
    let mut found = pairs.filter(|(consent, need)| has_any(plain, consent) && has_any(plain, need));
    found.any(|(consent, _)| {
        is_personal(plain) || !plain.is_ascii() && consent[0].chars().any(is_unspaced) || consent.iter().any(|start| plain.starts_with(start))
    })
}

/// Whether the speaker is in the sentence.
fn is_personal(plain: &str) -> bool {
    has_any(plain, PERSON)
}

const PERSON: &[&str] = &[
    " i ", " i'", " we ", " we'", " me ", " my ", " ich ", " mir ", " mich ", " wir ", " necesito ", " espero ", " puedo ", " voy ", " yo ", " je ", " j'", " moi ", " nous ",
];

/// Whether the sentence asks to be told something.
pub(super) fn asks_to_be_told(plain: &str) -> bool {
    joins(plain, TOLD)
}

/// Whether the sentence leaves it to the person to wish for something else, and goes on without it.
pub(super) fn is_remark(plain: &str) -> bool {
    let wishes = has_any(plain, WISHES) || joins(plain, IF_WISHED);
    wishes && !has_any(plain, FIRST)
}

/// Whether the sentence, put as a question, offers something beyond the work.
pub(super) fn offers_more(plain: &str) -> bool {
    has_any(plain, MORE)
}

/// Whether the sentence says that the work is finished.
pub(super) fn says_finished(plain: &str) -> bool {
    has_any(plain, FINISHED)
}

/// "Waiting for a go." has no subject: only at its beginning does it speak of the speaker.
fn starts_waiting(plain: &str) -> bool {
    let starts = [" waiting ", " now waiting ", " still waiting ", " awaiting ", " on hold ", " pending "];
    let words = [" you", " go ", " approv", " confirm", " decision", " permission", " sign off ", " green light ", " ok "];
    starts.iter().any(|start| plain.starts_with(start)) && has_any(plain, &words)
}

/// Two parts of one thought: any of the first, and after it any of the second.
type Pair = (&'static [&'static str], &'static [&'static str]);

fn joins(plain: &str, pairs: &[Pair]) -> bool {
    pairs.iter().any(|(firsts, seconds)| {
        firsts.iter().any(|first| {
            // The second part may share the space at the end of the first.
            let rest = |at: usize| &plain[at + first.trim_end().len()..];
            plain.find(first).is_some_and(|at| has_any(rest(at), seconds))
        })
    })
}

/// The speaker waits, in words that say for whom.
const WAITING: &[&str] = &[
    " give me the go ", " give me a go ", " give me the green light ", " give me a green light ", " give me your ok ", " give me the ok ", " give me the word ",
    " say go ", " say the word and ", " gib mir grünes licht ", " gib mir bitte grünes licht ", " geben sie mir grünes licht ",
    " pending your ", " subject to your ", " with your approval ", " with your permission ", " with your ok ", " on your signal ", " on your go ", " at your signal ",
    "等你", "等您", "等待你", "等待您", "等候你", "等候您", "静候", "等待批准", "等待确认", "等待指示", "等待许可", "等待授权", "等待答复", "听你", "听您", "待你", "待您",
    "承認待ち", "確認待ち", "返事待ち", "指示待ち", "許可待ち",
];

/// The person's consent, and that it is needed, in any order.
const NEEDS_CONSENT: &[Pair] = &[
    (
        &[" your approval ", " your confirmation ", " your permission ", " your ok ", " your okay ", " your go ", " your consent ", " your sign off ", " your green light ", " your decision ", " your explicit ", " your final ", " a go from you ", " approval from you "],
        &[" need", " until ", " before ", " require", " without ", " missing ", " unless ", " i ask ", " asking for ", " requesting "],
    ),
    (
        &[" deine zustimmung ", " ihre zustimmung ", " deine freigabe ", " ihre freigabe ", " deine bestätigung ", " ihre bestätigung ", " deine entscheidung ", " ihre entscheidung ", " dein ok", " ihr ok", " deine genehmigung ", " ihre genehmigung ", " deine erlaubnis ", " ihre erlaubnis ", " dein go "],
        &[" brauche ", " benötige ", " bevor ", " ohne ", " erst ", " fehlt ", " nötig ", " bis ", " nur mit ", " erforderlich "],
    ),
    (
        &[" tu aprobación ", " su aprobación ", " tu confirmación ", " su confirmación ", " tu permiso ", " su permiso ", " tu visto bueno ", " su visto bueno ", " tu autorización ", " su autorización ", " tu decisión ", " su decisión ", " tu ok ", " su ok "],
        &[" necesito ", " antes ", " hasta ", " falta ", " requier", " sin ", " hace falta "],
    ),
    (
        &[" votre accord ", " ton accord ", " votre confirmation ", " ta confirmation ", " votre approbation ", " ton approbation ", " votre validation ", " ta validation ", " votre feu vert ", " ton feu vert ", " votre autorisation ", " ton autorisation ", " votre décision ", " ta décision "],
        &["besoin", " avant ", "jusqu", " sans ", " nécessaire ", " requis", " il me faut ", " manque "],
    ),
    (
        &["你确认", "您确认", "你的确认", "您的确认", "你批准", "您批准", "你的批准", "您的批准", "你同意", "您同意", "你的同意", "您的同意", "你的许可", "您的许可", "你授权", "您授权"],
        &["之前", "才能", "才会", "需要", "必须", "不会", "以前"],
    ),
    (&["承認", "許可", "ご確認", "ご判断", "了承"], &["必要で", "必要があ", "までは", "をお願い", "前には"]),
];

/// The speaker waits × for a word of the person.
const WAITS_FOR: &[Pair] = &[
    (
        &[" i am waiting ", " i'm waiting ", " i am now waiting ", " i'm now waiting ", " i am still waiting ", " i'll wait ", " i will wait ", " i wait ", " i await ", " i'm awaiting ", " i am awaiting ", " i'll hold ", " i will hold ", " we are waiting "],
        &[" you", " go ", " approv", " confirm", " decision", " answer", " reply", " permission", " sign off ", " green light ", " ok ", " okay ", " instruction", " word "],
    ),
    (
        &[" ich warte ", " warte ", " warten "],
        &[" dein", " ihr", " eur", " dich ", " sie ", "freigabe", "bestätigung", "zustimmung", "antwort", "rückmeldung", "entscheidung", "grünes licht", " ok ", " okay ", " go ", "genehmigung", "anweisung"],
    ),
    (
        &[" espero ", " esperando ", " espera de ", " pendiente de "],
        &["aprobación", "confirmación", "respuesta", "decisión", "visto bueno", "luz verde", "instrucciones", "permiso", "autorización", " que me ", " ok "],
    ),
    (
        &[" j'attends ", " j'attendrai ", " en attente ", " dans l'attente ", " j'attend "],
        &[" votre ", " vos ", " ton ", " ta ", "feu vert", "approbation", "validation", "confirmation", "accord", "réponse", "décision", "instruction", "autorisation", " que vous ", " que tu "],
    ),
    (
        &["承認", "確認", "許可", "指示", "返事", "返答", "回答", "判断", "了承", "決定", "連絡", "ゴーサイン"],
        &["待ち", "待って"],
    ),
];

/// What comes next hangs on × a word of the person.
const HANGS_ON: &[Pair] = &[
    (
        &[
            " as soon as you", " once you", " after you ", " when you ", " until you ", " only if you ", " if you ", " provided you ", " provided that you ", " as long as you ", " the moment you ",
        ],
        &[
            " give me ", " give the go", " give your ", " given me ", " given the go", " given your ", " approv", " say go ", " sign off ",
        ],
    ),
    (
        &[
            " sobald du", " sobald sie ", " sobald ihr ", " sobald ich ", " wenn du", " wenn sie ", " wenn ihr ", " falls du", " falls sie ", " nachdem du", " nachdem sie ", " bis du ", " bis sie ", " erst wenn du", " erst wenn ich ",
        ],
        &[
            "zustimm", "freigib", "freigeb", "freigabe", "bestätig", "einverstanden", "grünes licht", " go ", " okay ", " ok ", "erlaub", "genehmig",
        ],
    ),
    (
        &[" en cuanto ", " cuando me ", " cuando lo ", " una vez que ", " después de que ", " hasta que ", " si me ", " si estás ", " si está ", " con tu ", " con su "],
        &[" des ", " dé ", " den ", "aprueb", "aprob", "confirm", "autoric", "autoriz", " digas ", " diga ", "luz verde", "visto bueno", "permiso", "de acuerdo", "permit"],
    ),
    (
        &[
            " dès que ", " une fois que ", " une fois votre ", " après votre ", " après ton ", " quand vous ", " quand tu ", " lorsque vous ", " jusqu'à ce que ", " si vous êtes ", " si tu es ", " avec votre ", " dès votre ", " dès ton ",
        ],
        &["donn", "approuv", "approb", "confirm", "valid", "accord", "autoris", "feu vert"],
    ),
    (
        &["你", "您"],
        &["同意后", "确认后", "批准后", "许可后", "点头后", "答复后", "回复后", "授权后", "同意之后", "确认之后", "批准之后", "一声令下"],
    ),
    (
        &["除非", "如果", "若", "如", "只要", "假如", "要是"],
        &["你同意", "您同意", "你批准", "您批准", "你确认", "您确认", "你允许", "您允许"],
    ),
    (
        &["承認", "許可", "了承", "同意", "了解", "ゴーサイン", "指示"],
        &["いただけれ", "いただき次第", "いただいたら", "いただいてから", "くだされば", "くれれば", "もらえれば", "次第", "あれば"],
    ),
];

/// The same of the speaker alone: programs too do something once they are told.
const HANGS_ON_PERSONALLY: &[Pair] = &[(
    &[" as soon as you", " once you", " after you ", " when you ", " until you ", " only if you ", " if you ", " provided you ", " as long as you ", " the moment you "],
    &[" confirm", " agree", " say yes ", " say so ", " let me ", " are ok ", " are okay ", " are fine ", " okay ", " permit", " allow"],
)];

/// Unless × the person says no.
const UNLESS: &[Pair] = &[
    (
        &[" unless you ", " if you don't ", " if you do not ", " if you have no "],
        &[" object", " tell me ", " stop me ", " veto", " disagree"],
    ),
    (
        &[" unless ", " if there are no ", " if there is no ", " if no ", " if i hear no ", " barring ", " without "],
        &[" objection", " i hear ", " objects ", " vetoes ", " told otherwise ", " veto "],
    ),
    (&[" speak up ", " shout ", " stop me ", " tell me "], &[" if you object", " if you disagree", " if you mind"]),
    (
        &[" i'll ", " i will ", " i'm going to ", " i am going to "],
        &[" if that's fine ", " if that is fine ", " if that's ok", " if that is ok", " if that works ", " if it's ok", " if it is ok", " if you're fine ", " if you're ok", " if it's fine "],
    ),
    (&[" if i don't hear ", " if i do not hear "], &[" back ", " from you ", " otherwise ", " i'll ", " i will "]),
    (
        &[" sofern ", " wenn du", " wenn sie ", " wenn ihr ", " falls du", " falls sie ", " es sei denn ", " außer ", " solange ", " ohne ", " wenn niemand ", " wenn keine "],
        &["widersprich", "widerspreche", "widerspruch", "dagegen", "einspruch", "einwänd", "einwand", "gegenteil", "ablehn"],
    ),
    (
        &[" a menos que ", " salvo ", " si no ", " sin ", " excepto "],
        &["opong", "opones", "opone ", "objeci", "objetas", "objete", "digas lo contrario", "diga lo contrario", "en contra"],
    ),
    (
        &[" à moins que ", " à moins d", " sauf ", " sans ", " en l'absence ", " si vous n", " si tu n"],
        &["objection", "oppos", "avis contraire", "contre indication", "refus"],
    ),
    (
        &["除非", "如果", "若", "如", "只要", "假如", "要是", "你", "您", "没有"],
        &["反对", "异议", "没有意见", "没意见", "没有问题", "没问题", "不介意", "说不", "叫停"],
    ),
    (
        &["反対", "異論", "異議", "問題", "ご意見"],
        &["なければ", "ないようでしたら", "ない限り", "ない場合", "無ければ"],
    ),
];

const UNLESS_PERSONALLY: &[Pair] =
    &[(&[" unless you ", " if you don't ", " if you do not ", " if you have no "], &[" say no ", " say stop ", " say otherwise ", " mind ", " want me to stop "])];

/// Tell me × what.
const TOLD: &[Pair] = &[
    (
        &[" please tell me ", " please say ", " tell me first ", " please let me know first ", " first tell me ", " please first "],
        &[" if i ", " whether ", " which ", " what ", " how ", " where "],
    ),
    (
        &[" sag mir ", " sagt mir ", " sagen sie mir ", " teil mir ", " teile mir ", " teilen sie mir ", " gib mir bescheid ", " sag bescheid ", " geben sie mir bescheid ", " lass mich wissen ", " lassen sie mich wissen ", " nenn mir ", " nenne mir ", " nennen sie mir "],
        &[" ob ", " welche", " was ", " wie ", " wo ", " wann ", " wer ", " dass ich ", " bevor "],
    ),
    (
        &[" bitte bestätig", " bestätige bitte ", " bestätigen sie ", " bitte entscheide", " entscheide bitte ", " bitte wähl", " bitte gib ", " bitte geben sie ", " bitte klär", " bitte genehmig", " bitte um ", " ich brauche dein", " ich brauche ihr", " ich benötige "],
        &[" ob ", " dass ", " welche", " was ", " wie ", " zwischen ", " frei ", "freigabe", " für ", " die ", " den ", " das ", "entscheidung", "bestätigung", "zustimmung", "ok"],
    ),
    (
        &[" dime ", " díganme ", " dígame ", " indícame ", " indíqueme ", " avísame ", " hazme saber ", " hágame saber ", " confírmame ", " confirma ", " confirme ", " confírmeme ", " necesito saber ", " necesito que ", " decide ", " decida ", " elige "],
        &[" si ", " qué ", " cuál", " cómo ", " dónde ", " que puedo ", " que debo ", " que quieres ", " primero ", " antes ", " me confirmes ", " me digas ", " entre "],
    ),
    (
        &[" dis moi ", " dites moi ", " indique moi ", " indiquez moi ", " merci de ", " confirme ", " confirmez ", " veuillez ", " précise ", " précisez ", " fais moi savoir ", " faites moi savoir ", " j'ai besoin de savoir ", " j'ai besoin de votre ", " j'ai besoin que "],
        &[" si ", " s'il ", " quel", " quoi ", " comment ", " où ", "confirmer", "préciser", "indiquer", "valider", "approuver", " que je ", "confirmation", "accord", "décision", " ce que "],
    ),
    (
        &["请", "麻烦", "烦请", "需要你", "需要您", "希望你", "希望您"],
        &["告诉我", "告知", "确认", "选择", "决定", "指定", "批准", "明确", "指示", "答复", "批复"],
    ),
    (
        &["か", "どちら", "どれ", "どの", "何を", "いつ", "まず", "先に"],
        &["教えて", "お知らせください", "ご連絡ください", "確認してください", "ご確認ください", "確認をお願い", "決めてください", "お選びください", "選んでください", "指定してください", "ご判断", "ご指示", "指示してください"],
    ),
];

/// The person may wish for something else, in one phrase.
const WISHES: &[&str] = &[
    " bei bedarf ", " auf wunsch ", " wenn gewünscht ", " si quieres ", " si quiere ", " si queréis ", " si prefieres ", " si prefiere ", " si lo deseas ", " si lo desea ", " si deseas ", " si desea ", " si te interesa ", " si necesitas ", " si hace falta ",
    " si vous voulez ", " si tu veux ", " si vous souhaitez ", " si vous le souhaitez ", " si tu le souhaites ", " si tu souhaites ", " si vous préférez ", " si tu préfères ", " si besoin ", " au besoin ", " si nécessaire ",
    "如有需要", "如需", "需要的话", "有需要的话", "想要的话",
    "必要であれば", "必要なら", "必要でしたら", "必要に応じて", "希望であれば", "希望なら", "希望でしたら", "希望する場合", "希望される場合", "よければ", "良ければ", "好みなら", "好みであれば",
];

/// If you × wish.
const IF_WISHED: &[Pair] = &[
    (
        &[" tell me if you", " let me know if you", " say so if you", " just say if you", " shout if you", " ping me if you", " tell me in case you", " let me know in case you", " let me know should you ", " tell me should you "],
        &[" prefer", " want", " rather ", " like ", " need ", " disagree", " think ", " wish", " d like ", "'d like "],
    ),
    (
        &[" if you want", " if you prefer", " if you'd ", " if you would ", " if you like", " if you need", " if you disagree", " if you think", " in case you want", " in case you prefer", " should you prefer", " should you want"],
        &[" just say ", " say so ", " tell me ", " let me know ", " i can ", " i could ", " happy to "],
    ),
    (
        &[" wenn du ", " wenn sie ", " wenn ihr ", " falls du ", " falls sie ", " falls ihr "],
        &["lieber", "bevorzug", "willst", "möchte", "wünsch", "magst", "wollen", "wollt", "brauch", "anders"],
    ),
    (
        &["如果你", "如果您", "若你", "若您", "要是你", "要是您", "假如你", "倘若你"],
        &["更", "喜欢", "想", "希望", "愿意", "需要", "倾向", "偏好", "觉得", "认为"],
    ),
    (&["方が", "ほうが"], &["よければ", "良ければ", "よい場合", "いい場合"]),
];

/// It must be said before anything is done.
const FIRST: &[&str] = &[
    " first ", " before i ", " before we ", " zuerst ", " vorher ", " bevor ich ", " zunächst ", " primero ", " antes de ", " d'abord ", " avant de ", " avant que ", "请先", "之前", "まず", "前に", "先に",
];

/// Something beyond the work.
const MORE: &[&str] = &[
    " also ", " as well ", " additionally ", " in addition ", " too ", " auch ", " zusätzlich ", " außerdem ", " noch ", " también ", " además ", " aussi ", " également ", " en plus ", "也", "再加", "还要", "另外", "顺便", "も追加", "さらに", "他にも", "ついでに",
];

/// The work is finished.
const FINISHED: &[&str] = &[
    " done ", " finished ", " completed ", " complete ", " all tests pass", " all green ", " passed ", " is in place ", " fertig ", " erledigt ", " abgeschlossen ", " alle tests ", " listo ", " hecho ", " terminado ", " completado ", " terminé ", " fini ", " c'est fait ", " tous les tests ",
    "完成", "搞定", "完毕", "通过", "完了", "終わりました", "できました",
];
