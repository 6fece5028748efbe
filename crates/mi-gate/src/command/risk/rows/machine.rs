//! What changes the machine itself or its guards.

use mi_model::RiskCategory::{Other, Privacy};
use mi_model::Severity::{Critical, High, Low, Medium};

use super::{Row, row};

pub(super) const ROWS: &[Row] = &[
    row(&["sudo", "doas", "pkexec", "su", "runuser", "gosu"], &[], Other, Medium, "runs with other rights")
        .without(&["--version", "-V", "-h"])
        .examples(&["sudo ls", "/usr/bin/sudo -n true", "su -c id"], &["sudo --version", "ls sudo"]),
    row(
        &["chmod"],
        &["777", "0777", "a+rwx", "ugo+rwx", "o+w", "a+w", "666", "+w"],
        Other,
        Medium,
        "lets everybody write",
    )
    .examples(&["chmod 777 x", "chmod a+w f"], &["chmod +x x", "chmod 644 x"]),
    row(
        &["chmod"],
        &["777", "0777", "a+rwx", "000", "ugo+rwx", "666", "o+w", "a+w"],
        Other,
        High,
        "changes the rights of a whole tree",
    )
    .flags(&["-R", "--recursive", "-Rf"])
    .examples(&["chmod -R 777 .", "chmod 777 -R /var"], &["chmod -R u+w x", "chmod 777 x"]),
    row(
        &["chmod"],
        &["u+s", "+s", "4755", "4777", "g+s", "6755", "04755", "2755"],
        Other,
        High,
        "lets a program run with its owner's rights",
    )
    .examples(&["chmod u+s x", "chmod 4755 x"], &["chmod 755 x"]),
    row(&["chown", "chgrp"], &[], Other, Medium, "changes who owns files")
        .examples(&["chown -R root .", "chown u f"], &["ls chown"]),
    row(
        &["chattr", "setfacl", "setcap", "xattr", "chflags"],
        &[],
        Other,
        Medium,
        "changes the attributes of files",
    )
    .without(&["-l", "-p"])
    .examples(&["chattr -i x", "setcap cap_net_raw+ep x"], &["xattr -l x"]),
    row(&["kill"], &["-1", "1"], Other, Critical, "ends every process")
        .examples(&["kill -9 1"], &["kill 123"]),
    row(&["kill"], &[], Other, Critical, "ends every process")
        .flags(&["-1"])
        .examples(&["kill -9 -1", "kill -KILL -1"], &["kill -9 123"]),
    row(&["kill", "skill"], &[], Other, Medium, "kills a process without asking it")
        .flags(&["-9", "-KILL", "-SIGKILL", "-s"])
        .examples(&["kill -9 123", "kill -KILL 4"], &["kill 123", "kill %1"]),
    row(&["killall", "pkill"], &[], Other, Low, "ends processes by name")
        .examples(&["pkill -f vite", "killall node"], &["pgrep node"]),
    row(&["killall", "pkill"], &[], Other, Medium, "kills processes by name without asking them")
        .flags(&["-9", "-KILL", "-SIGKILL"])
        .examples(&["pkill -9 node", "killall -9 x"], &["pkill -f vite"]),
    row(&["crontab"], &[], Other, High, "changes scheduled jobs")
        .without(&["-l"])
        .examples(&["crontab x", "crontab -e", "echo '* * * * * x' | crontab -"], &["crontab -l"]),
    row(&["at", "batch", "atrm"], &[], Other, Medium, "schedules a job")
        .examples(&["at now + 1 hour"], &["cat at"]),
    row(
        &["systemctl", "service", "launchctl", "rc-service", "initctl", "update-rc.d", "chkconfig", "sc"],
        &[
            "start",
            "stop",
            "restart",
            "reload",
            "enable",
            "disable",
            "mask",
            "unmask",
            "daemon-reload",
            "kill",
            "load",
            "unload",
            "bootstrap",
            "bootout",
            "isolate",
            "set-default",
            "edit",
            "submit",
            "kickstart",
            "poweroff",
            "reboot",
        ],
        Other,
        Medium,
        "changes services",
    )
    .examples(
        &["systemctl restart nginx", "sudo systemctl disable x", "launchctl load x.plist"],
        &["systemctl status x", "systemctl is-active x"],
    ),
    row(&["service"], &[], Other, Medium, "changes services")
        .without(&["status", "--status-all"])
        .examples(&["service nginx restart"], &["service nginx status"]),
    row(
        &["iptables", "ip6tables", "nft", "ufw", "firewall-cmd", "pfctl", "ipset", "ebtables"],
        &[],
        Other,
        High,
        "changes the firewall",
    )
    .without(&["-L", "--list", "list", "status", "-S"])
    .examples(&["iptables -F", "ufw disable"], &["iptables -L", "ufw status"]),
    row(
        &["shutdown", "reboot", "halt", "poweroff", "init", "telinit", "pm-suspend"],
        &[],
        Other,
        Critical,
        "stops the machine",
    )
    .examples(&["shutdown -h now", "sudo reboot"], &["echo reboot"]),
    row(
        &[
            "useradd", "adduser", "usermod", "userdel", "deluser", "groupadd", "groupdel", "passwd",
            "chpasswd", "visudo", "vipw", "chsh", "dscl", "gpasswd", "newusers",
        ],
        &[],
        Other,
        High,
        "changes accounts",
    )
    .without(&["-S", "--status"])
    .examples(&["useradd x", "usermod -aG sudo x", "passwd root"], &["id", "passwd -S"]),
    row(
        &["mount", "umount", "losetup", "swapoff", "swapon", "fusermount"],
        &[],
        Other,
        Medium,
        "changes mounts",
    )
    .without(&["-l", "--version", "-a"])
    .examples(&["mount /dev/sdb1 /mnt", "umount /x"], &["mount -l"]),
    row(
        &[
            "modprobe",
            "insmod",
            "rmmod",
            "sysctl",
            "kexec",
            "setenforce",
            "csrutil",
            "spctl",
            "nvram",
            "grub-install",
            "update-grub",
            "efibootmgr",
            "dmsetup",
            "bpftool",
            "auditctl",
            "apparmor_parser",
            "aa-teardown",
        ],
        &[],
        Other,
        High,
        "changes the kernel or its guards",
    )
    .without(&["-a", "-n", "status"])
    .examples(&["sysctl -w a=1", "insmod x.ko", "setenforce 0"], &["sysctl -n a"]),
    row(
        &[
            "hostnamectl",
            "timedatectl",
            "localectl",
            "scutil",
            "systemsetup",
            "networksetup",
            "nmcli",
            "ifconfig",
            "route",
            "netplan",
            "resolvectl",
            "update-alternatives",
            "ldconfig",
            "dpkg-reconfigure",
        ],
        &[
            "set-hostname",
            "set-time",
            "set-timezone",
            "set-ntp",
            "--set",
            "connection",
            "add",
            "del",
            "apply",
            "-setdnsservers",
            "dns",
            "set",
            "down",
            "eth0",
            "en0",
        ],
        Other,
        Medium,
        "changes the system's settings",
    )
    .without(&["show", "status"])
    .examples(
        &["hostnamectl set-hostname x", "ifconfig eth0 down", "netplan apply"],
        &["hostnamectl status"],
    ),
    row(
        &["ip"],
        &[
            "link set",
            "addr add",
            "addr del",
            "route add",
            "route del",
            "route replace",
            "netns exec",
            "rule add",
            "addr flush",
        ],
        Other,
        Medium,
        "changes the network",
    )
    .examples(&["ip link set eth0 down", "ip route add default via x"], &["ip addr", "ip link show"]),
    row(&["defaults"], &["write", "delete", "import"], Other, Medium, "changes the system's settings")
        .examples(&["defaults write a b c"], &["defaults read a"]),
    row(&["git"], &["config"], Other, Low, "changes the person's git settings")
        .flags(&["--global", "--system"])
        .without(&["--get", "--list", "-l", "--get-all", "get", "list"])
        .examples(
            &["git config --global user.name x"],
            &["git config user.name x", "git config --global --get user.name"],
        ),
    row(
        &["git"],
        &["commit", "push", "merge", "rebase", "am", "cherry-pick"],
        Other,
        Medium,
        "goes around the hooks",
    )
    .flags(&["--no-verify"])
    .examples(&["git commit --no-verify -m x", "git push --no-verify"], &["git commit -m x"]),
    row(&["git"], &["commit"], Other, Medium, "goes around the hooks")
        .flags(&["-n"])
        .examples(&["git commit -nm x", "git commit -n -m x"], &["git commit -m n", "git commit -am x"]),
    row(
        &["security", "secret-tool", "keyring", "kwallet-query", "cmdkey", "vaultcmd"],
        &[
            "find-generic-password",
            "find-internet-password",
            "dump-keychain",
            "export",
            "lookup",
            "get",
            "search",
            "list-keychains",
            "find-certificate",
            "unlock-keychain",
        ],
        Privacy,
        High,
        "reads stored passwords",
    )
    .examples(&["security find-generic-password -wa x", "secret-tool lookup a b"], &["security verify-cert"]),
    row(
        &[
            "pass",
            "op",
            "bw",
            "lpass",
            "gopass",
            "vault",
            "doppler",
            "infisical",
            "chamber",
            "berglas",
            "sops",
            "age",
            "ansible-vault",
            "gpg",
            "gpg2",
        ],
        &[
            "show",
            "read",
            "get",
            "item get",
            "kv get",
            "secrets",
            "secrets download",
            "export",
            "list items",
            "decrypt",
            "view",
            "item list",
            "document get",
            "run",
            "print",
            "login",
            "ls",
        ],
        Privacy,
        High,
        "reads stored secrets",
    )
    .examples(
        &["pass show x", "op read op://a/b", "vault kv get x", "ansible-vault view x"],
        &["vault status", "gpg --version"],
    ),
    row(&["gpg", "gpg2"], &[], Privacy, High, "reads stored secrets")
        .flags(&["--export-secret-keys", "--export-secret-subkeys", "-d", "--decrypt", "--export-ownertrust"])
        .examples(&["gpg --export-secret-keys", "gpg -d x.gpg"], &["gpg --verify x.sig"]),
    row(&["sops", "age"], &[], Privacy, High, "reads stored secrets")
        .flags(&["-d", "--decrypt"])
        .examples(&["sops -d x.yaml", "age -d -i k x"], &["sops --version"]),
    row(
        &["aws"],
        &[
            "secretsmanager get-secret-value",
            "ssm get-parameter",
            "ssm get-parameters",
            "ssm get-parameters-by-path",
            "sts get-session-token",
            "sts assume-role",
            "ecr get-login-password",
            "configure get",
            "configure export-credentials",
            "kms decrypt",
            "iam list-access-keys",
        ],
        Privacy,
        High,
        "reads stored secrets",
    )
    .external()
    .examples(
        &["aws secretsmanager get-secret-value --secret-id x", "aws ssm get-parameter --with-decryption"],
        &["aws s3 ls"],
    ),
    row(
        &["gcloud", "az", "kubectl", "oc", "gh", "heroku", "fly", "vercel", "docker"],
        &[
            "auth print-access-token",
            "auth print-identity-token",
            "secrets versions access",
            "keyvault secret show",
            "account get-access-token",
            "get secret",
            "get secrets",
            "auth token",
            "config",
            "describe secret",
            "auth application-default print-access-token",
            "env pull",
            "ssh-key list",
            "extract secret",
        ],
        Privacy,
        High,
        "reads stored secrets",
    )
    .without(&[
        "view",
        "compose",
        "current-context",
        "get-contexts",
        "use-context",
        "set-context",
        "list",
        "set",
    ])
    .external()
    .examples(
        &["gcloud auth print-access-token", "kubectl get secret x -o yaml", "gh auth token", "heroku config"],
        &["gh auth status", "kubectl get pods", "kubectl config view", "gcloud config list"],
    ),
    row(&["npm"], &["token", "config list"], Privacy, Medium, "may print a token")
        .examples(&["npm token list"], &["npm config get registry"]),
    row(
        &[
            "tcpdump",
            "tshark",
            "dumpcap",
            "ettercap",
            "bettercap",
            "mitmproxy",
            "mitmdump",
            "xinput",
            "logkeys",
            "gcore",
            "screencapture",
            "import",
            "scrot",
            "ffmpeg",
        ],
        &[],
        Privacy,
        Medium,
        "records traffic, screen or memory",
    )
    .without(&["-version", "--version", "-i"])
    .examples(&["tcpdump -w x", "screencapture x.png"], &["ffmpeg -i a.mp4 b.mp3", "tcpdump --version"]),
    row(&["pbpaste", "xclip", "xsel", "wl-paste"], &[], Privacy, Medium, "reads the clipboard")
        .without(&["-i", "-in", "--input", "-b"])
        .examples(&["pbpaste", "xclip -o"], &["xclip -i"]),
    row(&["history", "fc"], &[], Privacy, Low, "reads the shell's history")
        .without(&["-c"])
        .examples(&["history", "history 20"], &["git log"]),
];
