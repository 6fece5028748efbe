//! `mi memory list|show|search|access|merge-log`: looking at what is there.

use mi_autopilot::Project;
use mi_model::LearnedScope;
use mi_workspace::memory::{
    Document, Hit, SearchError, SearchRequest, Source,
    access::AccessLog,
    files::{Note, read_notes, split_tags, title},
    name::{MemoryName, category_of},
    observe::read_all,
    search as search_all,
};
use serde_json::{Value, json};
use std::{fs, io::Write, path::Path};

use super::{say, store};
use crate::{
    app::App,
    args::memory::{MergeLogArgs, SearchArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn list(app: &App) -> Outcome {
    let (project, store) = store(app)?;
    let categories = app.settings(&project.root, &[])?.memory.categories;
    let found = read_notes(&store.layout().memory()).map_err(|error| Failure::of(&error))?;
    say(app, &found.left_out);
    if app.common.json {
        let notes: Vec<Value> = found.notes.iter().map(|note| described(note, &categories)).collect();
        return app.print_json(&json!({"notes": notes}));
    }
    if found.notes.is_empty() {
        return app.print(
            "There are no notes yet. Keep one: mi memory save lock-order 'Take the plan lock first.'",
        );
    }
    let width = found.notes.iter().map(|note| note.name.len()).max().unwrap_or(0).min(44);
    for note in &found.notes {
        let shown = app.look.one_line(title(&note.text), width + 2);
        app.print(&format!("{:<width$}  {}", note.name, app.look.faint(&shown)))?;
    }
    Ok(ExitReason::Done)
}

fn described(note: &Note, categories: &[String]) -> Value {
    let problem = MemoryName::new(&note.name, categories).err().map(|error| error.to_string());
    json!({
        "name": note.name, "category": category_of(&note.name, categories), "tags": split_tags(&note.text).0,
        "title": title(&note.text), "path": note.path, "bytes": note.bytes, "modified": note.modified,
        "name_problem": problem,
    })
}

pub fn show(app: &App, name: &str) -> Outcome {
    let (project, store) = store(app)?;
    let wanted = if name.ends_with(".md") { name.to_owned() } else { format!("{name}.md") };
    let found = read_notes(&store.layout().memory()).map_err(|error| Failure::of(&error))?;
    let Some(note) = found.notes.iter().find(|note| note.name == wanted) else {
        return Err(
            Failure::new(format!("there is no note `{wanted}`")).todo("list the notes: mi memory list")
        );
    };
    if !app.common.json {
        return app.print(note.text.trim_end());
    }
    let categories = app.settings(&project.root, &[])?.memory.categories;
    let mut shown = described(note, &categories);
    shown["text"] = json!(note.text);
    app.print_json(&shown)
}

pub fn search(app: &App, args: &SearchArgs) -> Outcome {
    let (project, store) = store(app)?;
    let request = SearchRequest {
        query: args.query.join(" "),
        limit: args.n,
        sources: args.sources.iter().filter_map(|word| Source::from_word(word)).collect(),
    };
    let result = search_all(&store, &request, &learned(app, &project)).map_err(|error| match error {
        SearchError::NoTerms => Failure::usage(error.to_string()),
        SearchError::File(_) => Failure::of(&error),
    })?;
    say(app, &result.notes);
    if app.common.json {
        return app.print_json(&json!(result));
    }
    for hit in &result.hits {
        app.print(&hit_text(app, hit))?;
    }
    match result.total {
        0 => app.print("Nothing was found."),
        total if total > result.showing => {
            app.print(&format!("{} of {total} shown; -n shows more.", result.showing))
        }
        _ => Ok(ExitReason::Done),
    }
}

fn hit_text(app: &App, hit: &Hit) -> String {
    let place = match (hit.line, &hit.completed_at) {
        (Some(line), _) => format!("{}:{line}", hit.place),
        (None, Some(time)) => {
            let day = time.get(..10).unwrap_or(time);
            format!("{} ({day}, {})", hit.name, hit.branch.as_deref().unwrap_or("no branch"))
        }
        (None, None) => format!("{} ({})", hit.name, hit.place),
    };
    let source = format!("{:<8}", hit.from.as_str());
    let first = format!("{} {}", app.look.warn(&source), app.look.strong(&place));
    let second = app.look.one_line(&hit.snippet, 9);
    format!("{first}\n         {second}")
}

/// What mi learned from the person, and the cards. What cannot be read does not stop the search.
pub fn learned(app: &App, project: &Project) -> Vec<Document> {
    let rules = match project.mindset() {
        Ok(mindset) => mindset.learned,
        Err(error) => {
            app.talk(&format!("mi: learned rules were not searched: {error}"));
            Vec::new()
        }
    };
    let document = |rule: mi_model::LearnedRule| {
        let place = match rule.scope {
            LearnedScope::Global => "learned, everywhere",
            LearnedScope::Project => "learned, this project",
        };
        Document { source: Source::Learned, name: rule.id, place: place.to_owned(), text: rule.text }
    };
    rules.into_iter().map(document).chain(crate::commands::persona::documents(app)).collect()
}

pub fn access(app: &App) -> Outcome {
    let (_, store) = store(app)?;
    let all = read_all(&store).map_err(|error| Failure::of(&error))?;
    let problems: Vec<String> = all
        .problems
        .iter()
        .map(|(path, odd)| format!("{}:{}: {}", path.display(), odd.line, odd.reason))
        .collect();
    say(app, &problems);
    if app.common.json {
        let records: Vec<_> = all.merged.records().collect();
        return app
            .print_json(&json!({"harnesses": all.harnesses, "records": records, "problems": problems}));
    }
    let mut lines = 0;
    for record in all.merged.records() {
        let reads = if record.access_count == 1 { "read" } else { "reads" };
        app.print(&format!(
            "{:<40} {:>5} {reads:<5}  {:.16}  {}",
            record.path,
            record.access_count,
            record.last_accessed_ts.to_string(),
            record.last_agent
        ))?;
        lines += 1;
    }
    if lines == 0 {
        return app.print("No read of a note was observed yet. Hooks observe them: mi mcp install");
    }
    Ok(ExitReason::Done)
}

pub fn merge_log(app: &App, args: &MergeLogArgs) -> Outcome {
    let mut merged = read_log(app, &args.first)?;
    merged.merge(&read_log(app, &args.second)?);
    let bytes = merged.to_bytes();
    if let Some(out) = &args.out {
        let fail = |error: std::io::Error| {
            Failure::new(format!("write {}", out.display()))
                .because(&error)
                .todo("name a file that does not exist yet")
        };
        let mut file = fs::File::create_new(out).map_err(fail)?;
        file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(fail)?;
    }
    if app.common.json {
        let records: Vec<_> = merged.records().collect();
        return app
            .print_json(&json!({"records": records, "odd_lines": merged.odd_lines(), "out": args.out}));
    }
    match &args.out {
        Some(out) => app.print(&format!("{} paths in {}", merged.records().count(), out.display())),
        None => app.print(String::from_utf8_lossy(&bytes).trim_end()),
    }
}

fn read_log(app: &App, path: &Path) -> Result<AccessLog, Failure> {
    let bytes =
        fs::read(path).map_err(|error| Failure::usage(format!("read {}", path.display())).because(&error))?;
    let log = AccessLog::parse(&bytes);
    for odd in log.odd_lines() {
        app.talk(&format!("mi: {}:{}: {}; the line is kept", path.display(), odd.line, odd.reason));
    }
    Ok(log)
}
