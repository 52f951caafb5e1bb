package seeds

import (
	"errors"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/seeding"
)

// PerEnv draws random numbers per env (docs/spec/pipeline.md, section 1) for a program's own use: the generators draw
// from the seeds themselves. Every env has its own random stream, started from its seed. A call draws the same number
// of samples for each env that takes part and advances those streams by that number. So an env's numbers depend on its
// seed and its own earlier draws, never on other envs or on the device.
//
// A draw emits two launches and can be recorded into a capture; each replay draws new numbers. One goroutine at a time
// uses a PerEnv.
type PerEnv struct {
	batch
	state exec.Array[int32] // position of each stream: the bits of a uint32
	all   exec.Array[int32] // 0, 1, 2, ...: the ids of a draw for every env
}

// NewPerEnv returns the random streams of a batch of envs (1 to MaxEnvs). It allocates and waits. Its errors are those
// of New.
func NewPerEnv(device backend.Device, envs int, options Options) (*PerEnv, error) {
	b, err := newBatch("new per-env random numbers", device, envs, options)
	if err != nil {
		return nil, err
	}
	r := &PerEnv{batch: b}
	if err := r.start(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *PerEnv) start() (err error) {
	if r.state, err = exec.NewArray[int32](r.device, r.envs); err != nil {
		return err
	}
	if r.all, err = exec.FromSlice(r.device, consecutive(0, r.envs)); err != nil {
		return err
	}
	return onCurrent(r.device, r.Restart)
}

// Close releases the arrays that r owns; bound seeds stay open. Closing twice does nothing.
func (r *PerEnv) Close() error {
	return errors.Join(r.close(), r.state.Close(), r.all.Close())
}

// Restart restarts every stream from its seed: one launch.
func (r *PerEnv) Restart(lc *exec.LaunchContext) {
	seeding.StartStreams(lc, r.envs, r.seeds, r.state)
}

// SetSeeds replaces all seeds by values, one per env, and restarts the streams from them. It writes bound seeds in
// place.
func (r *PerEnv) SetSeeds(lc *exec.LaunchContext, values exec.Array[int32]) {
	if !r.accept(lc, "set seeds", "values", values) {
		return
	}
	exec.Copy(lc, r.seeds, values)
	r.Restart(lc)
}

// SetSeedsIDs sets the seed of env ids[k] to values[k] and restarts its stream: two launches. It treats duplicate and
// unknown ids as State.SetIDs does. It writes bound seeds in place.
func (r *PerEnv) SetSeedsIDs(lc *exec.LaunchContext, ids, values exec.Array[int32]) {
	if !r.acceptIDs(lc, "set seeds by id", ids, values) {
		return
	}
	seeding.Claim(lc, ids.Len(), ids, r.winner)
	seeding.AssignStreams(lc, r.envs, values, r.winner, r.seeds, r.state)
}

// Samples says which envs draw, and how many samples each. The output holds n x Rows x Columns elements, last index
// fastest, where n is the number of IDs, or of envs if there are none.
type Samples struct {
	// Rows and Columns are the shape of one env's samples; 0 means 1.
	Rows, Columns int
	// IDs lists the envs in the order of the output; the zero Array means all envs. For an unknown id, that part of the
	// output stays unchanged. An env that is listed twice gets the same samples twice, and its stream advances twice.
	IDs exec.Array[int32]
}

// Uniform draws from [low, high), both finite with low <= high. Rounding may give high itself if low and high are so
// close or so large that few numbers lie between them.
func (r *PerEnv) Uniform(lc *exec.LaunchContext, out exec.Array[float32], low, high float32, samples Samples) {
	const op = "draw uniform"
	if !finite(low) || !finite(high) || low > high || !finite(high-low) {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "range", Value: fmt.Sprintf("[%v, %v)", low, high),
			Allowed: "finite, low <= high, and a finite difference"})
		return
	}
	if d, ok := prepareDraw(r, lc, op, out, samples); ok {
		seeding.Uniform(lc, d.total, d.ids, r.state, d.per, low, high, out)
		r.advance(lc, d)
	}
}

// Integer draws from low..high-1, with low < high, as the remainder of 32 random bits. If high-low does not divide
// 2^32, the lower part of the range is more probable, by at most one part in 2^32/(high-low).
func (r *PerEnv) Integer(lc *exec.LaunchContext, out exec.Array[int32], low, high int32, samples Samples) {
	const op = "draw integer"
	if low >= high {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "range", Value: fmt.Sprintf("[%d, %d)", low, high),
			Allowed: "low < high"})
		return
	}
	if d, ok := prepareDraw(r, lc, op, out, samples); ok {
		seeding.Integer(lc, d.total, d.ids, r.state, d.per, low, high, out)
		r.advance(lc, d)
	}
}

