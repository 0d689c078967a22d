# For the scripts of this folder: the program, and a folder of its own.
set -eu
program=$1 project=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

wrong() {
  echo "$*" >&2
  exit 1
}

# The last number behind the word, in what the program wrote.
last() {
  sed -n "s/.*$1  *\([0-9.]*\).*/\1/p" out | tail -1
}

# At most, at least: compares numbers with points.
less() {
  [ "$(printf '%s\n%s\n' "$1" "$2" | sort -g | head -1)" = "$1" ] || wrong "$1 is not below $2: $(cat out)"
}

# An archive, as PyTorch's files are.
saved() {
  [ "$(head -c 2 "$1")" = PK ] || wrong "$1 is not there, or no archive"
}
