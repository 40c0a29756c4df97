"""A relay behind TLS, with a certificate authority of its own."""

import datetime as dt
import ipaddress
import ssl
import threading
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from arbiter.adapters.relays.connection import Pong, connect
from arbiter.adapters.relays.deadline_socket import RelayFailure, RelayFailureError, tls
from tests.adapters.relays.publishing import ONE, TWO, published, publishing
from tests.fakes.relay import PATIENCE_SECONDS, TEXT, FakeRelay


def a_certificate(folder: Path, host: str) -> Path:
    """A self-signed certificate for this address, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "relay")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(host))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{host}.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path


def a_relay(certificate: Path) -> FakeRelay:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return FakeRelay(tls=context)


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A certificate for 127.0.0.1 that this process trusts while the test lasts."""
    path = a_certificate(tmp_path, "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    monkeypatch.setattr("arbiter.adapters.relays.deadline_socket.tls", tls.__wrapped__)
    return path


def test_text_goes_both_ways(trusted: Path) -> None:
    with a_relay(trusted) as relay:
        connection = connect(relay.url, PATIENCE_SECONDS)
        assert connection.receive(0.0) is None
        connection.send('["REQ","x",{}]')
        assert connection.receive(PATIENCE_SECONDS) == b'["EOSE", "x"]'
        relay.client().send_text("x" * 100_000)
        assert connection.receive(PATIENCE_SECONDS) == b"x" * 100_000
        connection.ping()
        assert isinstance(connection.receive(PATIENCE_SECONDS), Pong)
        connection.close()


def test_a_frame_half_there_is_read_on_at_the_next_call(trusted: Path) -> None:
    with a_relay(trusted) as relay:
        connection = connect(relay.url, PATIENCE_SECONDS)
        relay.client().send_header(TEXT, 6)
        relay.client().send_raw(b"abc")
        assert connection.receive(0.01) is None
        relay.client().send_raw(b"def")
        assert connection.receive(PATIENCE_SECONDS) == b"abcdef"
        connection.close()


def test_abort_wakes_the_reader(trusted: Path) -> None:
    with a_relay(trusted) as relay:
        connection = connect(relay.url, PATIENCE_SECONDS)
        aborting = threading.Timer(0.05, connection.abort)
        aborting.start()
        with pytest.raises(RelayFailureError) as caught:
            connection.receive(PATIENCE_SECONDS)
        assert caught.value.failure is RelayFailure.ENDED
        aborting.join()
        connection.close()


def test_a_publisher_keeps_such_a_connection_too(trusted: Path) -> None:
    with a_relay(trusted) as relay, publishing(relay.url) as publisher:
        assert published(publisher, ONE).taken(ONE.id)
        assert published(publisher, TWO).taken(TWO.id)
        relay.client().drop()
        assert published(publisher, ONE).taken(ONE.id)
        assert len(relay.clients) == 2


def trouble_with(url: str) -> RelayFailure:
    with pytest.raises(RelayFailureError) as caught:
        connect(url, PATIENCE_SECONDS)
    return caught.value.failure


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    with a_relay(a_certificate(tmp_path, "127.0.0.1")) as relay:
        assert trouble_with(relay.url) is RelayFailure.UNREACHABLE


def test_a_certificate_for_another_host_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = a_certificate(tmp_path, "127.0.0.2")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setattr("arbiter.adapters.relays.deadline_socket.tls", tls.__wrapped__)
    with a_relay(certificate) as relay:
        assert trouble_with(relay.url) is RelayFailure.UNREACHABLE
