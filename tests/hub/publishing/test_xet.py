"""Xet, the storage that the client prefers: a publish and a contribution through hf_xet, to a folder for a server.

The client's library speaks its own protocol to the storage; here the storage is a folder that this library knows too.
What several processes, a real storage server and its errors do is not tested.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hubserver.server import HubServer

from errorhub.hub.bundle import Bundle
from errorhub.hub.pull import pull
from errorhub.hub.verify import verify

pytest.importorskip("hf_xet")
PUBLISH = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], str(Path(sys.argv[1]).parents[1])]
from conftest import Hub, make_bundle
from hubserver.server import HubServer
hub = Hub(sys.argv[2], Path(sys.argv[3]))
print(hub.publish(make_bundle(int(sys.argv[4])), create_pr=len(sys.argv) > 5).published)
"""


@pytest.mark.parametrize("hub", ["hf"], indirect=True)
def test_a_publish_and_a_contribution_go_through_xet(
    hub: Any, hub_server: HubServer, make: Callable[..., Bundle], tmp_path: Path
) -> None:
    hub_server.world.xet = tmp_path / "xet-storage"
    hub_server.world.xet.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "HF_HUB_DISABLE_XET"}
    for number, more in ((1, []), (2, ["create_pr"])):
        hub_server.log.clear()
        arguments = [
            sys.executable,
            "-c",
            PUBLISH,
            str(Path(__file__).parent),
            hub.spec,
            str(tmp_path),
            str(number),
            *more,
        ]
        done = subprocess.run(arguments, env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == "1", done.stderr[-2000:]
        assert hub_server.asked("/xet-write-token/", "GET")
        assert not hub_server.asked("/objects/", "PUT"), "nothing went the old way"
        assert len(hub_server.asked("/commit/", "POST")) == 1
    assert verify(hub.open()).ok
    assert pull(hub.open(), tmp_path / "mirror").bundles == 1
    [waiting] = hub.open().pulls.waiting()
    tree = hub.open().tree(waiting.revision)
    shards = tree.paths("inbox/")
    assert len(shards) == 2
    assert all(sha256(tree.read(path)).hexdigest() in path for path in shards)
