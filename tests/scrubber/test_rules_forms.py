"""Credentials that calls, forms, documents and consoles set: each row has a text and its near misses.

The guillemets mark the value that must be covered as a credential, no more and no less.
"""

from __future__ import annotations

import string
from functools import cache
from random import Random

import pytest

from errorhub.scrubber import Policy, Vault, scrub
from errorhub.scrubber.detect import Detector

WORD = "gl4cier" + "#sfdP"
CAPPED = "Oslo-" + "Kite7"
TOKEN = "FefYr0XPig3X" + "hf9HmCDpe1ku"
BLOB = "".join(Random(3).choices(string.ascii_letters + string.digits, k=96))
SEED = "orbit velvet canoe drama essay fossil glide hazard icon juice kiwi lemon"

ROWS: dict[str, tuple[str, ...]] = {
    f'ds.setPassword("«{WORD}»");': ("ds.setPassword(password);", 'setPassword("${PASSWORD}")', 'setToken("next")'),
    f"builder.withApiKey('«{TOKEN}»')": ("builder.withApiKey('api_key')", 'useToken("refresh-token")'),
    f"page.fill('#password', '«{WORD}»')": (
        "page.fill('#username', 'demo1')",
        "page.fill('#password', 'password')",
        "getattr(form, 'password', 'field2')",
    ),
    f"page.getByLabel('Password').fill('«{WORD}»')": ("page.getByLabel('Password').click()",),
    f'find_element(By.NAME, "password").send_keys("«{WORD}»")': ('find_element(By.NAME, "password").send_keys("")',),
    f'<input type="password" id="pw" value="«{WORD}»"/>': (
        '<input type="password" id="pw" value=""/>',
        '<input type="text" value="gl4cier#"/>',
    ),
    f"new NetworkCredential('dana', '«{WORD}»')": ("new NetworkCredential('dana', password)",),
    f"- **Password:** «{WORD}»\n": ("- **Password:** required", "- **Password:** at least 8 characters"),
    f"**Access token:** `«{TOKEN}»`": ("**Access token:** `access_token`", "**Token:** BERT-large", "**Token:** 3600s"),
    f"| DB password | «{WORD}» |": (
        "| DB password | required |",
        "| Token | Purpose |\n|---|---|\n| `accent` | 2nd colour |",
        "| password | string | min 8 |",
        "|token|count|",
        "| secret | k8s-secret-name-01 |",
    ),
    f"| api_key | «{TOKEN}» |": ("| api_key | optional |", "| total_tokens | 151643 |", "| token | gpt-4o-mini |"),
    f"password: |\n  «{WORD}»\nuser: x": ("password: |\n  required", "description: |\n  gl4cier#sfdP"),
    f"client-key-data: «{BLOB}»": ("client-key-data: REDACTED", "certificate-authority-data: " + BLOB),
    f"AWS Secret Access Key [None]: «{BLOB[:40]}»": ("AWS Secret Access Key [****************abcd]: \n",),
    f"SET PASSWORD FOR 'app'@'%' = PASSWORD('«{WORD}»');": ("SET PASSWORD = %s", "SET PASSWORD FOR app = ?"),
    f"CREATE LOGIN svc WITH PASSWORD = N'«{WORD}»'": ("CREATE LOGIN svc WITH PASSWORD = @pw",),
    f"net user dana «{WORD}» /add": ("net user administrator /active:no", "net user dana * /add", "net use Z: /delete"),
    f"net use Z: \\\\nas\\share «{WORD}» /user:ACME\\svc": ("net use Z: \\\\nas\\share /user:ACME\\svc",),
    f"schtasks /create /tn x /rp «{WORD}» /sc daily": ("schtasks /create /tn x /sc daily",),
    f"psexec \\\\srv -u ACME\\svc -p «{WORD}» cmd": ("psexec \\\\srv -u ACME\\svc cmd -p",),
    f"xfreerdp /v:srv /u:svc /p:«{WORD}»": ("xfreerdp /v:srv /port:3389",),
    f"mosquitto_pub -h b -u dev -P «{WORD}» -t x": ("mosquitto_pub -h b -p 1883 -t x", "mosquitto_pub -P $PW -t x"),
    f"nmcli dev wifi connect Home password «{WORD}»": ("nmcli dev wifi connect Home",),
    f"username admin privilege 15 secret «{WORD}»": ("username admin role secret", "enable secret scanning"),
    f"echo «{TOKEN}» | wrangler secret put API_TOKEN": ("echo done | tee secret.txt", "echo $TOKEN | gh secret set X"),
    f"--from-literal=pgpass='«{WORD}»'": ("--from-literal=mode='prod1'",),
    f"le mot de passe du serveur est : «{WORD}»": ("le mot de passe du serveur est : requis", "mot de passe oublié ?"),
    f"Das Passwort für die Datenbank lautet «{WORD}».": ("Das Passwort für die Datenbank ist zu kurz.",),
    f"La contraseña de la base es «{WORD}»": ("La contraseña de la base es incorrecta",),
    f"la password del db è «{WORD}»": ("la password del db è scaduta",),
    f"Zugangsdaten: dana / «{WORD}»": ("Zugangsdaten: siehe Handbuch / Seite2",),
    f"数据库密码是 «{WORD}»，请保密": ("密码长度至少8位", "请输入密码", "密码是 SHA256 加密"),
    f"密码：«{WORD}»": ("密码：必填", "密码：${PASSWORD}", "密码：<PASSWORD>"),
    f"パスワードは «{WORD}» です": ("パスワードを入力してください", "パスワードは8文字以上"),
    f"비밀번호: «{WORD}»": ("비밀번호를 입력하세요", "비밀번호: 필수"),
    f"seed phrase: «{SEED}»": (
        "seed phrase: the words that are shown on the screen of your wallet when you make one",
        "seed: 42",
        "mnemonic: mov add sub mul div jmp cmp call ret push pop nop",
        "backup is made every night after twelve hours when nobody works there anymore",
    ),
    f'password: "«{CAPPED}»"': ('password: "login-form7"', 'password: "User_Password1"', 'label: "Oslo-Kite7"'),
    f"htpasswd -nb dana «{WORD}»": ("htpasswd -c file user", "htpasswd -nb dana"),
    f"vncpasswd <<< «{WORD}»": ("vncpasswd <<< $PW",),
    f"useradd -p '«{WORD}»' dana": ("useradd -m dana",),
    f"snmpwalk -v2c -c «{WORD}» h": ("snmpwalk -v2c -c public h",),
    f"ipmitool -U root -P «{WORD}» lan print": ("ipmitool -U root lan print",),
    f"wpa_passphrase Home «{WORD}»": ("wpa_passphrase Home",),
    f"A temporary password is generated for root@localhost: «{WORD}»": ("password is generated for you: see below",),
    f'getConnection(url, "app", "«{WORD}»")': ('getConnection(url, "app", password)', 'getConnection("a", "b")'),
    f"new mysqli('h', 'u', '«{WORD}»', 'd')": ("new mysqli($h, $u, $p, 'shop1')",),
    f'WiFi.begin("Home", "«{WORD}»")': ("WiFi.begin(ssid, password)",),
    f"clé API : «{TOKEN}»": ("clé API : obligatoire", "clé API manquante"),
    f"API-Schlüssel: «{TOKEN}»": ("API-Schlüssel fehlt",),
    f"curl -u dana:«{WORD}» x": ("curl -u user:password x",),
    f"rootpw: «{WORD}»\n": ("rootpw: ${ROOTPW}",),
    f"setx db_password «{WORD}»": ("setx db_password %PW%", "setx PATH bin12"),
    f"<SESSION_SECRET>«{TOKEN}»</SESSION_SECRET>": (
        f"<SECRET_1>{TOKEN[:5]}</b>",
        "<SESSION_SECRET>none</SESSION_SECRET>",
    ),
    f"tool --password=«{CAPPED}» run": ("tool --password=reset-form2 run",),
}

