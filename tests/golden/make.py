"""Makes `version-N.deciban`, a model file of format N, and `version-N.json`, what it answers.

Run once when a format is new, and never again for an existing version: the files show that what was saved then is still
read, and still answers the same.
"""

import json
from pathlib import Path

import deciban

VERSION = 2
SETTINGS = {"words": (1, 2), "chars": (3, 4), "alpha": 0.5, "prior_smoothing": 1.0}
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
    """Writes both files beside this one, and refuses to write over those that are there."""
    path = Path(__file__).with_name(f"version-{VERSION}.deciban")
    if path.exists():
        raise SystemExit(f"{path} is there already, and must stay as it is")
    model = deciban.train([text for text, _ in EXAMPLES], [label for _, label in EXAMPLES], **SETTINGS)
    model.save(path)
    answers = {
        "examples": EXAMPLES,
        "settings": SETTINGS,
        "labels": model.labels,
        "documents": model.counts.documents.tolist(),
        "terms": len(model.counts.lexicon),
        "texts": TEXTS,
        "predictions": model.predict(TEXTS),
        "probabilities": model.predict_proba(TEXTS).tolist(),
    }
    path.with_suffix(".json").write_text(json.dumps(answers, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
