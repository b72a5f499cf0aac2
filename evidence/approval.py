"""Leave to act: nothing is done in a world without a recorded approval, by a person or by a policy that says why."""

from __future__ import annotations

from errorhub.evidence.environments import Environment
from errorhub.hub.bundle.diagnosis import Approval
from errorhub.hub.errors import Blocked
from errorhub.hub.workspace import now

SIMULATED = "policy:simulated"


def approval_for(world: Environment, name: str, *, by: str | None = None, note: str | None = None) -> Approval:
    """Return the approval a replay is recorded with: a person's, else the policy for simulated environments.

    Raise Blocked when the environment acts on the real world and no person has said yes.
    """
    if note is not None and note.strip() and by:
        return Approval(by=by, at=now(), note=note.strip())
    if world.simulated:
        return Approval(by=SIMULATED, at=now(), note=f"{name} is simulated: its actions change nothing outside it.")
    raise Blocked(
        f"{name} acts on the real world, so a person must approve what is played there.",
        hint="add --approve 'what you allow, and why'",
    )
