class AnsEvaluator:
    pass


class TextGenEvaluator:
    pass
