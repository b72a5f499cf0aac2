"""The grammar of a hub's tree."""

from __future__ import annotations

import pytest

from errorhub.hub.paths import bystander, kind, named_digest

SHA = "ab" * 32
ULID = "01ARYZ6S410000000000000000"


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("README.md", "root"),
        ("croissant.json", "root"),
        ("hub.json", "root"),
        (".gitattributes", "root"),
        (f"inbox/v1/202501/ab/{SHA}.parquet", "shard"),
        (f"data/v1/{SHA}.parquet", "shard"),
        (f"data/v2/0f/{SHA}.parquet", "shard"),
        (f"log/202501/{ULID}-{SHA}.json", "event"),
        (f"manifests/0000000001-{SHA}.json", "manifest"),
        (f"taxonomy/v1/{SHA}.json", "taxonomy"),
    ],
)
def test_each_path_of_a_hub_is_known(path: str, what: str) -> None:
    assert kind(path) == what
    assert named_digest(path) == (None if what == "root" else SHA)
    assert not bystander(path)


@pytest.mark.parametrize(
    "path",
    [
        "", ".", "..", "/README.md", "./README.md", "README.md/", "readme.md", "README.md\n", "a/README.md",
        f"inbox/v1/202501/ac/{SHA}.parquet",
        f"inbox/v1/202501/ab/{SHA.upper()}.parquet",
        f"inbox/v1/202501/ab/../ab/{SHA}.parquet",
        f"inbox/v1//202501/ab/{SHA}.parquet",
        f"inbox\\v1\\202501\\ab\\{SHA}.parquet",
        f"inbox/v1/202501/ab/{SHA}.parquet.exe",
        f"inbox/v١/202501/ab/{SHA}.parquet",
        f"data/v1/xyz/{SHA}.parquet",
        f"log/202501/{ULID}-anon-1.json",
        f"manifests/1-{SHA}.json",
        f"../manifests/0000000001-{SHA}.json",
        f"taxonomy/v1/../{SHA}.json",
    ],
)  # fmt: skip
def test_anything_else_is_not(path: str) -> None:
    assert kind(path) is None
    assert named_digest(path) is None


@pytest.mark.parametrize("path", ["LICENSE", ".gitignore", ".github/workflows/verify.yml"])
def test_some_files_may_lie_beside_a_hub(path: str) -> None:
    assert bystander(path)
    assert kind(path) is None
