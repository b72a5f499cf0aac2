"""Credentials and personal data known by what stands around them: each row has a text and its near misses.

The guillemets mark the value that must be covered, at least nine tenths of it; near misses must not be touched.
"""

from __future__ import annotations

from functools import cache

import pytest

from errorhub.scrubber.detect import Detector

RUN = "q8Zr2LmX0vTb" + "Y7wKj4NcPd9s"
HEX32 = "5f2b9c1e8a7d4036" + "b1c2d3e4f5a69788"
HEX40 = "a94a8fe5ccb19ba61c4c" + "0873d391e987982fbbd3"
WORD = "Tr0ub4dor" + "&3"

ASSIGNED: dict[str, tuple[str, ...]] = {
    f"spring.datasource.password=«{WORD}»": ("spring.datasource.password=${DB_PASSWORD}", "password.encoder=bcrypt"),
    f"<password>«{WORD}»</password>": ("<password>********</password>", "<label>Password</label>"),
    f'<add key="Password" value="«{WORD}»" />': ('<add key="Timeout" value="30000" />',),
    f'"pwd" : "«{WORD}»"': ('"pwd" : "/home/runner/work"', "PWD=/tmp/build"),
    f"user: admin / pass: «{WORD}»": ("12 pass: 3 fail: 0", "first pass: `greeting='hi'`"),
    "DATABASE_PASSWORD=«letmein»": ("DATABASE_PASSWORD=", "DATABASE_PASSWORD=changeme"),
    '"password": "«swordfish»"': ('"password": "string"', '"password": "required"', '"password": "Passwort"'),
    "password=«hunter2»": ("password=password1", "password=self.password", "password: str = None"),
    "pw: «qwerty123»": ("pw: pw1", "bpw: 8"),
    'password: "«correct horse battery staple 9»"': ('password: "Enter your password"',),
    'apikey = "«m{{h}o)p${e]nob(ody[finds>-_$#thisone}}»"': ('apikey = "{{ api_key }}"', "apikey = ${API_KEY}"),
    "my_password=«m{{h}o)p${e]nob(ody[finds>-_$#thisone}}»": ("my_password = request.json['hey']",),
    f"secretKey: '«{RUN}»'": ("secretKey: config.secretKey", "secret: true"),
    f"token => '«{RUN}»'": ("token => $token", "token => Token::new()", '"next_page_token": "CAUQAA"'),
    f'auth: "«{RUN}»"': ('auth: "basic"', "auth = HTTPBasicAuth(user, pw)"),
    f"adobeKey = «{HEX32}»": ("adobeVersion = 24.1.0", f"cacheKey = {HEX32}", f"adobe commit {HEX40}"),
    f"wandb login «{HEX40}»": ("wandb run 1a2b3c4d", "wandb version 0.16.3"),
    f"twilio auth token: «{HEX32}»": ("twilio account sid is in the console",),
    f"encryption_key: «{HEX32}{HEX32}»": ("encryption_key: aes-256-gcm",),
    f'app.secret_key = b"«{RUN}»"': ("app.secret_key = os.urandom(24)",),
    f"- name: API_TOKEN\n  value: «{RUN}»": (
        "- name: API_TOKEN\n  valueFrom:\n    secretKeyRef:",
        "- name: LOG\n  value: info",
    ),
    f"ParameterKey=DbPassword,ParameterValue=«{WORD}»": ("ParameterKey=DbPassword,ParameterType=String",),
    f'let token = String::from("«{RUN}»");': ('let token = String::from("token");', 'token = encode("abc-def-ghi-12")'),
    f"secret_key_base: «{HEX32}{HEX32}»": ("secret_key_base: <%= ENV['SECRET'] %>",),
    f'variable "db_password" {{\n  default = "«{WORD}»"\n}}': ('variable "db_password" {\n  default = "${var.x}"\n}',),
    f"<key>ApiKey</key>\n<string>«{RUN}»</string>": (
        "<key>ApiKey</key>\n<string>$(API_KEY)</string>",
        "<key>Name</key>",
    ),
    "define( 'DB_PASSWORD', '«Rainy4412»' );": (
        "define('PASSWORD', 'password');",
        "('username', 'password1', 'password2')",
    ),
    'props.setProperty("db.password", "«Rainy4412»");': (
        'props.get("db.password", "")',
        'label("password", "Password:")',
    ),
    f"define('AUTH_SALT',         '«{RUN}»');": ("define('AUTH_SALT', getenv('SALT'));",),
    f"Fernet(b'«{HEX32}q8Zr2LmX0vT=»')": ("Fernet(key)", "Fernet.generate_key()"),
    f"openweathermap: «{HEX32}»": (f"openweathermap commit {HEX40}", "openweathermap: 2.5.1"),
    "your one-time code is «482913»": ("the status code is 404", "exit code 137"),
    "Access code: «482913»": ("access code: none", "access codes 2024"),
    f"Secret:          «{RUN}»": ("Secret:          none", "Token:           bearer"),
    f"s/DB_PASSWORD=.*/DB_PASSWORD=«{RUN}»/": ("s/DB_PASSWORD=.*/DB_PASSWORD=$NEW/",),
    "OTP: «4829»": ("OTP: required", "otp_length: 6"),
}

