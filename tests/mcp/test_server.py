"""The memory over MCP, spoken to by a real client over stdio."""

from collections.abc import Callable
from typing import Any

import pytest
from mcp_cases import ask, text

from errorhub.hub.bundle import Bundle
from errorhub.hub.workspace import Workspace

Make = Callable[..., Bundle]
Talk = Callable[..., Any]
STALE = "Trusted a stale .env file: its DATABASE_URL was left over, so the migration ran against the wrong database."


def test_tools_are_two_read_only_and_have_schemas(talk: Talk) -> None:
    async def speak(client: Any) -> Any:
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in talk(speak)}
    assert sorted(tools) == ["get_case", "search_cases"]
    for tool in tools.values():
        notes = tool.annotations
        assert (notes.read_only_hint, notes.destructive_hint, notes.idempotent_hint, notes.open_world_hint) == (
            True, False, True, False,
        )  # fmt: skip
        assert tool.output_schema and tool.description
    query = tools["search_cases"].input_schema["properties"]
    assert query["k"]["maximum"] == 10 and query["query"]["maxLength"] == 8_000
    assert set(tools["search_cases"].output_schema["properties"]) == {"cases", "no_confident_match", "reason"}


def test_a_case_is_found_and_read_page_by_page(talk: Talk, workspace: Workspace, case: Make) -> None:
    workspace.clean.put([bundle := case(STALE, steps=400)])

    async def speak(client: Any) -> Any:
        hits = await client.call_tool("search_cases", {"query": STALE})
        name = hits.structured_content["cases"][0]["bundle_id"]
        pages, cursor = [], 0
        while cursor is not None:
            pages.append(await client.call_tool("get_case", {"bundle_id": name[:12], "cursor": cursor}))
            cursor = pages[-1].structured_content["next_cursor"]
        return hits, pages

    hits, pages = talk(speak)
    (one,) = hits.structured_content["cases"]
    assert (one["bundle_id"], one["trust"], one["local"], one["flags"]) == (bundle.bundle_id, "mine", True, [])
    assert "│ why: Trusted a stale" in text(hits) and "│ should have: Print the host first." in text(hits)
    assert "│ should have: Print the host first." in text(pages[0])
    assert len(pages) > 1 and all(len(text(one)) < 16_000 for one in pages)
    shown = [line for one in pages for line in text(one).splitlines() if line.startswith("step ")]
    assert [line.split()[1] for line in shown] == [str(n) for n in range(400)]


def test_a_hit_links_to_its_case_which_can_be_read(talk: Talk, workspace: Workspace, case: Make) -> None:
    workspace.clean.put([bundle := case(STALE, steps=400)])

    async def speak(client: Any) -> Any:
        hits = await client.call_tool("search_cases", {"query": STALE})
        (link,) = [part for part in hits.content if part.type == "resource_link"]
        (template,) = (await client.list_resource_templates()).resource_templates
        return link, template, (await client.read_resource(str(link.uri))).contents[0]

    link, template, read = talk(speak)
    assert str(link.uri) == f"errorhub://case/{bundle.bundle_id}" == template.uri_template.format(
        bundle_id=bundle.bundle_id
    )  # fmt: skip
    assert STALE[:10] not in f"{link.name}{link.title}{link.description}"
    assert read.mime_type == "text/plain" and "│ should have: Print the host first." in read.text
    assert len(read.text) < 16_000 and read.text.splitlines()[-1].startswith("more: get_case with cursor ")


@pytest.mark.parametrize(
    "uri", ["errorhub://case/0000000000000000", "errorhub://case/..%2f..%2fetc", "file:///etc/passwd"]
)
def test_what_is_no_case_cannot_be_read(talk: Talk, uri: str) -> None:
    async def speak(client: Any) -> str:
        try:
            await client.read_resource(uri)
        except mcp.MCPError as problem:
            return str(problem)
        return "read"

    mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")
    said = talk(speak)
    assert said != "read" and "Traceback" not in said and "root:" not in said


BAD = [
    ("search_cases", {"query": "x", "where": "nonsense = 1"}, "nonsense"),
    ("search_cases", {"query": "x", "k": 11}, "k"),
    ("search_cases", {"query": "x" * 9_000}, "query"),
    ("get_case", {"bundle_id": "0" * 12}, "no bundle"),
    ("get_case", {"bundle_id": "../../etc/passwd"}, "bundle_id"),
]


def test_a_bad_call_is_an_error_with_a_sentence(talk: Talk) -> None:
    async def speak(client: Any) -> Any:
        return [await client.call_tool(tool, arguments) for tool, arguments, _ in BAD]

    for got, (tool, _, said) in zip(talk(speak), BAD, strict=True):
        assert got.is_error and said in text(got) and "Traceback" not in text(got), tool


def test_raw_runs_are_not_shown_unless_allowed(talk: Talk, workspace: Workspace, case: Make) -> None:
    workspace.raw.put([case(STALE)])
    call = ask("search_cases", {"query": STALE})
    got = talk(call)
    assert not got.is_error and got.structured_content["no_confident_match"] and "No similar case" in text(got)
    assert talk(call, "--allow-raw").structured_content["cases"]
