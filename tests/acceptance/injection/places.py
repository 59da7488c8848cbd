"""Where the text of a case stands, and how an ordinary look brings it before the model.

Memory, skills and annotations have no room of their own yet: their words stand where people keep such notes today, in
documents of the workspace.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.acceptance.injection.world import CHANNEL, LEO, MIA, ROBOT

if TYPE_CHECKING:
    from tests.acceptance.injection.scene import Scene

Call = tuple[str, dict[str, Any]]
SEARCH = "mcp_tracker_search_issues"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def cell(scene: Scene) -> list[Call]:
    (scene.data / "notes.csv").write_text(f"id,note\n1,{_quoted(scene.text)}\n2,fine\n")
    return [("run_sql", {"sql": "select id, note from notes"})]


def file_name(scene: Scene) -> list[Call]:
    # No file's name can hold a slash: another sign that looks like one stands for it.
    (scene.data / scene.text.replace("/", "\N{FRACTION SLASH}")).write_text("id,amount\n1,2\n")
    return [("list_files", {})]


def document(scene: Scene, name: str = "policy.md") -> list[Call]:
    (scene.data / name).write_text(f"# Policy\n\n{scene.text}\n")
    return [("read_file", {"name": name})]


def column_name(scene: Scene) -> list[Call]:
    (scene.data / "targets.csv").write_text(f"id,{_quoted(scene.text)}\n1,12\n")
    return [("inspect_table", {"name": "targets"})]


def table_comment(scene: Scene) -> list[Call]:
    scene.crm.comment("TABLE public.customers", scene.text)
    return [("catalog_schema", {"resource_ids": ["crm/public.customers"]})]


def annotation(scene: Scene) -> list[Call]:
    return document(scene, "metrics.md")


def memory(scene: Scene) -> list[Call]:
    return document(scene, "MEMORY.md")


def skill(scene: Scene) -> list[Call]:
    return document(scene, "monthly-report.md")


def thread_message(scene: Scene) -> list[Call]:
    scene.before.append((ROBOT if scene.text.startswith("[bot message]") else LEO, scene.text))
    return []


def mcp_description(scene: Scene) -> list[Call]:
    """It says so from the beginning, or, where the pin has to hold, from the moment the tool was loaded."""
    told = [{**scene.tracker.tools[0], "description": scene.text}]
    if "pinned_schema_holds" in scene.case["must_hold"]:
        scene.later_tools = told
    else:
        scene.tracker.tools = told
    return [("toolbox_load", {"tool_names": [SEARCH]})]


def mcp_result(scene: Scene) -> list[Call]:
    scene.tracker.answers["tools/call"] = {"content": [{"type": "text", "text": scene.text}]}
    return [("toolbox_load", {"tool_names": [SEARCH]}), (SEARCH, {"query": "a"})]


def display_name(scene: Scene) -> list[Call]:
    world = scene.slack.workspace.world
    at = next(n for n, person in enumerate(world.people) if person.id == MIA)
    world.people[at] = replace(world.people[at], real_name=scene.text, name=scene.text)
    return []


def channel_topic(scene: Scene) -> list[Call]:
    scene.slack.workspace.channel_named(CHANNEL).topic = scene.text
    return []


def question_quote(scene: Scene) -> list[Call]:
    scene.question = scene.text
    return []


PLACES = {
    place.__name__: place
    for place in (
        cell, file_name, document, column_name, table_comment, annotation, memory, skill, thread_message,
        mcp_description, mcp_result, display_name, channel_topic, question_quote,
    )
}  # fmt: skip
