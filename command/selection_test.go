package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseSelection(t *testing.T) {
	for text, want := range map[string]selection{
		"0":          {{0, 0}},
		"0-9":        {{0, 9}},
		"40, 2 ,7-7": {{2, 2}, {7, 7}, {40, 40}},
		"90-":        {{90, 99}},
		"0-99,5":     {{0, 99}},
		"3-4,4-5":    {{3, 5}},
		"6-8,1-5,10": {{1, 8}, {10, 10}},
	} {
		got, err := parseSelection(text, 100, nil)
		require.NoError(t, err, "%q", text)
		assert.Equal(t, want, got, "%q", text)
	}
	for _, text := range []string{"", ",", "1,", "-", "-3", "1-2-3", "+1", "1.5", "0x1", "100", "5-100", "9-8",
		"99999999999999999999", "all"} {
		_, err := parseSelection(text, 100, nil)
		assert.Error(t, err, "%q", text)
	}
}

// A name selects every track that has it. Numbers are never names.
func TestSelectionByName(t *testing.T) {
	names := []string{"Spa", "", "Monza", "spa", "Monza", "a,b", "7", "2020-Spa", "Monaco"}
	for text, want := range map[string]selection{
		"Spa":               {{0, 0}},
		"spa":               {{3, 3}},
		"MONACO":            {{8, 8}},
		"SPA":               {{0, 0}, {3, 3}},
		"Monza":             {{2, 2}, {4, 4}},
		"Monaco, Spa,4-5":   {{0, 0}, {4, 5}, {8, 8}},
		"a,b":               {{5, 5}},
		"7":                 {{7, 7}},
		"2020-Spa":          {{7, 7}},
		"Monza,0,1,Spa,3-3": {{0, 4}},
	} {
		got, err := parseSelection(text, len(names), names)
		require.NoError(t, err, "%q", text)
		assert.Equal(t, want, got, "%q", text)
	}
	for text, message := range map[string]string{
		"Monzo": `no track is called "Monzo": must be a name (Spa, Monza, spa, a,b, 7, 2020-Spa, Monaco), or a list such as ` +
			`7 or 0-9,40,100-; did you mean "Monza"?`,
		"Spa,Nowhere": `no track is called "Nowhere"`,
		"9":           "there is no env 9: must be 0 to 8",
		"":            `"" is no env`,
		"-":           `"-" is no env`,
	} {
		_, err := parseSelection(text, len(names), names)
		assert.ErrorContains(t, err, message)
	}
	many := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	_, err := parseSelection("none", len(many), many)
	assert.ErrorContains(t, err, "(a, b, c, d, e, f, g, h, ...)")
}

func TestSelection(t *testing.T) {
	s, err := parseSelection("2-4,9,3-6", 10, nil)
	require.NoError(t, err)
	assert.Equal(t, 9, s.last())
	for env, want := range []bool{false, false, true, true, true, true, true, false, false, true, false} {
		assert.Equal(t, want, s.contains(env), "env %d", env)
	}
}

func FuzzParseSelection(f *testing.F) {
	f.Add("0-9,40,90-", 100)
	f.Add("-", 1)
	f.Fuzz(func(t *testing.T, text string, envs int) {
		s, err := parseSelection(text, envs, []string{"Spa", "", "a,b", "7"}[:max(0, min(envs, 4))])
		if err != nil {
			return
		}
		for _, part := range s {
			if part.first < 0 || part.last < part.first || part.last >= envs {
				t.Fatalf("%q of %d envs: %v", text, envs, part)
			}
		}
	})
}
