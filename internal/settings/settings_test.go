package settings_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/internal/settings"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func TestReadValues(t *testing.T) {
	const text = "\xef\xbb\xbf# a comment\r\n" + `---
generator: "polar"
num_envs: 1e3      # a whole number all the same
road:
  half_width: 30 cm
  height: -2.5
scale: 0.25km
bezier:
  scale_range: [800 mm, 1.25]
  handle_length_range: 0.1:0.3
  handle_limit_range:
    - 0.2
    - 0.4
validity.turning_tolerance: 45 deg
relax.enabled: false
relax: {margin: 0}
hull: # nothing
repulsive: {stages: [32, 64,
  128]}
voronoi:
`
	list, err := settings.Tracks.Read("race.yaml", strings.NewReader(text))
	require.NoError(t, err)
	c := trackgen.DefaultConfig()
	origins, err := settings.Tracks.Apply(&c, list)
	require.NoError(t, err)
	want := tracktest.Config("polar", 1000, func(c *trackgen.Config) {
		c.Road.HalfWidth = 0.3
		c.Scale = 250
		c.Bezier.ScaleRange = trackgen.Range{Min: 0.8, Max: 1.25}
		c.Bezier.HandleLengthRange = trackgen.Range{Min: 0.1, Max: 0.3}
		c.Bezier.HandleLimitRange = trackgen.Range{Min: 0.2, Max: 0.4}
		c.Validity.TurningTolerance = math.Pi / 4
		c.Relax.Enabled = false
		c.Road.Height = -2.5
		c.Relax.Margin = 0.0
		c.Repulsive.Stages = []int{32, 64, 128}
	})
	assert.Equal(t, want, c)
	assert.Equal(t, "race.yaml:3", origins["generator"])
	assert.Equal(t, "race.yaml:12", origins["bezier.handle_limit_range"])
	assert.NotContains(t, origins, "scale_sampling")
}

func TestReadNothing(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# only a comment\n", "---\n", "\xef\xbb\xbf", "---\n# note\n"} {
		list, err := settings.Tracks.Read("race.yaml", strings.NewReader(text))
		require.NoError(t, err, "%q", text)
		assert.Empty(t, list, "%q", text)
	}
}

