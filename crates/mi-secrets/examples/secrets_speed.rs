//! Prints how fast texts are scanned, and how long the first scan of a process takes.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a measuring program")]

use std::time::Instant;

fn main() {
    let started = Instant::now();
    let found = mi_secrets::find("let password = read_password(&config)?;");
    println!("first scan, prefilter built: {:?} ({} findings)", started.elapsed(), found.len());
    let started = Instant::now();
    let every = every_literal();
    let found = mi_secrets::find(&every);
    println!("every form asked for: {:?} ({} findings)", started.elapsed(), found.len());

    let files: Vec<String> =
        std::env::args().skip(1).filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    if !files.is_empty() {
        measure("the files named", &files.concat());
    }
    measure("source code", include_str!("../src/redact.rs"));
    measure("prose", PROSE);
    measure("names that could hold a secret", "let token = next_token(secret, password); // api_key\n");
    measure(
        "assignments",
        &format!("DB_PASSWORD={} api_key: \"{}\"\n", "hunter2abc", "0a1B2c3D4e5F6a7B8c9D"),
    );
    measure("tokens", &format!("ghp_{}\n", "a1B2".repeat(9)));
    measure("names of headers", "Authorization: Bearer $TOKEN\nCookie: theme=dark; lang=en\n");
    measure("addresses", "see https://example.com/path?query=1 and http://localhost:8080/x\n");
    measure("digests", &format!("{}  crates/mi/src/app.rs\n", "0123456789abcdef".repeat(4)));
    measure("authorization", &format!("Authorization: Bearer {}\n", "a1B2c3D4".repeat(5)));
    measure("placeholders", "API_KEY=your-api-key-here-1234\npassword: <your password>\ntoken: ${TOKEN}\n");
    measure("cookies", &format!("Cookie: theme=dark; sessionid={}\n", "a1B2c3D4".repeat(4)));
    measure("web tokens", &format!("{0}{1}.{0}{1}.{1}\n", "eyJ", "a1B2c3D4".repeat(6)));
    measure("one word, endlessly", "token");
    measure("password=, endlessly", "password=");
    measure("password=, 4 KB a line", &("password=".repeat(440) + "\n"));
    measure("curl -u, endlessly", "curl -u ");
    measure("base64 of binary", &"q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83v".repeat(200));
    measure("base64 of text", &"bm8gc2VjcmV0IGhlcmUsIG9ubHkgdGV4dCEh".repeat(200));
}

const PROSE: &str =
    "The quick brown fox jumps over the lazy dog while the build runs, and nobody is told about it.\n";

fn measure(what: &str, text: &str) {
    let text = text.repeat((8 << 20) / text.len() + 1);
    // Time on the processor, and the best of ten: other programs of the machine only ever make a run slower.
    let runs = (0..10).map(|_| {
        // The clock of the processor ticks every 4 ms.
        let (started, mut times) = (processor_time(), 0);
        loop {
            let found = mi_secrets::find(&text).len();
            times += 1;
            let spent = processor_time() - started;
            if spent > 50_000_000 {
                return (spent / times, found);
            }
        }
    });
    let Some((nanoseconds, found)) = runs.min() else { return };
    println!("{what}: {:.0} MB/s ({found} findings)", text.len() as f64 * 1e3 / nanoseconds as f64);
}

/// Nanoseconds that this thread has run, as Linux counts them.
fn processor_time() -> u64 {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    line.split(' ').next().and_then(|time| time.parse().ok()).unwrap_or_default()
}

/// A text with the literal of every form.
fn every_literal() -> String {
    let literals = [
        " hooks.slack.com/ ",
        " discord.com/api/webhooks/ ",
        " eyJ ",
        " SG. ",
        "123456789:AA ",
        " AccountKey= ",
        "&sig= ",
        "a~.8Q~ ",
        " 12345678901234.atlasv1. ",
        " https:// ",
        " bearer ",
        " basic ",
        " cookie: ",
        " curl ",
        " sshpass ",
        " mysql ",
        " login ",
        " phone ",
        "身份证",
    ];
    literals.concat()
}
