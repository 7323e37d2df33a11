"""Chat templates that switch thoughts on and off as those of known families of models do."""

TURNS = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"


def at_end(text=""):
    """The part of a template that begins the answer."""
    return f"{{% if add_generation_prompt %}}<assistant>\n{text}{{% endif %}}"


def where(condition, text, other=""):
    """A part of a template that depends on a condition."""
    return f"{{% if {condition} %}}{text}{{% else %}}{other}{{% endif %}}"


OPEN, EMPTY = "<think>\n", "<think>\n\n</think>\n\n"
OFF, NOT_ON = (f"enable_thinking is defined and {off}" for off in ("enable_thinking is false", "not enable_thinking"))
NO_BUDGET = "thinking_budget is defined and thinking_budget == 0"
OTHER_DEGREE = "reasoning_effort is not defined or reasoning_effort not in ['low', 'high']"

# The template opens the thought, unless told not to; Qwen 3.5.
OPENS = TURNS + at_end(where(OFF, EMPTY, OPEN))
# The model opens the thought; if it must not think, the template writes an empty one; Qwen 3.
EMPTY_PAIR = TURNS + at_end(where(OFF, EMPTY))
# The same; any false value switches it off; GLM 4.6.
FALSY = TURNS.replace("</", where(f"m.role == 'user' and {NOT_ON}", "/nothink") + "</") + at_end(where(NOT_ON, "<think></think>"))
# Another name of the switch, off by default; DeepSeek V3.1.
THINKING = TURNS + at_end(where("thinking is defined and thinking", "<think>", "</think>"))
# The switch has two words as values; Llama-SEA-LION v3.5 R.
MODE = TURNS + at_end(where("thinking_mode is defined and thinking_mode == 'off'", "<think></think>\n", "<think>\n"))
# The switch is a number of tokens; Seed-OSS.
BUDGET = where(NO_BUDGET, "<system>No thoughts.</system>") + TURNS + at_end(where(NO_BUDGET, "<seed:think></seed:think>"))
# The switch is a word in a message, which the template removes; Nemotron Nano v2.
WORD = (
    "{% set ns = namespace(off=false) %}"
    "{% for m in messages %}{% if '/no_think' in m.content %}{% set ns.off = true %}{% endif %}"
    "<{{ m.role }}>{{ m.content | replace('/no_think', '') }}</{{ m.role }}>{% endfor %}"
) + at_end(where("ns.off", "<think></think>", OPEN))
# A note in the system message asks for thoughts, which are off by default; Gemma 4.
NOTE = where("enable_thinking is defined and enable_thinking", "<system><|think|></system>") + TURNS + at_end()
# No switch; Qwen 3 Thinking 2507, QwQ, DeepSeek R1 Distill.
ALWAYS = TURNS + at_end(OPEN)
# The same, with the first words of the thought.
BEGUN = TURNS + at_end(f"{OPEN}Okay, ")
# Only degrees of effort; gpt-oss.
EFFORT = "<system>Reasoning: {{ reasoning_effort or 'medium' }}</system>" + TURNS + at_end()
# Degrees of effort, one of which means no thought; Hunyuan 3.
DEGREES = TURNS + at_end("<think>" + where(OTHER_DEGREE, "</think>"))
# Degrees of effort; the default is no thought.
NO_EFFORT = TURNS + at_end(
    "<think:opensource>" + where("reasoning_effort is not defined", "</think:opensource>", "{{ reasoning_effort }}")
)
# The default system message tells the model to think, and nothing switches it off; Ministral 3 Reasoning.
TOLD = "<system>First think: [THINK]your thoughts[/THINK]. Then answer.</system>" + TURNS + at_end()
# The model opens thoughts by itself, and the template drops earlier ones; Kimi K2 Thinking.
LEFT_OUT = TURNS.replace("{{ m.content }}", where("m.role == 'assistant'", "<think></think>") + "{{ m.content }}") + at_end()
# No thoughts at all.
PLAIN = TURNS + at_end()

# template → the settings that switch thoughts on and off
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
