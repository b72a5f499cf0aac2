"""Who and where: home directories, file owners, prompts, authors, machines inside a network."""

from __future__ import annotations

from errorhub.scrubber.rules import place_checks as checks
from errorhub.scrubber.rules.rule import Rule

NAME = r"[A-Za-z0-9_][A-Za-z0-9._\-]{0,40}"
LINE = r"(?m)^[ \t+\->|]{0,8}"
LEFT = r"(?:^|[\s=,;\"'`>\[(|+])"
PROMPT = r"(?::[~/][^\r\n$#%]{0,100}[$#%]|[: ][~/]?[^\r\n$#%\]\s]{0,60}\]? ?[$#%])(?:[ \r\n\"']|$)"
MODE = r"[dlcbps\-](?:[r\-][w\-][xsStT\-]){3}[.+@]?[ \t]{1,4}\d{1,6}[ \t]{1,4}"
ANY_NAME, ANY_HOST = r"[A-Za-z0-9_][A-Za-z0-9._\-]*", r"[A-Za-z0-9][A-Za-z0-9.\-]*"
LABELS = r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62})(?:\.[A-Za-z0-9][A-Za-z0-9\-]{0,62}){0,6}"

USERS = (
    Rule(
        "home-unix",
        "USER",
        rf"(?:^|[^\w.\-~]|/mnt|/var|/usr|/export|/data|/nfs|/net)/home/({NAME})",
        ("/home/",),
        check=checks.user,
    ),
    Rule(
        "home-mac",
        "USER",
        rf"(?:^|[^\w.\-~]|/mnt/[a-z]|/cygdrive/[a-z]|(?:^|[\s\"'`=(:])/[cdCD]|://file|/Volumes/Data)/Users/({NAME})",
        ("/users/",),
        check=checks.user,
    ),
    Rule(
        "home-windows",
        "USER",
        r"(?:(?i:[a-z]:)[\\/]{1,4}(?i:Users|Documents and Settings)[\\/]{1,4})"
        r"(?:([A-Za-z0-9_][A-Za-z0-9._\-]*(?: [A-Z][A-Za-z0-9._\-]*){1,2})[\\/]|([A-Za-z0-9_][A-Za-z0-9._\-]*))",
        ("users", "documents and settings"),
        check=checks.user,
    ),
    Rule(
        "home-dashed",
        "USER",
        r"(?:^|[\\/\"'`\s=(])-(?:(?:mnt-[a-z]-)?Users|home)-([A-Za-z0-9_.]{2,40})(?:-|/|\b)",
        ("-users-", "-home-"),
        check=checks.user,
    ),
    Rule(
        "home-dashed-drive",
        "USER",
        r"(?:^|[\\/\"'`\s=(])[A-Za-z]--Users-([A-Za-z0-9_.]{2,40})(?:-|/|\b)",
        ("-users-",),
        check=checks.user,
    ),
    Rule("home-encoded", "USER", r"(?i)%2F(?:home|Users)%2F([A-Za-z0-9_.\-]{2,40})", ("%2f",), check=checks.user),
    Rule(
        "tilde-user",
        "USER",
        r"(?:^|[\s\"'=:(])~([a-z_][a-z0-9_.\-]{2,31})/",
        ("~",),
        hint=r"~[a-z_][a-z0-9_.\-]{2}",
        check=checks.user,
    ),
    Rule(
        "run-user-mail",
        "USER",
        r"/var/(?:mail|spool/(?:mail|cron(?:/crontabs)?))/([a-z_][a-z0-9_.\-]{1,31})",
        ("/var/",),
        check=checks.user,
    ),
    Rule(
        "ls-owner",
        "USER",
        rf"{LEFT}{MODE}({NAME})[ \t]{{1,12}}{NAME}[ \t]{{1,12}}\d",
        ("r", "-"),
        hint=MODE,
        check=checks.user,
        generic=True,
    ),
    Rule(
        "ls-group",
        "USER",
        rf"{LEFT}{MODE}{NAME}[ \t]{{1,12}}({NAME})[ \t]{{1,12}}\d",
        ("r", "-"),
        hint=MODE,
        check=checks.user,
        generic=True,
    ),
    Rule(
        "prompt-user",
        "USER",
        rf"{LEFT}({ANY_NAME})@{ANY_HOST}{PROMPT}",
        ("@",),
        hint=rf"@{ANY_HOST}{PROMPT}",
        check=checks.user,
    ),
    Rule(
        "whoami-line",
        "USER",
        r"(?m)whoami[\"'`]?\r?\n(?:[\w.\-]{1,32}\\{1,2})?([a-z_][a-z0-9_.\-]{1,31})\r?$",
        ("whoami",),
        check=checks.user,
    ),
    Rule("id-line", "USER", r"uid=\d{1,10}\(([A-Za-z0-9_.\-]{1,32})\)", ("uid=",), check=checks.user),
    Rule("id-group", "USER", r"gid=\d{1,10}\(([A-Za-z0-9_.\-]{1,32})\)", ("gid=",), check=checks.user),
    Rule(
        "user-env",
        "USER",
        r"(?m)^[ \t+\->]{0,8}(?:export\s)?(?:USER|USERNAME|LOGNAME|"
        r"SUDO_USER)=[\"']?([A-Za-z0-9_.\-]{2,40})[\"']?\s{0,2}$",
        ("user", "logname"),
        check=checks.user,
    ),
    Rule(
        "ssh-user",
        "USER",
        rf"(?:ssh|scp|rsync|sftp|mosh|ssh-copy-id)\s[^\r\n|;]{{0,120}}?({NAME})@[A-Za-z0-9\[]",
        ("ssh", "scp", "rsync", "sftp", "mosh"),
        check=checks.user,
    ),
    Rule(
        "ps-owner",
        "USER",
        r"(?m)^([a-z_][a-z0-9_.\-]{2,31})\+?[ \t]{1,10}\d{1,7}[ \t]{1,6}\d{1,3}\.\d[ \t]{1,6}\d{1,3}\.\d[ \t]{1,8}\d",
        hint=r"\d\.\d[ \t]{1,6}\d{1,3}\.\d[ \t]",
        check=checks.user,
        generic=True,
    ),
)

