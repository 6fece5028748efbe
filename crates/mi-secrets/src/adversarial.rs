//! Texts that were made to get past the rules, and texts that were made to set them off.
//!
//! Written as in [`crate::examples`]; `«…»` is the part that must be gone.

use crate::{Level, examples::assemble, find, redact};

const TRUE: &[&str] = &[
    // Forms of configuration.
    "{\"github\":{\"token\":\"«gh·p_{crc}»\"}}",
    "{\"token\" :\n  \"«gh·p_{crc}»\"}",
    "github_token: «gh·p_{crc}»",
    "GITHUB_TOKEN='«gh·p_{crc}»'",
    "export GH_TOKEN=«gh·s_{crc}»;make",
    "ENV GH_TOKEN «gh·p_{crc}»",
    "docker run -e GH_TOKEN=«gh·p_{crc}» image",
    "set GH_TOKEN=«gh·p_{crc}»&& build.bat",
    "$env:GH_TOKEN = \"«gh·p_{crc}»\"",
    "git clone https://«gh·p_{crc}»@github.com/a/b",
    "git clone https://x-access-token:«gh·s_{crc}»@github.com/a/b",
    "?access_token=«gh·o_{crc}»&per_page=1",
    "`«gh·p_{crc}»`",
    "<«gh·p_{crc}»>",
    "(«gh·p_{crc}»),",
    "token=«gh·p_{crc}».",
    "\\\"«gh·p_{crc}»\\\"",
    "\\u0022«gh·p_{crc}»\\u0022",
    "令牌是«gh·p_{crc}»,别外传",
    // What follows an escape is no part of its letters and digits.
    "say:\\n«S·K{h32}»\\n",
    "say:\\t«{h32}·-us12»",
    "{\"log\":\"first\\n«{b64:DB_PASSWORD=hunter2-abc-4711}»\\n\"}",
    "{\"log\":\"first\\r\\n«{hex:use gh·p_{crc}}»\\r\\n\"}",
    "id%3D«{b64:DB_PASSWORD=hunter2-abc-4711}»",
    "id\\u003d«{b64:DB_PASSWORD=hunter2-abc-4711}»",
    "key\\u003d«sk·-{a48}»\\u0026x",
    "\\n«11010519491231·002X»\\n",
    "\\u8bc1\\u53f7«11010519491231·002X»",
    "n%3A«11010519491231·002X»",
    // People say it without a sign.
    "账号 admin 密码 «Abc·@12345»",
    "默认密码 «admin·4711»",
    "密钥 «{h32}»",
    "use the token «{h32}» please",
    "secret key: «{a32}»",
    "private key: «0x{h64}»",
    // A key of AWS may begin as a path does.
    "AWS_SECRET_ACCESS_KEY=«/{a20}/{a18}»",
    "aws_secret_access_key = «+{a39}»",
    "\"SecretAccessKey\": \"«/{a39}»\"",
    "//registry.npmjs.org/:_authToken=«np·m_{crc}»",
    "NPM_TOKEN=«np·m_{crc}»",
    "npm config set _authToken «np·m_{crc}»",
    "machine api.github.com login me password «gh·p_{crc}»",
    "password = «py·pi-AgEIcHlwaS5vcmc{a70}»",
    "data:\n  token: «{b64:gh·p_{crc}}»",
    "auth: «{b64:password=hunter2-abc}»",
    "echo «{b64:AK·IA{u16}}» | base64 -d",
    "payload «{hex:gh·p_{crc}}»",
    "\\x27«sk·-ant-api03-{a93}AA»\\x27",
    "OPENAI_API_KEY=«sk·-proj-{a80}»\r\n",
    "openai.api_key = \"«sk·-{a48}»\"",
    "AIza in js: key=«AI·za{a35}»&libraries=places",
    "xoxb: «xo·xb-123456789012-1234567890123-{a24}»",
    "https://hooks.slack.com/services/«T{u8}/B{u8}/{a24}»",
    "stripe.api_key = '«sk·_live_{a24}»'",
    "STRIPE_WEBHOOK=«wh·sec_{a32}»",
    "glpat in ci: PRIVATE-TOKEN: «gl·pat-{a20}»",
    "AWS_ACCESS_KEY_ID=«AK·IA{u16}»",
    "aws_secret_access_key = «{a20}/{a19}»",
    "{\"AccessKeyId\":\"«AS·IA{u16}»\",\"SecretAccessKey\":\"«{a20}+{a19}»\"}",
    "AccountKey=«{a86}==»;EndpointSuffix=core.windows.net",
    "SharedAccessSignature sig=«{a40}%2B{a6}%3D»",
    "hf: «h·f_{a34}»",
    "dop_v1 token «do·p_v1_{h64}»",
    "VAULT_TOKEN=«hv·s.{a90}»",
    "DATABRICKS_TOKEN=«da·pi{h32}»",
    "SENDGRID=«SG·.{a22}.{a43}»",
    "bot token «123456789·:AA{a33}»",
    "Cookie: theme=dark; «session·id={a32}»",
    "Authorization: Bearer «{a40}»",
    "'Authorization': `Bearer «{a40}»`",
    "authorization=Bearer%20«ey·JhbGciOiJIUzI1NiJ9.ey·JzdWIiOiIxMjM0In0.{a43}»",
    "Authorization: Basic «dXNlcjpodW50ZXIy»",
    // Passwords.
    "postgres://admin:«hun·ter2»@db.internal/app",
    "mongodb+srv://app:«p%40ss·w0rd»@cluster0.abc.mongodb.net/x",
    "redis://:«s3·cret!»@cache:6379/0",
    "amqps://svc:«Zx9·kLmQ2»@rabbit:5671/vhost",
    "jdbc:postgresql://h/db?user=a&password=«hun·ter2x»",
    "Server=db;User Id=sa;Password=«Str0ng·!Pass»;Encrypt=true",
    "Driver={ODBC};UID=sa;PWD=«Str0ng·Pass1»;",
    "mysql -uroot -p«hun·ter2» app",
    "PGPASSWORD=«hun·ter2» psql -h db",
    "curl --user 'admin:«hun·ter2»' https://x",
    "sshpass -p «hun·ter2» ssh me@host",
    "DB_PASSWORD: \"«correct·-horse-battery»\"",
    "\"db_password\" : \"«hun·ter2»\"",
    "{\\\"password\\\":\\\"«hun·ter2»\\\"}",
    "password => '«hun·ter2»'",
    "password := \"«hun·ter2»\"",
    "<add key=\"DbPassword\" value=\"«hun·ter2x»\"/>",
    "<property name=\"password\">«hun·ter2x»</property>",
    "spring.datasource.password=«hun·ter2x»",
    "ansible_become_pass: «hun·ter2x»",
    "- name: DB_PASSWORD\n  value: \"«hun·ter2x»\"",
    "{\"name\": \"DB_PASSWORD\", \"value\": \"«hun·ter2x»\"}",
    "my password is «hun·ter2x»",
    "密码是«abc·123456»",
    "密码:«Qwe·rty!9»",
    "口令:«Tiger·2024»",
    "登录密码为 «Tiger·2024»",
    "密钥=«{a32}»",
    "api key: «{a32}»",
    "client_secret=«{a32}»&grant_type=client_credentials",
    "\"clientSecret\": \"«{a34}»\"",
    "secret_key_base: «{h64}{h64}»",
    "DJANGO_SECRET_KEY='«{a25}!{a12}#{a6}»'",
    "JWT_SECRET=«{a40}»",
    // Key blocks.
    "«-----BEG·IN RSA PRIVATE KEY-----\r\n{a64}\r\n{a64}\r\n-----END RSA PRIVATE KEY-----»",
    "{\"private_key\": \"«-----BEG·IN PRIVATE KEY-----\\n{a64}\\n{a64}\\n-----END PRIVATE KEY-----»\\n\"}",
    "\"«-----BEG·IN PRIVATE KEY-----\\r\\n{a64}\\r\\n-----END PRIVATE KEY-----»\\r\\n\"",
    "\\\"«-----BEG·IN EC PRIVATE KEY-----\\\\n{a64}\\\\n-----END EC PRIVATE KEY-----»\\\\n\\\"",
    "key: |\n    «-----BEG·IN OPENSSH PRIVATE KEY-----\n    {a64}\n    {a64}\n    -----END OPENSSH PRIVATE KEY-----»",
    "KEY=\"«-----BEG·IN PRIVATE KEY----- {a64} {a64} -----END PRIVATE KEY-----»\"",
    "«-----BEG·IN ENCRYPTED PRIVATE KEY-----\n{a64}\n{a64}»",
    "tls.key: «{b64:-----BEG·IN PRIVATE KEY-----\n{a64}\n-----END PRIVATE KEY-----\n}»",
    "age: «AGE-SEC·RET-KEY-1{u58}»",
    // People.
    "身份证号码:«1101051949·1231002X»",
    "{\"idCard\":\"«1101051949·1231002x»\"}",
    "id=«1101051949·1231002X»&name=x",
    "手机:«138·12345678»",
    "{\"mobile\":\"«138·12345678»\"}",
    "联系电话：«+86 138-1234·-5678»",
    "phone «138 1234 ·5678»",
];

