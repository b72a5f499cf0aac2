"""Pull requests of a dataset repository: contributions by people who may not write to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from errorhub.hub.errors import NotFound

if TYPE_CHECKING:
    from huggingface_hub import Discussion

    from errorhub.hub.stores.hubapi import HubApi


@dataclass(frozen=True)
class Pull:
    """One pull request."""

    number: int
    title: str
    author: str
    """Account on the Hub."""
    status: str
    """open, draft, closed or merged."""
    created: str
    """ISO 8601 time."""
    url: str

    @property
    def revision(self) -> str:
        """The revision its files are at."""
        return f"refs/pr/{self.number}"


class Pulls:
    """The pull requests of one repository."""

    def __init__(self, api: HubApi) -> None:
        self._api = api

    def waiting(self, *, mine: bool = False) -> list[Pull]:
        """Return the open ones, oldest first; `mine` only those of this account."""
        with self._api.telling():
            author = self._api.api.whoami()["name"] if mine else None
            found = self._api.api.get_repo_discussions(
                self._api.name, repo_type="dataset", discussion_type="pull_request", discussion_status="open",
                author=author,
            )  # fmt: skip
            return sorted((self._pull(one) for one in found), key=lambda one: one.number)

    def get(self, number: int) -> Pull:
        """Return one of any status."""
        from huggingface_hub.errors import HfHubHTTPError

        with self._api.telling():
            try:
                found = self._api.api.get_discussion_details(self._api.name, number, repo_type="dataset")
            except HfHubHTTPError as problem:
                if problem.response.status_code != 404:
                    raise
                raise NotFound(f"no pull request {number} at hf:{self._api.name}.") from None
        if not found.is_pull_request:
            raise NotFound(f"{number} is a discussion, not a pull request.")
        return self._pull(found)

    def close(self, number: int, comment: str) -> None:
        """Close one with a comment."""
        with self._api.telling():
            self._api.api.change_discussion_status(
                self._api.name, number, "closed", comment=comment, repo_type="dataset"
            )  # fmt: skip

    def _pull(self, one: Discussion) -> Pull:
        at = one.created_at.isoformat()
        return Pull(one.num, one.title, one.author, one.status, at, f"{self._api.page}/discussions/{one.num}")