func TestReadRefuses(t *testing.T) {
	const number = "must be a number > 0 and <= 1000000"
	for text, want := range map[string]string{
		"\nhalf_widht: 1": `race.yaml:2: unknown field "half_widht"; did you mean "road.half_width"? (trackgen config lists all fields)`,
		"zebra: 1":        `race.yaml:1: unknown field "zebra" (trackgen config lists all fields)`,
		"12: 1":           `race.yaml:1: unknown field "12" (trackgen config lists all fields)`,
		"road.half_width: 1\n\nroad: {half_width: 1}": "race.yaml:3: road.half_width is set again: it was set in line 1",
		"road.half_width: wide": `race.yaml:1: road.half_width is "wide": ` + number +
			" (unit: m, cm, mm, km)",
		"road.half_width: true": `race.yaml:1: road.half_width is "true": ` + number +
			" (unit: m, cm, mm, km)",
		"road.half_width: 1e999": `race.yaml:1: road.half_width is "1e999": ` + number +
			" (unit: m, cm, mm, km)",
		"road.half_width: .nan": `race.yaml:1: road.half_width is ".nan": ` + number +
			" (unit: m, cm, mm, km)",
		"road.half_width: 1,5": `race.yaml:1: road.half_width is "1,5": ` + number +
			" (unit: m, cm, mm, km)",
		"road.half_width: 10 ft":          `race.yaml:1: road.half_width is "10 ft": unknown unit "ft": must be one of m, cm, mm, km`,
		"road.half_width: 10 deg":         `race.yaml:1: road.half_width is "10 deg": unknown unit "deg": must be one of m, cm, mm, km`,
		"validity.turning_tolerance: 1 m": `race.yaml:1: validity.turning_tolerance is "1 m": unknown unit "m": must be one of rad, deg`,
		"bezier.handle_length: 0.4 m":     `race.yaml:1: bezier.handle_length is "0.4 m": it takes a plain number, without a unit`,
		"num_envs: 3 m":                   `race.yaml:1: num_envs is "3 m": it takes a plain number, without a unit`,
		"num_envs: 1.5":                   `race.yaml:1: num_envs is "1.5": must be a whole number >= 1 and <= 16777216`,
		"num_envs: 010":                   `race.yaml:1: num_envs is "010": must be a whole number >= 1 and <= 16777216`,
		"num_envs: 0x10":                  `race.yaml:1: num_envs is "0x10": must be a whole number >= 1 and <= 16777216`,
		"num_envs: 99999999999999999999":  `race.yaml:1: num_envs is "99999999999999999999": must be a whole number >= 1 and <= 16777216`,
		"relax.enabled: yes":              `race.yaml:1: relax.enabled is "yes": must be true or false`,
		"relax.enabled: 1":                `race.yaml:1: relax.enabled is "1": must be true or false`,
		"generator: bezeir": `race.yaml:1: generator is "bezeir": must be one of ` +
			strings.Join(append(trackgen.Generators(), trackgen.Mixed), ", ") + `; did you mean "bezier"?`,
		"generator: 7": `race.yaml:1: generator is "7": must be one of ` +
			strings.Join(append(trackgen.Generators(), trackgen.Mixed), ", "),
		"road.half_width: [1, 2]": "race.yaml:1: road.half_width is a list: " + number,
		"road.half_width: {a: 1}": "race.yaml:1: road.half_width is a mapping: " + number,
		"road.half_width: |\n  1": "race.yaml:1: road.half_width is a block of text: " + number,
		"\nroad.half_width:\n\noutput.spacing: 1": "race.yaml:2: road.half_width has no value: " + number +
			"; leave the line out for the default",
		"road.half_width: ~": "race.yaml:1: road.half_width has no value: " + number +
			"; leave the line out for the default",
		"road.half_width: ''":   "race.yaml:1: road.half_width has no value: " + number,
		"bezier.scale_range: 1": `race.yaml:1: bezier.scale_range is "1": must be a pair [min, max] with min <= max, each > 0 and <= 1000000, or [0, 0] for the default (unit: m, cm, mm, km)`,
		"bezier.scale_range: [1]": "race.yaml:1: bezier.scale_range is a list of 1: must be a pair [min, max] with " +
			"min <= max, each > 0 and <= 1000000, or [0, 0] for the default",
		"bezier.scale_range: [[1], 2]": "race.yaml:1: bezier.scale_range is a list: must be a pair [min, max] with min <= " +
			"max, each > 0 and <= 1000000, or [0, 0] for the default",
		"repulsive.stages: [4" + strings.Repeat(",4", 64) +
			"]": "race.yaml:1: repulsive.stages is a list of 65: must have at most 64 numbers",
		"bezier.handle_length_range: [1 m, 2]": `race.yaml:1: bezier.handle_length_range is "1 m": it takes a plain number, without a unit`,
		"road.half_width: &w 1\noutput.spacing: *w": "race.yaml:1: road.half_width is an anchor, alias or tag: " +
			number + ", written out\nrace.yaml:2: output.spacing is an anchor, alias or tag: " + number +
			", or 0 for the default, written out",
		"road.half_width: !!float 1": "race.yaml:1: road.half_width is an anchor, alias or tag: " +
			number + ", written out",
		"road.half_width: 1\n---\noutput.spacing: 1\n": "race.yaml:2: a second document starts here: a configuration file " +
			"holds one",
		"- 1\n- 2":        "race.yaml:1: must be lines of the form field: value",
		"road.half_width": "race.yaml:1: must be lines of the form field: value",
		"\nhalf_width: \"1": "race.yaml:2: not valid YAML: while scanning a quoted scalar: found " +
			"unexpected end of stream",
		"road.half_width: \"1\n\n": "race.yaml:1: not valid YAML: while scanning a quoted scalar: found " +
			"unexpected end of stream",
		"road.half_width: 1\x01":            "race.yaml: not valid YAML: control characters are not allowed (value: 1)",
		"output.spacing: 1\nhalf_width: *w": "race.yaml:2: not valid YAML: unknown anchor 'w' referenced",
		"# c\n%YAML 1.2\n---\noutput.spacing: 1": "race.yaml:2: a directive, which starts with %: a configuration file " +
			"has none",
		"&k road.half_width: 1": "race.yaml:1: a list, mapping, anchor, alias or tag: must be the name " +
			"of a field (trackgen config lists all)",
		"[road.half_width]: 1": "race.yaml:1: a list, mapping, anchor, alias or tag: must be the name " +
			"of a field (trackgen config lists all)",
		"<<: {road.half_width: 1}": `race.yaml:1: unknown field "<<" (trackgen config lists all fields)`,
		"bezier.scale_range: &r [1, 2]": "race.yaml:1: bezier.scale_range is an anchor, alias or tag: must be a " +
			"pair [min, max] with min <= max, each > 0 and <= 1000000, or [0, 0] for the default, written out",
		"\xff\xfeh\x00":          "race.yaml: not UTF-8 text",
		"road.half_width: 1\x00": "race.yaml: not UTF-8 text",
		strings.Repeat("#", 64<<10) +
			"#": "race.yaml: longer than 64 KiB: a configuration file is a few lines of text",
	} {
		list, err := settings.Tracks.Read("race.yaml", strings.NewReader(text))
		assert.EqualError(t, err, want, "%q", text)
		assert.LessOrEqual(t, len(list), 1)
	}
}

