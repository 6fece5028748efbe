//! What talks to other machines without changing them.

use mi_model::RiskCategory::Network;
use mi_model::Severity::{High, Low, Medium};

use super::{Row, row};

pub(super) const ROWS: &[Row] = &[
    row(
        &["nc", "ncat", "netcat", "socat", "telnet", "ftp", "lftp", "tftp"],
        &[],
        Network,
        Medium,
        "opens a raw connection",
    )
    .without(&["-z", "localhost", "127.0.0.1", "--version"])
    .examples(&["nc example.com 80", "/usr/bin/ncat -l 4444", "socat - TCP:h:1"], &["nc -z localhost 5432"]),
    row(
        &["ssh", "sftp", "mosh", "autossh", "sshpass", "sshfs"],
        &[],
        Network,
        Medium,
        "connects to another machine",
    )
    .without(&["-V"])
    .examples(
        &["ssh host", "ssh -p 22 u@h uptime", "sshpass -p x ssh h"],
        &["ssh -V", "ssh-keygen -t ed25519"],
    ),
    row(
        &["nmap", "masscan", "nikto", "sqlmap", "hydra", "zmap", "gobuster", "ffuf"],
        &[],
        Network,
        High,
        "scans or attacks other machines",
    )
    .examples(&["nmap -sS 10.0.0.0/24"], &["npm test"]),
    row(
        &["git"],
        &[
            "fetch",
            "pull",
            "clone",
            "ls-remote",
            "submodule update",
            "remote update",
            "lfs pull",
            "lfs fetch",
        ],
        Network,
        Low,
        "fetches from a repository",
    )
    .examples(
        &[
            "git fetch origin",
            "git -C x pull --rebase",
            "git clone https://h/r",
            "git submodule update --init",
        ],
        &["git status", "git remote -v", "git log --all"],
    ),
    row(&["gh", "glab", "hub"], &[], Network, Low, "asks the code host")
        .without(&["--version", "auth", "--help"])
        .examples(&["gh pr list", "gh api repos/x/y"], &["gh --version"]),
    row(
        &[
            "aws",
            "gcloud",
            "az",
            "gsutil",
            "bq",
            "doctl",
            "oci",
            "ibmcloud",
            "aliyun",
            "linode-cli",
            "hcloud",
            "wrangler",
            "flyctl",
            "fly",
            "heroku",
            "vercel",
            "netlify",
            "railway",
            "supabase",
            "firebase",
            "eb",
            "sam",
            "cdk",
            "pulumi",
            "serverless",
        ],
        &[],
        Network,
        Medium,
        "talks to a cloud account",
    )
    .without(&["--version", "--help", "version"])
    .examples(&["aws s3 ls", "gcloud projects list", "az account show", "vercel ls"], &["aws --version"]),
    row(
        &["kubectl", "oc", "k9s", "argocd", "velero", "istioctl", "eksctl"],
        &[],
        Network,
        Low,
        "talks to a cluster",
    )
    .without(&["version", "--help", "config"])
    .examples(&["kubectl get pods", "kubectl -n x logs y"], &["kubectl config view", "kubectl version"]),
    row(
        &["docker", "podman", "nerdctl", "skopeo", "crane"],
        &["pull", "login", "search", "compose pull", "copy", "image pull"],
        Network,
        Low,
        "fetches images",
    )
    .examples(&["docker pull alpine", "docker compose pull"], &["docker ps", "docker build ."]),
    row(
        &["cargo"],
        &["fetch", "search", "update", "login", "owner", "vendor", "generate-lockfile"],
        Network,
        Low,
        "asks the package registry",
    )
    .without(&["--offline"])
    .examples(
        &["cargo update", "cargo +nightly fetch"],
        &["cargo test", "cargo build", "cargo update --offline"],
    ),
    row(
        &["npm", "pnpm", "yarn"],
        &["view", "info", "search", "login", "audit", "outdated", "whoami", "ping", "adduser"],
        Network,
        Low,
        "asks the package registry",
    )
    .examples(&["npm view react", "npm audit fix"], &["npm test", "npm run view"]),
    row(&["go"], &["mod download", "mod tidy", "list -m"], Network, Low, "fetches modules")
        .examples(&["go mod tidy", "go mod download"], &["go test ./...", "go mod init x"]),
    row(&["pip"], &["download", "search", "index", "wheel"], Network, Low, "asks the package registry")
        .examples(&["pip download x", "python3 -m pip index versions x"], &["pip list", "pip freeze"]),
    row(
        &[
            "aria2c",
            "axel",
            "youtube-dl",
            "yt-dlp",
            "rclone",
            "s3cmd",
            "mc",
            "http",
            "https",
            "xh",
            "httpie",
            "lynx",
            "w3m",
            "grpcurl",
            "websocat",
        ],
        &[],
        Network,
        Medium,
        "transfers data",
    )
    .without(&["--version", "localhost", "127.0.0.1"])
    .examples(&["rclone copy a b:", "http GET https://h", "aria2c https://h/x"], &["http --version"]),
    row(
        &["dig", "nslookup", "host", "whois", "ping", "traceroute", "mtr"],
        &[],
        Network,
        Low,
        "asks the network",
    )
    .without(&["localhost", "127.0.0.1"])
    .examples(&["dig example.com", "ping -c1 h"], &["ping -c1 localhost"]),
    row(
        &["ngrok", "cloudflared", "localtunnel", "lt", "tailscale", "frpc", "chisel"],
        &[],
        Network,
        High,
        "opens a tunnel to this machine",
    )
    .without(&["--version", "version"])
    .examples(&["ngrok http 3000", "cloudflared tunnel --url x"], &["ngrok --version"]),
    row(&["mail", "mailx", "sendmail", "mutt", "swaks", "msmtp"], &[], Network, High, "sends mail")
        .examples(&["mail -s hi a@b < x"], &["cat mail"]),
    row(&["git"], &["send-email", "imap-send"], Network, High, "sends mail")
        .examples(&["git send-email x.patch"], &["git format-patch -1"]),
];
