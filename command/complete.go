package command

import (
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/internal/settings"
)

// completeFlag adds shell completion for the values of a flag.
func completeFlag(command *cobra.Command, flag string, choices ...string) {
	registerCompletion(command, flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

// completeList adds shell completion for a flag whose value is a list of choices, separated by commas.
func completeList(command *cobra.Command, flag string, choices ...string) {
	completeListOf(command, flag, func(*cobra.Command) []string { return choices })
}

// namesFlag adds a flag for a list of names, which is all of them by default, with its completion.
func namesFlag(command *cobra.Command, value *[]string, flag, things string, all []string) {
	flags := command.Flags()
	flags.StringSliceVar(value, flag, all, "`names` of the "+things+" (default all)")
	flags.Lookup(flag).DefValue = "[]" // the usage says it
	completeList(command, flag, all...)
}

func completeListOf(command *cobra.Command, flag string, choices func(*cobra.Command) []string) {
	registerCompletion(command, flag, func(command *cobra.Command, _ []string, word string) ([]string,
		cobra.ShellCompDirective) {
		return nextInList(word, choices(command)), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// nextInList returns completions of the list in word: the list with each choice that it lacks. A choice may have a
// weight behind "=".
func nextInList(word string, choices []string) []string {
	comma := strings.LastIndexByte(word, ',') + 1
	before := word[:comma]
	var given, lists []string
	for item := range strings.SplitSeq(before, ",") {
		name, _, _ := strings.Cut(item, "=")
		given = append(given, name)
	}
	for _, choice := range choices {
		if !slices.Contains(given, choice) && strings.HasPrefix(choice, word[comma:]) {
			lists = append(lists, before+choice)
		}
	}
	return lists
}

// completeDevice adds shell completion for the flag --device. It lists devices only when completion is requested.
func completeDevice(command *cobra.Command) {
	registerCompletion(command, "device", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return append([]string{"auto\tthe best device", "gpu\tthe best device that is no CPU"}, deviceNames()...),
			cobra.ShellCompDirectiveNoFileComp
	})
}

// completeDevices adds shell completion for the flag --devices, a list.
func completeDevices(command *cobra.Command) {
	completeListOf(command, "devices", func(*cobra.Command) []string { return deviceNames() })
}

func deviceNames() []string {
	var names []string
	for _, b := range trackgen.Devices() {
		for _, info := range b.Devices {
			names = append(names, info.Name)
		}
	}
	return names
}

// completeSetting returns completions of key=value: keys with their meanings and, behind the equals sign, the values of
// a field that has few of them.
func completeSetting(command *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	if completesGates(command) {
		return completeField(settings.Gates, word)
	}
	return completeField(settings.Tracks, word)
}

func completeField[C any](language settings.Language[C], word string) ([]string, cobra.ShellCompDirective) {
	key, value, found := strings.Cut(word, "=")
	kind := language.Kind()
	if !found {
		var keys []string
		for _, name := range language.Names() {
			doc := "components of a mixed batch: bezier=2,polar"
			if field, ok := kind.Named(name); ok {
				doc = field.Doc
			}
			if strings.HasPrefix(name, word) {
				keys = append(keys, name+"=\t"+doc)
			}
		}
		return keys, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	var values []string
	directive := cobra.ShellCompDirectiveNoFileComp
	switch field, ok := kind.Named(key); {
	case key == mixFlag:
		values, directive = nextInList(value, kind.Generators()), directive|cobra.ShellCompDirectiveNoSpace
	case !ok:
	case field.Type() == reflect.TypeFor[bool]():
		values = []string{"true", "false"}
	default:
		values = field.Choices
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = key + "=" + v
	}
	return words, directive
}

// addCompletion adds the command "completion", which prints the scripts of the shells, and completes that of bash.
func (a *app) addCompletion(root *cobra.Command) error {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return err
	}
	// Cobra does not check the arguments of a command that only prints its help.
	completion.Args = noArguments
	completion.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
	bash, _, err := root.Find([]string{"completion", "bash"})
	if err != nil {
		return err
	}
	script := bash.RunE
	bash.RunE = func(command *cobra.Command, arguments []string) error {
		if err := script(command, arguments); err != nil {
			return err
		}
		_, err := io.WriteString(a.stdout, bashLists)
		return err
	}
	return nil
}

// bashLists replaces a function of cobra's script. The function takes the word to complete and a character at which
// bash breaks words, and removes the part before that character from the completions. In lists it would not find that
// part, because the script has put a backslash before each comma.
const bashLists = `
__trackgen_handle_special_char()
{
    local comp="$1" char=$2 word="" idx=${#COMPREPLY[*]}
    if [[ "$comp" == *${char}* && "$COMP_WORDBREAKS" == *${char}* ]]; then
        word=${comp%"${comp##*${char}}"}
    fi
    while ((--idx >= 0)); do
        COMPREPLY[idx]=${COMPREPLY[idx]//\\,/,}
        COMPREPLY[idx]=${COMPREPLY[idx]#"$word"}
    done
}
`

// completeCommand completes the names of commands as arguments.
func completeCommand(command *cobra.Command, path []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if above, err := subcommand(command.Root(), path); err == nil {
		for _, c := range documented(above) {
			names = append(names, c.Name()+"\t"+c.Short)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// registerCompletion sets the function that completes the values of a flag.
func registerCompletion(command *cobra.Command, flag string, complete cobra.CompletionFunc) {
	err := command.RegisterFlagCompletionFunc(flag, complete)
	cobra.CheckErr(err) // an error means that the flag does not exist
}

// completeNoOtherFiles stops the shell from offering files where a command and its subcommands take none: as values of
// flags that name no file, and as arguments.
func completeNoOtherFiles(command *cobra.Command) {
	command.LocalFlags().VisitAll(func(f *pflag.Flag) {
		_, completed := command.GetFlagCompletionFunc(f.Name)
		if f.Annotations[roleAnnotation] == nil && !completed {
			registerCompletion(command, f.Name, cobra.NoFileCompletions)
		}
	})
	if command.Annotations[roleAnnotation] == "" && command.ValidArgsFunction == nil {
		command.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, c := range command.Commands() {
		completeNoOtherFiles(c)
	}
}
