package filter_test

import (
	"fmt"
	"log"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/difficulty/filter"
)

// labels has two tracks with a racing line, and one without.
func labels() *difficulty.Batch {
	nan := float32(math.NaN())
	zeros := func() []float32 { return []float32{0, 0, nan} }
	return &difficulty.Batch{Envs: 3, HostColumns: difficulty.HostColumns{
		LapTime: []float32{7.5, 9, nan}, TimePerLength: zeros(), MeanSpeed: []float32{2, 1, nan}, MinSpeed: zeros(),
		LongestStraight: zeros(), WidthMargin: []float32{0.1, -0.2, nan}, Length: zeros(), MaxCurvature: zeros(),
		Corners: []int32{5, 3, 0}, SlowCorners: []int32{1, 3, 0}, MediumCorners: []int32{1, 0, 0},
		FastCorners: []int32{3, 0, 0}, Hairpins: []int32{1, 2, 0},
	}}
}

func TestMatch(t *testing.T) {
	b := labels()
	for text, want := range map[string][]bool{
		"lap_time < 8":               {true, false, false},
		"lap_time<8 and hairpins>=2": {false, false, false},
		"lap_time<8 or hairpins>=2":  {true, true, false},
		"not (lap_time<8)":           {false, true, false},
		"lap_time == 7.5 || !(corners != 3) && width_margin < -0.1": {true, true, false},
		"slow_corners + 2 * fast_corners > corners":                 {true, false, false},
		"true":                               {true, true, false},
		"9223372036854775807 + 1 > 0":        {true, true, false}, // an integer would wrap
		"-9223372036854775807*3 < -lap_time": {true, true, false},
		"corners / 2 == 2.5":                 {true, false, false},
		"lap_time / corners >= 3":            {false, true, false},
		"mean_speed > min_speed":             {true, true, false},
		"hairpins >= 1e0 and 2 > 1.5":        {true, true, false},
	} {
		f, err := filter.Parse(text)
		require.NoError(t, err, text)
		for e := range want {
			require.Equal(t, want[e], f.Match(b, e), "%s, env %d", text, e)
		}
	}
}

// What is no condition is refused, with what is wrong and what exists.
func TestParseRefuses(t *testing.T) {
	all := strings.Join(filter.Names(), ", ")
	for text, want := range map[string]string{
		"hairpin >= 2":               "hairpin: must be one of the labels " + all,
		"":                           "must be a condition such as",
		"lap_time <":                 "must be a condition such as",
		"lap_time + 1":               "must be a condition, which is true or false",
		"lap_time < 'a'":             "must be labels, numbers, parentheses and the operators",
		"len(corners) > 1":           "must be labels, numbers",
		"corners in [1,2]":           "must be",
		"corners % 2 == 0":           "must be one of the operators < <=",
		"corners ** 2 > 3":           "must be one of the operators",
		"corners > 2 ? true : false": "must be labels, numbers",
		"lap_time and true":          "must be a condition, which is true or false",
		"lap_time.x > 1":             "must be labels",
		"let x = 1; x > 0":           "must be",
		strings.Repeat("(", 5000):    "must be at most 4096 bytes",
	} {
		_, err := filter.Parse(text)
		require.ErrorIs(t, err, backend.ErrInvalid, text)
		require.ErrorContains(t, err, "filter: parse: condition is", text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "\n", text)
	}
	_, err := filter.Parse("hairpin >= 2")
	require.ErrorContains(t, err, `did you mean "hairpins"?`)
}

// No text makes Parse or Match panic.
func TestAnyTextIsSafe(t *testing.T) {
	b := labels()
	words := append(filter.Names(), "<", ">=", "==", "and", "or", "not", "(", ")", "1", "0", "-", "/", "*", "1e400", "!",
		"&&", "nil", "'", "\"", "[", "{", "#", "|", "?.", "..", "$env", "99999999999999999999")
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 12).Draw(rt, "words"), " ")
		if f, err := filter.Parse(text); err == nil {
			for e := range b.Envs {
				f.Match(b, e)
			}
		}
	})
}

func Example() {
	b := labels()
	f, err := filter.Parse("lap_time < 8 and hairpins >= 1")
	if err != nil {
		log.Fatal(err)
	}
	for e := range b.Envs {
		fmt.Print(f.Match(b, e), " ")
	}
	// Output: true false false
}
