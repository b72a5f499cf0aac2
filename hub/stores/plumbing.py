"""Git without a checkout: a bare cache, GitPython as the runner, settings that make a hostile repository harmless.

No hook, filter, submodule, link or foreign protocol is ever followed: trees are listed and blobs read by id.
Credentials of a URL travel in the environment of one command, never in an argument or a file.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import IO, Any, cast
from urllib.parse import unquote, urlsplit, urlunsplit

from errorhub.hub.durable import locked, writing
from errorhub.hub.errors import Conflict, RemoteError, UsageError
from errorhub.hub.stores.store import mask

_SCP = re.compile(r"(?:[A-Za-z0-9._-]+@)?[A-Za-z0-9][A-Za-z0-9.-]*:[A-Za-z0-9~/][^\s:]*")
_BRANCH = re.compile(r"(?!.*(?:\.\.|//|/\.|\.lock(?:/|$)|@\{))[A-Za-z0-9][A-Za-z0-9._/-]*(?<![./])", re.ASCII)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_REJECTED = re.compile(r"rejected\] \((?P<why>.*)\)")
_RACE = re.compile(
    "fetch first|non-fast-forward|stale info|cannot lock ref|failed to update ref|incorrect old value|already exists"
    "|failed to lock|unable to migrate objects|remote ref updated since checkout|needs force"
)
_COMPLAINT = re.compile(r"(?:fatal|error|remote|ssh): *(?:fatal: |error: )?(?P<text>\S.*)")

_CONFIG = {
    "core.hooksPath": os.devnull,
    "core.symlinks": "false",
    "core.bigFileThreshold": "1m",
    "core.compression": "0",
    "fetch.fsckObjects": "true",
    "fetch.recurseSubmodules": "false",
    "push.recurseSubmodules": "no",
    "push.gpgSign": "false",
    "fetch.unpackLimit": "1",
    "fastimport.unpackLimit": "1",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
}

_KEEP_PACK = "git -c receive.unpackLimit=1 -c core.bigFileThreshold=1m receive-pack"
"""For remotes on this machine: what was packed without searching for deltas stays packed."""


@dataclass(frozen=True)
class Remote:
    """A Git remote: its URL without credentials, and the header that carries them."""

    url: str
    header: tuple[str, str] | None = None
    """Name and value of a configuration entry, for one command's environment."""

    @property
    def folder(self) -> Path | None:
        """The repository's folder, when it lies on this machine."""
        parts = urlsplit(self.url)
        return Path(unquote(parts.path)) if parts.scheme == "file" and not parts.netloc else None

    @classmethod
    def parse(cls, text: str) -> Remote:
        """Accept https, ssh, file, a path, and http to this machine. Raise UsageError for anything else."""
        if text.startswith("-") or re.search(r"[\s\x00-\x1f\x7f]|::", text):
            raise UsageError(f"not a Git URL: {mask(text)!r}. Use https, ssh, file:// or a path.")
        if "://" not in text:
            return cls(text if _SCP.fullmatch(text) else Path(text).expanduser().resolve().as_uri())
        parts = urlsplit(text)
        host = parts.hostname or ""
        allowed = parts.scheme in ("https", "ssh", "file") or (parts.scheme == "http" and host in _LOOPBACK)
        if not allowed or host.startswith("-"):
            raise UsageError(f"not a Git URL that is safe to use: {mask(text)!r}. Use https, ssh, file:// or a path.")
        if parts.scheme == "ssh" and parts.password is not None:
            raise UsageError(f"password in an ssh URL: {mask(text)!r}. Use a key.")
        if parts.scheme not in ("https", "http") or parts.username is None:
            return cls(text)
        bare = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        value = "Authorization: Basic " + base64.b64encode(pair.encode()).decode()
        return cls(bare, (f"http.{bare}.extraHeader", value))


def require_branch(name: str) -> str:
    """Return a branch name, or raise UsageError when Git could take it for something else."""
    if not _BRANCH.fullmatch(name) or len(name) > 200:
        raise UsageError(f"not a branch name: {name[:80]!r}.")
    return name