COMMANDS: dict[str, tuple[str, ...]] = {
    f"deploy --password «{WORD}»": ("deploy --password-stdin", "parser.add_argument('--password', required=True)"),
    f"mysql -uroot -p«{WORD}» -h db": ("mysql -u root -p shop", "docker run -p 8080:80 mysql", "mysql -P3306"),
    f"mongosh -u admin -p «{WORD}» --quiet": ("mkdir -p build/out", "mongod --port 27017"),
    f"redis-cli -a «{WORD}» ping": ("redis-cli -h cache ping",),
    f"sshpass -p '«{WORD}»' ssh web": ("ssh -p 2222 web",),
    f'echo "deploy:«{WORD}»" | sudo chpasswd': ("echo user:group | xargs chown",),
    f"ldapsearch -D cn=admin -w «{WORD}» -x": ("grep -w token file",),
    f"smbclient //srv/share -U bob%«{WORD}»": ("printf '%s' x",),
    f"curl -u admin:«{WORD}» http://x": ("docker run -u 1000:1000 img", "curl -u $USER:$PASS http://x"),
    f"openssl enc -aes256 -k «{WORD}»": ("openssl rand -hex 32",),
    f"CREATE USER x IDENTIFIED BY '«{WORD}»'": ("identified by the checksum",),
    f"kubectl create secret generic db --from-literal=password=«{WORD}»": ("kubectl get secret db-password",),
    f"machine x.io login bob password «{WORD}»": ("login and password are required",),
    f"The admin password is «{WORD}».": ("The password is wrong.", "password is checked with bcrypt"),
    f"I set the password to `«{WORD}»`": ("I set the password to the default value",),
    f"login with admin:«{WORD}» first": ("login with github: click here",),
    f"echo '«{WORD}»' | sudo -S apt update": ("echo $PASSWORD | sudo -S true", "echo done | sudo tee log"),
    f"echo «{RUN}» | docker login -u ci --password-stdin": ("cat token | docker login --password-stdin",),
    f"gh secret set DB --body «{WORD}»": ("gh secret set DB < file", "gh secret list --repo x"),
    f"aws secretsmanager create-secret --name x --secret-string «{WORD}»": ("--secret-string file://secret.json",),
    f"bindpw «{WORD}»\nbinddn cn=x": ("bindpw ****", "bindpw is needed"),
    f"rocommunity «{RUN}» 10.0.0.0/8": ("rocommunity ${COMMUNITY}",),
    f"user admin insecure-password «{WORD}»": ("password required pam_unix.so", "password reset", "passwd files"),
    f"bot@x-mail.io:«{WORD}»": ("bob@example.com:data", "git@github.com:acme", "bob@example.com:8080"),
    f"::add-mask::«{RUN}»": ("::add-mask::$TOKEN", "::add-mask::${{ secrets.TOKEN }}"),
    f"pulumi config set --secret dbPassword «{WORD}»": ("pulumi config set region eu-west-1",),
    f"aws ssm put-parameter --type SecureString --value «{WORD}»": ("put-parameter --type String --value x1y2z3",),
    f"poetry config http-basic.acme ci «{WORD}»": ("poetry config virtualenvs.create false",),
    f"twine upload -u ci -p «{WORD}» dist/*": ("twine upload dist/*",),
    f"http -a admin:«{WORD}» https://x.io": ("https -p 443 x.io", "docker run -a stdin:x img"),
    f"['mysql', '-u', 'root', '-p«{RUN}»', 'shop']": ("['mysql', '-u', 'root', '-p', 'shop']",),
    f"requests.get(url, auth=('admin', '«{WORD}»'))": ("auth=('user', 'password')", "login('home', 'index')"),
    f"jwt.encode(payload, '«{RUN}»', algorithm='HS256')": (
        "jwt.decode(token, 'secret')",
        "jwt.decode(t, options={'a': 1})",
    ),
    f"requirepass «{RUN}»": ("requirepass is not set", "# requirepass"),
    f"lftp -u app,«{WORD}» ftp.acme.io": ("lftp -u app ftp.acme.io",),
    f"the root password was reset to «{WORD}» yesterday": ("the password was reset to the default",),
    f"The API key is «{RUN}», keep it.": ("The API key is invalid.", "the token is expired-since-2024"),
    f"use admin / «{WORD}» to sign in": ("use email / password to sign in", "use and/or to log it"),
    f"pass for the db is «{WORD}»": ("a pass for the museum is free", "first pass for 12 files"),
    f"Use the following password to proceed:\n\n«{HEX32}»\n": ("Enter your new password:\n\nContinue\n",),
    f"Password for the [elastic] user reset.\nNew value: «{RUN}»": ("Password for the user.\nNew value: required",),
    f"password             «{RUN}»": (
        "password             required-by-policy",
        "token                2026-01-02T10:11:12Z",
    ),
}

