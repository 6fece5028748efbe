//! The words the rules know, as data: what may be done (acts), to what (topics, members of a category), and
//! the cues that say whether a person wants it. Forms are separated by `|`; Chinese and English stand together.

use std::{collections::HashMap, sync::LazyLock};

use super::{Token, TokenKind, read::What, tokens};

/// What is done to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// No verb was said.
    Any,
    Add,
    Write,
    Use,
    Run,
    /// The topic itself is the act: push, commit, deploy.
    Do,
    Remove,
    Skip,
    Change,
    Keep,
    Fix,
}

/// A word that says how the person stands to what is named beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cue {
    For,
    /// Against what follows, or what came before when nothing else was said.
    Against,
    /// Against what follows only: "tabs, not spaces".
    Not,
    Permit,
    Ask,
    /// "without asking": with a refusal it means ask, with a permission it means go on.
    Unasked,
    /// Says that no question is wanted.
    NoAsk,
    /// A condition: what it limits needs judgement.
    If,
    /// Softens without limiting: "where possible".
    Hedge,
    /// What follows is less wanted than what came before: "over", "rather than".
    Over,
    /// What follows is only the moment: "before committing".
    Before,
    /// What follows comes second: "再提交".
    Then,
    /// What came before is only the moment: "提交前".
    Moment,
    Without,
    /// Joins equals: "and", "or".
    Join,
    /// Turns the thought: "but".
    But,
    /// The sentence describes: "is", "are".
    Copula,
    /// The person speaks of themselves.
    Me,
    /// The person speaks of the team or to the agent: "we use", "you write".
    Person,
    /// Limits to what is there already, or to this project's own parts.
    Own,
}

const ACTS: &[(Act, &str)] = &[
    (Act::Add, "add|introduce|install|bring in|pull in|include|import|depend on|adopt|加|添加|引入|新增|增加|安装|加入|加上|装"),
    (Act::Write, "write|create|implement|generate|make|author|draft|写|编写|创建|新建|生成|实现|补"),
    (Act::Use, "use|go with|stick to|stick with|choose|pick|switch to|target|follow|indent with|format with|用|使用|采用|选|选择|选用|换成"),
    (Act::Run, "run|rerun|execute|launch|start|跑|运行|执行|启动"),
    (Act::Do, "push|commit|deploy|publish|release|merge|squash|rebase|format|lint|refactor|download|fetch|upload|access|connect|推送|提交|部署|发布|合并|重构|下载|上传|联网|访问|格式化|推到|推上去|推"),
    (Act::Remove, "delete|remove|drop|erase|wipe|purge|get rid of|uninstall|clear|rm|rm rf|strip|prune|discard|throw away|truncate|删除|删|删掉|移除|去掉|清空|清理|清除|丢弃"),
    (Act::Skip, "skip|omit|bypass|disable|ignore|leave out|turn off|mute|comment out|跳过|忽略|禁用|关闭|省略|绕过|注释掉"),
    (Act::Change, "change|modify|alter|rename|update|upgrade|bump|edit|touch|rewrite|break|restructure|reorganize|convert|migrate|replace|rework|move|split|改|改动|修改|更改|变更|改变|升级|更新|重命名|改名|重写|替换|迁移|破坏|动|调整"),
    (Act::Keep, "keep|preserve|maintain|retain|leav|leave alone|respect|保留|保持|维持|不动|不变"),
    (Act::Fix, "fix|repair|correct|solve|resolve|修|修复|修正|解决"),
];

