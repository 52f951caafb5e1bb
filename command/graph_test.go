package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The graphs in the documentation are up to date. If this fails, run make pictures.
func TestDocumentedGraphs(t *testing.T) {
	for name, arguments := range map[string][]string{"graph-generate.svg": nil, "graph-regenerate.svg": {"--regenerate"}} {
		var out, messages bytes.Buffer
		code := newApp(nil, &out, &messages).execute(t.Context(),
			append([]string{"graph", "--device", "cpu", "--envs", "4096", "--format", "svg"}, arguments...))
		require.Equal(t, exitDone, code, messages.String())
		want, err := os.ReadFile(filepath.Join("..", "docs", "images", name))
		require.NoError(t, err)
		assert.Equal(t, string(want), out.String(), name)
	}
}

// A graph has the nodes and launches that a dry run counts.
func TestGraphIsThatOfTheDryRun(t *testing.T) {
	read := func(into any, arguments ...string) {
		var out, messages bytes.Buffer
		code := newApp(nil, &out, &messages).execute(t.Context(), arguments)
		require.Equal(t, exitDone, code, messages.String())
		require.NoError(t, json.Unmarshal(out.Bytes(), into))
	}
	for generator, chosen := range map[string][]string{
		"bezier": {"--generator", "bezier"}, "polar": {"--generator", "polar"},
		"gates of hull":  {"--course", "gates", "--generator", "hull"},
		"gates of mixed": {"--course", "gates", "--mix", "hull,voronoi", "--set", "gate.size_range=[0.5, 2]"},
	} {
		var graph struct {
			Nodes      int
			Operations []struct{ Kind string }
		}
		read(&graph, append(chosen, "graph", "--device", "cpu", "--envs", "3")...)
		var demand struct {
			Launches   int
			GraphNodes int `json:"graph_nodes"`
		}
		read(&demand, append(chosen, "generate", "--dry-run", "--device", "noop", "--envs", "3")...)
		launches := 0
		for _, o := range graph.Operations {
			if o.Kind == "launch" {
				launches++
			}
		}
		assert.Equal(t, demand.Launches, launches, generator)
		assert.Equal(t, demand.GraphNodes, graph.Nodes, generator)
	}
}
