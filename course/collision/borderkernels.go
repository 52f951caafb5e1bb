package collision

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/borders"
)

// Kernels lists the kernels that a checker launches, for Device.Load. Those of queries take a GPU's compiler longer
// than all others of a course, so that the ones of other settings are left out. With one box in each env, no box tests
// others.
func (c BordersConfig) Kernels() []*kernel.Def {
	switch {
	case c.Method == ByScan && c.Swept:
		return []*kernel.Def{&borders.ScanDef, &borders.ForgetDef}
	case c.Method == ByScan:
		return []*kernel.Def{&borders.ScanDef}
	case c.Swept && c.Boxes > 1:
		return []*kernel.Def{&borders.QuerySweptDef, &borders.ForgetDef, &borders.QuerySweptWithAgentsDef}
	case c.Swept:
		return []*kernel.Def{&borders.QuerySweptDef, &borders.ForgetDef}
	case c.Boxes > 1:
		return []*kernel.Def{&borders.QueryDef, &borders.QueryWithAgentsDef}
	}
	return []*kernel.Def{&borders.QueryDef}
}
