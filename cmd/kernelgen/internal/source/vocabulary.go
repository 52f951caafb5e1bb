package source

import "go/types"

// intrinsics are the functions of package kernel that every backend implements in its own way. Their Go bodies may
// leave the kernel language. All other functions of package kernel are translated like helpers.
var intrinsics = map[string]bool{
	"Sqrt":            true,
	"Float32Bits":     true,
	"Float32FromBits": true,
	"ToInt32":         true,
	"AtomicAdd":       true,
	"AtomicMax":       true,
	"AtomicOr":        true,
}

// IsIntrinsic says whether f is a function of package kernel whose body is not translated.
func IsIntrinsic(f *types.Func) bool {
	return IsVocabulary(f.Pkg()) && f.Signature().Recv() == nil && intrinsics[f.Name()]
}

// IsAtomic says whether f is one of the integer atomics of package kernel.
func IsAtomic(f *types.Func) bool {
	return IsIntrinsic(f) && f.Signature().Results().Len() == 0
}
