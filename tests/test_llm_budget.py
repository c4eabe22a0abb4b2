"""Budgets stop before the next request; the price table is what costs are computed from."""

import asyncio

import pytest

from fake_server import FakeServer
from mnemocraft.errors import BudgetExceeded, MnemocraftError, ModelUnavailable
from mnemocraft.llm import Budget, Usage, budget, get_model
from mnemocraft.llm.budget import prices

PRICED = "gpt-4o"


def ask(server, number, limit, **settings):
    """Up to ``number`` different calls; how many were answered, and the error that ended them."""

    async def run():
        model = get_model(settings.pop("name", PRICED), base_url=server.url, budget=limit, **settings)
        answered, error = 0, None
        for i in range(number):
            try:
                await model.complete([{"role": "user", "content": f"question {i % 3}"}])
                answered += 1
            except BudgetExceeded as stop:
                error = stop
        await model.aclose()
        return answered, error, model

    return asyncio.run(run())


@pytest.mark.parametrize("limit", [Budget(tokens=45), Budget(dollars=45 * 5e-6)])
def test_a_budget_stops_before_the_next_request_and_says_what_was_used(limit):
    with FakeServer() as server:
        answered, error, model = ask(server, 8, limit)
        assert 0 < answered < 8 and len(server.requests) == answered
    assert "budget is used up" in str(error) and "kept" in str(error)
    assert limit.used_tokens == model.usage.prompt_tokens + model.usage.completion_tokens
    assert model.usage.paid_dollars == pytest.approx(limit.used_dollars)


def test_cached_answers_cost_nothing_but_have_a_list_price(tmp_path):
    with FakeServer() as server:
        limit = Budget(tokens=1000, dollars=1.0)
        answered, error, model = ask(server, 9, limit, cache=tmp_path / "c.sqlite")
    assert (answered, error, model.usage.calls, model.usage.cached) == (9, None, 9, 6)
    assert model.usage.list_dollars == pytest.approx(3 * model.usage.paid_dollars)
    assert limit.used_dollars == pytest.approx(model.usage.paid_dollars)


def test_two_models_may_share_a_budget():
    shared = Budget(tokens=60)
    with FakeServer() as server:
        ask(server, 2, shared, name="one")
        answered, error, _ = ask(server, 9, shared, name="two")
    assert answered < 9 and error is not None


def test_dollars_without_a_price_are_refused_at_once():
    with pytest.raises(MnemocraftError, match=r"needs a price for model 'nobody'.*prices\.csv"):
        get_model("nobody", base_url="http://127.0.0.1:9/v1", budget=Budget(dollars=1))


def test_a_model_without_a_price_has_no_dollars():
    with FakeServer() as server:
        _, _, model = ask(server, 1, None, name="nobody")
    assert model.usage.list_dollars is None and model.usage.paid_dollars is None


@pytest.mark.parametrize("limits", [{"tokens": 0}, {"dollars": -1}, {"dollars": "5"}, {"tokens": [1]}])
def test_a_budget_must_be_positive(limits):
    with pytest.raises(MnemocraftError, match="must be a positive number of"):
        Budget(**limits)


def test_the_table_is_dollars_per_million():
    price = prices()[PRICED]
    assert price.of(Usage(2_000_000, 1_000_000)) == 2 * price.prompt + price.completion


def test_a_bad_row_is_named(tmp_path, monkeypatch):
    table = tmp_path / "prices.csv"
    table.write_text("# note\nmodel,usd_per_million_prompt,usd_per_million_completion\nm,cheap,1\n")
    monkeypatch.setattr(budget, "PRICES", table)
    with pytest.raises(MnemocraftError, match="'cheap'"):
        prices.__wrapped__()


def test_a_model_with_a_price_stops_at_ten_dollars_if_nobody_sets_a_limit(monkeypatch):
    assert budget.DEFAULT_DOLLARS == 10
    monkeypatch.setattr("mnemocraft.llm.budget.DEFAULT_DOLLARS", 45 * 5e-6)
    with FakeServer() as server:
        answered, error, _ = ask(server, 8, None)
        assert 0 < answered < 8 and "max_dollars sets another" in str(error)
        assert ask(server, 8, Budget(dollars=5))[1] is None
        assert ask(server, 8, None, name="nobody")[1] is None


def test_a_model_that_mostly_answers_nothing_stops_the_run():
    async def run(server):
        model = get_model("m", base_url=server.url)
        for number in range(100):
            await model.complete([{"role": "user", "content": str(number)}])

    with FakeServer(
        lambda body: {"content": "" if int(body["messages"][-1]["content"]) > 9 else "yes"}
    ) as server:
        with pytest.raises(ModelUnavailable, match=r"30 of the last 40 answers of model 'm' were empty"):
            asyncio.run(run(server))
        assert len(server.requests) == 40
