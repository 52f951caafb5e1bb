package seeds

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/seeding"
)

// ErrBound is recorded when Set or SetIDs would write seeds that belong to the caller.
var ErrBound = errors.New("the seeds are bound to the caller's array, which the state never writes")

// State holds a seed and an epoch per env, which key every generation. The epochs belong to the state, are zero at
// first, and change on the device only. A State is used by one goroutine at a time.
type State struct {
	batch
	epoch exec.Array[int32]
}

// New returns the state of a batch of envs (1 to MaxEnvs). It allocates and waits, so it refuses to run while a stream
// that it uses is being captured.
//
// It returns an *exec.ArgError for a number of envs, a length or a combination of options that is not allowed,
// exec.ErrDeviceMismatch for an array or stream of another device, exec.ErrCapture, or an error of the backend.
func New(device backend.Device, envs int, options Options) (*State, error) {
	b, err := newBatch("new seed state", device, envs, options)
	if err != nil {
		return nil, err
	}
	epoch, err := exec.NewArray[int32](device, envs)
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return &State{batch: b, epoch: epoch}, nil
}

// Close releases the arrays that the state owns; bound seeds stay open. Closing twice is a no-op.
func (s *State) Close() error {
	return errors.Join(s.close(), s.epoch.Close())
}

// Epoch returns the epochs, one per env.
func (s *State) Epoch() exec.Array[int32] { return s.epoch }

// Effective writes the effective seed of every env to out, one int32 per env: one launch.
func (s *State) Effective(lc *exec.LaunchContext, out exec.Array[int32]) {
	if s.accept(lc, "effective seeds", "out", out) {
		seeding.Effective(lc, s.envs, s.seeds, s.epoch, out)
	}
}

// EffectiveMasked rewrites out for the envs whose mask is not 0; the others keep the effective seed that their current
// output was made from (R109): one launch.
func (s *State) EffectiveMasked(lc *exec.LaunchContext, out, mask exec.Array[int32]) {
	const op = "masked effective seeds"
	if s.accept(lc, op, "out", out) && s.accept(lc, op, "mask", mask) {
		seeding.EffectiveMasked(lc, s.envs, s.seeds, s.epoch, mask, out)
	}
}

// Advance begins the next epoch of every env: one launch, and every replay of it advances again. After 2^31-1
// comes -2^31.
func (s *State) Advance(lc *exec.LaunchContext) {
	seeding.Advance(lc, s.envs, s.epoch)
}

// AdvanceMasked begins the next epoch of the envs whose mask is not 0: one launch.
func (s *State) AdvanceMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if s.accept(lc, "advance epochs", "mask", mask) {
		seeding.AdvanceMasked(lc, s.envs, mask, s.epoch)
	}
}

// ResetEpoch returns every env to epoch 0: one operation.
func (s *State) ResetEpoch(lc *exec.LaunchContext) {
	exec.Fill(lc, s.epoch, 0)
}

// ResetEpochMasked returns the envs whose mask is not 0 to epoch 0: one launch.
func (s *State) ResetEpochMasked(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if s.accept(lc, "reset epochs", "mask", mask) {
		seeding.ResetMasked(lc, s.envs, mask, s.epoch)
	}
}

// Set replaces all seeds by values, one per env, and returns every env to epoch 0. It records ErrBound if the
// seeds are bound.
func (s *State) Set(lc *exec.LaunchContext, values exec.Array[int32]) {
	const op = "set seeds"
	if s.refuseBound(lc) || !s.accept(lc, op, "values", values) {
		return
	}
	exec.Copy(lc, s.seeds, values)
	exec.Fill(lc, s.epoch, 0)
}

// SetIDs gives env ids[k] the seed values[k] and returns it to epoch 0: two launches. Of duplicate ids the one at
// the highest position wins; ids that name no env are ignored, because the host cannot read them. It records
// ErrBound if the seeds are bound.
func (s *State) SetIDs(lc *exec.LaunchContext, ids, values exec.Array[int32]) {
	if s.refuseBound(lc) || !s.acceptIDs(lc, "set seeds by id", ids, values) {
		return
	}
	seeding.Claim(lc, ids.Len(), ids, s.winner)
	seeding.AssignSeeds(lc, s.envs, values, s.winner, s.seeds, s.epoch)
}

func (s *State) refuseBound(lc *exec.LaunchContext) bool {
	if s.bound {
		lc.Fail(ErrBound)
	}
	return s.bound
}
