//! The words themselves.

use super::Topic;

/// Longer words in which a trigger's characters mean something else.
pub(super) const CHINESE_OTHERS: &[&str] = &[
    "快速排序", "快排", "快照", "快捷", "快递", "愉快", "快乐", "凉快", "快取", "快手", "快餐", "快速傅里叶", "快速幂", "快速入门", "很快就", "快进",
    "快速开始", "外快", "快要", "急救", "急切求值", "急性", "急加载", "赶集", "驱赶", "追赶", "赶上", "先这样做", "先这样改", "先这样写", "先这样处理",
    "做完了吗", "做完了没", "下一个函数", "下一个文件", "下一个版本", "下一个节点", "下一个元素", "下一个月", "下一个步骤", "结束符", "结束标签", "结束时间", "结束时", "结束后",
    "结束位置", "结束循环", "结束进程", "加密货币", "删除线", "决定性", "原则上",
];

/// The same for English.
pub(super) const ENGLISH_OTHERS: &[&str] = &[
    "rush hour", "urgent care", "price is right", "next one to", "hire car", "fire event", "fire the event", "fire an event", "fire a request",
    "access token type", "delete key", "delete button", "goodbye message", "drop down", "drop shadow", "payment method name", "cost function",
    "save button", "save file", "bye bye",
];

