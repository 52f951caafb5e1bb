package parquet

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"strings"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Row is a row of the data set.
type Row struct {
	Env     int32    `parquet:"env"`
	Seed    int32    `parquet:"seed"`
	Epoch   int32    `parquet:"epoch"`
	Valid   bool     `parquet:"valid"`
	Reason  string   `parquet:"reason"`
	Count   int32    `parquet:"count"`
	Length  *float32 `parquet:"length,optional"`
	Winding *float32 `parquet:"winding,optional"`

	Candidate int32 `parquet:"candidate"`
	Component int32 `parquet:"component"`

	CenterX  []float32 `parquet:"center_x,optional,list"`
	CenterY  []float32 `parquet:"center_y,optional,list"`
	CenterZ  []float32 `parquet:"center_z,optional,list"`
	OuterX   []float32 `parquet:"outer_x,optional,list"`
	OuterY   []float32 `parquet:"outer_y,optional,list"`
	OuterZ   []float32 `parquet:"outer_z,optional,list"`
	InnerX   []float32 `parquet:"inner_x,optional,list"`
	InnerY   []float32 `parquet:"inner_y,optional,list"`
	InnerZ   []float32 `parquet:"inner_z,optional,list"`
	TangentX []float32 `parquet:"tangent_x,optional,list"`
	TangentY []float32 `parquet:"tangent_y,optional,list"`
	TangentZ []float32 `parquet:"tangent_z,optional,list"`
	NormalX  []float32 `parquet:"normal_x,optional,list"`
	NormalY  []float32 `parquet:"normal_y,optional,list"`
	NormalZ  []float32 `parquet:"normal_z,optional,list"`
	Arclen   []float32 `parquet:"arclen,optional,list"`

	WidthRight []float32 `parquet:"width_right,optional,list"`
	WidthLeft  []float32 `parquet:"width_left,optional,list"`
}

// lists returns the list columns in their order.
func (r *Row) lists() [18]*[]float32 {
	return [...]*[]float32{
		&r.CenterX, &r.CenterY, &r.CenterZ, &r.OuterX, &r.OuterY, &r.OuterZ, &r.InnerX, &r.InnerY, &r.InnerZ,
		&r.TangentX, &r.TangentY, &r.TangentZ, &r.NormalX, &r.NormalY, &r.NormalZ, &r.Arclen, &r.WidthRight, &r.WidthLeft,
	}
}

// rowOf returns env e of a batch, called env.
func rowOf(b *track.Batch, e int, env int32) Row {
	r := Row{
		Env: env, Seed: b.Seeds[e], Epoch: b.Epochs[e], Valid: b.Valid[e] != 0, Count: b.Count[e],
		Length: finiteOrNil(b.Length[e]), Winding: finiteOrNil(b.Winding[e]),
	}
	if b.Candidates != nil {
		r.Candidate = b.Candidates[e]
	}
	if b.Components != nil {
		r.Component = b.Components[e]
	}
	if !r.Valid {
		r.Reason = "unknown"
		if names := b.Reason[e].Names(); len(names) > 0 {
			r.Reason = strings.Join(names, "|")
		}
	}
	n := int(r.Count)
	lists := r.lists()
	for _, list := range lists {
		*list = make([]float32, n)
	}
	sum := float32(0) // becomes NaN where a number is not finite
	for k, array := range [...][]kernel.Vec3{b.Center, b.Outer, b.Inner, b.Tangent, b.Normal} {
		x, y, z := *lists[3*k], *lists[3*k+1], *lists[3*k+2]
		for i, v := range b.Points(array, e) {
			x[i], y[i], z[i] = v.X, v.Y, v.Z
			sum += (v.X - v.X) + (v.Y - v.Y) + (v.Z - v.Z)
		}
	}
	for _, numbers := range [...]struct {
		to   *[]float32
		from []float32
	}{{&r.Arclen, b.Arclen}, {&r.WidthRight, b.WidthRight}, {&r.WidthLeft, b.WidthLeft}} {
		if numbers.from == nil {
			*numbers.to = nil
			continue
		}
		for i, v := range numbers.from[e*b.NMax : e*b.NMax+n] {
			(*numbers.to)[i] = v
			sum += v - v
		}
	}
	if sum != 0 {
		for _, list := range lists {
			*list = nil
		}
	}
	return r
}

func finiteOrNil(v float32) *float32 {
	if v-v != 0 {
		return nil
	}
	return &v
}

// Hash adds up the hash of a data set, which says whether two hold the same tracks: the SHA-256 over the rows in their
// order, of the numbers of each as little-endian words of 32 bits: env, seed, epoch, valid (0 or 1), count, candidate, component,
// length, winding, then the elements of each list column in the order of the columns. What is null adds nothing. Compression, encodings and the
// names of versions and devices do not change it.
type Hash struct {
	sum   hash.Hash
	words []byte
}

// NewHash starts the hash of a data set.
func NewHash() *Hash { return &Hash{sum: sha256.New()} }

// Add adds a row.
func (h *Hash) Add(r *Row) {
	valid := uint32(0)
	if r.Valid {
		valid = 1
	}
	words := h.words[:0]
	for _, v := range [...]uint32{uint32(r.Env), uint32(r.Seed), uint32(r.Epoch), valid, uint32(r.Count), uint32(r.Candidate), uint32(r.Component)} {
		words = binary.LittleEndian.AppendUint32(words, v)
	}
	for _, v := range [...]*float32{r.Length, r.Winding} {
		if v != nil {
			words = binary.LittleEndian.AppendUint32(words, math.Float32bits(*v))
		}
	}
	for _, list := range r.lists() {
		for _, v := range *list {
			words = binary.LittleEndian.AppendUint32(words, math.Float32bits(v))
		}
	}
	h.words = words
	h.sum.Write(words) // a hash takes everything
}

// String returns the hash of the rows so far, in hexadecimal.
func (h *Hash) String() string { return hex.EncodeToString(h.sum.Sum(nil)) }
