"""The clock: the entry through which Python lets a world run."""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs.overworld import hands
from mnemocraft.envs.overworld.crafting import craft, find_stations
from mnemocraft.envs.overworld.jit import compiled, entry
from mnemocraft.envs.overworld.mobs import move_mobs
from mnemocraft.envs.overworld.outcomes import DONE
from mnemocraft.envs.overworld.physics import CLIMB, DRY, JUMP, SWIM, move, push, slow_down, soak
from mnemocraft.envs.overworld.spaces import ATTACK, CRAFT, DESTROY, DROP, EQUIP, PLACE, USE
from mnemocraft.envs.overworld.spawning import spawn
from mnemocraft.envs.overworld.stacks import move_drops
from mnemocraft.envs.overworld.survival import land, live, tire
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.world import NEAR, UNIT, World

WALK, AIR_WALK, SNEAK, SPRINT = UNIT * 98 // 1000, UNIT * 196 // 10000, 300, 1300
STRIDE_EFFORT = 100
"""Exhaustion of a sprinted block, in thousandths."""


@entry
def advance(worlds: Any, rules: Any, action: np.ndarray, ticks: int) -> None:
    """Let a number of ticks pass; the action is done in the first one.

    Sets ``status.outcome`` to what it came to, and ``status.stale`` if terrain must be loaded before the next
    call.

    Args:
        worlds: An array of one world.
        rules: An array of one record of tables.
        action: Eight whole numbers as in MineDojo, but with the turns in degrees.
        ticks: How many.
    """
    world, tables = worlds[0], rules[0]
    status = world.status
    status.outcome = DONE
    status.damage = status.damage_kind = status.damage_hunger = 0
    status.damage_distance = status.damage_yaw = status.damage_pitch = 0
    for tick in range(ticks):
        if status.dead:
            return
        if tick == 0:
            _turn(world, action)
            find_stations(world, tables)
            status.outcome = _function(world, tables, action)
            _walk(world, tables, action[0], action[1], action[2])
        else:
            _walk(world, tables, 0, 0, 0)
        _world_tick(world, tables)
    find_stations(world, tables)


@compiled
def _turn(world: World, action: np.ndarray) -> None:
    status, player = world.status, world.bodies[0]
    status.pitch = max(-90, min(90, status.pitch + action[3]))
    player.yaw = (player.yaw + action[4] + 180) % 360 - 180


@compiled
def _function(world: World, tables: Tables, action: np.ndarray) -> int:
    status, what = world.status, action[5]
    status.pause = max(0, status.pause - 1)
    if what != ATTACK:
        status.breaking = 0
    if what != USE:
        status.eating = 0
    if what == USE:
        return hands.use(world, tables)
    if what == DROP:
        return hands.drop(world, tables)
    if what == ATTACK:
        return hands.attack(world, tables)
    if what == CRAFT:
        return craft(world, tables, action[6])
    if what == EQUIP:
        return hands.equip(world, tables, action[7])
    if what == PLACE:
        return hands.place(world, tables, action[7])
    if what == DESTROY:
        return hands.destroy(world, action[7])
    return DONE


@compiled
def _walk(world: World, tables: Tables, along: int, across: int, gait: int) -> None:
    """Move the player for a tick; the numbers are the first three of MineDojo's action."""
    status, player = world.status, world.bodies[0]
    forward, left = (0, 1, -1)[along], (0, 1, -1)[across]
    soak(world, player)
    if gait == 1:
        _jump(status, player)
    sprinting = gait == 3 and forward > 0 and status.food > 6000
    pace = _pace(player, sprinting, gait == 2)
    if forward and left:
        pace = pace * 707 // 1000
    push(tables.sine, player, player.yaw, forward * pace, left * pace)
    x, y, z = player.x, player.y, player.z
    move(world, player)
    status.fall = 0 if player.vy > 0 else status.fall + max(0, y - player.y)
    land(world, tables)
    slow_down(world, player)
    if sprinting:
        tire(status, (abs(player.x - x) + abs(player.z - z)) * STRIDE_EFFORT // UNIT)


@compiled
def _jump(status: Any, player: Any) -> None:
    if player.wet != DRY:
        player.vy = CLIMB if player.blocked else player.vy + SWIM
    elif player.ground:
        player.vy = JUMP
        tire(status, 50)


@compiled
def _pace(player: Any, sprinting: bool, sneaking: bool) -> int:
    pace = WALK if player.ground and player.wet == DRY else AIR_WALK
    if sprinting:
        pace = pace * SPRINT // 1000
    return pace * SNEAK // 1000 if sneaking else pace


@compiled
def _world_tick(world: World, tables: Tables) -> None:
    status, player = world.status, world.bodies[0]
    live(world, tables)
    move_mobs(world, tables)
    move_drops(world, tables)
    status.age += 1
    status.time += 1 if status.daylight else 0
    spawn(world, tables)
    here_x, here_z = player.x >> 20, player.z >> 20
    ahead = world.chunks[(here_x + NEAR) & 15, (here_z + NEAR) & 15]
    behind = world.chunks[(here_x - NEAR) & 15, (here_z - NEAR) & 15]
    if (
        ahead[0] != here_x + NEAR
        or ahead[1] != here_z + NEAR
        or behind[0] != here_x - NEAR
        or behind[1] != here_z - NEAR
    ):
        status.stale = 1
