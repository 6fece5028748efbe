use super::*;
use crate::command::analyze;

fn of(script: &str) -> (Vec<String>, Vec<String>, bool) {
    let analysis = analyze(script);
    let (mut paths, mut folders, mut from_commits) = (Vec::new(), Vec::new(), false);
    for index in 0..analysis.commands.len() {
        let written = written(&analysis, index);
        paths.extend(written.paths.iter().map(|path| (*path).to_owned()));
        folders.extend(written.folders.iter().map(|folder| (*folder).to_owned()));
        from_commits |= written.from_commits;
    }
    (paths, folders, from_commits)
}

/// Files that the words name are found however the options are written (NX-206).
#[test]
fn nx_206_named_files_are_found_whatever_the_options_look_like() {
    for script in [
        "sed -i s/a/b/ f",
        "sed -Ei s/a/b/ f",
        "sed -ri s/a/b/ f",
        "sed -ni p f",
        "sed -si p f",
        "sed -zi p f",
        "sed -Ei.bak s/a/b/ f",
        "sed -i '' s/a/b/ f",
        "sed -i -es/a/b/ f",
        "sed -i --expression=s/a/b/ f",
        "sed --in-pl -f script f",
        "sed s/a/b/ f -i",
        "perl -pi -e s/a/b/ f",
        "perl -i.bak -ne print f",
        "ruby -i -pe 1 f",
        "awk -i inplace 1 f",
        "gawk --include=inplace 1 f",
        "sort --output=f g",
        "sort -of g",
        "sort g -uo f",
        "curl --output=f http://x",
        "curl -of http://x",
        "curl -sSLo f http://x",
        "wget -Of http://x",
        "wget -q --output-document f http://x",
        "cp -t f g h",
        "touch -d yesterday f",
        "patch f p",
        "git checkout -- f",
        "git checkout HEAD f",
        "git restore f",
        "git restore -s HEAD~1 f",
        "git rm f",
        "ed f",
        "ex -s f",
        "vim -es f",
        "tar cf f g",
        "tar -czf f g",
        "gzip f",
        "uniq g f",
        "echo x | tee -a f",
        "echo x >| f",
        "apply_patch <<'E'\n*** Begin Patch\n*** Update File: f\n*** End Patch\nE",
    ] {
        let (paths, ..) = of(script);
        assert_eq!(paths, ["f"], "{script}");
    }
}

/// Where files are changed that no word names, the folder is known.
#[test]
fn nx_206_files_without_names_are_known_by_their_folder() {
    for (script, folder) in [
        ("ls | xargs sed -i s/a/b/", "."),
        ("ls | xargs -0 -n1 tee", "."),
        ("ls | xargs -I% cp x %", "."),
        ("find . -name x -exec sed -i s/a/b/ {} +", "."),
        ("find src -name x -delete", "src"),
        ("awk '{print > \"f\"}' g", "."),
        ("awk '{ if (x) { print $1 >> $2 } }' g", "."),
        ("patch -p1 < p", "."),
        ("patch -d sub -p1 -i p", "sub"),
        ("git apply p", "."),
        ("git -C sub apply p", "sub"),
        ("git am p", "."),
        ("curl -O http://x/f", "."),
        ("curl -fsSLO http://x/f", "."),
        ("wget http://x/f", "."),
        ("wget -P sub http://x/f", "sub"),
        ("tar xf a.tar", "."),
        ("tar -xzf a.tgz -C sub", "sub"),
        ("tar xfC a.tar sub", "sub"),
        ("unzip a.zip", "."),
        ("unzip -qo a.zip -d sub", "sub"),
        ("git clean -fd", "."),
    ] {
        let (paths, folders, _) = of(script);
        assert_eq!((paths.len(), folders), (0, vec![folder.to_owned()]), "{script}");
    }
}

/// Other commits bring other files; that is told apart from an edit.
#[test]
fn files_of_other_commits_are_told_apart() {
    for script in
        ["git stash", "git checkout main", "git switch main", "git merge x", "git pull", "git reset --hard"]
    {
        assert_eq!(of(script), (vec![], vec![], true), "{script}");
    }
}

/// What only reads, looks or prints changes nothing (NX-204).
#[test]
fn nx_204_reading_changes_nothing() {
    for script in [
        "sed -n 1,5p f",
        "sed -e s/i/j/ f",
        "sed -E 's/-i/x/' f",
        "perl -ne 'print if /x/' f",
        "ruby -Ilib -e 1",
        "awk '$1 > 3' f",
        "awk '{ if ($1 > 3) print $1 }' f",
        "awk '{ print ($1 > 3) }' f",
        "awk '{ print \"a > b\" }' f",
        "awk '{ print > \"/dev/stderr\" }' f",
        "sort -u f",
        "curl -s http://x",
        "curl -o - http://x",
        "wget -qO- http://x",
        "tar tf a.tar",
        "tar -xOf a.tar f",
        "unzip -l a.zip",
        "gzip -dc a.gz",
        "gunzip < a.gz",
        "patch --dry-run -p1 < p",
        "git apply --check p",
        "git diff",
        "git log -p",
        "git stash list",
        "git checkout -b topic",
        "git restore --staged f",
        "git commit -am x",
        "git push",
        "ls | xargs cat",
        "ls | xargs grep -i x",
        "find . -name x",
        "tee --help",
        "vim --version",
        "ed --version",
    ] {
        assert_eq!(of(script), (vec![], vec![], false), "{script}");
    }
}
