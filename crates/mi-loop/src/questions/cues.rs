//! Phrases that make a sentence a question, an offer or neither, as data. Compared with [`super::shape::plain`]
//! text: lower case, one space between words, a space at both ends; Chinese phrases anywhere.

/// Asks for leave.
pub(super) const CONSENT: &[&str] = &[
    " should i ", " shall i ", " can i ", " may i ", " could i ", " must i ", " do i ", " am i allowed", " should we ", " shall we ", " can we ", " do we want ",
    " want me to ", " like me to ", " ok to ", " okay to ", " ok if ", " okay if ", " fine to ", " fine if ",
    " alright if ", " all right if ", " go on ", " go ahead ", " proceed ", " continue ", " permission ", " approve ", " approval ",
    " confirm ", " confirmation ", " sound good ", " sounds good ", " look good ", " ok ", " okay ", " safe to ", " good to go ", " is that fine ",
    " are you ok ", " are you okay ", " do you agree ", " agree ", " want to ", " worth ", " sign off ", " acceptable ", " allowed ", " fine by you ",
    "吗", "要不要", "是否", "可以", "能不能", "可不可以", "需不需要", "该不该", "同意", "批准", "继续", "确认", "行不行", "好不好",
];

/// Asks to be told.
pub(super) const INFORMATION: &[&str] = &[
    "which ", "what ", "what's ", "where ", "who ", "when ", "how ", "why ", "whose ", "do you have ", "do you use ", "do you run ", "are you using ", "is there ", "are there ",
];
pub(super) const INFORMATION_ANYWHERE: &[&str] = &[
    " tell me ", " provide ", " specify ", " share ", " clarify ", " let me know which ", " let me know what ", " let me know where ", " let me know how ",
    " i need the ", " i need your ", " paste ", " send me ", " which ", " what ", " where ", " who ", " how should ", " how do you ", " how would you ",
    "哪", "什么", "多少", "怎么", "如何", "怎样", "几个", "请提供", "请告诉", "请告知", "请指定", "谁",
];

/// Without a question mark, these still ask, and the agent waits.
pub(super) const REQUESTS: &[&str] = &[
    " please tell me ", " please confirm ", " please choose ", " please pick ", " please decide ", " please specify ",
    " please provide ", " please advise ", " please clarify ", " please select ", " please indicate ", " please share ",
    " please answer ", " please approve ", " please send ", " please paste ", " please supply ", " please let me know which ",
    " please let me know what ", " please let me know whether ", " please let me know how ", " please let me know where ",
    " please let me know your ", " tell me which ", " tell me what ", " tell me whether ", " tell me how ", " tell me where ", " tell me if ",
    " let me know which ", " let me know what you prefer ", " let me know what you d prefer ", " let me know what you want ", " let me know whether ", " let me know where ", " let me know your ", " let me know how you ", " let me know before i ",
    " confirm before i ", " confirm that ", " confirm whether ", " confirm if ", " need your confirmation ", " need your approval ", " need your decision ",
    " need your input ", " need your ok ", " need your permission ", " need your sign off ", " need your call ", " need your help ", " need you to ", " need confirmation ",
    " waiting for your ", " waiting on your ", " waiting for you ", " is waiting for approval ", " are waiting for approval ", " waiting on you ",
    " awaiting your ", " your call ", " up to you ", " your decision ", " you decide ", " need to know ",
    " can't proceed without ", " cannot proceed without ", " can't continue without ", " cannot continue without ", " can't go on without ", " cannot go on without ",
    " can't proceed until ", " cannot proceed until ", " can't continue until ", " cannot continue until ", " blocked on your ", " blocked until you ", " i'd like your ", " i would like your ",
    " before i proceed ", " before i continue ", " before i go on ",
    "请问", "请确认", "请选择", "请告诉我", "请告知", "请提供", "请指定", "请决定", "请批准", "请回复", "请明确", "请你决定", "请您决定", "请您确认", "请你确认",
    "等你确认", "等您确认", "等待你的", "等待您的", "等你的", "等您的", "等你决定", "等您决定", "等待确认", "需要你确认", "需要您确认", "需要你提供", "需要您提供", "需要你的", "需要您的", "需要你决定",
    "需要您决定", "需要你来决定", "由你决定", "由您决定", "麻烦确认", "麻烦提供", "待你确认", "待您确认",
];