// SignInt draws -1 or 1, each with probability 1/2.
func (r *PerEnv) SignInt(lc *exec.LaunchContext, out exec.Array[int32], samples Samples) {
	if d, ok := prepareDraw(r, lc, "draw sign", out, samples); ok {
		seeding.SignInt(lc, d.total, d.ids, r.state, d.per, out)
		r.advance(lc, d)
	}
}

// SignFloat draws -1 or 1, each with probability 1/2, with the same signs as SignInt.
func (r *PerEnv) SignFloat(lc *exec.LaunchContext, out exec.Array[float32], samples Samples) {
	if d, ok := prepareDraw(r, lc, "draw sign", out, samples); ok {
		seeding.SignFloat(lc, d.total, d.ids, r.state, d.per, out)
		r.advance(lc, d)
	}
}

// Normal draws from the normal distribution with the given mean and standard deviation, both finite, and the deviation
// not negative.
func (r *PerEnv) Normal(lc *exec.LaunchContext, out exec.Array[float32], mean, deviation float32, samples Samples) {
	const op = "draw normal"
	if !finite(mean) {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "mean", Value: mean, Allowed: "a finite number"})
		return
	}
	if !finite(deviation) || deviation < 0 {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "deviation", Value: deviation, Allowed: "a finite number >= 0"})
		return
	}
	if d, ok := prepareDraw(r, lc, op, out, samples); ok {
		seeding.Normal(lc, d.total, d.ids, r.state, d.per, mean, deviation, out)
		r.advance(lc, d)
	}
}

// MaxPoissonMean is the maximum mean of Poisson. Beyond it, float32 logarithms are too coarse for the rejection test.
const MaxPoissonMean = 4096

// Poisson draws from the Poisson distribution with the given mean, 0 to MaxPoissonMean.
func (r *PerEnv) Poisson(lc *exec.LaunchContext, out exec.Array[int32], mean float32, samples Samples) {
	const op = "draw poisson"
	if !(mean >= 0 && mean <= MaxPoissonMean) {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "mean", Value: mean,
			Allowed: fmt.Sprintf("0 to %d", MaxPoissonMean)})
		return
	}
	if d, ok := prepareDraw(r, lc, op, out, samples); ok {
		seeding.Poisson(lc, d.total, d.ids, r.state, d.per, mean, out)
		r.advance(lc, d)
	}
}

// Quaternion draws unit quaternions, uniform over all rotations.
func (r *PerEnv) Quaternion(lc *exec.LaunchContext, out exec.Array[kernel.Quat], samples Samples) {
	if d, ok := prepareDraw(r, lc, "draw quaternion", out, samples); ok {
		seeding.Quaternion(lc, d.total, d.ids, r.state, d.per, out)
		r.advance(lc, d)
	}
}

// draw holds the checked arguments of one draw.
type draw struct {
	ids   exec.Array[int32]
	per   int32 // samples per env
	total int
}

// prepareDraw checks samples against out. It records an error in lc.
func prepareDraw[T kernel.Element](r *PerEnv, lc *exec.LaunchContext, op string, out exec.Array[T],
	samples Samples) (draw, bool) {
	if lc.Err() != nil {
		return draw{}, false
	}
	d, err := r.shape(op, samples)
	if err == nil {
		err = out.Check(op, "out", r.device, d.total)
	}
	if err != nil {
		lc.Fail(err)
		return draw{}, false
	}
	return d, true
}

// shape checks samples.
func (r *PerEnv) shape(op string, samples Samples) (draw, error) {
	ids := samples.IDs
	if ids.IsZero() {
		ids = r.all
	} else if err := ids.Check(op, "IDs", r.device, ids.Len()); err != nil {
		return draw{}, err
	}
	per := int64(1)
	for _, axis := range [...]struct {
		name   string
		extent int
	}{{"Rows", samples.Rows}, {"Columns", samples.Columns}} {
		if axis.extent < 0 || int64(axis.extent) > exec.MaxElements {
			return draw{}, &backend.ArgumentError{Op: op, Argument: axis.name, Value: axis.extent,
				Allowed: fmt.Sprintf("0 (which is 1) to %d", int64(exec.MaxElements))}
		}
		per *= int64(max(axis.extent, 1))
	}
	// per is below 2^62, so the limit is checked by division.
	if per > exec.MaxElements || int64(ids.Len()) > exec.MaxElements/per {
		return draw{}, &backend.ArgumentError{Op: op, Argument: "number of samples",
			Value:   fmt.Sprintf("%d x %d", ids.Len(), per),
			Allowed: fmt.Sprintf("at most %d", int64(exec.MaxElements))}
	}
	return draw{ids: ids, per: int32(per), total: ids.Len() * int(per)}, nil
}

// advance advances the streams of a draw.
func (r *PerEnv) advance(lc *exec.LaunchContext, d draw) {
	seeding.AdvanceStreams(lc, d.ids.Len(), d.ids, r.state, d.per)
}

func finite(x float32) bool {
	return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0)
}
