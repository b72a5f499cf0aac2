"""What harnesses say around every step is cut out; what tells of a failure stays."""

import pytest

from errorhub.hub.memory import Query
from errorhub.hub.memory.frames import unframed

FRAMES = {
    "reminder": "<system-reminder>\nBe brief.\n</system-reminder>",
    "open reminder": "<system-reminder>\nBe brief, and never stop.",
    "command": "<command-name>/clear</command-name>\n<command-message>clear</command-message>",
    "todos": "Todos have been modified successfully. Ensure that you continue to use the todo list",
    "todo list": 'Your todo list has changed. DO NOT mention this: [{"content":"Draw","status":"done"}]',
    "edited": "The file /a/b.py has been updated. Here's the result of running `cat -n` on a snippet of the edited file:",
    "prompt": "(Open file: /a/b.py)\n(Current directory: /a)\nbash-$",
    "silent command": "Your command ran successfully and did not produce any output.",
    "return code": "<returncode>0</returncode>\n<output>\n</output>",
    "exit code": "[The command completed with exit code 0.]\n[Current working directory: /a]",
    "execution": "exitcode: 0 (execution succeeded)\nCode output: ",
    "line numbers": "   111\t\n   112\t\n113→\n 114 | ",
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_frames_are_cut_out(frame: str) -> None:
    assert unframed(frame).strip() == ""
    assert Query.from_text(frame).spoken == ()


FAILURES = {
    "return code": "<returncode>2</returncode>",
    "exit code": "[Command finished with exit code 127]",
    "execution": "exitcode: 1 (execution failed)",
    "what was printed": "bash: foo: command not found",
    "a file": "The file /a/b.py could not be edited",
    "an angle": "expected <command> but got <EOF>",
    "a shell": "$ bash -$HOME",
    "a status": "404: Not Found",
}


@pytest.mark.parametrize("said", FAILURES.values(), ids=FAILURES)
def test_failures_stay(said: str) -> None:
    assert unframed(said) == said


def test_what_stands_between_frames_stays() -> None:
    said = (
        "<returncode>1</returncode>\n<output>\nKeyError: 'x'\n</output>\n<system-reminder>a</system-reminder> and more"
    )
    assert unframed(said).split() == ["<returncode>1</returncode>", "KeyError:", "'x'", "and", "more"]
