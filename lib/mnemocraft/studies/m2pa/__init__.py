"""The study of M2PA: ``load`` says what is played, ``sweep`` how, ``tables`` what is measured."""
