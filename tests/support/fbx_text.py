"""A reader of ``.fbx`` files that are text: the same nodes as of binary ones."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tests.support.fbx import FbxNode

_TOKEN = re.compile(r'"[^"]*"|;[^\n]*|[{}:,\n]|[^\s{}:,"]+')


def _value(text: str) -> Any:
    if text.startswith('"'):
        return text[1:-1].encode()
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"[+-]?[\d.].*", text) else text.encode()


def read_fbx_text(text: str) -> list[FbxNode]:
    """Return the outermost nodes; ``*3 { a: 1,2,3 }`` is an array."""
    words = [word for word in _TOKEN.findall(text) if not word.startswith(";")]
    root = FbxNode("")
    stack, values, at = [root], list[Any](), 0
    while at < len(words):
        word = words[at]
        following = words[at + 1] if at + 1 < len(words) else ""
        if word == "}":
            done = stack.pop()
            if done.name == "a":  # the numbers of an array close with the node around them
                done = stack.pop()
        elif following == ":":
            node = FbxNode(word)
            if stack[-1].name == "a":
                stack.pop()
            stack[-1].children.append(node)
            at += 1
            values = node.properties
            if word == "a":
                stack.append(node)
        elif word == "{":
            stack.append(stack[-1].children[-1])
        elif word not in (",", "\n"):
            values.append(_value(word))
        at += 1
    _fold(root)
    return root.children


def _fold(root: FbxNode) -> None:
    """Put arrays where binary files have them, and names behind their classes as there."""
    todo = [root]
    while todo:
        node = todo.pop()
        if len(node.children) == 1 and node.children[0].name == "a":
            numbers = node.children.pop().properties
            kind = np.int64 if all(isinstance(n, int) for n in numbers) else np.float64
            node.properties = [np.array(numbers, kind)]
        node.properties = [
            b"\0\1".join(reversed(v.split(b"::"))) if isinstance(v, bytes) else v
            for v in node.properties
        ]
        todo += node.children
