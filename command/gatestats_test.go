package command

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/required"
)

// gateStatsScript computes what stats reports of a file of gate courses, and compares it with the report: all courses,
// and those of each component.
const gateStatsScript = `
import json, sys
import numpy as np
path, report = sys.argv[1], json.load(open(sys.argv[2]))
gates = np.load(path)
config = json.loads(str(gates["metadata"]))["config"]
names = ["too few gates", "too many gates", "not finite", "direction", "separation", "crossing", "grade", "distance",
         "turn"]

def check(row, chosen):
    valid = [e for e in chosen if gates["valid"][e]]
    assert row["envs"] == len(chosen) and row["valid"] == len(valid), row
    assert row["yield"] == len(valid) / len(chosen)
    reasons = {name: int(sum(gates["reason"][e] >> bit & 1 for e in chosen)) for bit, name in enumerate(names)}
    assert row["reasons"] == {name: n for name, n in reasons.items() if n}, (row["reasons"], reasons)
    assert row["frame_fallbacks"] == sum(gates["frame_fallbacks"][e] for e in chosen)
    values = {"gates": [], "distance": [], "turn": [], "height_difference": []}
    for e in valid:
        p = gates["position"][e, : gates["count"][e]].astype(float)
        way = np.roll(p, -1, axis=0) - p
        length = np.linalg.norm(way, axis=1)
        unit = way / length[:, None]
        before = np.roll(unit, 1, axis=0)
        # By half angles, which is exact near 0 and near pi.
        turn = 2 * np.arctan2(np.linalg.norm(unit - before, axis=1), np.linalg.norm(unit + before, axis=1))
        values["gates"].append(len(p))
        values["distance"].extend(length)
        values["turn"].extend(turn)
        values["height_difference"].extend(abs(way[:, 2]))
    for name, list in values.items():
        want = dict(min=np.min(list), mean=np.mean(list), median=np.median(list), max=np.max(list))
        assert row[name].keys() == want.keys(), row[name]
        for figure in want:
            np.testing.assert_allclose(row[name][figure], want[figure], 1e-9, 1e-9, err_msg=name + " " + figure)

check(report, range(len(gates["valid"])))
assert [c["generator"] for c in report["components"]] == [c["generator"] for c in config["mix"]]
for k, row in enumerate(report["components"]):
    assert row["weight"] == config["mix"][k]["weight"]
    check(row, np.flatnonzero(gates["component"] == k))
`

// The statistics of a mixed batch of gate courses, and of each of its components, are those that NumPy computes.
func TestGateStatsAgainstNumPy(t *testing.T) {
	path, report := filepath.Join(t.TempDir(), "gates.npz"), filepath.Join(t.TempDir(), "report.json")
	run := func(arguments ...string) []byte {
		var out, messages bytes.Buffer
		code := newApp(nil, &out, &messages).execute(t.Context(), arguments)
		require.Equal(t, exitDone, code, messages.String())
		return out.Bytes()
	}
	run("generate", "--course", "gates", "--mix", "bezier=2,voronoi,polar=0.5", "--envs", "150", "--out", path, "-q",
		"--set", "elevation.profile=random_walk", "--set", "elevation.max=0.5", "--set", "elevation.max_step=0.3",
		"--set", "gate.width=10cm", "--set", "validity.max_turn=2.5", "--set", "validity.max_distance=1.2",
		"--device", "cpu")
	text := run("stats", path)
	require.NoError(t, os.WriteFile(report, text, 0o600))
	required.Python(t, "numpy", gateStatsScript, path, report)
}
