//! What each rule must and must not take out.
//!
//! No token stands here as such: `·` is dropped, `{a36}` becomes 36 letters and digits, `{h64}` hex digits,
//! `{u16}` capitals and digits, `{crc}` a body with GitHub's checksum, `{b36}` one with that of `glpat-`.

use std::collections::BTreeSet;

use crate::{Level, assign, checksum, find, redact, rule::NAMES};

/// `(rule, texts it takes out, texts it leaves)`.
const EXAMPLES: &[(&str, &[&str], &[&str])] = &[
    (
        "github-token",
        &["gh·p_{crc}", "gh·s_{a36}", "TOKENgh·o_{a36}", "github·_pat_{a22}_{a59}"],
        &["ghp_ tokens", "gh·p_{a12}", "gh·p_xxxxxxxxxxxxxxxxxxxxxxxx"],
    ),
    (
        "gitlab-token",
        &[
            "gl·pat-{a20}",
            "gl·pat-{a27}.01.{a9}",
            "gl·pat-{b36}",
            "gl·rt-{a20}",
            "gl·rtr-{a20}",
            "gl·wt-{a20}",
            "GR·1348941{a20}",
        ],
        &["glpat-token", "glpat-<your token>"],
    ),
    (
        "slack-token",
        &["xo·xb-123456789012-1234567890123-{a24}", "xa·pp-1-A0123-{a30}"],
        &["xoxb-...", "xoxo-kisses"],
    ),
    (
        "stripe-key",
        &["sk·_live_{a24}", "rk·_live_{a99}", "sk·_test_{a24}", "rk·_prod_{a99}", "wh·sec_{a32}"],
        &["sk_live_", "sk_live_…"],
    ),
    (
        "openai-key",
        &["sk·-{a48}", "sk·-None-{a48}", "sk·-test-{a20}", "sk·-proj-{a80}", "sk·-svcacct-{a60}_-{a20}"],
        &["sk-loading-indicator-animation", "task-0123456789abcdef0123", "sk-..."],
    ),
    ("anthropic-key", &["sk·-ant-api03-{a93}AA", "sk·-ant-oat01-{a40}"], &["sk-ant-…", "sk-ant-api03-..."]),
    ("openrouter-key", &["sk·-or-v1-{h64}"], &["sk-or-v1"]),
    ("google-api-key", &["AI·za{a35}", "AQ·.Ab8RN6{a45}"], &["AIza", "AIza..."]),
    (
        "google-oauth-token",
        &["ya·29.{a60}", "GOC·SPX-{a28}", "1·//0{a60}"],
        &["ya29.", "https://example.com/1//0"],
    ),
    ("npm-token", &["np·m_{a36}"], &["npm_config_registry", "npm_package_dependencies_typescript"]),
    (
        "pypi-token",
        &["py·pi-AgEIcHlwaS5vcmc{a70}", "py·pi-AgENdGVzdC5weXBpLm9yZw{a70}"],
        &["pypi-publish-workflow-for-releases"],
    ),
    ("crates-io-token", &["ci·o{a32}"], &["social", "cio"]),
    (
        "hugging-face-token",
        &["h·f_{a34}", "api·_org_{a34}"],
        &["hf_hub_download", "hf_token", "api_org_settings_page"],
    ),
    ("twilio-key", &["S·K{h32}"], &["SKIP", "SK{h20}"]),
    ("mailchimp-key", &["key is {h32}·-us12"], &["{h32}-us", "{h30}-us12", "{h32}-usa1"]),
    ("airtable-token", &["pa·t{a14}.{h64}"], &["at{a14}.{h64}", "pat{a14}.js", "image.{h64}"]),
    ("mailgun-key", &["ke·y-{h32}"], &["key-value", "foo-key-{h32}"]),
    ("digitalocean-token", &["do·p_v1_{h64}", "do·o_v1_{h64}", "DO·00{u16}"], &["dop_v1_", "DO00"]),
    ("heroku-key", &["HR·KU-AA{a58}"], &["HRKU-"]),
    ("vault-token", &["hv·s.{a90}", "hv·b.{a100}"], &["hvs.", "hvs.example"]),
    ("databricks-token", &["da·pi{h32}", "do·se{h32}"], &["dapiVersion", "dapi", "dose: 12"]),
    ("shopify-token", &["sh·pat_{h32}", "sh·pss_{h32}", "sh·pua_{h32}", "sh·ptka_{h32}"], &["shpat_"]),
    ("linear-key", &["lin·_api_{a40}"], &["lin_api_key"]),
    ("notion-token", &["nt·n_{a46}", "sec·ret_{a43}"], &["secret_key", "secret_internationalization"]),
    (
        "atlassian-token",
        &["ATA·TT3xFfGF0{a170}=ABCDEF12", "ATS·TT3xFfGF0{a170}=ABCDEF12", "AT·BB{a32}"],
        &["ATATT", "ATBBs"],
    ),
    (
        "aws-access-key",
        &["AK·IA{u16}", "AS·IA{u16}", "AK·IAIOSFODNN7EXAMPLE"],
        &["AKIA", "Asia/Shanghai", "EURASIAN"],
    ),
    ("alibaba-access-key", &["LT·AI5t{a20}"], &["LTAI"]),
    ("tencent-secret-id", &["AK·ID{a32}"], &["AKID"]),
    ("grafana-token", &["gl·sa_{a32}_{h8}", "gl·c_eyJ{a60}"], &["glsa_"]),
    ("docker-token", &["dck·r_pat_{a27}"], &["dckr_pat_"]),
    ("mapbox-token", &["s·k.eyJ1IjoiYSJ9{a40}.{a22}"], &["pk.eyJ1IjoiYSJ9", "sk.eyJ"]),
    ("hubspot-token", &["pa·t-na1-{h8}-{h4}-{h4}-{h4}-{h12}"], &["pat-na1-token"]),
    ("postman-key", &["PM·AK-{h24}-{h34}"], &["PMAK-"]),
    ("figma-token", &["fi·gd_{a40}", "fi·go_{a40}"], &["figd_"]),
    ("doppler-token", &["dp·.pt.{a43}", "dp·.scim.{a43}", "dp·.audit.{a43}"], &["dp.pt.x"]),
    ("fly-token", &["fm·2_{a80}"], &["fm2_"]),
    ("supabase-key", &["sb·p_{h40}", "sb·_secret_{a31}"], &["sbp_"]),
    ("planetscale-token", &["psc·ale_tkn_{a43}"], &["pscale_tkn_"]),
    ("pulumi-token", &["pu·l-{h40}"], &["pul-"]),
    ("rubygems-key", &["rub·ygems_{h48}"], &["rubygems_version"]),
    ("new-relic-key", &["NR·AK-{u27}"], &["NRAK-"]),
    ("sentry-token", &["snt·rys_{a90}", "snt·ryu_{h64}"], &["sntrys_", "sntryu_token"]),
    ("square-token", &["sq·0atp-{a22}"], &["sq0atp-"]),
    ("groq-key", &["gs·k_{a52}"], &["gsk_settings"]),
    ("xai-key", &["xa·i-{a80}"], &["xai-sdk"]),
    ("perplexity-key", &["pp·lx-{a48}"], &["pplx-api"]),
    ("replicate-token", &["r8·_{a37}"], &["r8_rules"]),
    ("buildkite-token", &["bk·ua_{h40}"], &["bkua_"]),
    ("circleci-token", &["CCI·PAT_{a22}_{h40}"], &["CCIPAT_"]),
    ("artifactory-token", &["AK·Cp{a70}", "cmVmdG·tuOj{a54}"], &["AKCp"]),
    ("tailscale-key", &["ts·key-auth-{a12}-{a32}"], &["tskey-auth"]),
    ("brevo-key", &["xke·ysib-{h64}-{a16}"], &["xkeysib-"]),
    ("netlify-token", &["nf·p_{a40}"], &["nfp_"]),
    ("contentful-token", &["CF·PAT-{a43}"], &["CFPAT-"]),
    ("dynatrace-token", &["dt0·c01.{u24}.{u64}"], &["dt0c01."]),
    ("onepassword-token", &["op·s_eyJ{a250}"], &["ops_eyJ"]),
    ("age-key", &["AGE-SEC·RET-KEY-1{u58}"], &["AGE-SECRET-KEY-1..."]),
    (
        "aws-bedrock-key",
        &["ABSK·QmVkcm9ja0FQSUtleS{a91}", "bedrock-api·-key-YmVkcm9jay5hbWF6b25hd3MuY29t{a80}"],
        &["ABSK", "bedrock-api-key-rotation-schedule"],
    ),
    ("cloudflare-token", &["cf·ut_{a40}", "cf·at_{a48}"], &["cfut_", "cfk_zone"]),
    ("dropbox-token", &["sl·.u.A{a130}"], &["sl.u.A", "sl.update(values)"]),
    ("posthog-key", &["ph·x_{a43}"], &["phx_", "phc_{a43}"]),
    ("fireworks-key", &["fw·_{a22}"], &["fw_version_2024", "fw_a1"]),
    ("tavily-key", &["tv·ly-{a32}", "tv·ly-dev-{a32}"], &["tvly-python"]),
    ("nvidia-key", &["nv·api-{a64}"], &["nvapi-docs"]),
    ("cerebras-key", &["cs·k-{a48}"], &["csk-", "task-csk-1"]),
    ("jina-key", &["ji·na_{a60}"], &["jina_reader"]),
    ("langsmith-key", &["lsv2·_pt_{h32}_{h10}"], &["lsv2_pt_"]),
    ("langfuse-key", &["sk·-lf-{h8}-{h4}-{h4}-{h4}-{h12}"], &["sk-lf-", "pk-lf-{h8}-{h4}-{h4}-{h4}-{h12}"]),
    ("e2b-key", &["e2·b_{h40}"], &["e2b_template_name_1"]),
    ("firecrawl-key", &["fc·-{h32}"], &["fc-cache -fv", "abc-fc-{h32}"]),
    ("pinecone-key", &["pc·sk_{a6}_{a60}"], &["pcsk_"]),
    (
        "vercel-token",
        &["vercel·_blob_rw_{a16}_{a30}", "vc·k_{a60}"],
        &["vca_index", "vcr_cassette_name_for_test_1"],
    ),
    ("render-key", &["rn·d_{a28}"], &["rnd_seed_12345"]),
    ("sonar-token", &["sq·p_{h40}", "sq·u_{h40}"], &["squ_are", "sqp_solver_2"]),
    ("shippo-token", &["shippo·_live_{h40}"], &["shippo_live_mode"]),
    ("easypost-key", &["EZ·AK{a54}"], &["EZAK", "EZAKs"]),
    ("typeform-token", &["tf·p_{a44}_{a10}"], &["tfp_bijectors"]),
    ("nuget-key", &["oy·2{a43}"], &["oy2", "toy2{a43}"]),
    ("elevenlabs-key", &["sk·_{h48}"], &["disk_{h48}", "sk_buff", "sk_buff_head"]),
    ("volcengine-access-key", &["AK·LT{a43}"], &["AKLT", "AKLTransport"]),
    ("baidu-key", &["bce-v3·/ALTAK-{a21}/{h40}"], &["bce-v3/ALTAK-", "bce-v3/"]),
    ("sourcegraph-token", &["sg·p_{h40}", "sg·p_{h16}_{h40}"], &["sgp_", "sgp_local_something_or_other"]),
    ("wandb-key", &["wandb·_v1_{a77}"], &["wandb_v1_", "wandb_version"]),
    ("together-key", &["tg·p_v1_{a43}"], &["tgp_v1_"]),
    ("openshift-token", &["oc login --token=sha256·~{a43}"], &["sha256~", "sha256~..."]),
    (
        "amazon-key",
        &["amzn.m·ws.{h8}-{h4}-{h4}-{h4}-{h12}", "amzn1.oa2-cs·.v1.{h64}"],
        &["amzn.mws.", "amzn1.oa2-cs.v1."],
    ),
    ("facebook-token", &["EAACEd·Eose0cBA{a60}"], &["EAACEdEose0cBA"]),
    ("duffel-token", &["duffel_li·ve_{a43}"], &["duffel_live_"]),
    ("neon-key", &["na·pi_{a64}"], &["napi_create_reference", "napi_value"]),
    ("deno-token", &["dd·p_{a36}"], &["ddp_", "ddp_connection"]),
    ("mailersend-key", &["ml·sn.{h64}"], &["mlsn."]),
    ("logfire-token", &["pylf_v1·_us_{a43}"], &["pylf_v1_us_"]),
    ("honeycomb-key", &["hc·aik_{a58}"], &["hcaik_"]),
    ("runpod-key", &["rp·a_{a40}"], &["rpa_", "rpa_workflow"]),
    (
        "bank-card",
        &[
            "银行卡号：4111 1111·1111 1111",
            "card number: 4111-1111·-1111-1111",
            "\"cardNumber\":\"62220200·00000000000\"",
        ],
        &[
            "4111111111111111",
            "card number: 4111 1111 1111 1112",
            "card_name 12345",
            "卡号 0000000000000000",
            "card no 1234567",
        ],
    ),
    (
        "iban",
        &["IBAN: DE89 3704 0044·0532 0130 00", "iban=GB29NWBK·60161331926819"],
        &["IBAN: DE88 3704 0044 0532 0130 00", "iban", "Taliban 2021", "IBAN is a number"],
    ),
    (
        "webhook",
        &[
            "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?k·ey={h8}-{h4}-{h4}-{h4}-{h12}",
            "https://open.feishu.cn/open-apis/bot/v2/ho·ok/{h8}-{h4}-{h4}-{h4}-{h12}",
            "https://x.webhook.office.com/webhookb2/a@b/Incoming·Webhook/{h32}/{h8}-{h4}-{h4}-{h4}-{h12}",
        ],
        &[
            "https://example.com/api/bot/v2/hook/list",
            "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=<key>",
        ],
    ),
    (
        "private-key",
        &[
            "-----BEG·IN RSA PRIVATE KEY-----\n{a64}\n{a64}\n{a20}==\n-----END RSA PRIVATE KEY-----",
            "-----BEG·IN OPENSSH PRIVATE KEY-----\n{a64}\n{a30}",
            "\"-----BEG·IN PRIVATE KEY-----\\n{a64}\\n{a64}\\n-----END PRIVATE KEY-----\\n\"",
            "-----BEG·IN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{u32}\n\n{a64}\n{a64}",
            "-----BEG·IN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n{a64}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
        ],
        &[
            "-----BEGIN PUBLIC KEY-----\n{a64}\n-----END PUBLIC KEY-----",
            "-----BEGIN CERTIFICATE-----\n{a64}\n-----END CERTIFICATE-----",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
            "look for -----BEGIN RSA PRIVATE KEY----- in the files of the project, then stop",
            "if text.contains(\"-----BEGIN PRIVATE KEY-----\") { parse(text) } // until \"-----END PRIVATE KEY-----\"",
        ],
    ),
    (
        "slack-webhook",
        &["https://hooks.slack.com/ser·vices/T{u8}/B{u8}/{a24}"],
        &["https://hooks.slack.com/services/"],
    ),
    (
        "discord-webhook",
        &["https://discord.com/api/web·hooks/123456789012345678/{a68}"],
        &["https://discord.com/api/webhooks/"],
    ),
    (
        "discord-token",
        &["MTIzNDU2Nzg5MDEyMzQ1Njc4·.Gabcde.{a38}"],
        &["MainApplicationController.create.response"],
    ),
    ("jwt", &["ey·JhbGciOiJIUzI1NiJ9.ey·JzdWIiOiIxMjM0In0.{a43}"], &["eyJ", "eyJhbGciOiJIUzI1NiJ9"]),
    ("sendgrid-key", &["SG·.{a22}.{a43}"], &["SG.", "MSG.header.payload"]),
    ("telegram-token", &["123456789·:AA{a33}", "bot123456789·:AA{a33}/getMe"], &["12:AA", "12345678:AAA"]),
    ("azure-key", &["DefaultEndpointsProtocol=https;Account·Key={a86}==;"], &["AccountKey=<key>"]),
    (
        "azure-sas",
        &["?sv=2022-11-02&ss=b&s·ig={a40}%2B{a6}%3D"],
        &["sig=", "&sig=signature_of_the_whole_request_body"],
    ),
    ("azure-client-secret", &["abc·8Q~{a34}"], &["8Q~"]),
    ("terraform-token", &["{a14}·.atlasv1.{a67}"], &[".atlasv1."]),
    (
        "url-password",
        &[
            "postgres://admin:hun·ter2@db.internal/app",
            "https://oauth2:p%40ss·w0rd@git.example.com/x.git",
            "redis://:s3·cret@cache:6379",
        ],
        &[
            "postgres://${USER}:${PASS}@db/app",
            "https://example.com:8080/a@b",
            "http://user@host/",
            "amqp://user:<password>@host",
            "see https://a.b/c: x@y",
            "ucxl://agent:role1@project:task/#/path",
        ],
    ),
    (
        "bearer-token",
        &["Authorization: Bea·rer {a40}", "curl -H 'authorization: bea·rer {a32}'"],
        &["Bearer authentication", "Bearer $TOKEN", "Bearer <access_token>"],
    ),
    (
        "basic-auth",
        &[
            "Authorization: Ba·sic dXNlcjpodW50ZXIy",
            "{\"auths\":{\"ghcr.io\":{\"au·th\":\"dXNlcjpodW50ZXIy\"}}}",
            "{\\\"auth\\\": \\\"dXNlcjpodW50·ZXIy\\\"}",
            "//registry.example.org/:_au·th=dXNlcjpodW50ZXIy",
        ],
        &[
            "Basic authentication",
            "basic functionality",
            "\"auth\": \"required\"",
            "\"auth\":\"oauth2proxy\"",
            "npm_config_auth=abcdefgh",
        ],
    ),
    (
        "cookie",
        &["Cookie: theme=dark; session·id={a32}", "Set-Cookie: s·id=abc12345def; HttpOnly"],
        &[
            "Cookie: theme=dark",
            "Set-Cookie: theme=dark; Path=/",
            "cookie: string",
            "pub const NO_COOKIE: type_64 = a::RTAX_64_X_32_Y;",
            "cookie: \"1=one; Expires=Tue, 03 Aug 2100 00:38:37 GMT\"",
        ],
    ),
    (
        "password",
        &[
            "password=hun·ter2",
            "DB_PASSWORD='correct·-horse'",
            "{\"password\": \"hun·ter2\"}",
            "{\\\"password\\\":\\\"hun·ter2!\\\"}",
            "passwd: s3·cr3t!",
            "my password is hun·ter2",
            "密码是 abc·123456",
            "密码：Qwe·rty!9",
            "账号admin，密码Adm·in@123",
            "mysql -u root -phun·ter2 db",
            "curl -u admin:hun·ter2 https://x.y",
            "sshpass -p 'hun·ter2' ssh me@host",
            "machine x.y login me password hun·ter2",
            "<password>hun·ter2</password>",
            "--password hun·ter2",
            "const dbPassword: string = \"hun·ter2\";",
            "- name: DB_PASSWORD\n  value: hun·ter2",
            "export PGPASSWORD=correct·horse",
            "PASSWORD_PROD=hun·ter2x",
            "password: |\n  hun·ter2abc\n",
            "password: >-\r\n    hun·ter2abc\r\n",
            "\"password\":\n    \"hun·ter2abc\"",
            "{\\\\\\\"password\\\\\\\":\\\\\\\"hun·ter2abc\\\\\\\"}",
            "password = '''hun·ter2abc'''",
            "$password = ConvertTo-SecureString \"Hun·ter2!abc\" -AsPlainText -Force",
            "$password = (ConvertTo-SecureString -String 'Hun·ter2!abc' -AsPlainText)",
            "password is: hun·ter2abc",
            "pass=hun·ter2abc",
            "smtp.pass: hun·ter2abc",
            "\"pass\": \"hun·ter2abc\"",
            "pw: hun·ter2abc",
            "define('DB_PASSWORD', 'hun·ter2abc');",
            "**Password:** hun·ter2abc",
            "- **Password**: hun·ter2abc",
            "密码是：hun·ter2abc",
            "passcode: hun·ter2abc",
            "openssl rsa -passin pass:hun·ter2abc -in key.pem",
            "setx DB_PASSWORD hun·ter2abc",
            "#define DB_PASSWORD \"hun·ter2abc\"",
            "localhost:5432:app:me:hun·ter2abc",
            "*:*:*:postgres:hun·ter2abc",
            "jdbc:oracle:thin:scott/ti·ger123@//db:1521/x",
            "docker login -u me -p hun·ter2abc registry.example.org",
            "redis-cli -h cache -a hun·ter2abc ping",
            "mongosh --host db -u me -p 'hun·ter2abc'",
        ],
        &[
            "password=password",
            "password=${DB_PASSWORD}",
            "password = $PASSWORD",
            "password: <your password>",
            "password: \"\"",
            "password: null",
            "password: String,",
            "password = getpass()",
            "password = os.environ[\"PASSWORD\"]",
            "if password == \"hunter2\"",
            "password: changeme",
            "password = user.password",
            "password=xxxxx",
            "\"password\": \"Enter your password\"",
            "password_file: /run/x1",
            "let password = read_line2(&mut input);",
            "password: true",
            "--password $PW",
            "PASSWORD=example",
            "密码不能为空",
            "密码8位以上，密码SHA256哈希后保存，密码MD5加密",
            "password: process.env.DB_PASS",
            "def login(user, password=None):",
            "<password></password>",
            "pwd: /home/me",
            "force_pass: true/false",
            "MATCH_PASS = 0x04,",
            "login with password or token",
            "password:\n  type: string1",
            "password: |\n  Enter password1 here",
            "password:\n  - required1",
            "token:\n    description: the token1 to use",
            "password =\nhunter2abc",
            "tests pass: 128 of 130",
            "check('password', 'required1');",
            "**Password** must have 8 characters",
            "password ** 2 = hunter2",
            "pass: 123456",
            "pub const IOC_OPAL_SET_PW: u32 = 1109422304;",
            "bypass=a1b2c3d4",
            "compass: north12",
            "\"pass\": 12",
            "docker login -u me --password-stdin",
            "docker login -p $PASSWORD",
            "redis-cli -a $REDIS_PASSWORD",
            "redis-cli -h cache get a1 | cp -a abc1 def2",
            "connect to localhost:5432:app",
            "jdbc:oracle:thin:@//db:1521/x",
            "setx PATH abc123def",
            "#define PASSWORD_LENGTH 1234567",
        ],
    ),
    (
        "labelled-secret",
        &[
            "api_key=a1b2·c3d4e5f6",
            "AWS_SECRET_ACCESS_KEY={a20}/{a19}",
            "\"client_secret\": \"{a32}\"",
            "token: {h40}",
            "apiKey = '{a24}'",
            "x-api-key: {a32}",
            "HEROKU_API_KEY=01234567-89ab-cdef-0123-456789abcdef",
            "//registry.example.org/:_authToken={a36}",
            "--token={a32}",
            "?access_token={a32}&x=1",
            "TOKEN_GITHUB={a40}",
            "{\"name\":\"API_TOKEN\",\"value\":\"{a24}\"}",
            "api key: {a32}",
            "Authorization: token {h40}",
            "GITHUB_TOKEN=v1·.{h40}",
            "X-Auth-Key: {h37}",
            "DD_APP_KEY={h40}",
            "APP_KEY=base64:{a43}=",
            "encryptionKey: \"{a43}=\"",
            "AZURE_DEVOPS_PAT={a52}",
            "HUAWEICLOUD_SDK_SK={a40}",
            "api_key: >\n    {a32}\n",
            "#define API_KEY \"{a32}\"",
            "ENV API_KEY {a32}",
        ],
        &[
            "token: ${TOKEN}",
            "token = next_token()",
            "max_tokens: 4096",
            "token_count: 128000",
            "secret: my-app-secret",
            "secretName: tls-2024-cert",
            "token: u64",
            "api_key=YOUR_API_KEY",
            "api_key: \"<key>\"",
            "tokenizer: gpt2bpe1234",
            "secret: sha256:{h64}",
            "next_page_token: {a32}",
            "token_url: https://a.b/c1d2e3f4",
            "access_key_id_name: abcd1234",
            "token=token",
            "private_key: path/to/key2.pem",
            "secret = config.secrets.v2",
            "csrf_token={a32}",
            "pagination_token={a32}",
            "token: v1.2.3-beta4",
            "api_key: str = Field(...)",
            "password_hash: {h64}",
            "secret: true",
            "private_key: x25519_generate_private_key,",
            "SYS_secret: c_long = __X32_SYSCALL_BIT + 447;",
            "const token = await getToken1(user)",
            "token: v1.2.3-rc.1+build5",
            "FILE_PATH=a1b2c3d4e5f6g7h8",
            "disk_size=a1b2c3d4e5f6",
            "app_key = config[\"app_key1\"]",
            "app_keys: a1b2c3d4e5f6",
        ],
    ),
    ("aws-secret-key", &["AK·IA{u16} {a20}/{a19}"], &["{a20}/{a19}"]),
    (
        "cn-identity",
        &["1101051949·1231002X", "身份证号：1101051949·12310021"],
        &["110105194912310021", "123456789012345678"],
    ),
    (
        "cn-mobile",
        &["手机号: 138·12345678", "phone=+86 138-1234·-5678", "\"user_phone\": \"138·12345678\""],
        &["13812345678", "电话会议", "phone: 12345"],
    ),
    ("high-entropy", &[], &["{a48}"]),
];

