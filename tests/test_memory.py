from hypothesis import given
from hypothesis import strategies as st

from mnemocraft.memory import KeyedMemory

keys = st.text(max_size=3)


@given(st.lists(st.tuples(st.text(max_size=3), st.lists(keys, max_size=3)), max_size=20))
def test_reads_exactly_what_was_written_under_a_key_once_and_in_order(writes):
    memory = KeyedMemory()
    for entry, under in writes:
        memory.write(entry, under)
    for key in {key for _, under in writes for key in under}:
        expected = list(dict.fromkeys(entry for entry, under in writes if key in under))
        assert memory.read(key) == expected
    assert len(memory) == len({key for _, under in writes for key in under})


def test_look_up_is_by_exact_string_and_gives_a_copy():
    memory = KeyedMemory()
    memory.write("entry", ["Red_Dye"])
    assert memory.read("red_dye") == []
    memory.read("Red_Dye").append("intruder")
    assert memory.read("Red_Dye") == ["entry"]


def test_a_single_string_is_one_key_not_its_letters():
    memory = KeyedMemory()
    memory.write("entry", "oak")
    assert (len(memory), memory.read("oak")) == (1, ["entry"])
