"""Reading an answer from what a model wrote. Pure functions and tables of words.

Tasks that are no chat tasks are read strictly: `letter_answer`, `number_answer`, `answer_text`, and SEA-HELM's `sea_helm_answer`.

What a chat model wrote goes this way, each step a module; `chat/scores.py` asks them. The first that finds something counts.

- Every kind: `thought` cuts the thought off, `frames.first_turn` made-up turns, `surroundings` fences, greetings and farewells.
- letter and label, `chosen_option.read_choice`:
  1. a frame, such as JSON or a box (`frames.last_frame`), then what stands behind the last tag of the prompt (`answer_tags`),
     unless it is taken back; `other_questions` cuts off a question that the model made up, `counted_options` makes letters of
     "option two";
  2. what each line says of each option (`option_evidence`): it is stated, judged right or wrong, or named alone;
  3. without letters: a number, date or formula (`option_values`), or the text of an option (`option_texts`).
- number, `final_number.read_final_number`: a frame; behind the tag; behind the last statement (`statements`); in bold type;
  behind the last "so"; on the last lines. `worked_solution` says which part counts and whether it breaks off before its result,
  `written_numbers` and `number_words` what a number is and how a language writes it.
- span, `final_span.read_span`: a frame; the line that answers in the text that `final_text` reads; of this line, behind a tag,
  the first sentence; without one, the phrase in bold type or quotation marks, what is stated, what the sentence names, or all of
  it. Last, remarks, particles and stops are cut off. Empty where the passage is said to have no answer.
- translation and summary, `final_text.read_final_text`: a frame; of several languages the target's, of several versions the one
  that counts (`several_texts`); what stands behind the tag; of this the text alone (`prefaces_and_notes`). `read_summary` cuts a
  title off before.
- `refusal` is asked where nothing was found, and before a text is read.

Where a rule goes: a phrase of a language into `words/<language>.yml`, whose places `answer_phrases.Phrases` explains; a mark that
a model puts around all answers into `frames` or `surroundings`; anything else into the module whose step would take the answer
wrongly. `tests/tasks/labelled_answers.jsonl` has the answers that every rule is measured by; a rule without which all are read
the same is not needed.
"""
