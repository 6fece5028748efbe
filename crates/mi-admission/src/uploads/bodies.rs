//! Programs in other languages, given on the command line, that send something away (F.3: "or equivalents").
//!
//! What talks to the same machine is a test of a server.

use mi_gate::command::Body;

/// Words of which one is enough, in lower case and without spaces.
const SENDS: &[(&str, &[&str])] = &[
    (
        "python",
        &[
            "requests.post(",
            "requests.put(",
            "requests.patch(",
            "httpx.post(",
            "httpx.put(",
            "httpx.patch(",
            "session().post(",
            "session().put(",
            "method=\"post\"",
            "method=\"put\"",
            "method='post'",
            "method='put'",
            ".request(\"post\"",
            ".request(\"put\"",
            ".request('post'",
            ".request('put'",
            ".storbinary(",
            ".storlines(",
            ".sendmail(",
            ".send_message(",
            ".upload_file(",
            ".upload_fileobj(",
            ".put_object(",
            "open_sftp(",
        ],
    ),
    ("perl", &["->post(", "->put(", "net::ftp->", "net::smtp->", "net::sftp"]),
    (
        "ruby",
        &["net::http.post", "net::http.put", "net::http::post", "net::http::put", "net::ftp", "net::smtp"],
    ),
    (
        "javascript",
        &[
            "method:\"post\"",
            "method:\"put\"",
            "method:\"patch\"",
            "method:'post'",
            "method:'put'",
            "method:'patch'",
            "method:`post`",
            "method:`put`",
            "axios.post(",
            "axios.put(",
            "axios.patch(",
        ],
    ),
    ("php", &["curlopt_post", "curlopt_upload", "curlopt_put", "ftp_put(", "ftp_fput("]),
    ("powershell", &["-methodpost", "-methodput", "uploadfile(", "uploadstring("]),
];

pub(super) fn sends(body: &Body) -> bool {
    let text: String = body.text.to_lowercase().split_whitespace().collect();
    let stays = ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| text.contains(host));
    let opens_with_data = body.language == "python" && text.contains("urlopen(") && text.contains("data=");
    let known = SENDS.iter().filter(|(language, _)| *language == body.language).flat_map(|(_, words)| *words);
    !stays && (opens_with_data || known.into_iter().any(|word| text.contains(word)))
}

/// The shell command that an editor is told to run.
pub(super) fn shell_of_editor(body: &Body) -> Option<&str> {
    let text = body.text.trim().trim_start_matches(':');
    let text = text.strip_prefix("silent").map_or(text, |rest| rest.trim_start_matches(['!', ' ']));
    (body.language == "vim").then(|| text.trim_start_matches('!')).filter(|rest| rest.len() < body.text.len())
}

/// `qw(git push)` and `%w(git push)` where something is started.
pub(super) fn word_lists(body: &Body) -> Vec<&str> {
    let mark = match body.language {
        "perl" => "qw",
        "ruby" => "%w",
        _ => return Vec::new(),
    };
    let starts = ["exec", "system", "spawn", "popen"].iter().any(|call| body.text.contains(call));
    let inner = |(place, _): (usize, &str)| {
        let rest = body.text[place + mark.len()..].strip_prefix(['(', '[', '{', '/'])?;
        rest.split([')', ']', '}', '/']).next()
    };
    body.text.match_indices(mark).take(16).filter(|_| starts).filter_map(inner).collect()
}