/// Every rule takes out its true examples as secrets or suspects, and nothing in its false ones.
#[test]
fn every_rule_keeps_to_its_examples() {
    let mut wrong = Vec::new();
    for (rule, taken, left) in EXAMPLES {
        for text in taken.iter().map(|text| assemble(text)) {
            if !find(&text).iter().any(|found| found.rule.name() == *rule && found.level.is_redacted()) {
                wrong.push(format!("{rule} misses {text:?}: {:?}", find(&text)));
            }
        }
        for text in left.iter().map(|text| assemble(text)) {
            if redact(&text) != text {
                wrong.push(format!("{rule} takes {text:?}: {}", redact(&text)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No rule is without examples, and no example is of a rule that does not exist.
#[test]
fn every_rule_has_examples() {
    assert_eq!(EXAMPLES.iter().map(|(rule, ..)| *rule).collect::<BTreeSet<_>>(), BTreeSet::from(NAMES));
    assert!(assign::WORDS.len() > 20);
}

/// A token with its checksum is a secret; with another it is only a suspect, and is still taken out.
#[test]
fn a_checksum_decides_the_level() {
    let levels = |text: &str| find(&assemble(text)).iter().map(|found| found.level).collect::<Vec<_>>();
    assert_eq!(levels("gh·p_{crc}"), [Level::Secret]);
    assert_eq!(levels("gh·p_{a36}")[0], Level::Suspect);
    assert_eq!(levels("gh·p_{a20}"), [Level::Suspect]);
    assert_eq!(levels("np·m_{crc}"), [Level::Secret]);
    assert_eq!(levels("np·m_{a36}")[0], Level::Suspect);
    assert_eq!(levels("gl·sa_{a32}_{h8}")[0], Level::Suspect);
    assert_eq!(levels("gl·pat-{b36}")[0], Level::Secret);
    assert_eq!(levels("gl·pat-{a27}.01.0r{a7}")[0], Level::Suspect);
    assert_eq!(levels("gl·pat-{a20}"), [Level::Secret]);
    assert_eq!(levels("py·pi-AgEIcHlwaS5vcmc{a70}")[0], Level::Secret);
    assert_eq!(levels("py·pi-AgExcHlwaS5vcmc{a70}")[0], Level::Suspect);
    assert_eq!(levels("snt·ryu_{h64}")[0], Level::Secret);
    assert_eq!(levels("snt·ryu_{h60}")[0], Level::Suspect);
    assert_eq!(levels("github·_pat_{a22}_{a59}")[0], Level::Secret);
}

/// Two thresholds (D.10): a label makes no valid token of one with another length or checksum; it is still taken out. What
/// a label alone gives away, or a kind whose length nobody publishes, stays a secret.
#[test]
fn d_10_a_label_does_not_make_a_token_valid() {
    let surest = |text: &str| find(&assemble(text)).iter().map(|found| found.level).max();
    for label in ["my token is ", "token: ", "GITHUB_TOKEN=", "Authorization: Bearer ", "api key: "] {
        assert_eq!(surest(&format!("{label}gh·p_{{crc}}")), Some(Level::Secret), "{label}");
        for invalid in ["gh·p_{a36}", "gh·p_{a20}", "np·m_{a36}", "AI·za{a30}", "gl·sa_{a32}_{h8}"] {
            assert_eq!(surest(&format!("{label}{invalid}")), Some(Level::Suspect), "{label}{invalid}");
        }
        assert_eq!(surest(&format!("{label}sk·-proj-{{a30}}")), Some(Level::Secret), "{label}");
        assert_eq!(surest(&format!("{label}{{a30}}")), Some(Level::Secret), "{label}");
    }
    assert_eq!(surest("password: gh·p_{a36}"), Some(Level::Secret));
}

/// Two thresholds (D.10): one token in sixty ends in a dash, which counts for its length; a dash after a whole one does not.
#[test]
fn d_10_a_dash_at_the_end_of_a_token_counts() {
    for (token, whole) in [
        ("gl·pat-{a19}-", "gl·pat-{a19}-"),
        ("AI·za{a34}-.", "AI·za{a34}-"),
        ("GOC·SPX-{a26}-- x", "GOC·SPX-{a26}--"),
        ("gl·pat-{a20}- and", "gl·pat-{a20}"),
        ("gl·pat-{a20}.", "gl·pat-{a20}"),
    ] {
        let (text, whole) = (assemble(token), assemble(whole));
        let found = find(&text)[0];
        assert_eq!((&text[found.start..found.end], found.level), (whole.as_str(), Level::Secret), "{token}");
    }
}

/// Base64 and hex, once and twice, whole lines or one, hide nothing; the run is taken out as a whole.
#[test]
fn wrapped_secrets_are_found() {
    use base64::{Engine, engine::general_purpose::STANDARD, engine::general_purpose::URL_SAFE_NO_PAD};
    let secret = format!("export DB_PASSWORD={}\n{}", "hunter2", assemble("gh·p_{crc}"));
    let once = STANDARD.encode(&secret);
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let long = STANDARD.encode(format!("{}{secret}", "nothing here\n".repeat(12)));
    let lines: Vec<&str> =
        long.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let wrapped = [
        once.clone(),
        STANDARD.encode(&once),
        URL_SAFE_NO_PAD.encode(&secret),
        hex,
        lines.join("\n"),
        lines.join("\\n"),
    ];
    for run in wrapped {
        assert_eq!(redact(&format!("data: {run} end")), "data: [REDACTED:github-token] end", "{run}");
    }
}

/// Turns an example into the text it stands for.
pub(crate) fn assemble(example: &str) -> String {
    let example = &wrapped(example);
    let mut text = String::new();
    let mut rest = example.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let run = after.split_once('}').and_then(|(code, tail)| Some((expand(code)?, tail)));
        rest = match run {
            Some((run, tail)) => {
                text.push_str(&run);
                tail
            }
            None => {
                text.push('{');
                after
            }
        };
    }
    (text + rest).replace('·', "")
}

/// `{b64:…}` and `{hex:…}` become what stands in them, encoded.
fn wrapped(example: &str) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let Some((at, hex)) =
        [("{b64:", false), ("{hex:", true)].iter().find_map(|(mark, hex)| Some((example.find(mark)?, *hex)))
    else {
        return example.to_owned();
    };
    let inner = &example[at + 5..];
    let mut depth = 1;
    let end = inner
        .char_indices()
        .find(|(_, letter)| {
            depth += i32::from(*letter == '{') - i32::from(*letter == '}');
            depth == 0
        })
        .map_or(inner.len(), |(end, _)| end);
    let plain = assemble(&inner[..end]);
    let coded = match hex {
        true => plain.bytes().map(|byte| format!("{byte:02x}")).collect(),
        false => STANDARD.encode(plain),
    };
    format!("{}{coded}{}", &example[..at], wrapped(inner.get(end + 1..).unwrap_or_default()))
}

fn expand(code: &str) -> Option<String> {
    if code == "crc" {
        let random = expand("a30")?;
        return Some(format!(
            "{random}{}",
            String::from_utf8_lossy(&checksum::base62(checksum::crc32(random.as_bytes())))
        ));
    }
    if code == "b36" {
        let summed = format!("{}.01.0r", expand("a27")?);
        let sum = checksum::base36(checksum::crc32(format!("{}{summed}", "glpat-").as_bytes()));
        return Some(format!("{summed}{}", String::from_utf8_lossy(&sum)));
    }
    let alphabet: &[u8] = match code.chars().next()? {
        'a' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        'h' => b"0123456789abcdef",
        'u' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        _ => return None,
    };
    let length: u64 = code[1..].parse().ok()?;
    let draw = |at: u64| {
        ((at + length).wrapping_mul(6_364_136_223_846_793_005).rotate_left(29) % alphabet.len() as u64)
            as usize
    };
    Some((1..=length).map(|at| char::from(alphabet[draw(at)])).collect())
}
