"""A command that consists of further commands, such as `baseline save`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.core import TyperGroup

from intercore.errors import UsageError, unknown

if TYPE_CHECKING:
    from typer._click import Command, Context


class Group(TyperGroup):
    """Further commands."""

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Find the command. Raises UsageError that suggests the closest one, or else shows examples."""
        if args and args[0] not in self.commands and not args[0].startswith("-") and not ctx.resilient_parsing:
            sentence = unknown("command", args[0], self.commands, f"{ctx.info_name} has")
            raise UsageError(sentence if sentence.endswith("?") else f"{sentence}. {self.epilog}")
        return super().resolve_command(ctx, args)