HEADERS: dict[str, tuple[str, ...]] = {
    f"Authorization: Bearer «{RUN}»": ("Authorization: Bearer <token>", "Authorization: Bearer $TOKEN"),
    f'"Authorization": "«{RUN}»"': ('"Authorization": "required"',),
    "Proxy-Authorization: Basic «dXNlcjpwYXNz" + "d29yZDE=»": ("basic authentication", "Basic c29tZXdvcmRz"),
    f"X-Api-Key: «{RUN}»": ("X-Api-Key: {{api_key}}", "x-api-version: 2023-06-01"),
    f"Cookie: «session={RUN}»": ("Cookie: a small file", "document.cookie = name"),
    f"csrftoken=«{RUN}{RUN}»": ("csrf_token = get_token(request)", "csrftoken cookie not set"),
    f".acme.io\tTRUE\t/\tTRUE\t1799999999\tsid\t«{RUN}»": (".acme.io\tTRUE\t/\tTRUE\t1799999999\ttheme\tdark",),
    f"https://api.x.io/data?q=Paris&appid=«{HEX32}»": ("https://x.io/?appid=440", "?appid={key}"),
    f'<meta name="csrf-token" content="«{RUN}{RUN}»">': ('<meta name="csrf-token" content="">',),
    f'form-data; name="password"\r\n\r\n«{WORD}»\r\n--x': (
        'name="password"\r\n\r\n********\r\n',
        'name="file"\r\n\r\nabc1\r\n',
    ),
    f"PHPSESSID=«{HEX32}»": ("session = Session()", "session: Optional[PipSession] = None"),
    f"https://x.io/cb?code=«{RUN}»&x=1": ("https://x.io/search?code=python", "?state=open&key=value"),
    f"wss://x.io/ws?token=«{RUN}»": ("https://x.io/?token=true",),
    "ftp:" + f"//bob:«{WORD}»@ftp.x.io": ("http:" + "//user:pass@host.com", "http://localhost:8080/a@b"),
    f"Data Source=h;User ID=a;Password=«{WORD}»;": ("Server=h;Database=d;Trusted_Connection=True;",),
    f"psql 'host=x user=y password=«{WORD}»'": ("host=x user=y dbname=z",),
    "https://discord.com/api/webhooks/" + f"123456789012345678/«{RUN}{RUN}{RUN}»": (
        "https://discord.com/channels/123",
    ),
}

