# For the scripts of this folder: the program, th, and a folder of its own.
set -eu
program=$1 project=$2 th=$3
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

# The names, types and sizes of PyTorch's layers.
linear() {
  printf '%s\n' "$1.weight Float [$3 x $2]" "$1.bias Float [$3]"
}

norm() {
  printf '%s\n' "$1.weight Float [$2]" "$1.bias Float [$2]"
}

batch_norm() {
  norm "$1" "$2"
  printf '%s\n' "$1.running_mean Float [$2]" "$1.running_var Float [$2]" "$1.num_batches_tracked Long []"
}

# The file is loaded with all its elements, and has the tensors that the input lists.
saved() {
  sort >expected
  "$th" convert "$1" again.safetensors >/dev/null || wrong "$1 is not there, or does not load"
  "$th" info again.safetensors | sed '1d; s/^ *//' | tr -s ' ' | sort >found
  diff expected found >&2 || wrong "$1 has other tensors"
}
