# terminal.sh - a real terminal (tmux) for a test script, which sources this with
# `name` set: a folder $dir that goes away, tmux on a socket of its own as `t`,
# TAP lines by `result`, and waiting for what the screen shows.  Skips the
# script where there is no tmux.
if ! command -v tmux >/dev/null 2>&1; then
	echo '1..0 # SKIP tmux is not installed'
	exit 0
fi

dir=$(mktemp -d "${TMPDIR:-/tmp}/diverge-$name-XXXXXX") || exit 1
sock=diverge-$name-$$
t()
{
	tmux -L "$sock" -f /dev/null "$@"
}
trap 't kill-server 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

number=0
result()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		t capture-pane -p 2>&1 | sed 's/^/# /'
	fi
}

# wait_for TEXT: until the screen shows it (a basic regular expression), for at most a minute
wait_for()
{
	tries=300
	while [ $tries -gt 0 ]; do
		t capture-pane -p >"$dir/screen" 2>/dev/null
		grep -q -e "$1" "$dir/screen" && return 0
		sleep 0.2
		tries=$((tries - 1))
	done
	return 1
}

shows()
{
	wait_for "$1"
	result $? "$2"
}
