"""The training loop on a tiny model of the same architecture: what it computes, and how it resumes."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch", reason="the extra 'finetune' is not installed")
transformers = pytest.importorskip("transformers", reason="the extra 'finetune' is not installed")
pytest.importorskip("peft", reason="the extra 'finetune' is not installed")

from mnemocraft.errors import MnemocraftError  # noqa: E402
from mnemocraft.llm import Model  # noqa: E402
from mnemocraft.llm.types import Reply, Usage  # noqa: E402
from training.finetune import __main__ as command  # noqa: E402
from training.finetune import attention, base, beside, validation  # noqa: E402
from training.finetune.demonstrate import Dialogue  # noqa: E402
from training.finetune.export import copy_adapter, export_adapter  # noqa: E402
from training.finetune.render import Sequence  # noqa: E402
from training.finetune.training import Hyperparameters, Trainer, add_adapter, schedule  # noqa: E402

RECIPE = Hyperparameters(
    rank=4, alpha=8, learning_rate=1e-2, warm_up=1, tokens_per_step=60, tokens_per_batch=60
)

EVERY = list(range(64))


def tiny():
    """Two blocks, one of them with a window of 8 tokens: shorter than the shared start of the sequences."""
    torch.manual_seed(3)
    config = transformers.Gemma3TextConfig(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        sliding_window=8,
        layer_types=["sliding_attention", "full_attention"],
    )
    return transformers.Gemma3ForCausalLM(config)


def sequences(count=12):
    rng = np.random.default_rng(0)
    start = rng.integers(1, 64, 12)
    made = []
    for n in range(count):
        own = rng.integers(1, 64, 10 + n)
        learn = np.zeros(12 + len(own), dtype=bool)
        learn[-5:] = True
        made.append(Sequence(np.concatenate([start, own]), learn, 12))
    return made


def test_sharing_the_start_changes_no_loss(tmp_path):
    """Against the plain computation of transformers itself, one sequence at a time."""
    model = add_adapter(tiny(), RECIPE)
    with torch.no_grad():  # an adapter that does something: B starts at zero
        for name, weight in model.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.3)
    batch = sequences(3)
    trainer = Trainer(model, [[[batch]]], RECIPE, EVERY, tmp_path)
    plain = 0.0
    for item in batch:
        labels = np.where(item.learn, item.tokens, -100)
        out = model(input_ids=torch.tensor(item.tokens)[None], labels=torch.tensor(labels)[None])
        plain += out.loss.item() * item.learn.sum()
    assert trainer._loss(batch).item() == pytest.approx(plain, rel=1e-4)


@pytest.mark.parametrize("shared", [0, 12])
def test_attention_in_blocks_is_that_of_transformers(shared, tmp_path, monkeypatch):
    """Loss and gradients, with blocks shorter than the window and sequences longer than both."""
    monkeypatch.setattr(attention, "BLOCK", 5)
    batch = [dataclasses.replace(each, shared=shared) for each in sequences(4)]
    found = []
    for kind in ("sdpa", attention.NAME):
        model = add_adapter(tiny(), RECIPE)
        model.set_attn_implementation(kind)
        trainer = Trainer(model, [[[batch]]], RECIPE, EVERY, tmp_path / kind)
        loss = trainer._loss(batch)
        loss.backward()
        found.append([loss.detach(), *(weight.grad for weight in trainer.weights.values())])
    assert any(each.abs().max() > 1e-3 for each in found[0][1:])
    for plain, ours in zip(*found, strict=True):
        assert torch.allclose(plain, ours, rtol=1e-4, atol=1e-6)


def test_among_fewer_tokens_the_likeliest_of_them_is_meant(tmp_path):
    """Against a softmax over the kept columns alone."""
    batch = sequences(2)
    kept = sorted({token for item in batch for token in item.tokens.tolist()})
    assert len(kept) < 40
    trainer = Trainer(add_adapter(tiny(), RECIPE), [[[batch]]], RECIPE, kept, tmp_path)
    expected = 0.0
    for item in batch:
        logits = trainer.model(input_ids=torch.tensor(item.tokens)[None]).logits[0, :-1, kept]
        chosen = [kept.index(token) for token in item.tokens[1:]]
        losses = torch.nn.functional.cross_entropy(logits, torch.tensor(chosen), reduction="none")
        expected += losses[torch.tensor(item.learn[1:])].sum().item()
    assert trainer._loss(batch).item() == pytest.approx(expected, rel=1e-4)


def test_a_step_learns_every_sequence_once():
    items = sequences()
    steps = schedule(items, RECIPE)
    taken = [id(item) for step in steps for batch in step for item in batch]
    assert sorted(taken) == sorted(map(id, items))
    for batch in (batch for step in steps for batch in step):
        longest = max(len(item.tokens) - item.shared for item in batch)
        assert len(batch) == 1 or longest * len(batch) <= RECIPE.tokens_per_batch


def test_sequences_with_another_start_are_never_mixed():
    other = [dataclasses.replace(item, tokens=item.tokens[::-1].copy()) for item in sequences(4)]
    for step in schedule(sequences(4) + other, RECIPE):
        for batch in step:
            assert len({tuple(item.tokens[: item.shared]) for item in batch}) == 1


def test_the_loss_falls(tmp_path):
    """One sequence, by heart; for that the words of the tiny model, which are frozen, must differ enough."""
    model = tiny()
    torch.nn.init.normal_(model.get_input_embeddings().weight)
    recipe = dataclasses.replace(RECIPE, learning_rate=5e-2)
    steps = schedule(sequences(1), recipe) * 100
    trainer = Trainer(add_adapter(model, recipe), [steps], recipe, EVERY, tmp_path)
    losses = [trainer.step() for _ in steps]
    assert losses[-1] < 0.5 * losses[0], losses


def test_an_interrupted_training_ends_with_the_same_weights(tmp_path):
    steps = schedule(sequences(), RECIPE)
    straight = Trainer(add_adapter(tiny(), RECIPE), [steps], RECIPE, EVERY, tmp_path / "a")
    for _ in steps:
        straight.step()
    interrupted = Trainer(add_adapter(tiny(), RECIPE), [steps], RECIPE, EVERY, tmp_path / "b")
    for _ in range(2):
        interrupted.step()
    interrupted.save()
    interrupted.step()  # lost: it was not saved
    resumed = Trainer(add_adapter(tiny(), RECIPE), [steps], RECIPE, EVERY, tmp_path / "b")
    assert resumed.done == 2
    while resumed.done < len(steps):
        resumed.step()
    assert resumed.losses == straight.losses
    for name, weight in straight.weights.items():
        assert torch.equal(weight, resumed.weights[name])


def test_every_course_warms_up_and_cools_down(tmp_path):
    steps = schedule(sequences(), RECIPE)
    trainer = Trainer(add_adapter(tiny(), RECIPE), [steps, steps], RECIPE, EVERY, tmp_path)
    rates = []
    for _ in trainer.steps:
        trainer.step()
        rates.append(trainer.optimizer.param_groups[0]["lr"])
    first, second = rates[: len(steps)], rates[len(steps) :]
    assert first == second
    assert first[-1] < max(first) / 3


def test_a_course_needs_nothing_but_the_adapter_that_the_one_before_left(tmp_path):
    steps = schedule(sequences(), RECIPE)
    straight = Trainer(add_adapter(tiny(), RECIPE), [steps, steps], RECIPE, EVERY, tmp_path / "a")
    for _ in steps:
        straight.step()
    file = tmp_path / "served.gguf"
    export_adapter(straight.model, file, base_name="tiny", kept=EVERY, provenance={"step": straight.done})
    for _ in steps:
        straight.step()
    elsewhere = Trainer(add_adapter(tiny(), RECIPE), [steps, steps], RECIPE, EVERY, tmp_path / "b")
    elsewhere.begin_after(copy_adapter(file, elsewhere.model))
    assert elsewhere.done == len(steps)
    while elsewhere.done < 2 * len(steps):
        elsewhere.step()
    for name, weight in straight.weights.items():
        assert torch.equal(weight, elsewhere.weights[name])
    with pytest.raises(
        MnemocraftError, match=rf"saved after step 1; courses end after \[{len(steps)}, {2 * len(steps)}\]"
    ):
        elsewhere.begin_after(1)
    elsewhere.begin_after(2 * len(steps))  # all courses were given: nothing is left to learn
    assert elsewhere.done == len(elsewhere.steps)


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    steps = schedule(sequences(), RECIPE)
    trainer = Trainer(add_adapter(tiny(), RECIPE), [steps], RECIPE, EVERY, tmp_path)
    trainer.step()
    trainer.save()
    other = dataclasses.replace(RECIPE, learning_rate=1e-3)
    with pytest.raises(MnemocraftError, match="other data or settings"):
        Trainer(add_adapter(tiny(), other), [steps], other, EVERY, tmp_path)
    first = steps[0][0][0]
    learn_less = dataclasses.replace(first, learn=first.learn & (np.arange(len(first.learn)) % 2 == 0))
    steps[0][0][0] = learn_less
    with pytest.raises(MnemocraftError, match="other data or settings"):
        Trainer(add_adapter(tiny(), RECIPE), [steps], RECIPE, EVERY, tmp_path)


def small(tmp_path, monkeypatch, courses, adapters="models"):
    """The command trains a tiny model below a folder: what makes its trainer, and the steps of a course."""
    steps = schedule(sequences(), RECIPE)

    def trainer(*_):
        return Trainer(add_adapter(tiny(), RECIPE), courses * [steps], RECIPE, EVERY, tmp_path / "checkpoint")

    monkeypatch.setattr(command, "_trainer", trainer)
    monkeypatch.setattr(command, "ADAPTERS", tmp_path / adapters)
    return trainer, steps


def test_a_sitting_that_is_over_leaves_a_checkpoint_from_which_the_next_goes_on(tmp_path, monkeypatch):
    trainer, _ = small(tmp_path, monkeypatch, courses=1)
    monkeypatch.setattr(command, "_check", lambda *_: pytest.fail("nothing is checked within a sitting"))
    for done in (1, 2):
        command.train(tmp_path, "kitchen", 1, minutes=0)
        assert trainer().done == done
    assert not (tmp_path / "models").exists()


def test_every_course_of_a_world_is_served_under_its_name_and_none_is_checked(tmp_path, monkeypatch):
    _, steps = small(tmp_path, monkeypatch, courses=2)

    def export(trainer, folder):
        file = folder / f"adapter-{trainer.done}.gguf"
        file.write_text(f"kitchen {trainer.done}")
        return file

    monkeypatch.setattr(command, "_export", export)
    monkeypatch.setattr(command, "_check", lambda *_: pytest.fail("a world is checked by its own command"))
    served = tmp_path / "models" / "kitchen_gemma-3-270m.gguf"
    step = Trainer.step

    def stopped(trainer):
        if trainer.done == len(steps) + 1 and not served.with_suffix(".seen").exists():
            served.with_suffix(".seen").write_bytes(served.read_bytes())
            raise KeyboardInterrupt  # in the second course
        return step(trainer)

    monkeypatch.setattr(Trainer, "step", stopped)
    with pytest.raises(KeyboardInterrupt):
        command.train(tmp_path, "kitchen", 1, minutes=float("inf"))
    assert served.read_text() == f"kitchen {len(steps)}"
    for _ in range(2):  # the second time there is nothing left to do
        command.train(tmp_path, "kitchen", 1, minutes=float("inf"))
    assert served.with_suffix(".seen").read_text() == f"kitchen {len(steps)}"
    assert served.read_text() == f"kitchen {2 * len(steps)}"
    assert not served.with_suffix(".csv").exists()
    with pytest.raises(MnemocraftError, match="or delete that folder to begin anew"):
        command.train(tmp_path, "kitchen", 1, minutes=0, anew=True)


def test_a_training_that_dies_before_its_adapter_is_served_makes_it_when_started_again(tmp_path, monkeypatch):
    _, steps = small(tmp_path, monkeypatch, courses=1)
    exported = []

    def export(trainer, folder):
        exported.append(trainer.done)
        if len(exported) == 1:
            raise OSError("No space left on device")
        file = folder / f"adapter-{trainer.done}.gguf"
        file.write_text("made")
        return file

    monkeypatch.setattr(command, "_export", export)
    with pytest.raises(OSError, match="No space"):
        command.train(tmp_path, "kitchen", 1, minutes=float("inf"))
    command.train(tmp_path, "kitchen", 1, minutes=float("inf"))
    assert exported == [len(steps)] * 2
    assert (tmp_path / "models/kitchen_gemma-3-270m.gguf").read_text() == "made"


def test_a_world_is_checked_as_it_is_served(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "ADAPTERS", tmp_path)
    asked = []

    def check(file, world, threads):
        asked.append((file, world, threads))
        return pd.DataFrame([{"setup": "react", "max_rounds": -1, "known": True, "solved": 1, "tasks": 2}])

    monkeypatch.setattr(validation, "check", check)
    file = tmp_path / "kitchen_gemma-3-270m.gguf"
    with pytest.raises(MnemocraftError, match="cannot be read as an adapter"):
        command.check_lessons("kitchen", 1)
    known = {"seed": 0, "step": 754}
    export_adapter(add_adapter(tiny(), RECIPE), file, base_name="tiny", kept=EVERY, provenance=known)
    command.check_lessons("kitchen", 1)
    assert asked == [(file, "kitchen", 1)]
    assert file.with_suffix(".csv").read_text() == (
        "setup,max_rounds,known,solved,tasks,step\nreact,-1,True,1,2,754\n"
    )
    every = tmp_path / "all_gemma-3-270m.gguf"
    every.write_bytes(file.read_bytes())
    command.check_lessons("all", 1)
    assert asked[1:] == [(every, world, 1) for world in command.LONGEST]
    assert pd.read_csv(every.with_suffix(".csv"))["world"].tolist() == [*command.LONGEST]


def test_the_adapter_that_is_served_has_the_largest_mean_share(tmp_path, monkeypatch):
    """Every agent counts alike, and Relevance, which judges more memories than they have tasks, as one."""
    monkeypatch.setattr(command, "ADAPTERS", tmp_path / "models")
    checks = [
        {"setup": setup, "teacher": "", "solved": solved, "tasks": tasks, "step": step, "loss": 0.1}
        for step, *numbers in ((1, (8, 8), (0, 64)), (2, (6, 8), (20, 64)), (3, (0, 8), (64, 64)))
        for setup, (solved, tasks) in zip(("just_ask", "relevance"), numbers, strict=True)
    ]
    for step in (1, 2, 3):
        (tmp_path / f"adapter-{step}.gguf").write_text(f"after {step}")
    command._serve(SimpleNamespace(done=3, steps=[None] * 3), tmp_path, "plancraft", checks)
    served = tmp_path / "models" / "plancraft_gemma-3-270m.gguf"
    assert served.read_text() == "after 2"
    assert pd.read_csv(served.with_suffix(".csv")).query("served")["step"].tolist() == [2, 2]
    (tmp_path / "adapter-2.gguf").unlink()
    with pytest.raises(
        MnemocraftError, match=r"after step 2, was made elsewhere: put it at .*adapter-2\.gguf"
    ):
        command._serve(SimpleNamespace(done=3, steps=[None] * 3), tmp_path, "plancraft", checks)


def test_a_training_that_begins_anew_counts_no_checks_of_another(tmp_path, monkeypatch):
    trainer, _ = small(tmp_path, monkeypatch, courses=2, adapters="")
    pd.DataFrame([{"step": 1, "solved": 8, "tasks": 8}]).to_csv(
        tmp_path / "plancraft_gemma-3-270m.csv", index=False
    )
    command.train(tmp_path, "plancraft", 1, minutes=0, anew=True)
    assert trainer().done == 1 and command._checks(trainer(), tmp_path, "plancraft") == []
    (tmp_path / "checks.csv").unlink()
    assert len(command._checks(trainer(), tmp_path, "plancraft")) == 1


def test_memories_are_judged_as_many_true_as_not(monkeypatch):
    """A model that takes every memory is right in half; the check makes them before its event loop runs."""

    class Yes:
        name, cpu_bound = "yes", True

        async def generate(self, request):
            assert request.messages[-1]["role"] == "user"
            return Reply("Yes.", [], Usage(1, 1, estimated=True))

        async def aclose(self):
            pass

    monkeypatch.setattr(validation, "get_model", lambda *_, **__: Model("yes", Yes()))
    monkeypatch.setattr(validation, "held_out", lambda setup: [])
    validation.memories.cache_clear()
    found = validation.check(Path("any.gguf"), "plancraft", 1).iloc[-1]
    half = validation.JUDGED // 2
    assert found.to_dict() == {"setup": "relevance", "teacher": "planner", "solved": half, "tasks": 2 * half}


def test_a_turn_is_right_where_it_is_what_the_model_says_by_itself(monkeypatch):
    """Three turns are what it generates greedily; then a token of the second is another."""
    monkeypatch.setattr(beside, "PART", 3)
    model = add_adapter(tiny(), RECIPE).eval()
    tokens, learn = torch.arange(1, 13)[None], [False] * 12
    for size in (4, 1, 3):
        with torch.inference_mode():
            tokens = model.generate(
                input_ids=tokens, max_new_tokens=size, min_new_tokens=size, do_sample=False, eos_token_id=None
            )
        asked = torch.tensor([[17, 5]])
        tokens, learn = torch.cat([tokens, asked], 1), [*learn, *[True] * size, False, False]
    said = Sequence(tokens[0].numpy(), np.array(learn), 0)
    other = dataclasses.replace(said, tokens=said.tokens.copy())
    other.tokens[18] = (said.tokens[18] + 1) % 64
    found = beside.turns(model, EVERY, [("a", "planner", said), ("b", "planner", other)])
    assert found["task"].tolist() == ["a"] * 3 + ["b"] * 3
    assert found["tokens"].tolist() == [4, 1, 3] * 2
    assert found["right"].tolist()[:5] == [True, True, True, True, False]
    spoken = {*said.tokens[said.learn].tolist()}
    fewer = [token for token in EVERY if token in spoken or token > 40]  # others have another place
    assert (
        fewer != EVERY[: len(fewer)] and beside.turns(model, fewer, [("a", "planner", said)])["right"].all()
    )
    lacking = [token for token in fewer if token != said.tokens[18]]
    right = beside.turns(model, lacking, [("a", "planner", said)])["right"]
    assert right.tolist() == [
        said.tokens[18] not in said.tokens[12:16],
        False,
        said.tokens[18] not in said.tokens[21:24],
    ]


def test_a_turn_that_is_cut_is_not_judged():
    learn = np.array([False, True, True, False, True, True])
    item = Sequence(np.arange(6), learn, 0)
    assert beside.whole(item, 7) is item
    assert beside.whole(item, 6).learn.tolist() == [False, True, True, False, False, False]
    ended = dataclasses.replace(item, learn=learn & (np.arange(6) < 5))
    assert beside.whole(ended, 6) is ended


def said_by(tasks, right, adapter, role="planner"):
    rows = {"task": [f"task {n}" for n in range(tasks) for _ in range(2)], "role": role, "tokens": 4}
    return pd.DataFrame(rows).assign(adapter=adapter, right=right)


@pytest.mark.parametrize(
    ("tasks", "right", "said"),
    [
        (30, [n % 10 > 0 for n in range(60)], "no"),
        (60, [n != 7 for n in range(120)], "yes"),
        (30, [True] * 60, "yes"),  # in every task the same, so that there is no interval
        (19, [True] * 38, ""),
    ],
)
def test_two_adapters_are_compared_on_the_same_turns_by_task(tasks, right, said):
    own = [said_by(tasks, True, beside.OWN), said_by(tasks, False, beside.OWN, "explainer")]
    joint = [said_by(tasks, right, beside.JOINT), said_by(tasks, True, beside.JOINT, "explainer")]
    table = beside.compared(pd.concat([*own, *joint])).set_index("role")
    row = table.loc["planner"]
    assert (row["turns"], row["tasks"], row["own"]) == (2 * tasks, tasks, 1.0)
    assert row["joint"] == pytest.approx(np.mean(right)) and row["difference"] == pytest.approx(
        row["joint"] - 1
    )
    assert row["no_worse"] == said and table.loc["explainer", "no_worse"] == ""
    assert table.loc["explainer", "difference"] == 1


def test_what_two_files_say_is_asked_once(tmp_path, monkeypatch):
    """And again when one of the two is another."""
    monkeypatch.setattr(command, "ADAPTERS", tmp_path)
    monkeypatch.setattr(base, "load_base", lambda dtype: (tiny(), None))
    fresh = [Dialogue("planner", [], None, [], "a fresh task")]
    monkeypatch.setattr(command, "not_learnt", lambda world: iter(fresh))
    asked = []

    def judged(model, tokenizer, adapters, lessons, longest):
        assert [dialogue.source for _, dialogue in lessons] == ["a fresh task"]
        asked.append((*(file.name.split("_")[0] for file in adapters.values()), longest))
        assert list(adapters) == [beside.OWN, beside.JOINT]
        return pd.concat(said_by(20, True, name) for name in adapters)

    monkeypatch.setattr(beside, "judged", judged)
    with pytest.raises(MnemocraftError, match="cannot be read as an adapter"):
        command.beside(1)
    known = {"base_name": "tiny", "kept": EVERY}
    for number, world in enumerate((*command.LONGEST, command.EVERY)):
        file = tmp_path / f"{world}_gemma-3-270m.gguf"
        export_adapter(add_adapter(tiny(), RECIPE), file, provenance={"seed": 0, "step": number}, **known)
    command.beside(1)
    every = [(world, "all", longest) for world, longest in command.LONGEST.items()]
    assert asked == every
    command.beside(1)
    assert asked == every
    kitchen = tmp_path / "kitchen_gemma-3-270m.gguf"
    export_adapter(add_adapter(tiny(), RECIPE), kitchen, provenance={"seed": 0, "step": 9}, **known)
    command.beside(1)
    assert asked[4:] == [("kitchen", "all", command.LONGEST["kitchen"])]
    table = pd.read_csv(tmp_path / "all_gemma-3-270m_beside.csv")
    assert sorted(table["world"]) == sorted(command.LONGEST) and (table["no_worse"] == "yes").all()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("check --world plancraft", "plancraft is checked while it is trained"),
        ("beside --world kitchen", "beside takes --world all"),
        ("agree --world all", "agree takes --world plancraft or kitchen or minecraft or household"),
    ],
)
def test_a_command_says_for_which_worlds_it_is(arguments, sentence, capsys):
    with pytest.raises(SystemExit):
        command.main(arguments.split())
    assert sentence in capsys.readouterr().err


def test_a_task_has_all_of_its_dialogues():
    """Of How2 a task begins with the Actor's; in other worlds it is named."""
    how2 = [Dialogue(role, [], None, []) for role in ("actor", "ask", "parse", "actor", "actor", "ask")]
    assert [task for task, _ in beside.of_tasks(how2, 2)] == ["task 0"] * 3 + ["task 3"]
    named = [Dialogue("planner", [], None, [], name) for name in "aabbacc"]
    assert [task for task, _ in beside.of_tasks(named, 2)] == list("aabba")
