class XCOPASDataset:
    @staticmethod
    def load(path):
        lang = path.split("/")[-1].split("_")[0]

        def preprocess(example):
            trans = {"cause": {"id": "sebab"}, "effect": {"id": "akibat"}}
            example["trans_question"] = trans[example["question"]][lang]

            trans = {"cause": {"id": "Mengapa begitu?", "vi": "Vì sao?"}, "effect": {"id": "Lalu bagaimana?", "vi": "Rồi sao?"}}
            example["full_question"] = trans[example["question"]][lang]
            return example
