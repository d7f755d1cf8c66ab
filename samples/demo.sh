#!/usr/bin/env bash
# The main job on the sample: train, judge, classify, explain, report.
set -euo pipefail
cd "$(dirname "$0")/.."
deciban="${BIN:-.venv/bin}/deciban"
say() { printf '\n\033[1m$ deciban %s\033[0m\n' "$*"; "$deciban" "$@"; }
mkdir -p out

say train samples/tickets.csv --words 1-2 --alpha 0.3 -o out/tickets.deciban
say evaluate out/tickets.deciban samples/tickets.csv --loo --report out/report.html

printf '\n\033[1m$ deciban predict out/tickets.deciban -\033[0m\n'
"$deciban" predict out/tickets.deciban - --format txt <<'TEXTS'
charged twice for the same tent, please give me my money back
the app closes by itself as soon as I open a map
where is my parcel? it should have come on monday
you lot are wonderful, thank you
TEXTS

say explain out/tickets.deciban "I was charged twice, and the parcel still has not come"
printf '\nOpen out/report.html to see what the model gets wrong, and why.\n'
