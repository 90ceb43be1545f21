"""What `--dry-run` prints for work that needs no models."""

from __future__ import annotations

from antemill.tournament.cli.output import console, print_json
from antemill.tournament.pool.plans import Plan, size_of


def print_plan(plan: Plan, as_json: bool) -> None:
    """Print what the command would do: steps, time, files."""
    if as_json:
        steps = [
            {"what": step.what, "total": step.total, "left": step.left, "seconds": step.seconds} for step in plan.steps
        ]
        files = [{"path": path, "bytes": size or None} for path, size in plan.files.items()]
        figures = {"steps": steps, "seconds": plan.seconds, "workers": plan.workers, "files": files}
        print_json(figures | {"basis": plan.basis, "note": plan.note})
        return
    for step in plan.steps:
        took = "" if step.seconds is None or not step.left else f": about {duration(step.seconds)}"
        console().print(f"{step.left:,} of {step.total:,} {step.what}{took}", soft_wrap=True)
    if plan.seconds is not None and any(step.left for step in plan.steps):
        many = f"{plan.workers} worker{'s' * (plan.workers > 1)}"
        sentence = f"Together about {duration(plan.seconds)} with {many} on this machine: {plan.basis}."
        console().print(sentence, soft_wrap=True)
    if plan.note:
        console().print(plan.note, soft_wrap=True)
    for path, size in plan.files.items():
        console().print(f"It would write {path}{f', about {size_of(size)}' if size else ''}", soft_wrap=True)
    console().print("Nothing was done and nothing was written.")


def duration(seconds: float) -> str:
    """Seconds in the unit that fits, with two digits."""
    for unit, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.2g} {name}"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
