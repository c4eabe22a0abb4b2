"""What the surrogate assumes, by name: notebook 00 lists it, and a claim that follows from it names it.

A number of the surrogate is never evidence for a claim about language models. Where a claim follows from
one of these assumptions its verdict reads ``consequence of: <name>`` (or ``no effect seen``, where by the
corrected p there may be none), else ``not built in``.
"""

ASSUMPTIONS = {
    "plans perfectly": (
        "Given what it believes, it plans without a mistake and never overlooks that a task is impossible; "
        "nearly all its failures are wrong beliefs."
    ),
    "takes up what it is told": (
        "Steps or a recipe in its context are taken up with probability `attention`, and then override a "
        "belief; executable steps are copied as long as their slots hold something."
    ),
    "reads alike what names items": "Steps that name items are read as the recipes behind them, with or "
    "without sub-goals, so that it tells How2's two partially executable teachers apart by chance only.",
    "stale steps mislead": (
        "Steps stored for another table are copied like fresh ones; a recipe or a sub-goal from memory is "
        "planned with on the present table."
    ),
    "rewrites steps as recipes": "What it stores of executable steps are the recipes behind them, which "
    "mislead less at another table and can no longer be copied at this one, also when the answer is fresh.",
    "refuses what it cannot use": (
        "The relevance check is a plan made with the memory and its own beliefs; where that fails it says "
        "no, and the teacher is asked again."
    ),
    "an explanation mends a belief": (
        "An explained failure corrects the belief that caused it with probability `attention`; a bare "
        "failure is thought over only where the method asks step by step."
    ),
    "one move list": (
        "Zero-shot planner, ProgPrompt, CoT, Code as Policies and DEPS before its first round write the "
        "same plan in different forms."
    ),
    "sees what it did": (
        "A method that shows the outcome of its last action lets the surrogate correct itself; one that "
        "asks for the whole plan at once does not."
    ),
    "looks ahead without error": (
        "Where a method lists the next states, the surrogate recognises the one that its plan leads to."
    ),
    "follows experience": (
        "An action retrieved from a similar state is followed with probability `attention` where its own "
        "knowledge has a gap."
    ),
    "remembered outcomes mend beliefs": (
        "A remembered failure, in words of memory or as an insight, corrects the belief about its item with "
        "probability `attention`; a plan or a skill that worked shows how each of its items was had. It "
        "never asks whether a memory is about its own task."
    ),
    "foresees what is remembered": (
        "It predicts failure where a plan repeats a step whose lack is remembered, and else success; its own "
        "beliefs, with which the plan was made, object to nothing."
    ),
    "one way out of a loop is enough": (
        "A list of next states and a warning each bring it out of a loop, so that having both adds nothing."
    ),
    "a loop warning makes it think again": (
        "A warning that it has been here before makes it think again about what the task needs; a history "
        "that shows the same does not."
    ),
    "answers have a fixed length": (
        "Its answers are as long as the format asks and hold no thoughts, so that token counts say how long "
        "prompts are, not how a model deliberates."
    ),
    "the failing controller's rates": (
        "The table top's failing controller fails as often as this project lets it; with a perfect one "
        "nothing but the plan can be wrong."
    ),
    "the script sees everything": (
        "A scripted controller reads the simulator's state, so that a goal whose preconditions hold is "
        "nearly always reached."
    ),
}
