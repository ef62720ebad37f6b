"""Calls the URL of a caller when a job has ended."""
import hashlib
import hmac
import json
import urllib.request


def call(url, job, secret):
    """Posts the job with a signature, so that the receiver can tell it from a forgery."""
    body = json.dumps(job).encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    request = urllib.request.Request(url, data=body, headers={"X-Lantern-Signature": signature})
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.status