// The error for a name of the reference system contains the name of the field.
func TestReadKnowsTheNamesOfTheReference(t *testing.T) {
	renamed := 0
	for _, f := range trackgen.Fields() {
		if f.Reference == "" || f.Reference == f.Name {
			continue
		}
		renamed++
		want := fmt.Sprintf("unknown field %q: its name is %s (trackgen config lists all fields)", f.Reference, f.Name)
		_, err := settings.Tracks.Read("race.yaml", strings.NewReader(f.Reference+": 1"))
		assert.EqualError(t, err, "race.yaml:1: "+want)
		_, err = settings.Tracks.Assignments([]string{f.Reference + "=1"}, "--set")
		assert.EqualError(t, err, "--set: "+want)
		_, err = settings.Tracks.Read("race.yaml", strings.NewReader("mix: [{"+f.Reference+": 1}]"))
		want = fmt.Sprintf("unknown field %q: its name is %s (trackgen config lists all fields)", "mix[0]."+f.Reference,
			"mix[0]."+f.Name)
		assert.EqualError(t, err, "race.yaml:1: "+want)
	}
	assert.Greater(t, renamed, 60)
}

// Errors in a component of a mixture say which component it is.
func TestReadNamesTheComponent(t *testing.T) {
	knots, _ := trackgen.FieldNamed("polar.knots")
	for text, want := range map[string]string{
		"mix: [{}, {wieght: 1}]": `unknown field "mix[1].wieght"; did you mean "weight"? (trackgen config lists all ` +
			"fields)",
		"mix: [{road.half_widht: 1}]":       `unknown field "mix[0].road.half_widht" (trackgen config lists all fields)`,
		"mix: [{}, {polar: {knots: many}}]": `mix[1].polar.knots is "many": must be ` + knots.Allowed(),
		"mix: [{weight: [1]}]":              "mix[0].weight must be a number > 0 and <= 1000000",
		"mix: [{weight: -1}]":               `mix[0].weight is "-1": must be a number > 0 and <= 1000000`,
		"mix: [{polar: 1}]": "mix[0].polar is a group of fields: must be lines of the form field: value, " +
			"further in",
		"mix: [{scale: 1, scale: 2}]": "mix[0].scale is set again: it was set in line 1",
		"mix: [{generator: bez}]": `mix[0].generator is "bez": must be one of ` +
			strings.Join(append(trackgen.Generators(), trackgen.Mixed), ", "),
	} {
		_, err := settings.Tracks.Read("race.yaml", strings.NewReader(text))
		assert.EqualError(t, err, "race.yaml:1: "+want, text)
	}
}

