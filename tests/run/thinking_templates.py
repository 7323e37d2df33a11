"""Chat templates that switch thoughts as those of known families of models do, and do nothing else of what those do."""

TURNS = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"
END = "{% if add_generation_prompt %}<assistant>\n{% endif %}"


def at_end(text):
    """What a template writes where the answer begins."""
    return END.replace("{% endif %}", f"{text}{{% endif %}}")


OPEN, EMPTY = "<think>\n", "<think>\n\n</think>\n\n"

# The template opens the thought, unless told not to; Qwen 3.5.
OPENS = TURNS + at_end(
    f"{{% if enable_thinking is defined and enable_thinking is false %}}{EMPTY}{{% else %}}{OPEN}{{% endif %}}"
)
# The model opens it, and an empty one is written where it is not to; Qwen 3.
EMPTY_PAIR = TURNS + at_end(f"{{% if enable_thinking is defined and enable_thinking is false %}}{EMPTY}{{% endif %}}")
# The same, where a value that is none counts as no; GLM 4.6.
FALSY = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}"
    "{% if m.role == 'user' and enable_thinking is defined and not enable_thinking %}/nothink{% endif %}"
    "</{{ m.role }}>{% endfor %}"
) + at_end("{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}")
# Another name, off by itself; DeepSeek V3.1.
THINKING = TURNS + at_end("{% if thinking is defined and thinking %}<think>{% else %}</think>{% endif %}")
# Two words; Llama-SEA-LION v3.5 R.
MODE = TURNS + at_end(
    "{% if thinking_mode is defined and thinking_mode == 'off' %}<think></think>\n{% else %}<think>\n{% endif %}"
)
# A number of tokens; Seed-OSS.
BUDGET = (
    "{% if thinking_budget is defined and thinking_budget == 0 %}<system>No thoughts.</system>{% endif %}"
    + TURNS
    + at_end(
        "{% if thinking_budget is defined and thinking_budget == 0 %}<seed:think></seed:think>{% endif %}"
    )
)  # fmt: skip
# A word in a message, which is not shown; Nemotron Nano v2.
WORD = (
    "{% set ns = namespace(off=false) %}"
    "{% for m in messages %}{% if '/no_think' in m.content %}{% set ns.off = true %}{% endif %}"
    "<{{ m.role }}>{{ m.content | replace('/no_think', '') }}</{{ m.role }}>{% endfor %}"
) + at_end(f"{{% if ns.off %}}<think></think>{{% else %}}{OPEN}{{% endif %}}")
# A note in the system message asks for thoughts, which are off by themselves; Gemma 4.
NOTE = "{% if enable_thinking is defined and enable_thinking %}<system><|think|></system>{% endif %}" + TURNS + END
# No switch; Qwen 3 Thinking 2507, QwQ, DeepSeek R1 Distill.
ALWAYS = TURNS + at_end(OPEN)
# The same, with the first words of the thought.
BEGUN = TURNS + at_end(f"{OPEN}Okay, ")
# Degrees alone; gpt-oss.
EFFORT = "<system>Reasoning: {{ reasoning_effort or 'medium' }}</system>" + TURNS + END
# Degrees, of which one is no thought; Hunyuan 3.
DEGREES = TURNS + at_end(
    "<think>{% if reasoning_effort is not defined or reasoning_effort not in ['low', 'high'] %}</think>{% endif %}"
)
# Degrees, of which the one without thoughts is the template's.
NO_EFFORT = TURNS + at_end(
    "<think:opensource>{% if reasoning_effort is not defined %}</think:opensource>{% else %}{{ reasoning_effort }}{% endif %}"
)
# The default system message tells the model to think, and nothing switches it off; Ministral 3 Reasoning.
TOLD = "<system>First think: [THINK]your thoughts[/THINK]. Then answer.</system>" + TURNS + END
# The model begins a thought by itself, and those that it had are left out; Kimi K2 Thinking.
LEFT_OUT = (
    "{% for m in messages %}<{{ m.role }}>{% if m.role == 'assistant' %}<think></think>{% endif %}{{ m.content }}</{{ m.role }}>"
    "{% endfor %}"
) + END
# No thoughts at all.
PLAIN = TURNS + END
