#!/bin/bash
# words.py finds a word that docs/GLOSSARY.md replaces, planted in a name, a comment, a document and a message, and
# leaves ordinary uses alone.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
mkdir -p "$dir/docs" "$dir/bridge/x" "$dir/tests/x" && cp docs/GLOSSARY.md "$dir/docs/"
check=$PWD/tests/lint/words.py

# plant EXPECTED FILE TEXT: words.py must find a word (1), or none (0), when FILE consists of TEXT.
plant() {
  printf '%s\n' "$3" >"$dir/$2"
  (cd "$dir" && "$check" "$2") >"$dir/out" 2>&1
  local status=$?
  rm "$dir/$2"
  if [[ $status != "$1" ]]; then
    echo "words_test: expected $1, got $status: $3"
    cat "$dir/out"
    bad=1
  fi
}

plant 1 bridge/x/a.c 'struct tb_strand;'
plant 1 bridge/x/a.c 'int put_away_chunks(void);'
plant 1 bridge/x/a.c '/* What is left on the strand. */'
plant 1 bridge/x/a.c '/* The chunks are put
 * away. */'
plant 1 bridge/x/a.c '// its home'
plant 1 bridge/x/a.c 'const char *m = "the record lies beside it";'
plant 1 bridge/x/strand.c 'int x;'
plant 1 docs/A.md 'Slices that come straight are written.'
# shellcheck disable=SC2016 # backticks of Markdown
plant 1 docs/A.md 'The function `tb_fxt_lie` counts it.'
plant 1 tests/x/a.c '/* What the sink was told. */'
plant 1 tests/x/a.sh '# the event in hand'

plant 0 bridge/x/a.c 'int stray_not_expected, lone_surrogates, too_early, handle, pool_add, restore;'
plant 0 bridge/x/a.c \
  '/* What the id stands for; the straight line; a number over 8; the lock is held; the rest of the bytes. */'
plant 0 bridge/x/a.c '/* The home directory; lone surrogates; room for a byte; the size is over the limit. */'
plant 0 bridge/x/a.c 'const char *m = "no end of the string, ends too early";'
plant 0 tests/x/a.c 'const char *data = "[straight] beside";'
plant 0 docs/A.md 'A run is spilled, and the sort queue replays it.'

# every word of the column is looked for
# shellcheck disable=SC2016
words=$(sed -n 's/^|[^|]*|[^|]*|\(.*\)|$/\1/p' docs/GLOSSARY.md | grep -o '`[^`]*`' | tr -d '`' | sort -u)
while read -r word; do
  case $word in
    'told flow' | 'held event' | 'moment' | 'stranger' | 'rest' | 'early' | 'over' | 'pool' | 'room' | \
      'ended' | 'tell' | 'guess') continue ;;
  esac
  plant 1 bridge/x/a.c "/* one $word here */"
done <<<"$words"
plant 1 bridge/x/a.c '/* what is told flows by; held events; a MOMENT; a stranger format */'
plant 1 bridge/x/a.c '/* a lane that rests */'
plant 1 bridge/x/a.c '/* early ends come first */'
plant 1 bridge/x/a.c '/* slices that are over */'
plant 1 bridge/x/a.c '/* a pool of lanes */'
plant 1 bridge/x/a.c 'uint64_t tb_scatter(uint64_t x);'
plant 1 bridge/x/a.c '/* what the rooms share */'
plant 1 bridge/x/a.c 'struct tb_ended e;'
plant 1 bridge/x/a.c '/* guesses the next key */'
plant 1 bridge/x/a.c 'void tell_flows(void);'
# a page with too many terms
for ((i = 0; i < 61; i++)); do echo "| term $i | a meaning | |"; done >>"$dir/docs/GLOSSARY.md"
plant 1 bridge/x/a.c 'int x;'
[[ $bad == 0 ]] && echo "words_test: ok"
exit "$bad"
