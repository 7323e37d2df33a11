class VsmecDataset:
    pass
