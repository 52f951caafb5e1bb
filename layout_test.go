package trackgen_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/trackgen-go/trackgen/"

// listed is the output of `go list -json` for a package.
type listed struct {
	ImportPath string
	Name       string
	Deps       []string
	Imports    []string
	Standard   bool
}

// packages lists the packages of the module, without their tests.
func packages(t *testing.T) []listed {
	t.Helper()
	output, err := exec.Command("go", "list", "-json=ImportPath,Name,Deps,Imports,Standard", "./...").Output()
	require.NoError(t, err)
	var all []listed
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

// everything lists what main packages may depend on.
var everything = []string{"kernel", "backend", "backend/recorder", "backend/cpu", "backend/cuda", "backend/vulkan",
	"backend/noop", "backend/all",
	"exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column", "generation", "config", "track", "gate",
	"heightfield", "course", "race", "internal/component", "internal/settings", "circuit", "export", "dataset", "interop",
	"bench", "explore", ""}

// belowRoot lists what the front door may depend on. The front door is the root of the module, and its area is the
// empty string.
var belowRoot = []string{"kernel", "backend", "backend/recorder", "backend/cpu", "backend/cuda", "backend/vulkan",
	"backend/noop", "backend/all",
	"exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column", "generation", "config", "track", "gate",
	"heightfield", "course", "race", "internal/component", "circuit", "interop"}

// layers maps each area of the module to the areas on which its packages may depend (docs/design/layout.md). An area is
// the first element of the path below the module, except that each backend, each package below interop, and each
// package of aboveInternal, has an area of its own.
var layers = map[string][]string{
	"kernel":           {},
	"backend":          {"internal", "kernel"},
	"backend/recorder": {"internal", "kernel", "backend"},
	"backend/cpu":      {"internal", "kernel", "backend", "backend/recorder"},
	"backend/cuda":     {"internal", "kernel", "backend", "backend/recorder"},
	"backend/vulkan":   {"internal", "kernel", "backend", "backend/recorder"},
	"backend/noop":     {"internal", "kernel", "backend", "backend/recorder"},
	"backend/all": {"internal", "kernel", "backend", "backend/recorder", "backend/cpu", "backend/cuda",
		"backend/vulkan"},
	"backend/backendtest": {"kernel", "backend", "exec", "shaders", "internal"},
	"exec":                {"kernel", "backend", "internal"},
	"shaders":             {},
	"":                    belowRoot,
	"kernels":             {"kernel", "backend", "exec", "shaders", "internal"},
	"seeds":               {"kernel", "backend", "exec", "shaders", "kernels", "internal"},
	"internal":            {"kernel", "backend"},
	"pipeline":            {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal"},
	"column":              {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline"},
	"generation": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline", "config",
		"backend/recorder", "backend/noop"},
	"config": {"kernel", "backend", "internal"},
	"track": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column",
		"generation", "config", "backend/recorder", "backend/noop"},
	"gate": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column",
		"generation", "config", "track", "backend/recorder", "backend/noop"},
	"internal/component": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column",
		"generation", "config", "backend/recorder", "backend/noop"},
	"internal/coursetest": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline"},
	"heightfield": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column",
		"generation", "config", "track", "internal/component", "backend/recorder", "backend/noop"},
	"course": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column",
		"generation", "config", "track", "gate", "heightfield", "internal/component", "backend/recorder", "backend/noop"},
	"race": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column",
		"generation", "config", "track", "gate", "heightfield", "course", "internal/component", "backend/recorder",
		"backend/noop"},
	"circuit": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column",
		"generation", "config", "track", "backend/recorder", "backend/noop"},
	"export": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column",
		"generation", "config", "track", "gate", "heightfield", "course", "race", "internal/component", "circuit",
		"backend/recorder", "backend/noop"},
	"dataset": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column",
		"generation", "config", "track", "gate", "heightfield", "course", "race", "internal/component", "circuit",
		"export", "backend/recorder", "backend/noop"},
	"interop": {"kernel", "backend", "exec", "shaders", "kernels", "seeds", "internal", "pipeline", "column",
		"generation", "config", "track", "backend/recorder", "backend/noop"},
	"interop/cabi":      everything,
	"internal/settings": slices.Concat(belowRoot, []string{""}),
	"bench":             everything,
	"explore":           everything,
	"command":           everything,
	"cmd":               slices.Concat(everything, []string{"command"}),
	"examples":          everything,
}

