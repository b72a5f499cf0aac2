"""Text to terms."""

import pytest

from errorhub.hub.memory.background import shares
from errorhub.hub.memory.words import key, spelled, terms


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("The agent failed and fails", ["agent", "fail", "fail"], id="english is stemmed"),
        pytest.param("FileNotFoundError", ["filenotfounderror", "file", "found", "error"], id="camel case"),
        pytest.param("get_order_details", ["get_order_detail", "get", "order", "detail"], id="snake case"),
        pytest.param("HTTPServer", ["httpserver", "http", "server"], id="leading capitals"),
        pytest.param("exit 127 at line 4412", ["exit", "127", "line"], id="codes stay, numbers go"),
        pytest.param("deadbeef12345678 a1b2c3d4e5f6", [], id="hashes"),
        pytest.param("x" * 41, [], id="blob"),
        pytest.param("python3 utf8", ["python3", "utf8"], id="few digits"),
        pytest.param("mail <EMAIL_1> to <DROPPED>", ["mail"], id="placeholders"),
        pytest.param(
            "The agent asked Jean-Luc Meyer to visit José", ["agent", "ask", "visit"], id="names in an english line"
        ),
        pytest.param(
            "the page said Internal Server Error",
            ["page", "said", "internal", "server", "error"],
            id="capitals of errors",
        ),
        pytest.param("Paul of Berlin, Germany", ["paul"], id="what begins a line may be any word"),
        pytest.param(
            "use of WebSurfer and HTTP", ["use", "websurf", "web", "surfer", "http"], id="identifiers are no names"
        ),
        pytest.param("weil der Pfad zur Datei fehlt", ["weil", "der", "pfad", "zur", "datei", "fehlt"], id="german"),
        pytest.param("数据库连接", ["数据", "据库", "库连", "连接"], id="chinese"),
        pytest.param("失", ["失"], id="one character"),
        pytest.param("接続に失敗", ["接続", "続に", "に失", "失敗"], id="japanese"),
        pytest.param("연결 실패", ["연결", "실패"], id="korean"),
        pytest.param("ไทย", ["ไท", "ทย"], id="thai"),
        pytest.param("Ошибка сети", ["ошибка", "сети"], id="cyrillic"),
        pytest.param("हिन्दी त्रुटि", ["हिन्दी", "त्रुटि"], id="devanagari with marks"),
        pytest.param("Größe naïve", ["grösse", "naïve"], id="accents"),
        pytest.param("ｅｒｒｏｒ", ["error"], id="full width"),
        pytest.param("", [], id="empty"),
        pytest.param("\ud800 \x00", [], id="surrogate and control"),
    ],
)
def test_terms(text: str, wanted: list[str]) -> None:
    assert terms(text) == wanted


def test_the_same_failure_with_other_numbers_has_the_same_terms() -> None:
    one = "Retry 3 of 5 at 10:41:07 failed for order 88213 (req-9f86d081884c7d65)"
    other = "Retry 4 of 5 at 23:02:59 failed for order 10042 (req-2c26b46b68ffc68f)"
    assert terms(one) == terms(other)


def test_spelled_names_terms_as_written() -> None:
    assert spelled("Migrations failed") == {"migrat": "Migrations", "fail": "failed"}


def test_background_is_a_table_of_terms() -> None:
    assert all(0 < share < 1 for share in shares().values())
    assert shares()[key("error")] > shares()[key("databas")] > 0
    assert key("alemb") not in shares()