class Cache:
    """A bare repository that mirrors what was needed of a remote so far. Can be deleted at any time."""

    def __init__(self, folder: Path, remote: Remote) -> None:
        self._folder = folder
        self._remote = remote
        self._blobs: Any = None

    def run(self, *arguments: str, folder: Path | None = None) -> bytes:
        """Run one Git command and return its output. Raise Conflict or RemoteError in one masked sentence."""
        from git import Git
        from git.exc import GitCommandError, GitCommandNotFound

        where = folder or self._folder
        try:
            return Git(where if where.exists() else where.parent).execute(
                ["git", *arguments], env=self._environment(where), stdout_as_string=False,
                strip_newline_in_stdout=False,
            )  # fmt: skip
        except GitCommandNotFound:
            raise UsageError("Git is not installed. Install it to use git: hubs.") from None
        except GitCommandError as problem:
            raise _told(f"{problem.stdout}\n{problem.stderr}", self._remote.url) from None

    def heads(self) -> tuple[dict[str, str], str | None]:
        """Ask the remote for its refs and the branch its HEAD names."""
        self._make()
        lines = self.run("ls-remote", "--symref", "--", self._remote.url).decode(errors="replace").splitlines()
        refs: dict[str, str] = {}
        default = None
        for value, _, name in (line.partition("\t") for line in lines):
            if value.startswith("ref: "):
                default = value.removeprefix("ref: refs/heads/") if name == "HEAD" else default
            else:
                refs[name] = value
        return refs, default

    def unborn(self) -> str:
        """Return the branch that an empty remote expects, `main` when it does not say."""
        with tempfile.TemporaryDirectory(dir=self._folder.parent) as scratch:
            empty = Path(scratch, "empty.git")
            arguments = ["-c", "init.defaultBranch=main", "clone", "--quiet", "--bare", "--template="]
            self.run(*arguments, "--", self._remote.url, str(empty), folder=empty)
            name = (empty / "HEAD").read_text().strip().removeprefix("ref: refs/heads/")
        return name if _BRANCH.fullmatch(name) else "main"

    def fetch(self, commit: str) -> None:
        """Bring one commit with its files, and nothing of its past, into the cache."""
        self._make()
        if self.holds(commit):
            return
        with locked(self._folder.with_suffix(".lock")):
            for lock in self._folder.glob("shallow.lock"):  # left by a killed fetch: we hold the lock now
                lock.unlink(missing_ok=True)
            arguments = [
                "fetch",
                "--quiet",
                "--depth=1",
                "--no-tags",
                "--no-recurse-submodules",
                "--no-write-fetch-head",
            ]
            self.run(*arguments, "--", self._remote.url, f"+{commit}:refs/errorhub/seen")

    def holds(self, commit: str) -> bool:
        """Whether a commit and its files are here already."""
        from git import Git

        status = Git(self._folder).execute(
            ["git", "cat-file", "-e", f"{commit}^{{tree}}"], env=self._environment(self._folder),
            with_extended_output=True, with_exceptions=False,
        )[0]  # fmt: skip
        return status == 0

    def blob(self, name: str) -> bytes:
        """Return the bytes of a blob by its id."""
        if self._blobs is None:
            from git import Git

            self._blobs = Git(self._folder)
            self._blobs.update_environment(**self._environment(self._folder))
        try:
            return cast(bytes, self._blobs.get_object_data(name)[3])
        except ValueError:
            raise RemoteError(
                f"the Git cache lacks the object {name[:12]}. Delete {self._folder} and try again."
            ) from None

    def close(self) -> None:
        """End the reading process, if there is one."""
        if self._blobs is not None:
            self._blobs.clear_cache()
            self._blobs = None

    def write_commit(
        self, add: Mapping[str, bytes], remove: Iterable[str], message: str, parent: str | None, author: str
    ) -> str:
        """Store a commit on `parent` in the cache, under no name, and return its id."""
        from git import Git

        self._make()
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._-]*", author):
            raise UsageError(f"not an author: {author[:40]!r}.")
        when = f"{author} <{author}@errorhub.invalid> {int(time.time())} +0000"
        name = f"refs/errorhub/{os.getpid()}-{time.monotonic_ns()}"
        text = message.encode()
        head = f"commit {name}\nmark :1\nauthor {when}\ncommitter {when}\ndata {len(text)}\n".encode() + text + b"\n"
        wrapped = Git(self._folder).execute(
            ["git", "fast-import", "--quiet", "--done"], env=self._environment(self._folder),
            as_process=True, istream=-1,
        )  # fmt: skip
        process = cast("Popen[bytes]", wrapped.proc)
        pipe = cast(IO[bytes], process.stdin)
        with suppress(BrokenPipeError):
            pipe.write(head + (f"from {parent}\n".encode() if parent else b""))
            for path in remove:
                pipe.write(f"D {path}\n".encode())
            for path in add:
                data = add[path]
                pipe.write(f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
            pipe.write(f"\nget-mark :1\nreset {name}\nfrom {'0' * 40}\n\ndone\n".encode())
            pipe.close()
        made = cast(IO[bytes], process.stdout).read().decode().strip()
        complaint = cast(IO[bytes], process.stderr).read()
        if process.wait() != 0:
            raise _told(complaint.decode(errors="replace"), self._remote.url)
        return made

    def push(self, commit: str, branch: str, expect: str | None) -> None:
        """Move the remote's branch from `expect` to a commit. Raise Conflict when it is not there any more."""
        ref = f"refs/heads/{branch}"
        lease = f"--force-with-lease={ref}:{expect or ''}"
        kept = [f"--receive-pack={_KEEP_PACK}"] if self._remote.folder else []
        self.run("push", "--porcelain", "--no-verify", lease, *kept, "--", self._remote.url, f"{commit}:{ref}")

    def spare_deltas(self) -> None:
        """Tell a bare repository on this machine, before its first hub, not to look for deltas between shards.

        Servers read it from the .gitattributes of the branch; Git before 2.43 does not, and clones take minutes.
        """
        attributes = self._remote.folder / "info" / "attributes" if self._remote.folder else None
        if attributes and attributes.parent.parent.joinpath("HEAD").is_file() and not attributes.exists():
            with suppress(OSError):
                attributes.parent.mkdir(exist_ok=True)
                attributes.write_text("*.parquet -delta\n")

    def _make(self) -> None:
        if (self._folder / "HEAD").is_file():
            return
        with writing("Git cache", self._folder.parent):
            self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with writing("Git cache", self._folder), locked(self._folder.with_suffix(".lock")):
            if (self._folder / "HEAD").is_file():
                return
            shutil.rmtree(self._folder, ignore_errors=True)
            fresh = Path(tempfile.mkdtemp(dir=self._folder.parent))
            self.run("init", "--quiet", "--bare", "--template=", str(fresh), folder=fresh)
            fresh.replace(self._folder)

    def _environment(self, folder: Path) -> dict[str, str]:
        """Return the settings of one command: ours win over the user's, and nothing points at another repository."""
        config = dict(_CONFIG) | dict([self._remote.header] if self._remote.header else [])
        first = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
        environment = {
            "GIT_DIR": str(folder),
            "GIT_OBJECT_DIRECTORY": str(folder / "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": "",
            "GIT_NAMESPACE": "",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "file:http:https:ssh",
            "GIT_CONFIG_COUNT": str(first + len(config)),
        }
        for number, (key, value) in enumerate(config.items(), start=first):
            environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return environment


def _told(output: str, url: str) -> RemoteError:
    """Return what Git complains about as one sentence, a lost race as Conflict."""
    reasons = [found["why"] for found in _REJECTED.finditer(output)]
    if any(_RACE.search(why) for why in reasons):
        return Conflict(f"somebody else pushed to {url} first.")
    complaints = [found["text"].strip(" '") for found in _COMPLAINT.finditer(output)]
    told = "".join(c for c in [*reasons, *complaints, "Git failed without saying why"][0] if c.isprintable())
    return RemoteError(f"{mask(url)}: {mask(told)[:300].rstrip('.')}.", hint=f"git ls-remote {mask(url)}")