// aboveInternal are packages of internal that build on much of the module. Each has an area of its own.
var aboveInternal = []string{"component", "coursetest", "settings"}

func area(path string) string {
	if path+"/" == module {
		return ""
	}
	rest := strings.TrimPrefix(path+"/", module)
	parts := strings.Split(rest, "/")
	if len(parts) > 2 && (parts[0] == "backend" || parts[0] == "interop" ||
		parts[0] == "internal" && slices.Contains(aboveInternal, parts[1])) {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// Packages depend on each other only in the directions of the layout.
func TestImportDirections(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		if !strings.HasPrefix(p.ImportPath+"/", module) {
			continue
		}
		seen++
		from := area(p.ImportPath)
		allowed, known := layers[from]
		if !assert.True(t, known, "%s is in no layer: add its area %q here and to docs/design/layout.md",
			p.ImportPath, from) {
			continue
		}
		for _, dependency := range p.Deps {
			if !strings.HasPrefix(dependency+"/", module) {
				continue
			}
			to := area(dependency)
			assert.True(t, to == from || slices.Contains(allowed, to), "%s depends on %s", p.ImportPath, dependency)
		}
	}
	assert.Greater(t, seen, 10, "packages looked at")
}

// Package exec and the packages above it open a backend only by its registered name. Only main packages import a
// backend, and the front door imports all of them. The recorder is below the backends, and no other package imports it.
func TestOnlyMainPackagesImportABackend(t *testing.T) {
	for _, p := range packages(t) {
		if p.Name == "main" || area(p.ImportPath) == "backend/all" || area(p.ImportPath) == "" {
			continue
		}
		for _, imported := range p.Imports {
			if imported == module+"backend/recorder" && strings.HasPrefix(area(p.ImportPath), "backend/") {
				continue
			}
			if imported == module+"backend/noop" && slices.Contains([]string{"generation", "track"}, area(p.ImportPath)) {
				continue // dry runs use it; it is not registered
			}
			if strings.HasPrefix(imported, module+"backend/") && !strings.HasPrefix(imported, module+area(p.ImportPath)) {
				assert.Failf(t, "backend imported", "%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// The command uses the library as its users do: through the front door and the packages above it.
func TestCommandUsesTheFrontDoor(t *testing.T) {
	allowed := []string{"", "config", "export", "dataset", "bench", "explore", "internal", "internal/settings", "command"}
	for _, p := range packages(t) {
		if !strings.HasPrefix(p.ImportPath, module+"command") {
			continue
		}
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported+"/", module) {
				assert.Contains(t, allowed, area(imported), "%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// libraries lists the modules of others that library packages use.
var libraries = map[string][]string{
	"circuit":        {"go.yaml.in/yaml/v4", "golang.org/x/text"},
	"dataset":        {"golang.org/x/sync"},
	"dataset/bucket": {"gocloud.dev"},
	"export":         {"golang.org/x/sys"},
	"export/parquet": {"github.com/parquet-go/parquet-go", "github.com/apache/arrow-go/v18", "github.com/x448/float16",
		"github.com/klauspost/compress", "github.com/andybalholm/brotli"},
	"export/mesh":            {"github.com/qmuntal/gltf"},
	"race/difficulty/filter": {"github.com/expr-lang/expr"},
}

// Library packages use only the standard library, with few exceptions. Programs and examples may use more.
func TestLibraryDependencies(t *testing.T) {
	for _, p := range packages(t) {
		switch area(p.ImportPath) {
		case "cmd", "command", "bench", "examples", "internal/settings":
			continue
		}
		assert.NotContains(t, p.Imports, module+"internal/golden", "%s is no test", p.ImportPath)
		if strings.HasSuffix(p.ImportPath, "backend/backendtest") || p.ImportPath == module+"internal/golden" {
			continue // helpers of tests
		}
		for _, imported := range p.Imports {
			first, _, _ := strings.Cut(imported, "/")
			external := strings.Contains(first, ".") && !strings.HasPrefix(imported+"/", module)
			allowed := strings.HasPrefix(imported, "golang.org/x/exp") ||
				slices.Contains([]string{"export", "interop/cabi"}, area(p.ImportPath)) &&
					strings.HasPrefix(imported, "golang.org/x/image") ||
				slices.ContainsFunc(libraries[strings.TrimPrefix(p.ImportPath, module)], func(library string) bool {
					return strings.HasPrefix(imported+"/", library+"/")
				})
			assert.False(t, external && !allowed, "%s imports %s", p.ImportPath, imported)
		}
	}
}
