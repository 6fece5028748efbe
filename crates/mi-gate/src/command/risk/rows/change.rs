//! What destroys work or data by its subcommand alone; deleting by path is `deletion`.

use mi_model::RiskCategory::Delete;
use mi_model::Severity::{Critical, High, Low, Medium};

use super::{Row, row};

pub(super) const ROWS: &[Row] = &[
    row(&["git"], &["clean"], Delete, High, "deletes untracked files")
        .flags(&["-f", "--force"])
        .without(&["-n", "--dry-run"])
        .examples(
            &["git clean -fdx", "git clean --force -d", "git -C x clean -xdf"],
            &["git clean -n", "git clean -ndf"],
        ),
    row(&["git"], &["reset"], Delete, High, "throws uncommitted work away")
        .flags(&["--hard", "--merge"])
        .examples(
            &["git reset --hard", "git reset --hard HEAD~3", "git -C a reset  --hard origin/main"],
            &["git reset HEAD x", "git reset --soft HEAD~1"],
        ),
    row(
        &["git"],
        &["checkout .", "checkout HEAD .", "restore .", "checkout HEAD", "restore :/", "checkout :/"],
        Delete,
        High,
        "throws uncommitted work away",
    )
    .without(&["--staged", "-b"])
    .examples(
        &["git checkout -- .", "git checkout .", "git restore .", "git checkout HEAD -- ."],
        &["git checkout main", "git restore --staged ."],
    ),
    row(&["git"], &["checkout", "switch"], Delete, High, "throws uncommitted work away")
        .flags(&["-f", "--force", "--discard-changes"])
        .examples(
            &["git checkout -f main", "git switch --discard-changes main"],
            &["git checkout main", "git switch -c x"],
        ),
    row(&["git"], &["checkout", "restore"], Delete, Medium, "throws changes of files away")
        .flags(&["--", "--worktree", "-W", "--source", "-s"])
        .without(&["--staged", "-b"])
        .examples(&["git checkout -- src/a.rs", "git restore --source=HEAD~1 a"], &["git checkout main"]),
    row(&["git"], &["stash drop", "stash clear"], Delete, High, "deletes stashed work")
        .examples(&["git stash drop", "git stash clear"], &["git stash", "git stash pop", "git stash list"]),
    row(&["git"], &["branch"], Delete, High, "deletes branches that may not be merged")
        .flags(&["-D"])
        .examples(
            &["git branch -D x", "git branch --list --no-list -D x"],
            &["git branch", "git branch -a", "git branch -d x"],
        ),
    row(&["git"], &["branch", "tag"], Delete, Low, "deletes a name")
        .flags(&["-d", "--delete"])
        .examples(&["git branch -d x", "git tag -d v1"], &["git branch", "git tag v1"]),
    row(&["git"], &["branch"], Delete, High, "moves a branch away from its commits")
        .flags(&["-f", "--force", "-M"])
        .without(&["main"])
        .examples(&["git branch -f x HEAD~3"], &["git branch x", "git branch -M main"]),
    row(
        &["git"],
        &[
            "filter-branch",
            "filter-repo",
            "reflog expire",
            "reflog delete",
            "update-ref",
            "gc --prune",
            "replace",
        ],
        Delete,
        High,
        "rewrites or drops history",
    )
    .examples(
        &["git filter-branch --all", "git reflog expire --expire=now --all", "git update-ref -d HEAD"],
        &["git reflog", "git log"],
    ),
    row(&["git"], &["gc", "prune"], Delete, Medium, "drops unreachable commits")
        .flags(&["--prune", "--aggressive", "--expire"])
        .examples(&["git gc --prune=now"], &["git gc"]),
    row(&["git"], &["rm"], Delete, Medium, "deletes tracked files")
        .without(&["--cached", "-n"])
        .examples(&["git rm -r src", "git rm a"], &["git rm --cached a"]),
    row(
        &["git"],
        &[
            "worktree remove",
            "submodule deinit",
            "remote remove",
            "remote rm",
            "rebase --abort",
            "am --abort",
            "merge --abort",
        ],
        Delete,
        Medium,
        "removes a part of the repository",
    )
    .examples(&["git worktree remove x", "git remote rm origin"], &["git worktree list"]),
    row(&["bfg"], &[], Delete, High, "rewrites or drops history")
        .examples(&["bfg --delete-files x"], &["git log"]),
    row(
        &[
            "mkfs",
            "mkfs.ext4",
            "mkfs.xfs",
            "mkfs.btrfs",
            "mkfs.vfat",
            "mke2fs",
            "wipefs",
            "fdisk",
            "sfdisk",
            "parted",
            "gdisk",
            "sgdisk",
            "blkdiscard",
            "diskutil",
            "cryptsetup",
            "lvremove",
            "vgremove",
            "pvremove",
            "zpool",
            "hdparm",
            "badblocks",
        ],
        &[],
        Delete,
        Critical,
        "can destroy a disk",
    )
    .without(&["-l", "--list", "list", "status", "--version", "info"])
    .examples(
        &["mkfs.ext4 /dev/sda1", "wipefs -a /dev/sdb", "zpool destroy tank"],
        &["fdisk -l", "diskutil list", "zpool status"],
    ),
    row(&["shred", "srm", "wipe", "secure-delete"], &[], Delete, High, "destroys files beyond recovery")
        .examples(&["shred -u x"], &["ls shred"]),
    row(&["dropdb", "dropuser"], &[], Delete, Critical, "drops a database")
        .examples(&["dropdb prod"], &["createdb x"]),
    row(&["mysqladmin"], &["drop"], Delete, Critical, "drops a database")
        .examples(&["mysqladmin -u root drop x"], &["mysqladmin status"]),
    row(
        &[
            "rails",
            "rake",
            "bin/rails",
            "mix",
            "artisan",
            "prisma",
            "sequelize",
            "knex",
            "alembic",
            "diesel",
            "sqlx",
            "typeorm",
            "drizzle-kit",
            "doctrine",
            "flyway",
            "liquibase",
            "goose",
            "dbmate",
            "supabase",
            "sqitch",
        ],
        &[
            "db:drop",
            "db:reset",
            "db:migrate:reset",
            "db:schema:load",
            "db:setup",
            "ecto.drop",
            "ecto.reset",
            "migrate:fresh",
            "migrate:reset",
            "db:wipe",
            "migrate reset",
            "db:migrate:undo:all",
            "migrate:rollback",
            "downgrade",
            "database reset",
            "database drop",
            "schema:drop",
            "drop",
            "clean",
            "dropAll",
            "drop-all",
            "reset",
            "db reset",
            "migration revert",
            "db push",
        ],
        Delete,
        High,
        "drops or resets a database",
    )
    .examples(
        &["rails db:drop", "npx prisma migrate reset --force", "rake db:reset", "diesel database reset"],
        &["rails db:migrate", "npx prisma generate"],
    ),
    row(
        &["php", "python", "python3", "node"],
        &[
            "artisan migrate:fresh",
            "artisan db:wipe",
            "artisan migrate:reset",
            "manage.py flush",
            "manage.py reset_db",
            "manage.py sqlflush",
            "ace migration:reset",
        ],
        Delete,
        High,
        "drops or resets a database",
    )
    .examples(
        &["php artisan migrate:fresh", "python manage.py flush --no-input"],
        &["python manage.py migrate"],
    ),
    row(
        &["docker", "podman"],
        &[
            "system prune",
            "volume rm",
            "volume prune",
            "container prune",
            "image prune",
            "builder prune",
            "network prune",
            "system reset",
        ],
        Delete,
        High,
        "deletes containers, images or volumes",
    )
    .examples(&["docker system prune -af", "docker volume rm data"], &["docker ps", "docker volume ls"]),
    row(
        &["docker", "podman"],
        &["rm", "rmi", "kill", "stop", "container rm", "image rm", "compose rm", "compose kill"],
        Delete,
        Low,
        "removes containers or images",
    )
    .examples(&["docker rm -f x", "docker rmi y"], &["docker run --rm x", "docker ps"]),
    row(&["docker", "docker-compose", "podman"], &["compose down", "down"], Delete, High, "deletes volumes")
        .flags(&["-v", "--volumes", "--rmi"])
        .examples(&["docker compose down -v", "docker-compose down --volumes"], &["docker compose down"]),
    row(&["kubectl", "oc"], &["delete", "drain", "replace --force"], Delete, High, "deletes in a cluster")
        .without(&["--dry-run"])
        .external()
        .examples(
            &["kubectl delete ns prod", "kubectl -n x delete pod y", "kubectl drain n"],
            &["kubectl get pods"],
        ),
    row(
        &["helm", "helmfile", "flux"],
        &["uninstall", "delete", "destroy"],
        Delete,
        High,
        "deletes in a cluster",
    )
    .external()
    .examples(&["helm uninstall x"], &["helm list"]),
    row(
        &["terraform", "tofu", "terragrunt", "pulumi", "cdk", "cdktf", "serverless", "sls", "sam", "amplify"],
        &[
            "destroy",
            "remove",
            "delete",
            "run-all destroy",
            "state rm",
            "stack rm",
            "workspace delete",
            "taint",
        ],
        Delete,
        Critical,
        "destroys infrastructure",
    )
    .external()
    .examples(
        &["terraform destroy", "pulumi destroy -y", "cdk destroy", "terraform state rm x"],
        &["terraform plan"],
    ),
    row(&["terraform", "tofu"], &["apply"], Delete, Critical, "destroys infrastructure")
        .flags(&["-destroy", "--destroy"])
        .external()
        .examples(&["terraform apply -destroy"], &["terraform apply"]),
    row(
        &["aws"],
        &[
            "s3 rm",
            "s3 rb",
            "ec2 terminate-instances",
            "rds delete-db-instance",
            "dynamodb delete-table",
            "cloudformation delete-stack",
            "iam delete-user",
            "lambda delete-function",
            "eks delete-cluster",
            "s3api delete-bucket",
            "s3api delete-object",
            "s3api delete-objects",
            "ecr delete-repository",
            "logs delete-log-group",
            "secretsmanager delete-secret",
            "kms schedule-key-deletion",
            "ec2 delete-volume",
            "ec2 delete-snapshot",
            "route53 delete-hosted-zone",
            "efs delete-file-system",
            "backup delete-recovery-point",
        ],
        Delete,
        Critical,
        "deletes in a cloud account",
    )
    .external()
    .examples(
        &[
            "aws s3 rm s3://b --recursive",
            "aws ec2 terminate-instances --instance-ids i",
            "aws --profile p s3 rb s3://b --force",
        ],
        &["aws s3 ls"],
    ),
    row(&["aws"], &["s3 sync"], Delete, High, "deletes in a cloud account")
        .flags(&["--delete"])
        .external()
        .examples(&["aws s3 sync . s3://b --delete"], &["aws s3 sync . s3://b"]),
    row(
        &[
            "gcloud",
            "az",
            "doctl",
            "hcloud",
            "heroku",
            "fly",
            "flyctl",
            "firebase",
            "supabase",
            "vercel",
            "netlify",
            "railway",
            "linode-cli",
            "ibmcloud",
            "oci",
            "wrangler",
            "eksctl",
        ],
        &[
            "projects delete",
            "compute instances delete",
            "sql instances delete",
            "container clusters delete",
            "storage rm",
            "storage buckets delete",
            "group delete",
            "vm delete",
            "compute droplet delete",
            "server delete",
            "apps:destroy",
            "pg:reset",
            "apps destroy",
            "destroy",
            "firestore:delete",
            "projects:delete",
            "remove",
            "rm",
            "sites:delete",
            "delete",
            "volumes delete",
            "volumes destroy",
            "delete cluster",
            "storage account delete",
            "aks delete",
            "run services delete",
            "functions delete",
            "secrets delete",
            "machine destroy",
        ],
        Delete,
        Critical,
        "deletes in a cloud account",
    )
    .external()
    .examples(
        &[
            "gcloud projects delete x",
            "az group delete -n x",
            "heroku pg:reset DATABASE",
            "fly apps destroy x",
        ],
        &["gcloud projects list", "az group list"],
    ),
    row(
        &["gsutil", "rclone", "mc", "s3cmd", "azcopy", "b2"],
        &[
            "rm",
            "rb",
            "delete",
            "purge",
            "del",
            "remove",
            "deletefile",
            "rmdirs",
            "delete-bucket",
            "delete-file-version",
        ],
        Delete,
        Critical,
        "deletes in a cloud account",
    )
    .external()
    .examples(&["gsutil rm -r gs://b", "gsutil -m rm -r gs://b", "rclone purge r:b"], &["gsutil ls"]),
    row(&["rsync"], &[], Delete, Medium, "deletes files at the target")
        .flags(&[
            "--delete",
            "--delete-after",
            "--delete-before",
            "--delete-excluded",
            "--remove-source-files",
        ])
        .examples(&["rsync -a --delete a/ b/"], &["rsync -a a b"]),
    row(&["redis-cli"], &["FLUSHALL", "FLUSHDB", "flushall", "flushdb"], Delete, High, "empties a database")
        .examples(&["redis-cli FLUSHALL", "redis-cli -h x flushdb"], &["redis-cli ping"]),
    row(
        &["tmutil", "timeshift", "restic", "borg", "btrfs", "zfs"],
        &["delete", "forget", "prune", "destroy", "subvolume delete", "deletelocalsnapshots", "rollback"],
        Delete,
        High,
        "deletes backups",
    )
    .examples(
        &["restic forget --keep-last 1", "zfs destroy tank/x", "btrfs subvolume delete x"],
        &["restic snapshots", "zfs list"],
    ),
    row(&["history"], &[], Delete, Medium, "erases the shell's history")
        .flags(&["-c", "-d", "-w"])
        .examples(&["history -c"], &["history"]),
    row(&["crontab"], &[], Delete, High, "deletes all scheduled jobs")
        .flags(&["-r"])
        .examples(&["crontab -r"], &["crontab -l"]),
    row(
        &["npm", "yarn", "pnpm", "pip", "cargo", "go", "gradle", "composer"],
        &["cache clean", "cache purge", "clean -modcache", "store prune", "clean"],
        Delete,
        Low,
        "empties a cache or build folder",
    )
    .examples(&["npm cache clean --force", "cargo clean"], &["npm test", "cargo test"]),
];
