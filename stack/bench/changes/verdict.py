"""What must hold of a run of changes, and what of it does not, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from stack.bench.changes.asker import Said
from stack.bench.changes.changer import Journal
from stack.bench.changes.consistency import Told, contradictions
from stack.bench.changes.documents import Documents
from stack.control.audit import AuditRecord, Outcome
from stack.control.diff import leaves


def unsound(journal: Journal, records: Iterable[AuditRecord], documents: Documents) -> Iterator[str]:
    """What is wrong with the audit log: a change lost, one that nobody asked for, one unexplained, a hole."""
    applied = {record.comment or "": record for record in records if record.outcome is Outcome.APPLIED and record.diff}
    for comment, generation in journal.answered.items():
        if comment not in applied or applied[comment].generation != generation:
            yield f"{comment} was answered with generation {generation} and is not in the history"
    for comment, record in applied.items():
        if comment not in journal.sent and comment not in journal.back:
            yield f"generation {record.generation} is by {record.actor}: the stack is needed for itself"
            continue
        if not _asked(comment, record, journal, documents):
            wish = journal.sent.get(comment) or f"back to {journal.back[comment]}"
            yield f"generation {record.generation} is not what was asked for: {wish}"
        if not record.effects:
            yield f"generation {record.generation} has no effects"
    if documents.beyond:
        yield f"the history has a hole after generation {documents.last}"


def _asked(comment: str, record: AuditRecord, journal: Journal, documents: Documents) -> bool:
    """Every field has become what it was asked to be; one that an earlier generation did not have has gone."""
    if comment in journal.sent:
        patch = leaves(journal.sent[comment])
        return all(change.field in patch and patch[change.field] == change.after for change in record.diff)
    earlier = documents.of(journal.back[comment])
    return earlier is not None and all(earlier.get(change.field) == change.after for change in record.diff)


def mixed(model: str, told: Counter[Told], said: Counter[Said], documents: Documents) -> Counter[str]:
    """Requests that went by more than one generation, or by none there was, counted by what is wrong with them."""
    found: Counter[str] = Counter()
    for one, requests in told.items():
        for fault in _faults(model, one, documents):
            found[f"generation {one.generation}: {fault}"] += requests
    for answer, requests in said.items():
        if (contradiction := _contradiction(model, answer, documents)) is not None:
            found[contradiction] += requests
    return found


def _faults(model: str, told: Told, documents: Documents) -> Iterable[str]:
    fields = documents.of(told.generation)
    return ["it is not in the history"] if fields is None else contradictions(told, model, fields)


def _contradiction(model: str, said: Said, documents: Documents) -> str | None:
    if said.generation is None:
        return "an answer without its generation"
    fields = documents.of(int(said.generation))
    if fields is None:
        return f"an answer of generation {said.generation}, which is not in the history"
    wanted = fields[f"models.{model}.pools.decode.strategy"] or fields[f"models.{model}.strategy"]
    return None if said.strategy == wanted else f"an answer of generation {said.generation} by {said.strategy}, not {wanted}"
