class M3EXAMTHDataset:
    pass


class M3EXAMVIDataset:
    pass


class M3EXAMJvDataset:
    pass


class M3examEmEvaluator:
    pass


class M3examThEvaluator:
    pass
