"""An application with a login at Keycloak, a form with a token against forgery, and a logout.

app.py KEYCLOAK REALM prints its URL when it listens. /counts says what happened in it.
"""

import base64
import hashlib
import http.cookies
import http.server
import json
import secrets
import sys
import urllib.parse
import urllib.request

REALM = f"{sys.argv[1]}/realms/{sys.argv[2]}/protocol/openid-connect"
CLIENT = "web"
HOME = "<html><body><a id=in href=/login>Sign in</a></body></html>"
PAGE = (
    "<html><body><form method=post action='/note'><input type=hidden name=csrf value='{}'>"
    "<input name=text><button>Save</button></form><a id=out href=/logout>Sign out</a></body></html>"
)

sessions = {}
counts = {"login": 0, "note": 0, "logout": 0, "refused": 0}


class App(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def id(self):
        kept = http.cookies.SimpleCookie(self.headers.get("Cookie", ""))
        return kept["sid"].value if "sid" in kept else None

    def answer(self, status, body="", headers=()):
        data = body.encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if data:
            self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def lead(self, to, *headers):
        self.answer(302, headers=[("Location", to), *headers])

    def refuse(self, status, why):
        counts["refused"] += 1
        self.answer(status, f"<p id=error>{why}</p>")

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        session = sessions.get(self.id())
        if url.path == "/":
            self.answer(200, HOME)
        elif url.path == "/counts":
            self.answer(200, json.dumps(counts))
        elif url.path == "/login":
            self.begin()
        elif url.path == "/cb":
            self.redeem(session, query)
        elif url.path == "/me" and session and "token" in session:
            self.answer(200, PAGE.format(session["csrf"]))
        elif url.path == "/logout" and session:
            self.leave(session)
        elif url.path in ("/me", "/logout"):
            self.lead("/")
        else:
            self.answer(404, "there is nothing")

    def begin(self):
        sid, verifier, state = secrets.token_urlsafe(16), secrets.token_urlsafe(48), secrets.token_urlsafe(12)
        sessions[sid] = {"verifier": verifier, "state": state}
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=")
        parameters = {
            "client_id": CLIENT,
            "response_type": "code",
            "scope": "openid",
            "redirect_uri": self.server.url + "/cb",
            "state": state,
            "code_challenge": challenge.decode(),
            "code_challenge_method": "S256",
        }
        self.lead(f"{REALM}/auth?{urllib.parse.urlencode(parameters)}", ("Set-Cookie", f"sid={sid}; Path=/; HttpOnly"))

    def redeem(self, session, query):
        if not session or query.get("state") != session["state"]:
            return self.refuse(400, "state")
        form = {
            "grant_type": "authorization_code",
            "client_id": CLIENT,
            "code": query.get("code", ""),
            "redirect_uri": self.server.url + "/cb",
            "code_verifier": session["verifier"],
        }
        try:
            with urllib.request.urlopen(f"{REALM}/token", urllib.parse.urlencode(form).encode()) as answer:
                session["token"] = json.load(answer)["id_token"]
        except (OSError, KeyError):
            return self.refuse(400, "code")
        counts["login"] += 1
        session["csrf"] = secrets.token_hex(16)
        return self.lead("/me")

    def leave(self, session):
        sessions.pop(self.id(), None)
        counts["logout"] += 1
        parameters = {"id_token_hint": session.get("token", ""), "post_logout_redirect_uri": self.server.url + "/"}
        self.lead(f"{REALM}/logout?{urllib.parse.urlencode(parameters)}")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        form, session = dict(urllib.parse.parse_qsl(body)), sessions.get(self.id())
        if not session or form.get("csrf") != session.get("csrf"):
            return self.refuse(403, "csrf")
        session["csrf"] = secrets.token_hex(16)
        counts["note"] += 1
        return self.lead("/me")


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True


server = Server(("127.0.0.1", 0), App)
server.url = f"http://127.0.0.1:{server.server_address[1]}"
print(server.url, flush=True)
server.serve_forever()