// A suggestion needs a name with a single mistake. A field of a component is no argument, and says so.
func TestSuggestionsAreClose(t *testing.T) {
	const list = " (trackgen config lists all fields)"
	const parts = ": the components of a mixed batch are one setting: give generators with weights as " +
		"mix=bezier=2,polar, or components with their fields as a list in a file" + list
	for name, want := range map[string]string{
		"mix.0.weight":      `unknown field "mix.0.weight"` + parts,
		"mix[0].weight":     `unknown field "mix[0].weight"` + parts,
		"mixture":           `unknown field "mixture"` + list,
		"road.weight":       `unknown field "road.weight"; did you mean "road.height"?` + list,
		"rod.height":        `unknown field "rod.height"; did you mean "road.height"?` + list,
		"relaxation.sweeps": `unknown field "relaxation.sweeps"; did you mean "relax.sweeps"?` + list,
		"relaxation.sweps":  `unknown field "relaxation.sweps"` + list,
		"anything.weight":   `unknown field "anything.weight"` + list,
		"validity.sweps":    `unknown field "validity.sweps"; did you mean "relax.sweeps"?` + list,
	} {
		_, err := settings.Tracks.Parse(name, "1", "--set")
		assert.EqualError(t, err, "--set: "+want)
	}
}

// A file for the other kind of course is one error, not one for each of its fields; a few such fields are mistakes.
func TestReadKnowsFilesOfTheOtherCourse(t *testing.T) {
	var tracks, gates strings.Builder
	require.NoError(t, settings.Tracks.Write(&tracks, trackgen.DefaultConfig()))
	require.NoError(t, settings.Gates.Write(&gates, trackgen.DefaultGateConfig()))
	_, err := settings.Gates.Read("race.yaml", strings.NewReader(tracks.String()))
	assert.Regexp(t, `^race.yaml:\d+: a file of settings of --course tracks, such as [a-z_.]+ `+
		`\(trackgen config --course gates lists all fields\)$`, err.Error())
	_, err = settings.Tracks.Read("gates.yaml", strings.NewReader(gates.String()))
	assert.Regexp(t, `^gates.yaml:\d+: a file of settings of --course gates, such as [a-z_.]+ `+
		`\(trackgen config lists all fields\)$`, err.Error())
	_, err = settings.Tracks.Read("race.yaml", strings.NewReader("gate: {radius: 1}\nzebra: 2\nordering: ccw"))
	assert.EqualError(t, err, `race.yaml:1: unknown field "gate": it is a setting of --course gates `+
		"(trackgen config lists all fields)\n"+`race.yaml:2: unknown field "zebra" (trackgen config lists all fields)`+
		"\n"+`race.yaml:3: unknown field "ordering": it is a setting of --course gates (trackgen config lists all fields)`)
}

// A file of tracks or gate courses is no configuration, and the error says where the configuration is.
func TestReadRefusesBatches(t *testing.T) {
	for _, text := range []string{"PK\x03\x04" + strings.Repeat("\x00", 1<<17), "PAR1", `{"made_by": {}}`,
		`{"type": "FeatureCollection"`} {
		_, err := settings.Gates.Read("gates.npz", strings.NewReader(text))
		assert.EqualError(t, err, "gates.npz: a file of tracks or gate courses: the configuration that made it is config in "+
			"its metadata")
	}
}

func TestReadReportsEverythingWrong(t *testing.T) {
	_, err := settings.Tracks.Read("race.yaml", strings.NewReader("output.spacing: x\nhalf_widht: 1\nN_max: []\n"))
	assert.Len(t, settings.Parts(err), 3)
	_, err = settings.Tracks.Read("race.yaml", strings.NewReader(strings.Repeat("zebra: 1\n", 1000)))
	assert.Len(t, settings.Parts(err), 11)
	assert.ErrorContains(t, err, "race.yaml: and more")
}

// Deep nesting is refused, because the time of a parser may grow with the square of the depth.
func TestReadDeep(t *testing.T) {
	for text, line := range map[string]int{
		strings.Repeat("[", 60_000): 1,
		"bezier.scale_range: " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000): 1,
		strings.Repeat("{a: ", 10_000): 1,
		strings.Repeat("- ", 30_000):   1,
		strings.Repeat("? ", 30_000):   1,
		"\nmix: [[[[[[[[[1]]]]]]]]]":   2,
		indented("a:\n", 100):          9,
	} {
		_, err := settings.Tracks.Read("race.yaml", strings.NewReader(text))
		require.EqualError(t, err, fmt.Sprintf("race.yaml:%d: lists and mappings are nested more than 8 deep", line), "%.20q",
			text)
	}
	_, err := settings.Tracks.Read("race.yaml", strings.NewReader("mix:\n  - bezier.scale_range: [[[[[[[[1]]]]]]]]"))
	require.EqualError(t, err,
		"race.yaml:2: mix[0].bezier.scale_range is a list of 1: must be a pair [min, max] with min <= max, each > 0 "+
			"and <= 1000000, or [0, 0] for the default")
}

