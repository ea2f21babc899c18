# Every entry of the catalogue of what must not be proved has its test: each line
# of catalogue.txt names a text that a file of this folder holds, and no number is
# left out.
: "${srcdir:=.}"
. "$srcdir/tests/promises.sh"
list=$srcdir/tests/catalogue.txt

while read -r entry file text; do
	case $entry in '#'*) continue ;; esac
	grep -qF -- "$text" "$srcdir/tests/$file" || complain "tests/$file does not hold '$text'"
	promise "$entry: $text"
done < "$list"
for kind in X:58 T:48; do
	n=1
	while [ $n -le "${kind#*:}" ]; do
		grep -q "^${kind%:*}$n " "$list" || complain "${kind%:*}$n is not there"
		n=$((n + 1))
	done
	promise "all of ${kind%:*}1 to ${kind%:*}${kind#*:}"
done
promises_end
