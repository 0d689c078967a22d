#!/bin/sh
# mistakes.sh PROGRAM: with TH_CACHE_BYTES=0 valgrind finds each mistake of the program, and else nothing.
command -v valgrind >/dev/null 2>&1 || { echo "skipped: there is no valgrind"; exit 77; }
status=0
for mistake in none tensor data element scope list; do
  TH_CACHE_BYTES=0 valgrind -q --error-exitcode=9 "$1" $mistake >mistakes.log 2>&1
  found=$?
  [ $mistake = none ] && expected=0 || expected=9
  if [ $found -ne $expected ] || { [ $found -eq 9 ] && ! grep -q "Invalid \(read\|write\)" mistakes.log; }; then
    echo "$mistake: valgrind ends with $found, not $expected"
    cat mistakes.log
    status=1
  fi
done
exit $status
