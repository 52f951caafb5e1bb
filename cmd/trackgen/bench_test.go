package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadBenchLimitsReports(t *testing.T) {
	rows := func(n int) string { return "[{}" + strings.Repeat(",{}", n-1) + "]" }
	for text, want := range map[string]string{
		`{"machines": [{}], "results": ` + rows(maxBenchRows) + `}`: "",
		`{"machines": [{}], "results": ` + rows(maxBenchRows+1) +
			`}`: "--from -: results has 10001 rows: must be at most 10000",
		`{"machines": ` + rows(maxBenchRows+1) +
			`, "results": [{}]}`: "--from -: machines has 10001 rows: must be at most 10000",
		"{" + strings.Repeat(" ", maxBenchBytes): "--from -: the file has more than 4194304 bytes",
		"{": "--from -: this is no report of trackgen bench: it is not JSON: " +
			"unexpected end of JSON input",
		"{}": "--from -: this is no report of trackgen bench",
	} {
		_, err := newApp(strings.NewReader(text), nil, nil).readBench("-")
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}
