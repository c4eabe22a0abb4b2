"""TextWorldEnv under MC-TextWorld's rules against outcomes of the real one: all of them."""

from mnemocraft.envs import TextWorldEnv
from mnemocraft.envs.minecraft.engine import engine
from mnemocraft.envs.minecraft.planner import plan
from textworld_golden import needs_reference, plans, records, tool_call

pytestmark = needs_reference


def test_every_recorded_outcome():
    assert len(records()) == 3478
    for record in records():
        env = TextWorldEnv(rules="mc-textworld", inventory=record["inventory"])
        env.reset()
        obs, _, _, _, info = env.step(tool_call(record["action"]))
        assert info["action_success"] == record["success"], record["id"]
        assert info["category"] == record["category"], record["id"]
        assert obs["inventory"] in (record["inventory_after"], *record["also_valid"]), record["id"]
        assert record["success"] == ("failure" not in info)
        if not record["success"] and record["category"] != "unknown_action":
            assert info["missing"], record["id"]


def test_every_recorded_plan():
    assert len(plans()) == 122
    for entry in plans():
        env = TextWorldEnv(rules="mc-textworld", target={entry["target"]: entry["quantity"]}, max_steps=2000)
        env.reset()
        for name in entry["plan"]:
            obs, reward, terminated, _, info = env.step(tool_call(name))
            assert info["action_success"]
        assert terminated and reward == 1 and info["reason"] == "success"
        assert {item: n for item, n in obs["inventory"].items() if n} == entry["final_inventory"]


def test_listing_is_what_a_trial_of_every_action_says():
    world = engine("1.16.5", "mc-textworld")
    assert len(world.operators) == 732
    for record in records()[::150]:
        held = record["inventory"]
        tried = [name for name in world.operators if world.choose(name, held)]
        assert sorted(world.legal(held)) == sorted(tried), record["id"]
    assert len(world.legal({})) == 91


def test_plans_under_the_peers_rules_are_never_longer():
    """The planner against plans by others; a sample, for it takes a while."""
    for entry in plans()[::12]:
        found = plan(entry["target"], entry["quantity"], rules="mc-textworld")
        assert len(found) <= entry["n_actions"], entry["task_name"]
        env = TextWorldEnv(rules="mc-textworld", target=entry["target"])
        env.reset()
        assert [env.step(action)[2] for action in found.actions][-1], entry["task_name"]
