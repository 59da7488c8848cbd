"""The policy in force: the first start sets it, a reload replaces it, and of two replicas' wishes one is the newest."""

from __future__ import annotations

import asyncio

from runtime.state import State


async def test_the_first_start_sets_it_and_a_later_start_does_not_change_it(state: State) -> None:
    assert await state.policies.newest() is None
    first = await state.policies.first("sha256:a", "main")
    assert (first.number, first.digest, first.set_by) == (1, "sha256:a", "main")
    assert await state.policies.first("sha256:b", "other") == first == await state.policies.newest()


async def test_a_reload_is_a_new_revision_and_the_same_manifest_is_none(state: State) -> None:
    await state.policies.first("sha256:a", "main")
    changed = await state.policies.activate("sha256:b", "reload")
    assert (changed.number, changed.digest) == (2, "sha256:b")
    assert await state.policies.activate("sha256:b", "reload") == changed
    assert (await state.policies.activate("sha256:a", "reload")).number == 3


async def test_simultaneous_reloads_leave_one_newest(state: State) -> None:
    wishes = [f"sha256:{n}" for n in range(6)]
    made = await asyncio.gather(*(state.policies.activate(wish, "reload") for wish in wishes))
    assert sorted(policy.number for policy in made) == [1, 2, 3, 4, 5, 6]
    assert await state.policies.newest() == max(made, key=lambda policy: policy.number)
