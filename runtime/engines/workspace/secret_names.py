"""Tells names of files and folders that are hidden or look like secrets: these are listed and never opened."""

from __future__ import annotations

import fnmatch
import re

_NAMES = (
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.ppk", "*.p12", "*.pfx", "*.jks"),
    *("*.keystore", "*.kdbx", "*.ovpn", "*.tfstate", "*.tfstate.*", "*.tfvars", "*.env", "env", "*.htpasswd"),
    *("passwd*", "htpasswd*", "shadow", "pgpass*", "_pgpass*", "netrc*", "_netrc*", "my.cnf", "kubeconfig*"),
    *("credentials*", "*_credentials", "*_credentials.*", "service_account*", "*_service_account*", "serviceaccount*"),
    *("secret", "secret.*", "secrets", "secrets.*", "*_secret", "*_secret.*", "*_secrets", "*_secrets.*"),
    *("client_secret*", "secret_key*", "*_secret_key*", "private_key*", "*_private_key*", "access_key*"),
    *("*_access_key*", "api_key*", "*_api_key*", "apikey*", "*_apikey*", "token", "token.*", "*_token", "*_token.*"),
    *("tokens.txt", "tokens.json", "*_tokens.txt", "*_tokens.json", "password", "password.*", "passwords"),
    *("passwords.*", "*_password.*", "*_passwords.*", "master_key*", "keystore*"),
    *("creds", "creds.*", "*_creds.*", "privatekey*", "*.pem.*", "*.key.txt", "recovery_codes*", "backup_codes*"),
)
"""In lower case, with one underscore for the signs that part words. What tables are usually called ("token_usage",
"password_resets") is left out."""
_PARTED = re.compile(r"[\s_-]+")


def private(name: str) -> bool:
    """Whether a file or folder of this name is hidden or looks like a secret."""
    folded = _PARTED.sub("_", name.lower())
    return name.startswith(".") or any(fnmatch.fnmatchcase(folded, pattern) for pattern in _NAMES)