const TOPICS: &[(&str, &str)] = &[
    ("dependency", "dependency|package|library|lib|crate|third party|external module|npm module|third party module|new dep|deps|gem|依赖|依赖项|第三方|第三方库|第三方包|软件包|库|包"),
    ("stdlib", "standard library|stdlib|std lib|标准库"),
    ("api", "api|apis|public api|public interface|interface|public function|public method|public signature|function signature|signature|endpoint|exported function|exported name|contract|接口|公共接口|公开接口|对外接口|签名|函数签名"),
    ("preserving", "behavior preserving|preserve behavior|preserve the behavior|keep behavior|keep the behavior|keep existing behavior|keep the existing behavior|without changing behavior|behavior unchanged|same behavior|behavior the same|不改变行为|保持行为|行为不变|保持现有行为|不改行为|保持原有行为"),
    ("behaviour", "behavior|semantic|行为|语义"),
    ("compatible", "backwards compatible|backward compatible|backward compatibility|backwards compatibility|compatibility|compatible|compat|向后兼容|兼容|兼容性|兼容旧版本|兼容老版本"),
    ("breaking", "breaking change|breaking|break compatibility|break backward compatibility|break backwards compatibility|incompatible|breaking the api|不兼容|破坏性|破坏兼容|破坏性变更|破坏性改动"),
    ("tests", "test|test case|test suite|unit test|integration test|regression test|testing|e2e|测试|单元测试|单测|用例|测试用例"),
    ("verify", "verify|verification|validate|check|smoke test|验证|检查|校验"),
    ("commit", "commit|committing|提交"),
    ("message", "commit message|commit messages|提交信息|提交说明|提交消息|commit 信息|commit message"),
    ("push", "push|git push|force push|push force|强推|强制推送|推送|推到|推上去|推代码|推"),
    ("force", "force push|push force|force|强推|强制推送|强制"),
    ("branch", "branch|分支"),
    ("pull request", "pull request|pr|prs|merge request|拉取请求"),
    ("merge", "merge|合并"),
    ("release", "release|publish|发布|发版"),
    ("deploy", "deploy|deployment|部署|上线"),
    ("production", "production|prod|live server|生产|生产环境|线上"),
    ("staging", "staging|预发|预发环境"),
    ("format", "format|formatting|formatter|reformat|code style|coding style|style|格式|格式化|代码风格|排版"),
    ("lint", "lint|linter|linting|clippy|静态检查"),
    ("types", "type hint|type annotation|type hints|static type|type check|typing|类型注解|类型标注|类型提示"),
    ("docs", "doc|document|documentation|readme|docstring|guide|文档|说明文档|自述文件"),
    ("comment", "comment|code comment|inline comment|注释"),
    ("changelog", "changelog|change log|release note|更新日志|变更日志"),
    ("refactor", "refactor|refactoring|restructure|cleanup|clean up|重构|清理代码"),
    ("rewrite", "rewrite|full rewrite|from scratch|重写"),
    ("rename", "rename|renaming|重命名|改名"),
    ("network", "network|internet|online|download|fetch|web|http request|curl|wget|remote server|external service|联网|网络|外网|下载|上网"),
    ("install", "install|installation|安装|装"),
    ("data", "data|user data|record|table|row|数据|表|用户数据|记录"),
    ("file", "file|folder|directory|文件|目录|文件夹"),
    ("dead code", "dead code|unused code|unused function|unused import|unused helper|unused variable|legacy code|死代码|无用代码|没用的代码|未使用的代码|废弃代码"),
    ("performance", "performance|fast|faster|speed|efficient|efficiency|optimize|optimization|性能|速度|更快|优化"),
    ("clarity", "clarity|clear|clearer|readable|readability|simple|simpler|simplest|simplicity|straightforward|boring|plain|可读|可读性|清晰|简单|简洁|易读"),
    ("clever", "clever|cleverness|fancy|tricky|magic|complex|complicated|sophisticated|abstraction|复杂|花哨|技巧|炫技|抽象"),
    ("version", "version|release number|版本|版本号"),
    ("migration", "migration|schema change|数据迁移|迁移脚本"),
    ("schema", "schema|数据库结构|表结构"),
    ("config", "config|configuration|setting|配置|设置"),
    ("log", "log|logging|logger|debug print|print statement|日志|打印"),
    ("errors", "error handling|error|exception handling|handle error|exception|错误处理|异常处理|错误|异常"),
    ("panic", "panic|unwrap|crash|崩溃"),
    ("retry", "retry|重试"),
    ("cache", "cache|caching|缓存"),
    ("async", "async|asynchronous|异步"),
    ("sync", "sync|synchronous|blocking|同步"),
    ("feature flag", "feature flag|flag|toggle|特性开关|功能开关"),
    ("unrelated", "unrelated|unrelated change|while i'm here|while i am here|while i'm at it|while at it|drive by|out of scope|other module|other file|other part|scope creep|beyond the task|whole code base|whole codebase|entire codebase|无关|无关的改动|顺手|顺便|顺带|其他模块|范围之外|任务之外"),
    ("minimal", "minimal change|minimal diff|small diff|smallest change|smallest diff|minimal patch|change minimal|diff minimal|diff small|patch small|stay in scope|stay on task|stick to the task|only what i ask|only what i asked for|最小改动|最小化改动|改动最小|只改必要|最小变更"),
    ("cost", "cost|money|paid|pay|price|billing|expens|expensive|$|dollar|usd|fee|quota|credit|花钱|费用|收费|付费|花费|付钱|美元|扣费"),
    ("secret", "secret|api key|password|credential|token|private key|access key|密钥|密码|凭证|令牌|口令|秘钥"),
    ("privacy", "privacy|personal data|user data|pii|telemetry|email address|private data|隐私|个人信息|用户数据|遥测"),
    ("name", "name|naming|call it|名字|名称|命名"),
    ("deadline", "deadline|due date|截止|期限"),
    ("port", "port|端口"),
    ("line width", "line width|line length|max line|column limit|行宽|行长"),
    ("coverage", "coverage|覆盖率"),
    ("hook", "git hook|pre commit|precommit|钩子"),
    ("ci", "ci|pipeline|workflow|github action|持续集成|流水线"),
    ("design", "design|architecture|approach|设计|方案|架构"),
    ("todo", "todo|fixme|待办"),
    ("mock", "mock|stub|fake|模拟"),
    ("snapshot", "snapshot|golden file|快照"),
    ("history", "git history|history|提交历史"),
    ("backup", "backup|备份"),
    ("sudo", "sudo|root privilege|管理员权限"),
    ("docker", "docker|container|容器|镜像"),
    ("vendor", "vendor|vendoring|vendored"),
    ("generated", "generated code|generated file|生成的代码|生成代码"),
    ("function", "function|method|helper|函数|方法"),
];

