"""Makes `version-N*.deciban`, model files of format N, and `version-N*.json`, what they answer.

Run when a format or a kind of model is new; what is there already stays as it is: the files show that what was saved
then is still read, and still answers the same.
"""

import json
from pathlib import Path

import deciban

SEEN = {"words": (1, 2), "edges": True, "chars_across": (3, 4), "accents": "fold", "hash_bits": 12}
SETTINGS = {
    "version-3": {"words": (1, 2), "chars": (3, 4), "alpha": 0.5, "prior_smoothing": 1.0},
    "version-3-hashed": {**SEEN, "alpha": 0.5},
    "version-3-frozen": {"words": (1, 2), "alpha": 0.5},
    "version-3-unlabelled": {
        "unlabelled": [
            "refund the tent, please",
            "my card and the refund",
            "parcel came late, rain",
            "app fails again",
        ],
        "unlabelled_weight": 0.5,
    },
    "version-3-deleted": {"words": (1, 2), "smoothing": "deleted"},
    "version-3-properties": {
        "model": "multinomial",
        "properties": {
            **{name: [] for name in ("capitalised", "caps", "headers", "length", "negation", "numbers", "repeats")},
            "misspelling": ["charged", "parcel", "refund", "tent"],
            "trigger:money": ["charged twice", "refund"],
        },
    },
    "version-3-pairs": {"model": "tan", "alpha": 0.5, "tree_terms": 40},
}
EXAMPLES = [
    ("I was charged twice for one tent", "billing"),
    ("Please refund the second charge", "billing"),
    ("The invoice shows the wrong amount", "billing"),
    ("Why was my card charged again?", "billing"),
    ("Refund still missing after three weeks", "billing"),
    ("Can I pay in two instalments?", "billing"),
    ("Ich möchte mein Geld zurück", "billing"),
    ("The parcel never came", "delivery"),
    ("Where is my parcel? It is late", "delivery"),
    ("The courier left the box in the rain", "delivery"),
    ("Delivery was promised for Monday", "delivery"),
    ("Tracking has not moved since Tuesday", "delivery"),
    ("The box arrived open and half empty", "delivery"),
    ("Η παραγγελία δεν ήρθε ποτέ", "delivery"),
    ("The app crashes when I open a map", "fault"),
    ("Login fails with error 500", "fault"),
    ("The zip of the tent broke on day one", "fault"),
    ("Map stays white after the update", "fault"),
    ("Battery is empty after an hour", "fault"),
    ("アプリが起動しません", "fault"),
    ("", "fault"),
]
TEXTS = [
    "charged twice, please refund",
    "where is the parcel",
    "the app shows an error",
    "Geld zurück!",
    "παραγγελία",
    "the tent arrived late and the zip broke",
    "wholly unknown vocabulary: xylophone",
    "",
]


def main():
    """Writes the files that are not there yet beside this one."""
    for name, settings in SETTINGS.items():
        path = Path(__file__).with_name(f"{name}.deciban")
        if not path.exists():
            write(path, settings)


def write(path, settings):
    """Writes a model, and what it answers."""
    model = deciban.train([text for text, _ in EXAMPLES], [label for _, label in EXAMPLES], **settings)
    model.save(path, frozen=path.stem.endswith("frozen"))
    answers = {
        "examples": EXAMPLES,
        "settings": settings,
        "labels": model.labels,
        "documents": model.counts.documents.tolist(),
        "terms": len(model.lexicon),
        "texts": TEXTS,
        "predictions": model.predict(TEXTS),
        "probabilities": model.predict_proba(TEXTS).tolist(),
    }
    path.with_suffix(".json").write_text(json.dumps(answers, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
