package command

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// Groups of commands in the help.
const (
	groupMake  = "make"
	groupUse   = "use"
	groupCheck = "check"
	groupOther = "other"
)

var commandGroups = []*cobra.Group{
	{ID: groupMake, Title: "Make tracks:"},
	{ID: groupUse, Title: "Use the tracks of a file:"},
	{ID: groupCheck, Title: "Devices, checks and measurements:"},
	{ID: groupOther, Title: "Other commands:"},
}

// in puts a command into a group.
func in(group string, command *cobra.Command) *cobra.Command {
	command.GroupID = group
	return command
}

// helpCommand replaces the help command of cobra, which does not report an unknown command as an error.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND ...]",
		Short:             "Help about any command",
		Long:              "Help prints the help of a command, as --help does, or that of trackgen without one.",
		ValidArgsFunction: completeCommand,
		RunE: func(command *cobra.Command, arguments []string) error {
			named, err := subcommand(command.Root(), arguments)
			if err != nil {
				return err
			}
			named.InitDefaultHelpFlag()
			named.InitDefaultVersionFlag()
			return named.Help()
		},
	}
}

// setHelp makes the commands print their help with lines that fit the terminal.
func (a *app) setHelp(root *cobra.Command) {
	root.AddGroup(commandGroups...)
	root.SetHelpCommand(in(groupOther, a.helpCommand()))
	root.SetCompletionCommandGroupID(groupOther)
	root.SetHelpFunc(func(command *cobra.Command, _ []string) {
		width := helpWidth(a.stdout.w)
		text := fill(command.Long, width) + "\n" + usage(command, width)
		_, _ = io.WriteString(a.stdout, text) // a.stdout keeps the error
	})
	root.SetUsageFunc(func(command *cobra.Command) error {
		_, err := io.WriteString(a.stdout, usage(command, helpWidth(a.stdout.w)))
		return err
	})
}

// helpWidth returns the number of columns of help texts: those of columnsOf within limits, or 80.
func helpWidth(w io.Writer) int {
	const narrowest, usual, widest = 40, 80, 110
	columns := columnsOf(w)
	if columns == 0 {
		return usual
	}
	return min(max(columns, narrowest), widest)
}

// usage returns the part of the help that follows the description.
func usage(command *cobra.Command, width int) string {
	var text strings.Builder
	section := func(title, body string) {
		if body != "" {
			fmt.Fprintf(&text, "%s\n%s\n", title, strings.TrimRight(body, "\n")+"\n")
		}
	}
	line := "  " + command.UseLine()
	if !command.Runnable() || command.HasAvailableSubCommands() {
		line += "\n  " + command.CommandPath() + " COMMAND"
	}
	section("Usage:", line)
	section("Examples:", examples(command.Example, width))
	for _, group := range command.Groups() {
		section(group.Title, commandList(command, group.ID, width))
	}
	section("Commands:", commandList(command, "", width))
	section("Flags:", command.LocalFlags().FlagUsagesWrapped(width))
	section("Flags of all commands:", command.InheritedFlags().FlagUsagesWrapped(width))
	if command.HasAvailableSubCommands() {
		more := command.CommandPath() + " COMMAND --help says more about a command."
		text.WriteString(wrap("", "", strings.Fields(more), "", width))
	}
	return strings.TrimRight(text.String(), "\n") + "\n"
}

// commandList returns a line or more for each command of a group, or of those without one.
func commandList(command *cobra.Command, group string, width int) string {
	var text strings.Builder
	for _, c := range command.Commands() {
		if c.GroupID == group && (c.IsAvailableCommand() || c.Name() == "help") {
			hang := fmt.Sprintf("  %-*s ", c.NamePadding(), c.Name())
			text.WriteString(wrap(hang, strings.Repeat(" ", len(hang)), strings.Fields(c.Short), "", width))
		}
	}
	return text.String()
}

// shellWords matches the words of a command line. A flag with its value is one word, and so is a part in single quotes.
var shellWords = regexp.MustCompile(`-[-a-z]+ [^\s|>&-]\S*|(?:'[^']*'|\S)+`)

// examples returns command lines that fit the width. Longer ones continue on the next line after a backslash.
func examples(text string, width int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		out.WriteString(wrap(indent, indent+"    ", shellWords.FindAllString(line, -1), ` \`, width))
	}
	return out.String()
}

// block is a part of a text: a paragraph, or an indented item of a list.
type block struct {
	indent string // of the first line
	term   string // what an item explains; empty if the item has none
	text   string // the words, with one blank between them
	after  bool   // an empty line comes before the block
}

// itemTerm matches the term of an item, which at least two blanks separate from its text.
var itemTerm = regexp.MustCompile(`^(\S+(?: \S+)*?)  +\S`)

// blocks splits a text that is written for a fixed width. Lines that are indented more than an item continue it.
func blocks(text string) []block {
	var list []block
	empty := true // the line before is empty
	for line := range strings.Lines(text) {
		body := strings.TrimLeft(strings.TrimRight(line, " \t\n"), " \t")
		if body == "" {
			empty = true
			continue
		}
		indent := line[:strings.Index(line, body)]
		last := len(list) - 1
		if !empty && (indent == "" && list[last].indent == "" || len(indent) > len(list[last].indent) &&
			list[last].indent != "") {
			list[last].text += " " + strings.Join(strings.Fields(body), " ")
			continue
		}
		b := block{indent: indent, after: empty && last >= 0}
		if m := itemTerm.FindStringSubmatch(body); m != nil && indent != "" {
			b.term, body = m[1], body[len(m[1]):]
		}
		b.text = strings.Join(strings.Fields(body), " ")
		list, empty = append(list, b), false
	}
	return list
}

// fill returns a text with lines of at most the width, as far as its words allow.
func fill(text string, width int) string {
	var out strings.Builder
	list := blocks(text)
	for i, b := range list {
		if b.after {
			out.WriteByte('\n')
		}
		first := b.indent + b.term + strings.Repeat(" ", termWidth(list, i)-len(b.term))
		hang := strings.Repeat(" ", utf8.RuneCountInString(first))
		if b.indent != "" && b.term == "" {
			hang += "  "
		}
		out.WriteString(wrap(first, hang, strings.Fields(b.text), "", width))
	}
	return out.String()
}

// termWidth returns the width of the longest term of the list that block i is an item of, with two blanks; without a
// term, it returns 0.
func termWidth(list []block, i int) int {
	if list[i].term == "" {
		return 0
	}
	isItem := func(k int) bool { return list[k].term != "" && list[k].indent == list[i].indent }
	widest := 0
	for k := i; k >= 0 && isItem(k); k-- {
		widest = max(widest, len(list[k].term))
		if list[k].after {
			break
		}
	}
	for k := i + 1; k < len(list) && isItem(k) && !list[k].after; k++ {
		widest = max(widest, len(list[k].term))
	}
	return widest + 2
}

// wrap returns words in lines of at most the width. The first line starts with first, the others with hang, and all but
// the last end with the continuation.
func wrap(first, hang string, words []string, continuation string, width int) string {
	var out strings.Builder
	column := utf8.RuneCountInString(first)
	out.WriteString(first)
	for i, word := range words {
		size := utf8.RuneCountInString(word)
		room := width
		if i < len(words)-1 {
			room -= len(continuation)
		}
		if i > 0 && column+1+size > room {
			out.WriteString(continuation + "\n" + hang)
			column = utf8.RuneCountInString(hang)
		} else if i > 0 {
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += size
	}
	out.WriteByte('\n')
	return out.String()
}