/// Things of which one is chosen. When `exclusive`, wanting one means not wanting the others.
pub(crate) struct Category {
    pub(crate) id: &'static str,
    pub(crate) exclusive: bool,
    /// How the category itself is called.
    pub(crate) names: &'static str,
    pub(crate) members: &'static [(&'static str, &'static str)],
}

pub(crate) const CATEGORIES: &[Category] = &[
    Category { id: "indentation", exclusive: true, names: "indentation|indent|缩进", members: &[("tabs", "tab|制表符|tab 键"), ("spaces", "space|two spaces|four spaces|2 spaces|4 spaces|空格")] },
    Category { id: "length", exclusive: true, names: "length|长度|篇幅", members: &[("short", "short|shorter|brief|concise|terse|succinct|compact|简短|短一点|短的|精简|简明|简洁"), ("long", "long|longer|verbose|detail|detailed|exhaustive|lengthy|in depth|thorough|详细|长的|长一点|冗长|详尽|详细的")] },
    Category { id: "size", exclusive: true, names: "size|大小", members: &[("small", "small|smaller|tiny|little|小步|较小|小的|小一点|小提交"), ("large", "large|larger|big|bigger|huge|giant|较大|大块|大的|大提交|大改")] },
    Category { id: "language", exclusive: true, names: "language|locale|语言", members: &[("english", "english|英文|英语"), ("chinese", "chinese|中文|汉语")] },
    Category { id: "quotes", exclusive: true, names: "quote style|引号", members: &[("single quotes", "single quote|单引号"), ("double quotes", "double quote|双引号")] },
    Category { id: "package manager", exclusive: true, names: "package manager|包管理器|包管理工具", members: &[("npm", "npm"), ("pnpm", "pnpm"), ("yarn", "yarn"), ("bun", "bun"), ("pip", "pip"), ("uv", "uv"), ("poetry", "poetry"), ("pipenv", "pipenv"), ("conda", "conda")] },
    Category { id: "integration", exclusive: true, names: "merge strategy|merge method|合并方式", members: &[("squash", "squash|压缩提交"), ("rebase", "rebase|变基"), ("merge commit", "merge commit|合并提交")] },
    Category { id: "case", exclusive: true, names: "naming convention|naming style|命名规范|命名风格", members: &[("snake_case", "snake_case|snake case|下划线命名"), ("camelCase", "camelcase|camel case|驼峰|驼峰命名"), ("kebab-case", "kebab case"), ("PascalCase", "pascalcase|pascal case")] },
    Category { id: "database", exclusive: false, names: "database|db|数据库", members: &[("postgres", "postgres|postgresql|pg"), ("mysql", "mysql|mariadb"), ("sqlite", "sqlite|sqlite3"), ("mongodb", "mongodb|mongo"), ("redis", "redis")] },
    Category { id: "programming language", exclusive: false, names: "programming language|编程语言", members: &[("rust", "rust"), ("python", "python|python3"), ("typescript", "typescript"), ("javascript", "javascript"), ("golang", "golang|go lang"), ("java", "java"), ("kotlin", "kotlin"), ("ruby", "ruby"), ("swift", "swift"), ("node", "node|node.js|nodejs")] },
    Category { id: "test framework", exclusive: false, names: "test framework|test runner|testing framework|testing library|测试框架", members: &[("pytest", "pytest"), ("unittest", "unittest"), ("jest", "jest"), ("vitest", "vitest"), ("mocha", "mocha"), ("nextest", "nextest"), ("junit", "junit"), ("playwright", "playwright"), ("cypress", "cypress")] },
    Category { id: "formatter", exclusive: false, names: "formatter|code formatter|格式化工具", members: &[("prettier", "prettier"), ("black", "black"), ("rustfmt", "rustfmt"), ("ruff", "ruff"), ("gofmt", "gofmt"), ("biome", "biome")] },
    Category { id: "web framework", exclusive: false, names: "web framework|http framework|web 框架", members: &[("axum", "axum"), ("actix", "actix"), ("flask", "flask"), ("django", "django"), ("fastapi", "fastapi"), ("express", "express"), ("react", "react"), ("vue", "vue"), ("svelte", "svelte")] },
    Category { id: "http client", exclusive: false, names: "http client|http library", members: &[("reqwest", "reqwest"), ("ureq", "ureq"), ("axios", "axios"), ("requests", "requests library"), ("httpx", "httpx")] },
    Category { id: "data format", exclusive: false, names: "file format|config format|serialization format|文件格式|配置格式", members: &[("json", "json"), ("yaml", "yaml|yml"), ("toml", "toml"), ("csv", "csv"), ("xml", "xml")] },
    Category { id: "license", exclusive: false, names: "license|licence|许可证|协议", members: &[("MIT", "mit"), ("Apache-2.0", "apache|apache 2.0"), ("GPL", "gpl|gplv3"), ("BSD", "bsd")] },
    Category { id: "paradigm", exclusive: false, names: "", members: &[("composition", "composition|组合"), ("inheritance", "inheritance|继承"), ("functional", "functional|函数式"), ("object-oriented", "object oriented|面向对象")] },
    Category { id: "code shape", exclusive: true, names: "", members: &[("clear", "readable|clear|simple|simpler|straightforward|可读|清晰|简单"), ("clever", "clever|fancy|tricky|complicated|复杂|花哨")] },
];

