"""Creates an access link, sends signed events and receives webhooks. Needs only Python 3.9.

    python3 gatehouse.py link
    python3 gatehouse.py send events.json
    python3 gatehouse.py listen
"""
import base64, hashlib, hmac, json, os, random, re, sys, time, urllib.error, urllib.request, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_ATTEMPTS = 5
TOLERANCE_SECONDS = 300
MAX_BODY = 16 * 1024 * 1024


def post(path, body, make_headers):
    """Sends a request until it succeeds or fails permanently. Every attempt gets new headers."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        headers = {"content-type": "application/json", **make_headers()}
        request = urllib.request.Request(os.environ["GATEHOUSE_URL"] + path, body, headers)
        wait = 2 ** (attempt - 1) * random.uniform(0.5, 1)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            problem = f"{error.code} {error.read().decode()}"
            retry_after = error.headers.get("retry-after", "")
            # A temporary error has a 5xx status or says when to retry.
            if error.code < 500 and not retry_after:
                raise SystemExit(problem)
            if retry_after.isdigit():
                wait = max(wait, int(retry_after))
        except OSError as error:
            problem = str(error)  # The request may have been processed, so it must be safe to repeat.
        if attempt < MAX_ATTEMPTS:
            time.sleep(wait)
    raise SystemExit(problem)


def create_link(link):
    # Every attempt has the same key, so a retry returns the link of the first attempt.
    headers = {
        "authorization": "Bearer " + os.environ["GATEHOUSE_KEY"],
        "idempotency-key": str(uuid.uuid4()),
    }
    return post("/assistant-link", json.dumps(link).encode(), lambda: headers)


def sign(secret, message_id, timestamp, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.digest(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(mac).decode()


def send_events(events):
    """Sends at most 100 events. Returns the rejected events with the reasons."""
    body = json.dumps({"events": events}).encode()
    message_id = f"msg_{uuid.uuid4()}"

    def headers():
        # A signature is valid for five minutes, so every attempt has a new one. The ID stays the same.
        timestamp = str(int(time.time()))
        signature = sign(os.environ["EVENT_SOURCE_SECRET"], message_id, timestamp, body)
        return {"webhook-id": message_id, "webhook-timestamp": timestamp, "webhook-signature": signature}

    result = post("/events", body, headers)
    return [(events[error["index"]], error["error"]) for error in result.get("errors", [])]


def is_genuine(secret, headers, body):
    """Reports whether a request is a recent delivery. `body` is the bytes as received."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not message_id or not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    expected = sign(secret, message_id, timestamp, body).encode()
    # During the rotation of a secret there are two signatures. compare_digest takes constant time.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected) for one in given)


# In production: a table with a unique column, written in the transaction that applies the event.
seen = set()


class Target(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "")
        body = self.rfile.read(min(int(length), MAX_BODY)) if length.isdigit() else b""
        if not is_genuine(os.environ["SUBSCRIPTION_SECRET"], self.headers, body):
            return self.respond(401)
        # Deliveries are repeated if a response is lost. Every attempt has the same webhook-id.
        if self.headers["webhook-id"] not in seen:
            event = json.loads(body)
            print("received", event["type"], event["id"], flush=True)
            seen.add(self.headers["webhook-id"])
        self.respond(204)

    def respond(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def main(command="", file=""):
    if command == "link":
        filter = {"audience": {"in": ["customers", "public"]}}
        link = create_link({"sub": "customer-42", "ttlSeconds": 3600, "permissionFilter": filter})
        print(link["url"])
    elif command == "send":
        with open(file, encoding="utf-8") as opened:
            events = json.load(opened)["events"]
        rejected = send_events(events)
        print(f"accepted {len(events) - len(rejected)}")
        for event, reason in rejected:
            print("rejected", event["id"], reason)
        sys.exit(1 if rejected else 0)
    elif command == "listen":
        ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Target).serve_forever()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
