# What the tests of the digits program share.  They get the program as their first argument and run
# in a folder of their own.
set -eu
digits=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

wrong() {
  echo "$*" >&2
  exit 1
}

# refuses TEXT ARGUMENT...: the program, so called, prints one line that contains TEXT to stderr, says
# nothing else, leaves no file, and exits with 2.
refuses() {
  text=$1
  shift
  status=0
  "$digits" "$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
  [ "$status" = 2 ] || wrong "digits $*: exit code $status instead of 2: $(cat "$folder/err")"
  [ "$(wc -l <"$folder/err")" = 1 ] || wrong "digits $*: not one line: $(cat "$folder/err")"
  grep -qF -- "$text" "$folder/err" || wrong "digits $*: no '$text' in: $(cat "$folder/err")"
  grep -q '^digits: ' "$folder/err" || wrong "digits $*: not 'digits: ...': $(cat "$folder/err")"
  [ ! -s "$folder/out" ] || wrong "digits $*: wrote to stdout: $(cat "$folder/out")"
  if [ -e digits.png ] || [ -e digits.safetensors ]; then
    wrong "digits $*: left a file"
  fi
}
