//! Words of going on, in English, German, Spanish and French one by one, in Chinese and Japanese as phrases.

/// They ask for leave, say to go on, or carry nothing.
pub(super) const GO_ON: &[&str] = &[
    // English
    "do", "you", "want", "me", "to", "would", "like", "shall", "should", "can", "may", "could", "i", "we", "is", "it", "s", "are", "ok", "okay", "fine", "alright", "good", "if", "that", "this", "the", "a", "an",
    "now", "then", "please", "so", "go", "ahead", "going", "on", "continue", "continuing", "proceed", "proceeding", "keep", "start", "starting", "begin", "resume", "carry", "move", "forward", "with", "and", "next", "step", "steps",
    "part", "phase", "implement", "implementation", "implementing", "code", "coding", "write", "create", "build", "make", "fix", "apply", "finish", "complete", "work", "working", "task", "change", "changes", "edit", "edits", "plan",
    "planned", "described", "above", "proposed", "for", "in", "of", "these", "those", "them", "my", "your", "right", "away", "ready", "as", "by", "verify", "verifying", "there", "here", "from", "put", "into", "be", "have", "function", "method",
    // German
    "soll", "ich", "sollen", "wir", "darf", "dürfen", "kann", "könnte", "möchtest", "möchten", "willst", "wollen", "du", "sie", "dass", "weitermachen", "weitermache", "weiter", "machen", "mache", "fortfahren", "fortfahre", "fortsetzen",
    "fortsetze", "beginnen", "beginne", "anfangen", "anfange", "starten", "starte", "loslegen", "loslege", "jetzt", "nun", "mit", "der", "die", "das", "den", "dem", "ein", "eine", "einen", "umsetzung", "umsetzen", "umsetze",
    "implementierung", "implementieren", "implementiere", "und", "dann", "wie", "geplant", "schritt", "nächsten", "nächste", "änderungen", "änderung", "anwenden", "vornehmen", "vornehme", "einbauen", "einbaue", "hinzufügen", "hinzufüge",
    "ergänzen", "ergänze", "schreiben", "schreibe", "anlegen", "anlege", "es", "ist", "ordnung", "wenn", "aufgabe", "arbeit", "zu", "bitte", "gleich", "direkt", "damit", "fertigstellen", "gehen", "an", "am", "funktion", "methode", "in",
    // Spanish
    "quieres", "quiere", "que", "continúe", "continúo", "continuar", "sigo", "siga", "seguir", "puedo", "debo", "empezar", "empiece", "empiezo", "comenzar", "comience", "comienzo", "con", "la", "el", "los", "las", "cambios", "cambio",
    "implementación", "implementar", "implemente", "implemento", "ahora", "ya", "y", "un", "una", "en", "de", "del", "al", "siguiente", "paso", "adelante", "proceder", "proceda", "procedo", "aplico", "aplique", "aplicar", "te", "le",
    "parece", "bien", "está", "si", "tarea", "trabajo", "hago", "haga", "hacer", "esto", "eso", "lo", "añado", "añada", "añadir", "agrego", "agregue", "agregar", "escribo", "escriba", "escribir", "código", "método", "función",
    // French
    "dois", "je", "puis", "peux", "voulez", "vous", "veux", "tu", "souhaitez", "souhaites", "continuer", "poursuivre", "poursuive", "poursuis", "passer", "passe", "à", "l", "j", "d", "les", "implémentation", "implémenter", "implémente",
    "maintenant", "commencer", "commence", "procéder", "procède", "appliquer", "applique", "changements", "modifications", "ces", "cette", "ce", "et", "du", "des", "une", "dans", "est", "il", "c", "étape", "suivante", "prochaine",
    "travail", "tâche", "faire", "fasse", "fais", "ajouter", "ajoute", "écrire", "écrive", "y", "va", "avancer", "avance", "avec", "continue", "méthode", "fonction",
];

/// Checks; asked for only together with running them.
pub(super) const TESTS: &[&str] = &["test", "tests", "testsuite", "suite", "check", "checks", "pytest", "unittest", "jest", "vitest", "mocha", "nextest", "ctest", "rspec", "phpunit", "cargo", "npm", "pruebas", "prueba", "essais", "测试", "テスト"];
pub(super) const RUNS: &[&str] = &[
    "run", "rerun", "execute", "executing", "running", "ausführen", "ausführe", "laufen", "lassen", "starten", "ejecuto", "ejecute", "ejecutar", "correr", "corra", "corro", "lanzar", "lanzo", "lance", "lancer", "exécuter", "exécute", "tourner",
    "运行", "跑", "执行", "実行", "走らせ", "回し",
];

/// Chinese and Japanese.
pub(super) const GO_ON_UNSPACED: &[&str] = &[
    "请问", "是否", "需要", "要不要", "能不能", "可不可以", "可以", "现在", "继续", "开始", "实现", "进行", "执行", "运行", "跑", "测试", "往下", "下一步", "接着", "动手", "修改", "改动", "更改", "方案", "计划", "任务", "完成", "编写", "添加", "增加", "加到",
    "代码", "工作", "这样", "按照", "这个", "上述", "以上", "直接", "希望", "应用", "这些", "应该", "步骤", "部分", "函数", "一遍", "一下", "下去",
    "このまま", "続けて", "続け", "続行", "進めて", "進め", "実装", "作業", "開始", "始めて", "始め", "実行", "しても", "しましょう", "ましょう", "ますか", "ます", "よろしい", "でしょうか", "ですか", "いい", "よい", "良い", "ステップ", "変更", "適用", "テスト", "追加", "すぐ", "計画", "通り",
    "タスク", "関数", "コード", "書いて", "書き", "して", "する", "します",
];
pub(super) const PARTICLES: &str = "我你您要能让想做写加吗呢了把将在里中的吧按好行对就来此该去到上给先再をにがはのもかでとてへ今次お私ご";

/// What they stand for is in the sentence before.
pub(super) const POINTS_BACK: &[&str] = &["it", "that", "this", "these", "those", "them", "so"];

/// A sentence of the task with one of these says what is not wanted, or limits what is.
pub(super) const DENIALS: &[&str] = &[
    "not", "don", "no", "never", "without", "avoid", "instead", "rather", "except", "unless", "only", "nicht", "kein", "keine", "ohne", "nie", "statt", "nur", "sin", "nunca", "salvo", "pas", "ne", "n", "sans", "jamais", "sauf",
    "不", "别", "勿", "禁止", "避免", "而非", "除了", "只", "ない", "なく", "ません", "禁止", "のみ", "だけ",
];