PERSONAL: dict[str, tuple[str, ...]] = {
    "手机号：«13880992628»": ("手机号：必填", "编号 13880992628"),
    "Geburtsdatum: «01.09.1963»": ("Geburtsdatum: unbekannt",),
    "date de naissance : «01/09/1963»": ("date de naissance : inconnue",),
    "Vlan1 «d348.cebc.9438» dynamic": ("Vlan1 1348.2222.9438", "v1234.abcd.ef01", "abcd.efab.cdef", "d348.cebc.9438.x"),
    "/c/Users/«isolheim»/app.js": (
        "/c/Users/Public/app.js",
        "src/c/Users/list.js",
        "/c/Users/runneradmin/x",
        '"/a/Users/create"',
    ),
    "/cygdrive/c/Users/«isolheim»/x": ("/cygdrive/c/Users/Public/x",),
    "vscode://file/Users/«isolheim»/x.py": ("https://acme.io/api/Users/list",),
    "> whoami\nacme\\«isolheim»": ("> whoami\nroot",),
    "[sudo] password for «isolheim»:": ("[sudo] password for root:", "[sudo] password for ubuntu:"),
    'FATAL: password authentication failed for user "«isolheim»"': ('authentication failed for user "postgres"',),
    'connected to database "shop" as user "«isolheim»" via': ('connected to database "shop" as user "postgres" via',),
    '"address": "«Solheimstraße 29»"': ('"address": "0x7ffd5e8a1b30"',),
}


@cache
def detector() -> Detector:
    return Detector()


@pytest.mark.parametrize("marked", [*ROWS, *PERSONAL])
def test_value_is_covered(marked: str) -> None:
    before, value, after = marked.replace("»", "«").split("«")
    spans = detector().detect(before + value + after)
    assert [(span.start, span.end) for span in spans] == [(len(before), len(before) + len(value))]


@pytest.mark.parametrize("near", [near for row in (*ROWS.values(), *PERSONAL.values()) for near in row])
def test_near_miss_is_left_alone(near: str) -> None:
    assert [(span.rule, near[span.start : span.end]) for span in detector().detect(near)] == []


@pytest.mark.parametrize("marked", [*ROWS, *PERSONAL])
def test_both_engines_agree(marked: str) -> None:
    text = marked.replace("«", "").replace("»", "")
    assert Detector(engine="re2").detect(text) == detector().detect(text)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("line1", "833 Solheim Ave, Apt 4B"),
        ("payee", "Ingrid Solheim"),
        ("cell", "555-123-9912"),
        ("mrn", "12345678"),
        ("Geburtsdatum", "01.09.1963"),
        ("senha", WORD),
        ("пароль", WORD),
    ],
)
def test_a_telling_key_makes_its_text_a_value(key: str, value: str, share: Policy, vault: Vault) -> None:
    assert value not in str(scrub({"a": {key: value, "n": 1}}, share, vault).document)


@pytest.mark.parametrize("document", [{"line1": "Roses are red 12"}, {"holder": "none"}, {"cell": "A7"}, {"psk": ""}])
def test_a_telling_key_leaves_other_texts_alone(document: object, share: Policy, vault: Vault) -> None:
    assert scrub(document, share, vault).document == document
