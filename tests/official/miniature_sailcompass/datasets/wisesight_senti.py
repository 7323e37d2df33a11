class WiseSentiDataset:
    pass
