"""Certificates that no authority vouches for."""

import datetime as dt
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def a_certificate(folder: Path, host: str) -> Path:
    """A self-signed certificate for this address, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "relay")])
    now = dt.datetime.now(dt.UTC)
    addresses = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(host))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(addresses, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    path = folder / f"{host}.pem"
    path.write_bytes(
        key.private_bytes(pem, pkcs8, serialization.NoEncryption()) + certificate.public_bytes(pem)
    )
    return path
