"""Verifies the webhooks of Convoke, which follow Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from .errors import InvalidSignature


def verify(
    secret: str | list[str],
    headers: Mapping[str, str],
    body: bytes | str,
    *,
    tolerance: float = 300.0,
    now: float | None = None,
) -> dict[str, Any]:
    """Returns the event of a webhook; raises :class:`InvalidSignature` if it is not authentic.

    ``body`` is what was received, byte for byte. While a secret is replaced, pass both. A message
    may arrive twice: remember ``webhook-id``.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id = given.get("webhook-id", "")
    sent = given.get("webhook-timestamp", "")
    signatures = given.get("webhook-signature", "")
    number = sent.isascii() and sent.isdigit() and len(sent) <= 11
    if not message_id or not signatures or not number:
        raise InvalidSignature("The headers webhook-id, -timestamp and -signature are needed")
    if not abs((time.time() if now is None else now) - int(sent)) <= tolerance:
        raise InvalidSignature("The message is too old, or from the future")
    content = _bytes(body) if isinstance(body, str) else body
    signed = _bytes(f"{message_id}.{sent}.") + content
    secrets = [secret] if isinstance(secret, str) else secret
    expected = [hmac.new(_key(one), signed, hashlib.sha256).digest() for one in secrets]
    if not any(
        hmac.compare_digest(_decode(value), one)
        for version, _, value in (part.partition(",") for part in signatures.split(" "))
        if version == "v1"
        for one in expected
    ):
        raise InvalidSignature("The signature is not of this secret")
    try:
        event = json.loads(content)
    except ValueError as wrong:
        raise InvalidSignature("The body is not JSON") from wrong
    if not isinstance(event, dict):
        raise InvalidSignature("The body is not a JSON object")
    return event


def _bytes(text: str) -> bytes:
    """Some frameworks pass on bytes that are no UTF-8 as halves of characters."""
    return text.encode("utf-8", "surrogatepass")


def _key(secret: str) -> bytes:
    key = _decode(secret.removeprefix("whsec_"))
    if not key:
        raise ValueError("The secret is not base64")
    return key


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text.encode(), validate=True)
    except (binascii.Error, ValueError):
        return b""
