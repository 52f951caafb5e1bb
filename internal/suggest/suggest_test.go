package suggest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/internal/suggest"
)

func TestNearest(t *testing.T) {
	names := []string{"bezier", "polar", "half_width", "N_max", "num_points", "min_num_points"}
	for word, want := range map[string]string{
		"bezeir":                        "bezier", // transposition
		"bezie":                         "bezier",
		"Polar":                         "polar",
		"half_widht":                    "half_width",
		"halfwidth":                     "half_width",
		"half-width":                    "half_width",
		"n_max":                         "N_max",
		"num_point":                     "num_points",
		"min_num_point":                 "min_num_points",
		"spline":                        "",
		"":                              "",
		"x":                             "",
		strings.Repeat("half_width", 9): "",
	} {
		assert.Equal(t, want, suggest.Nearest(word, names), "word %q", word)
	}
	assert.Equal(t, `; did you mean "polar"?`, suggest.Phrase("poler", names))
	assert.Empty(t, suggest.Phrase("zebra crossing", names))
}