AUTHORS = (
    Rule(
        "git-author",
        "PERSON",
        r"(?i)(?:^|[\s=\"'>+])(?:Author|Commit|Committer|Tagger|Merger|Signed-off-by|"
        r"Co-authored-by|Reviewed-by|Acked-by|Tested-by|Reported-by|Suggested-by|From|To|Cc|"
        r"Maintainer):[ \t]{1,12}[\"']?([^<>\r\n\"':;{}]+?)[\"']?\s{1,2}<[^>\r\n]+>",
        ("author", "commit", "tagger", "merger", "-by", "from", "to", "cc", "maintainer"),
        check=checks.author,
    ),
    Rule(
        "git-object-author",
        "PERSON",
        r"(?m)^[ \t+\->]{0,8}(?:author|committer|tagger) ([^<>\r\n]{2,60}) <[^>\r\n]{0,120}> \d{9,11} [+\-]\d{4}",
        ("author", "committer", "tagger"),
        check=checks.author,
    ),
    Rule(
        "git-config-name",
        "PERSON",
        r"(?i)(?:user\.name|GIT_(?:AUTHOR|COMMITTER)_NAME)[ \t=]{1,4}(?:\"([^\"\r\n]{2,60})\"|"
        r"'([^'\r\n]{2,60})'|([A-Za-z][^\r\n\"'=&;|]{1,60}))",
        ("user.name", "git_author_name", "git_committer_name"),
        check=checks.author,
    ),
    Rule(
        "git-blame",
        "PERSON",
        r"(?m)^\^?[0-9a-f]{7,40}[^(\r\n]{0,120}\(([A-Z][^\d\r\n()]{1,50}?)"
        r"\s{1,40}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+\-]\d{4}\s{1,8}\d{1,6}\)",
        ("(",),
        check=checks.author,
    ),
)

