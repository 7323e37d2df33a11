"""Chat templates that switch thoughts as those of known families of models do, and do nothing else of what those do."""

TURNS = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"


def at_end(text=""):
    """What a template writes where the answer begins."""
    return f"{{% if add_generation_prompt %}}<assistant>\n{text}{{% endif %}}"


def where(condition, text, other=""):
    """What a template writes on a condition, and otherwise."""
    return f"{{% if {condition} %}}{text}{{% else %}}{other}{{% endif %}}"


OPEN, EMPTY = "<think>\n", "<think>\n\n</think>\n\n"
OFF, NOT_ON = (f"enable_thinking is defined and {off}" for off in ("enable_thinking is false", "not enable_thinking"))
NO_BUDGET = "thinking_budget is defined and thinking_budget == 0"
OTHER_DEGREE = "reasoning_effort is not defined or reasoning_effort not in ['low', 'high']"

# The template opens the thought, unless told not to; Qwen 3.5.
OPENS = TURNS + at_end(where(OFF, EMPTY, OPEN))
# The model opens it, and an empty one is written where it is not to; Qwen 3.
EMPTY_PAIR = TURNS + at_end(where(OFF, EMPTY))
# The same, where a value that is none counts as no; GLM 4.6.
FALSY = TURNS.replace("</", where(f"m.role == 'user' and {NOT_ON}", "/nothink") + "</") + at_end(where(NOT_ON, "<think></think>"))
# Another name, off by itself; DeepSeek V3.1.
THINKING = TURNS + at_end(where("thinking is defined and thinking", "<think>", "</think>"))
# Two words; Llama-SEA-LION v3.5 R.
MODE = TURNS + at_end(where("thinking_mode is defined and thinking_mode == 'off'", "<think></think>\n", "<think>\n"))
# A number of tokens; Seed-OSS.
BUDGET = where(NO_BUDGET, "<system>No thoughts.</system>") + TURNS + at_end(where(NO_BUDGET, "<seed:think></seed:think>"))
# A word in a message, which is not shown; Nemotron Nano v2.
WORD = (
    "{% set ns = namespace(off=false) %}"
    "{% for m in messages %}{% if '/no_think' in m.content %}{% set ns.off = true %}{% endif %}"
    "<{{ m.role }}>{{ m.content | replace('/no_think', '') }}</{{ m.role }}>{% endfor %}"
) + at_end(where("ns.off", "<think></think>", OPEN))
# A note in the system message asks for thoughts, which are off by themselves; Gemma 4.
NOTE = where("enable_thinking is defined and enable_thinking", "<system><|think|></system>") + TURNS + at_end()
# No switch; Qwen 3 Thinking 2507, QwQ, DeepSeek R1 Distill.
ALWAYS = TURNS + at_end(OPEN)
# The same, with the first words of the thought.
BEGUN = TURNS + at_end(f"{OPEN}Okay, ")
# Degrees alone; gpt-oss.
EFFORT = "<system>Reasoning: {{ reasoning_effort or 'medium' }}</system>" + TURNS + at_end()
# Degrees, of which one is no thought; Hunyuan 3.
DEGREES = TURNS + at_end("<think>" + where(OTHER_DEGREE, "</think>"))
# Degrees, of which the one without thoughts is the template's.
NO_EFFORT = TURNS + at_end(
    "<think:opensource>" + where("reasoning_effort is not defined", "</think:opensource>", "{{ reasoning_effort }}")
)
# The default system message tells the model to think, and nothing switches it off; Ministral 3 Reasoning.
TOLD = "<system>First think: [THINK]your thoughts[/THINK]. Then answer.</system>" + TURNS + at_end()
# The model begins a thought by itself, and those that it had are left out; Kimi K2 Thinking.
LEFT_OUT = TURNS.replace("{{ m.content }}", where("m.role == 'assistant'", "<think></think>") + "{{ m.content }}") + at_end()
# No thoughts at all.
PLAIN = TURNS + at_end()

# template → what switches it on and off
SWITCHES = {
    **dict.fromkeys([OPENS, EMPTY_PAIR, FALSY, NOTE], ({"enable_thinking": True}, {"enable_thinking": False})),
    THINKING: ({"thinking": True}, {"thinking": False}),
    MODE: ({"thinking_mode": "on"}, {"thinking_mode": "off"}),
    DEGREES: ({"reasoning_effort": "high"}, {"reasoning_effort": "no_think"}),
    BUDGET: ({"thinking_budget": -1}, {"thinking_budget": 0}),
}
UNLESS_TOLD = [OPENS, EMPTY_PAIR, FALSY, MODE, BUDGET, WORD, ALWAYS, BEGUN, EFFORT, TOLD, LEFT_OUT]  # the model thinks by itself
IF_TOLD = [NOTE, THINKING, DEGREES, NO_EFFORT, PLAIN]
NO_SWITCH = [ALWAYS, BEGUN, EFFORT, TOLD, LEFT_OUT, PLAIN]
