package ledger

import (
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/track"
)

// Difference says how a batch differs from its entry.
type Difference struct {
	Arrays []string `json:"arrays"` // in the order of the entry; those whose bits differ or that the batch lacks
	Env    int      `json:"env"`    // the first env that differs
	Envs   int      `json:"envs"`   // number of envs that differ
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

// compare returns how a batch with the entry's configuration and seeds differs from the entry, or nil if they are
// equal. It compares a batch of only the first envs by the hashes of its envs, because an array of fewer envs has
// another hash.
func (e *Entry) compare(batch *track.Batch) *Difference {
	return hashes{e.Arrays, e.Envs}.compare(track.Schema.Host(&batch.HostColumns), batch.Envs)
}

// hashes are the hashes of an entry.
type hashes struct {
	arrays []Array
	envs   []EnvHash
}

// compare compares the columns of a batch of numEnvs envs with the hashes.
func (h hashes) compare(columns []column.Host, numEnvs int) *Difference {
	var names []string // the hashes of envs depend on this order
	for _, array := range h.arrays {
		names = append(names, array.Name)
	}
	arrays, envs := hashOf(columns, numEnvs, names)
	found := make(map[string]Array, len(arrays))
	for _, array := range arrays {
		found[array.Name] = array
	}
	part := numEnvs < len(h.envs)
	var d Difference
	for _, want := range h.arrays {
		if got, ok := found[want.Name]; got != want && (!part || !ok) {
			d.Arrays = append(d.Arrays, want.Name)
		}
	}
	for i := len(envs) - 1; i >= 0; i-- {
		if i >= len(h.envs) || envs[i] != h.envs[i] {
			d.Env = i
			d.Envs++
		}
	}
	if len(d.Arrays) == 0 && d.Envs == 0 {
		return nil
	}
	return &d
}
