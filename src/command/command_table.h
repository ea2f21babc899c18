/* command_table.h - all commands: name, arguments, what is completed, flags, function, one line, more.
 *
 * Completion: for every argument, after a slash, letters for what it may be -
 * n nodes, r rules, f files, b breakpoints, a acts, c commands, i pages of
 * info, s settings - then, after a colon, words; the last holds for all that
 * follow.  CMD_REPEAT: Enter at an empty prompt does it again.
 */
#define COMMANDS(X) \
	X("step", "[N]", "", CMD_REPEAT, cmd_step, "do one firing of a rule, or N", \
	  "A firing is one step of one rule at one node.  What lies ahead of the cursor is replayed, your acts included.") \
	X("next", "[N]", "", CMD_REPEAT, cmd_next, "do all firings of the next instruction, or of N", \
	  "Takes up the next instruction that a rule has something to say about, and empties the worklist.") \
	X("iterate", "[N]", "", CMD_REPEAT, cmd_iterate, "look once at every node that waits now", \
	  "One pass over the worklist; with nothing waiting the next instruction is taken up.") \
	X("continue", "", "", CMD_REPEAT, cmd_continue, "run to the next frontier node, breakpoint or verdict", \
	  "Stops where a row is decided, unverified, and all its inputs are verified, unless the search proves it later: the run is looked " \
	  "through to its end first.  Stopped with ^C while it looks, the place is said to be provisional.") \
	X("continue!", "", "", 0, cmd_continue_all, "run to the verdict", \
	  "Breakpoints and frontier nodes do not stop it.") \
	X("until", "NODE | N", "n", 0, cmd_until, "run until an instruction is decided, or to step N", \
	  "Never goes back: `goto` does.") \
	X("reverse-step", "[N]", "", CMD_REPEAT, cmd_reverse_step, "go back by one firing, or N", \
	  "Moves the cursor; going forward again replays what lies ahead.") \
	X("reverse-next", "[N]", "", CMD_REPEAT, cmd_reverse_next, "go back by one instruction, or N", "") \
	X("reverse-iterate", "[N]", "", CMD_REPEAT, cmd_reverse_iterate, "go back to where the last `iterate` began, or N of them", "") \
	X("reverse-continue", "", "", CMD_REPEAT, cmd_reverse_continue, \
	  "go back to the frontier node or breakpoint before, or to the start", "") \
	X("goto", "N | A4 | start | end", "a:start end", 0, cmd_goto, "go to step N, to where act A4 was made, to an end", \
	  "Counts firings only.") \
	X("undo", "", "", 0, cmd_undo, "take back your last act", \
	  "Goes back to where it was made and replays the rest without it.  Acts that no longer apply are listed.") \
	X("redo", "", "", 0, cmd_redo, "do the act again that was taken back", "") \
	X("apply", "RULE [at NODE]", "r/:at/n", 0, cmd_apply, "fire a rule once, at a node or at the selected value", \
	  "Without a node: the first match at the selected value, its core, or a member of either class.  The rule may be " \
	  "switched off.  One that is a pattern is compared by numbers there, and not fired where it is wrong.  What normalizes the result " \
	  "waits for the next step.") \
	X("assume", "[NODE [= base NODE [CHAIN]]]", "n/:=/:base/n/:R", 0, cmd_assume, \
	  "assert a relation of an instruction to the baseline's", \
	  "CHAIN is as in plans: R, tp:S(1), transpose(1,0) ..; see diverge-plan(5).  It taints what it proves.  Without =, it " \
	  "proposes a relation of NODE or the selected row: what its operands allow, else R.") \
	X("retract", "A4", "a", 0, cmd_retract, "take one act back", "As undo, for an act of any age.") \
	X("break", "[NODE | rule RULE | union A B]", "n:rule union/rn/n", 0, cmd_break, \
	  "stop at an instruction, a rule, or when two nodes become equal", \
	  "At an instruction: when it is taken up, before its first firing.  Bare: the selected one.") \
	X("watch", "[NODE]", "n", 0, cmd_watch, "stop when the class of a node changes", "") \
	X("delete", "[N]", "b", 0, cmd_delete, "take away a breakpoint or watch, or all", "") \
	X("info", "SUBJECT", "i", 0, cmd_info, "list what there is of a subject", "") \
	X("print", "[NODE]", "n", CMD_REPEAT, cmd_print, "what a node computes: its whole normal term", \
	  "A node is an instruction and a path: %dot.3, base %dot.3, %dot.3/core, %dot.3/core/1, %dot.3/core#2 (member 2 of " \
	  "the class).  model.py:44 is the first instruction that comes from that line.  `.` is the selected instruction, " \
	  "`base .` the one of BASE beside it.") \
	X("list", "[NODE]", "n", CMD_REPEAT, cmd_list, "the source an instruction comes from", "") \
	X("up", "[N]", "", CMD_REPEAT, cmd_up, "to the calling source frame", "") \
	X("down", "[N]", "", CMD_REPEAT, cmd_down, "to the called source frame", "") \
	X("edit", "[rule [RULE]]", ":rule/r", 0, cmd_edit, "open $VISUAL or $EDITOR at the source line, or at a rule", \
	  "Without a name, at the rule that is shown.  `reload` reads the rules again.") \
	X("frontier", "[next | prev | N]", ":next prev", CMD_REPEAT, cmd_frontier, "select a frontier node, or list them", \
	  "The list is `so far` before the verdict.") \
	X("why", "[A [B]]", "n", 0, cmd_why, "why two nodes are equal", \
	  "Bare: the selected pair.  Enter on a line goes to its firing.  Firings that others rest on come first.") \
	X("whynot", "[A [B] | RULE at NODE]", "nr/n:at/n", 0, cmd_whynot, "why a node is not verified, two differ, or a rule did not fire", \
	  "Bare: the selected row.") \
	X("relation", "[NODE]", "n", 0, cmd_relation, "the layouts of a pair and the relation between them", "") \
	X("bijections", "[NODE]", "n", 0, cmd_bijections, "candidate bijections of a pair and what became of them", "") \
	X("test", "[NODE [= base NODE [CHAIN]] | --cut [N] | --from FILE]", "n:--cut --from/f:=/:base/n/:R", 0, cmd_test, "run both programs on random numbers and compare", \
	  "Bare: every output, and the selected pair.  A pair is compared under the relation that is known, else under CHAIN, " \
	  "else R.  Outputs that differ are refuted, and the first instruction that differs " \
	  "while its operands correspond is named; that numbers agree proves nothing.  What is equal over the reals and not as the " \
	  "types round it is a precision change.  Where all of it would take more than `set work` billion steps, and with --cut, what is not " \
	  "proved is run by itself: outputs that can be, from the inputs; the frontier behind cuts at verified nodes, where numbers are " \
	  "drawn, in both programs as the relation has it.  Inputs need not lead to such numbers: what differs behind a cut refutes " \
	  "nothing.  N: billions of steps of one run that cuts are moved away for, else a tenth of `set work`.  --from " \
	  "runs the inputs of a file that `save counterexample` wrote.") \
	X("numbers", "[NODE] [at I,J,..] [trip N] [KIND]", "n:at trip integers normal positive ties wide", 0, cmd_numbers, \
	  "what a pair holds on every device", \
	  "Runs both programs on related inputs, once; then every selected pair's numbers are there.  at: the element of the " \
	  "baseline whose places are said, and what lies around it shown.  trip: of loops that stand as one body, from 0 on, or last.  KIND: integers (-4..4), " \
	  "normal, positive, ties (-1, 0, 1) or wide (-400..400).  Brackets are around the element, ! stands behind what the known relation does not give.  Without at it is the first that differs.") \
	X("alternatives", "[N]", "", 0, cmd_alternatives, "try other relations of what was inferred", \
	  "At the verdict, when an output is unproved: the relations that shapes allow for inputs and outputs that no plan line " \
	  "names, in runs of their own without your acts.  What would prove more is offered as lines for a plan; the verdict stays.  N: as " \
	  "much work, N times.  Once takes two or three seconds at most; C-c stops it, with --batch too, which then reports.") \
	X("select", "NODE", "n", 0, cmd_select, "select an instruction, or the class of a node inside", "") \
	X("find", "TEXT", "", CMD_REPEAT, cmd_find, "select the next row whose name, opcode, shape or op_name holds TEXT", \
	  "%TEXT: the next row whose name holds it.") \
	X("fold", "[group | groups | run | runs | out | none]", ":group groups run runs out none", 0, cmd_fold, "fold or unfold rows", \
	  "Bare: unfolds what is folded here, else folds the run of verified rows, or the innermost call or scope.  out: one " \
	  "scope further out.  runs: all runs of verified rows.  none: unfolds all.") \
	X("rule", "on RULE | off RULE | show RULE | check RULE", ":on off show check/r:all", 0, cmd_rule, \
	  "switch a rule on or off, show it, or check it by numbers", \
	  "Switching is an act.  check fires the rule on small random expressions, instructions on several devices or cores, and compares " \
	  "both sides on unequal numbers, zeros and infinities where no fact excludes them.  A counterexample is shown with its values; in a " \
	  "script it makes the exit status 1.  check all does it for every rule, and says which cannot be tried; C-c stops it.") \
	X("reload", "", "", 0, cmd_reload, "read the rule files again and replay", "Says what changed.") \
	X("report", "[json]", ":json", 0, cmd_report, "the verdict on where the run stands", "") \
	X("certify", "", "", 0, cmd_certify, "let the separate checker go through every proof", \
	  "It shares no code with the rules: every union a proof rests on is evaluated at sampled places.") \
	X("directory", "[FOLDER]", "f", 0, cmd_directory, "look for source files in a folder; bare: nowhere else", \
	  "A path is tried there whole, then without its first folders.") \
	X("set", "substitute-path FROM TO | SETTING N", "s:substitute-path/f", 0, cmd_set, "change a setting", \
	  "substitute-path replaces the beginning FROM of source paths by TO; rules are tried in their order.") \
	X("unset", "substitute-path FROM", ":substitute-path/f", 0, cmd_unset, "take a substitute-path rule away", "") \
	X("show", "[SETTING]", "s", 0, cmd_show, "the value of settings", "") \
	X("skip", "[file GLOB]", ":file/f", 0, cmd_skip, "pass over source frames of helper files; bare: no more", "") \
	X("source", "FILE", "f", 0, cmd_source, "run the commands of a file", "Stops at the first that fails.") \
	X("save", "plan|proof|counterexample|session|log|screen FILE", ":plan proof counterexample session log screen/f", 0, cmd_save, \
	  "write to a file", \
	  "session and log are files of commands: source runs them.  proof writes what the proved outputs rest on: diverge --check goes through it.  " \
	  "counterexample writes the inputs on which `test` saw an output differ, made simpler: test --from runs them.  plan " \
	  "has the relations there are, inferred ones and offered alternatives included, for --plan.") \
	X("help", "[COMMAND]", "c", 0, cmd_help, "what commands do", "") \
	X("apropos", "WORD", "", 0, cmd_apropos, "commands about something", "") \
	X("quit", "", "", 0, cmd_quit, "leave", "")

