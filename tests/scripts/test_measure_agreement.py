"""The table of families: a line each, with what `HEADER` names."""

import sys

import measure_agreement


def test_lines(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["measure_agreement.py", "--rows", "3", "Llama", "GPT-Neo"])
    measure_agreement.main()
    header, rule, llama, neo = ([cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines())
    assert len(header) == len(rule) == len(llama) == len(neo)
    assert (llama[0], llama[1]) == ("Llama", "rows that branch") and (neo[0], neo[1]) == ("GPT-Neo", "as `hf`")
    assert 0 < float(llama[2]) < 1e-4 and 0 < float(llama[5]) < 1.5 and float(neo[2]) < 1e-4