HOSTS = (
    Rule(
        "prompt-host",
        "HOST",
        rf"{LEFT}{ANY_NAME}@({ANY_HOST}){PROMPT}",
        ("@",),
        hint=rf"@{ANY_HOST}{PROMPT}",
        check=checks.host_plain,
    ),
    Rule(
        "internal-host",
        "HOST",
        rf"(?i)(?:^|[^\w.\-/@$]|//|@)({LABELS}\.(?:internal|corp|lan|local|intra|intranet|localdomain|"
        rf"home\.arpa|private|priv|consul|ts\.net))(?:[^\w\-(]|$)",
        (".internal", ".corp", ".lan", ".local", ".intra", ".home.arpa", ".priv", ".consul", ".ts.net"),
        check=checks.internal_host,
    ),
    Rule(
        "corporate-host",
        "HOST",
        rf"(?i)(?:^|[^\w.\-/@$]|//|@)((?:{LABELS}\.)?(?:corp|int|intra|intranet|internal|vpn|"
        rf"lan)\.(?:[A-Za-z0-9\-]{{1,40}}\.){{1,2}}(?:com|net|org|io|dev|cloud|co|de|fr|uk|eu|us|"
        rf"tech|ai|example))(?:[^\w\-]|$)",
        (
            "corp.",
            "int.",
            "intra.",
            "intranet.",
            "internal.",
            "vpn.",
            "lan.",
        ),
        check=checks.corporate_host,
    ),
    Rule(
        "cloud-host",
        "HOST",
        r"(?i)(?:^|[^\w.\-])((?:ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:\.[a-z0-9\-]{1,30}){0,4})|"
        r"ec2-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}\.[a-z0-9.\-]{5,60}\.amazonaws\.com"
        r"|[a-z0-9\-]+(?:\.[a-z0-9\-]+)+\.(?:rds|cache|redshift|es|elb|docdb|"
        r"kafka)(?:\.[a-z0-9\-]+)?\.amazonaws\.com|"
        r"[a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.(?:internal\.cloudapp\.net|database\.windows\.net|"
        r"redis\.cache\.windows\.net|postgres\.database\.azure\.com|documents\.azure\.com))(?:[^\w\-]|$)",
        ("ip-", "ec2-", ".amazonaws.com", ".cloudapp.net", ".windows.net", ".azure.com"),
        check=checks.cloud_host,
    ),
    Rule(
        "host-named",
        "HOST",
        r"(?i)(?:^|[^a-z])(?:host_?name|node_?name|computer_?name|machine_?name|server_?name|"
        r"nodename)[\"'`]?\]?\s{0,3}(?:=>|=|:)\s{0,3}[\"'`]?([A-Za-z0-9][A-Za-z0-9.\-]{2,100})",
        ("hostname", "host_name", "node", "computer", "machine", "server"),
        check=checks.host_named,
        generic=True,
    ),
    Rule(
        "syslog-host",
        "HOST",
        r"(?m)^(?:[A-Z][a-z]{2} [ \d]\d|\d{4}-\d\d-\d\d)[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|"
        r"[+\-]\d\d:?\d\d)? ([A-Za-z][A-Za-z0-9.\-]{2,63}) [a-zA-Z][\w/.\-]{1,40}(?:\[\d{1,7}\])?:\s",
        ("[", ":"),
        hint=r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+\-]\d\d:?\d\d)? [A-Za-z][A-Za-z0-9.\-]{2}",
        check=checks.host_plain,
    ),
    Rule(
        "uname-host",
        "HOST",
        r"Linux ([A-Za-z0-9][A-Za-z0-9.\-]{1,63}) \d{1,2}\.\d{1,3}\.\d{1,3}",
        ("linux ",),
        check=checks.host_plain,
    ),
)

RULES: tuple[Rule, ...] = USERS + AUTHORS + HOSTS