func TestReadExpandsNoAliases(t *testing.T) {
	_, err := settings.Tracks.Read("race.yaml", strings.NewReader(
		"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\noutput.spacing: &c "+
			"[*b,*b,*b,*b,*b,*b,*b,*b,*b]\nhalf_width: [*c]"))
	require.Len(t, settings.Parts(err), 4)
	require.ErrorContains(t, err, "race.yaml:3: output.spacing is an anchor, alias or tag")
}

// indented repeats a line n times, each time indented by one more blank.
func indented(line string, n int) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(strings.Repeat(" ", i+1) + line)
	}
	return text.String()
}

// The memory that Read allocates is proportional to the length of the file. The files repeat tokens that a parser must
// remember: if its work grew with the square of the length, it would allocate more memory per byte.
func TestReadTakesMemoryInProportion(t *testing.T) {
	starts := []string{"", "road.half_width: ", "road.half_width: |\n", "road.half_width: >\n  1\n", "road.half_width: \"",
		"road.half_width: '", "road.half_width: [", "road.half_width: {",
		"road.half_width: 1\n", "road.half_width:\n  - ", "? ", "# ", "---\n", "mix:\n  - generator: "}
	units := []string{"\n", " ", "\t", "a", "a\n", " a\n", "  a\n", "[]", "[a,", ",", ":", "a: ", "a:\n", "? ", "- ",
		"-\n", "#\n", " #\n", "a #\n", "&a ", "*a\n", "!a ",
		"|\n", ">\n", "'", "\"", "\\\n", "\\u0041", "--- ", "---\n", "...\n", "<<: *a\n", "a: b\n", "a: b\n\n", "a: |\n\n",
		"- |\n\n", "a: &a b\n", "- a: b\n", "- [a]\n",
		"[a, ", "{a: ", "{a: b},", "a, ", "\r", "\r\n", "\u2028", "\ufeff", "é", "1", "9_", "0x", "? a\n: b\n",
		"\"a\": \"b\",", "[[a],", "output.spacing: 1\n"}
	const size = 16 << 10
	var before, after runtime.MemStats
	for _, start := range starts {
		for _, unit := range units {
			text := start + strings.Repeat(unit, (size-len(start))/len(unit))
			runtime.ReadMemStats(&before)
			_, err := settings.Tracks.Read("race.yaml", strings.NewReader(text))
			runtime.ReadMemStats(&after)
			require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(2048*size), "%q and many %q", start, unit)
			for _, part := range settings.Parts(err) {
				require.True(t, part == nil || len(part.Error()) < 1000, "%q and many %q", start, unit)
			}
		}
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "race.yaml")
	require.NoError(t, os.WriteFile(path, []byte("road.half_width: 2"), 0o600))
	list, err := settings.Tracks.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, path+":1", list[0].Origin)
	_, err = settings.Tracks.ReadFile(path + ".missing")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = settings.Tracks.ReadFile(filepath.Dir(path))
	require.ErrorContains(t, err, "is a directory")
}