/// A missing thing named as the reason to stop.
pub(super) const NEEDS: &[&str] = &[" i need ", " i'll need ", " i will need ", " we need "];
pub(super) const TO_GO_ON: &[&str] = &[
    " to go on ", " to continue ", " to proceed ", " before i can ", " before continuing ", " before proceeding ", " in order to ", " to finish ", " to move on ", " from you ", " to move forward ",
];

/// Questions that lack their mark.
pub(super) const STARTS: &[&str] = &[
    "should i ", "shall i ", "can i ", "may i ", "do you want ", "do you prefer ", "would you like ", "would you prefer ", "which one do you ",
    "which do you ", "which one should ", "which would you ", "what do you prefer", "what should i ", "which should i ", "how should i ", "where should i ", "want me to ", "is it ok ", "is it okay ", "which option ", "which of ", "how would you like ", "what would you like ",
];
pub(super) const CHINESE_STARTS: &[&str] = &["要不要", "是否需要", "是否要", "是否可以", "是否应该", "是否继续", "是否允许", "需要我", "我是否", "我应该", "你希望", "您希望", "你想", "您想", "你更", "您更", "要我", "可以让我"];

/// The same in German, Spanish and French.
pub(super) const FOREIGN_STARTS: &[&str] = &[
    "soll ich ", "sollen wir ", "darf ich ", "kann ich ", "möchtest du ", "möchten sie ", "willst du ", "wollen sie ", "ist es ok ", "ist es in ordnung ",
    "quieres que ", "quiere que ", "debo ", "puedo ", "continúo ", "sigo ", "te parece bien ",
    "dois je ", "puis je ", "voulez vous ", "veux tu ", "souhaitez vous ", "souhaites tu ", "est ce que je ", "faut il ",
];
/// Asks to be told, in German, Spanish and French.
pub(super) const FOREIGN_INFORMATION: &[&str] = &[
    "welche", "was ", "wie ", "wo ", "wohin ", "wann ", "wer ", "warum ", "wieso ", "qué ", "cuál", "cómo ", "dónde ", "cuándo ", "quién ", "cuánt",
    "quel ", "quelle ", "quels ", "quelles ", "lequel ", "laquelle ", "comment ", "où ", "quand ", "qui ", "combien ", "pourquoi ", "que dois ", "que voulez ", "qu'est ce ",
];

/// Offers that can wait.
pub(super) const OFFERS: &[&str] = &[
    " let me know if you want me to ", " let me know if you'd like me to ", " let me know if you would like me to ", " let me know if i should ",
    " if you want i can ", " if you'd like i can ", " if you like i can ", " if you would like i can ", " if you prefer i can ", " if useful i can ", " if you want i'll ", " if you'd like i'll ",
    " i can also ", " happy to ", " i could also ", " say the word ", " if you want me to ", " if you'd like me to ", " just say ", " let me know what you think ", " no rush ", " at some point ", " whenever you have time ",
    "如果需要我可以", "如需我可以", "需要的话我可以", "如果你需要", "如果您需要", "如果你愿意", "如果您愿意", "如果你想", "如果您想", "如有需要", "如需", "不急",
];

/// Politeness, not a question.
pub(super) const CLOSERS: &[&str] = &[
    " anything else", " any questions ", " any other question", " something else ", " let me know if you have ", " let me know if you need ", " let me know if anything ", " let me know if there ", " let me know if you run ",
    " let me know if you see ", " let me know if you find ", " let me know if you hit ", " let me know if you spot ", " let me know if this ", " let me know if that ", " let me know if it ", " let me know if you want any",
    " let me know if you'd like any", " let me know if you would like any", " let me know if you want changes ", " let me know when ", " feel free to ", " how can i help", " what can i help", " can i help ", " let me know how it goes ",
    " let me know if you want further", " let me know if you want more", "还有什么需要", "还有其他问题", "还有别的", "其他需要", "有什么问题", "如有问题", "如有任何", "如果有问题", "如果有任何", "还有什么可以帮",
];

