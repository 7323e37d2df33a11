class IndosumDataset:
    pass
