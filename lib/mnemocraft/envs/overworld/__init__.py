"""A voxel world with Minecraft's rules that installs with pip.

What is Minecraft 1.11.2's: recipes, tools, break times, drops, fuel, food, damage, armour, ore heights, trees
and animals by biome, walking, jumping and falling (see :mod:`mnemocraft.envs.minecraft.rules`). What is
MineDojo's: actions, observations, masks, instant crafting and smelting from the whole inventory.

What Minecraft has and this world has not: the other dimensions, villages and other buildings, land above
height 127, all but 14 biomes and 15 mobs, weather, sleep, farming, growing, breeding, potions, enchantments
and trade. Simpler than there: liquids do not flow; blocks other than plants and fixtures are full cubes, and
doors, beds, boats and signs cannot be placed; light comes from the sky and from torches only; a hit counts in
full every half second, however slow the weapon; a creeper's blast spares the land; nobody suffocates in sand.

Where to look: ``env`` (Gymnasium), ``engine`` (the Python side of the compiled code), ``observation``,
``spaces``, ``checks`` (what users give), ``words``, ``sensing`` (what the player perceives), ``camera``,
``bodies_view``, ``textures`` (what the player sees); compiled: ``tick`` (the clock), ``terrain``, ``caves``,
``flora``, ``chunks`` (world generation), ``physics``, ``hands``, ``sight``, ``crafting``, ``stacks``,
``survival``, ``mobs``, ``spawning``, ``loot``; data: ``world`` (the state), ``tables`` (the rules),
``items``, ``blocks``, ``biomes``, ``creatures``.
"""

from mnemocraft.envs.overworld.env import OverworldEnv

__all__ = ["OverworldEnv"]
