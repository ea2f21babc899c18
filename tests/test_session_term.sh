# The debugger on a real terminal (tmux), as its user has it: opens the sample,
# steps, goes to the fault, looks at its source, assumes, goes on, takes it back,
# types commands, resizes, stops and leaves.  Skipped without tmux.
: "${builddir:=.}" "${srcdir:=.}"
program=${DIVERGE:-$builddir/diverge}
case $program in /*) ;; *) program=$PWD/$program ;; esac
samples=$(cd "$srcdir/samples" && pwd)

if [ ! -x "$program" ]; then
	echo '1..0 # SKIP diverge is not built'
	exit 0
fi

name=session
. "$srcdir/tests/terminal.sh"

cat >"$dir/editor" <<'EOF'
#!/bin/sh
echo "$@" >>"$EDITED"
[ ! -e "$EDITED.fails" ]
EOF
chmod +x "$dir/editor"

keys()
{
	t send-keys "$@"
}

type()
{
	t send-keys -l "$1"
	t send-keys Enter
}

command_line()
{
	keys :
	wait_for '^:'
	type "$1"
}

# shell WIDTH HEIGHT NAME=VALUE..: a new terminal with a shell in it
shell()
{
	width=$1 height=$2
	shift 2
	t kill-server 2>/dev/null
	sock=$sock.
	t new-session -d -x "$width" -y "$height" env -u NO_COLOR -u LINES -u COLUMNS LC_ALL=C.UTF-8 HOME="$dir" \
		TERM=screen-256color PS1='%% ' VISUAL="$dir/editor" EDITED="$dir/edited" INPUTRC=/dev/null "$@" /bin/sh -i
	t set -g status off
	wait_for '% *$'
}

shell 80 24
type "cd $samples; $program"
shows 'nothing has run' 'without arguments the sample opens, and nothing has run'
shows '^\. %multiply .*│\. %multiply' 'rows that are not settled'
keys s
shows '^step 1: lift-' 's fires once and names the rule'
keys '}' '}'
shows '^\.>%' '} does an instruction, and its row is marked'
keys '['
shows '^step [0-9]* of [0-9]*' '[ goes back by one firing'
keys c
shows '^frontier: %' 'c stops at the first frontier node'
shows '│!.%slice.1' 'whose row is marked'
shows 'first difference: ' 'what differs is said'
keys l
shows '^>.*width:2' 'l shows the source line'
keys e
wait_for '^>.*width:2'
for i in 1 2 3 4 5 6 7 8 9 10; do
	[ -s "$dir/edited" ] && break
	sleep 0.2
done
grep -q '^+[0-9]* .*attention.py$' "$dir/edited"
result $? 'e opens the editor at it'
: >"$dir/edited.fails"
keys e
shows '^the editor ended with an error' 'one that ends with an error is not said to be missing'
keys x
shows '^matches' 'x lists what matches here'
keys q B
shows '^bijections' 'B lists candidate bijections'
keys q a
shows '^:assume %.* = base %' 'a proposes an assumption'
keys Enter
shows 'under A1' 'Enter makes it; the status line says so'
keys c
shows '│\*.%' 'what depends on it is marked'
keys z
shows '^undone: A1' 'z takes it back'
keys Z
shows 'under A1' 'Z makes it again'
keys C
shows 'outputs proved' 'C runs to the verdict'
keys z x c
wait_for '^explain'
keys k
shows '^%slice computes' 'a run that ends gives the keys back to the programs'
keys Z
wait_for 'under A1'
keys f
shows '^frontier [0-9]* of\|^there is no frontier' 'f walks the frontier'
command_line 'focus graph'
keys / r s q r t Enter
shows '^line [0-9]* of [0-9]* matches' '/ searches'
keys '&' d o t Enter
shows '^[0-9]* of [0-9]* lines match' '& filters'
keys '&' Enter
shows '^all lines are shown' '& alone shows all again'
command_line 'select %multiply.2'
keys w
shows 'both hold the same array' 'w says why the selected pair is equal'
keys j j j Enter
shows '^%Arg_[0-9]* ~ base %Arg_[0-9]* ' 'Enter on what is given goes to its row'
command_line 'select %multiply.2'
keys j j j j j Enter
shows '^step [0-9]* of [0-9]*: ' 'Enter on a line goes to its firing'
keys :
wait_for '^:'
keys r e v Tab
shows '^:reverse-' 'completion of commands'
keys C-u
t send-keys -l 'until %rsq'
keys Tab
shows '^:until %rsqrt' 'completion of instructions'
keys Enter
shows '^step .* at \(base \)*%rsqrt' 'until runs to an instruction'
command_line 'no such thing'
shows "there is no command 'no'" 'what is no command is said'
keys h
shows '^keys of ' 'h shows the keys'
keys q
shows '\[dist\] attention.broken[^k]*$' 'nothing is left of them in the title'
keys x
shows '^`matches` has the keys that move' 'a view that takes the keys says so'
keys q
command_line 'no such words'
shows "there is no command 'no'" 'what is said ..'
keys C-z
wait_for Stopped
type fg
shows '│= %' 'it can be stopped and goes on'
shows "there is no command 'no'" '.. is still there when one is back'
t resize-window -x 160 -y 50
shows '│class' 'a larger terminal shows the class'
shows "there is no command 'no'" '.. and in another size'
t resize-window -x 50 -y 12
shows '^why  graph' 'a small one a single pane'
t resize-window -x 80 -y 24
keys Q
shows '^1 act is not saved' 'acts that are not saved are asked about'
keys Q
wait_for '% *$'
type 'stty -a | tr " " "\n" | grep -xc -e echo -e icanon -e isig'
shows '^[% ]*3$' 'the terminal is sane after quitting'

shell 80 24 NO_COLOR=1
type "cd $samples; $program mlp.base.hlo mlp.broken.hlo"
wait_for 'nothing has run'
keys c
wait_for '^frontier: '
t capture-pane -p -e | grep -q "$(printf '\033\\[[0-9;]*[34][0-7]')"
[ $? = 1 ]
result $? 'no colour with NO_COLOR'

shell 80 24 TERM=vt100
type "$program"
wait_for 'nothing has run'
keys Q
shows '^%% *$' 'a terminal without a second screen has an empty line for the shell'

shell 80 24
type "$program </dev/null; echo status \$?"
shows '^status 2$' 'without a terminal it says so'
type "$program --batch nowhere.hlo nowhere.hlo; echo again \$?"
shows '^again 2$' 'and that a file is not there'

shell 80 24
type "$program $samples/lesson-fold.egg"
wait_for '^(egg) *$'
type s
wait_for '    0  given'
type 'go 4'
keys Up Up Enter
shows '^    4  fold-add' 'lines typed at a stepped egglog program are had again'
keys C-d
wait_for '% *$'

echo "1..$number"