/* letter, command: these never change meaning when commands are added */
#define COMMAND_ALIASES(X) \
	X("s", "step") X("n", "next") X("c", "continue") X("b", "break") X("p", "print") X("l", "list") X("i", "info") \
	X("h", "help") X("q", "quit") X("u", "until") X("r", "report") X("w", "why") X("f", "frontier") X("a", "assume") \
	X("rs", "reverse-step") X("rn", "reverse-next") X("rc", "reverse-continue")

/* words of other programs, and what does here what they do there: for who types them */
#define COMMAND_ELSEWHERE(X) \
	X("run", "continue!") X("start", "goto start") X("finish", "next") X("advance", "until NODE") \
	X("tbreak", "until NODE") X("breakpoint", "break, or info breakpoints") X("jump", "goto") \
	X("bt", "info source; up and down change the frame") X("backtrace", "info source; up and down change the frame") \
	X("where", "info source; up and down change the frame") X("frame", "up or down; info source lists them") \
	X("stepi", "step") X("si", "step") X("nexti", "next") X("ni", "next") X("x", "print NODE, or info class") \
	X("disassemble", "print") X("display", "watch") X("kill", "quit") X("exit", "quit") X("wq", "save session FILE, then quit") \
	X("q!", "quit") X("wq!", "save session FILE, then quit") \
	X("reverse-finish", "reverse-next") X("restart", "goto start") X("checkpoint", "save session FILE") X("clear", "delete N") \
	X("disable", "delete N, or rule off RULE") X("enable", "break NODE, or rule on RULE") X("ptype", "print NODE, or info class") \
	X("whatis", "print NODE, or info class") X("call", "print NODE") X("layout", "view VIEW, or zoom") X("refresh", "redraw") \
	X("tui", "view VIEW, or zoom") X("thread", "numbers: what a pair holds on every device") X("define", "source FILE") \
	X("dump", "save screen FILE, or save log FILE") X("cd", "directory FOLDER") X("pwd", "info files") X("man", "help") \
	X("saturate", "continue!") X("run-schedule", "continue!") X("extract", "print NODE") X("check", "why A B, or rule check RULE") \
	X("explain-equal", "why A B") X("prove", "continue!, then why") X("proof", "why, or save proof FILE") X("simplify", "apply RULE at NODE") \
	X("rewrite", "-r FILE, in a shell: rules are files; info rules lists them") X("rewrites", "info rules") \
	X("ruleset", "info rules") X("rulesets", "info rules") X("union", "assume NODE = base NODE, or break union A B") \
	X("push", "save session FILE") X("pop", "undo") X("diff", "whynot A B") X("blame", "list, the source line; or frontier") \
	X("status", "report") X("checkout", "goto") X("reset", "goto start, or retract A1") X("revert", "retract A1") \
	X("commit", "save session FILE") X("bisect", "continue: it stops at the first that differs") X("grep", "find TEXT, or search PATTERN") \
	X("reflog", "info acts") X("graph", "view graph, or info classes") X("file", "diverge BASE DIST, in a shell") X("shell", "C-z, then fg") X("!", "C-z, then fg")
