"""Amazon's own test vectors: https://docs.aws.amazon.com/general/latest/gr/signature-v4-test-suite.html"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stack.adapters.sigv4 import Credentials, canonical, signed

AT = datetime(2015, 8, 30, 12, 36, tzinfo=UTC).timestamp()
KEYS = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
TOKEN = (
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/"
    "qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xV"
    "qr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
)
ALL_UNRESERVED = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("method", "query", "signature"),
    [
        ("GET", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("POST", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        ("GET", "?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        ("GET", f"?{ALL_UNRESERVED}={ALL_UNRESERVED}", "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
    ],
)
def test_a_request_is_signed_as_amazon_signs_it(method: str, query: str, signature: str) -> None:
    url = canonical(f"https://example.amazonaws.com/{query}")
    headers = signed(method, url, b"", credentials=KEYS, region="us-east-1", service="service", at=AT)
    scope = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request"
    assert headers == {
        "x-amz-date": "20150830T123600Z",
        "authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host;x-amz-date, Signature={signature}",
    }


def test_a_lent_keys_token_is_signed_along() -> None:
    lent = Credentials(KEYS.access_key, KEYS.secret_key, TOKEN)
    url = "https://example.amazonaws.com/"
    headers = signed("POST", url, b"", credentials=lent, region="us-east-1", service="service", at=AT)
    assert headers["x-amz-security-token"] == TOKEN
    assert headers["authorization"].endswith(
        "SignedHeaders=host;x-amz-date;x-amz-security-token,"
        " Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"
    )


def test_a_query_is_written_in_one_way_only() -> None:
    assert canonical("https://a/q?b=1+2&a=rate(x[5m])&c=#there") == "https://a/q?a=rate%28x%5B5m%5D%29&b=1%202&c="


def test_a_secret_is_not_shown() -> None:
    assert repr(Credentials("AKIDEXAMPLE", "s3cret", "t0ken")) == "Credentials(access_key='AKIDEXAMPLE')"
