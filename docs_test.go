package trackgen_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The documents of the specification, and examples of citations.
const (
	rulesDocument    = "docs/spec/execution.md" // R52, D17, C4
	sectionsDocument = "docs/spec/pipeline.md"  // section 4.3
	coursesDocument  = "docs/spec/course.md"    // C-35
	racesDocument    = "docs/spec/race.md"      // L-1
)

// noRules are numbers that no rule has and that pages mention as missing.
var noRules = []string{"R118", "R144", "R154"}

var (
	anchor = regexp.MustCompile(`<a id="([^"]*)"></a>`)
	// rule matches the citation of a rule. In a range of rules, it matches both ends.
	rule = regexp.MustCompile(`\b[RDC][1-9]\d*[a-l]?\b`)
	// courseRule matches the citation of a rule of courses.
	courseRule = regexp.MustCompile(`\bC-[1-9]\d*\b`)
	// raceRule matches the citation of a rule of races.
	raceRule = regexp.MustCompile(`\bL-[1-9]\d*\b`)
	// sections matches a citation of one or several sections of the pipeline.
	sections = regexp.MustCompile(`pipeline\.md,? sections? (\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*)`)
	// elsewhere matches citations of documents outside of the module.
	elsewhere = regexp.MustCompile(`\b(PIPELINE(\.md)? section|EXEC\.md|DESIGN\.md)`)
	number    = regexp.MustCompile(`\d+(?:\.\d+)*`)
	// link matches a relative link of Markdown: a file, an anchor, or both.
	link = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	// namedTest matches a test that a page names, testFunction the definition of a test.
	namedTest    = regexp.MustCompile("`(Test[A-Z]\\w*)`")
	testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	heading      = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fence        = regexp.MustCompile("(?s)```.*?```")
	code         = regexp.MustCompile("`[^`\n]*`")
)

// files returns the files of the module with this ending, except generated files and those outside of the module.
func files(t *testing.T, ending string) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (path == "out" || path == "shared" || len(path) > 1 && strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case strings.HasSuffix(path, ending) && !strings.HasPrefix(entry.Name(), "zz_") &&
			!strings.Contains(entry.Name(), "_generated"):
			found = append(found, filepath.ToSlash(path))
		}
		return nil
	}))
	return found
}

// document returns a page without its code, in which nothing is a citation or a link.
func document(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return code.ReplaceAllString(fence.ReplaceAllString(string(text), ""), "")
}

// anchors returns the link targets of a page: its anchors, which must be unique, and its headings.
func anchors(t *testing.T, path string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, m := range anchor.FindAllStringSubmatch(string(text), -1) {
		assert.False(t, found[m[1]], "%s has the anchor %q twice", path, m[1])
		found[m[1]] = true
	}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
		found[slug(m[1])] = true
	}
	return found
}

// slug returns the anchor of a heading: lower case, with dashes for spaces and without punctuation.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
			return r
		default:
			return -1
		}
	}, strings.ToLower(title))
}

// comments returns the comments of a Go file, each as one line.
func comments(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	var found []string
	for _, group := range file.Comments {
		found = append(found, strings.Join(strings.Fields(group.Text()), " "))
	}
	return found
}

// Rules and sections that comments and pages cite exist in the specification.
func TestCitationsAreInTheSpecification(t *testing.T) {
	rules, numbers := anchors(t, rulesDocument), anchors(t, sectionsDocument)
	courses, races := anchors(t, coursesDocument), anchors(t, racesDocument)
	check := func(where, text string) {
		assert.Empty(t, elsewhere.FindString(text), "%s cites a document that is not in docs/spec", where)
		for _, cited := range rule.FindAllString(text, -1) {
			if slices.Contains(noRules, cited) {
				continue
			}
			assert.True(t, rules[strings.ToLower(cited)], "%s cites %s, which %s does not have", where, cited, rulesDocument)
		}
		for _, cited := range courseRule.FindAllString(text, -1) {
			assert.True(t, courses[strings.ToLower(cited)], "%s cites %s, which %s does not have", where, cited, coursesDocument)
		}
		for _, cited := range raceRule.FindAllString(text, -1) {
			assert.True(t, races[strings.ToLower(cited)], "%s cites %s, which %s does not have", where, cited, racesDocument)
		}
		for _, m := range sections.FindAllStringSubmatch(text, -1) {
			for _, cited := range number.FindAllString(m[1], -1) {
				assert.True(t, numbers["s"+cited], "%s cites section %s, which %s does not have", where, cited, sectionsDocument)
			}
		}
	}
	for _, path := range files(t, ".go") {
		for _, comment := range comments(t, path) {
			check(path, comment)
		}
	}
	for _, path := range files(t, ".md") {
		check(path, strings.Join(strings.Fields(document(t, path)), " "))
	}
}

