package command

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/wording"
)

// Error messages for bad input do not repeat themselves.
func TestWordingOfBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"bad.yaml":   "road.half_width: -1\ngenerator: bez\nfoo: 3\nnum_envs: [1,2]\n",
		"nest.yaml":  "a: [[[[[[[[[[1]]]]]]]]]]\n",
		"quote.yaml": "generator: \"bezier\n",
		"mix.yaml":   "mix:\n  - generator: bezier\n    weight: -1\n  - generator: nope\n",
		"text.yaml":  "\xff\xfe",
		"seeds.txt":  "1\n2\nx\n",
		"text.npz":   "text",
		"two.csv":    "x,y\n0,0\n",
		"three.csv":  "a,b,c\n1,2,zz\n",
		"square.csv": "0,0\n100,0\n100,100\n0,100\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, arguments := range []string{
		"generate --set road.half_width=-1 --out a.npz", "generate --set generator=bez --out a.npz",
		"generate --set num_envs=0,5 --set foo=1 --set road.half_width=2parsec --out a.npz",
		"generate --set road.half_width --out a.npz",
		"generate --set N_max=4 --out a.npz", "generate --set relax.band=-2 --out a.npz",
		"generate --set bezier.scale_range=1:2 --out a.npz", "generate --set mix=bezier:0 --out a.npz",
		"generate --config missing.yaml --out a.npz", "generate --config bad.yaml --out a.npz",
		"generate --config nest.yaml --out a.npz", "generate --config quote.yaml --out a.npz",
		"generate --config mix.yaml --out a.npz", "generate --config text.yaml --out a.npz",
		"generate --seeds-file seeds.txt --out a.npz", "generate --seeds-file missing.txt --out a.npz",
		"generate --device gpx --out a.npz", "generate --device cpu:9 --out a.npz", "generate --out missing/a.npz",
		"generate --out .", "generate --envs 99999999999 --out a.npz", "generate --nope", "gen", "devices extra",
		"generate --out=", "export text.npz --out a.png", "export missing.npz --out a.png", "export text.npz --out a.zzz",
		"stats text.npz", "stats missing.npz", "plot text.npz --env 3-1 --out a.png", "import missing.csv --out a.npz",
		"import three.csv --out a.npz", "import two.csv --out a.npz", "import square.csv --out a.npz",
		"import square.csv --half-width 400 --out a.npz", "import square.csv --half-width 5 --spacing 0.0000001 --out a.npz",
		"verify --generators nope", "bench --from text.npz", "bench --from missing.json",
	} {
		var stdout, stderr strings.Builder
		code := newApp(strings.NewReader(""), &stdout, &stderr).execute(t.Context(), strings.Fields(arguments))
		assert.NotZero(t, code, arguments)
		assert.Empty(t, stdout.String(), arguments)
		assert.NotEmpty(t, stderr.String(), arguments)
		assert.Empty(t, wording.Fault(stderr.String()), "%s: %s", arguments, stderr.String())
	}
}
