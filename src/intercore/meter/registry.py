"""The kinds of meters: each is a file of `intercore.meter.drivers`, named nowhere else."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from intercore.errors import UsageError, unknown
from intercore.meter import drivers
from intercore.meter.address import Address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.meter.meter import Driver, Meter


@cache
def known() -> Mapping[str, Driver]:
    """Return all kinds by their scheme, in alphabetical order."""
    modules = sorted(found.name for found in pkgutil.iter_modules(drivers.__path__))
    found = (importlib.import_module(f"{drivers.__name__}.{name}").DRIVER for name in modules)
    return {driver.scheme: driver for driver in found}


def checked(text: str) -> tuple[Driver, Address]:
    """Parse and validate an address. Raises UsageError for an unknown kind or option."""
    address = Address.parse(text)
    if address.scheme not in known():
        raise UsageError(f"--meter: {unknown('meter kind', address.scheme, known())}")
    driver = known()[address.scheme]
    address.check(driver.options)
    return driver, address


def opened(text: str) -> Meter:
    """Open the meter at an address. Raises UsageError as `checked` does, MeterError if it is absent."""
    driver, address = checked(text)
    return driver.open(address)
