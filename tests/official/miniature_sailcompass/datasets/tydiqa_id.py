class TydiqaIdDataset:
    pass


class TydiqaIdEvaluator:
    pass
