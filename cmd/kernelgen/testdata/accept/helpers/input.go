package helpers

import "github.com/trackgen-go/trackgen/kernel"

// limit is a named constant.
const limit = 1 << 4

type span struct {
	low, high float32
	hits      [2]int32
}

func (s span) width() float32 { return s.high - s.low }

func (s span) including(x float32) span {
	s.low = kernel.Min(s.low, x)
	s.high = kernel.Max(s.high, x)
	s.hits[1]++
	return s
}

func spanOf(row []float32, first, n int32) (s span, ok bool) {
	if n == 0 {
		return s, false
	}
	s = span{low: row[first], high: row[first]}
	for k := int32(1); k < n; k++ {
		s = s.including(row[first+k])
	}
	return s, true
}

func fill(x []float32, value float32) int32 {
	for k := range int32(len(x)) {
		x[k] = value
	}
	return int32(len(x))
}

//kernel:thread
func helpers(i int32, row []float32, width []float32, hits []int32) {
	var local [limit]float32
	n := fill(local[:], 1)
	fill(local[:], 2)
	s, ok := spanOf(row, i*limit, limit)
	t, _ := spanOf(local[:], 0, n)
	if !ok {
		return
	}
	width[i] = s.width() + t.width()
	hits[i] = s.hits[i&1]
}