const FALSE: &[&str] = &[
    "550e8400-e29b-41d4-a716-446655440000",
    "request_id=550e8400-e29b-41d4-a716-446655440000",
    "{\"id\":\"550e8400-e29b-41d4-a716-446655440000\",\"key\":\"a\"}",
    "trace {h32} span {h16}",
    "commit {h40}",
    "Merge {h40} into {h40}",
    "index {h7}..{h7} 100644",
    "refs/heads/main {h40}",
    "\"resolved\": \"https://registry.example.org/a/-/a-1.0.0.tgz#{h40}\"",
    "\"integrity\": \"sha512-{a86}==\"",
    "integrity sha1-{a27}=",
    "checksum = \"{h64}\"",
    "hash = \"sha256-{a43}=\"",
    "golang.org/x/net v0.17.0/go.mod h1:{a43}=",
    "--hash=sha256:{h64}",
    "narHash = \"sha256-{a43}=\";",
    "image: nginx@sha256:{h64}",
    "etag: W/\"{h32}\"",
    "background: url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk)",
    "data:font/woff2;base64,d09GMgABAAAAAA{a60}",
    "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "npm_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "api_key = \"xxxxxxxxxxxxxxxxxxxxxxxx\"",
    "password: ********",
    "token: <redacted>",
    "token: [REDACTED]",
    "Bearer YOUR_ACCESS_TOKEN_HERE_PLEASE",
    "api_key=YOUR_API_KEY_1234",
    "OPENAI_API_KEY=your-api-key-here-123456",
    "password=changeme123",
    "SECRET_KEY = 'insert-your-secret-key-here-1'",
    "DB_PASSWORD=example123",
    "password: \"${DB_PASSWORD:-}\"",
    "password: !vault |",
    "password: !Ref DBPassword",
    "password: op://vault/item/password1",
    "token: {{ vault_token_2 }}",
    "secret: {{ secrets.get('db1') }}",
    "TOKEN=$(cat /run/secrets/token1)",
    "export TOKEN=\"$GITHUB_TOKEN_2\"",
    "let token: Token2 = parser.next();",
    "const tokenType = 'access_token_v2';",
    "token_endpoint: https://login.example.com/oauth2/v2.0/token",
    "var secretName = \"projects/1/secrets/db-password-2\";",
    "type Token = string | number; // token 2",
    "password_reset_token_expires_in: 3600",
    "tokens_per_minute: 90000",
    "max_token_length = 8192",
    "tokenizer.json, token2id, id2token",
    "if (password.length < 8) throw new Error('password1 too short');",
    "assert password == 'hunter2'",
    "the password field accepts 8 to 64 characters",
    "enter password: ",
    "Password must contain 1 uppercase and 1 number.",
    "passwd -l user1",
    "/etc/passwd: root:x:0:0:root:/root:/bin/bash",
    "usermod -p '*' bob2",
    "ssh -i ~/.ssh/id_ed25519_2 host",
    "mysql -u root -p app_db1",
    "mysql --password -h db1",
    "psql postgres://localhost:5432/db1",
    "postgres://user@localhost:5432/db1",
    "https://user@example.com:8443/x1",
    "http://[::1]:8080/a@b1",
    "ssh://git@github.com:22/a/b.git",
    "docker://alpine:3.18@sha256:{h64}",
    "s3://bucket-1/key@2",
    "see RFC 7617: Basic realm=\"x1\"",
    "Basic types: int32, string",
    "bearer tokens expire after 3600 seconds",
    "Cookie: lang=en-US; theme=dark1",
    "Set-Cookie: theme=light; Path=/; Max-Age=31536000",
    "-----BEGIN PUBLIC KEY-----\n{a64}\n{a64}\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE REQUEST-----\n{a64}\n-----END CERTIFICATE REQUEST-----",
    "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{a64}\n=abcd\n-----END PGP PUBLIC KEY BLOCK-----",
    "-----BEGIN SSH SIGNATURE-----\n{a64}\n-----END SSH SIGNATURE-----",
    "grep -r 'BEGIN RSA PRIVATE KEY' .",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC{a86} me@host",
    "pk_live_{a24}",
    "age1{a58}",
    "minisign public key: RWQ{a53}",
    "public_key = \"{h64}\"",
    "peer public key: {a43}=",
    "0x{h40}",
    "0x{h64}",
    "bc1q{h38}",
    "Qm{a44}",
    "order 20261115223913001 of user 42",
    "timestamp=1731710353123456789",
    "serial 110105194912310021",
    "isbn 9787111213826, ean 6901234567892",
    "phone extension 12345, fax 010-12345678",
    "12345678901 bytes read, 98765432109 written",
    "version 13.812.345678",
    "客服电话 400-820-8820",
    "请修改密码后重新登录",
    "密码长度为8到16位",
    "token 的长度是 36 位",
    "AbstractTokenBasedRememberMeServicesConfigurer2024Factory",
    "com.example.auth.TokenAuthenticationProviderV2Impl",
    "test_password_reset_sends_email_with_token_v2",
    "base64 alphabet: ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "lorem ipsum: bG9yZW0gaXBzdW0gZG9sb3Igc2l0IGFtZXQsIGNvbnNlY3RldHVy",
    "the quick brown fox {hex:nothing secret in this text}",
    "snapshot name: token__insta__d41d8cd98f00b204e9800998ecf8427e.snap",
    "cargo:rustc-env=BUILD_TOKEN_COUNT=42",
    "keyboard shortcut: key-12, key-34",
    "sk-SK locale, sk-loading-spinner-2",
];