const CUES: &[(Cue, &str)] = &[
    (Cue::For, "prefer|preferably|favor|always|want|like|love|must|should|shall|make sure|ensure|please|require|need to|remember to|try to|do|value|insist on|has to|have to|要|请|必须|总是|始终|一律|优先|偏好|喜欢|偏爱|应该|应当|务必|尽量|先|首先|一定要|推荐|最好|希望|要求|倾向|记得|统一|都用|习惯"),
    (Cue::Against, "avoid|never|don't|do not|dont|must not|mustn't|should not|shouldn't|shall not|can't|cannot|can not|may not|won't|refrain from|stay away from|stop|forbid|forbidden|prohibit|prohibited|banned|ban|not allowed|not permitted|not acceptable|not ok|not okay|unacceptable|hate|dislike|minimize|minimise|not to be|should never|must never|no need to|no need for|not want|don't want|do not want|don't need|don't like|do not like|oppose|reject|off limits|hands off|不要|别|禁止|避免|切勿|严禁|不准|不允许|不许|不得|勿|少|尽量不|尽量不要|尽量少|尽量避免|不用|无需|不必|拒绝|不能|不可以|不可|没必要|不应该|不应|不想|不希望|不喜欢|讨厌|反对|绝不|从不|决不|不再|不需要|不该|不建议|请勿|请不要|不接受|不想要"),
    (Cue::Not, "not|no|nor|neither|zero|without any|non|不|没有|不是"),
    (Cue::Permit, "you may|may|you can|can|allowed|is allowed|are allowed|permitted|okay to|ok to|fine to|feel free|free to|is fine|are fine|is ok|are ok|is okay|are okay|fine with me|ok with me|welcome|acceptable|no problem|go ahead|可以|允许|随便|没问题|准许|放心|随意|能"),
    (Cue::Ask, "ask me|ask first|ask before|ask|asking|asking me|check with me|confirm with me|confirm first|let me decide|i decide|i want to decide|i want to approve|my approval|my permission|my consent|my ok|needs my|need my|require my|requires my|my decision|run it by me|run by me|tell me before|tell me first|myself|i'll do|only i|talk to me|consult me|let me know before|explicit approval|explicit permission|explicit consent|问我|先问|先问我|问一下我|征求我|经我同意|我同意|我批准|我允许|我来决定|由我决定|我决定|跟我确认|和我确认|与我确认|先确认|征得|我的许可|我许可|告诉我再|先跟我说|通知我|我自己|我来|亲自"),
    (Cue::Unasked, "without asking|without asking me|without asking first|without my permission|without my approval|without my consent|without permission|without approval|without confirmation|without my ok|without checking with me|without telling me|unless i ask|unless i say|unless i say so|unless i approve|unless i tell you|unless told|unless asked|unless i explicitly|unless i ask for it|until i say|until i approve|未经|除非我说|除非我要求|没有我的同意|没问我|不问我"),
    (Cue::NoAsk, "don't ask|do not ask|don't ask me|do not ask me|never ask|never ask me|no need to ask|without having to ask|stop asking|need not ask|you decide|decide yourself|decide for yourself|use your judgment|use your judgement|use your own judgment|use your own judgement|up to you|your call|your choice|no confirmation needed|don't wait for me|不用问|不用问我|不必问我|别问我|别问|无需询问|不需要问我|不要问我|你自己决定|你决定|你看着办|自行决定|自己判断"),
    (Cue::If, "unless|if|except|except for|except when|exception|only when|only if|depend|depends|depending|when|whenever|as long as|provided|until|in case|in cases|where necessary|when necessary|when needed|as needed|if needed|where needed|if necessary|otherwise|sometimes|only for|only in|only after|after|once|besides|other than|apart from|but not for|too much|too many|large enough|unnecessary|needless|excessive|reasonable|除非|如果|若|若是|假如|除了|除外|只有|当|视情况|必要时|的话|情况下|例外|否则|有时|只在|仅在|仅当|不必要|只要|时候|酌情|适当|时"),
    (Cue::Hedge, "where possible|if possible|when possible|whenever possible|where you can|if you can|if at all possible|as much as possible|as far as possible|usually|generally|in general|by default|mostly|尽可能|一般|通常|默认"),
    (Cue::Over, "over|rather than|instead of|than|in favor of|versus|而不是|而非|优先于|高于|重于|胜过|优于|好过|多于|代替|而不|不如"),
    (Cue::Before, "before|prior to|ahead of"),
    (Cue::Then, "and then|then|再|然后|之后再|后再|才"),
    (Cue::Moment, "之前|以前|前|之后|以后"),
    (Cue::Without, "without|w/o|不经|没有经过"),
    (Cue::Join, "and|or|as well as|plus|及|以及|和|与|或|或者|还有|并|并且|还是|跟"),
    (Cue::But, "but|however|yet|though|但|但是|不过|可是"),
    (Cue::Copula, "is|are|was|were|be|been|being|has|have|sit|是|在|为|有"),
    (Cue::Me, "i|我"),
    (Cue::Person, "we|our|you|my|i'm|we're|我们|你|咱们|您|大家"),
    (Cue::Own, "existing|already|built in|builtin|workspace|internal|in house|local|our own|current|现有|已有|内部|内置|已经"),
];

