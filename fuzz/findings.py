"""What fuzzing found: the smallest input of each fault, and how to repeat it."""

from dataclasses import dataclass, field
from pathlib import Path

from fuzz.guard import ViolationError


@dataclass(kw_only=True)
class Findings:
    """The faults of one target; ``folder`` holds an input and a text for each."""

    target: str
    folder: Path
    sizes: dict[str, int] = field(default_factory=dict)

    def keep(self, violation: ViolationError, data: bytes) -> bool:
        """Keep the smallest input of each fault; tell whether the fault is new."""
        name = f"{self.target}-{violation.mark}"
        path = self.folder / name
        is_new = violation.signature not in self.sizes
        smallest = self.sizes.get(violation.signature)
        if smallest is None and path.is_file():
            smallest = path.stat().st_size
        if smallest is None or len(data) < smallest:
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.with_suffix(".txt").write_text(
                f"{violation.signature}\n\n"
                f"python -m fuzz.repeat {self.target} {path}\n\n{violation}\n"
            )
            smallest = len(data)
        self.sizes[violation.signature] = smallest
        return is_new
