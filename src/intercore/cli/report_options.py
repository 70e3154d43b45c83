"""The options of the commands that show reports; each is declared by the benchmark that uses it."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Annotated, ParamSpec, TypeVar

from intercore.benchmarks.options import MOST, Options, known
from intercore.cli.number_options import Share, percent_option, quantity_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.benchmarks.benchmark import Option

Given = ParamSpec("Given")
Result = TypeVar("Result")


def with_report_options(command: Callable[Given, Result]) -> Callable[Given, Result]:
    """Replace the parameter `options` of a command by one option for each that is declared.

    The command raises UsageError for a number out of an option's range.
    """
    declared = known()
    signature = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def with_options(*args: Given.args, **given: Given.kwargs) -> Result:
        chosen = {option.name: given.pop(option.name) for option in declared if option.name in given}
        given["options"] = Options(**chosen)  # type: ignore[arg-type]  # of the types in the signature below
        return command(*args, **given)

    parameters = [
        made
        for parameter in signature.parameters.values()
        for made in (map(_parameter, declared) if parameter.name == "options" else [parameter])
    ]
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {one.name: one.annotation for one in parameters}
    return with_options


def _parameter(option: Option) -> inspect.Parameter:
    name = f"--{option.name}"
    if option.unit:
        made, default = quantity_option(name, option.unit, MOST, option.help), option.default
    else:
        made, default = percent_option(name, option.help, zero=option.ends, whole=option.ends), Share(option.default)
    annotation = Annotated[float, made]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
