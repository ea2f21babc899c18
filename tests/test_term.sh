# The screen on a real terminal (tmux): start, keys, resize, ^Z and back, the
# prompt, an editor, ^C, paste, no colour, no UTF-8, and that the terminal is
# sane after a crash.  Skipped without tmux.  One TAP line for each promise.
: "${builddir:=.}" "${srcdir:=.}"
demo=${UI_DEMO:-$builddir/tests/ui_demo}
case $demo in /*) ;; *) demo=$PWD/$demo ;; esac

if [ ! -x "$demo" ]; then
	echo '1..0 # SKIP ui_demo is not built'
	exit 0
fi

name=term
. "$srcdir/tests/terminal.sh"

cat >"$dir/editor" <<'EOF'
#!/bin/sh
echo "$@" >>"$EDITED"
[ -t 0 ] && stty -a | grep -q ' icanon' && echo 'sane terminal' >>"$EDITED"
EOF
chmod +x "$dir/editor"

lacks()
{
	! grep -q -e "$1" "$dir/screen"
	result $? "$2"
}

# shell WIDTH HEIGHT NAME=VALUE..: a new terminal with a shell in it
shell()
{
	width=$1 height=$2
	shift 2
	t kill-server 2>/dev/null
	sock=$sock.
	t new-session -d -x "$width" -y "$height" env -u NO_COLOR -u LINES -u COLUMNS LC_ALL=C.UTF-8 HOME="$dir" \
		TERM=screen-256color PS1='%% ' VISUAL="$dir/editor" EDITED="$dir/edited" INPUTRC=/dev/null "$@" \
		/bin/sh -i
	t set -g status off
	wait_for '% *$'
}

keys()
{
	t send-keys "$@"
}

type()
{
	t send-keys -l "$1"
	t send-keys Enter
}

# The terminal echoes, edits lines and shows its cursor on the first screen; what was there before is there still.
sane()
{
	type 'stty -a | tr " " "\n" | grep -xc -e echo -e icanon -e isig'
	wait_for '^3$'
	a=$?
	[ "$(t display-message -p '#{alternate_on} #{cursor_flag} #{bracket_paste_flag}')" = '0 1 ' ] ||
	[ "$(t display-message -p '#{alternate_on} #{cursor_flag}')" = '0 1' ]
	result $((a + $?)) "$1"
}

# The process the shell of the terminal runs.
program()
{
	ps -o pid= --ppid "$(t list-panes -F '#{pane_pid}')" | tail -n 1 | tr -d ' '
}

command_line()
{
	keys :
	wait_for '^:'
	type "$1"
}

shell 80 24
type "$demo 40 $dir/history"
shows '^= %dot.0 .*│= %dot.0' 'both sides are shown at 80x24'
keys Down Down s
shows 'ran: step' 'a key runs its command'
shows '3/40' 'the cursor moved'
keys 1 2 s
shows 'ran: step 12' 'a count goes to the command'
keys Home
shows ' 1/40' 'keys that send escape sequences'
t resize-window -x 160 -y 50
shows '│206  def qkv_split' 'a larger terminal shows more'
t resize-window -x 80 -y 24
shows '^why  source class' 'and a smaller one less'

keys :
shows '^:' 'the prompt opens'
keys s p Tab
shows '^:spin' 'completion'
keys C-u Tab
shows 'abort .*continue' 'the candidates are listed'
keys q x BSpace u i
shows '^:qui' 'editing'
t resize-window -x 100 -y 30
shows '^:qui' 'the prompt survives a resize'
keys C-z
wait_for Stopped
type fg
shows '^:qui' 'and being stopped'
keys Escape
shows '^: command' 'Esc leaves it'
command_line 'step 77'
shows 'ran: step 77' 'a typed command runs'
keys :
keys C-r
wait_for reverse-i-search
keys 7 7
shows 'step 77$' 'incremental search'
keys C-c
shows '^: command' '^C leaves it'
keys : a F5 PageDown
shows '^:a$' 'keys that are not for the prompt'
grep -q '17/40' "$dir/screen"
result $? 'and those that scroll behind it'
keys Escape
wait_for '^: command'
keys Home
wait_for ' 1/40'

keys C-z
shows 'Stopped' '^Z stops the program'
sane 'the shell has a sane terminal meanwhile'
type fg
shows '│= %dot.0' 'the screen is back'
keys Down
shows ' 2/40' 'and takes keys'
kill -TSTP "$(program)"
wait_for Stopped
type 'clear; fg'
shows '│= %dot.0' 'and after: kill -TSTP'
keys Down Down
shows ' 4/40' 'with keys'
kill -CONT "$(program)"
keys Up Up
shows ' 2/40' 'and after: kill -CONT'

command_line edit
shows '^= %dot.0' 'back from the editor'
for i in 1 2 3 4 5 6 7 8 9 10; do
	grep -q sane "$dir/edited" 2>/dev/null && break
	sleep 0.2
done
[ "$(cat "$dir/edited")" = "+42 model.py
sane terminal" ]
result $? 'the editor had the line and a sane terminal'

command_line 'a word'
wait_for '^ran: a word'
command_line spin
shows 'busy: counting.*; ^C stops it' 'long work is announced, and how it is stopped'
! grep -q -e '^ran: a word' -e '^:spin' "$dir/screen"
result $? 'what was said before, and its command, are not seen beside it'
t resize-window -t 0 -x 90 -y 30
wait_for 'busy: counting'
[ "$(sed -n 28p "$dir/screen" | cut -c1-14)" = 'busy: counting' ]
result $? 'a terminal of another size does not wait for its end'
keys C-z
shows 'topped' '^Z does not either'
type fg
shows 'busy: counting' 'work goes on after ^Z'
keys C-c
shows 'stopped by the user' '^C stops it'

command_line 'stderr something a library said'
shows '^something a library said' 'stderr goes to the message line'

t send-keys -l "$(printf '\033[<0;60;6M')"
shows ' 6/40' 'a click selects'
t send-keys -l "$(printf '\033[<65;60;6M')"
shows ' 9/40' 'the wheel moves'
t send-keys -l "$(printf '\033[<65;6;25M')"
wait_for '`why` has the keys'
shows ' 9/40' 'what it is over'
t send-keys -l "$(printf '\033[<0;6;27M')"
shows '^attention.py:209  why' 'a click on the name of a view shows it'
t send-keys -l "$(printf '\033[<0;60;6M')"

t set-buffer 'quit
'
t paste-buffer -p
shows 'pasted text is no keys' 'pasted text is not taken for keys'
keys :
wait_for '^:'
t paste-buffer -p
shows '^:quit' 'pasted text is not run at the prompt'
keys Escape
wait_for '^: command'
keys Q
wait_for '% *$'
sane 'the terminal is sane after quitting'
grep -q '^step 77$' "$dir/history"
result $? 'the history was saved'

for how in crash abort overflow exit; do
	type "$demo"
	wait_for 'f frontier'
	command_line $how
	wait_for '% *$'
	sane "and after: $how"
done
for signal in TERM SEGV HUP; do
	type "$demo & fg"
	wait_for 'f frontier'
	kill -$signal "$(program)"
	wait_for '% *$'
	sane "and after: kill -$signal"
done

echo 'set editing-mode vi' >"$dir/inputrc"
shell 80 24 INPUTRC="$dir/inputrc"
type "$demo"
wait_for 'f frontier'
keys : a b
wait_for '^:ab'
keys Escape
sleep 1
keys 0 x
shows '^:b$' 'vi keys at the prompt'
keys Escape
shows '^: command' 'and Esc leaves from command mode'

shell 80 24 NO_COLOR=1
type "$demo"
wait_for 'f frontier'
t capture-pane -p -e | grep -q "$(printf '\033\\[[0-9;]*[34][0-7]')"
[ $? = 1 ]
result $? 'no colour with NO_COLOR'
t capture-pane -p -e | grep -q "$(printf '\033\\[[0-9;]*7')"
result $? 'the selection is shown without colour'

shell 80 24
type "$demo"
wait_for 'f frontier'
t capture-pane -p -e | grep -q "$(printf '\033\\[[0-9;]*38;5;114')"
result $? '256 colours'

shell 80 24 TERM=screen
type "$demo"
wait_for 'f frontier'
t capture-pane -p -e | grep -q "$(printf '\033\\[[0-9;]*32m')"
result $? '8 colours'

shell 80 24 LC_ALL=C
type "$demo"
shows '^= %dot.0 .*|= %dot.0' 'ASCII without UTF-8'
lacks '│' 'and nothing else'

shell 80 24 TERM=dumb
type "$demo; echo status \$?"
shows "ui_demo: TERM is 'dumb'" 'a terminal that will not do is named'
shows '^status 2$' 'with status 2'
type "TERM=nosuch $demo; echo status \$?"
shows "the terminal type 'nosuch' is unknown" 'an unknown one, too'
type "$demo </dev/null; echo again \$?"
shows '^again 2$' 'and no terminal at all'

shell 39 7
type "$demo"
shows '39x7 is too small' 'a tiny terminal is told so'
t resize-window -x 80 -y 24
shows '│= %dot.0' 'and works when it has grown'

echo "1..$number"
