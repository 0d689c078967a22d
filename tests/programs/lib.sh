# What the tests of th share.  They get the program and the folder tests/golden, and run in a folder of
# their own.
set -eu
th=$1 golden=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/th-program.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

wrong() {
  echo "$*" >&2
  exit 1
}

# fails STATUS TEXT ARGUMENT...: the program, so called, exits with STATUS, says TEXT on the first line of
# stderr, which names the program, and prints nothing; a failure (1) is one line.
fails() {
  expected=$1 text=$2
  shift 2
  status=0
  "$th" "$@" >out 2>err </dev/null || status=$?
  [ "$status" = "$expected" ] || wrong "th $*: exit code $status instead of $expected: $(cat err)"
  head -1 err | grep -qF -- "$text" || wrong "th $*: no '$text' in: $(cat err)"
  head -1 err | grep -q '^th' || wrong "th $*: not 'th ...': $(cat err)"
  [ "$expected" != 1 ] || [ "$(wc -l <err)" = 1 ] || wrong "th $*: not one line: $(cat err)"
  [ ! -s out ] || wrong "th $*: wrote to stdout: $(cat out)"
}

# prints TEXT ARGUMENT...: the program succeeds, and TEXT is part of a line that it prints.
prints() {
  text=$1
  shift
  "$th" "$@" >out 2>err </dev/null || wrong "th $*: exit code $?: $(cat err)"
  grep -qF -- "$text" out || wrong "th $*: no '$text' in: $(cat out)"
  [ ! -s err ] || wrong "th $*: wrote to stderr: $(cat err)"
}

# near GOT WANTED NAME...: see npz.py.
near() {
  python3 -B "$here/npz.py" "$@" || wrong "$1 is not as $2"
}
