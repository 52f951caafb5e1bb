package main

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
		got, err := parseSelection(text, 100)
		require.NoError(t, err, "%q", text)
		assert.Equal(t, want, got, "%q", text)
	}
	for _, text := range []string{"", ",", "1,", "-", "-3", "1-2-3", "+1", "1.5", "0x1", "100", "5-100", "9-8",
		"99999999999999999999", "all"} {
		_, err := parseSelection(text, 100)
		assert.Error(t, err, "%q", text)
	}
}

func TestSelection(t *testing.T) {
	s, err := parseSelection("2-4,9,3-6", 10)
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
		s, err := parseSelection(text, envs)
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
