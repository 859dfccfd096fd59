import hashlib
import hmac
import json
import re
import sys
import time

TOLERANCE_SECONDS = 300


def verify_webhook(raw_body: bytes, header: str, secret: str, now: int | None = None) -> bool:
    """True when the delivery was signed with `secret`, is unchanged, and its time is within 5 minutes of the clock."""
    parts = [part.partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    signatures = [value for name, _, value in parts if name == "v1"]
    if not all(equals for _, equals, _ in parts) or len(times) != 1 or not re.fullmatch("[0-9]{1,15}", times[0]):
        return False
    payload = times[0].encode() + b"." + raw_body
    expected = hmac.new(secret.encode(), payload, hashlib.sha256).hexdigest()
    matches = [s for s in signatures if hmac.compare_digest(s.encode(), expected.encode())]
    now = int(time.time()) if now is None else now
    return bool(matches) and abs(now - int(times[0])) <= TOLERANCE_SECONDS


# `python3 verify.py vectors.json` ends with 1 when the code above disagrees with a test vector.
if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        vectors = json.load(file)
    wrong = [v for v in vectors if verify_webhook(v["payload"].encode(), v["header"], v["secret"], v["now"]) != v["valid"]]
    for v in wrong:
        print("wrong:", v["name"], file=sys.stderr)
    print(f"{len(vectors) - len(wrong)} of {len(vectors)} vectors agree")
    sys.exit(0 if vectors and not wrong else 1)
