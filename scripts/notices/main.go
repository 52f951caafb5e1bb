// Command notices writes the licences of all that a trackgen program consists of, on any platform of a release: those
// of Go and of each module. It fails if a module has no licence, or one that is not on the list of those that allow
// what we do. Run it in the repository's root: scripts/notices.sh.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	classifier "github.com/google/licenseclassifier/v2"
	"github.com/google/licenseclassifier/v2/assets"
)

// ours is the module that needs no notice.
const ours = "github.com/trackgen-go/trackgen"

// allowed are the licences that let us publish a binary under Apache-2.0 with nothing but a notice.
var allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0",
	"GNU-All-permissive-Copying-License", "ISC", "MIT", "Unlicense", "Zlib"}

// platforms are those of a release.
var platforms = [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"}}

var (
	licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([.-].*)?$`)
	noticeName  = regexp.MustCompile(`(?i)^(notice|patents)(\..*)?$`)
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "notices: %v\n", err)
		os.Exit(1)
	}
}

// module is a module of a program, with the folders whose licences are those of its packages.
type module struct {
	name    string // with the version
	folders []string
}

// run writes the notices for the programs, which are packages of the module of the working directory.
func run(programs []string, to io.Writer) error {
	modules, err := modulesOf(programs)
	if err != nil {
		return err
	}
	licences, err := assets.DefaultClassifier()
	if err != nil {
		return err
	}
	var texts []text
	var failed []error
	for _, m := range modules {
		found, err := textsOf(m, licences)
		failed = append(failed, err)
		texts = append(texts, found...)
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return write(to, modules, merged(texts))
}

// modulesOf lists the modules of programs on all platforms, and Go itself.
func modulesOf(programs []string) ([]module, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	folders := map[string][]string{"Go (standard library)": {strings.TrimSpace(string(root))}}
	for _, p := range platforms {
		list := exec.Command("go", append([]string{"list", "-deps", "-json=Dir,Module"}, programs...)...)
		list.Env = append(os.Environ(), "GOOS="+p[0], "GOARCH="+p[1], "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s/%s: %w", p[0], p[1], err)
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
			var pkg struct {
				Dir    string
				Module *struct{ Path, Version, Dir string }
			}
			if err := decoder.Decode(&pkg); err == io.EOF {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list for %s/%s: %w", p[0], p[1], err)
			}
			if pkg.Module == nil || pkg.Module.Path == ours {
				continue
			}
			name := pkg.Module.Path + " " + pkg.Module.Version
			for dir := pkg.Dir; ; dir = filepath.Dir(dir) {
				if !slices.Contains(folders[name], dir) {
					folders[name] = append(folders[name], dir)
				}
				if dir == pkg.Module.Dir || len(dir) < len(pkg.Module.Dir) {
					break
				}
			}
		}
	}
	var modules []module
	for name, list := range folders {
		slices.Sort(list)
		modules = append(modules, module{name, list})
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.name, b.name) })
	return modules, nil
}

// text is a licence or a notice, and the modules it belongs to.
type text struct {
	words   []byte
	modules []string
}

// textsOf returns the licences and the notices of a module.
func textsOf(m module, licences *classifier.Classifier) (texts []text, err error) {
	licensed := false
	for _, folder := range m.folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			isLicence := licenceName.MatchString(entry.Name())
			if !entry.Type().IsRegular() || !isLicence && !noticeName.MatchString(entry.Name()) ||
				strings.HasSuffix(entry.Name(), ".go") {
				continue
			}
			path := filepath.Join(folder, entry.Name())
			words, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if isLicence {
				if err := check(words, licences); err != nil {
					return nil, fmt.Errorf("%s: %s: %w", m.name, entry.Name(), err)
				}
				licensed = true
			}
			words = bytes.TrimSpace(bytes.ReplaceAll(words, []byte("\r\n"), []byte("\n")))
			texts = append(texts, text{words, []string{m.name}})
		}
	}
	if !licensed {
		return nil, fmt.Errorf("%s: no file with a licence", m.name)
	}
	return texts, nil
}

// check returns an error unless words hold a licence, and all that they hold are allowed.
func check(words []byte, licences *classifier.Classifier) error {
	known := false
	for _, match := range licences.Match(licences.Normalize(words)).Matches {
		if match.MatchType != "License" {
			continue
		}
		if !slices.Contains(allowed, match.Name) {
			return fmt.Errorf("the licence %s is not on the list of those that are allowed: %s", match.Name,
				strings.Join(allowed, ", "))
		}
		known = true
	}
	if !known {
		return errors.New("no licence that is known")
	}
	return nil
}

// merged returns the texts without repetitions, in the order of the first module of each.
func merged(texts []text) (list []text) {
	at := map[[sha256.Size]byte]int{}
	for _, t := range texts {
		sum := sha256.Sum256(bytes.Join(bytes.Fields(t.words), []byte(" ")))
		k, seen := at[sum]
		if !seen {
			at[sum] = len(list)
			list = append(list, t)
		} else if !slices.Contains(list[k].modules, t.modules[0]) {
			list[k].modules = append(list[k].modules, t.modules[0])
		}
	}
	return list
}

func write(to io.Writer, modules []module, texts []text) error {
	var out bytes.Buffer
	out.WriteString("TrackGen is licensed under the Apache License 2.0. ")
	fmt.Fprintf(&out, "Its programs hold parts of %d others:\n\n", len(modules))
	for _, m := range modules {
		fmt.Fprintf(&out, "  %s\n", m.name)
	}
	out.WriteString("\nTheir licences and notices follow.\n")
	for _, t := range texts {
		fmt.Fprintf(&out, "\n%s\n", strings.Repeat("=", 78))
		for _, name := range t.modules {
			fmt.Fprintf(&out, "%s\n", name)
		}
		fmt.Fprintf(&out, "%s\n\n%s\n", strings.Repeat("-", 78), t.words)
	}
	_, err := to.Write(out.Bytes())
	return err
}
