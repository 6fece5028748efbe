use super::{Document, SearchRequest, SearchResult, Source, search};
use crate::{Layout, Store};
use serde_json::json;
use std::fs;

struct Scene {
    _folder: tempfile::TempDir,
    layout: Layout,
    store: Store,
}

impl Scene {
    /// A project with notes in three languages and a few cycles.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let write = |folder: std::path::PathBuf, name: &str, text: &str| {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), text).unwrap();
        };
        for (name, text) in [
            (
                "empirical-lock-order.md",
                "# Lock order\nTake the plan lock before the task lock, or two servers deadlock.\n",
            ),
            (
                "external-api-rate-limits.md",
                "<!-- tags: http, quota -->\n# Rate limits\nThe vendor answers 429 after 60 requests a minute; wait for Retry-After.\n",
            ),
            (
                "pattern-flaky-test-hunt.md",
                "Run the suspect test 200 times under load before you call it fixed.\n",
            ),
            (
                "empirical-disk-flush.md",
                "# 写盘与刷新\n在容器里 fsync 比预期慢十倍,批量写入后只刷新一次目录。\n",
            ),
            (
                "pattern-release-steps.md",
                "# 发布步骤\n先打标签,再等待构建,最后通知测试同学。发布之前不要合并主干。\n",
            ),
            (
                "empirical-file-watch.md",
                "# 파일 감시\n파일 잠금이 풀린 뒤에만 변경 알림이 옵니다. 두 번 읽어야 합니다.\n",
            ),
            (
                "external-login-token.md",
                "# 로그인 토큰\n토큰은 한 시간 뒤에 만료되고 갱신에는 관리자 권한이 필요합니다.\n",
            ),
            ("empirical-cache-keys.md", "キャッシュのキーにはパスではなく内容のハッシュを使う。\n"),
        ] {
            write(layout.memory(), name, text);
        }
        write(layout.context(), "architecture.md", "# Architecture\nBrains are pure, engines do I/O.\n");
        write(layout.rules(), "commits.md", "Never push without asking.\n");
        let cycles = json!({"schema_version": "0.10", "cycles": [
            {"schema_version": "0.10", "completed_at": "2026-01-01T00:00:00Z", "branch": "main", "plan": {"id": 1, "topic": "Streaming uploads",
             "issues": [{"id": 1, "title": "Chunk size", "status": "decided", "decision": "Use 8 MiB chunks, measured fastest"}]}, "tasks": []},
            {"completed_at": "2026-02-01T00:00:00Z", "branch": "feat/x", "plan": null,
             "tasks": [{"id": 1, "title": "修复登录超时", "context": "会话过期后无法续期", "status": "completed", "deps": []}]},
        ]});
        fs::write(layout.history(), cycles.to_string()).unwrap();
        let store = Store::new(layout.clone());
        Self { _folder: folder, layout, store }
    }

    fn search(&self, query: &str) -> SearchResult {
        let request = SearchRequest { query: query.to_owned(), limit: 10, sources: Vec::new() };
        let learned = [
            Document {
                source: Source::Learned,
                name: "lr_1".to_owned(),
                place: "learned (project)".to_owned(),
                text: "Ask before installing packages.".to_owned(),
            },
            Document {
                source: Source::Learned,
                name: "lr_2".to_owned(),
                place: "learned (global)".to_owned(),
                text: "提交前必须先运行全部测试".to_owned(),
            },
        ];
        search(&self.store, &request, &learned).unwrap()
    }
}