PERSONAL: dict[str, tuple[str, ...]] = {
    "mail «jane.doe@acme.io» now": ("mail user@example.com", "git@github.com:a/b", "icon@2x.png", "y = W@x.T"),
    "«用户@例子.公司»": ("@pytest.fixture", "a@b.method()"),
    "tel:«+4930901820»": ("+1234567 diff", "1.5e+10", "UTC+0100"),
    "(«415) 555-2671»": ("(415) items", "200 300 4000", "115-555-2671"),
    "call me on «020 7946 0958»": ("call 3 functions", "call 2024-01-02"),
    "ssn «536-90-4399»": ("000-12-3456", "666-12-3456", "2024-10-1234"),
    "card «4111-1111-1111-1111»": ("card 4111-1111-1111-1112", "4111111111111112", "0.4111111111111111"),
    "card «4111 1111 1111 1111» 12/26": ("4 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0", "4031078400000.0"),
    "«DE89 3704 0044 0532 0130 00» ok": ("DE89 3704 0044 0532 0130 01", "AB12 CD34"),
    "from «34.201.5.77»": ("127.0.0.1", "version 1.2.3.4", "0.0.0.0", "999.1.1.1"),
    "[«2a02:8109:9b00:1::7»]:443": ("12:34:56", "std::vector", "::1", "a::b"),
    "ether «00:1A:2B:3C:4D:5E»": ("ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00", "aa:bb:cc:dd:ee:ff:00:11:22:33"),
    '"customerName":"«Ada Lovelace»"': ('"fullName": "string"', "fullname: str | None = None", "filename: a.py"),
    '"street": "«12 Elm Street»"': ('"address": "0x7f8b1c2d3e4f"', '"street": "{street}"'),
    "DOB: «03/12/1985»": ("date: 03/12/1985", "dob: date"),
    "Traveller is Ada, born «17 March 1979»": ("Ada Lovelace (born December 10, 1815) was",),
    '"holder": "«Rhea Vance»"': ('"holder": "id"', "holder: ViewHolder<T>", '"patient": "Patient record"'),
    "passport no. «C01X00T47»": ("passport number required",),
    "she lives at «742 Evergreen Terrace»": ("address is invalid", "stored at 742 bytes"),
}

PLACES: dict[str, tuple[str, ...]] = {
    "cd /home/«jmartinez»/x": ("/home/runner/work", "https://x.io/home/about", "/home/index.html"),
    "C:\\\\Users\\\\«jmartinez»\\\\x": ("C:\\Users\\Public\\x", "C:\\Windows\\System32"),
    "c:\\users\\«J Martinez»\\x": ("c:\\users\\default\\x",),
    "/tmp/-home-«jmartinez»-src": ("well-known-home-page", "reset-home-screen"),
    "[«jmartinez»@app src]$ ls": ("[root@app src]# ls", "user@host notation"),
    "Author: «José Martínez» <j@m.io>": ("Author: dependabot[bot] <x>", "From: the start"),
    "uid=1000(«jmartinez») ": ("uid=0(root)",),
    "«j.martinez»  812  0.0  0.1  1234  567 pts/0": ("root  812  0.0  0.1  1234  567 pts/0",),
    "ls ~«j.martinez»/public_html": ("ls ~/public_html",),
    "ping «printer.lan»": ("window.local", "self.internal", "from asgiref.local import Local"),
    "ssh «web-3.intra»": ("settings.local.json", "host.docker.internal"),
    "see «jira.corp.acme.com»": ("obj.corp.name()", "corp.example.com"),
    "«mydb.c9akciq32.us-east-1.rds.amazonaws.com»": ("s3.amazonaws.com", "sts.us-east-1.amazonaws.com"),
    "Jan  3 10:11:12 «web01» sshd[12]: ok": ("2026-03-04 10:11:12 INFO app: ok",),
}

ROWS = {**ASSIGNED, **COMMANDS, **HEADERS, **PERSONAL, **PLACES}


@cache
def detector() -> Detector:
    return Detector()


@pytest.mark.parametrize("marked", ROWS)
def test_value_is_covered(marked: str) -> None:
    before, value, after = marked.replace("»", "«").split("«")
    spans = detector().detect(before + value + after)
    start, end = len(before), len(before) + len(value)
    covered = sum(max(0, min(s.end, end) - max(s.start, start)) for s in spans)
    assert covered >= 0.9 * len(value), spans


@pytest.mark.parametrize("near", [near for row in ROWS.values() for near in row])
def test_near_miss_is_left_alone(near: str) -> None:
    assert [(s.rule, near[s.start : s.end]) for s in detector().detect(near)] == []
