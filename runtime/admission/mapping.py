"""YAML without a key twice in one mapping: of two audiences, say, the reader would silently drop the first."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, cast

import yaml
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode, Node

_MERGE = "tag:yaml.org,2002:merge"  # the key `<<`


class UniqueKeys(yaml.SafeLoader):
    """The safe loader, which builds nothing but plain values. Raises yaml.YAMLError for a repeated key."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """The mapping of a node."""
        seen = set[Hashable]()
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:
                continue
            key = cast(object, cast(Any, self).construct_object(key_node, deep=True))
            if not isinstance(key, Hashable):
                continue  # refused below
            if key in seen:
                raise ConstructorError(None, None, f"the key {key!r} stands twice in one mapping", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


# A list or a text is meant, and the published schema takes nothing else.
_NO_JSON = ("binary", "set", "omap", "pairs")


def _refused(_: UniqueKeys, node: Node) -> object:
    raise ConstructorError(None, None, f"a value tagged {node.tag!r} is none of a manifest", node.start_mark)


for _tag in _NO_JSON:
    UniqueKeys.add_constructor(f"tag:yaml.org,2002:{_tag}", _refused)