func TestAssignments(t *testing.T) {
	list, err := settings.Tracks.Assignments([]string{"road.half_width=20cm", " output.max_points = 500 ",
		"bezier.scale_range=[1, 2]", "bezier.handle_length_range=0:0.5"}, "--set")
	require.NoError(t, err)
	c := trackgen.DefaultConfig()
	_, err = settings.Tracks.Apply(&c, list)
	require.NoError(t, err)
	assert.Equal(t, tracktest.Config(trackgen.Bezier, 1, func(c *trackgen.Config) {
		c.Road.HalfWidth = 0.2
		c.Output.MaxPoints = 500
		c.Bezier.ScaleRange = trackgen.Range{Min: 1, Max: 2}
		c.Bezier.HandleLengthRange = trackgen.Range{Max: 0.5}
	}), c)

	for argument, want := range map[string]string{
		"road.half_width":          `--set: "road.half_width" must be of the form key=value, for example road.half_width=0.2`,
		"=3":                       `--set: "=3" must be of the form key=value, for example road.half_width=0.2`,
		"":                         `--set: "" must be of the form key=value, for example road.half_width=0.2`,
		"road.half_width=":         "--set: road.half_width has no value: must be a number > 0 and <= 1000000",
		"half-width=1":             `--set: unknown field "half-width"; did you mean "road.half_width"? (trackgen config lists all fields)`,
		"n_max=100":                `--set: unknown field "n_max"; did you mean "output.max_points"? (trackgen config lists all fields)`,
		"road.half_width==3":       `--set: road.half_width is "=3": must be a number > 0 and <= 1000000 (unit: m, cm, mm, km)`,
		"road.half_width=\x1b[31m": `--set: road.half_width is "\x1b[31m": must be a number > 0 and <= 1000000 (unit: m, cm, mm, km)`,
		"road.half_width=" + strings.Repeat("é", 50): `--set: road.half_width is "` + strings.Repeat("é", 30) +
			`"...: must be a number > 0 and <= 1000000 (unit: m, cm, mm, km)`,
		"bezier.scale_range=[1, 2": `--set: bezier.scale_range is "[1, 2": must be a pair [min, max] with min <= max, each > 0 and <= 1000000, or [0, 0] for the default (unit: m, cm, mm, km)`,
	} {
		_, err := settings.Tracks.Assignments([]string{argument}, "--set")
		assert.EqualError(t, err, want, "%q", argument)
	}
	_, err = settings.Tracks.Assignments(slices.Repeat([]string{"zebra=1"}, 100_000), "--set")
	assert.Len(t, settings.Parts(err), 11)
	assert.ErrorContains(t, err, "--set: and more")
	_, err = settings.Tracks.Assignments([]string{"output.max_points=400", "output.max_points=500"}, "--set")
	assert.EqualError(t, err, "--set: output.max_points is set twice")
}

func TestLocate(t *testing.T) {
	text := "road.half_width: -1\nvalidity: {thickness_tolerance: 30}\n"
	list, err := settings.Tracks.Read("race.yaml", strings.NewReader(text))
	require.NoError(t, err)
	c := tracktest.Config(trackgen.Bezier, 1, func(c *trackgen.Config) { c.Validity.TurningTolerance = -1 })
	origins, err := settings.Tracks.Apply(&c, list)
	require.NoError(t, err)
	err = settings.Locate(c.Validate(), origins)
	require.ErrorIs(t, err, trackgen.ErrConfig)
	assert.EqualError(t, err, `race.yaml:1: road.half_width is -1: must be a number > 0 and <= 1000000
validity.turning_tolerance is -1: must be a number > 0 and <= 6.283185307179586
race.yaml:2: validity.thickness_tolerance is 30: must be a number >= -10 and <= 10`)
	assert.NoError(t, settings.Locate(nil, origins))
	other := errors.New("something else")
	assert.ErrorIs(t, settings.Locate(other, origins), other)
}

// roundTrip writes c and returns the configuration that is read back.
func roundTrip(t require.TestingT, c trackgen.Config) trackgen.Config {
	var text strings.Builder
	require.NoError(t, settings.Tracks.Write(&text, c))
	list, err := settings.Tracks.Read("config.yaml", strings.NewReader(text.String()))
	require.NoError(t, err, "%s", text.String())
	again := trackgen.DefaultConfig()
	_, err = settings.Tracks.Apply(&again, list)
	require.NoError(t, err)
	return again
}

func TestWriteReadsBack(t *testing.T) {
	assert.Equal(t, trackgen.DefaultConfig().Resolved(), roundTrip(t, trackgen.DefaultConfig()).Resolved())
	// A derived default remains derived: if road.half_width in the file is edited, the spacing follows it.
	assert.Zero(t, roundTrip(t, tracktest.Config(trackgen.Bezier, 1, func(c *trackgen.Config) {
		c.Road.HalfWidth = 2
	})).Output.Spacing)
	assert.Equal(t, 0.1, roundTrip(t, tracktest.Config(trackgen.Bezier, 1, func(c *trackgen.Config) {
		c.Output.Spacing = 0.1
	})).Output.Spacing)
}