/// What the agent did about its own question.
pub(super) const ANSWERED: &[&str] = &[
    "because ", "i decided ", "i went ", "i chose ", "i've gone ", "i have gone ", "it turns out", "it turned out", "turns out", "the answer ", "the reason ", "answer ", "short answer", "simple ", "i picked ", "i kept ", "i left it ", "i have decided ",
    "因为", "原因是", "原因在", "答案是", "我决定", "我选择了", "是因为", "由于",
];
pub(super) const ASSUMED: &[&str] = &[
    "i'll assume ", "i will assume ", "i'm assuming ", "i assumed ", "assuming ", "for now i ", "i'll go with ", "i will go with ", "in the meantime ", "if i don't hear ", "if not i ", "otherwise i ", "i'll default ", "by default i ", "no rush", "no hurry",
    "我先按", "我暂时", "暂时按", "默认", "不急",
];

/// A question mark behind these, with a sentence following, is a figure of speech.
pub(super) const RHETORICAL: &[&str] = &[
    "why ", "what ", "what's ", "how ", "where ", "who ", "when ", "so ", "and ", "but ", "root cause", "the result", "result", "the fix", "the catch", "the problem", "the reason", "reason", "cause", "the cause", "the good news", "the upshot",
    "为什么", "为何", "怎么", "原因", "结果", "问题", "什么", "那么", "怎样",
];
/// … unless it turns to the reader.
pub(super) const ADDRESSED: &[&str] = &[
    " you ", " your ", " should i ", " shall i ", " should we ", " can i ", " may i ", " do i ", " would i ", " want ", " you'd ", " you're ", " prefer ", " proceed ", " continue ", " should it ", " should the ", " should this ", " shall we ", " me to ",
    "你", "您", "我", "请", "要", "是否", "哪",
];

/// A line before a list that says: these are questions.
pub(super) const ANNOUNCES: &[&str] = &[
    " question ", " questions ", " need to know ", " need answers ", " please confirm ", " please clarify ", " please answer ", " please decide ", " please provide ", " need you to ", " need your input ", " need the following ", " need from you ", " clarify ", " open points ",
    " unclear ", " i need ", " could you provide ", " can you provide ", " could you confirm ", " can you confirm ", " could you clarify ",
    "问题", "请确认", "需要确认", "请提供", "请回答", "需要你", "需要您", "以下几点", "请明确", "想确认", "待确认",
];

/// The items of the list are the options of one question.
pub(super) const CHOOSES: &[&str] = &[
    " which ", " choose ", " pick ", " prefer ", " option ", " options ", " select ", " should i ", " shall i ", " would you rather ", " do you want ", " decide between ", " do you want me to ", " how should ", " how would ", "哪", "选", "还是", "要不要", "方案", "应该",
];
pub(super) const COMPARES: &[&str] = &[
    " which of ", " which one ", " which approach ", " which option ", " which design ", " which do you ", " which solution ", " which way ", " which path ", " which would ", " which is better ", "哪个", "哪种", "哪一个", "哪一种", "哪边",
];
pub(super) const TASTE: &[&str] = &[
    " like better ", " like best ", " prefer ", " preference ", " preferred ", " favorite ", " favourite ", " would you rather ", " do you like ", " opinion ", " thoughts ", " your taste ", " feel about ", "喜欢", "更倾向", "倾向于", "偏好", "你觉得", "您觉得", "你认为", "您认为",
];

/// The question holds only if something is so …
pub(super) const CONDITIONS: &[&str] = &[
    " if ", " unless ", " in case ", " provided ", " as long as ", " only when ", " whenever ", "如果", "除非", "的话", "假如", "只要", "万一",
];
/// … but these only lead to what is asked.
pub(super) const NO_CONDITIONS: &[&str] = &[
    " ok if ", " okay if ", " fine if ", " alright if ", " right if ", " acceptable if ", " problem if ", " with you if ", " with it if ", " mind if ", " know if ", " me if ", " confirm if ", " check if ", " object if ", " good if ",
    " if possible ", " if you want ", " if you like ", " if you'd like ", " if you agree ", " if that's ok ", " if that is ok ", " wonder if ", " see if ", " unless you object ", " as if ",
];

/// A yes to these refuses.
pub(super) const TURNED: &[&str] = &[
    " do you mind ", " would you mind ", " mind if ", " any objection ", " any objections ", " objection ", " objections ", " do you object ", " any concerns ", " any problem ", "介意", "反对", "有意见",
];
