def first_option_parse(text, options):
    raise NotImplementedError
