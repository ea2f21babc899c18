# Golden screens of the whole program, drawn without a terminal: what a user sees
# on the way from opening a pair to its fault and past it.  Figures that say how
# much work was done are written as N, so that only what is shown counts.
# UPDATE_GOLDEN=1 in the environment writes the golden files instead.
: "${builddir:=.}" "${srcdir:=.}"
. "$srcdir/tests/promises.sh"
program=${DIVERGE:-$builddir/diverge}
case $program in /*) ;; *) program=$PWD/$program ;; esac
if [ ! -x "$program" ]; then
	echo '1..0 # SKIP diverge is not built'
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
golden=$(cd "$srcdir" && pwd)/tests/golden
cd "$srcdir/samples" || exit 1

figures()
{
	sed -E -e 's/step [0-9]+( of [0-9]+)?/step N/g' -e 's/(classes|nodes|queue) [0-9]+/\1 N/g' -e 's#[^ ]*/rules/#rules/#' \
		-e 's/^([> ]) {4,}[0-9]+ /\1   N /' -e '/^\[[=o-]*A*[=o-]*\]$/s/.*/[timeline]/' -e 's#(rules  rule .* 1/)[0-9]+$#\1N#' -e 's/ *$//' \
		-e 's/(│ {12})[0-9]+$/\1N/'
}

# screen NAME PAIR SIZE COMMAND..: what the screen shows after these commands
screen()
{
	name=session-$1
	base=$2.base.hlo
	dist=$2.${3%:*}.hlo
	size=${3#*:}
	shift 3
	for c; do
		set -- "$@" -e "$c"
		shift
	done
	"$program" --batch --size "$size" "$base" "$dist" "$@" -e 'save screen' 2>"$dir/err" | figures >"$dir/out"
	if [ -n "$UPDATE_GOLDEN" ]; then
		cp "$dir/out" "$golden/$name.txt"
	fi
	[ ! -s "$dir/err" ] || complain "$(cat "$dir/err")"
	diff -u "$golden/$name.txt" "$dir/out" >"$dir/diff" || complain 'it differs from the golden screen:'
	promise "screen $name"
	sed 's/^/# /' "$dir/diff"
}

screen 80x24-start attention broken:80x24
screen 80x24-step attention broken:80x24 'press s } s'
screen 80x24-frontier attention broken:80x24 'press c'
screen 80x24-matches attention broken:80x24 'press c x'
screen 80x24-source attention broken:80x24 'press c l'
screen 80x24-assume attention broken:80x24 'press c a'
screen 80x24-bijections attention broken:80x24 'press c B'
screen 80x24-numbers attention broken:80x24 'press c v'
screen 160x50-numbers attention broken:160x50 'press C' 'numbers %slice at 1,2,3'
screen 80x24-element attention broken:80x24 'press C' 'numbers %slice at 1,2,3'
screen 80x24-fates mlp broken:80x24 'press C' 'numbers' 'press B'
screen 80x24-tested attention broken:80x24 'press C' 'test' 'info frontier'
screen 80x24-verdict attention broken:80x24 'press C w'
screen 160x50-verdict attention broken:160x50 'press C'
screen 200x60-verdict attention broken:200x60 'press C'
screen 80x24-folds mlp broken:80x24 'press C' 'fold runs'
screen 80x24-proved mlp dist:80x24 'press C' 'info assumptions'
screen 80x24-rules mlp dist:80x24 'press C' 'info rules' 'search lift-dot' 'press Enter'
screen 80x24-history mlp dist:80x24 'press C' 'info history' 'cursor up 5' 'press Enter'
screen 80x24-filter mlp dist:80x24 'press C' 'filter dot'
screen 50x12 attention broken:50x12 'press c'
screen 60x20-help attention broken:60x20 'help assume'
screen 60x20-commands attention broken:60x20 'help'
screen 80x24-apropos mlp dist:80x24 'apropos breakpoint'
promises_end
