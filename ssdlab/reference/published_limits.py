"""Files of limits made of published numbers, each with its source."""

from importlib.resources import files
from types import MappingProxyType
from typing import Final

PUBLISHED_LIMITS: Final = MappingProxyType({
    "enterprise-sata": "limits_enterprise_sata.toml",
    "intel-s3510": "limits_intel_s3510.toml",
})


def read_published_limits(name: str) -> str:
    """Return the text of a file of limits, by its name."""
    place = files("ssdlab.reference") / PUBLISHED_LIMITS[name]
    return place.read_text("utf-8")
