package ledger

import (
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/track"
)

// Difference is how a batch differs from its entry.
type Difference struct {
	Arrays []string `json:"arrays"` // whose bits differ, or that the batch lacks, in the order of the entry
	Env    int      `json:"env"`    // the first env that differs
	Envs   int      `json:"envs"`   // how many envs differ
}

// String describes the difference in one line.
func (d Difference) String() string {
	arrays, envs := "no array of its list", "no env by itself"
	if len(d.Arrays) > 0 {
		arrays = "arrays " + strings.Join(d.Arrays, ", ")
	}
	if d.Envs > 0 {
		envs = fmt.Sprintf("%d envs, the first is %d", d.Envs, d.Env)
	}
	return envs + "; " + arrays
}

// compare returns how a batch of the entry's configuration and seeds differs, nil if it does not. The batch may have the first
// envs alone: an array of fewer envs has another hash, and only those of the envs count.
func (e *Entry) compare(batch *track.Batch) *Difference {
	names := make(map[string]bool, len(e.Arrays))
	for _, array := range e.Arrays {
		names[array.Name] = true
	}
	arrays, envs := hash(batch, names)
	found := make(map[string]Array, len(arrays))
	for _, array := range arrays {
		found[array.Name] = array
	}
	part := batch.Envs < len(e.Envs)
	var d Difference
	for _, want := range e.Arrays {
		if got, ok := found[want.Name]; got != want && !(part && ok) {
			d.Arrays = append(d.Arrays, want.Name)
		}
	}
	for i := len(envs) - 1; i >= 0; i-- {
		if i >= len(e.Envs) || envs[i] != e.Envs[i] {
			d.Env = i
			d.Envs++
		}
	}
	if len(d.Arrays) == 0 && d.Envs == 0 {
		return nil
	}
	return &d
}
