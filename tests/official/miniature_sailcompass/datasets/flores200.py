class Flores200Dataset:
    pass
