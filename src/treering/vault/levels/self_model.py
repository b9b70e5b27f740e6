"""The self-model: where this agent has been reliable, and where not."""

from __future__ import annotations

from collections.abc import Mapping

from treering.errors import Conflict
from treering.model import Caller
from treering.replies import DomainReply, SelfModelReply
from treering.requests import OutcomeRequest, SelfModelRequest
from treering.rules.levels.selfmodel import Domain, Sample, recorded, weak_domains
from treering.vault.context import Context

MOST_DOMAINS = 500


def self_model(context: Context, request: SelfModelRequest, caller: Caller) -> SelfModelReply:
    """Every domain that has an outcome."""
    with context.store.read() as reader:
        return _reply(reader.self_model())


def record_outcome(context: Context, request: OutcomeRequest, caller: Caller) -> SelfModelReply:
    """Keep one outcome, and the reliability that it leads to.

    Raises Conflict for one domain too many.
    """
    sample = Sample(request.success, request.failure_pattern, request.strategy)
    with context.store.write() as tx:
        domains = tx.self_model()
        known = domains.get(request.domain, Domain())
        if request.domain not in domains and len(domains) >= MOST_DOMAINS:
            raise Conflict(
                f"domain: {MOST_DOMAINS} are known, and each weak one is a line of every prompt; "
                "record this under one of them."
            )
        tx.record_outcome(request.domain, recorded(known, sample), sample, context.system.now())
        return _reply(tx.self_model())


def _reply(domains: Mapping[str, Domain]) -> SelfModelReply:
    return SelfModelReply(
        calibration_factor=1,
        active_domains=sorted(domains),
        domains={
            name: DomainReply(
                reliability_score=domain.reliability,
                sample_count=domain.samples,
                known_failure_patterns=list(domain.failure_patterns),
                recommended_strategies=list(domain.strategies),
            )
            for name, domain in sorted(domains.items())
        },
        weak_domains=weak_domains(domains),
    )
