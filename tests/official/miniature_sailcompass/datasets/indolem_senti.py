class IndolemDataset:
    pass
