package seeds

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/seeding"
)

// AnySet writes 1 to flag, one int32, if any element of mask is not 0, and 0 otherwise: two operations. The flag is for
// a later exec.SkipUnless on the same stream.
func AnySet(lc *exec.LaunchContext, mask, flag exec.Array[int32]) {
	const op = "any set"
	if lc.Err() != nil {
		return
	}
	// Both are checked before the first operation, so that a bad mask leaves the flag unchanged.
	err := mask.Check(op, "mask", lc.Device(), mask.Len())
	if err == nil {
		err = flag.Check(op, "flag", lc.Device(), 1)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	exec.Fill(lc, flag, 0)
	seeding.AnySet(lc, mask.Len(), mask, flag)
}
