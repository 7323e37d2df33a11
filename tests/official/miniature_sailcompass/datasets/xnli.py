class XnliDataset:
    pass
