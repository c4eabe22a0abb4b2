"""The study of ALFWorld: ``load`` says what is played, ``sweep`` how, ``tables`` what is measured."""