/// Words that say nothing about the topic.
const STOPS: &str = "a|an|the|it|its|this|that|these|those|them|they|one|ones|of|to|for|with|by|on|at|in|into|from|as|so|also|too|just|only|really|very|new|any|some|all|every|each|more|most|much|many|other|another|here|there|now|next|me|us|your|yours|mine|what|which|who|where|how|why|will|would|could|did|does|done|get|got|let|go|on|up|out|off|about|thing|anything|everything|something|nothing|stuff|way|kind|sort|work|job|task|code|project|repo|repository|change|my|i'd|i'll|i've|you'd|like|better|best|prefer|good|great|ok|okay|yes|well|first|last|two|three|both|either|time|right|current|still|even|again|such|own|same|per|via|while|during|because|since|want|wants|think|know|say|see|look|mean|means|possible|approach|option|solution|extra|additional|further|above|below|following|ahead|on|proceed|continue|keep|help|actually|instead|etc|e.g|i.e|bit|lot|using|explicitly|strictly|simply|kept|added|anyway|currently|please|thanks|hi|hello|sure|absolutely|whatever|it's|that's|there's|which|whether|am|we'd|we'll|isn't|aren't|doesn't|didn't|everywhere|anywhere|part|place|early|often|matter|matters|important|base|put|live|apply|belong|happen|frequently|regularly|carefully|quickly|properly|stable|unchanged|intact|manually|always|的|了|把|被|吗|呢|吧|啊|么|这|那|这个|那个|个|一个|一下|一遍|一|些|一些|也|都|就|还|再|去|来|会|得|地|着|给|对|从|到|里|中|上|下|什么|怎么|怎样|如何|哪个|哪些|哪|哪种|多少|几|任何|所有|新|新的|更|最|很|比较|需要|我的|你的|它|他|请问|现在|继续|直接|帮|让|所以|因为|代码|项目|任务|以|于|其|之|该|此|每次|每|全部|东西|事情|事|做|进行|一次|先|后|同时|时间|及时|随时|实时|暂时|好|行|二|两|两个|另外|以及|是否|要不要|额外|其它|其他";

