package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/trackgen-go/trackgen/internal/place"
)

// role says what a command does with the file that a flag or an argument names.
type role string

const (
	roleInput  role = "input"  // a file to read
	roleStream role = "stream" // a file to read, or the standard input as "-"
	roleOutput role = "output" // a file or a folder that is made and then gets its name
	roleFolder role = "folder" // a folder in which files are written, made with the folders above it
)

// reads reports whether the file is an input.
func (r role) reads() bool { return r == roleInput || r == roleStream }

// The annotations of a flag or a command that refuseSharedFiles reads.
const (
	roleAnnotation  = "trackgen role"
	filesAnnotation = "trackgen files" // names of the files that are written in a folder
)

// fileFlag adds a flag that names a file, with what the command does with it. For a folder, files names what is written
// in it.
func fileFlag(command *cobra.Command, value *string, name, shorthand string, r role, usage string, files ...string) {
	flags := command.Flags()
	flags.StringVarP(value, name, shorthand, "", usage)
	cobra.CheckErr(flags.SetAnnotation(name, roleAnnotation, []string{string(r)})) // only where the flag does not exist
	cobra.CheckErr(flags.SetAnnotation(name, filesAnnotation, files))
}

// fileArguments says of a command what it does with the files that its arguments name.
func fileArguments(r role) map[string]string { return map[string]string{roleAnnotation: string(r)} }

// namedFile is a file that a run reads or writes.
type namedFile struct {
	label  string // the flag that names it; empty for an argument
	role   role
	path   string
	places []place.Place // the file, and what is made beside it
}

// filesOf lists the files that the flags and the arguments of a command name.
func filesOf(command *cobra.Command, arguments []string) []namedFile {
	var files []namedFile
	command.Flags().Visit(func(f *pflag.Flag) {
		if r := f.Annotations[roleAnnotation]; r != nil {
			file := namedFile{label: "--" + f.Name, role: role(r[0]), path: f.Value.String()}
			file.locate(f.Annotations[filesAnnotation])
			files = append(files, file)
		}
	})
	if r, ok := command.Annotations[roleAnnotation]; ok {
		for _, path := range arguments {
			file := namedFile{role: role(r), path: path}
			file.locate(nil)
			files = append(files, file)
		}
	}
	return files
}

// isStandardInput reports whether the file is the standard input.
func (f *namedFile) isStandardInput() bool { return f.role == roleStream && f.path == "-" }

// locate finds the places of the file and of the files in it. Those of the standard streams are found elsewhere.
func (f *namedFile) locate(files []string) {
	if f.isStandardInput() {
		return
	}
	here, ok := place.Of(f.path)
	if !ok {
		return
	}
	f.places = append(f.places, here)
	if f.role != roleFolder {
		return
	}
	f.places = append(f.places, here.Missing()...)
	for _, name := range files {
		if inside, ok := place.Of(place.Join(f.path, name)); ok {
			f.places = append(f.places, inside)
		}
	}
}

// refuseSharedFiles refuses a run in which a file that is written is also read, or is written twice: it would be lost.
// Files are told apart by what they are, not by their names. It also refuses to read the standard input twice.
func (a *app) refuseSharedFiles(command *cobra.Command, arguments []string) error {
	files := filesOf(command, arguments)
	stdin := ""
	for i, f := range files {
		switch {
		case !f.role.reads() && f.path == "-":
			return badInputf("%s is %q: must be the name of a %s", f.label, f.path, f.kind())
		case f.isStandardInput() && stdin != "":
			return badInputf("%s and %s cannot both be read from standard input", stdin, f.label)
		case f.isStandardInput():
			stdin = f.label
			files[i] = namedFile{label: "standard input", role: roleStream, places: streamPlaces(a.stdin)}
		}
	}
	files = append(files, namedFile{label: "standard output", role: roleOutput, places: streamPlaces(a.stdout.w)})
	var shared []error
	for i, f := range files {
		for _, other := range files[:i] {
			if (!f.role.reads() || !other.role.reads()) && f.meets(other) {
				shared = append(shared, sharedError(other, f))
			}
		}
	}
	return badInput(errors.Join(shared...))
}

func (f *namedFile) kind() string {
	if f.role == roleFolder {
		return "folder"
	}
	return "file"
}

// meets reports whether two files are one, or one is in the place of what is made beside the other.
func (f *namedFile) meets(other namedFile) bool {
	for _, p := range f.places {
		for _, q := range other.places {
			if p.Is(q) {
				return true
			}
		}
	}
	return false
}

// sharedError says that two files, of which one at least is written, are one.
func sharedError(first, second namedFile) error {
	if first.role.reads() {
		first, second = second, first
	}
	if second.label == "" {
		return fmt.Errorf("%s is the file to read: %s", first.label, second.path)
	}
	where := ""
	if path := cmp.Or(first.path, second.path); path != "" { // the standard streams have none
		where = ": " + path
	}
	return fmt.Errorf("%s and %s are the same file%s", first.label, second.label, where)
}

// streamPlaces returns the place of a stream of the process that is a file.
func streamPlaces(stream any) []place.Place {
	file, ok := stream.(*os.File)
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return []place.Place{place.OfFile(info)}
}