/// The text, and the parts of it that must be gone.
fn hidden(example: &str) -> (String, Vec<String>) {
    let text = assemble(example);
    let parts =
        text.split('«').skip(1).filter_map(|part| part.split_once('»')).map(|(part, _)| part.to_owned());
    let parts = parts.collect();
    (text.replace(['«', '»'], ""), parts)
}

/// A hundred ways to write a secret: not one survives.
#[test]
fn a_hundred_hidden_secrets_are_found() {
    assert!(TRUE.len() >= 100, "{}", TRUE.len());
    let mut wrong = Vec::new();
    for (text, parts) in TRUE.iter().map(|example| hidden(example)) {
        assert!(!parts.is_empty(), "{text}");
        let clean = redact(&text);
        let kept: Vec<&String> = parts.iter().filter(|part| clean.contains(part.as_str())).collect();
        if !kept.is_empty() {
            wrong.push(format!("{text:?}\n  {clean:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), TRUE.len(), wrong.join("\n"));
}

/// A hundred texts that only look like it: not one loses a byte, and none is worth a warning.
#[test]
fn a_hundred_look_alikes_are_left_alone() {
    assert!(FALSE.len() >= 100, "{}", FALSE.len());
    let mut wrong = Vec::new();
    for text in FALSE.iter().map(|example| assemble(example)) {
        let sure: Vec<_> = find(&text).into_iter().filter(|found| found.level > Level::Notice).collect();
        if redact(&text) != text || !sure.is_empty() {
            wrong.push(format!("{text:?}\n  {:?} {sure:?}", redact(&text)));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), FALSE.len(), wrong.join("\n"));
}