/// The longest known form that starts at each position.
pub(crate) struct Lexicon {
    forms: HashMap<String, Vec<(Vec<String>, Vec<What>)>>,
}

/// All tables above as one.
pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon { forms: HashMap::new() };
    for (act, forms) in ACTS {
        lexicon.insert(forms, What::Act(*act));
    }
    for (topic, forms) in TOPICS {
        lexicon.insert(forms, What::Topic(topic));
    }
    for category in CATEGORIES {
        lexicon.insert(category.names, What::Topic(category.id));
        for (member, forms) in category.members {
            lexicon.insert(forms, What::Member { category: category.id, member });
        }
    }
    for (cue, forms) in CUES {
        lexicon.insert(forms, What::Cue(*cue));
    }
    lexicon.insert(STOPS, What::Stop);
    lexicon
});

impl Lexicon {
    /// The meanings of the longest form at the head of `tokens`, and how many tokens it takes.
    pub(crate) fn longest(&self, tokens: &[Token]) -> Option<(&[What], usize)> {
        let candidates = self.forms.get(&tokens.first()?.stem)?;
        let fits = |form: &[String]| {
            form.len() <= tokens.len()
                && form.iter().zip(tokens).all(|(part, token)| *part == token.stem && token.kind != TokenKind::Mark || part == "$" && token.stem == "$")
        };
        candidates.iter().find(|(form, _)| fits(form)).map(|(form, meanings)| (meanings.as_slice(), form.len()))
    }

    fn insert(&mut self, forms: &str, meaning: What) {
        for form in forms.split('|').filter(|form| !form.is_empty()) {
            let stems: Vec<String> = tokens(form).into_iter().map(|token| token.stem).collect();
            let Some(first) = stems.first().cloned() else { continue };
            let known = self.forms.entry(first).or_default();
            match known.iter_mut().find(|(other, _)| *other == stems) {
                Some((_, meanings)) if meaning == What::Stop || meanings.contains(&meaning) => {}
                Some((_, meanings)) => meanings.push(meaning),
                None => known.push((stems, vec![meaning])),
            }
            known.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
        }
    }
}

/// Whether wanting one member of the category rules the others out.
pub(crate) fn is_exclusive(category: &str) -> bool {
    CATEGORIES.iter().any(|known| known.id == category && known.exclusive)
}

/// Packages so well known that their bare name says "dependency".
pub(crate) const KNOWN_PACKAGES: &[&str] = &[
    "lodash", "serde", "tokio", "regex", "requests", "numpy", "pandas", "axios", "moment", "dayjs", "chrono",
    "anyhow", "thiserror", "clap", "rayon", "itertools", "rand", "uuid", "zod", "express", "react", "redux",
    "pydantic", "sqlalchemy", "boto3", "httpx", "aiohttp", "click", "rich", "typer", "attrs", "tenacity",
    "chalk", "commander", "yargs", "underscore", "ramda", "immer", "rxjs", "jsonwebtoken", "bcrypt", "dotenv",
    "reqwest", "hyper", "nom", "pest", "crossbeam", "parking_lot", "once_cell", "lazy_static", "bytes",
];
