"""Write docs/config.md and docs/cli.md from the code: ``python docs/generate.py``; a test keeps them up to date."""

from pathlib import Path

from pydantic import BaseModel

PLAIN = {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
HERE = Path(__file__).parent


def config_page() -> str:
    """Describe every setting, a table a section, from the docstrings beside the fields."""
    from ferryman.config import Config
    from ferryman.config_file import config_names

    lines = [
        "# Settings",
        "",
        "Every key, its default and what it is for. Defaults, then a YAML file, then `section.key=value` on the",
        "command line; the resolved copy stays with the run as `config.yaml`. Shipped configurations: "
        + ", ".join(f"`{name}`" for name in config_names())
        + ". `ferryman config NAME` prints one in full.",
        "",
    ]
    for name, field in Config.model_fields.items():
        lines += section(name, field.annotation)
    return "\n".join(lines).rstrip() + "\n"


def section(name: str, kind: type[BaseModel]) -> list[str]:
    """Describe one section and those inside it."""
    from ferryman.config_file import section_kind

    rows, inner = [], []
    for key, field in kind.model_fields.items():
        within, named = section_kind(field.annotation)
        if within is not None:
            inner += section(f"{name}.{key}.NAME" if named else f"{name}.{key}", within)
            continue
        default = field.get_default(call_default_factory=True)
        shown = "" if default is None or default == "" else f"`{shorten(default)}`"
        rows.append(f"| `{key}` | {shown} | {one_line(field.description)} |")
    head = [f"## `{name}`", "", one_line(kind.__doc__), "", "| key | default | |", "|---|---|---|"]
    return [*head, *rows, "", *inner]


def one_line(text: str | None) -> str:
    """Fold a docstring into one line of Markdown."""
    return " ".join((text or "").replace("``", "`").split())


def shorten(value: object) -> str:
    """Write a default as it would stand in YAML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(map(str, value)) + "]"
    return str(value)


def cli_page() -> str:
    """Collect the help text of every command."""
    from typer.main import get_command
    from typer.testing import CliRunner

    from ferryman.cli.app import app

    runner = CliRunner()
    lines = ["# Commands", "", "What `--help` prints.", ""]
    for name in ["", *get_command(app).commands]:  # type: ignore[attr-defined]
        help_text = runner.invoke(app, [*name.split(), "--help"], prog_name="ferryman", env=PLAIN).output
        lines += [f"## `{f'ferryman {name}'.strip()}`", "", "```"]
        lines += [line.rstrip() for line in help_text.strip().splitlines()] + ["```", ""]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    """Write both pages."""
    (HERE / "config.md").write_text(config_page(), encoding="utf-8", newline="\n")
    (HERE / "cli.md").write_text(cli_page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