// Links between pages name existing files and anchors. Those of docs/exec-rules.md name every rule.
func TestLinksOfPages(t *testing.T) {
	known := map[string]map[string]bool{}
	for _, path := range files(t, ".md") {
		known[path] = anchors(t, path)
	}
	for path := range known {
		for _, m := range link.FindAllStringSubmatch(document(t, path), -1) {
			if strings.Contains(m[1], ":") { // a link to another host
				continue
			}
			target := path
			if m[1] != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(path), m[1]))
			}
			if _, err := os.Stat(target); !assert.NoError(t, err, "%s links to %s", path, m[0]) || m[2] == "" {
				continue
			}
			assert.True(t, known[target][m[2]], "%s links to %s, an anchor that is not there", path, m[0])
		}
	}
}

// shownProgram matches the sentence that says of which example a page shows the program.
var shownProgram = regexp.MustCompile("`(Example\\w+)` in the root package is this program")

// Programs of pages are examples, which the tests compile and run, with their output.
func TestProgramsOfPages(t *testing.T) {
	sources := ""
	for _, path := range files(t, "_example_test.go") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		sources += string(text)
	}
	shown := 0
	for _, path := range files(t, ".md") {
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range shownProgram.FindAllStringSubmatch(string(page), -1) {
			shown++
			program, output := exampleOf(t, sources, m[1])
			for what, block := range map[string]string{"program": "```go\n" + program, "output": "```\n" + output} {
				assert.True(t, strings.Contains(string(page), block+"```\n"), "%s shows not the %s of %s:\n%s", path, what, m[1], block)
			}
		}
	}
	assert.GreaterOrEqual(t, shown, 5)
}

// exampleOf returns the program of an example as a page shows it, and its output.
func exampleOf(t *testing.T, sources, name string) (program, output string) {
	t.Helper()
	_, body, found := strings.Cut(sources, "\nfunc "+name+"() {\n")
	require.True(t, found, name)
	body, _, _ = strings.Cut(body, "\n}\n")
	program, output, found = strings.Cut(body+"\n", "\t// Output:")
	require.True(t, found, "the output of %s", name)
	lines := func(text, indent string) (out string) {
		for line := range strings.Lines(text) {
			out += strings.TrimPrefix(line, indent)
		}
		return out
	}
	output = strings.TrimPrefix(output, "\n")
	return lines(program, "\t"), lines(strings.TrimPrefix(output, " "), "\t// ")
}

// Tests that pages name as evidence exist.
func TestPagesNameTests(t *testing.T) {
	known := map[string]bool{}
	for _, path := range files(t, "_test.go") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range testFunction.FindAllStringSubmatch(string(text), -1) {
			known[m[1]] = true
		}
	}
	for _, path := range files(t, ".md") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range namedTest.FindAllStringSubmatch(string(text), -1) {
			assert.True(t, known[m[1]], "%s names %s, which is not a test", path, m[1])
		}
	}
}

func TestReadingOfPages(t *testing.T) {
	assert.Equal(t, "skipped-conditionals-on-the-device", slug("Skipped: conditionals on the device"))
	assert.Equal(t, "12-relax_iters", slug("12. `relax_iters`"))
	assert.Equal(t, []string{"R64a", "D17", "R38", "R40"}, rule.FindAllString("R64a, D17; FR12 R38-R40 C3PO R0", -1))
	m := sections.FindStringSubmatch("docs/spec/pipeline.md, sections 1, 4.0 to 4.5 and 16. And so on")
	require.NotNil(t, m)
	assert.Equal(t, []string{"1", "4.0", "4.5", "16"}, number.FindAllString(m[1], -1))
}