// Every field reads back unchanged: in a file, both in its group and with a dot; in an argument; and in a component of
// a mixture.
func TestEveryFieldReadsBack(t *testing.T) {
	for _, f := range trackgen.Fields() {
		text := otherText(f)
		nested := f.Leaf() + ": " + text
		if f.Group() != "" {
			nested = f.Group() + ":\n  " + nested
		}
		var want trackgen.Config
		for _, file := range []string{nested, f.Name + ": " + text} {
			list, err := settings.Tracks.Read("race.yaml", strings.NewReader(file))
			require.NoError(t, err, file)
			c := trackgen.DefaultConfig()
			_, err = settings.Tracks.Apply(&c, list)
			require.NoError(t, err)
			require.Equal(t, text, f.Text(c), file)
			require.NotEqual(t, trackgen.DefaultConfig(), c)
			want = c
		}
		list, err := settings.Tracks.Assignments([]string{f.Name + "=" + text}, "--set")
		require.NoError(t, err)
		c := trackgen.DefaultConfig()
		_, err = settings.Tracks.Apply(&c, list)
		require.NoError(t, err)
		require.Equal(t, want, c)
		require.Equal(t, want, roundTrip(t, c), f.Name)

		file := "mix:\n  - {}\n  - " + strings.ReplaceAll(nested, "\n", "\n    ")
		list, err = settings.Tracks.Read("race.yaml", strings.NewReader(file))
		require.NoError(t, err)
		mixed := trackgen.DefaultConfig()
		_, err = settings.Tracks.Apply(&mixed, list)
		if f.Shared() {
			require.EqualError(t, err, fmt.Sprintf("race.yaml:%d: mix[1].%s is %s: must be left out: all components share it",
				3+strings.Count(nested, "\n"), f.Name, text))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, trackgen.Mixed, mixed.Generator)
		require.Equal(t, []trackgen.FirstLoop{trackgen.DefaultConfig().FirstLoop, want.FirstLoop},
			[]trackgen.FirstLoop{mixed.Mix[0].FirstLoop, mixed.Mix[1].FirstLoop})
		require.Equal(t, mixed, roundTrip(t, mixed), f.Name)
		require.NoError(t, f.Set(&mixed, f.Value(want))) // the other component has the default
		require.Equal(t, mixed, roundTrip(t, mixed), f.Name)
	}
}

// otherText returns a value of a field that differs from its default.
func otherText(f trackgen.Field) string {
	switch v := f.Default.(type) {
	case int:
		return fmt.Sprint(v + 1)
	case float64:
		return fmt.Sprint(v + 0.125)
	case bool:
		return fmt.Sprint(!v)
	case string:
		return f.Choices[(slices.Index(f.Choices, v)+1)%len(f.Choices)]
	}
	switch f.Type() {
	case reflect.TypeFor[trackgen.Range]():
		return "[0.25, 0.5]"
	case reflect.TypeFor[[]int]():
		return "[4, 256]"
	default:
		return "3"
	}
}

// anyConfig draws a configuration with arbitrary values that the fields can hold.
func anyConfig(t *rapid.T) trackgen.Config {
	c := trackgen.DefaultConfig()
	number := rapid.Float64Range(-1e9, 1e9)
	for _, f := range trackgen.Fields() {
		if !rapid.Bool().Draw(t, f.Name+" is set") {
			continue
		}
		var value any
		switch f.Default.(type) {
		case int:
			value = rapid.IntRange(1, 1<<30).Draw(t, f.Name)
		case bool:
			value = rapid.Bool().Draw(t, f.Name)
		case string:
			value = rapid.SampledFrom(f.Choices).Draw(t, f.Name)
		default:
			value = number.Draw(t, f.Name)
			if low := number.Draw(t, f.Name); f.Set(new(trackgen.Config), trackgen.Range{Min: low, Max: low}) == nil {
				value = trackgen.Range{Min: low, Max: low + 1}
			}
			if list := rapid.SliceOfN(rapid.IntRange(-9, 1<<40), 1, 5).Draw(t, f.Name); f.Set(new(trackgen.Config),
				list) == nil {
				value = list
			}
		}
		if f.Set(new(trackgen.Config), value) == nil {
			require.NoError(t, f.Set(&c, value))
		}
	}
	return c
}

func TestWriteReadsBackAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyConfig(t)
		assert.Equal(t, c.Resolved(), roundTrip(t, c).Resolved())
	})
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"", "road.half_width: 1\n", "# c\n---\nscale_range: [1, 2 m]\n", "a: &a [*a]\n", "<<: {x: 1}", "x: |\n y\n",
		"? [a]\n: b\n",
		"\"road.half_width\": '1 cm'", "%YAML 1.2\n---\nN_max: 9", "generator: bezier\ngenerator: polar",
		"{output.max_points: 400}", "output.max_points: !!int 4",
		"mix:\n  - generator: bezier\n    weight: 2\n    bezier.scale_range: [1, 2]\n  - {generator: polar, " +
			"bezier.edginess: -0}\nscale: 3\n", "mix: [{}, {weight: 1e6}]", "mix: [[]]",
		"bezier.style_sampling: true\nmix:\n  - bezier.style_sampling: false", "mix: [{mix: []}]", "mix: &a [*a]",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := settings.Tracks.Read("race.yaml", strings.NewReader(text))
		for _, part := range settings.Parts(err) {
			if part != nil && !strings.HasPrefix(part.Error(), "race.yaml") {
				t.Fatalf("error does not name the file: %v", part)
			}
		}
		if err != nil {
			return
		}
		c := trackgen.DefaultConfig()
		if _, err := settings.Tracks.Apply(&c, list); errors.Is(err, trackgen.ErrConfig) && len(c.Mix) > 0 {
			return // a component sets a field that all components share
		} else if err != nil {
			t.Fatalf("what was read cannot be stored: %v", err)
		}
		assert.Equal(t, c.Resolved(), roundTrip(t, c).Resolved())
	})
}

func FuzzAssignments(f *testing.F) {
	for _, text := range []string{"road.half_width=1", "output.max_points=1e3", "bezier.scale_range=[1,2]",
		"bezier.handle_length_range=1:2", "generator=polar", "validity.turning_tolerance=5deg", "x", "=",
		"bezier.edginess=-0",
		"mix=bezier=2,polar", "mix=hull=0.5", "mix=,", "mix=bezier=1e9"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := settings.Tracks.Assignments([]string{text}, "--set")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "--set: ") || len(err.Error()) > 1000 {
				t.Fatalf("unhelpful error: %v", err)
			}
			return
		}
		c := trackgen.DefaultConfig()
		if _, err := settings.Tracks.Apply(&c, list); err != nil {
			t.Fatalf("what was read cannot be stored: %v", err)
		}
		assert.Equal(t, c.Resolved(), roundTrip(t, c).Resolved())
	})
}

func TestParts(t *testing.T) {
	one, two, three := errors.New("one"), errors.New("two"), errors.New("three")
	assert.Equal(t, []error{one}, settings.Parts(one))
	assert.Equal(t, []error{one, two, three}, settings.Parts(errors.Join(errors.Join(one, two), three)))
	both := fmt.Errorf("both %w and %w", one, two)
	assert.Equal(t, []error{both, three}, settings.Parts(errors.Join(both, three)))
}

// Lists of names and of numbers are read from arguments and files, and a wrong name is refused with what is close.
func TestLists(t *testing.T) {
	list, err := settings.Races.Assignments([]string{"observe.motion=[speed, yaw_rate]",
		"observe.distances=[-1, 0.5, 2]"}, "--set")
	require.NoError(t, err)
	file, err := settings.Races.Read("settings",
		strings.NewReader("observe:\n  channels: [left_x, left_y]\n  vector: true\n"))
	require.NoError(t, err)
	c := trackgen.DefaultRaceConfig()
	_, err = settings.Races.Apply(&c, append(list, file...))
	require.NoError(t, err)
	assert.Equal(t, []string{"speed", "yaw_rate"}, c.Observe.Motion)
	assert.Equal(t, []float64{-1, 0.5, 2}, c.Observe.Distances)
	assert.Equal(t, []string{"left_x", "left_y"}, c.Observe.Channels)
	assert.True(t, c.Observe.Vector)
	_, err = settings.Races.Assignments([]string{"observe.motion=[sped]"}, "--set")
	require.ErrorContains(t, err, `observe.motion is "sped": must be a list of different names of velocity_x`)
	require.ErrorContains(t, err, `"speed"`)
	_, err = settings.Races.Assignments([]string{"observe.distances=[near]"}, "--set")
	require.ErrorContains(t, err, `observe.distances is "near": must be a list of numbers`)
}
