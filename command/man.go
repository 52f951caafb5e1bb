package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/trackgen-go/trackgen/export"
)

const (
	manSection = "1" // of the manual, for commands
	manWidth   = 72  // of lines that are not filled, so that they fit a terminal of 80 columns
)

func (a *app) manCommand() *cobra.Command {
	var out string
	command := &cobra.Command{
		Use:   "man [COMMAND ...]",
		Short: "Print the manual pages, or write them to a folder",
		Long: `Man prints the manual page of a command, or that of trackgen without one, as roff, which man formats. With --out it
writes the pages of all commands to a folder: trackgen.1, trackgen-generate.1 and so on. Man finds those in
a folder man1 below one of the folders that manpath lists.

The date of a page is that of the commit, if the build recorded it. SOURCE_DATE_EPOCH sets another.`,
		Example: `  trackgen man generate | man -l -
  trackgen man ledger check > check.1
  trackgen man --out ~/.local/share/man/man1`,
	}
	command.ValidArgsFunction = completeCommand
	command.RunE = a.run(func(_ context.Context, arguments []string) error {
		root := command.Root()
		if out == "" {
			named, err := subcommand(root, arguments)
			if err != nil {
				return badInput(err)
			}
			return writeManPage(a.stdout, named)
		}
		if len(arguments) > 0 {
			return badInputf("--out writes the pages of all commands, and %q is one", strings.Join(arguments, " "))
		}
		pages := manPages(root)
		if err := probeFiles(out, pageNames(pages)); err != nil {
			return badInput(err)
		}
		for _, page := range pages {
			err := export.WriteFile(filepath.Join(out, manFile(page)), func(w io.Writer) error { return writeManPage(w, page) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	fileFlag(command, &out, "out", "o", roleFolder, "`folder` to write the pages of all commands to")
	return command
}

// nameManPages tells the command "man" the names of its files, which depend on all commands.
func nameManPages(root *cobra.Command) {
	command, _, err := root.Find([]string{"man"})
	cobra.CheckErr(err) // the command exists
	cobra.CheckErr(command.Flags().SetAnnotation("out", filesAnnotation, pageNames(manPages(root))))
}

// manPages returns the commands that have a page, the root first.
func manPages(command *cobra.Command) []*cobra.Command {
	pages := []*cobra.Command{command}
	for _, c := range documented(command) {
		pages = append(pages, manPages(c)...)
	}
	return pages
}

// documented returns the commands of a command that the help lists, except the command "help".
func documented(command *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range command.Commands() {
		if c.IsAvailableCommand() {
			list = append(list, c)
		}
	}
	return list
}

// manFile returns the name of the file for the page of a command.
func manFile(command *cobra.Command) string {
	return strings.ReplaceAll(command.CommandPath(), " ", "-") + "." + manSection
}

func pageNames(pages []*cobra.Command) []string {
	names := make([]string, len(pages))
	for i, page := range pages {
		names[i] = manFile(page)
	}
	return names
}

// writeManPage writes the manual page of a command.
func writeManPage(w io.Writer, command *cobra.Command) error {
	path := command.CommandPath()
	name := strings.TrimSuffix(manFile(command), "."+manSection)
	command.InitDefaultHelpFlag()
	command.InitDefaultVersionFlag()
	var text strings.Builder
	fmt.Fprintf(&text, "%% %q %q %q %q %q\n", strings.ToUpper(name), manSection, buildDate(), "trackgen "+version(),
		"TrackGen")
	section := func(title, body string) {
		if body != "" {
			fmt.Fprintf(&text, "# %s\n%s\n\n", title, body)
		}
	}
	section("NAME", escapeMarkdown(name)+` \- `+escapeMarkdown(command.Short))
	section("SYNOPSIS", fmt.Sprintf("**%s** %s", path, escapeMarkdown(strings.TrimPrefix(command.UseLine(), path+" "))))
	section("DESCRIPTION", markdown(command.Long))
	section("OPTIONS", flagsMarkdown(command.NonInheritedFlags()))
	section("OPTIONS OF ALL COMMANDS", flagsMarkdown(command.InheritedFlags()))
	if command.Example != "" {
		section("EXAMPLES", "```\n"+examples(command.Example, manWidth)+"```")
	}
	var others []string
	if command.HasParent() {
		others = append(others, manReference(command.Parent()))
	}
	for _, c := range documented(command) {
		others = append(others, manReference(c))
	}
	section("SEE ALSO", strings.Join(others, ", "))
	_, err := w.Write(md2man.Render([]byte(text.String())))
	return err
}

func manReference(command *cobra.Command) string {
	return fmt.Sprintf("**%s**(%s)", escapeMarkdown(strings.ReplaceAll(command.CommandPath(), " ", "-")), manSection)
}

// flagsMarkdown returns flags as a list of definitions.
func flagsMarkdown(flags *pflag.FlagSet) string {
	var text strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		if f.Shorthand != "" {
			fmt.Fprintf(&text, "**-%s**, ", f.Shorthand)
		}
		fmt.Fprintf(&text, "**--%s**", f.Name)
		switch {
		case value != "" && f.NoOptDefVal != "":
			fmt.Fprintf(&text, "[=*%s*]", value)
		case value != "":
			fmt.Fprintf(&text, " *%s*", value)
		}
		if !slices.Contains([]string{"", "0", "[]", "false"}, f.DefValue) {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(&text, "\n: %s\n\n", escapeMarkdown(usage))
	})
	return text.String()
}

// buildDate returns the date of a page: that of SOURCE_DATE_EPOCH, a number of seconds since 1970 that builds of
// packages set, else that of the commit in Go's build information, or "" if the build did not record it.
func buildDate() string {
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC().Format(time.DateOnly)
	}
	if date, err := time.Parse(time.RFC3339, buildSetting("vcs.time")); err == nil {
		return date.UTC().Format(time.DateOnly)
	}
	return ""
}

// markdown converts a help text to Markdown. Lists become lists of definitions. Other indented lines stay unchanged.
func markdown(text string) string {
	var out strings.Builder
	for _, b := range blocks(text) {
		switch {
		case b.term != "":
			fmt.Fprintf(&out, "%s\n: %s\n\n", escapeMarkdown(b.term), escapeMarkdown(b.text))
		case b.indent != "":
			fmt.Fprintf(&out, "```\n%s```\n\n", wrap("", "  ", strings.Fields(b.text), "", manWidth))
		default:
			fmt.Fprintf(&out, "%s\n\n", escapeMarkdown(b.text))
		}
	}
	return out.String()
}

// markdownEscaper escapes the characters that could mean something in Markdown within a line.
var markdownEscaper = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`,
	">", `\>`, "#", `\#`, "|", `\|`, "~", `\~`, "&", `\&`)

func escapeMarkdown(text string) string { return markdownEscaper.Replace(text) }
