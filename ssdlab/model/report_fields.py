"""What a report must state besides its results: PTS 2.0.2, section 5."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

TITLES: Mapping[str, str] = {
    "operator": "Operator",
    "auditor": "Auditor",
    "motherboard": "Motherboard",
    "hba": "HBA or slot",
    "boot_storage": "Boot storage",
    "peripherals": "Other peripherals",
    "driver": "Driver",
    "file_system": "Host file system",
    "manufacturer": "Manufacturer",
    "form_factor": "Form factor",
    "media": "Media type",
    "features": "Other features",
}
# The others may be absent: an auditor, peripherals, features, a file system.
_REQUIRED = (
    "operator",
    "motherboard",
    "hba",
    "boot_storage",
    "driver",
    "manufacturer",
    "form_factor",
    "media",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportFields:
    """Required facts of a report that no measurement reveals; empty is unknown.

    Attributes
    ----------
    operator, auditor : str
        Who measured, and who reviewed it.
    motherboard, hba, boot_storage, peripherals : str
        The test hardware: board or chassis; the adapter or slot of the device;
        the boot storage; what else is attached.
    driver, file_system : str
        The software: the drivers of the device; the file system of the host, if one is
        used.
    manufacturer, form_factor, media, features : str
        The device: its maker; such as ``2.5 inch``; such as ``TLC NAND``; and more.
    """

    operator: str = ""
    auditor: str = ""
    motherboard: str = ""
    hba: str = ""
    boot_storage: str = ""
    peripherals: str = ""
    driver: str = ""
    file_system: str = ""
    manufacturer: str = ""
    form_factor: str = ""
    media: str = ""
    features: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the required fields that are empty."""
        return tuple(name for name in _REQUIRED if not getattr(self, name))

    def with_given(self, given: "ReportFields") -> "ReportFields":
        """Return these fields, replaced by ``given`` where those are not empty.

        >>> ReportFields(media="TLC").with_given(ReportFields(operator="A. B.")).media
        'TLC'
        """
        return ReportFields(**{
            name: value or getattr(self, name) for name, value in asdict(given).items()
        })


NAMES = tuple(field.name for field in fields(ReportFields))
