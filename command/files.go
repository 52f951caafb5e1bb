package command

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/trackgen-go/trackgen/internal/place"
)

// role is the use of a file that a flag or an argument names.
type role string

const (
	roleInput  role = "input"  // a file to read
	roleStream role = "stream" // a file to read; "-" is standard input
	roleOutput role = "output" // a file or a folder to create, renamed to its final name when it is complete
	roleFolder role = "folder" // a folder to write files to, created together with its parents
)

// reads reports whether the file is an input.
func (r role) reads() bool { return r == roleInput || r == roleStream }

// Annotations of flags and commands. refuseSharedFiles reads them.
const (
	roleAnnotation  = "trackgen role"
	filesAnnotation = "trackgen files" // names of the files that are written to a folder
)

// fileFlag adds a flag that names a file, and annotates it with the role of the file. If the file is a folder, files
// lists the names of the files that are written to it.
func fileFlag(command *cobra.Command, value *string, name, shorthand string, r role, usage string, files ...string) {
	flags := command.Flags()
	flags.StringVarP(value, name, shorthand, "", usage)
	cobra.CheckErr(flags.SetAnnotation(name, roleAnnotation, []string{string(r)})) // the flag exists
	cobra.CheckErr(flags.SetAnnotation(name, filesAnnotation, files))
}

// fileArguments returns the annotations of a command whose arguments name files with this role.
func fileArguments(r role) map[string]string { return map[string]string{roleAnnotation: string(r)} }

// namedFile is a file that a run reads or writes.
type namedFile struct {
	label  string // the flag that names it; empty for an argument
	role   role
	path   string
	places []place.Place // of the file, and of the files and folders that are created with it
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

func (f *namedFile) isStandardInput() bool { return f.role == roleStream && f.path == "-" }

// locate sets the places of the file and of the files in it, except for standard input: see streamPlaces.
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

// refuseSharedFiles returns an error of the input if the run would write a file that it also reads, or write a file
// twice, because contents would be lost. It recognizes a file under different names, such as links. It also refuses to
// read standard input twice, or for a file that is read out of order.
func (a *app) refuseSharedFiles(command *cobra.Command, arguments []string) error {
	files := filesOf(command, arguments)
	stdin := ""
	for i, f := range files {
		switch {
		case !f.role.reads() && f.path == "-":
			return badInputf("%s is %q: must be the name of a %s", f.label, f.path, f.kind())
		case f.role == roleInput && f.path == "-":
			return badInputf("%s is %q: must be the name of a file, because standard input cannot be read here",
				cmp.Or(f.label, "the file to read"), f.path)
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

// meets reports whether two files have a place in common.
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

// sharedError returns the error for two names of one file. At least one of them is an output.
func sharedError(first, second namedFile) error {
	if first.role.reads() {
		first, second = second, first
	}
	if second.label == "" {
		return fmt.Errorf("%s is the file to read: %s", first.label, second.path)
	}
	where := ""
	if path := cmp.Or(first.path, second.path); path != "" { // standard streams have no path
		where = ": " + path
	}
	return fmt.Errorf("%s and %s are the same file%s", first.label, second.label, where)
}

// streamPlaces returns the place of a standard stream that is redirected to a regular file, and nil for other streams.
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
