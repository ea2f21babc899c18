# The tree keeps its promises: every file is in Makefile.am, dependencies run
# one way (ui -> src -> engine, and between the folders of the engine), curses
# and readline stay in their one file, and the engine neither prints nor opens
# files.
. "${srcdir:=.}/tests/promises.sh"
builddir=$(cd "${builddir:-.}" && pwd)
cd "$srcdir" || exit 1

# C source without comments and strings
code()
{
	sed -e 's/"\([^"\\]\|\\.\)*"/""/g' "$1" |
	awk '{
		line = $0; out = ""
		while (line != "") {
			if (inside) {
				i = index(line, "*/")
				if (!i) break
				line = substr(line, i + 2); inside = 0
			} else {
				i = index(line, "/*")
				if (!i) { out = out line; break }
				out = out substr(line, 1, i - 1)
				line = substr(line, i + 2); inside = 1
			}
		}
		print out
	}'
}

for f in engine/*/* src/*.[ch] src/*/*.[ch] src/*/*.proto ui/*.[ch] rules/* samples/* man/* tests/*; do
	[ -f "$f" ] || continue
	case $f in *~|*.o|*.pb-c.[ch]) continue ;; esac
	stem=${f%.c}
	grep -Eq "(^|[[:space:]])($f|$stem)([[:space:]]|$)" Makefile.am || complain "$f: not in Makefile.am"
done
promise 'every file is in Makefile.am'

# Neither builds anything.
sh ./bootstrap --help | grep -q '^usage: ' || complain '--help'
sh ./bootstrap chek >/dev/null 2>&1 && complain 'a word that is not known'
sh ./bootstrap --prefix=/x check >/dev/null 2>&1 && complain 'check behind options'
promise 'bootstrap says its usage'

includes()
{
	sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]\([^>"]*\)[>"].*/\1/p' "$1"
}

for f in engine/*/*.[ch]; do
	for h in $(includes "$f"); do
		if [ ! -f "engine/$h" ] && { [ -f "src/$h" ] || [ -f "ui/$h" ]; }; then
			complain "$f: the engine includes $h"
		fi
	done
	bad=$(code "$f" | grep -v 'format(printf' |
		grep -nEw 'printf|vprintf|dprintf|puts|putchar|fopen|fdopen|freopen|popen|perror|stdin|stdout|stderr')
	[ -z "$bad" ] || complain "$f: the engine prints or opens a file: $bad"
done
promise 'the engine includes nothing of src and ui, prints nothing, opens no file'

# README.md lists the folders of engine/ and of src/ from the ground up
ground_up()
{
	below=
	folders=$(sed -n "s/^| \`$1\/\([a-z]*\)\/\` .*/\1/p" README.md)
	[ "$(echo "$folders" | sort)" = "$(ls -d "$1"/*/ | sed "s,$1/\(.*\)/,\1," | sort)" ] || complain "README.md does not list the folders of $1/"
	for f in "$1"/*.[ch]; do
		[ ! -f "$f" ] || [ "$f" = src/main.c ] || complain "$f: not in a folder of $1"
	done
	for d in $folders; do
		below="$below $d"
		for f in "$1/$d"/*.[ch]; do
			for h in $(includes "$f"); do
				case " $below " in
				*" ${h%%/*} "*) ;;
				*) [ ! -f "$1/$h" ] || complain "$f: includes $h, which is built on it" ;;
				esac
			done
		done
	done
	promise "a folder of $1 includes only itself and those before it"
}
ground_up engine
ground_up src

# a header's name says which folder it is in
for h in engine/*/*.h src/*/*.h ui/*.h; do
	n=$(ls engine/*/${h##*/} src/*/${h##*/} ui/${h##*/} 2>/dev/null | wc -l)
	[ "$n" -le 1 ] || complain "$h: another folder has a header of this name"
done
promise 'the name of a header says where it is'

for f in src/*/*.[ch]; do
	for h in $(includes "$f"); do
		[ -f "src/$h" ] || [ -f "engine/$h" ] || [ ! -f "ui/$h" ] || complain "$f: src includes $h"
	done
done
promise 'src includes nothing of ui'

for f in engine/*/*.[ch] src/*.[ch] src/*/*.[ch] ui/*.[ch]; do
	[ -f "$f" ] || continue
	for h in $(includes "$f"); do
		case $h in
		*curses.h|term.h|*/term.h)
			[ "$f" = ui/term.c ] || [ -f "ui/$h" ] || complain "$f: includes $h; curses belongs to ui/term.c" ;;
		readline/*|*/readline.h)
			[ "$f" = ui/prompt.c ] || complain "$f: includes $h; readline belongs to ui/prompt.c" ;;
		esac
	done
done
promise 'curses and readline stay in their one file'

for f in engine/*/*.h src/*/*.h ui/*.h; do
	head -n 1 "$f" | grep -q '^/\* ' || complain "$f: no comment at the top"
done
promise 'a header opens with what it promises'

words=$(mktemp)
for f in engine/*/*.[ch] src/*.[ch] src/*/*.[ch] ui/*.[ch]; do
	code "$f"
done | grep -oE '[A-Za-z_][A-Za-z_0-9]*' | sort -u >"$words"
for name in $(grep -hoE '`[a-z0-9]+(_[a-z0-9]+)+`' engine/*/*.h src/*/*.h ui/*.h | tr -d '`' | sort -u); do
	grep -qx "$name" "$words" || complain "\`$name\` is named in $(grep -lF "\`$name\`" engine/*/*.h src/*/*.h ui/*.h | tr '\n' ' ')and is nowhere"
done
rm -f "$words"
for name in $(grep -hoE '\b(engine|src|ui)/[a-z_]+(/[a-z_]+)*\.[ch]\b' engine/*/*.[ch] src/*.[ch] src/*/*.[ch] ui/*.[ch] README.md | sort -u); do
	[ -f "$name" ] || case $name in */hlo.pb-c.[ch]) ;; *) complain "$name is named in $(grep -lF "$name" engine/*/*.[ch] src/*.[ch] src/*/*.[ch] ui/*.[ch] README.md | tr '\n' ' ')and is nowhere" ;; esac
done
promise 'what a header names in its comments is there'

# A function of ours with the name of a library's is called in its place.
defined()
{
	nm "$@" 2>/dev/null | awk 'NF == 3 && $2 ~ /[TBDRW]/ { sub(/@.*/, "", $3); print $3 }' | sort -u
}

program=${DIVERGE:-$builddir/diverge}
[ -x "$program" ] || program=$builddir/tests/ui_demo	# linked with the same libraries
if [ -x "$program" ] && nm --version >/dev/null 2>&1; then
	ours=$(mktemp) && defined -g --defined-only "$builddir"/lib*.a >"$ours"
	for lib in $(ldd "$program" | awk '$3 ~ /readline|curses|tinfo|protobuf|libz/ { print $3 }'); do
		twice=$(defined -D --defined-only "$lib" | comm -12 - "$ours" | tr '\n' ' ')
		[ -z "$twice" ] || complain "${lib##*/} has functions of the same name: $twice"
	done
	rm -f "$ours"
	promise 'no function has the name of one in a library'
fi

if git rev-parse --git-dir >/dev/null 2>&1; then
	for f in $(git ls-files | cut -d/ -f1 | sort -u); do
		case $f in
		.ci|.gitignore|COPYING|Makefile.am|README.md|bootstrap|configure.ac) ;;
		engine|man|rules|samples|src|tests|ui) ;;
		*) complain "$f: not a place of this tree" ;;
		esac
	done
	promise 'the top folder holds what it should'
fi
promises_end
