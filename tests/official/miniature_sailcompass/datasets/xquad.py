class XQUADDataset:
    pass