/// The first hit of a question, in the language of the notes, whatever the form of its words.
#[test]
fn the_right_text_comes_first() {
    let scene = Scene::new();
    for (query, from, first) in [
        ("lock order", Source::Memory, "empirical-lock-order.md"),
        ("deadlocks between servers", Source::Memory, "empirical-lock-order.md"),
        ("quota", Source::Memory, "external-api-rate-limits.md"),
        ("rate limiting", Source::Memory, "external-api-rate-limits.md"),
        ("retry after 429", Source::Memory, "external-api-rate-limits.md"),
        ("flaky tests", Source::Memory, "pattern-flaky-test-hunt.md"),
        ("ＦＳＹＮＣ", Source::Memory, "empirical-disk-flush.md"),
        ("刷新目录", Source::Memory, "empirical-disk-flush.md"),
        ("发布步骤", Source::Memory, "pattern-release-steps.md"),
        ("盘", Source::Memory, "empirical-disk-flush.md"),
        ("파일 잠금", Source::Memory, "empirical-file-watch.md"),
        ("토큰 만료", Source::Memory, "external-login-token.md"),
        ("キャッシュ", Source::Memory, "empirical-cache-keys.md"),
        ("ｷｬｯｼｭ", Source::Memory, "empirical-cache-keys.md"),
        ("pure brains", Source::Context, "architecture.md"),
        ("push", Source::Rules, "commits.md"),
        ("chunk size", Source::History, "cycle 1"),
        ("登录超时", Source::History, "cycle 2"),
        ("installing a package", Source::Learned, "lr_1"),
        ("提交前测试", Source::Learned, "lr_2"),
    ] {
        let result = scene.search(query);
        let hit = result.hits.first().unwrap_or_else(|| panic!("{query}: nothing was found"));
        assert_eq!((hit.from, hit.name.as_str()), (from, first), "{query}: {:#?}", result.hits);
    }
}

/// A hit says where it is: file and line, or the cycle with its time and branch, and shows the words around the match.
#[test]
fn a_hit_says_where_it_comes_from() {
    let scene = Scene::new();
    let hit = &scene.search("plan lock").hits[0];
    assert_eq!((hit.place.as_str(), hit.line), (".nexus/memory/empirical-lock-order.md", Some(2)));
    assert_eq!(hit.snippet, "Take the plan lock before the task lock, or two servers deadlock.");
    assert_eq!(hit.title, "Lock order");
    let hit = &scene.search("会话过期").hits[0];
    assert_eq!(
        (hit.completed_at.as_deref(), hit.branch.as_deref()),
        (Some("2026-02-01T00:00:00Z"), Some("feat/x"))
    );
    assert_eq!((hit.snippet.as_str(), hit.title.as_str()), ("会话过期后无法续期", "修复登录超时"));
}

/// What is not there is not found; keys and states of the files are not content.
#[test]
fn nothing_is_found_where_nothing_is() {
    let scene = Scene::new();
    for query in ["zebra", "completed_at", "schema", "斑马"] {
        let result = scene.search(query);
        assert_eq!((result.total, result.hits.len()), (0, 0), "{query}: {:#?}", result.hits);
    }
    let request = SearchRequest { query: "?!".to_owned(), limit: 10, sources: Vec::new() };
    assert!(search(&scene.store, &request, &[]).is_err());
}

/// Only the sources that are asked for are searched.
#[test]
fn sources_can_be_chosen() {
    let scene = Scene::new();
    let request =
        SearchRequest { query: "test lock push".to_owned(), limit: 1, sources: vec![Source::Rules] };
    let result = search(&scene.store, &request, &[]).unwrap();
    assert_eq!((result.total, result.showing, result.hits[0].from), (1, 1, Source::Rules));
}

/// A change by anybody is seen by the next search, since there is nothing in between.
#[test]
fn a_change_is_found_at_once() {
    let scene = Scene::new();
    assert_eq!(scene.search("giraffe").total, 0);
    fs::write(scene.layout.memory().join("pattern-new-thing.md"), "A giraffe.").unwrap();
    assert_eq!(scene.search("giraffe").hits[0].name, "pattern-new-thing.md");
    fs::remove_file(scene.layout.memory().join("pattern-new-thing.md")).unwrap();
    assert_eq!(scene.search("giraffe").total, 0);
}

/// A torn history is searched as far as it goes, and that is said.
#[test]
fn a_damaged_history_is_told() {
    let scene = Scene::new();
    let text = fs::read_to_string(scene.layout.history()).unwrap();
    fs::write(scene.layout.history(), &text[..text.find("feat/x").unwrap()]).unwrap();
    let result = scene.search("chunk");
    assert_eq!(result.hits[0].name, "cycle 1");
    assert!(result.notes[0].contains("damaged at byte"), "{:?}", result.notes);
}

/// A project without `.nexus/` has no hits and gets no files.
#[test]
fn nx_008_searching_nothing_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let request = SearchRequest { query: "x".to_owned(), limit: 10, sources: Vec::new() };
    assert_eq!(search(&Store::new(Layout::new(folder.path())), &request, &[]).unwrap().total, 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
