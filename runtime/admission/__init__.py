"""Admission: which source is open to which audience, from the manifest and nothing else."""

from runtime.admission.audience import Asker, Audience, Conversation, Verdict, decide
from runtime.admission.in_force import PolicyInForce
from runtime.admission.manifest import Manifest, load_manifest, manifest_schema
from runtime.admission.now import AdmissionByPolicy, Present
from runtime.admission.policy import Policy

__all__ = [
    "AdmissionByPolicy",
    "Asker",
    "Audience",
    "Conversation",
    "Manifest",
    "Policy",
    "PolicyInForce",
    "Present",
    "Verdict",
    "decide",
    "load_manifest",
    "manifest_schema",
]
