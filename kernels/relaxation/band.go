package relaxation

import "github.com/trackgen-go/trackgen/kernel"

// Band returns how many neighbours along the loop count as the same piece of road: band if it is positive, none if it
// is negative, else the road width over the mean spacing, rounded, at least 1 (docs/spec/pipeline.md, section 6).
func Band(band int32, halfWidth, spacing float32) int32 {
	if band > 0 {
		return band
	}
	if band < 0 {
		return 0
	}
	ratio := float32(2*halfWidth) / kernel.Max(spacing, minDistance)
	if kernel.IsNaN(spacing) || !kernel.IsFinite(ratio) {
		return 1
	}
	rounded := kernel.ToInt32(kernel.Floor(kernel.Min(ratio, 1<<24) + 0.5))
	if rounded < 1 {
		return 1
	}
	return rounded
}