pub(super) fn phrases(topic: Topic) -> &'static [&'static str] {
    match topic {
        Topic::Urgency => &[
            "asap", "urgent", "urgently", "hurry", "rush", "immediately", "right now", "right away", "as soon as possible", "emergency",
            "time critical", "do it quickly", "be quick", "real quick", "快", "急", "赶",
        ],
        Topic::Money => &[
            "money", "finance", "financial", "payment", "payments", "billing", "invoice", "invoices", "refund", "refunds", "salary", "salaries", "budget", "payroll",
            "bank account", "price", "pricing", "credit card", "purchase", "cost", "costs", "资金", "付款", "支付", "财务", "金额", "退款", "账单", "工资", "预算", "价格", "转账", "发票", "花钱", "费用",
        ],
        Topic::DataSecurity => &[
            "security", "vulnerability", "data leak", "data breach", "password", "passwords", "encryption", "encrypt", "personal data", "gdpr", "credentials", "authentication",
            "authorization", "permissions", "user data", "安全", "数据泄露", "漏洞", "加密", "密码", "凭证", "隐私", "个人信息", "权限",
        ],
        Topic::Irreversible => &[
            "irreversible", "cannot be undone", "can't be undone", "permanently", "drop table", "drop the table", "drop database", "drop the database", "truncate",
            "delete all", "delete the data", "delete data", "delete production", "wipe", "force push", "purge", "destroy", "rm -rf", "erase", "hard delete", "delete the database",
            "delete the table", "delete the users", "delete user", "delete users", "delete the production", "不可逆", "不可恢复", "永久删除", "删库", "清空", "删除数据", "删除所有", "删除全部", "删除生产", "删除用户", "删掉所有", "删表", "强制推送", "销毁", "彻底删除",
        ],
        Topic::Personnel => &[
            "hire", "hiring", "fire him", "fire her", "fire them", "firing", "lay off", "layoff", "layoffs", "recruit", "recruiting", "promotion", "promote", "reorg", "org restructuring",
            "restructure the team", "restructuring", "personnel", "performance review", "terminate his", "terminate her", "dismiss", "headcount", "招聘", "解雇", "裁员", "辞退", "开除", "人事", "晋升", "组织架构", "绩效", "招人", "录用", "团队调整",
        ],
        Topic::Architecture => &[
            "architecture", "tech stack", "technology stack", "database schema", "schema", "microservices", "microservice", "monolith", "rewrite in", "switch to", "migrate to", "replace the framework",
            "framework choice", "redesign", "re architect", "message queue", "架构", "技术栈", "技术选型", "数据库结构", "数据库模式", "表结构", "微服务", "换框架", "改用", "换成", "重构整个", "选型",
        ],
        Topic::SmallChange => &["just a small change", "small change", "tiny change", "quick change", "just change", "just a tweak", "minor change", "one line change", "simple change", "trivial change", "就改一下", "改一下就行", "小改动", "简单改一下", "随便改改", "顺手改一下", "稍微改一下"],
        Topic::Override => &["override", "直接做", "不需要讨论"],
        Topic::Closing => &["done for now", "that's it for now", "that's all for now", "next task", "next one", "switch tasks", "let's move on", "moving on", "leave it at that", "all done", "做完了", "下一个", "换个任务", "先这样"],
        Topic::SessionEnd => &["结束", "收工", "今天到这", "下次继续", "再见", "拜拜", "总结一下", "goodbye", "bye", "see you tomorrow", "that's all for today", "call it a day", "wrap up the session", "end the session", "summarize the session", "summary of the session", "good night"],
        Topic::NewTopic => &["new topic", "another topic", "next task", "different task", "something else", "unrelated", "换个任务", "下一个", "另外一件事", "换个话题", "新任务", "另一个问题"],
        Topic::ApproveBatch => &["do all of them", "do them all", "all at once", "no need to split", "don't split", "approved, all", "yes, all", "go ahead with all", "全部一起做", "一次做完", "不用拆分", "不用分批", "全部做", "同意全部"],
        Topic::Decision => &["we decided", "i decided", "i've decided", "let's go with", "we will use", "we'll use", "we chose", "i chose", "decision is", "final decision", "决定", "我们用", "选择了", "就用", "定了"],
        Topic::Preference => &["i prefer", "i always", "i usually", "from now on", "my workflow", "i like to", "i'd rather", "please always", "我习惯", "我喜欢", "我偏好", "以后都", "以后请", "今后", "我一般"],
        Topic::Lesson => &["lesson learned", "lessons learned", "i should have", "we should have", "my mistake", "learned the hard way", "won't make that mistake", "next time we", "next time i", "教训", "下次不", "踩坑", "我错了", "不该", "吸取"],
        Topic::Principle => &["i believe", "as a principle", "my principle", "our principle", "what matters most", "never compromise", "rule of thumb", "golden rule", "原则是", "我的原则", "我认为应该", "最重要的是", "底线"],
        Topic::Auth => &["auth", "authentication", "authorization", "login", "log in", "oauth", "sso", "session token", "jwt", "permission check", "access control", "登录", "认证", "授权", "鉴权", "权限"],
        Topic::Encryption => &["encryption", "encrypt", "decrypt", "crypto", "cryptography", "tls", "certificate", "password hashing", "加密", "解密", "证书", "密钥"],
        Topic::Migration => &["migration", "migrations", "migrate", "迁移"],
        Topic::DeleteData => &["delete data", "delete the data", "delete all", "drop table", "drop the table", "drop database", "drop the database", "truncate", "wipe", "purge", "delete user", "delete users", "delete records", "delete the records", "delete rows", "delete the database", "delete the production", "删除数据", "删库", "清空", "删表", "删除用户", "删除所有", "删除全部", "删除生产"],
        Topic::NewDependency => &["new dependency", "add a dependency", "add dependency", "new package", "new library", "install the package", "add the crate", "npm install", "pip install", "cargo add", "新依赖", "引入依赖", "添加依赖", "新的库", "安装包"],
        Topic::ExternalService => &["external service", "third party", "third party api", "external api", "webhook", "stripe", "twilio", "sendgrid", "slack api", "openai api", "s3 bucket", "外部服务", "第三方", "外部接口", "外部api"],
        Topic::CrossProject => &["cross project", "across projects", "other repo", "other repository", "across repos", "both repos", "all repos", "multiple repositories", "跨项目", "跨仓库", "其他项目", "多个仓库"],
        Topic::AfterCutoff => &["latest version", "newest version", "latest release", "newest release", "released this month", "released last week", "released this week", "最新版", "最新版本", "刚发布"],
        Topic::PublicApi => &["public api", "public interface", "breaking change", "api endpoint", "rest api", "graphql schema", "schema", "公开接口", "公共api", "公共接口", "破坏性变更", "接口变更"],
        Topic::Execution => &["implement", "build", "rewrite", "migrate", "refactor", "redesign", "create", "develop", "add", "fix", "change", "update", "remove", "rename", "write", "make", "improve", "optimize", "do", "重构", "迁移", "重写", "实现", "开发", "修改", "添加", "修复", "优化", "改", "做", "写"],
        Topic::LargeScope => &["entire", "whole", "everything", "all modules", "all files", "every file", "the system", "from scratch", "all services", "整个", "全部", "所有", "从头"],
        Topic::Criteria => &["so that", "must", "should", "until", "tests pass", "test passes", "acceptance", "criteria", "expected", "returns", "such that", "when done", "验收", "标准", "通过", "要求", "期望", "必须", "使得", "应该"],
        Topic::Vague => &["make it better", "improve things", "clean things up", "fix stuff", "fix everything", "make it nice", "somehow", "do something about", "改好一点", "优化一下整个", "弄好", "搞一下", "随便弄"],
    }
}
