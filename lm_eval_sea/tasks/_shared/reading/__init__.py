"""Reading an answer from what a model wrote. Pure functions and tables of words.

Tasks other than chat tasks are read strictly: `letter_answer`, `number_answer`, `answer_text`, and SEA-HELM's `sea_helm_answer`.

What a chat model wrote is read in the steps below. Each step is a module, `chat/scores.py` calls them, and the first that finds
something counts.

- Every kind: `thought` cuts off the thought, `frames.first_turn` cuts off turns that the model made up, and `surroundings` cuts
  off fences, greetings and farewells.
- letter and label, `chosen_option.read_choice`:
  1. a frame, such as JSON or a box (`frames.last_frame`), then what follows the last tag of the prompt (`answer_tags`),
     unless it is taken back; `other_questions` cuts off a question that the model made up, `counted_options` turns "option two"
     into a letter;
  2. what each line says about each option (`option_evidence`): it is stated, judged right or wrong, or named alone;
  3. without letters: a number, date or formula (`option_values`), or the text of an option (`option_texts`).
- number, `final_number.read_final_number`: a frame; after the tag; after the last statement (`statements`); in bold type;
  after the last "so"; on the last lines. `worked_solution` says which part counts and whether it breaks off before its result,
  `written_numbers` and `number_words` what a number is and how a language writes it.
- span, `final_span.read_span`: a frame; else the line that answers in the text that `final_text` reads. With a tag, the first
  sentence of this line counts; without one, the phrase in bold type or quotation marks, what is stated, what the sentence names,
  or the whole line. Last, remarks, particles and stops are cut off. Empty if the answer says that the passage has none. If a
  sentence repeats the question, `answering_sentence.phrase_of_passage` keeps only the phrase that answers it:
  `parsed_sentence` compares its words with the question's (`question_words`), `added_clauses` cuts off the other clauses, and
  `copied_phrase` finds what is copied from the passage.
- translation and summary, `final_text.read_final_text`: a frame; among several languages the target, among several versions the
  one that counts (`several_texts`); what follows the tag, without introductions and notes (`prefaces_and_notes`).
  `read_summary` first cuts off a title.
- `refusal` is called if nothing was found, and before a text is read.

Where a new rule goes: a phrase of a language into `words/<language>.yml`, whose fields `answer_phrases.Phrases` explains; a mark
that a model puts around all answers into `frames` or `surroundings`; anything else into the module that reads the answer wrongly.
`tests/tasks/labelled_answers.jsonl` has the answers that measure every rule. If all of them are read the same without a rule, it
is not needed.
"""
